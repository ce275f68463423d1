from __future__ import annotations

import numpy as np
import pytest

from epoche.metrics.resample import (
    bootstrap,
    bootstrap_counts,
    coarse,
    interval,
    paired_difference,
    permutation_band,
    resampled,
)
from epoche.metrics.scores import accuracy, macro_f1
from epoche.metrics.selective import augrc, aurc, curve, group


def ranked(n: int, seed: int, skill: float) -> tuple[np.ndarray, np.ndarray]:
    """Confidences in tenths, and errors that depend on them by `skill` in [0, 1]."""
    generator = np.random.default_rng(seed)
    confidence = generator.integers(0, 11, n) / 10
    chance = skill * (1 - confidence) + (1 - skill) * 0.5
    return confidence, (generator.random(n) < chance).astype(float)


def test_a_resample_keeps_the_number_of_items_and_the_cells() -> None:
    groups = group([0.9, 0.9, 0.5, 0.1], [0, 0, 1, 1])
    draws = resampled(groups, 500)
    assert (draws.n == 4).all()
    assert (draws.errors <= draws.items).all()
    assert (draws.errors[:, 0] == 0).all(), "no error was seen at .9"
    assert draws.items.mean(axis=0) == pytest.approx([2, 1, 1], abs=0.15)


def test_same_input_same_interval() -> None:
    groups = group(*ranked(100, 1, 0.5))
    assert bootstrap(aurc, groups) == bootstrap(aurc, groups)
    assert bootstrap(aurc, groups, seed=1) != bootstrap(aurc, groups, seed=2)


def test_the_interval_of_an_error_rate_is_the_binomials() -> None:
    # 200 items, 60 errors: sd = sqrt(.3 · .7 / 200) = 0.0324, so ± 1.96 sd is 0.2365 to 0.3635; steps are 0.005.
    groups = group(np.full(200, 0.5), np.repeat([1, 0], [60, 140]))
    found = bootstrap(lambda g: curve(g).risk[..., -1], groups)
    assert (found.value, found.low, found.high) == pytest.approx((0.3, 0.2365, 0.3635), abs=0.0075)


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    # Truth: risk at full coverage of the generator, 0.5. 95 % of 200 intervals ± 3 sd (1.5 %).
    hits = 0
    for seed in range(200):
        found = bootstrap(lambda g: curve(g).risk[..., -1], group(*ranked(120, seed, 0.0)), resamples=400)
        hits += found.low <= 0.5 <= found.high
    assert 0.90 <= hits / 200 <= 0.995


def test_coarse_groups_hardly_move_a_metric() -> None:
    generator = np.random.default_rng(4)
    confidence = generator.random(50_000)
    groups = group(confidence, (generator.random(50_000) > confidence).astype(float))
    merged = coarse(groups)
    assert merged.confidence.size <= 4000
    assert (merged.n, merged.wrong) == (groups.n, groups.wrong)
    assert aurc(merged) == pytest.approx(float(aurc(groups)), abs=1 / 4000)
    small = group([0.9, 0.1], [0, 1])
    assert coarse(small) is small


def test_case_32_a_ranking_no_better_than_chance_is_inside_the_band() -> None:
    chance, skilled = group(*ranked(400, 7, 0.0)), group(*ranked(400, 7, 1.0))
    band = permutation_band(aurc, chance)
    assert band.low <= band.value <= band.high
    band = permutation_band(aurc, skilled)
    assert band.value < band.low
    # An anti-ranking is outside on the other side.
    confidence, error = ranked(400, 7, 1.0)
    band = permutation_band(aurc, group(1 - confidence, error))
    assert band.value > band.high


def test_a_run_compared_with_itself_differs_by_exactly_nothing() -> None:
    run = ranked(80, 3, 0.6)
    found = paired_difference(aurc, run, run, resamples=200)
    assert (found.value, found.low, found.high) == (0.0, 0.0, 0.0)


def test_a_paired_comparison_sees_what_two_intervals_hide() -> None:
    confidence, error = ranked(200, 5, 0.8)
    better = error.copy()
    better[np.flatnonzero(error)[:20]] = 0
    found = paired_difference(augrc, (confidence, error), (confidence, better), resamples=400)
    assert found.low > 0
    apart = bootstrap(augrc, group(confidence, error)), bootstrap(augrc, group(confidence, better))
    assert apart[0].low < apart[1].high, "the single intervals overlap"


def test_a_paired_comparison_needs_the_same_items() -> None:
    with pytest.raises(ValueError, match="same items"):
        paired_difference(aurc, ([0.5], [0]), ([0.5, 0.4], [0, 1]))


def test_counts_stratified_or_not() -> None:
    table = np.array([[30, 10], [5, 55]])
    plain, kept = bootstrap_counts(accuracy, table), bootstrap_counts(accuracy, table, stratified=True)
    assert plain.value == kept.value == pytest.approx(0.85)
    assert kept.low < 0.85 < kept.high
    f1 = bootstrap_counts(macro_f1, np.array([[3, 0], [0, 0]]))
    assert (f1.value, f1.low, f1.high) == (1.0, 1.0, 1.0)


def test_an_interval_without_a_defined_draw_has_no_bounds() -> None:
    found = interval(0.5, [np.nan, np.nan])
    assert np.isnan(found.low)
    assert np.isnan(found.high)
