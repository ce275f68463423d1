"""The fitted confidence of the ablations."""

from __future__ import annotations

import numpy as np
import pytest

from epoche.bench.posterior import FOLDS, cross_fitted, fitted_elsewhere, fold_of


def test_an_item_never_meets_a_model_that_saw_it() -> None:
    ids = [str(i) for i in range(80)]
    generator = np.random.default_rng(5)
    features = generator.normal(size=(80, 2))
    right = generator.random(80) < 0.5
    before = cross_fitted(ids, features, right)
    flipped = right.copy()
    flipped[7] = not flipped[7]
    after = cross_fitted(ids, features, flipped)
    own = np.array([fold_of(i) == fold_of("7") for i in ids])
    assert before[own] == pytest.approx(after[own], abs=1e-12)
    assert not np.allclose(before[~own], after[~own])


def test_a_feature_that_tells_right_from_wrong_is_used() -> None:
    ids = [str(i) for i in range(100)]
    right = np.arange(100) % 2 == 0
    fitted = cross_fitted(ids, right[:, None].astype(float), right)
    assert fitted[right].min() > 0.9
    assert fitted[~right].max() < 0.1


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_one_outcome_only(share: float) -> None:
    ids = [str(i) for i in range(20)]
    fitted = cross_fitted(ids, np.ones((20, 1)), np.full(20, share == 1.0))
    assert ((fitted > 0.5) == (share == 1.0)).all()
    assert ((fitted > 0) & (fitted < 1)).all()
    assert len({fold_of(i) for i in ids}) <= FOLDS


def test_one_item() -> None:
    assert cross_fitted(["a"], np.ones((1, 1)), np.array([True])) == pytest.approx([0.5])


def test_other_items_are_scored_on_the_scale_of_the_known_ones() -> None:
    known, right = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([False, False, True, True])
    fitted = fitted_elsewhere(known, right, np.array([[0.0], [1.5], [3.0]]))
    assert fitted[1] == pytest.approx(0.5), "halfway between the two kinds"
    assert fitted[0] == pytest.approx(1 - fitted[2]), "as far on either side"
    assert fitted[2] > 0.5
    alone = fitted_elsewhere(known, right, np.array([[3.0]]))
    assert alone == pytest.approx(fitted[2:]), "the scale is that of the known items alone"
