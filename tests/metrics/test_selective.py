from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epoche.metrics.selective import (
    Groups,
    at_coverage,
    at_risk,
    augrc,
    aurc,
    auroc_failure,
    curve,
    e_aurc,
    group,
    optimal_aurc,
)

TIES = ((0.9, 0.9, 0.9, 0.7, 0.7, 0.5), (0, 1, 0, 0, 1, 1))
#: Untied toy of five: prefix risks 0, 0, 1/3, 1/4, 2/5; their mean is 0.98333/5.
TOY = ((0.95, 0.9, 0.8, 0.7, 0.6), (0, 0, 1, 0, 1))

items = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0]), st.integers(0, 1)),
    min_size=1,
    max_size=30,
)


def split(rows: list[tuple[float, int]]) -> tuple[list[float], list[int]]:
    return [c for c, _ in rows], [e for _, e in rows]


def test_case_30_ties_by_hand() -> None:
    # (3 · 1/3 + 2 · 2/5 + 1 · 3/6) / 6 = (1 + 0.8 + 0.5) / 6
    assert aurc(group(*TIES)) == pytest.approx(2.3 / 6)
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(6)
        shuffled = group(np.array(TIES[0])[order], np.array(TIES[1])[order])
        assert aurc(shuffled) == aurc(group(*TIES))


def test_the_untied_toy_by_hand() -> None:
    groups = group(*TOY)
    assert curve(groups).risk.tolist() == pytest.approx([0, 0, 1 / 3, 1 / 4, 2 / 5])
    assert curve(groups).coverage.tolist() == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])
    assert aurc(groups) == pytest.approx((1 / 3 + 1 / 4 + 2 / 5) / 5)  # 0.19667
    # Two errors of five, both last: risks 0, 0, 0, 1/4, 2/5.
    assert optimal_aurc(groups) == pytest.approx((1 / 4 + 2 / 5) / 5)  # 0.13, continuous 0.0935
    assert e_aurc(groups) == pytest.approx((1 / 3) / 5)
    # Generalized risk 0, 0, .2, .2, .4 at coverage .2 … 1: trapezoids .2 · (0 + .1 + .2 + .3) = 0.12.
    assert augrc(groups) == pytest.approx(0.12)
    # Right–wrong pairs: 3 · 2 = 6; the error at .8 is below two right ones, that at .6 below three.
    assert auroc_failure(groups) == pytest.approx(5 / 6)


def test_case_31_all_right_and_all_wrong_do_not_score_alike() -> None:
    right, wrong = group([0.9, 0.5], [0, 0]), group([0.9, 0.5], [1, 1])
    assert (aurc(right), aurc(wrong)) == (0.0, 1.0)
    assert (e_aurc(right), e_aurc(wrong)) == (0.0, 0.0)
    assert (augrc(right), augrc(wrong)) == (0.0, 0.5)
    assert np.isnan(auroc_failure(right))
    assert np.isnan(auroc_failure(wrong))


def test_case_31_an_empty_selection_has_no_risk() -> None:
    point = at_risk(group([0.9, 0.5], [1, 1]), 0.05)
    assert (point.threshold, point.coverage, point.risk) == (None, 0.0, None)
    unreachable = at_coverage(group([0.9], [0]), 0.9, total=2)
    assert (unreachable.threshold, unreachable.coverage, unreachable.risk) == (None, 0.5, None)


def test_points_are_deployable_thresholds() -> None:
    groups = group(*TIES)
    # Half of six is three items; asking for four reaches the tie at .7 and so five.
    assert at_coverage(groups, 0.5).coverage == 0.5
    point = at_coverage(groups, 4 / 6)
    assert (point.threshold, point.coverage, point.risk) == (0.7, 5 / 6, 2 / 5)
    best = at_risk(groups, 0.4)
    assert (best.threshold, best.coverage, best.risk) == (0.7, 5 / 6, 0.4)


@given(items)
def test_aurc_is_the_mean_of_each_items_own_risk(rows: list[tuple[float, int]]) -> None:
    confidence, error = split(rows)
    own = []
    for c in confidence:
        chosen = [e for k, e in rows if k >= c]
        own.append(sum(chosen) / len(chosen))
    assert aurc(group(confidence, error)) == pytest.approx(sum(own) / len(own))


@given(items)
def test_the_identity_of_augrc(rows: list[tuple[float, int]]) -> None:
    groups = group(*split(rows))
    accuracy = 1 - float(groups.wrong / groups.n)
    failure = auroc_failure(groups)
    ranked = 0.0 if np.isnan(failure) else (1 - float(failure)) * accuracy * (1 - accuracy)
    assert augrc(groups) == pytest.approx(ranked + (1 - accuracy) ** 2 / 2)


@given(items)
def test_order_and_scale_do_not_matter_and_bounds_hold(rows: list[tuple[float, int]]) -> None:
    confidence, error = split(rows)
    groups = group(confidence, error)
    turned = group(confidence[::-1], error[::-1])
    scaled = group([c / 7 + 3 for c in confidence], error)
    for metric in (aurc, e_aurc, augrc, optimal_aurc):
        value = float(metric(groups))
        assert value == float(metric(turned)) == pytest.approx(float(metric(scaled)))
        assert 0.0 <= value <= 1.0
    assert aurc(groups) >= optimal_aurc(groups) - 1e-12
    best = sorted(error)
    perfect = group(np.arange(len(best), 0, -1), best)
    assert aurc(perfect) == pytest.approx(float(optimal_aurc(groups)))


@given(items)
def test_a_curve_ends_at_full_coverage_and_the_error_rate(rows: list[tuple[float, int]]) -> None:
    groups = group(*split(rows))
    line = curve(groups)
    assert line.coverage[-1] == 1.0
    assert line.risk[-1] == pytest.approx(float(groups.wrong / groups.n))
    assert (np.diff(line.coverage) > 0).all()
    assert (np.diff(line.threshold) < 0).all()


def test_leading_axes_are_resamples() -> None:
    groups = group(*TIES)
    stacked = Groups(groups.confidence, np.stack([groups.items] * 2), np.stack([groups.errors, groups.items]))
    for metric in (aurc, e_aurc, augrc, optimal_aurc):
        both = metric(stacked)
        assert both[0] == pytest.approx(float(metric(groups)))
    assert aurc(stacked)[1] == 1.0


@pytest.mark.parametrize(
    ("confidence", "error", "word"),
    [
        ([], [], "no item"),
        ([0.5], [0, 1], "one length"),
        ([0.5, float("nan")], [0, 1], "confidence 1 is not"),
        ([float("inf")], [0], "not a finite"),
        ([0.5], [0.5], "0 .right. or 1"),
        ([[0.5]], [[0]], "vectors"),
    ],
)
def test_bad_input_is_refused(confidence: object, error: object, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        group(confidence, error)  # type: ignore[arg-type]
