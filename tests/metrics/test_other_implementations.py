"""Where others agree and differ: scikit-learn as it is, fd-shifts and torch-uncertainty as they define things.

scikit-learn is called. The definitions of fd-shifts and torch-uncertainty are stated anew below, row by
row and slowly, so that the differences which `docs/metrics.md` names can be computed; no code is theirs.
"""

from __future__ import annotations

import itertools
import math
import re
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

metrics = pytest.importorskip("sklearn.metrics", reason="needs scikit-learn (extra `test`)")

from epoche.bench.predictions import Predictions  # noqa: E402
from epoche.bench.score import summarise  # noqa: E402
from epoche.metrics.scores import accuracy, brier, confusion, macro_f1, per_class  # noqa: E402
from epoche.metrics.selective import augrc, aurc, auroc_failure, curve, e_aurc, group, optimal_aurc  # noqa: E402

#: Without ties: prefix risks 0, 0, 1/3, 1/4, 2/5; generalized risks (÷ n) 0, 0, 1/5, 1/5, 2/5.
TOY = ((0.95, 0.9, 0.8, 0.7, 0.6), (0, 0, 1, 0, 1))
#: With ties: groups end at coverage 3/6, 5/6, 1 with risk 1/3, 2/5, 3/6.
TIES = ((0.9, 0.9, 0.9, 0.7, 0.7, 0.5), (0, 1, 0, 0, 1, 1))
LABELS = ("supported", "refuted", "not_enough_evidence")

Rows = list[tuple[float, int]]
#: scikit-learn checks much on every call, and loads parts on the first.
sweep = settings(deadline=None, max_examples=40)
tied = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0]), st.integers(0, 1)),
    min_size=1,
    max_size=30,
)
untied = st.lists(
    st.tuples(st.integers(0, 10**6), st.integers(0, 1)), min_size=2, max_size=30, unique_by=lambda row: row[0]
)
labelled = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=40)
with_none = st.lists(
    st.tuples(st.integers(0, 2), st.integers(-1, 2), st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0])),
    min_size=1,
    max_size=25,
)


# Definitions of others, stated anew ----------------------------------------------------------------------------


def prefix_risks(confidence: Sequence[float], error: Sequence[int]) -> list[float]:
    """Error rate of the first k rows, k = 1 … n, by falling confidence; ties in the order they were given."""
    order = sorted(range(len(error)), key=lambda i: -confidence[i])
    return [sum(error[i] for i in order[: k + 1]) / (k + 1) for k in range(len(order))]


def trapezoids(x: Sequence[float], y: Sequence[float]) -> float:
    return sum(
        (b - a) * (u + v) / 2 for (a, b), (u, v) in zip(itertools.pairwise(x), itertools.pairwise(y), strict=True)
    )


def by_threshold(confidence: Sequence[float], error: Sequence[int]) -> tuple[list[float], list[float]]:
    """(coverage, risk) at every distinct confidence, highest first."""
    coverage, risk = [], []
    for threshold in sorted(set(confidence), reverse=True):
        kept = [e for c, e in zip(confidence, error, strict=True) if c >= threshold]
        coverage.append(len(kept) / len(error))
        risk.append(sum(kept) / len(kept))
    return coverage, risk


def fd_shifts_aurc(confidence: Sequence[float], error: Sequence[int]) -> float:
    """Trapezoids between thresholds, ties together, the first risk carried down to coverage 0; unscaled."""
    coverage, risk = by_threshold(confidence, error)
    return trapezoids([0.0, *coverage], [risk[0], *risk])


def fd_shifts_augrc(confidence: Sequence[float], error: Sequence[int]) -> float:
    """Trapezoids of the generalized risk (errors answered ÷ n) between thresholds, from (0, 0); unscaled."""
    coverage, risk = by_threshold(confidence, error)
    return trapezoids([0.0, *coverage], [0.0, *(c * r for c, r in zip(coverage, risk, strict=True))])


def torch_uncertainty_aurc(confidence: Sequence[float], error: Sequence[int]) -> float:
    """Trapezoids of the prefix risks from coverage 1/n to 1, divided by that width; n ≥ 2."""
    n = len(error)
    return trapezoids([k / n for k in range(1, n + 1)], prefix_risks(confidence, error)) / (1 - 1 / n)


def torch_uncertainty_augrc(confidence: Sequence[float], error: Sequence[int]) -> float:
    """The same with prefix risk × coverage."""
    n = len(error)
    generalized = [r * (k + 1) / n for k, r in enumerate(prefix_risks(confidence, error))]
    return trapezoids([k / n for k in range(1, n + 1)], generalized) / (1 - 1 / n)


def grid_area(confidence: Sequence[float], error: Sequence[int], points: int = 51) -> float:
    """Trapezoids over thresholds on a grid, risk 0 where none is reached."""
    coverage, risk = [], []
    for i in range(points - 1, -1, -1):
        kept = [e for c, e in zip(confidence, error, strict=True) if c >= i / (points - 1)]
        coverage.append(len(kept) / len(error))
        risk.append(sum(kept) / len(kept) if kept else 0.0)
    return trapezoids(coverage, risk)


# One toy, every estimator --------------------------------------------------------------------------------------


def test_one_untied_toy_has_four_aurcs() -> None:
    groups = group(*TOY)
    # Mean of the prefix risks: (1/3 + 1/4 + 2/5) / 5 = 0.98333 / 5.
    assert aurc(groups) == pytest.approx(0.19667, abs=5e-6)
    assert aurc(groups) == pytest.approx(sum(prefix_risks(*TOY)) / 5)
    # .2 · (0 + (0 + 0)/2 + (0 + 1/3)/2 + (1/3 + 1/4)/2 + (1/4 + 2/5)/2) = .2 · 0.78333; the first risk is 0.
    assert fd_shifts_aurc(*TOY) == pytest.approx(0.15667, abs=5e-6)
    # The same four trapezoids over a width of 4/5: 0.15667 / 0.8.
    assert torch_uncertainty_aurc(*TOY) == pytest.approx(0.19583, abs=5e-6)
    # Each item has a grid threshold of its own here, and the made-up (0, 0) is the point that fd-shifts has.
    assert grid_area(*TOY) == pytest.approx(0.15667, abs=5e-6)


def test_one_untied_toy_has_two_augrcs() -> None:
    # .2 · (0 + 0 + (0 + .2)/2 + (.2 + .2)/2 + (.2 + .4)/2) = .2 · 0.6 = 0.12; over a width of 4/5 it is 0.15.
    assert augrc(group(*TOY)) == pytest.approx(0.12)
    assert fd_shifts_augrc(*TOY) == pytest.approx(0.12)
    assert torch_uncertainty_augrc(*TOY) == pytest.approx(0.15)


def test_the_discrete_optimum_and_the_continuous_one() -> None:
    # Both errors last: (1/4 + 2/5) / 5 = 0.13. Continuous with r = .4: .4 + .6 ln .6 = 0.0935.
    assert optimal_aurc(group(*TOY)) == pytest.approx(0.13)
    assert 0.4 + 0.6 * math.log(0.6) == pytest.approx(0.0935, abs=5e-5)
    # A perfect ranking: no excess with the one, 0.0365 with the other.
    perfect = group([5, 4, 3, 2, 1], [0, 0, 0, 1, 1])
    assert e_aurc(perfect) == 0.0
    assert float(aurc(perfect)) - (0.4 + 0.6 * math.log(0.6)) == pytest.approx(0.0365, abs=5e-5)


def orders_of_ties() -> list[tuple[int, ...]]:
    """Errors of the tied fixture in every order that its confidences allow."""
    return [(*first, *second, 1) for first in set(itertools.permutations((0, 1, 0))) for second in ((0, 1), (1, 0))]


def test_ties_by_hand() -> None:
    confidence, error = TIES
    # Ours: each item at its own threshold: (3 · 1/3 + 2 · 2/5 + 1 · 3/6) / 6 = 2.3 / 6.
    assert aurc(group(*TIES)) == pytest.approx(0.38333, abs=5e-6)
    # fd-shifts: 1/2 · 1/3 + 1/3 · (1/3 + 2/5)/2 + 1/6 · (2/5 + 1/2)/2 = .16667 + .12222 + .075.
    assert fd_shifts_aurc(*TIES) == pytest.approx(0.36389, abs=5e-6)
    # Rows as they come. Best: 0 0 1 | 0 1 | 1: (0 + 0 + 1/3 + 1/4 + 2/5 + 1/2) / 6 = 1.48333 / 6.
    # Worst: 1 0 0 | 1 0 | 1: (1 + 1/2 + 1/3 + 1/2 + 2/5 + 1/2) / 6 = 3.23333 / 6.
    naive = [sum(prefix_risks(confidence, e)) / 6 for e in orders_of_ties()]
    assert (min(naive), max(naive)) == pytest.approx((0.24722, 0.53889), abs=5e-6)
    # Mean over all orders: expected prefix errors 1/3, 2/3, 1, 3/2, 2, 3: (3 · 1/3 + 3/8 + 2/5 + 1/2) / 6.
    assert sum(naive) / len(naive) == pytest.approx(0.37917, abs=5e-6)
    # torch-uncertainty, best and worst: (Σ − (first + last)/2) / 5: (1.48333 − .25) / 5, (3.23333 − .75) / 5.
    theirs = [torch_uncertainty_aurc(confidence, e) for e in orders_of_ties()]
    assert (min(theirs), max(theirs)) == pytest.approx((0.24667, 0.49667), abs=5e-6)
    assert error in orders_of_ties()


def test_ties_by_hand_generalized() -> None:
    # Errors answered ÷ 6: 1/6, 2/6, 3/6. 1/2 · 1/12 + 1/3 · 1/4 + 1/6 · 5/12 = .04167 + .08333 + .06944.
    assert augrc(group(*TIES)) == pytest.approx(0.19444, abs=5e-6)
    assert fd_shifts_augrc(*TIES) == pytest.approx(0.19444, abs=5e-6)
    # A tie counts as a random order of its items: the mean over all orders, each without ties, is the same.
    mean = sum(fd_shifts_augrc((6, 5, 4, 3, 2, 1), e) for e in orders_of_ties()) / 6
    assert mean == pytest.approx(0.19444, abs=5e-6)


def test_excess_with_a_plateau() -> None:
    # A perfect ranking whose two errors tie: coverage .6 and 1 with risk 0 and .4.
    plateau = ((5, 4, 3, 1, 1), (0, 0, 0, 1, 1))
    # fd-shifts: .4 · (0 + .4)/2 = 0.08, less than either optimum (0.13, 0.0935): an excess below 0.
    assert fd_shifts_aurc(*plateau) == pytest.approx(0.08)
    # Ours: both errors at the risk of their group, 2 · .4 / 5 = 0.16, so the excess is 0.16 − 0.13.
    assert aurc(group(*plateau)) == pytest.approx(0.16)
    assert e_aurc(group(*plateau)) == pytest.approx(0.03)


def test_a_tie_can_also_lower_ours() -> None:
    # A wrong item before two right ones: apart (1 + 1/2 + 1/3) / 3, tied (1 + 2 · 1/3) / 3.
    assert aurc(group((0.9, 0.5, 0.4), (1, 0, 0))) == pytest.approx(0.61111, abs=5e-6)
    assert aurc(group((0.9, 0.4, 0.4), (1, 0, 0))) == pytest.approx(0.55556, abs=5e-6)


# How the estimators hang together ------------------------------------------------------------------------------


@given(untied)
def test_without_ties_the_aurcs_differ_by_their_ends_only(rows: Rows) -> None:
    confidence, error = [c for c, _ in rows], [e for _, e in rows]
    ours, n = float(aurc(group(confidence, error))), len(rows)
    risks = prefix_risks(confidence, error)
    assert ours == pytest.approx(sum(risks) / n)
    assert fd_shifts_aurc(confidence, error) == pytest.approx(ours + (risks[0] - risks[-1]) / (2 * n))
    expected = (n * ours - (risks[0] + risks[-1]) / 2) / (n - 1)
    assert torch_uncertainty_aurc(confidence, error) == pytest.approx(expected)


@given(untied)
def test_without_ties_the_augrcs_differ_by_scale_and_the_first_item(rows: Rows) -> None:
    confidence, error = [c for c, _ in rows], [e for _, e in rows]
    ours, n = float(augrc(group(confidence, error))), len(rows)
    first = prefix_risks(confidence, error)[0] / n
    assert torch_uncertainty_augrc(confidence, error) == pytest.approx((n * ours - first / 2) / (n - 1))


@given(tied)
def test_the_same_augrc_as_fd_shifts_and_the_same_curve(rows: Rows) -> None:
    confidence, error = [c for c, _ in rows], [e for _, e in rows]
    groups = group(confidence, error)
    assert float(augrc(groups)) == pytest.approx(fd_shifts_augrc(confidence, error))
    coverage, risk = by_threshold(confidence, error)
    assert_allclose(curve(groups).coverage, coverage)
    assert_allclose(curve(groups).risk, risk)


@given(tied)
def test_our_excess_is_never_below_zero_even_before_it_is_cut_off_there(rows: Rows) -> None:
    groups = group([c for c, _ in rows], [e for _, e in rows])
    assert float(aurc(groups)) - float(optimal_aurc(groups)) >= -1e-12


# scikit-learn --------------------------------------------------------------------------------------------------


@sweep
@given(labelled)
def test_accuracy_and_f1_are_scikit_learns(rows: list[tuple[str, str]]) -> None:
    gold, predicted = [g for g, _ in rows], [p for _, p in rows]
    matrix = confusion(gold, predicted, LABELS)
    assert matrix.tolist() == metrics.confusion_matrix(gold, predicted, labels=LABELS).tolist()
    assert float(accuracy(matrix)) == pytest.approx(metrics.accuracy_score(gold, predicted))
    theirs = metrics.f1_score(gold, predicted, average="macro", zero_division=0)
    assert float(macro_f1(matrix)) == pytest.approx(theirs)


@sweep
@given(labelled)
def test_each_class_is_scikit_learns_and_undefined_is_not_zero(rows: list[tuple[str, str]]) -> None:
    gold, predicted = [g for g, _ in rows], [p for _, p in rows]
    found = per_class(confusion(gold, predicted, LABELS), LABELS)
    theirs = metrics.precision_recall_fscore_support(gold, predicted, labels=LABELS, zero_division=np.nan)
    for i, label in enumerate(LABELS):
        score = found[label]
        assert_allclose((score.precision, score.recall), (theirs[0][i], theirs[1][i]))
        assert score.support == theirs[3][i]
        # Theirs is nan too where the class occurs nowhere; ours is 0 there and the macro mean leaves it out.
        assert score.f1 == pytest.approx(np.nan_to_num(theirs[2][i]))


@sweep
@given(tied)
def test_auroc_of_failure_is_scikit_learns(rows: Rows) -> None:
    confidence, error = [c for c, _ in rows], [e for _, e in rows]
    ours = float(auroc_failure(group(confidence, error)))
    if len(set(error)) == 1:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns and gives nan
            assert math.isnan(metrics.roc_auc_score([1 - e for e in error], confidence))
        assert math.isnan(ours)
    else:
        assert ours == pytest.approx(metrics.roc_auc_score([1 - e for e in error], confidence))


@sweep
@given(tied)
def test_augrc_from_scikit_learns_auroc(rows: Rows) -> None:
    confidence, error = [c for c, _ in rows], [e for _, e in rows]
    right = 1 - sum(error) / len(error)
    ranked = 0.0
    if len(set(error)) == 2:
        ranked = (1 - metrics.roc_auc_score([1 - e for e in error], confidence)) * right * (1 - right)
    assert float(augrc(group(confidence, error))) == pytest.approx(ranked + (1 - right) ** 2 / 2)


@sweep
@given(tied)
def test_brier_is_scikit_learns(rows: Rows) -> None:
    confidence, right = [c for c, _ in rows], [1 - e for _, e in rows]
    theirs = metrics.brier_score_loss(right, confidence, pos_label=1, labels=[0, 1])
    assert brier(confidence, right) == pytest.approx(theirs)


@sweep
@given(with_none)
def test_a_summary_with_missing_proposals_is_scikit_learns(rows: list[tuple[int, int, float]]) -> None:
    gold, predicted = np.array([g for g, _, _ in rows]), np.array([p for _, p, _ in rows])
    confidence = np.array([c if p >= 0 else np.nan for _, p, c in rows])
    n = len(rows)
    everything = Predictions(
        ids=[str(i) for i in range(n)],
        labels=LABELS,
        gold=gold,
        predicted=predicted,
        confidence=confidence,
        answered=predicted >= 0,
        failed=np.zeros(n, dtype=np.bool_),
    )
    summary = summarise(everything, resamples=20)
    # "Nothing proposed" is a prediction that is never right; it is no class of its own in the macro mean.
    present = sorted({*gold.tolist(), *predicted.tolist()} - {-1})
    theirs = metrics.f1_score(gold, predicted, labels=present, average="macro", zero_division=0)
    assert summary["accuracy"] == pytest.approx(metrics.accuracy_score(gold, predicted), abs=1e-6)
    assert summary["macro_f1"] == pytest.approx(theirs, abs=1e-6)
    there = predicted >= 0
    wrong = (gold != predicted)[there].astype(int)
    if len(set(wrong.tolist())) == 2:
        auroc = metrics.roc_auc_score(1 - wrong, confidence[there])
        assert summary["auroc_failure"] == pytest.approx(auroc, abs=1e-6)
    if there.any():
        theirs = metrics.brier_score_loss(1 - wrong, confidence[there], pos_label=1, labels=[0, 1])
        assert summary["brier"] == pytest.approx(theirs, abs=1e-6)


# The page ------------------------------------------------------------------------------------------------------

PAGE = (Path(__file__).parent.parent.parent / "docs" / "metrics.md").read_text(encoding="utf-8")


def test_the_page_has_these_numbers() -> None:
    naive = [sum(prefix_risks(TIES[0], e)) / 6 for e in orders_of_ties()]
    theirs = [torch_uncertainty_aurc(TIES[0], e) for e in orders_of_ties()]
    rows = {
        "| epoche: mean over items; trapezoids from (0, 0)": [aurc(group(*TOY)), augrc(group(*TOY))],
        "| fd-shifts: trapezoids, the first risk": [fd_shifts_aurc(*TOY), fd_shifts_augrc(*TOY)],
        "| torch-uncertainty: trapezoids from": [torch_uncertainty_aurc(*TOY), torch_uncertainty_augrc(*TOY)],
        "| a grid of 51 thresholds": [grid_area(*TOY)],
        "| epoche: each item at its own": [aurc(group(*TIES))],
        "| mean over all orders": [sum(naive) / len(naive)],
        "| fd-shifts: trapezoids between distinct": [fd_shifts_aurc(*TIES)],
        "| rows as they come": [min(naive), max(naive)],
        "| torch-uncertainty (no tie": [min(theirs), max(theirs)],
    }
    for start, values in rows.items():
        (line,) = (x for x in PAGE.splitlines() if x.startswith(start))
        assert re.findall(r"0\.\d{4}", line) == [f"{float(v):.4f}" for v in values]


def test_answers_without_an_error_that_exclude_a_risk() -> None:
    # P(no error in k | risk r) = (1 − r)^k ≤ .05: k = 59 for 5 %, 29 for 10 %, 299 for 1 %, and not one less.
    for risk, answers in ((0.05, 59), (0.1, 29), (0.01, 299)):
        assert (1 - risk) ** answers <= 0.05 < (1 - risk) ** (answers - 1)
        assert re.search(rf"\b{answers}\b", PAGE)


def test_the_page_names_every_figure() -> None:
    n = 4
    everything = Predictions(
        ids=list("abcd"),
        labels=LABELS,
        gold=np.array([0, 0, 1, 2]),
        predicted=np.array([0, 1, 1, 2]),
        confidence=np.array([0.9, 0.5, 0.5, 0.1]),
        answered=np.ones(n, dtype=np.bool_),
        failed=np.zeros(n, dtype=np.bool_),
    )
    summary = summarise(everything, resamples=20)
    missing = [key for key in summary if f"`{key}`" not in PAGE]
    assert not missing
    assert set(summary["intervals"]) <= set(re.findall(r"`(\w+)`", PAGE.partition("## Intervals")[2]))
