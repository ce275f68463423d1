"""The committed results as Markdown, for docs/benchmarks.md and the README."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.tables import body
from epoche.report.bench_tables import Cell, Table, ablation_table, main_table

HERE = Path(__file__).parent
RESULTS = HERE / "results"
#: The README's rows; others are in docs/benchmarks.md.
SHORT = ("scifact-abstract/rules--mini", "pubmedqa-train/rules--mini")


def _load(kind: str) -> dict[str, Any]:
    return {
        f"{path.parent.name}/{path.name.removesuffix(f'.{kind}.json')}": json.loads(
            path.read_text(encoding="utf-8")
        )
        for path in sorted(RESULTS.glob(f"*/*.{kind}.json"))
    }


def runs() -> str:
    """Every committed run, with intervals."""
    return body(main_table(_load("summary")))


def official() -> str:
    """SciFact's official scores of the runs over whole abstracts."""
    rows = [
        (Cell(name), Cell(kind.replace("_", " ")), *(Cell(score[k]) for k in ("precision", "recall", "f1")))
        for name, found in _load("official").items()
        for kind, score in found.items()
    ]
    return body(Table("", ("run", "score", "precision", "recall", "F1"), tuple(rows)))


def held_out() -> str:
    """Largest coverage at a target risk: on the same items, and on items the threshold was not chosen on."""
    rows = []
    for name, summary in _load("summary").items():
        for target, found in (summary["held_out"] or {}).items():
            rows.append(
                (
                    Cell(name),
                    Cell(f"{float(target):.0%}"),
                    Cell(summary["coverage_at_risk"][target]),
                    Cell(found["coverage"]),
                    Cell(found["risk"]),
                    Cell(found["share_of_halves_above"]),
                )
            )
    headers = (
        "run",
        "target risk",
        "coverage, same items",
        "coverage, held out",
        "risk, held out",
        "halves above target",
    )
    return body(Table("", headers, tuple(rows)))


def ablations() -> str:
    """The grid of the runs with the default decomposer."""
    found = {name: a for name, a in _load("ablations").items() if "/rules--" in name and "rationale" not in name}
    return "\n\n".join(f"**{name}**\n\n{body(ablation_table(name, grid))}" for name, grid in found.items())


def evidence_length() -> str:
    """False alarms against the number of irrelevant sentences."""
    content = json.loads((RESULTS / "evidence-length.json").read_text(encoding="utf-8"))
    headers = (
        "irrelevant sentences",
        "falsely contradicted",
        "if independent",
        "falsely supported",
        "threshold for 5 %",
    )
    rows = tuple(
        (
            Cell(r["sentences"]),
            Cell(r["false_contradiction"]),
            Cell(r["independent"]),
            Cell(r["false_support"]),
            Cell(r["contradiction_threshold_for_target"]),
        )
        for r in content["rows"]
    )
    return body(
        Table("", headers, rows, (f"{content['claims']} claims of {content['dataset']} {content['split']}.",))
    )


def speed() -> str:
    """The speed record."""
    record = json.loads((HERE / "speed.json").read_text(encoding="utf-8"))
    rows = tuple(
        (
            Cell(r["name"]),
            Cell(r.get("seconds", {}).get("median", "")),
            Cell(round(r["peak_mb"]["median"]) if "peak_mb" in r else ""),
            Cell(r.get("value", "")),
        )
        for r in record["rows"]
    )
    return body(Table("", ("what", "seconds", "peak MB", "per second"), rows))


def speed_line() -> str:
    """The figures of the README."""
    rows = {r["name"]: r for r in json.loads((HERE / "speed.json").read_text(encoding="utf-8"))["rows"]}
    cold = rows["epoche verify, 1 claim, 10 sentences, cold"]
    large = rows["epoche verify --nli base, 1 claim, 10 sentences, cold"]
    mini, base = (rows[f"pairs per second, 1 thread, {nli}"]["value"] for nli in ("mini", "base"))
    return (
        f"On two CPU cores a one-claim, ten-sentence check takes {cold['seconds']['median']:.2f} s and "
        f"{cold['peak_mb']['median']:.0f} MB from a cold start;\none thread audits "
        f"{mini:.0f} short pairs a second. With `base` it takes {large['seconds']['median']:.2f} s and "
        f"{large['peak_mb']['median']:.0f} MB, and each pair\n{mini / base:.0f} times as long "
        "([record](benchmarks/speed.json), `make bench`)."
    )


def short() -> str:
    """The README's table."""
    headers = ("data", "n", "accuracy", "macro-F1", "risk at 80 % coverage", "AURC", "false-support rate")
    rows = []
    for name, s in _load("summary").items():
        if name in SHORT:
            bounds = s["intervals"]

            def figure(key: str, s: Any = s, bounds: Any = bounds) -> Cell:
                return Cell(s[key], *(bounds.get(key) or (None, None)))

            rows.append(
                (
                    Cell(f"{s['dataset']} {s['split']} ({s['protocol']})"),
                    Cell(s["n"]),
                    figure("accuracy"),
                    figure("macro_f1"),
                    Cell(s["risk_at_coverage"]["0.8"], *bounds["risk_at_coverage"]["0.8"]),
                    figure("aurc"),
                    figure("false_support_rate"),
                )
            )
    return body(Table("", headers, tuple(rows)))


PARTS = {
    "runs": runs,
    "official": official,
    "held out": held_out,
    "ablations": ablations,
    "evidence length": evidence_length,
    "speed": speed,
    "speed line": speed_line,
    "results": short,
}
