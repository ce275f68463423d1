"""Metrics of labels and probabilities: accuracy, F1, confusion, Brier, calibration error, reward."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from epoche.metrics.selective import Groups, group

FloatArray = NDArray[np.float64]


def confusion(gold: Sequence[str], predicted: Sequence[str], labels: Sequence[str]) -> NDArray[np.int64]:
    """int64[len(labels), len(labels)]: rows gold, columns predicted.

    Raises:
        ValueError: different lengths, or a label that is not among `labels`.
    """
    if len(gold) != len(predicted):
        raise ValueError(f"{len(gold)} gold labels and {len(predicted)} predictions")
    place = {label: i for i, label in enumerate(labels)}
    unknown = {*gold, *predicted} - place.keys()
    if unknown:
        raise ValueError(f"labels not among {', '.join(labels)}: {', '.join(sorted(unknown))}")
    cells = np.array([place[g] for g in gold], dtype=np.int64) * len(labels)
    cells = cells + np.array([place[p] for p in predicted], dtype=np.int64)
    counts = np.bincount(cells, minlength=len(labels) ** 2)
    return counts.reshape(len(labels), len(labels)).astype(np.int64)


@dataclass(frozen=True)
class ClassScore:
    """Precision, recall and F1 of one class. Undefined precision or recall is nan; F1 is then 0."""

    precision: float
    recall: float
    f1: float
    support: int


def per_class(matrix: ArrayLike, labels: Sequence[str]) -> dict[str, ClassScore]:
    """Scores of each class from a confusion matrix (rows gold, columns predicted)."""
    counts = np.asarray(matrix, dtype=np.float64)
    result = {}
    for i, label in enumerate(labels):
        hit, predicted, actual = counts[i, i], counts[:, i].sum(), counts[i].sum()
        result[label] = ClassScore(
            precision=float(hit / predicted) if predicted else float("nan"),
            recall=float(hit / actual) if actual else float("nan"),
            f1=float(2 * hit / (predicted + actual)) if predicted + actual else 0.0,
            support=int(actual),
        )
    return result


def accuracy(matrix: ArrayLike) -> FloatArray:
    """Share on the diagonal of confusion matrices [..., k, k]; nan where a matrix is empty."""
    counts = np.asarray(matrix, dtype=np.float64)
    total = counts.sum(axis=(-2, -1))
    return _ratio(np.trace(counts, axis1=-2, axis2=-1), total)


def macro_f1(matrix: ArrayLike) -> FloatArray:
    """Unweighted mean of F1 over the classes that occur in gold or predictions, for [..., k, k].

    F1 = 2·hits / (predicted + actual), 0 where a class is never hit. A class that occurs in neither is
    left out (scikit-learn's `f1_score(average="macro")` over the labels present does the same).
    """
    counts = np.asarray(matrix, dtype=np.float64)
    hits = np.diagonal(counts, axis1=-2, axis2=-1)
    mass = counts.sum(axis=-1) + counts.sum(axis=-2)
    f1 = np.nan_to_num(_ratio(2 * hits, mass))
    return _ratio(f1.sum(axis=-1), (mass > 0).sum(axis=-1).astype(np.float64))


def brier(probability: ArrayLike, correct: ArrayLike) -> float:
    """Mean squared difference of a confidence in [0, 1] and whether the answer is right (Brier 1950, binary)."""
    p, y = np.asarray(probability, dtype=np.float64), np.asarray(correct, dtype=np.float64)
    return float(np.mean((p - y) ** 2))


@dataclass(frozen=True)
class Bin:
    """One bin of a reliability curve."""

    low: float
    high: float
    items: int
    confidence: float
    accuracy: float


def reliability(probability: ArrayLike, correct: ArrayLike, bins: int = 15) -> list[Bin]:
    """Equal-mass bins: items sorted by confidence and cut into `bins` of nearly equal size; ties stay together."""
    return reliability_of(group(probability, 1.0 - np.asarray(correct, dtype=np.float64)), bins)


def reliability_of(groups: Groups, bins: int = 15) -> list[Bin]:
    """`reliability` of items that are grouped already."""
    p, items = groups.confidence[::-1], groups.items[::-1]
    right = items - groups.errors[::-1]
    ends = items.cumsum()
    cuts = np.unique(np.linspace(0, ends[-1], bins + 1).round())[1:]
    # A cut inside a run of equal confidences moves to the run's end.
    edges = np.unique(np.concatenate([[0], np.searchsorted(ends, cuts) + 1])).tolist()
    return [
        Bin(
            low=float(p[a]),
            high=float(p[b - 1]),
            items=int(items[a:b].sum()),
            confidence=float((p[a:b] * items[a:b]).sum() / items[a:b].sum()),
            accuracy=float(right[a:b].sum() / items[a:b].sum()),
        )
        for a, b in itertools.pairwise(edges)
    ]


def ece(probability: ArrayLike, correct: ArrayLike, bins: int = 15) -> float:
    """Expected calibration error over equal-mass bins: Σ (items / n) · |accuracy − mean confidence|."""
    return ece_of(reliability(probability, correct, bins))


def ece_of(found: Sequence[Bin]) -> float:
    """`ece` of bins that are there already."""
    n = sum(b.items for b in found)
    return float(sum(b.items * abs(b.accuracy - b.confidence) for b in found) / n)


def reward(right: float, wrong: float, n: float, cost: float) -> float:
    """Mean reward of right answers +1, abstentions 0 and wrong answers −cost, over all n items."""
    return (right - cost * wrong) / n


def _ratio(numerator: ArrayLike, denominator: ArrayLike) -> FloatArray:
    top, bottom = np.broadcast_arrays(np.asarray(numerator, np.float64), np.asarray(denominator, np.float64))
    result = np.full(top.shape, np.nan)
    np.divide(top, bottom, out=result, where=bottom > 0)
    return result
