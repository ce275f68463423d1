"""A calibrated posterior as confidence: P(the proposal is right), fitted on the other folds of the same run.

An ablation, not a policy: it shows what the ranking gains when the confidence is fitted to gold labels.
Ridge logistic regression per run, five folds by a hash of the item id, so no item is scored by a model
that has seen it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
FOLDS = 5
#: Weight of the squared coefficients, the intercept left out; features are standardised.
RIDGE = 1.0
_STEPS = 50


def fold_of(item_id: str) -> int:
    """Fold of an item; the same in every run and on every machine."""
    return hashlib.sha256(item_id.encode("utf-8")).digest()[0] % FOLDS


def cross_fitted(ids: Sequence[str], features: FloatArray, right: NDArray[np.bool_]) -> FloatArray:
    """float64[n]: P(right), each item's from a model fitted on the other folds.

    Args:
        features: float64[n, d].
        right: bool[n]: the proposal is the gold label.

    Where the other folds hold one outcome only, its share with one item added of each kind.
    """
    folds = np.array([fold_of(i) for i in ids])
    result = np.full(len(ids), np.nan)
    for fold in range(FOLDS):
        inside, outside = folds == fold, folds != fold
        if not inside.any():
            continue
        if not outside.any() or right[outside].all() or not right[outside].any():
            result[inside] = (right[outside].sum() + 1) / (outside.sum() + 2)
            continue
        centre, scale = features[outside].mean(axis=0), features[outside].std(axis=0)
        scaled = (features - centre) / np.where(scale > 0, scale, 1.0)
        weights = fit_logistic(scaled[outside], right[outside])
        result[inside] = probability(scaled[inside], weights)
    return result


def fit_logistic(features: FloatArray, right: NDArray[np.bool_]) -> FloatArray:
    """float64[d + 1], intercept first: the minimum of the ridge-penalised log loss, by Newton's method."""
    design = np.column_stack([np.ones(len(features)), features])
    penalty = np.diag([0.0] + [RIDGE] * features.shape[1])
    weights = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        p = 1.0 / (1.0 + np.exp(-design @ weights))
        gradient = design.T @ (p - right) + penalty @ weights
        hessian = (design * (p * (1 - p) + 1e-12)[:, None]).T @ design + penalty
        step = np.linalg.solve(hessian, gradient)
        weights = weights - step
        if float(np.abs(step).max()) < 1e-10:
            break
    fitted: FloatArray = weights
    return fitted


def probability(features: FloatArray, weights: FloatArray) -> FloatArray:
    """float64[n]: P(right)."""
    result: FloatArray = 1.0 / (1.0 + np.exp(-(weights[0] + features @ weights[1:])))
    return result
