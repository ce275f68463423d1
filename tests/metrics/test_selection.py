"""Case 34: τ chosen and reported on the same items is optimistic, and the figures say which they are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epoche.metrics.selection import held_out
from epoche.metrics.selective import at_risk, group


def test_by_hand() -> None:
    # Four items of one confidence, two wrong: a half has 0, 1 or 2 errors of 2 (1/6, 4/6, 1/6). For a target of
    # 0.5 a half with at most one error answers everything, and then the other half has 2 − (its own) errors of 2.
    # Chosen with 0 errors (1/6): the other has risk 1, above. With 1 (4/6): 1/2, not above. With 2: no answer.
    found = held_out(group([0.5] * 4, [0, 0, 1, 1]), 0.5, repeats=20_000)
    assert found.coverage == pytest.approx(5 / 6, abs=0.01)
    assert found.share_above == pytest.approx(1 / 6, abs=0.01)
    # Wrong among answered: (1/6 · 2 + 4/6 · 1) / (5/6 · 2) = 1 / (5/3) = 0.6.
    assert found.risk == pytest.approx(0.6, abs=0.01)


def test_case_34_choosing_on_the_reported_items_is_optimistic() -> None:
    # A confidence that says nothing, 30 % wrong: no threshold can do better than 30 % on new items.
    generator = np.random.default_rng(1)
    groups = group(generator.random(200), generator.random(200) < 0.3)
    same = at_risk(groups, 0.2)
    assert same.risk is None or same.risk <= 0.2
    apart = held_out(groups, 0.2)
    assert apart.risk is not None
    assert apart.risk > 0.2
    assert apart.share_above > 0.2


def test_a_perfect_ranking_holds_on_other_items() -> None:
    confidence = np.linspace(0, 1, 400)
    found = held_out(group(confidence, confidence < 0.5), 0.0)
    assert found.coverage == pytest.approx(0.5, abs=0.02)
    assert found.risk == pytest.approx(0.0, abs=0.02)


def test_all_wrong_answers_nothing() -> None:
    found = held_out(group([0.1, 0.2, 0.3], [1, 1, 1]), 0.1)
    assert (found.coverage, found.risk, found.share_above) == (0.0, None, 0.0)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=40),
    st.sampled_from([0.0, 0.1, 0.3, 1.0]),
)
def test_bounds_and_no_dependence_on_order(items: list[tuple[int, bool]], risk: float) -> None:
    confidence, error = [c / 5 for c, _ in items], [e for _, e in items]
    found = held_out(group(confidence, error), risk, repeats=20)
    assert 0.0 <= found.coverage <= 1.0
    assert 0.0 <= found.share_above <= 1.0
    assert found.risk is None or 0.0 <= found.risk <= 1.0
    assert found == held_out(group(confidence[::-1], error[::-1]), risk, repeats=20)
    if risk == 1.0:
        assert found.share_above == 0.0


def test_too_few_items_and_a_wrong_target_are_refused() -> None:
    with pytest.raises(ValueError, match="two items"):
        held_out(group([0.5], [0]), 0.1)
    with pytest.raises(ValueError, match="must be in"):
        held_out(group([0.5, 0.6], [0, 1]), 1.5)
