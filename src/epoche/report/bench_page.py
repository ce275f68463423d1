"""The benchmark page: one file, nothing loaded from elsewhere. Tables and curves are there without scripts, too.

The script adds reading a threshold off a curve and the choice of a run and of a target risk. Everything from a
data set is escaped: in markup by the template, in the data block by writing `<`, `>` and `&` as JSON escapes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from epoche.report import words
from epoche.report.bench_tables import ablation_table, to_html
from epoche.report.bench_view import RunView
from epoche.report.html import as_is, file_text, template
from epoche.types import Label, Reason

#: The plot's area in its drawing units; the script gets the same numbers.
AREA = {"left": 66, "top": 14, "width": 640, "height": 320}
#: Side of the square of a reliability plot.
SQUARE = 220
#: Colours of curves in the style sheet (`.c0` …) and their dashes.
_COLOURS, _DASHES = 7, ("", "8 6", "2 4", "9 4 2 4")


@dataclass(frozen=True)
class Line:
    """A run's curve as drawn."""

    number: int
    name: str
    colour: str
    dash: str
    path: str


@dataclass(frozen=True)
class Plot:
    """The curves of the runs on the same data under the same protocol; others do not compare."""

    title: str
    #: The risk at the top of the plot.
    top: float
    lines: tuple[Line, ...]
    ticks: tuple[tuple[str, float], ...]


def render_bench_page(runs: Sequence[RunView], tables_html: str) -> str:
    """The page.

    Args:
        tables_html: tables over all runs, already escaped (`bench_tables.to_html`).
    """
    style = file_text("page.css") + file_text("bench_page.css")
    script = file_text("bench_page.js")
    plots = _plots(runs)
    return template("bench_page.html.jinja").render(
        runs=runs,
        tables=as_is(_scrolling(tables_html)),
        plots=plots,
        area=AREA,
        coverages=[(f"{i / 5:.1f}", AREA["left"] + AREA["width"] * i / 5) for i in range(6)],
        square=SQUARE,
        label=_label,
        reason=_reason,
        shade=_shade,
        ablations={run.name: as_is(_ablations(run)) for run in runs if run.ablations},
        data=as_is(_data(runs, plots)),
        style=as_is(style),
        style_sha256=_digest(style),
        script=as_is(script),
        script_sha256=_digest(script),
    )


def _plots(runs: Sequence[RunView]) -> list[Plot]:
    by_data: dict[str, list[tuple[int, RunView]]] = {}
    for number, run in enumerate(runs):
        by_data.setdefault(run.data, []).append((number, run))
    plots = []
    for title, members in by_data.items():
        highest = max([p.risk for _, run in members for p in run.points], default=1.0)
        top = min(1.0, max(0.1, math.ceil(highest * 10 - 1e-9) / 10))
        lines = tuple(
            Line(number, run.name, f"c{i % _COLOURS}", _DASHES[i % len(_DASHES)], _path(run, top))
            for i, (number, run) in enumerate(members)
        )
        plots.append(Plot(title, top, lines, _ticks(top)))
    return plots


def _ticks(top: float) -> tuple[tuple[str, float], ...]:
    """(words, y) of the lines of a grid, a tenth apart, a fiftieth where the plot is low."""
    step = 0.1 if top > 0.3 else 0.02 if top <= 0.1 else 0.05
    values = [i * step for i in range(round(top / step) + 1)]
    return tuple((f"{v:.2f}", round(AREA["top"] + AREA["height"] * (1 - v / top), 2)) for v in values)


def _path(run: RunView, top: float) -> str:
    """The curve as the points of a polyline, from the lowest coverage that a threshold reaches."""
    places = [
        (AREA["left"] + AREA["width"] * p.coverage, AREA["top"] + AREA["height"] * (1 - p.risk / top))
        for p in run.points
    ]
    if len(places) == 1:
        places.append((places[0][0] + 0.01, places[0][1]))  # one threshold: a dot, by its round cap
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in places)


def _ablations(run: RunView) -> str:
    # The page says in its own place, with this run's figures, what the table's note says.
    return _scrolling(to_html(replace(ablation_table(run.name, run.ablations or {}), notes=())))


def _scrolling(tables: str) -> str:
    """Wide tables scroll by themselves, by keyboard too. `<table>` is markup here: text is escaped."""
    box = '<div class="scroll" tabindex="0" role="region" aria-label="Table, scrolls sideways"><table>'
    return tables.replace("<table>", box).replace("</table>", "</table></div>")


def _label(name: str | None) -> str:
    """A label in words."""
    if name is None or name == "none":
        return "Nothing proposed"
    return words.LABELS[Label(name)][0] if name in set(Label) else words.plain(name)


def _reason(name: str) -> str:
    """Why an item is not answered, in words."""
    return words.REASONS[Reason(name)] if name in set(Reason) else words.plain(name)


def _shade(count: int, row: Sequence[int]) -> int:
    """How dark a cell is, 0 to 5, by its share of the row."""
    return round(5 * count / sum(row)) if sum(row) else 0


def _data(runs: Sequence[RunView], plots: Sequence[Plot]) -> str:
    place = {line.number: (i, line.colour) for i, plot in enumerate(plots) for line in plot.lines}
    content = {
        "area": AREA,
        "tops": [plot.top for plot in plots],
        "runs": [_run_data(run, *place[i]) for i, run in enumerate(runs)],
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _run_data(run: RunView, plot: int, colour: str) -> Mapping[str, Any]:
    """Items as rows: id, statement, gold, predicted (numbers of `labels`; null: nothing proposed), confidence."""
    labels = [name for name in run.summary["confusion"]["labels"] if name != "none"]
    return {
        "name": run.name,
        "plot": plot,
        "colour": colour,
        "labels": [_label(name) for name in labels],
        "points": [[p.tau, p.answered, p.wrong, round(p.low, 4), round(p.high, 4)] for p in run.points],
        "held": run.summary["held_out"] or {},
        "items": [
            [
                item.id,
                item.statement,
                labels.index(item.gold),
                None if item.predicted is None else labels.index(item.predicted),
                item.confidence,
            ]
            for item in run.items
        ],
    }


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
