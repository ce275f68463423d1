"""The lowest risk that items show: by hand, and as a promise over many draws."""

from __future__ import annotations

import numpy as np
import pytest

from epoche.guarantee.binomial import upper_bound
from epoche.guarantee.lowest import FEWEST, POINTS, lowest_risk
from epoche.metrics.selective import group


def test_all_right_gives_the_bound_of_all_items_by_hand() -> None:
    # 200 right answers, eight thresholds: 1 − (0.05/8)^(1/200) = 0.0251, rounded up to 2.6 %.
    alpha, choice = lowest_risk(group(np.linspace(0, 1, 200), np.zeros(200)), 0.05)
    assert upper_bound(0, 200, 0.05 / POINTS) == pytest.approx(1 - (0.05 / 8) ** (1 / 200))
    assert alpha == 0.026
    assert (choice.answered, choice.errors) == (200, 0)


def test_nothing_is_shown_by_a_few_items_or_by_wrong_ones() -> None:
    few = lowest_risk(group(np.linspace(0, 1, FEWEST - 1), np.zeros(FEWEST - 1)), 0.05)
    wrong = lowest_risk(group(np.linspace(0, 1, 50), np.ones(50)), 0.05)
    assert few[0] == wrong[0] == 1.0
    assert few[1].threshold is None
    assert wrong[1].threshold is None


def test_a_constant_confidence_is_one_threshold() -> None:
    alpha, choice = lowest_risk(group(np.full(100, 0.5), np.zeros(100)), 0.05)
    assert choice.answered == 100
    assert 0.0 < alpha < 0.06


def test_it_is_broken_in_at_most_delta_of_many_draws() -> None:
    # P(wrong) falls from 0.6 to 0 with the confidence u: the risk above t is 0.3 (1 − t) at confidence ≥ t.
    generator = np.random.default_rng(11)
    broken, draws = 0, 600
    for _ in range(draws):
        u = generator.random(150)
        alpha, choice = lowest_risk(group(u, (generator.random(150) < 0.6 * (1 - u)).astype(float)), 0.1)
        if choice.threshold is not None:
            broken += 0.3 * (1 - choice.threshold) > alpha
    assert broken / draws <= 0.1
