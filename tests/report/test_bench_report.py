"""Tables, figures and the page of benchmark runs."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest

from epoche.bench.compare import Plan, ablations_of, run_and_score, summary_of
from epoche.bench.datasets import Dataset, Item, given_sentences
from epoche.bench.readings import Setup
from epoche.bench.record import load_run, write_json
from epoche.bench.run import run
from epoche.config import load_policy
from epoche.errors import InputError, OptionError
from epoche.report.bench_report import run_folders, write_report
from epoche.report.bench_tables import Cell, Table, comparison_table, to_csv, to_html, to_latex, to_markdown
from epoche.report.bench_view import view_of
from epoche.report.figures import NamedCurve, reliability_figure, risk_coverage_figure
from epoche.types import Kind, Label, Statement
from tests.bench.test_run import dataset, pipeline

PAPER = load_policy()
HOSTILE = '</script><script>alert("1")</script> & $x$ | pain'


def hostile() -> Dataset:
    items = list(dataset(12).items)
    claim = Statement(text=f"Zinc lowers {HOSTILE}.", kind=Kind.CLAIM)
    items.append(Item("<b>99</b>", claim, (given_sentences("d<i>", [HOSTILE, "Zinc rose."]),), Label.REFUTED))
    return Dataset("scifact", "dev", "abstract", tuple(items), {"claims.jsonl": "0" * 64})


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    for name in ("rules", "whole"):
        folder = tmp_path / "runs" / name
        record = run(hostile(), pipeline(decomposer=name), folder)
        write_json(folder / "summary.json", summary_of(record, Setup(PAPER)))
        write_json(folder / "ablations.json", ablations_of(record, PAPER))
    return tmp_path / "runs"


def test_a_report_holds_tables_figures_and_a_page(finished: Path, tmp_path: Path) -> None:
    written = write_report([finished], tmp_path / "report")
    names = {path.name for path in written}
    assert {"index.html", "tables.md", "runs.csv", "runs.tex", "ablations-rules.csv"} <= names
    assert {"risk-coverage-scifact-dev-abstract.svg", "risk-coverage-scifact-dev-abstract.png"} <= names
    assert names == {p.name for p in (tmp_path / "report").iterdir()}, "nothing half written is left"
    rows = list(csv.DictReader(io.StringIO((tmp_path / "report" / "runs.csv").read_text("utf-8"))))
    stored = json.loads((finished / "rules" / "summary.json").read_text("utf-8"))
    assert float(rows[0]["accuracy"]) == stored["accuracy"]
    assert float(rows[0]["AURC low"]) == stored["intervals"]["aurc"][0]
    assert "Runs on the same items" in (tmp_path / "report" / "tables.md").read_text("utf-8")


def test_the_page_stands_alone_and_escapes_what_it_shows(finished: Path, tmp_path: Path) -> None:
    write_report([finished], tmp_path / "report")
    page = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert "alert(" in page, "the statement is shown"
    assert '<script>alert("1")' not in page
    assert page.count("<script") == 2
    assert not re.search(r'(?:src|href)\s*=\s*"?(?:https?:)?//', page)
    block = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert block
    data = json.loads(block[1])
    item = next(i for i in data["runs"][0]["items"] if i[0] == "<b>99</b>")
    assert HOSTILE in item[1]
    for part in ("Confusion", "Reliability", "Most confident errors", "No audit", "protocol abstract"):
        assert part in page


def test_the_curve_is_the_runs_own(finished: Path) -> None:
    record = load_run(finished / "rules")
    summary = summary_of(record, Setup(PAPER))
    view = view_of(record, summary, None, "rules", PAPER)
    last = view.points[-1]
    assert last.coverage == 1.0
    assert last.risk == pytest.approx(1 - summary["accuracy"])
    assert [p.tau for p in view.points] == sorted({p.tau for p in view.points}, reverse=True)
    assert len(view.items) == summary["n"]
    assert all(not e.right for e in view.errors)
    confident = [e.confidence for e in view.errors if e.confidence is not None]
    assert confident == sorted(confident, reverse=True)
    assert all(e.evidence for e in view.errors), "the sentences are shown"


def test_unfinished_missing_and_empty_folders_are_refused(finished: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not there"):
        run_folders([tmp_path / "nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no run in"):
        run_folders([tmp_path / "empty"])
    lines = finished / "rules" / "items.jsonl"
    lines.write_text("".join(lines.read_text("utf-8").splitlines(keepends=True)[:5]), encoding="utf-8")
    with pytest.raises(InputError, match="holds 5 of 13 items"):
        write_report([finished], tmp_path / "report")
    assert not (tmp_path / "report").exists()


def test_a_report_replaces_an_older_one_and_nobody_elses_files(finished: Path, tmp_path: Path) -> None:
    out = tmp_path / "report"
    write_report([finished], out)
    write_report([finished / "rules"], out)
    assert not list(out.glob("*whole*")), "figures of runs that are not in the report are gone"
    other = tmp_path / "site"
    other.mkdir()
    (other / "index.html").write_text("<p>mine</p>", encoding="utf-8")
    with pytest.raises(InputError, match=r"holds other files \(index.html\)"):
        write_report([finished], other)
    assert (other / "index.html").read_text(encoding="utf-8") == "<p>mine</p>"


@pytest.mark.parametrize(
    ("file", "change", "words"),
    [
        ("ablations.json", {"rows": {"paper": {}}}, "ablations.json is damaged"),
        ("ablations.json", {"identity": None}, "ablations.json is damaged"),
        ("summary.json", {"policy": None}, "has no policy"),
        ("meta.json", {"identity": {"dataset": "scifact"}}, "does not say what made the run"),
    ],
)
def test_a_damaged_record_is_named(
    finished: Path, tmp_path: Path, file: str, change: dict[str, object], words: str
) -> None:
    path = finished / "rules" / file
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | change), encoding="utf-8")
    with pytest.raises(InputError, match=words):
        write_report([finished], tmp_path / "report")
    path.unlink()
    path.mkdir()
    with pytest.raises(InputError, match=r"cannot be read|holds no run"):
        write_report([finished], tmp_path / "report")


def test_files_beside_the_runs_are_passed_over(finished: Path, tmp_path: Path) -> None:
    (finished / "notes.txt").write_text("x", encoding="utf-8")
    (finished / ".pairs.sqlite").write_bytes(b"")
    assert sorted(run_folders(sorted(finished.iterdir()))) == ["rules", "whole"]
    with pytest.raises(InputError, match="no run in"):
        run_folders([finished / "notes.txt"])


def test_runs_are_named_by_what_tells_them_apart(tmp_path: Path) -> None:
    for name in ("a/rules", "b/rules"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "meta.json").write_text("{}")
    assert list(run_folders([tmp_path])) == ["a/rules", "b/rules"]
    assert list(run_folders([tmp_path / "a"])) == ["rules"]


TABLE = Table(
    "A | title",
    ("run", "x_1"),
    ((Cell("=1+1"), Cell(0.5, 0.25, 0.75)), (Cell("a|b & <c>"), Cell(None))),
    ("A note.",),
)


def test_undefined_is_never_zero_and_text_stays_text() -> None:
    markdown, latex, html = to_markdown(TABLE), to_latex(TABLE), to_html(TABLE)
    assert "0.500 [0.250–0.750]" in markdown
    assert "undefined" in markdown
    assert r"a\|b" in markdown
    assert r"x\_1" in latex
    assert r"a|b \& <c>" in latex
    assert "a|b &amp; &lt;c&gt;" in html
    rows = list(csv.reader(io.StringIO(to_csv(TABLE))))
    assert rows == [
        ["run", "x_1", "x_1 low", "x_1 high"],
        ["'=1+1", "0.5", "0.25", "0.75"],
        ["a|b & <c>", "", "", ""],
    ]


def test_the_same_run_does_not_differ_from_itself(finished: Path, tmp_path: Path) -> None:
    table = comparison_table([("a", "b", 3, {"risk": (0.0, 0.0, 0.0)})])
    assert table.headers[3] == "risk, first − second"
    text = (write_report([finished], tmp_path / "report")[0].parent / "tables.md").read_text("utf-8")
    assert "first − second" in text


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_a_figure_is_the_same_for_the_same_numbers(tmp_path: Path, suffix: str) -> None:
    curve = NamedCurve("run $1", np.array([0.5, 1.0]), np.array([0.0, 0.25]))
    once, again = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    for path in (once, again):
        risk_coverage_figure([curve], path, title="costs $2 and $3")
    assert once.read_bytes() == again.read_bytes()
    assert once.stat().st_size > 1000


def test_a_figure_of_another_type_or_in_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"\.svg or \.png"):
        reliability_figure([], tmp_path / "a.pdf")
    with pytest.raises(InputError, match="cannot be written"):
        reliability_figure([], tmp_path / "missing" / "a.svg")


def test_a_run_with_the_embedded_model_is_scored_and_reported(tmp_path: Path) -> None:
    from epoche.backends.onnx_nli import installed_models
    from epoche.config import load_config

    if not installed_models():
        pytest.skip("no embedded model in this checkout")
    plan = Plan(tmp_path / "runs" / "x", "rules", "mini", tmp_path / "pairs.sqlite")
    line = run_and_score(dataset(6), plan, PAPER, load_config({}), ablate=True)
    assert "n = 6" in line
    assert any(p.name == "index.html" for p in write_report([tmp_path / "runs"], tmp_path / "report"))
