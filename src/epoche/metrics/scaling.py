"""Confidence → probability of being right: a rising curve through what was counted."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import isotonic_regression

from epoche.metrics.logistic import fit, log_probabilities, standard

FloatArray = NDArray[np.float64]
ScaleMethod = Literal["isotonic", "logistic"]
#: Fewer items than this are too few for a curve without a shape of its own.
ENOUGH_FOR_ISOTONIC = 200
_RIDGE = 1.0


def isotonic(confidence: ArrayLike, right: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """The rising step function nearest to what was counted (Zadrozny and Elkan 2002), by its corners.

    Equal confidences are one point. Values stay 1 / (n + 2) away from 0 and 1: n items never show certainty.

    Returns:
        float64[m] ascending confidences, float64[m] ascending probabilities.

    Raises:
        ValueError: no item, or arrays of different lengths.
    """
    values, share, items = _counted(confidence, right)
    fitted = np.asarray(isotonic_regression(share, weights=items).x, dtype=np.float64)
    # Inner points of a step say nothing that its ends do not.
    corner = np.ones(len(values), dtype=bool)
    corner[1:-1] = (fitted[1:-1] != fitted[:-2]) | (fitted[1:-1] != fitted[2:])
    return values[corner], _uncertain(fitted[corner], items.sum())


def logistic(confidence: ArrayLike, right: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """P(right) = σ(a + b · confidence), b ≥ 0 and held back by a ridge (after Platt 1999), at each confidence.

    Returns and raises as `isotonic`.
    """
    values, share, items = _counted(confidence, right)
    x = np.repeat(values, items.astype(np.int64))[:, None]
    # Class 0 is "right", so that a larger confidence may only make it likelier.
    codes = np.concatenate(
        [np.repeat([0, 1], [round(n * s), n - round(n * s)]) for n, s in zip(items.astype(int), share, strict=True)]
    )
    centre, scale = standard(x)
    weights = fit((x - centre) / scale, codes, 2, _RIDGE, np.array([[1]]))
    fitted = np.exp(log_probabilities((values[:, None] - centre) / scale, weights)[:, 0])
    return values, _uncertain(fitted, items.sum())


def curve(confidence: ArrayLike, right: ArrayLike) -> tuple[ScaleMethod, FloatArray, FloatArray]:
    """`isotonic` where there are enough items, else `logistic`."""
    if np.size(confidence) >= ENOUGH_FOR_ISOTONIC:
        return "isotonic", *isotonic(confidence, right)
    return "logistic", *logistic(confidence, right)


def read_off(confidence: ArrayLike, corners: ArrayLike, probability: ArrayLike) -> FloatArray:
    """The curve at any confidence: linear between its corners, constant beyond them."""
    at = np.asarray(confidence, dtype=np.float64)
    found: FloatArray = np.interp(at, np.asarray(corners, np.float64), np.asarray(probability, np.float64))
    return found


def _counted(confidence: ArrayLike, right: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
    values, answers = np.asarray(confidence, dtype=np.float64), np.asarray(right, dtype=np.float64)
    if values.ndim != 1 or values.shape != answers.shape or values.size == 0:
        raise ValueError(
            f"{values.size} confidences and {answers.size} answers: one each is needed, and at least one"
        )
    distinct, place, items = np.unique(values, return_inverse=True, return_counts=True)
    share = np.bincount(place, weights=answers) / items
    return distinct, share, items.astype(np.float64)


def _uncertain(fitted: FloatArray, n: float) -> FloatArray:
    least = 1.0 / (n + 2.0)
    return np.clip(fitted, least, 1.0 - least)
