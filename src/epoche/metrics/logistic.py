"""Multinomial logistic regression with a ridge penalty: the smallest model that gives probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax

FloatArray = NDArray[np.float64]
#: So that classes that can be told apart do not send the intercepts to infinity.
_INTERCEPT_RIDGE = 1e-3


def standard(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation of each column, float64[d] each; 1 for a column that is constant."""
    spread = rows.std(axis=0)
    return rows.mean(axis=0), np.where(spread > 1e-9, spread, 1.0)


def fit(
    rows: FloatArray,
    codes: NDArray[np.int64],
    classes: int,
    ridge: float,
    signs: NDArray[np.int64] | None = None,
) -> FloatArray:
    """float64[classes, d + 1], the intercept first: the minimum of the penalised log loss.

    Args:
        rows: float64[n, d], standardised.
        codes: int64[n], the class of each row.
        ridge: weight of half the squared coefficients.
        signs: int64[classes − 1, d] of −1, 0 and 1. Each feature then has one coefficient w ≥ 0, which class k
            gets as sign · w; the last class, which the others are told from, gets none.

    Raises:
        ValueError: no row, or a code that is no class.
    """
    n, d = rows.shape
    if n == 0 or codes.shape != (n,):
        raise ValueError(f"{n} rows and {codes.size} codes: one code per row is needed, and at least one row")
    if codes.min() < 0 or codes.max() >= classes:
        raise ValueError(f"codes are 0 to {classes - 1}, not {codes.min()} to {codes.max()}")
    wanted = np.eye(classes)[codes]
    mixing, penalty, bounds = _parameters(classes, d, ridge, signs)

    def loss(free: FloatArray) -> tuple[float, FloatArray]:
        weights = (mixing @ free).reshape(classes, d + 1)
        logs = log_probabilities(rows, weights)
        residual = np.exp(logs) - wanted
        gradient = np.concatenate([residual.sum(axis=0)[:, None], residual.T @ rows], axis=1)
        value = -(wanted * logs).sum() + 0.5 * (penalty * free**2).sum()
        return float(value), mixing.T @ gradient.ravel() + penalty * free

    start = np.zeros(mixing.shape[1])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 2000})
    weights: FloatArray = (mixing @ found.x).reshape(classes, d + 1)
    return weights


def _parameters(
    classes: int, d: int, ridge: float, signs: NDArray[np.int64] | None
) -> tuple[FloatArray, FloatArray, list[tuple[float | None, float | None]]]:
    """How the weights (classes · (d + 1), by class) follow from what is free, its penalties and its bounds."""
    size = d + 1
    if signs is None:
        penalty = np.tile(np.concatenate([[_INTERCEPT_RIDGE], np.full(d, ridge)]), classes)
        return np.eye(classes * size), penalty, [(None, None)] * (classes * size)
    told = classes - 1
    mixing = np.zeros((classes * size, told + d))
    for k in range(told):
        mixing[k * size, k] = 1.0
        mixing[k * size + 1 + np.arange(d), told + np.arange(d)] = signs[k]
    penalty = np.concatenate([np.full(told, _INTERCEPT_RIDGE), np.full(d, ridge)])
    return mixing, penalty, [(None, None)] * told + [(0.0, None)] * d


def log_probabilities(rows: FloatArray, weights: FloatArray) -> FloatArray:
    """float64[n, classes] of ln P(class)."""
    result: FloatArray = log_softmax(weights[:, 0] + rows @ weights[:, 1:].T, axis=1)
    return result


def cross_validated_loss(
    rows: FloatArray,
    codes: NDArray[np.int64],
    classes: int,
    ridge: float,
    folds: NDArray[np.int64],
    signs: NDArray[np.int64] | None = None,
) -> float:
    """Mean −ln P(gold class) of every row, from a model fitted on the other folds.

    Args:
        folds: int64[n]; at least two different values.
        signs: as in `fit`.

    Raises:
        ValueError: as `fit`, or one fold only.
    """
    if np.unique(folds).size < 2:
        raise ValueError("cross-validation needs at least two folds")
    losses = []
    for fold in np.unique(folds):
        inside = folds == fold
        centre, scale = standard(rows[~inside])
        weights = fit((rows[~inside] - centre) / scale, codes[~inside], classes, ridge, signs)
        logs = log_probabilities((rows[inside] - centre) / scale, weights)
        losses.append(-logs[np.arange(len(logs)), codes[inside]])
    return float(np.concatenate(losses).mean())
