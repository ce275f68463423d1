"""The lowest risk that labelled items can show at all, with the threshold that shows it.

A few thresholds are fixed before the labels are seen, each gets an exact upper bound at its share of δ, and all
bounds hold together (Bonferroni): the least of them is a promise, although it was chosen.
"""

from __future__ import annotations

import math

import numpy as np

from epoche.guarantee.binomial import require_probability, upper_bound
from epoche.guarantee.choice import Choice, chosen
from epoche.metrics.selective import Groups

#: How many thresholds share δ.
POINTS = 8
#: Fewer answered items are not looked at.
FEWEST = 20


def lowest_risk(groups: Groups, delta: float) -> tuple[float, Choice]:
    """The least upper bound, rounded up to a tenth of a per cent, and its threshold; 1 without one.

    Raises:
        ValueError: delta out of range.
    """
    require_probability("the failure probability δ", delta)
    n = int(groups.n)
    if n < FEWEST:
        return 1.0, chosen(groups, -1, None, 0)
    answered = groups.items.cumsum().astype(int)
    wrong = groups.errors.cumsum().astype(int)
    ranks = sorted({round(float(r)) for r in np.geomspace(FEWEST, n, POINTS)})
    level = delta / len(ranks)
    places = sorted({int(np.searchsorted(answered, rank)) for rank in ranks})
    bounds = [upper_bound(int(wrong[p]), int(answered[p]), level) for p in places]
    best = min(range(len(places)), key=lambda i: (bounds[i], -places[i]))
    alpha = math.ceil(bounds[best] * 1000 - 1e-9) / 1000
    if alpha >= 1.0:
        return 1.0, chosen(groups, -1, None, len(places))
    return alpha, chosen(groups, places[best], level, len(places))
