"""Confidence → probability of being right."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epoche.metrics.scaling import ENOUGH_FOR_ISOTONIC, curve, isotonic, logistic, read_off
from epoche.metrics.scores import ece

items = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), st.booleans()), min_size=1, max_size=60
)


def test_isotonic_by_hand() -> None:
    # Shares by confidence: 0.1 → 0/1, 0.2 → 1/1, 0.3 → 0/1, 0.4 → 1/1, 0.4 → 1/1. The fall from 0.2 to 0.3 is
    # levelled to 1/2; the ends 0 and 1 are kept 1/7 away from certainty.
    corners, probability = isotonic([0.1, 0.2, 0.3, 0.4, 0.4], [0, 1, 0, 1, 1])
    assert corners.tolist() == [0.1, 0.2, 0.3, 0.4]
    assert probability == pytest.approx([1 / 7, 1 / 2, 1 / 2, 6 / 7])
    assert read_off([0.0, 0.15, 0.25, 9.0], corners, probability) == pytest.approx(
        [1 / 7, (1 / 7 + 1 / 2) / 2, 1 / 2, 6 / 7]
    )


def test_agrees_with_scipy_on_every_single_item() -> None:
    from scipy.optimize import isotonic_regression

    generator = np.random.default_rng(5)
    confidence = np.sort(generator.random(300))
    right = generator.random(300) < confidence
    corners, probability = isotonic(confidence, right)
    expected = np.clip(isotonic_regression(right.astype(float)).x, 1 / 302, 301 / 302)
    assert read_off(confidence, corners, probability) == pytest.approx(expected)


@given(items)
@pytest.mark.parametrize("method", [isotonic, logistic])
def test_rises_and_is_never_certain(method: object, rows: list[tuple[float, bool]]) -> None:
    assert callable(method)
    corners, probability = method([c for c, _ in rows], [r for _, r in rows])
    assert np.all(np.diff(corners) > 0)
    assert np.all(np.diff(probability) >= -1e-12)
    assert probability.min() >= 1 / (len(rows) + 2) - 1e-12
    assert probability.max() <= 1 - 1 / (len(rows) + 2) + 1e-12


@given(items)
def test_isotonic_keeps_the_mean(rows: list[tuple[float, bool]]) -> None:
    confidence, right = [c for c, _ in rows], [r for _, r in rows]
    corners, probability = isotonic(confidence, right)
    # A least-squares fit has the mean of what it was fitted on; the clip moves each value by 1 / (n + 2) at most.
    assert read_off(confidence, corners, probability).mean() == pytest.approx(np.mean(right), abs=1 / len(rows))


def test_what_is_too_sure_is_calibrated_on_other_items() -> None:
    generator = np.random.default_rng(3)
    confidence = generator.random(2000)
    right = generator.random(2000) < 0.3 + 0.4 * confidence
    for n, method in ((ENOUGH_FOR_ISOTONIC - 1, "logistic"), (1000, "isotonic")):
        found, corners, probability = curve(confidence[:n], right[:n])
        scaled = read_off(confidence[1000:], corners, probability)
        assert found == method
        assert ece(scaled, right[1000:]) < 0.07 < ece(confidence[1000:], right[1000:])


def test_nothing_to_fit() -> None:
    for method in (isotonic, logistic):
        with pytest.raises(ValueError, match="at least one"):
            method([], [])
        with pytest.raises(ValueError, match="one each"):
            method([0.5, 0.6], [1])
