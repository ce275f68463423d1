from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epoche.metrics.scores import accuracy, brier, confusion, ece, macro_f1, per_class, reliability, reward

LABELS = ("a", "b", "c")
GOLD = ["a", "a", "a", "b", "b", "c"]
PREDICTED = ["a", "a", "b", "b", "a", "c"]


def test_by_hand() -> None:
    matrix = confusion(GOLD, PREDICTED, LABELS)
    assert matrix.tolist() == [[2, 1, 0], [1, 1, 0], [0, 0, 1]]
    assert accuracy(matrix) == pytest.approx(4 / 6)
    scores = per_class(matrix, LABELS)
    assert (scores["a"].precision, scores["a"].recall) == pytest.approx((2 / 3, 2 / 3))
    assert scores["b"].f1 == pytest.approx(0.5)
    assert scores["c"].support == 1
    assert macro_f1(matrix) == pytest.approx((2 / 3 + 1 / 2 + 1) / 3)


def test_a_class_that_occurs_nowhere_is_left_out_and_one_never_hit_counts_zero() -> None:
    assert macro_f1(confusion(["a", "a"], ["a", "a"], LABELS)) == 1.0
    # a: 2·1/(1+2) = 2/3; b is predicted once and never right: 0.
    assert macro_f1(confusion(["a", "a"], ["a", "b"], LABELS)) == pytest.approx((2 / 3 + 0) / 2)


def test_undefined_is_nan() -> None:
    scores = per_class(confusion(["a"], ["a"], LABELS), LABELS)
    assert math.isnan(scores["b"].precision)
    assert math.isnan(scores["b"].recall)
    assert np.isnan(accuracy(np.zeros((3, 3))))


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ValueError, match="not among"):
        confusion(["a"], ["d"], LABELS)
    with pytest.raises(ValueError, match="1 gold labels and 2"):
        confusion(["a"], ["a", "b"], LABELS)


def test_calibration_by_hand() -> None:
    # Two bins of two: (.6 mean .55+.65, one right of two) and (.9, both right).
    probability, correct = [0.55, 0.65, 0.9, 0.9], [1, 0, 1, 1]
    bins = reliability(probability, correct, bins=2)
    assert [(b.items, round(b.confidence, 3), b.accuracy) for b in bins] == [(2, 0.6, 0.5), (2, 0.9, 1.0)]
    assert ece(probability, correct, bins=2) == pytest.approx(0.5 * 0.1 + 0.5 * 0.1)
    assert brier(probability, correct) == pytest.approx((0.45**2 + 0.65**2 + 0.1**2 + 0.1**2) / 4)


def test_the_reward_of_abstention() -> None:
    # 10 items, 6 right, 1 wrong, 3 withheld, a mistake costs 2: (6 − 2) / 10.
    assert reward(6, 1, 10, 2.0) == pytest.approx(0.4)
    assert reward(7, 3, 10, 2.0) < reward(6, 1, 10, 2.0) < reward(9, 1, 10, 2.0)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 1)), min_size=1, max_size=60), st.integers(1, 20))
def test_bins_partition_the_items_and_ties_stay_together(rows: list[tuple[float, int]], bins: int) -> None:
    probability, correct = [p for p, _ in rows], [c for _, c in rows]
    found = reliability(probability, correct, bins)
    assert sum(b.items for b in found) == len(rows)
    assert all(a.high < b.low for a, b in itertools.pairwise(found))
    assert 0.0 <= ece(probability, correct, bins) <= 1.0


@given(st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=40))
def test_macro_f1_against_a_slow_oracle(rows: list[tuple[str, str]]) -> None:
    present = sorted({label for pair in rows for label in pair})
    f1 = []
    for label in present:
        hits = sum(g == p == label for g, p in rows)
        f1.append(2 * hits / sum((g == label) + (p == label) for g, p in rows))
    gold, predicted = [g for g, _ in rows], [p for _, p in rows]
    assert macro_f1(confusion(gold, predicted, LABELS)) == pytest.approx(sum(f1) / len(f1))
