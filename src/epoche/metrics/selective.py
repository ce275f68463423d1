"""Risk–coverage metrics of a classifier that may abstain. Numbers in, numbers out.

One core: items are grouped by confidence, highest first, and every metric is a function of the
counts per group. Tied items enter together, so the order of rows never matters. Arrays of counts
may have leading axes (resamples); metrics keep them.

Definitions: selective risk and coverage (El-Yaniv and Wiener 2010; Geifman and El-Yaniv 2017, §2), AURC
and E-AURC (Geifman, Uziel and El-Yaniv 2019), AUGRC (Traub et al. 2024).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Groups:
    """Items by distinct confidence, highest first.

    Attributes:
        confidence: float64[g], strictly decreasing.
        items: float64[..., g], items in each group.
        errors: float64[..., g], how many of these are wrong.
    """

    confidence: FloatArray
    items: FloatArray
    errors: FloatArray

    @property
    def n(self) -> FloatArray:
        """float64[...], items in all."""
        total: FloatArray = self.items.sum(axis=-1)
        return total

    @property
    def wrong(self) -> FloatArray:
        """float64[...], errors in all."""
        total: FloatArray = self.errors.sum(axis=-1)
        return total


def validated(confidence: ArrayLike, error: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Both as float64[n].

    Raises:
        ValueError: no item, different lengths, a confidence that is not finite, an error not 0 or 1.
    """
    c = np.asarray(confidence, dtype=np.float64)
    e = np.asarray(error, dtype=np.float64)
    if c.ndim != 1 or c.shape != e.shape:
        raise ValueError(f"confidence and error must be vectors of one length, not {c.shape} and {e.shape}")
    if c.size == 0:
        raise ValueError("no item: a risk–coverage curve needs at least one")
    if not np.isfinite(c).all():
        raise ValueError(f"confidence {int(np.flatnonzero(~np.isfinite(c))[0])} is not a finite number")
    if not np.isin(e, (0.0, 1.0)).all():
        raise ValueError("errors are 0 (right) or 1 (wrong)")
    return c, e


def group(confidence: ArrayLike, error: ArrayLike) -> Groups:
    """Groups of tied items, highest confidence first. Raises as `validated`."""
    c, e = validated(confidence, error)
    values, inverse, counts = np.unique(c, return_inverse=True, return_counts=True)
    wrong = np.bincount(inverse, weights=e, minlength=values.size).astype(np.float64)
    return Groups(values[::-1], counts[::-1].astype(np.float64), wrong[::-1])


@dataclass(frozen=True)
class Curve:
    """The exact risk–coverage curve: one point per threshold that can be deployed (`conf >= threshold`).

    Attributes:
        threshold: float64[g], strictly decreasing.
        coverage: float64[..., g], share of items answered.
        risk: float64[..., g], error rate among the answered; nan where a resample answers none.
    """

    threshold: FloatArray
    coverage: FloatArray
    risk: FloatArray


def curve(groups: Groups) -> Curve:
    """Selective risk R(θ) = E[ℓ·1(κ ≥ θ)] / P(κ ≥ θ) at every distinct confidence θ."""
    answered = groups.items.cumsum(axis=-1)
    wrong = groups.errors.cumsum(axis=-1)
    return Curve(groups.confidence, answered / groups.n[..., None], _ratio(wrong, answered))


def aurc(groups: Groups) -> FloatArray:
    """Area under the risk–coverage curve: mean over items of the risk at that item's own confidence.

    AURC = (1/n) Σ_i R(κ_i) (Geifman et al. 2019). On confidences (.9, .9, .9, .7, .7, .5) with
    errors (0, 1, 0, 0, 1, 1): (3 · 1/3 + 2 · 2/5 + 1 · 3/6) / 6 = 0.38333.
    """
    risk = np.nan_to_num(curve(groups).risk)
    return _ratio((groups.items * risk).sum(axis=-1), groups.n)


def optimal_aurc(groups: Groups) -> FloatArray:
    """AURC of the ranking that puts every error last, in the exact discrete form.

    (1/n) Σ_{k=1..n} max(0, k − (n − w)) / k for w errors. The continuous form r + (1 − r) ln(1 − r) is
    smaller for small n and would make a perfect ranking look imperfect.
    """
    n, wrong = np.atleast_1d(groups.n).astype(int), np.atleast_1d(groups.wrong).astype(int)
    top = int(n.max(initial=1))
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, top + 1))])
    # Σ_{k=r+1..n} (k − r)/k = (n − r) − r (H_n − H_r), with r = n − w right answers.
    right = n - wrong
    total = wrong - right * (harmonic[n] - harmonic[right])
    return _ratio(total.astype(np.float64), n.astype(np.float64)).reshape(np.shape(groups.n))


def e_aurc(groups: Groups) -> FloatArray:
    """Excess AURC over the best ranking of the same errors; 0 is perfect, never negative."""
    return np.maximum(aurc(groups) - optimal_aurc(groups), 0.0)


def augrc(groups: Groups) -> FloatArray:
    """Area under the generalized risk P(wrong and answered) over coverage (Traub et al. 2024).

    Trapezoids between thresholds, from (0, 0), so that a tie counts as a random order of its items:
    AUGRC = (1 − AUROC_f) · acc · (1 − acc) + ½ (1 − acc)².
    """
    n = groups.n[..., None]
    coverage = groups.items / n
    after = groups.errors.cumsum(axis=-1) / n
    before = after - groups.errors / n
    area: FloatArray = (coverage * (after + before) / 2.0).sum(axis=-1)
    return area


def auroc_failure(groups: Groups) -> FloatArray:
    """P(a right answer has more confidence than a wrong one), ties ½; nan without both kinds."""
    right = groups.items - groups.errors
    right_above = right.cumsum(axis=-1) - right / 2.0
    return _ratio((groups.errors * right_above).sum(axis=-1), groups.wrong * right.sum(axis=-1))


@dataclass(frozen=True)
class Point:
    """One deployable threshold. `risk` is None where nothing is answered."""

    threshold: float | None
    coverage: float
    risk: float | None


def at_coverage(groups: Groups, coverage: float, total: float | None = None) -> Point:
    """The highest threshold whose coverage is at least the one asked for.

    Args:
        coverage: in (0, 1], of `total` items.
        total: all items, those without a confidence included (they are never answered); default: n.

    Ties may make a coverage unreachable: `Point.coverage` is the realised one. Where even answering
    everything reaches less, threshold and risk are None.
    """
    n = float(groups.n) if total is None else total
    answered = groups.items.cumsum()
    reached = np.flatnonzero(answered >= coverage * n - 1e-9)
    if reached.size == 0:
        return Point(None, float(answered[-1]) / n, None)
    i = int(reached[0])
    return Point(
        float(groups.confidence[i]), float(answered[i]) / n, float(groups.errors.cumsum()[i] / answered[i])
    )


def at_risk(groups: Groups, risk: float, total: float | None = None) -> Point:
    """The largest coverage whose selective risk is at most `risk`; coverage 0 and no risk if there is none."""
    n = float(groups.n) if total is None else total
    answered, wrong = groups.items.cumsum(), groups.errors.cumsum()
    kept = np.flatnonzero(wrong <= risk * answered + 1e-12)
    if kept.size == 0:
        return Point(None, 0.0, None)
    i = int(kept[-1])
    return Point(float(groups.confidence[i]), float(answered[i]) / n, float(wrong[i] / answered[i]))


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Numerator / denominator, nan where the denominator is 0: undefined is neither 0 nor 1."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    result = np.full(numerator.shape, np.nan)
    np.divide(numerator, denominator, out=result, where=denominator > 0)
    return result
