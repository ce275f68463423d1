"""Predictions → `summary.json`: every metric under one set of keys, each with its interval.

`accuracy` and `macro_f1` are of the forced proposals, τ ignored; an item without a proposal is not
right. Two risks, always named: `risk` (wrong among all answered) and `decisive_risk` (wrong among
answered supported/refuted or yes/no, where an unsettled gold label counts as wrong), with
`false_support_rate` (wrong among answered supported or yes) beside both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epoche.bench.predictions import DECISIVE, Predictions
from epoche.metrics import selective
from epoche.metrics.resample import (
    Interval,
    bootstrap_counts,
    coarse,
    interval,
    mean_interval,
    permutation_band,
    resampled,
    wilson,
)
from epoche.metrics.scores import brier, ece_of, per_class, reliability_of, reward
from epoche.metrics.selection import held_out
from epoche.metrics.selective import Groups, group
from epoche.types import SUPPORTING

FloatArray = NDArray[np.float64]
COVERAGES = (1.0, 0.95, 0.9, 0.8, 0.7, 0.5)
RISKS = (0.01, 0.05, 0.1, 0.2)
CURVE_METRICS: Mapping[str, Callable[[Groups], FloatArray]] = {
    "aurc": selective.aurc,
    "e_aurc": selective.e_aurc,
    "augrc": selective.augrc,
    "auroc_failure": selective.auroc_failure,
}
#: Above this many items fewer resamples are drawn; the intervals are then narrow anyway.
_MANY = 50_000
CURVE_KEYS = (
    "aurc_by_chance",
    "aurc_optimal",
    "ranks_better_than_chance",
    "risk_at_coverage",
    "realised_coverage",
    "coverage_at_risk",
    "coverage_at_risk_chosen_on",
    "held_out",
)
ECE_BINS = 15


def summarise(
    predictions: Predictions, *, cost: float = 2.0, resamples: int | None = None, brief: bool = False
) -> dict[str, Any]:
    """All metrics of a run or of anybody's predictions. Undefined is null, never 0.

    Args:
        cost: of a wrong answer in `reward` (right +1, withheld 0, wrong −cost).
        resamples: behind each interval; by default as many as the number of items allows.
        brief: without the chance band and the held-out thresholds, which take half of the time.
    """
    resamples = resamples or (2000 if predictions.n <= _MANY else 200)
    summary: dict[str, Any] = {"n": predictions.n, "proposed": int(predictions.proposed.sum())}
    # Every summary has the same keys; what is undefined stays null.
    summary |= dict.fromkeys(("accuracy", "macro_f1", *CURVE_METRICS, *CURVE_KEYS))
    intervals: dict[str, Any] = {}

    def put(name: str, found: Interval) -> None:
        summary[name] = _number(found.value)
        intervals[name] = _bounds(found)

    matrix = confusion_with_none(predictions)
    square = len(predictions.labels)
    put("accuracy", bootstrap_counts(_accuracy(square), matrix, resamples=resamples))
    put("macro_f1", bootstrap_counts(_macro_f1(square), matrix, stratified=True, resamples=resamples))
    groups = None
    if predictions.proposed.any():
        groups = _groups(predictions, predictions.proposed)
        # One set of resamples for all of them: drawing is what takes the time.
        draws = resampled(coarse(groups), resamples)
        for name, metric in CURVE_METRICS.items():
            put(name, interval(float(metric(groups)), metric(draws)))
        summary["aurc_optimal"] = _number(float(selective.optimal_aurc(groups)))
        if not brief:
            band = permutation_band(selective.aurc, groups, resamples=resamples)
            summary["aurc_by_chance"] = _bounds(band)
            summary["ranks_better_than_chance"] = bool(band.value < band.low)
            summary["held_out"] = _held_out(groups, predictions, resamples)
        summary |= _points(groups, predictions, intervals, draws)
    summary |= _answered(predictions, intervals, resamples, cost)
    summary |= _calibration(predictions, groups, intervals)
    summary |= _classes(predictions, matrix)
    summary["intervals"] = intervals
    return summary


def confusion_with_none(predictions: Predictions) -> NDArray[np.float64]:
    """float64[k, k + 1]: rows gold, columns predicted, the last for "nothing proposed"."""
    k = len(predictions.labels)
    column = np.where(predictions.predicted < 0, k, predictions.predicted)
    counts = np.bincount(predictions.gold * (k + 1) + column, minlength=k * (k + 1))
    return counts.reshape(k, k + 1).astype(np.float64)


def _accuracy(k: int) -> Callable[[FloatArray], FloatArray]:
    def metric(table: FloatArray) -> FloatArray:
        hits: FloatArray = np.trace(table[..., :k], axis1=-2, axis2=-1) / table.sum(axis=(-2, -1))
        return hits

    return metric


def _macro_f1(k: int) -> Callable[[FloatArray], FloatArray]:
    def metric(table: FloatArray) -> FloatArray:
        # What was not proposed is missing from a class's recall: it stays in the row's total.
        padded = np.concatenate([table, np.zeros((*table.shape[:-2], 1, k + 1))], axis=-2)
        f1 = 2 * np.diagonal(padded, axis1=-2, axis2=-1)[..., :k]
        mass = padded[..., :k, :].sum(axis=-1) + padded[..., :k].sum(axis=-2)
        present = mass > 0
        ratio = np.divide(f1, mass, out=np.zeros_like(f1), where=present)
        mean: FloatArray = ratio.sum(axis=-1) / np.maximum(present.sum(axis=-1), 1)
        return mean

    return metric


def _groups(predictions: Predictions, mask: NDArray[np.bool_]) -> Groups:
    return group(predictions.confidence[mask], predictions.error[mask])


def _points(groups: Groups, predictions: Predictions, intervals: dict[str, Any], draws: Groups) -> dict[str, Any]:
    """Risk at fixed coverages and coverage at fixed risks, over all items."""
    risks: dict[str, Any] = {}
    realised: dict[str, Any] = {}
    bounds: dict[str, Any] = {}
    line = selective.curve(draws)
    for coverage in COVERAGES:
        point = selective.at_coverage(groups, coverage, predictions.n)
        key = str(coverage)
        risks[key] = _number(point.risk)
        realised[key] = _number(point.coverage)
        bounds[key] = _risk_bounds(line, coverage * predictions.n / float(groups.n))
    intervals["risk_at_coverage"] = bounds
    return {
        "risk_at_coverage": risks,
        "realised_coverage": realised,
        # τ chosen and counted on the same items is optimistic; `held_out` chooses on one half, counts on the other.
        "coverage_at_risk": {str(r): _number(selective.at_risk(groups, r, predictions.n).coverage) for r in RISKS},
        "coverage_at_risk_chosen_on": "the same items (optimistic)",
    }


def _held_out(groups: Groups, predictions: Predictions, resamples: int) -> dict[str, Any] | None:
    """Per target risk, τ chosen on one half and counted on the other; None with less than two proposals."""
    if groups.n < 2:
        return None
    share = float(groups.n) / predictions.n
    rows = {str(r): held_out(groups, r, repeats=max(1, resamples // 10)) for r in RISKS}
    return {
        target: {
            "coverage": _number(found.coverage * share),
            "risk": _number(found.risk),
            "share_of_halves_above": _number(found.share_above),
        }
        for target, found in rows.items()
    }


def _risk_bounds(line: selective.Curve, coverage: float) -> list[float] | None:
    """Percentile interval of the risk at the highest threshold that reaches the coverage, per resample."""
    reaches = line.coverage >= coverage - 1e-9
    if not reaches[..., -1].all():
        return None
    first = reaches.argmax(axis=-1)
    values = np.take_along_axis(line.risk, first[:, None], axis=-1)[:, 0]
    low, high = np.quantile(values, [0.025, 0.975])
    return [round(float(low), 6), round(float(high), 6)]


def _answered(predictions: Predictions, intervals: dict[str, Any], resamples: int, cost: float) -> dict[str, Any]:
    """What was answered under the run's own policy, and how often that was wrong."""
    n, answered, error = predictions.n, predictions.answered, predictions.error
    found: dict[str, Any] = {
        "coverage": _number(float(answered.mean())),
        "verdicts": int(answered.sum()),
        "failures": int(predictions.failed.sum()),
        "abstentions": int(n - answered.sum() - predictions.failed.sum()),
        "abstention_reasons": predictions.reasons,
    }
    decisive = answered & predictions.predicts(DECISIVE)
    supporting = answered & predictions.predicts(SUPPORTING)
    for name, mask in (("risk", answered), ("decisive_risk", decisive), ("false_support_rate", supporting)):
        wrong, total = float(error[mask].sum()), float(mask.sum())
        found[name] = _number(wrong / total) if total else None
        found[f"{name}_of"] = int(total)
        if total:
            intervals[name] = [_number(bound) for bound in wilson(wrong, total)]
    wrong = float(error[answered].sum())
    right = float(answered.sum()) - wrong
    found["reward"] = _number(reward(right, wrong, n, cost))
    outcomes = np.array([[right, wrong, n - right - wrong]])
    rewards = bootstrap_counts(lambda t: (t[..., 0, 0] - cost * t[..., 0, 1]) / n, outcomes, resamples=resamples)
    intervals |= {"coverage": [_number(b) for b in wilson(right + wrong, n)], "reward": _bounds(rewards)}
    found["reward_cost"] = cost
    return found


def _calibration(predictions: Predictions, groups: Groups | None, intervals: dict[str, Any]) -> dict[str, Any]:
    """Confidence as a probability of being right, where all of it lies in [0, 1]."""
    if groups is None or groups.confidence[-1] < 0.0 or groups.confidence[0] > 1.0:
        return {"brier": None, "ece": None, "ece_bins": None}
    proposed = predictions.proposed
    confidence, hits = predictions.confidence[proposed], 1.0 - predictions.error[proposed]
    intervals["brier"] = _bounds(mean_interval((confidence - hits) ** 2))
    return {
        "brier": _number(brier(confidence, hits)),
        "ece": _number(ece_of(reliability_of(groups, ECE_BINS))),
        "ece_bins": f"{ECE_BINS} of equal mass, ties together",
    }


def _classes(predictions: Predictions, matrix: NDArray[np.float64]) -> dict[str, Any]:
    labels = predictions.labels
    square = np.concatenate([matrix, np.zeros((1, len(labels) + 1))])
    scores = per_class(square, (*labels, "none"))
    shares = np.bincount(predictions.predicted[predictions.proposed], minlength=len(labels)) / predictions.n
    return {
        "per_class": {
            label: {
                "precision": _number(scores[label].precision),
                "recall": _number(scores[label].recall),
                "f1": _number(scores[label].f1),
                "support": scores[label].support,
                "share_predicted": _number(float(share)),
            }
            for label, share in zip(labels, shares, strict=True)
        },
        "confusion": {
            "labels": [*labels, "none"],
            "rows_gold_columns_predicted": matrix.astype(int).tolist(),
        },
    }


def _number(value: float | None) -> float | None:
    """Six decimals; null for what is undefined."""
    return None if value is None or not np.isfinite(value) else round(float(value), 6)


def _bounds(found: Interval) -> list[float | None]:
    return [_number(found.low), _number(found.high)]


def summarise_groups(predictions: Predictions, *, cost: float = 2.0) -> dict[str, Any]:
    """`{"groups": {name: summary}}` where the predictions have groups, else nothing."""
    if predictions.groups is None:
        return {}
    names = np.array(predictions.groups)
    return {
        "groups": {str(name): summarise(predictions.subset(names == name), cost=cost) for name in np.unique(names)}
    }
