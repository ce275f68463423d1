"""Decomposers side by side: what they do to the figures, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from epoche.report.bench_tables import Cell, Table

_HEADERS = (
    "model", "n", "accuracy", "macro-F1", "risk@80", "risk@90", "risk@100", "AURC", "conditions per statement",
    "split", "replies not usable", "conditions dropped", "failed", "tokens", "cost", "seconds",
)  # fmt: skip


def model_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """One row per model of `models.json`; a model that was not run has its reason and no figure."""
    notes = [f"{row['name']}: {row['not_run']}." for row in rows if "not_run" in row]
    notes.append(
        "Figures are of the forced proposals (τ = 0), brackets are 95 % intervals. split: statements with more "
        "than one condition; replies not usable: after a second try, so that the statement was checked whole; "
        "seconds: spent waiting for replies."
    )
    return Table("Decomposers", _HEADERS, tuple(_row(row) for row in rows), tuple(notes))


def _row(row: Mapping[str, Any]) -> tuple[Cell, ...]:
    name = Cell(f"{row['name']}{' (paper)' if row.get('paper') else ''}")
    summary = row.get("summary")
    if summary is None:
        return (name, Cell("not run"), *[Cell("")] * (len(_HEADERS) - 2))
    intervals = summary["intervals"]

    def figure(key: str) -> Cell:
        return Cell(summary.get(key), *(intervals.get(key) or (None, None)))

    def risk(coverage: str) -> Cell:
        bounds = (intervals.get("risk_at_coverage") or {}).get(coverage) or (None, None)
        return Cell((summary.get("risk_at_coverage") or {}).get(coverage), *bounds)

    split, used = summary["decomposition"], row.get("usage", {})
    return (
        name,
        Cell(summary["n"]),
        figure("accuracy"),
        figure("macro_f1"),
        *(risk(c) for c in ("0.8", "0.9", "1.0")),
        figure("aurc"),
        Cell(f"{split['conditions_mean']:.2f}"),
        Cell(split["split"]),
        Cell(f"{split['unusable']} of {split['asked']}" if split["asked"] else ""),
        Cell(split["dropped_conditions"]),
        Cell(split["failures"]),
        Cell(f"{used['prompt_tokens']:.0f} + {used['reply_tokens']:.0f}" if used else ""),
        Cell(f"{used['cost']:.4f}" if used else ""),
        Cell(f"{used['seconds']:.0f}" if used else ""),
    )
