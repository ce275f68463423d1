"""The benchmark page: its numbers by hand, what it withholds, and that nothing on it is markup by accident."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from epoche.backends.fake import ScriptedNli, Triple
from epoche.bench.compare import ablations_of, summary_of
from epoche.bench.datasets import Dataset, Item, given_sentences
from epoche.bench.predictions import Predictions
from epoche.bench.readings import Setup
from epoche.bench.run import run
from epoche.config import load_policy
from epoche.errors import BackendError
from epoche.report.bench_page import render_bench_page
from epoche.report.bench_view import RunView, points_of, view_of
from epoche.types import Kind, Label, Statement
from tests.bench.test_run import pipeline

PAPER = load_policy()
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
#: Scores per word of a premise: entailment, neutral, contradiction.
SCRIPT: dict[str, Triple] = {
    "rose": (0.9, 0.05, 0.05),
    "fell": (0.1, 0.1, 0.8),
    "kept": (0.3, 0.5, 0.2),
}


def model(premise: str, hypothesis: str) -> Triple:
    if "breaks" in premise:
        raise BackendError("scripted")
    return next(triple for word, triple in SCRIPT.items() if word in premise)


def claims(extra: tuple[Item, ...] = ()) -> Dataset:
    """Right at .85 (supported), wrong at .7 (refuted), right at .1 (unsettled), and one that breaks."""
    rows = [
        ("It rose.", Label.SUPPORTED),
        ("It fell.", Label.SUPPORTED),
        ("It kept.", Label.NOT_ENOUGH_EVIDENCE),
        ("It breaks.", Label.REFUTED),
    ]
    items = [
        Item(
            f"i{n}", Statement(text=f"Zinc {n} rises.", kind=Kind.CLAIM), (given_sentences(f"d{n}", [text]),), gold
        )
        for n, (text, gold) in enumerate(rows)
    ]
    return Dataset("scifact", "dev", "abstract", (*items, *extra), {"claims.jsonl": "0" * 64})


def view(tmp_path: Path, data: Dataset, name: str = "run", ablate: bool = False) -> RunView:
    record = run(data, pipeline(ScriptedNli(model), "whole"), tmp_path / name)
    return view_of(
        record, summary_of(record, Setup(PAPER)), ablations_of(record, PAPER) if ablate else None, name, PAPER
    )


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert found
    loaded: dict[str, Any] = json.loads(found[1])
    return loaded


class Markup(HTMLParser):
    """Elements and attributes of a page, as a browser takes them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


def test_the_curve_by_hand(tmp_path: Path) -> None:
    # The item that broke has no proposal: never answered, so coverage ends at 3/4.
    points = view(tmp_path, claims()).points
    assert [(p.tau, p.answered, p.wrong) for p in points] == [(0.85, 1, 0), (0.7, 2, 1), (0.1, 3, 1)]
    assert [p.coverage for p in points] == [0.25, 0.5, 0.75]
    assert [p.risk for p in points] == [0.0, 0.5, pytest.approx(1 / 3)]


def test_ties_are_one_point() -> None:
    predictions = Predictions(
        ids=list("abcdef"),
        labels=("x", "y"),
        gold=np.zeros(6, dtype=np.int64),
        predicted=np.array([0, 1, 0, 0, 1, 1]),
        confidence=np.array([0.9, 0.9, 0.9, 0.7, 0.7, 0.5]),
        answered=np.ones(6, dtype=np.bool_),
        failed=np.zeros(6, dtype=np.bool_),
    )
    assert [(p.tau, p.answered, p.wrong) for p in points_of(predictions)] == [(0.9, 3, 1), (0.7, 5, 2), (0.5, 6, 3)]


def test_the_page_holds_what_the_script_needs_to_withhold(tmp_path: Path) -> None:
    shown = data_of(render_bench_page([view(tmp_path, claims())], ""))["runs"][0]
    assert [point[:3] for point in shown["points"]] == [[0.85, 1, 0], [0.7, 2, 1], [0.1, 3, 1]]
    assert shown["labels"] == ["Supported", "Refuted", "Not enough evidence"]
    # What has no proposal is among the items: it is withheld at every threshold.
    assert [item[2:] for item in shown["items"]] == [[0, 0, 0.85], [0, 1, 0.7], [2, 2, 0.1], [1, None, None]]


def test_errors_show_the_passage_behind_the_label(tmp_path: Path) -> None:
    (error,) = view(tmp_path, claims()).errors
    (passage,) = error.evidence
    assert (error.id, error.gold, error.predicted) == ("i1", "supported", "refuted")
    assert (passage.document, passage.numbers, passage.text) == ("d1", (1,), "It fell.")
    assert (passage.direction, passage.probability) == ("contradiction", 0.8)


def test_an_unsettled_error_shows_both_directions(tmp_path: Path) -> None:
    claim = Statement(text="Iron rises.", kind=Kind.CLAIM)
    item = Item("u", claim, (given_sentences("d", ["It kept.", "They kept it."]),), Label.SUPPORTED)
    error = next(e for e in view(tmp_path, claims((item,))).errors if e.id == "u")
    assert [(p.direction, p.probability) for p in error.evidence] == [("support", 0.3), ("contradiction", 0.2)]


def test_text_of_a_data_set_never_becomes_markup(tmp_path: Path) -> None:
    claim = Statement(text=f"Iron {HOSTILE} \u202erises.", kind=Kind.CLAIM)
    item = Item("<b>9</b>", claim, (given_sentences("<i>d", [f"It fell {HOSTILE}"]),), Label.SUPPORTED)
    page = render_bench_page([view(tmp_path, claims((item,)), "a<u>b")], "")
    found = Markup(page)
    assert found.tags.count("script") == 2
    assert not {"img", "i", "u"} & set(found.tags)
    assert not [name for name, _ in found.attributes if name.startswith("on")]
    shown = data_of(page)["runs"][0]
    assert shown["name"] == "a<u>b"
    assert HOSTILE in shown["items"][-1][1]
    assert "\\u202e" in shown["items"][-1][1], "what hides or turns text is written out"


def test_the_page_asks_for_nothing_from_elsewhere(tmp_path: Path) -> None:
    page = render_bench_page([view(tmp_path, claims(), ablate=True)], "<table><tbody></tbody></table>")
    found = Markup(page)
    assert "http://" not in page
    assert "https://" not in page
    assert not {"link", "img", "iframe", "base"} & set(found.tags)
    assert not {"src", "href", "style"} & {name for name, _ in found.attributes}
    assert "default-src 'none'" in page


def test_every_table_names_its_protocol(tmp_path: Path) -> None:
    page = render_bench_page([view(tmp_path, claims(), ablate=True)], "")
    captions = re.findall(r"<caption>(.*?)</caption>", page)
    assert len(captions) == 3
    assert all("abstract" in caption for caption in captions)
    assert "looks perfect" in page, "the note on what no audit means"


def test_only_runs_on_the_same_data_share_a_plot(tmp_path: Path) -> None:
    first, second = view(tmp_path, claims(), "one"), view(tmp_path, claims(), "two")
    other = RunView("three", {**first.summary, "protocol": "rationale"}, None, first.points, (), (), ())
    page = render_bench_page([first, other, second], "")
    plots = re.findall(r'<figure class="curves".*?</figure>', page, re.S)
    assert [re.findall(r'data-run="(\d)"', plot) for plot in plots] == [["0", "2"], ["1"]]
    assert [r["plot"] for r in data_of(page)["runs"]] == [0, 1, 0]
    # The curve is drawn without the script, too, and begins at a quarter of the items.
    assert re.search(r'points="226\.00,334\.00 386\.00,14\.00 546\.00,120\.67"', plots[0])


def test_a_run_without_a_proposal_has_no_curve(tmp_path: Path) -> None:
    only = Dataset("scifact", "dev", "abstract", claims().items[3:], {})
    nothing = view(tmp_path, only)
    assert (nothing.points, nothing.errors, nothing.bins) == ((), (), ())
    assert data_of(render_bench_page([nothing], ""))["runs"][0]["points"] == []


def test_leaking_items_are_on_no_list(tmp_path: Path) -> None:
    claim = Statement(text="Iron rises.", kind=Kind.CLAIM)
    shown = view(tmp_path, claims((Item("leak", claim, (), Label.NOT_ENOUGH_EVIDENCE),)))
    assert [item.id for item in shown.items] == ["i0", "i1", "i2", "i3"]
    assert "gives their label away" in render_bench_page([shown], "")
