"""`results/policies.json` and `results/guarantees.json` as Markdown, for the pages on policies and guarantees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.tables import body
from epoche.config import DEFAULT, named_policy
from epoche.report.bench_tables import Cell, Table
from epoche.report.promise_tables import DIAL_HEADERS, SPLIT_HEADERS, dial_cells, split_cells
from epoche.types import Kind

RESULTS = Path(__file__).parent / "results"
KINDS = {"claim": "claims (SciFact)", "question": "questions (PubMedQA)"}
FIGURES = {
    "accuracy": "accuracy",
    "macro_f1": "macro-F1",
    "aurc": "AURC",
    "e_aurc": "E-AURC",
    "auroc_failure": "AUROC of failure",
    "risk_at_80": "risk@80",
    "least_risk_at_80": "least possible risk@80",
}


def _policies() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((RESULTS / "policies.json").read_text(encoding="utf-8"))
    return loaded


def ranking() -> str:
    """`paper` beside `calibrated`, and the paired differences."""
    rows = []
    for kind, found in _policies().items():
        for name, figures in found["ranking"].items():
            cells = [Cell(figures[key]["value"], *figures[key]["interval"]) for key in FIGURES]
            rows.append((Cell(KINDS[kind]), Cell(name), *cells))
    return body(Table("", ("items", "policy", *FIGURES.values()), tuple(rows)))


def promises() -> str:
    """Promises made on the calibration parts, counted on items they have not seen."""
    rows = []
    for kind, found in _policies().items():
        for p in found["promises"]:
            asked = p["asked"] if p["asked"] == "lowest" else f"{p['asked']:.0%}"
            if "alpha" not in p:
                rows.append((Cell(KINDS[kind]), Cell(asked), Cell("none"), *[Cell("")] * 5))
                continue
            counted, on = p["counted"], p["on"]
            rows.append(
                (
                    Cell(KINDS[kind]),
                    Cell(asked),
                    Cell(f"{p['alpha']:.1%}"),
                    Cell(f"{counted['errors']} of {counted['answered']}, of {p['promised_on']} items"),
                    Cell(f"{on['errors']} of {on['answered']}, of {on['items']} items"),
                    Cell(on["risk"]),
                    Cell(on["coverage"]),
                    Cell(on["verdict"]),
                )
            )
    headers = ("items", "asked", "promised", "wrong when made", "wrong on new items", "risk", "coverage", "verdict")
    return body(Table("", headers, tuple(rows)))


def answered() -> str:
    """The shipped policies under their own τ."""
    names = {
        "coverage": "coverage",
        "risk": "risk",
        "decisive_risk": "decisive risk",
        "false_support_rate": "false-support rate",
        "ece": "ECE",
    }
    rows = []
    for kind, found in _policies().items():
        for policy, figures in found["answered"].items():
            cells = [Cell(figures[k]["value"], *(figures[k]["interval"] or (None, None))) for k in names]
            rows.append((Cell(KINDS[kind]), Cell(policy), *cells))
    return body(Table("", ("items", "policy", *names.values()), tuple(rows)))


def by_label() -> str:
    """The answers of the shipped policies, label by label."""
    rows = [
        (
            Cell(KINDS[kind]),
            Cell(policy),
            Cell(label.replace("_", " ")),
            Cell(f["gold"]),
            Cell(f["answered"]),
            Cell(f["wrong"]),
        )
        for kind, found in _policies().items()
        for policy, figures in found["answered"].items()
        for label, f in figures["by_label"].items()
    ]
    return body(Table("", ("items", "policy", "answer", "gold items", "answered so", "wrong"), tuple(rows)))


def splits() -> str:
    """Random halves of calibration part and other items."""
    rows = [
        (Cell(KINDS[kind]), *split_cells(row)) for kind, found in _policies().items() for row in found["splits"]
    ]
    return body(Table("", ("items", *SPLIT_HEADERS), tuple(rows)))


def dial() -> str:
    """What a dearer false support does to the shipped policy for claims."""
    return body(Table("", DIAL_HEADERS, tuple(map(dial_cells, _policies()["claim"]["dial"]))))


def simulation() -> str:
    """Promises in simulated populations: the worst of each setting over populations."""
    found = json.loads((RESULTS / "guarantees.json").read_text(encoding="utf-8"))
    settings: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in found["rows"]:
        settings.setdefault((row["n"], row["alpha"], row["delta"]), []).append(row)
    rows = [
        (
            Cell(method),
            Cell(n),
            Cell(f"{alpha:.0%}"),
            Cell(f"{delta:.0%}"),
            Cell(max(r[method]["broken"] for r in group)),
            Cell(sum(r[method]["coverage"] for r in group) / len(group)),
            Cell(sum(r["oracle"] for r in group) / len(group)),
        )
        for method in ("ltt", "sgr")
        for (n, alpha, delta), group in sorted(settings.items())
    ]
    headers = ("method", "n", "α", "δ", "broken, worst population", "coverage, mean", "oracle's coverage, mean")
    return body(Table("", headers, tuple(rows)))


def line() -> str:
    """The README's sentence about the default for claims."""
    found = _policies()["claim"]
    paper, ours, gap = (found["ranking"][name] for name in ("paper", "calibrated", "calibrated − paper"))

    def figure(key: str) -> str:
        low, high = gap[key]["interval"]
        return f"{paper[key]['value']:.3f} → {ours[key]['value']:.3f} (difference {low:+.3f} to {high:+.3f})"

    name, split, n = found["on"]
    return (
        f"On {n} claims of {name} {split}, `paper` → `calibrated`, with 95 % intervals of the paired difference: "
        f"AURC\n{figure('aurc')}, macro-F1 {figure('macro_f1')},\n"
        f"AUROC of failure {figure('auroc_failure')}, risk at 80 % coverage\n{figure('risk_at_80')}."
    )


def default_promise() -> str:
    """What the shipped policy for claims was made on, and what it promises."""
    file = named_policy(DEFAULT, Kind.CLAIM)
    (promise,), made = file.promises, file.calibration
    if made is None or promise.delta is None:
        raise ValueError("the default for claims has no promise")
    fitted, promised = made.fitted_on, made.promised_on
    return (
        f"The default for claims promises at most {promise.alpha:.1%} wrong answers with {1 - promise.delta:.0%} "
        f"certainty, on claims like\nSciFact's: {fitted} items of the calibration part fitted its posterior, "
        f"the other {promised} carry the promise."
    )


PARTS = {
    "default promise": default_promise,
    "policy line": line,
    "policy ranking": ranking,
    "answered": answered,
    "answers by label": by_label,
    "promises": promises,
    "splits": splits,
    "dial": dial,
    "simulation": simulation,
}
