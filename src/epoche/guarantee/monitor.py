"""Does a promised risk still hold? A sequential test on labelled feedback that may be looked at after every item.

A betting e-process (Waudby-Smith and Ramdas 2024; Shafer 2021): a gambler whose stake pays when errors come more
often than promised. If the risk is at most α, it ever exceeds 1/δ with probability at most δ (Ville 1939).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from epoche.guarantee.binomial import require_probability

#: Shares of the largest stake that are bet side by side; their mean is again an e-process.
STAKES = (0.05, 0.1, 0.2, 0.4, 0.8)


def evidence_against(errors: Sequence[bool] | NDArray[np.bool_], alpha: float) -> NDArray[np.float64]:
    """float64[n]: the evidence after each answered item that the risk exceeds α; 1 is none, 20 refutes it at 5 %.

    The mean over stakes b of Π (1 − b) for each right and (1 + b (1 − α)/α) for each wrong answer, where b is a
    share of min(1, α / (1 − α)): a wrong answer at most doubles the evidence.

    Args:
        errors: whether each answered item was wrong, in the order of arrival.

    Raises:
        ValueError: alpha outside (0, 1).
    """
    require_probability("the promised risk", alpha)
    x = np.asarray(errors, dtype=np.float64)
    # A right answer multiplies by 1 − b, a wrong one by 1 + b (1 − α)/α: a fair bet at risk α.
    stakes = np.array(STAKES)[:, None] * min(1.0, alpha / (1 - alpha))
    logs = np.log1p(stakes * np.where(x[None, :] > 0, (1 - alpha) / alpha, -1.0)).cumsum(axis=1)
    top = logs.max(axis=0, initial=0.0)
    evidence: NDArray[np.float64] = np.exp(logs - top).mean(axis=0) * np.exp(top)
    return evidence
