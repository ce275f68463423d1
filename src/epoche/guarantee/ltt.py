"""Learn then test: the largest coverage whose selective risk is at most α, with probability at least 1 − δ.

Angelopoulos et al. 2021, with exact binomial p-values and fixed-sequence testing: thresholds are tested from the
safest to the boldest, each at the whole level, until one fails. A chain that begins too high fails on one early
error, one that begins too low misses what is certain only at the top. So a few chains share δ, and a chain that
comes to where the next begins hands its share on (the fallback procedure of Wiens and Dmitrienko 2005).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epoche.guarantee.binomial import allowed, needed, require_probability
from epoche.guarantee.choice import Choice, chosen
from epoche.metrics.selective import Groups

CHAINS = 3
#: A chain looks at about so many thresholds if it runs from the first item to the last.
STEPS = 20


def fixed_sequence(groups: Groups, alpha: float, delta: float, chains: int = CHAINS) -> Choice:
    """The threshold with the largest coverage that testing in a fixed order allows.

    The order is by rank: it depends on how many items there are, on α and on δ, never on a label. Where the risk
    only rises as the threshold falls, the promise is exact; for the rest, `benchmarks/guarantees.py` simulates it.

    Args:
        groups: labelled items by confidence; ties are answered together or not at all.
        alpha: the risk to be promised, in (0, 1).
        delta: the probability that the promise fails, in (0, 1).
        chains: how many starting points share δ.

    Raises:
        ValueError: alpha, delta or chains out of range.
    """
    require_probability("the risk α", alpha)
    require_probability("the failure probability δ", delta)
    if chains < 1:
        raise ValueError(f"at least one chain is needed, not {chains}")
    n = int(groups.n)
    starts = starting_ranks(n, alpha, delta / chains, chains)
    if not starts:
        return chosen(groups, -1, delta, 0)
    answered = groups.items.cumsum().astype(np.int64)
    wrong = groups.errors.cumsum().astype(np.int64)
    places = [_place(answered, rank) for rank in ranks(n, starts)]
    share, last, level, tested = 0.0, -1, delta, 0
    reached = -1
    for i, start in enumerate(starts):
        own = delta / len(starts)
        # What the chain before has left, where it got so far.
        share = own + (share if i and reached >= _place(answered, start) else 0.0)
        most = allowed(n, alpha, share)
        for place in dict.fromkeys(p for p in places if p >= _place(answered, start)):
            tested += 1
            if wrong[place] > most[answered[place]]:
                break
            reached = place
            if place > last:
                last, level = place, share
    return chosen(groups, last, level, tested)


def starting_ranks(n: int, alpha: float, delta: float, chains: int) -> list[int]:
    """Ranks where chains begin, evenly on a logarithmic scale from the first that can pass; none if n is small."""
    first = needed(0, alpha, delta)
    if first > n:
        return [n] if needed(0, alpha, delta * chains) <= n else []
    steps = np.geomspace(first, n, chains + 1)[:chains]
    return sorted({round(float(s)) for s in steps})


def ranks(n: int, starts: list[int]) -> list[int]:
    """Every start, and from the last item up every (n / STEPS)-th rank."""
    step = max(1, n // STEPS)
    return sorted({*starts, *(r for r in range(n, 0, -step) if r >= starts[0])})


def _place(answered: NDArray[np.int64], rank: int) -> int:
    """Index of the first group with which at least `rank` items are answered."""
    return int(np.searchsorted(answered, rank))
