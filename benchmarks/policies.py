"""The shipped policies, and whether they keep what they promise: `python benchmarks/policies.py`.

Fits and promises on the calibration parts alone, writes the policies into the package, then measures them on
SciFact dev and on the other training items of PubMedQA, which nothing was fitted on. `results/policies.json` has
the figures: promises checked, 200 random splits, the ranking beside `paper`, the cost dial.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from reproduce import epoche

from epoche.bench.readings import Setup, Table, predictions_of
from epoche.bench.record import Run, load_run
from epoche.bench.score import summarise
from epoche.calibrate.checking import check_items
from epoche.calibrate.dial import settings
from epoche.calibrate.fitting import calibrated_rule, fitted, share
from epoche.calibrate.labelled import of_run
from epoche.calibrate.making import calibrate
from epoche.calibrate.promise import Wanted
from epoche.calibrate.splits import DELTA, RISKS, joined, promises_of
from epoche.config import CALIBRATED_FILES, POLICIES, load_policy
from epoche.metrics import selective
from epoche.metrics.selective import group
from epoche.policy import Costs, Policy
from epoche.types import Kind

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "policies.json"
RESAMPLES = 2000
SEED = 20260727
PARTS = {
    Kind.CLAIM: (["scifact", "--split", "calibration"], ["scifact", "--split", "dev"]),
    Kind.QUESTION: (["pubmedqa", "--split", "calibration"], ["pubmedqa", "--split", "train"]),
}
Metric = dict[str, float]


def records(work: Path, kind: Kind, threads: str) -> tuple[Run, Run]:
    """The records of the calibration part and of the items it is checked on."""
    found = []
    for arguments in PARTS[kind]:
        out = work / "policies" / f"{arguments[0]}-{arguments[-1]}"
        epoche("bench", *arguments, "--out", str(out), "--threads", threads)
        found.append(load_run(out))
    calibration, other = found
    known = {item.id for item in calibration.items}
    return calibration, dataclasses.replace(other, items=tuple(i for i in other.items if i.id not in known))


def write_policies(runs: dict[Kind, tuple[Run, Run]]) -> None:
    """Both shipped files. Questions get no promise: docs/policies.md says why."""
    for kind, wanted in ((Kind.CLAIM, Wanted(None, DELTA)), (Kind.QUESTION, None)):
        made = calibrate(runs[kind][0].folder, "calibrated", wanted)
        if made.file.calibration is not None and made.file.calibration.missing:
            raise SystemExit(f"{kind}: {made.file.calibration.missing}")
        CALIBRATED_FILES[kind].write_text(made.file.model_dump_json(indent=1) + "\n", encoding="utf-8")


def checked(calibration: Run, other: Run, risk: float | None) -> dict[str, Any]:
    """One promise made on the calibration part, counted on the other items."""
    made = calibrate(calibration.folder, "calibrated", Wanted(risk, DELTA))
    row: dict[str, Any] = {"asked": "lowest" if risk is None else risk, "promised_on": made.items.n}
    if not made.file.promises:
        return row | {"missing": made.file.calibration.missing if made.file.calibration else ""}
    promised = made.file.promises[0]
    report = check_items(made.file, of_run(other, made.file.policy))
    found = report.rows[0]
    return row | {
        "alpha": promised.alpha,
        "delta": promised.delta,
        "tau": made.file.tau,
        "counted": {"answered": promised.answered, "errors": promised.errors, "interval": promised.interval},
        "on": {
            "items": report.items.n,
            "answered": found.answered,
            "errors": found.errors,
            "coverage": round(found.coverage, 4),
            "risk": round(found.errors / found.answered, 4) if found.answered else None,
            "bounds": [round(b, 4) for b in found.bounds],
            "verdict": found.verdict,
            "same_mix": None if report.same_mix is None else round(report.same_mix, 4),
        },
    }


def figures(error: NDArray[np.float64], confidence: NDArray[np.float64], matrix: NDArray[np.float64]) -> Metric:
    """The ranking and the proposals of one policy."""
    groups = group(confidence, error)
    n, wrong = float(groups.n), float(groups.wrong)
    at = selective.at_coverage(groups, 0.8)
    answered = max(1.0, round(at.coverage * n))
    f1 = [2 * matrix[i, i] / total for i in range(len(matrix)) if (total := matrix[i].sum() + matrix[:, i].sum())]
    return {
        "accuracy": 1.0 - wrong / n,
        "macro_f1": float(np.mean(f1)),
        "aurc": float(selective.aurc(groups)),
        "e_aurc": float(selective.e_aurc(groups)),
        "auroc_failure": float(selective.auroc_failure(groups)),
        "risk_at_80": float("nan") if at.risk is None else at.risk,
        "least_risk_at_80": max(0.0, wrong - (n - answered)) / answered,
    }


def compared(readings: dict[str, Any]) -> dict[str, Any]:
    """Figures of each policy with bootstrap intervals, and the paired differences from the first."""
    generator = np.random.default_rng(SEED)
    first = next(iter(readings.values()))
    n = first.n
    proposed = np.all([p.proposed for p in readings.values()], axis=0)
    draws = [generator.integers(n, size=n) for _ in range(RESAMPLES)]

    def of(p: Any, rows: NDArray[np.int64]) -> Metric:
        rows = rows[proposed[rows]]
        k = len(p.labels)
        matrix = np.bincount(p.gold[rows] * k + p.predicted[rows], minlength=k * k).reshape(k, k)
        return figures(p.error[rows], p.confidence[rows], matrix.astype(np.float64))

    everything = np.arange(n)
    points = {name: of(p, everything) for name, p in readings.items()}
    resampled = {name: [of(p, rows) for rows in draws] for name, p in readings.items()}
    names = list(readings)
    result: dict[str, Any] = {
        name: {
            key: {"value": round(points[name][key], 4), "interval": _interval([r[key] for r in resampled[name]])}
            for key in points[name]
        }
        for name in names
    }
    for name in names[1:]:
        result[f"{name} − {names[0]}"] = {
            key: {
                "value": round(points[name][key] - points[names[0]][key], 4),
                "interval": _interval(
                    [a[key] - b[key] for a, b in zip(resampled[name], resampled[names[0]], strict=True)]
                ),
            }
            for key in points[name]
        }
    return result


ANSWERED = ("coverage", "risk", "decisive_risk", "false_support_rate", "ece")


def answered(run: Run, policy: Policy) -> dict[str, Any]:
    """What a shipped policy answers under its own τ, and how often that is wrong."""
    predictions = predictions_of(run, Table(run, Setup(policy)).read(Setup(policy)))
    found = summarise(predictions, brief=True)
    by_label = {}
    for code, label in enumerate(predictions.labels):
        own = predictions.answered & (predictions.predicted == code)
        by_label[label] = {
            "gold": int((predictions.gold == code).sum()),
            "answered": int(own.sum()),
            "wrong": int(predictions.error[own].sum()),
        }
    return {
        key: {"value": found[key], "of": found.get(f"{key}_of"), "interval": found["intervals"].get(key)}
        for key in ANSWERED
    } | {"reasons": found["abstention_reasons"], "by_label": by_label}


def _interval(values: Sequence[float]) -> list[float]:
    return [round(float(q), 4) for q in np.nanquantile(values, [0.025, 0.975])]


def cross_validated(run: Run, kind: Kind) -> Any:
    """Predictions of `run` under posteriors fitted on its other folds."""
    rule = calibrated_rule(kind, Costs())
    table = Table(run, Setup(rule))
    folds = np.array([int(share(f"outer {item.id}") * 5) for item in run.items])
    readings: list[Any] = [None] * len(run.items)
    for fold in range(5):
        policy = fitted(run, (folds != fold).tolist(), Costs(), table=table)
        found = table.read(Setup(policy))
        for i in np.flatnonzero(folds == fold):
            readings[i] = found[i]
    return predictions_of(run, readings)


def ranking(other: Run, kind: Kind) -> dict[str, Any]:
    """`paper`, the shipped policy, and one fitted on these items by cross-validation."""
    shipped = load_policy("calibrated", kind)
    readings = {
        "paper": predictions_of(other, Table(other, Setup(POLICIES["paper"])).read(Setup(POLICIES["paper"]))),
        "calibrated": predictions_of(other, Table(other, Setup(shipped)).read(Setup(shipped))),
        "cross-validated": cross_validated(other, kind),
    }
    return compared(readings)


def main() -> None:
    """Writes both policies and the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", default="2")
    parser.add_argument("--work", type=Path, default=HERE / "work")
    options = parser.parse_args()
    runs = {kind: records(options.work, kind, options.threads) for kind in Kind}
    write_policies(runs)
    found: dict[str, Any] = {}
    for kind, (calibration, other) in runs.items():
        found[kind.value] = {
            "calibration": {"items": len(calibration.items), "data": calibration.meta["identity"]["data_sha256"]},
            "on": [other.meta["identity"]["dataset"], other.meta["identity"]["split"], len(other.items)],
            "promises": [checked(calibration, other, risk) for risk in RISKS],
            "splits": promises_of(joined([calibration, other]))["splits"],
            "ranking": ranking(other, kind),
            "answered": {name: answered(other, load_policy(name, kind)) for name in ("paper", "calibrated")},
            "dial": [dataclasses.asdict(s) for s in settings(other, load_policy("calibrated", kind))],
        }
        print(kind, json.dumps(found[kind.value])[:2000], flush=True)
    RESULTS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
