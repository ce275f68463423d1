"""A threshold that some method chose on labelled items, and what was counted above it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epoche.metrics.selective import Groups

#: Confidences of our own have so many decimals.
DECIMALS = 6


@dataclass(frozen=True)
class Choice:
    """What a method found.

    Attributes:
        threshold: answer where the confidence is at least this; None where nothing can be promised.
        items: labelled items in all.
        answered: those at or above the threshold.
        errors: the wrong ones of these.
        level: the failure probability that this threshold itself was tested at; None where nothing was found.
        tested: how many thresholds were looked at.
    """

    threshold: float | None
    items: int
    answered: int
    errors: int
    level: float | None
    tested: int


def threshold_above(groups: Groups, last: int) -> float:
    """The threshold that answers the groups up to `last` and whatever lies above the next confidence.

    Given the confidence of the next item, the items above it are independent draws from everything above it.
    That makes the count exact for "more than the next confidence", not for "as much as the last answered one".
    """
    if last + 1 == groups.confidence.size:
        return min(0.0, float(groups.confidence[-1]))
    below, above = float(groups.confidence[last + 1]), float(groups.confidence[last])
    coarse = round(below + 10.0**-DECIMALS, DECIMALS)
    if bool((np.round(groups.confidence, DECIMALS) == groups.confidence).all()) and below < coarse <= above:
        return coarse
    return float(np.nextafter(below, above))


def chosen(groups: Groups, last: int, level: float | None, tested: int) -> Choice:
    """The choice to answer the groups up to `last`; nothing where that is −1."""
    items = int(groups.n)
    if last < 0:
        return Choice(None, items, 0, 0, None, tested)
    answered, errors = int(groups.items[: last + 1].sum()), int(groups.errors[: last + 1].sum())
    return Choice(threshold_above(groups, last), items, answered, errors, level, tested)
