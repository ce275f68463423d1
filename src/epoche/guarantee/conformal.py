"""Conformal risk control (Angelopoulos et al. 2022) of the generalized risk: P(wrong and answered).

That is what the method can control, because it only falls as the threshold rises. It is not the selective risk,
the error rate among what is answered, which may rise and fall. It holds on average over calibration sets; no δ.
"""

from __future__ import annotations

import numpy as np

from epoche.guarantee.binomial import require_probability
from epoche.guarantee.choice import Choice, chosen
from epoche.metrics.selective import Groups


def generalized_risk(groups: Groups, alpha: float, total: int | None = None) -> Choice:
    """The lowest threshold with (errors + 1) / (n + 1) ≤ α, errors counted among the answered of all n items.

    Args:
        total: n, where some items are never answered; default: those in `groups`.

    Raises:
        ValueError: alpha out of range, or a total below the number of items.
    """
    require_probability("the risk α", alpha)
    n = int(groups.n) if total is None else total
    if n < groups.n:
        raise ValueError(f"{n} items in all, {int(groups.n)} of them with a confidence")
    wrong = groups.errors.cumsum()
    kept = np.flatnonzero(wrong + 1.0 <= alpha * (n + 1) + 1e-12)
    last = int(kept[-1]) if kept.size else -1
    return chosen(groups, last, None, groups.confidence.size)
