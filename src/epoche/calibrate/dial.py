"""The cost dial: what a dearer false support does to the answers of a posterior, counted on labelled items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from epoche.bench.readings import Setup, Table, predictions_of
from epoche.bench.record import Run
from epoche.errors import OptionError
from epoche.policy import Policy
from epoche.types import SUPPORTING, Label

_BY_COST: dict[str, object] = {"tau": 0.0, "label_tau": {}, "promises": (), "abstain_on_cost": True}
RATIOS = (1.0, 2.0, 3.0, 5.0, 10.0)


@dataclass(frozen=True)
class Setting:
    """The answers at one cost of a false support.

    Attributes:
        least: P(supported) from which such an answer is cheaper than none: 1 − abstain / false support.
        answered, wrong, supported, false_support: how many of n items; the last two of answers supported or yes.
        cost: mean cost per item.
    """

    false_support: float
    least: float
    n: int
    answered: int
    wrong: int
    supported: int
    false_supports: int
    cost: float

    @property
    def false_support_rate(self) -> float | None:
        """Wrong among the answers supported or yes; None where there is none."""
        return self.false_supports / self.supported if self.supported else None


def settings(
    run: Run, policy: Policy, ratios: Sequence[float] = RATIOS, only: Sequence[str] | None = None
) -> list[Setting]:
    """The answers by expected cost alone (τ = 0) for each cost of a false support, the other costs as they are.

    Args:
        only: ids of the items to count; default: all.

    Raises:
        OptionError: the policy has no posterior, whose answers costs could move.
    """
    if policy.posterior is None:
        raise OptionError(
            f"policy {policy.name!r} has no posterior, so costs do not move its answers: calibrate one"
        )
    table = Table(run, Setup(policy))
    found = []
    for ratio in ratios:
        costs = policy.costs.model_copy(update={"false_support": float(ratio)})
        priced = policy.model_copy(update=_BY_COST | {"costs": costs})
        predictions = predictions_of(run, table.read(Setup(priced)))
        if only is not None:
            predictions = predictions.subset(np.isin(predictions.ids, list(only)))
        answered, wrong = predictions.answered, predictions.error > 0
        supported = answered & predictions.predicts(SUPPORTING)
        price = np.array([priced.cost_of(Label(name)) for name in predictions.labels])
        paid = np.where(answered, wrong * price[predictions.predicted], costs.abstain)
        found.append(
            Setting(
                false_support=float(ratio),
                least=round(max(0.0, 1.0 - costs.abstain / ratio), 6) if ratio else 0.0,
                n=predictions.n,
                answered=int(answered.sum()),
                wrong=int((answered & wrong).sum()),
                supported=int(supported.sum()),
                false_supports=int((supported & wrong).sum()),
                cost=round(float(paid.mean()), 6),
            )
        )
    return found
