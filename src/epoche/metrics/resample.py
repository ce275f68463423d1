"""Intervals and comparisons by resampling: bootstrap, paired differences, a permutation band.

Percentile bootstrap (Efron 1979) over items. Everything is seeded: same input, same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from epoche.metrics.selective import Groups, group

FloatArray = NDArray[np.float64]
RESAMPLES = 2000
SEED = 20260214
#: Above this many distinct confidences a resample is drawn over quantile bins of them (see `bootstrap`).
MAX_CELLS = 4000


@dataclass(frozen=True)
class Interval:
    """A value with its percentile interval; `level` is the share of resamples inside."""

    value: float
    low: float
    high: float
    level: float = 0.95


def interval(value: float, draws: ArrayLike, level: float = 0.95) -> Interval:
    """Percentile interval of the draws that are defined; nan bounds where none is."""
    values = np.asarray(draws, dtype=np.float64)
    values = values[np.isfinite(values)]
    if values.size == 0:
        return Interval(value, float("nan"), float("nan"), level)
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(value, float(low), float(high), level)


def wilson(count: float, total: float, level: float = 0.95) -> tuple[float, float]:
    """Score interval of a share (Wilson 1927). Unlike a bootstrap it is not [0, 0] where nothing was wrong.

    Raises:
        ValueError: no item.
    """
    if total <= 0:
        raise ValueError("a share needs at least one item")
    z = NormalDist().inv_cdf((1 + level) / 2)
    share, weight = count / total, 1 + z * z / total
    centre = (share + z * z / (2 * total)) / weight
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / weight
    return max(0.0, centre - half), min(1.0, centre + half)


def mean_interval(values: ArrayLike, level: float = 0.95) -> Interval:
    """Normal interval of a mean of items in [0, 1]; nan bounds for a single item."""
    x = np.asarray(values, dtype=np.float64)
    mean = float(x.mean())
    half = (
        NormalDist().inv_cdf((1 + level) / 2) * float(x.std(ddof=1)) / math.sqrt(x.size) if x.size > 1 else math.nan
    )
    return Interval(mean, float(np.maximum(0.0, mean - half)), float(np.minimum(1.0, mean + half)), level)


def resampled(groups: Groups, resamples: int = RESAMPLES, seed: int = SEED) -> Groups:
    """`resamples` bootstrap samples of the items as counts: items and errors float64[resamples, g].

    A sample of n items with replacement is a multinomial draw over the cells (group, right or wrong).
    """
    generator = np.random.default_rng(seed)
    cells = np.stack([groups.items - groups.errors, groups.errors], axis=-1)
    n = int(groups.n)
    draws = generator.multinomial(n, cells.ravel() / n, size=resamples).astype(np.float64)
    draws = draws.reshape(resamples, *cells.shape)
    return Groups(groups.confidence, draws.sum(axis=-1), draws[..., 1])


def coarse(groups: Groups, cells: int = MAX_CELLS) -> Groups:
    """At most `cells` groups: neighbours in confidence merged to nearly equal numbers of items.

    Only for the width of an interval: with 4,000 bins a curve metric moves by well under 1/1000.
    """
    if groups.confidence.size <= cells:
        return groups
    position = np.minimum((groups.items.cumsum() - groups.items) * cells // groups.n, cells - 1).astype(int)
    starts = np.flatnonzero(np.diff(position, prepend=-1))
    return Groups(
        groups.confidence[starts],
        np.add.reduceat(groups.items, starts),
        np.add.reduceat(groups.errors, starts),
    )


def bootstrap(
    metric: Callable[[Groups], FloatArray],
    groups: Groups,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    level: float = 0.95,
) -> Interval:
    """Percentile interval of a metric of the risk–coverage curve."""
    draws = metric(resampled(coarse(groups), resamples, seed))
    return interval(float(metric(groups)), draws, level)


def bootstrap_counts(
    metric: Callable[[FloatArray], FloatArray],
    counts: ArrayLike,
    *,
    stratified: bool = False,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    level: float = 0.95,
) -> Interval:
    """Percentile interval of a metric of a table of counts, such as a confusion matrix.

    Args:
        metric: of float64[..., rows, columns].
        stratified: keep each row's total (the gold labels) as it is.
    """
    table = np.asarray(counts, dtype=np.float64)
    generator = np.random.default_rng(seed)
    if stratified:
        rows = [
            generator.multinomial(int(row.sum()), row / row.sum(), size=resamples)
            if row.sum()
            else np.zeros((resamples, row.size))
            for row in table
        ]
        draws = np.stack(rows, axis=1).astype(np.float64)
    else:
        n = int(table.sum())
        draws = generator.multinomial(n, table.ravel() / n, size=resamples).astype(np.float64)
        draws = draws.reshape(resamples, *table.shape)
    return interval(float(metric(table)), metric(draws), level)


def paired_difference(
    metric: Callable[[Groups], FloatArray],
    first: tuple[ArrayLike, ArrayLike],
    second: tuple[ArrayLike, ArrayLike],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    level: float = 0.95,
) -> Interval:
    """metric(first) − metric(second) for two (confidence, error) of the same items, resampled together.

    Raises:
        ValueError: different numbers of items, or input that `selective.validated` refuses.
    """
    a, b = group(*first), group(*second)
    if a.n != b.n:
        raise ValueError(f"a paired comparison needs the same items: {int(a.n)} and {int(b.n)}")
    n = int(a.n)
    generator = np.random.default_rng(seed)
    places = [_place(groups, confidence) for groups, (confidence, _) in ((a, first), (b, second))]
    errors = [np.asarray(error, dtype=np.float64) for _, error in (first, second)]
    draws = np.empty(resamples)
    for r in range(resamples):
        weight = np.bincount(generator.integers(0, n, n), minlength=n).astype(np.float64)
        values = [
            float(metric(_weighted(groups, place, error, weight)))
            for groups, place, error in zip((a, b), places, errors, strict=True)
        ]
        draws[r] = values[0] - values[1]
    return interval(float(metric(a)) - float(metric(b)), draws, level)


def permutation_band(
    metric: Callable[[Groups], FloatArray],
    groups: Groups,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    level: float = 0.95,
) -> Interval:
    """Where the metric lies when the confidence says nothing: errors dealt out at random over the items.

    A value inside the band ranks no better than chance. `value` is the metric as observed.
    """
    merged = coarse(groups)
    generator = np.random.default_rng(seed)
    sizes = merged.items.astype(np.int64)
    wrong = generator.multivariate_hypergeometric(
        sizes, int(merged.wrong), size=resamples, method="marginals"
    ).astype(np.float64)
    items = np.broadcast_to(merged.items, wrong.shape)
    return interval(float(metric(groups)), metric(Groups(merged.confidence, items, wrong)), level)


def _place(groups: Groups, confidence: ArrayLike) -> NDArray[np.int64]:
    ascending = groups.confidence[::-1]
    found = np.searchsorted(ascending, np.asarray(confidence, dtype=np.float64))
    return (groups.confidence.size - 1 - found).astype(np.int64)


def _weighted(groups: Groups, place: NDArray[np.int64], error: FloatArray, weight: FloatArray) -> Groups:
    size = groups.confidence.size
    return Groups(
        groups.confidence,
        np.bincount(place, weights=weight, minlength=size).astype(np.float64),
        np.bincount(place, weights=weight * error, minlength=size).astype(np.float64),
    )
