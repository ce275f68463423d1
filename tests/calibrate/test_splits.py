"""Random halves of a run, records joined, and both tables in the report."""

from __future__ import annotations

from pathlib import Path

import pytest

from epoche.bench.compare import summary_of
from epoche.bench.readings import Setup
from epoche.bench.record import load_run, write_json
from epoche.calibrate.splits import joined, promises_of
from epoche.config import load_policy
from epoche.errors import InputError
from epoche.report.bench_report import write_report
from epoche.report.promises import render_promises
from tests.calibrate.runs import mixed, scored_run


def test_a_promise_is_kept_on_most_other_halves(tmp_path: Path) -> None:
    run = scored_run(tmp_path / "run", mixed(300, noise=0.1))
    found = promises_of(run, (None, 0.3), splits=20)
    lowest, thirty = found["splits"]
    assert lowest["promised"] == thirty["promised"] == 20
    assert thirty["alpha"] == 0.3
    assert thirty["risk"] < 0.3
    assert thirty["share_above"] <= 0.1
    assert found["dial"]["fitted_on"] + found["dial"]["settings"][0]["n"] == 300
    assert found == promises_of(run, (None, 0.3), splits=20), "the same halves again"


def test_the_report_shows_halves_and_dial(tmp_path: Path) -> None:
    run = scored_run(tmp_path / "run", mixed(200))
    found = promises_of(run, (0.01, 0.3), splits=5)
    assert found["splits"][0]["promised"] == 0, "one per cent takes 299 right answers"
    policy = load_policy("paper")
    write_json(tmp_path / "run" / "summary.json", summary_of(run, Setup(policy)))
    write_json(tmp_path / "run" / "promises.json", found)
    write_report([tmp_path / "run"], tmp_path / "report")
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "run: promises on random halves" in page
    assert "run: cost dial" in page
    assert "0 of 5" in render_promises(found)
    write_json(tmp_path / "run" / "promises.json", {"splits": 3})
    with pytest.raises(InputError, match="is damaged"):
        write_report([tmp_path / "run"], tmp_path / "report")


def test_records_joined_keep_their_scores_and_count_an_item_once(tmp_path: Path) -> None:
    first = scored_run(tmp_path / "a", mixed(5, seed=1))
    second = scored_run(tmp_path / "b", mixed(8, seed=2), first=3)
    both = joined([first, second])
    assert [item.id for item in both.items] == [str(i) for i in range(11)]
    assert both.scores(both.items[0]).tolist() == first.scores(first.items[0]).tolist()
    assert both.scores(both.items[-1]).tolist() == second.scores(second.items[-1]).tolist()


def test_records_of_different_parts_do_not_join(tmp_path: Path) -> None:
    first = scored_run(tmp_path / "a", mixed(3))
    scored_run(tmp_path / "b", mixed(3))
    meta = (tmp_path / "b" / "meta.json").read_text(encoding="utf-8").replace('"whole 1"', '"rules 9"')
    (tmp_path / "b" / "meta.json").write_text(meta, encoding="utf-8")
    with pytest.raises(InputError, match="differ in decomposer: whole 1, rules 9"):
        joined([first, load_run(tmp_path / "b")])
    with pytest.raises(InputError, match="no run"):
        joined([])
