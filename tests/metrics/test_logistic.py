"""Multinomial logistic regression: by hand, by its gradient, against cross-validation's purpose."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epoche.metrics.logistic import cross_validated_loss, fit, log_probabilities, standard


def test_without_a_feature_the_probabilities_are_the_shares_by_hand() -> None:
    # 3, 2 and 1 of 6 items, a feature that is always 0: P = 3/6, 2/6, 1/6.
    weights = fit(np.zeros((6, 1)), np.array([0, 0, 0, 1, 1, 2]), 3, ridge=1.0)
    shares = np.exp(log_probabilities(np.zeros((1, 1)), weights))[0]
    assert shares == pytest.approx([3 / 6, 2 / 6, 1 / 6], abs=1e-3)
    assert weights[:, 1] == pytest.approx([0, 0, 0], abs=1e-6)


def test_the_penalised_gradient_vanishes_at_the_fit() -> None:
    generator = np.random.default_rng(3)
    rows, codes = generator.normal(size=(80, 3)), generator.integers(3, size=80)
    weights = fit(rows, codes, 3, ridge=2.0)
    residual = np.exp(log_probabilities(rows, weights)) - np.eye(3)[codes]
    gradient = residual.T @ rows + 2.0 * weights[:, 1:]
    assert np.abs(gradient).max() < 1e-2


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), ridge=st.sampled_from([0.5, 3.0, 50.0]))
def test_probabilities_sum_to_one_and_a_larger_ridge_gives_smaller_weights(seed: int, ridge: float) -> None:
    generator = np.random.default_rng(seed)
    rows, codes = generator.normal(size=(30, 2)), generator.integers(3, size=30)
    small, large = fit(rows, codes, 3, ridge), fit(rows, codes, 3, ridge * 10)
    assert np.exp(log_probabilities(rows, small)).sum(axis=1) == pytest.approx(np.ones(30))
    assert (large[:, 1:] ** 2).sum() <= (small[:, 1:] ** 2).sum() + 1e-6


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_signs_are_kept_and_cost_loss(seed: int) -> None:
    generator = np.random.default_rng(seed)
    rows, codes = generator.normal(size=(40, 2)), generator.integers(3, size=40)
    signs = np.array([[1, -1], [-1, -1]])
    weights = fit(rows, codes, 3, 1.0, signs)
    assert (weights[:2, 1:] * signs >= 0).all()
    assert np.abs(weights[0, 1:]) == pytest.approx(np.abs(weights[1, 1:])), "one amount for both"
    assert (weights[2] == 0).all(), "the class that the others are told from"
    free = fit(rows, codes, 3, 1e-6)
    picked = np.arange(40), codes
    loss = -log_probabilities(rows, weights)[picked].sum()
    assert loss >= -log_probabilities(rows, free)[picked].sum() - 1e-3


def test_standard_leaves_a_constant_column_as_it_is() -> None:
    centre, scale = standard(np.array([[1.0, 5.0], [3.0, 5.0]]))
    assert centre.tolist() == [2.0, 5.0]
    assert scale.tolist() == [1.0, 1.0]


def test_cross_validation_prefers_the_ridge_that_generalises() -> None:
    generator = np.random.default_rng(5)
    noise, codes = generator.normal(size=(60, 20)), generator.integers(2, size=60)
    folds = np.arange(60) % 5
    loose, tight = (cross_validated_loss(noise, codes, 2, ridge, folds) for ridge in (0.01, 100.0))
    assert tight < loose, "twenty features of noise are best not believed"


def test_what_cannot_be_fitted_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one row"):
        fit(np.zeros((0, 2)), np.zeros(0, dtype=np.int64), 2, 1.0)
    with pytest.raises(ValueError, match="codes are 0 to 1"):
        fit(np.zeros((2, 1)), np.array([0, 2]), 2, 1.0)
    with pytest.raises(ValueError, match="two folds"):
        cross_validated_loss(np.zeros((2, 1)), np.array([0, 1]), 2, 1.0, np.zeros(2, dtype=np.int64))
