"""Tables of promises on random halves and of the cost dial: for the report, the docs and the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from epoche.report.bench_tables import Cell, Table

SPLIT_HEADERS = (
    "asked",
    "splits with a promise",
    "promised, mean",
    "coverage of the other half",
    "risk there",
    "splits above the promise",
    "above by chance",
)
DIAL_HEADERS = (
    "cost of a false support",
    "supported from P ≥",
    "coverage",
    "risk",
    "false supports",
    "false-support rate",
    "cost per item",
)


def promise_tables(name: str, found: Mapping[str, Any]) -> list[Table]:
    """Both tables of a run's `promises.json`."""
    delta, dial = found["delta"], found["dial"]
    costs = dial["costs"]
    title = f"{name}: " if name else ""
    return [
        Table(
            f"{title}promises on random halves",
            SPLIT_HEADERS,
            tuple(map(split_cells, found["splits"])),
            (
                f"Fitted and promised on one half with {1 - delta:.0%} certainty, counted on the other. Above by "
                "chance: how often a half as large would be, at the risk of both halves together.",
            ),
        ),
        Table(
            f"{title}cost dial",
            DIAL_HEADERS,
            tuple(map(dial_cells, dial["settings"])),
            (
                f"Answers by expected cost: false refutation {costs['false_refutation']:g}, no answer "
                f"{costs['abstain']:g}. Fitted on {dial['fitted_on']} other items of the run.",
            ),
        ),
    ]


def split_cells(row: Mapping[str, Any]) -> tuple[Cell, ...]:
    """One risk that was asked for."""
    asked = row["asked"] if row["asked"] == "lowest" else f"{row['asked']:.0%}"
    rest = ("coverage", "risk", "share_above", "share_above_expected")
    alpha = f"{row['alpha']:.1%}" if row["promised"] else ""
    cells = (Cell(row.get(key, "")) for key in rest)
    return (Cell(asked), Cell(f"{row['promised']} of {row['splits']}"), Cell(alpha), *cells)


def dial_cells(row: Mapping[str, Any]) -> tuple[Cell, ...]:
    """One cost of a false support."""
    return (
        Cell(f"{row['false_support']:g}"),
        Cell(f"{row['least']:.3f}"),
        Cell(row["answered"] / row["n"]),
        Cell(row["wrong"] / row["answered"] if row["answered"] else None),
        Cell(f"{row['false_supports']} of {row['supported']}"),
        Cell(row["false_supports"] / row["supported"] if row["supported"] else None),
        Cell(row["cost"]),
    )
