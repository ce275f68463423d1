"""The benchmark page: one file, nothing loaded from elsewhere. Tables and curves are there without scripts, too.

The script adds hovering, the choice of a run and of a target risk. Everything from a data set is escaped:
in markup by the template, in the data block by writing `<`, `>` and `&` as JSON escapes.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from typing import Any

from epoche.report.bench_tables import ablation_table, to_html
from epoche.report.bench_view import ItemView, RunView
from epoche.report.figures import COLOURS
from epoche.report.html import as_is, file_text, template

#: The plot's area in the page's drawing units; the script uses the same numbers.
LEFT, TOP, WIDTH, HEIGHT = 54, 14, 560, 300
_SMALL = 180


def render_bench_page(runs: Sequence[RunView], tables_html: str) -> str:
    """The page.

    Args:
        tables_html: tables over all runs, already escaped (`bench_tables.to_html`).
    """
    style = file_text("page.css") + file_text("bench_page.css")
    script = file_text("bench_page.js")
    top = max([p.risk for run in runs for p in run.points], default=1.0)
    top = min(1.0, max(0.1, 1.08 * top))
    return template("bench_page.html.jinja").render(
        runs=runs,
        tables=as_is(tables_html),
        curves=[(run, COLOURS[i % len(COLOURS)], _path(run, top)) for i, run in enumerate(runs)],
        ablations={
            run.name: as_is(to_html(ablation_table(run.name, run.ablations))) for run in runs if run.ablations
        },
        data=as_is(_data(runs, top)),
        style=as_is(style),
        style_sha256=_digest(style),
        script=as_is(script),
        script_sha256=_digest(script),
        area={"left": LEFT, "top": TOP, "width": WIDTH, "height": HEIGHT},
        risk_ticks=[(round(top * i / 4, 3), TOP + HEIGHT * (1 - i / 4)) for i in range(5)],
        coverage_ticks=[(i / 5, LEFT + WIDTH * i / 5) for i in range(6)],
        small=_SMALL,
    )


def _path(run: RunView, top: float) -> str:
    """The curve as points of a polyline."""
    places = [(LEFT + WIDTH * p.coverage, TOP + HEIGHT * (1 - p.risk / top)) for p in run.points]
    if len(places) == 1:
        places.append((places[0][0] + 0.01, places[0][1]))  # one threshold: a dot, by its round cap
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _data(runs: Sequence[RunView], top: float) -> str:
    content = {"top": top, "runs": [_run_data(run, i) for i, run in enumerate(runs)]}
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _run_data(run: RunView, number: int) -> dict[str, Any]:
    return {
        "name": run.name,
        "colour": COLOURS[number % len(COLOURS)],
        "n": run.summary["n"],
        "points": [[round(p.tau, 6), round(p.coverage, 6), round(p.risk, 6)] for p in run.points],
        "items": [_item_data(item) for item in run.items if item.confidence is not None],
    }


def _item_data(item: ItemView) -> list[Any]:
    return [item.id, item.statement, item.gold, item.predicted, item.confidence]


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
