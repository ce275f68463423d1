"""Run summaries as tables: one row per run, each figure with its interval; Markdown, CSV, LaTeX and HTML."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from epoche.report.markdown import escaped as escape_markdown

_UNSETTLED = ("not_enough_evidence", "maybe")


@dataclass(frozen=True)
class Cell:
    """A figure and its 95 % interval, or text. None is shown as undefined, never as 0."""

    value: float | int | str | None
    low: float | None = None
    high: float | None = None

    def text(self, dash: str = "–") -> str:
        """As people read it."""
        if self.value is None:
            return "undefined"
        if not isinstance(self.value, float):
            return str(self.value)
        if self.low is None or self.high is None:
            return f"{self.value:.3f}"
        return f"{self.value:.3f} [{self.low:.3f}{dash}{self.high:.3f}]"


@dataclass(frozen=True)
class Table:
    """A title that names what is compared, headers, and rows of cells."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


def main_table(summaries: Mapping[str, Mapping[str, Any]]) -> Table:
    """The paper's table with our rows: one per run, the protocol beside every figure.

    Args:
        summaries: run name → `summary.json`.
    """
    headers = (
        "run", "data", "protocol", "decomposer", "NLI", "policy", "n", "accuracy", "macro-F1", "risk@80", "risk@90",
        "risk@100", "AURC", "AUROC of failure", "false-support rate", "ECE", "unsettled", "withheld",
    )  # fmt: skip
    notes = [
        f"{name}: {summary['note']}." for name, summary in summaries.items() if summary.get("leaking_items", 0) > 0
    ]
    notes.append(
        "Accuracy, macro-F1, the risks, AURC and ECE are of the forced proposals (τ = 0). unsettled: share "
        "proposed as not enough evidence or maybe; withheld: share not answered under the policy. Brackets: 95 % "
        "intervals."
    )
    return Table(
        "Runs", headers, tuple(_main_row(name, summary) for name, summary in summaries.items()), tuple(notes)
    )


def _main_row(name: str, summary: Mapping[str, Any]) -> tuple[Cell, ...]:
    intervals = summary["intervals"]

    def figure(key: str) -> Cell:
        return Cell(summary.get(key), *(intervals.get(key) or (None, None)))

    def risk(coverage: str) -> Cell:
        bounds = (intervals.get("risk_at_coverage") or {}).get(coverage) or (None, None)
        return Cell((summary.get("risk_at_coverage") or {}).get(coverage), *bounds)

    unsettled = sum(summary["per_class"][c]["share_predicted"] for c in _UNSETTLED if c in summary["per_class"])
    return (
        Cell(name),
        Cell(f"{summary['dataset']} {summary['split']}"),
        Cell(summary["protocol"]),
        Cell(summary["decomposer"]),
        Cell(summary["nli"]),
        Cell(summary["policy"]["name"]),
        Cell(summary["n"]),
        *(figure(k) for k in ("accuracy", "macro_f1")),
        *(risk(c) for c in ("0.8", "0.9", "1.0")),
        *(figure(k) for k in ("aurc", "auroc_failure", "false_support_rate", "ece")),
        Cell(round(unsettled, 6)),
        Cell(round(summary["abstentions"] / summary["n"], 6)),
    )


def ablation_table(name: str, ablations: Mapping[str, Any]) -> Table:
    """The readings of one run. "No audit" answers the same label always; see the note."""
    headers = (
        "reading",
        "accuracy",
        "macro-F1",
        "risk@80",
        "AURC",
        "AUROC of failure",
        "false-support rate",
        "ECE",
    )
    rows = []
    for reading, found in ablations["rows"].items():
        intervals = found["intervals"]

        def figure(key: str, found: Any = found, intervals: Any = intervals) -> Cell:
            return Cell(found.get(key), *(intervals.get(key) or (None, None)))

        risks, bounds = found.get("risk_at_coverage") or {}, intervals.get("risk_at_coverage") or {}
        rows.append(
            (
                Cell(reading),
                *(figure(k) for k in ("accuracy", "macro_f1")),
                Cell(risks.get("0.8"), *(bounds.get("0.8") or (None, None))),
                *(figure(k) for k in ("aurc", "auroc_failure", "false_support_rate")),
                Cell(found.get("ece")),
            )
        )
    identity = ablations["identity"]
    title = f"Ablations of {name}: {identity['dataset']} {identity['split']} ({identity['protocol']})"
    note = (
        "No audit leaves every condition missing, so every proposal is the unsettled label: right on every item of "
        "a set whose missing gold labels default to that label. Its accuracy here is the share of that label."
    )
    return Table(title, headers, tuple(rows), (note,))


def to_markdown(table: Table) -> str:
    """A Markdown table under its title, notes after it."""
    lines = [f"### {escape_markdown(table.title)}", "", "| " + " | ".join(table.headers) + " |"]
    lines.append("|" + "---|" * len(table.headers))
    lines += ["| " + " | ".join(_markdown_cell(c) for c in row) + " |" for row in table.rows]
    return "\n".join([*lines, "", *(f"{escape_markdown(note)}\n" for note in table.notes)])


def _markdown_cell(cell: Cell) -> str:
    return escape_markdown(cell.value) if isinstance(cell.value, str) else cell.text()


def to_csv(table: Table) -> str:
    """Plain columns; a column with intervals has `… low` and `… high` beside it. Undefined is empty."""
    wide = [any(row[i].low is not None for row in table.rows) for i in range(len(table.headers))]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    headers: list[str] = []
    for header, has in zip(table.headers, wide, strict=True):
        headers += [header, f"{header} low", f"{header} high"] if has else [header]
    writer.writerow(headers)
    for row in table.rows:
        cells: list[Any] = []
        for cell, has in zip(row, wide, strict=True):
            cells += [_spreadsheet(v) for v in ((cell.value, cell.low, cell.high) if has else (cell.value,))]
        writer.writerow(cells)
    return out.getvalue()


def _spreadsheet(value: float | int | str | None) -> float | int | str:
    """Text that a spreadsheet would run as a formula is quoted."""
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t") else value


_TEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def to_latex(table: Table) -> str:
    """A `tabular` with booktabs rules; figures on the left of their small intervals."""

    def escaped(text: str) -> str:
        return "".join(_TEX.get(c, c) for c in text)

    columns = "".join("l" if isinstance(c.value, str) else "r" for c in table.rows[0]) if table.rows else ""
    lines = [f"% {table.title}", rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    lines.append(" & ".join(escaped(h) for h in table.headers) + r" \\")
    lines.append(r"\midrule")
    lines += [" & ".join(escaped(c.text("--")) for c in row) + r" \\" for row in table.rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def to_html(table: Table) -> str:
    """A table element with a caption; everything escaped."""
    head = "".join(f'<th scope="col">{html.escape(h)}</th>' for h in table.headers)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(c.text())}</td>" for c in row) + "</tr>\n" for row in table.rows
    )
    notes = "".join(f'<p class="note">{html.escape(n)}</p>\n' for n in table.notes)
    caption = f"<caption>{html.escape(table.title)}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>\n{notes}"


def comparison_table(rows: Sequence[tuple[str, str, int, Mapping[str, Sequence[float]]]]) -> Table:
    """Differences between two runs on the same items: (first, second, n, metric → (value, low, high))."""
    metrics = list(rows[0][3]) if rows else []
    headers = ("first", "second", "n", *(f"{m}, first − second" for m in metrics))
    body = tuple(
        (Cell(a), Cell(b), Cell(n), *(Cell(float(found[m][0]), found[m][1], found[m][2]) for m in metrics))
        for a, b, n, found in rows
    )
    note = "Paired bootstrap over the items that both runs propose a label for; 0 in the interval: no difference."
    return Table("Runs on the same items", headers, body, (note,))
