"""nDCG and recall, by hand and against scikit-learn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epoche.metrics.ranking import ndcg, recall


def test_by_hand() -> None:
    # Relevant a and b; found at ranks 1 and 3 of (a, x, b): DCG = 1 + 1/log2(4) = 1.5; ideal 1 + 1/log2(3).
    assert ndcg(["a", "x", "b"], {"a", "b"}, 10) == pytest.approx(1.5 / (1 + 1 / math.log2(3)))
    assert ndcg(["a", "x", "b"], {"a", "b"}, 1) == 1.0
    assert ndcg(["x"], {"a"}, 10) == 0.0
    assert ndcg([], {"a"}, 10) == 0.0
    assert recall(["a", "x", "b"], {"a", "b"}, 2) == 0.5


def test_agrees_with_scikit_learn() -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    generator = np.random.default_rng(1)
    for _ in range(50):
        order = [str(i) for i in generator.permutation(20)]
        relevant = {str(i) for i in generator.choice(20, size=4, replace=False)}
        truth = [[float(str(i) in relevant) for i in range(20)]]
        scores = [[float(20 - order.index(str(i))) for i in range(20)]]
        assert ndcg(order, relevant, 10) == pytest.approx(sklearn.ndcg_score(truth, scores, k=10))


@given(
    st.permutations([str(i) for i in range(12)]), st.sets(st.sampled_from([str(i) for i in range(12)]), min_size=1)
)
def test_between_zero_and_one_and_never_falling_with_k(order: list[str], relevant: set[str]) -> None:
    recalls = [recall(order, relevant, k) for k in range(1, 13)]
    assert recalls == sorted(recalls)
    assert recalls[-1] == 1.0
    assert 0.0 <= ndcg(order, relevant, 5) <= 1.0


@pytest.mark.parametrize(
    ("ranked", "relevant", "k"), [(["a"], set(), 1), (["a"], {"a"}, 0), (["a", "a"], {"a"}, 1)]
)
def test_what_means_nothing_is_refused(ranked: list[str], relevant: set[str], k: int) -> None:
    for metric in (ndcg, recall):
        with pytest.raises(ValueError, match=r"needed|twice"):
            metric(ranked, relevant, k)
