"""A calibrated posterior as confidence: P(the proposal is right), from other items with gold labels.

An ablation, not a policy: it shows what the ranking gains when the confidence is fitted to gold labels.
Ridge logistic regression; within one run five folds by a hash of the item id, so no item is scored by a
model that has seen it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from epoche.metrics.logistic import fit, log_probabilities, standard

FloatArray = NDArray[np.float64]
FOLDS = 5
#: Weight of the squared coefficients, the intercept left out; features are standardised.
RIDGE = 1.0


def fold_of(item_id: str) -> int:
    """Fold of an item; the same in every run and on every machine."""
    return hashlib.sha256(item_id.encode("utf-8")).digest()[0] % FOLDS


def features(supporting: bool, refuting: bool, support: float, contradiction: float) -> list[float]:
    """What a posterior may look at: which label is proposed, and the largest support and contradiction."""
    return [
        float(supporting),
        float(refuting),
        support,
        contradiction,
        support * supporting,
        contradiction * refuting,
        min(support, contradiction),
    ]


def cross_fitted(ids: Sequence[str], rows: FloatArray, right: NDArray[np.bool_]) -> FloatArray:
    """float64[n]: P(right), each item's from a model fitted on the other folds.

    Args:
        rows: float64[n, d].
        right: bool[n]: the proposal is the gold label.
    """
    folds = np.array([fold_of(i) for i in ids])
    result = np.full(len(ids), np.nan)
    for fold in range(FOLDS):
        inside, outside = folds == fold, folds != fold
        if inside.any():
            result[inside] = fitted_elsewhere(rows[outside], right[outside], rows[inside])
    return result


def fitted_elsewhere(known: FloatArray, right: NDArray[np.bool_], rows: FloatArray) -> FloatArray:
    """float64[n]: P(right) of `rows`, float64[n, d], from a model fitted on `known`, float64[m, d].

    Where the known items have one outcome only, its share with one item added of each kind.
    """
    if not len(known) or right.all() or not right.any():
        return np.full(len(rows), (right.sum() + 1) / (len(right) + 2))
    centre, scale = standard(known)
    weights = fit((known - centre) / scale, right.astype(np.int64), 2, RIDGE)
    result: FloatArray = np.exp(log_probabilities((rows - centre) / scale, weights))[:, 1]
    return result
