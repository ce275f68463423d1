"""Selection with guaranteed risk (Geifman and El-Yaniv 2017, Algorithm 1).

Binary search over k = ⌈log₂ n⌉ thresholds, each with an exact bound at δ / k. Not taken over from the authors'
code: error counts that are whole numbers only up to rounding, ties cut in two, one threshold more than δ is shared
among, a search for the bound that does not end where everything is wrong, and a last threshold that is returned
whether it passed or not.
"""

from __future__ import annotations

import math

import numpy as np

from epoche.guarantee.binomial import require_probability, upper_bound
from epoche.guarantee.choice import Choice, chosen
from epoche.metrics.selective import Groups


def guaranteed_risk(groups: Groups, alpha: float, delta: float) -> Choice:
    """The threshold with the largest coverage among those that the search met and that passed.

    Args:
        groups: labelled items by confidence; ties are answered together or not at all.
        alpha: the risk to be promised, in (0, 1).
        delta: the probability that the promise fails, in (0, 1).

    Raises:
        ValueError: alpha or delta out of range.
    """
    require_probability("the risk α", alpha)
    require_probability("the failure probability δ", delta)
    answered = groups.items.cumsum().astype(int)
    wrong = groups.errors.cumsum().astype(int)
    tries = max(1, math.ceil(math.log2(int(groups.n))))
    level = delta / tries
    low, high, last, tested = 0, int(groups.n), -1, 0
    for _ in range(tries):
        rank = -(-(low + high) // 2)
        place = int(np.searchsorted(answered, max(rank, 1)))
        tested += 1
        if upper_bound(int(wrong[place]), int(answered[place]), level) <= alpha:
            last = max(last, place)
            low = rank
        else:
            high = rank
    return chosen(groups, last, level, tested)
