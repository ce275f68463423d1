"""`results/faithfulness.json` and `results/decomposers.json` as Markdown, for the page on decomposers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.policy_pages import FIGURES
from benchmarks.tables import body
from epoche.report.bench_tables import Cell, Table
from epoche.report.model_tables import model_table

RESULTS = Path(__file__).parent / "results"
DATA = {"scifact": "SciFact dev", "pubmedqa": "PubMedQA train"}


def _load(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return loaded


def faithfulness() -> str:
    """Per fault: how many bad decompositions are let through, and how many good ones are stopped."""
    sets = _load("faithfulness")["sets"]
    headers = ["decompositions"]
    for title in sets:
        headers += [f"{title}: by words", f"{title}: and by NLI"]
    rows = []
    kinds = [kind for kind in next(iter(sets.values())) if kind != "good"]
    for kind in kinds:
        cells = [Cell(f"{kind.replace('-', ' ')}, let through")]
        for found in sets.values():
            cells += [Cell(f"{found[kind][key]} of {found[kind]['n']}") for key in ("words", "both")]
        rows.append(tuple(cells))
    total, good = [Cell("all bad, let through")], [Cell("good, stopped")]
    for found in sets.values():
        n = sum(found[kind]["n"] for kind in kinds)
        total += [Cell(f"{sum(found[kind][key] for kind in kinds)} of {n}") for key in ("words", "both")]
        fine = found["good"]
        good += [Cell(f"{fine['n'] - fine[key]} of {fine['n']}") for key in ("words", "both")]
    return body(Table("", tuple(headers), (*rows, tuple(total), tuple(good))))


def decomposers() -> str:
    """Every decomposer on both data sets."""
    parts = []
    for name, found in _load("decomposers").items():
        table = model_table(found["rows"])
        parts.append(f"{DATA[name]}:\n\n{body(Table('', table.headers, table.rows))}")
    return "\n\n".join(parts)


def paired() -> str:
    """Differences from `whole`."""
    rows = []
    for name, found in _load("decomposers").items():
        for pair, figures in found["paired"].items():
            cells = [Cell(figures[key]["value"], *figures[key]["interval"]) for key in FIGURES]
            rows.append((Cell(DATA[name]), Cell(pair), *cells))
    return body(Table("", ("items", "difference", *FIGURES.values()), tuple(rows)))


def split() -> str:
    """The statements that were split."""
    rows = [
        (
            Cell(DATA[name]),
            Cell(decomposer),
            *(Cell(counts[key]) for key in ("items", "changed", "right_whole", "right_split")),
        )
        for name, found in _load("decomposers").items()
        for decomposer, counts in found["where_split"].items()
    ]
    headers = ("items", "decomposer", "split", "another label than whole", "right whole", "right split")
    return body(Table("", headers, tuple(rows)))


PARTS = {
    "faithfulness": faithfulness,
    "decomposers": decomposers,
    "decomposers paired": paired,
    "decomposers split": split,
}
