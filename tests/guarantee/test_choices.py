"""Thresholds that carry a promise: learn then test, SGR, conformal risk control."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epoche.guarantee.binomial import p_value, upper_bound
from epoche.guarantee.choice import Choice, threshold_above
from epoche.guarantee.conformal import generalized_risk
from epoche.guarantee.ltt import fixed_sequence, starting_ranks
from epoche.guarantee.sgr import guaranteed_risk
from epoche.metrics.selective import Groups, group

PROMISES = [fixed_sequence, guaranteed_risk]
ITEMS = st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=1, max_size=300)


def groups_of(items: list[tuple[int, bool]]) -> Groups:
    return group([c / 12 for c, _ in items], [float(e) for _, e in items])


def run_of(right: int, wrong: int) -> Groups:
    """The right answers first, every confidence its own."""
    n = right + wrong
    return group(1 - np.arange(n) / n, [0.0] * right + [1.0] * wrong)


@pytest.mark.parametrize("choose", PROMISES)
@settings(deadline=None)
@given(items=ITEMS, alpha=st.floats(0.02, 0.6), delta=st.floats(0.01, 0.4))
def test_what_is_chosen_passes_its_own_test(
    choose: Callable[[Groups, float, float], Choice],
    items: list[tuple[int, bool]],
    alpha: float,
    delta: float,
) -> None:
    found = choose(groups_of(items), alpha, delta)
    if found.threshold is None:
        assert (found.answered, found.errors, found.level) == (0, 0, None)
        return
    answered = [e for c, e in items if c / 12 >= found.threshold]
    assert (found.answered, found.errors) == (len(answered), sum(answered))
    assert found.level is not None
    assert found.level <= delta + 1e-12
    assert p_value(found.errors, found.answered, alpha) <= found.level + 1e-12
    assert upper_bound(found.errors, found.answered, found.level) <= alpha + 1e-9


@settings(deadline=None)
@given(items=ITEMS, alpha=st.floats(0.02, 0.6))
def test_generalized_risk_by_its_definition(items: list[tuple[int, bool]], alpha: float) -> None:
    found = generalized_risk(groups_of(items), alpha)
    n = len(items)
    passing = [
        sum(e for c, e in items if c / 12 >= t) for t in {c / 12 for c, _ in items}
        if (sum(e for c, e in items if c / 12 >= t) + 1) / (n + 1) <= alpha + 1e-12
    ]  # fmt: skip
    assert (found.threshold is None) == (not passing)
    if found.threshold is not None:
        assert found.errors == max(passing)


@pytest.mark.parametrize("choose", PROMISES)
@given(items=ITEMS, data=st.data())
@settings(deadline=None)
def test_the_order_of_the_items_does_not_matter(
    choose: Callable[[Groups, float, float], Choice], items: list[tuple[int, bool]], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(items))
    assert choose(groups_of(items), 0.2, 0.1) == choose(groups_of(shuffled), 0.2, 0.1)


@pytest.mark.parametrize("choose", PROMISES)
def test_all_right_all_wrong_and_too_few(choose: Callable[[Groups, float, float], Choice]) -> None:
    everything = choose(run_of(400, 0), 0.1, 0.05)
    assert (everything.threshold, everything.answered, everything.errors) == (0.0, 400, 0)
    assert choose(run_of(0, 400), 0.1, 0.05).threshold is None
    # 28 items without an error show a risk of 1 − 0.05^(1/28) = 10.1 %, one more shows 9.8 %.
    assert choose(run_of(28, 0), 0.1, 0.05).threshold is None


def test_29_items_without_an_error_are_enough_for_one_chain() -> None:
    assert starting_ranks(28, 0.1, 0.05 / 3, 3) == []
    assert starting_ranks(29, 0.1, 0.05 / 3, 3) == [29]
    assert fixed_sequence(run_of(29, 0), 0.1, 0.05).answered == 29
    # Given a third of δ, a chain can begin at the 39th: 0.9³⁹ = 0.0164 ≤ 0.05 / 3 < 0.0183 = 0.9³⁸.
    assert starting_ranks(1000, 0.1, 0.05 / 3, 3)[0] == 39


def test_a_constant_confidence_is_all_or_nothing() -> None:
    same = np.full(100, 0.7)
    assert fixed_sequence(group(same, [1.0] * 2 + [0.0] * 98), 0.1, 0.05).answered == 100
    assert fixed_sequence(group(same, [1.0] * 20 + [0.0] * 80), 0.1, 0.05).threshold is None


def test_ties_are_never_cut() -> None:
    # The 18 wrong of the 160 that share the lowest answered confidence all count.
    confidence = [0.9] * 120 + [0.8] * 40
    errors = [1.0] * 3 + [0.0] * 117 + [1.0] * 15 + [0.0] * 25
    found = fixed_sequence(group(confidence, errors), 0.08, 0.1)
    assert (found.answered, found.errors) == (120, 3)
    assert found.threshold == 0.800001, "above the next confidence, with the decimals that scores have"


def test_a_threshold_of_long_decimals_excludes_the_next_item() -> None:
    groups = group([1 / 3, 1 / 3 - 1e-12, 0.1], [0.0, 0.0, 0.0])
    threshold = threshold_above(groups, 0)
    assert 1 / 3 - 1e-12 < threshold <= 1 / 3
    assert threshold_above(groups, 2) == 0.0
    assert threshold_above(group([-0.5, -2.0], [0.0, 0.0]), 1) == -2.0


@pytest.mark.parametrize("choose", PROMISES)
@pytest.mark.parametrize(("alpha", "delta"), [(0.0, 0.1), (1.0, 0.1), (0.1, 0.0), (0.1, 1.0), (float("nan"), 0.1)])
def test_what_is_no_probability(
    choose: Callable[[Groups, float, float], Choice], alpha: float, delta: float
) -> None:
    with pytest.raises(ValueError, match="must be between 0 and 1"):
        choose(run_of(5, 1), alpha, delta)
