"""Runs, their records, and what is computed from them, with scripted scores."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from epoche.assemble import Verifier
from epoche.backends.cached import CachedNli
from epoche.backends.fake import ScriptedNli, Triple
from epoche.backends.store import Store
from epoche.bench.compare import ablations_of, configurations, summary_of
from epoche.bench.datasets import Dataset, Item, given_sentences
from epoche.bench.export import export_scifact
from epoche.bench.readings import Setup, Table, grid
from epoche.bench.record import load_run
from epoche.bench.run import run
from epoche.config import load_config, load_policy
from epoche.errors import BackendError, InputError, OptionError, UnknownBackend
from epoche.policy import Policy
from epoche.types import Document, Kind, Label, Statement
from tests.conftest import ROOT

PAPER = load_policy()


def words(premise: str, hypothesis: str) -> Triple:
    """Scores that depend on the text of both, the same in every process."""
    generator = random.Random(f"{premise}|{hypothesis}")
    e, c = generator.random(), generator.random()
    total = e + c + 0.5
    return (e / total, 0.5 / total, c / total)


class Stops(Exception):
    pass


def dataset(n: int = 40, gold: bool = True, empty: tuple[int, ...] = ()) -> Dataset:
    labels = (Label.SUPPORTED, Label.REFUTED, Label.NOT_ENOUGH_EVIDENCE)
    items = []
    for i in range(n):
        sentences = [f"In trial {i}, arm {j} improved." for j in range(i % 5 + 1)]
        documents = () if i in empty else (given_sentences(str(100 + i), sentences),)
        claim = Statement(text=f"Zinc lowers pain and fever {i}.", kind=Kind.CLAIM)
        items.append(Item(str(i), claim, documents, labels[i % 3] if gold else None))
    return Dataset("scifact", "dev", "abstract", tuple(items), {"claims.jsonl": "0" * 64})


def pipeline(nli: Any = None, decomposer: str = "rules") -> Verifier:
    return Verifier(nli or ScriptedNli(words), decomposer, config=load_config({}, decomposer=decomposer))


def test_a_record_gives_back_what_was_scored(tmp_path: Path) -> None:
    data = dataset()
    record = run(data, pipeline(), tmp_path / "run")
    assert [i.id for i in record.items] == [i.id for i in data.items]
    for item in record.items:
        expected = np.array([words(p, h) for p, h in item.case.pairs()]).round(6)
        assert record.scores(item).reshape(-1, 3).tolist() == expected.tolist()
        assert {len(w.sentences) for w in item.evidence.windows} <= {1, 2}


def test_case_37_a_killed_run_goes_on_and_equals_an_unbroken_one(tmp_path: Path) -> None:
    whole = run(dataset(), pipeline(), tmp_path / "whole")

    def stop(done: int, total: int, pairs: int) -> None:
        if done >= 16:
            raise Stops

    with pytest.raises(Stops):
        run(dataset(), pipeline(), tmp_path / "broken", stop)
    # A kill in the middle of a line and of the scores.
    with (tmp_path / "broken" / "items.jsonl").open("ab") as stream:
        stream.write(b'{"id": "16", "go')
    with (tmp_path / "broken" / "scores.i32").open("ab") as stream:
        stream.write(b"\x01\x02\x03")
    nli = ScriptedNli(words)
    again = run(dataset(), pipeline(nli), tmp_path / "broken")
    assert len(nli.asked) < sum(len(i.case.pairs()) for i in whole.items)
    assert (tmp_path / "broken" / "scores.i32").read_bytes() == (tmp_path / "whole" / "scores.i32").read_bytes()
    plain = [i.model_copy(update={"seconds": 0.0}) for i in again.items]
    assert plain == [i.model_copy(update={"seconds": 0.0}) for i in whole.items]
    assert summary_of(again, Setup(PAPER)) == summary_of(whole, Setup(PAPER))


def test_a_finished_run_is_not_scored_again(tmp_path: Path) -> None:
    run(dataset(), pipeline(), tmp_path / "run")
    nli = ScriptedNli({})
    run(dataset(), pipeline(nli), tmp_path / "run")
    assert nli.asked == []


def test_a_folder_of_another_configuration_is_refused(tmp_path: Path) -> None:
    run(dataset(), pipeline(), tmp_path / "run")
    with pytest.raises(InputError, match="another configuration .decomposer: 'rules"):
        run(dataset(), pipeline(decomposer="whole"), tmp_path / "run")
    with pytest.raises(InputError, match="another configuration .data_sha256"):
        run(dataset(12), pipeline(), tmp_path / "run")


def test_case_28_what_has_no_gold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="40 of 40 items have no gold label"):
        run(dataset(gold=False), pipeline(), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_an_item_that_breaks_is_a_failure_and_the_others_go_on(tmp_path: Path) -> None:
    def sometimes(premise: str, hypothesis: str) -> Triple:
        if "trial 7," in premise:
            raise BackendError("scripted")
        return words(premise, hypothesis)

    record = run(dataset(), pipeline(ScriptedNli(sometimes)), tmp_path / "run")
    summary = summary_of(record, Setup(PAPER))
    assert (summary["n"], summary["verdicts"], summary["failures"]) == (40, 39, 1)
    assert summary["confusion"]["rows_gold_columns_predicted"][1][3] == 1, "not right, not a label"


def test_the_table_decides_as_the_pipeline_does(tmp_path: Path) -> None:
    for policy in (PAPER, Policy(windows=(1, 2), tau=0.2, on_conflict="abstain", confidence="min_margin")):
        data = dataset()
        record = run(data, pipeline(), tmp_path / "run")
        readings = Table(record, Setup(policy)).read(Setup(policy))
        verifier = Verifier(ScriptedNli(words), "rules", policy)
        for item, reading in zip(data.items, readings, strict=True):
            outcome = verifier.verify(item.statement.text, item.documents)
            proposal = outcome.certificate.proposal
            assert proposal is not None
            assert (reading.label, reading.confidence) == (proposal.label, proposal.confidence)
            assert reading.withheld == outcome.reason


def test_leaking_items_are_in_no_figure(tmp_path: Path) -> None:
    # Items 2, 5, 8 … are unsettled; without evidence their absence gives them away.
    data = dataset(empty=tuple(range(2, 40, 3)))
    summary = summary_of(run(data, pipeline(), tmp_path / "run"), Setup(PAPER))
    assert summary["leaking_items"] == 13
    assert summary["n"] == 27
    assert "gives their label away" in summary["note"]
    assert summary["per_class"]["not_enough_evidence"]["support"] == 0


def test_ablations_need_no_model_and_no_audit_supports_nothing(tmp_path: Path) -> None:
    record = run(dataset(), pipeline(), tmp_path / "run")
    found = ablations_of(load_run(tmp_path / "run"), PAPER)
    assert set(found["rows"]) == set(grid(PAPER))
    assert found["rows"]["as run"]["accuracy"] == summary_of(record, Setup(PAPER))["accuracy"]
    # Every condition MIS: everything is "not enough evidence", right for 13 of 40.
    assert found["rows"]["no audit"]["accuracy"] == pytest.approx(13 / 40)
    whole = run(dataset(), pipeline(decomposer="whole"), tmp_path / "whole")
    assert found["rows"]["no decomposition"]["accuracy"] == summary_of(whole, Setup(PAPER))["accuracy"]


def test_case_2_the_cache_tells_pairs_and_models_apart(tmp_path: Path) -> None:
    first = ScriptedNli(words)
    cached = CachedNli(first, Store(tmp_path / "pairs.sqlite"))
    pairs = [("a_b", "c"), ("a", "b_c"), ("a_b", "c")]
    scores = cached.score(pairs)
    assert len(first.asked) == 2
    assert not np.array_equal(scores[0], scores[1]), "different pairs"
    again, other = ScriptedNli({}), ScriptedNli(words, name="other")
    assert CachedNli(again, Store(tmp_path / "pairs.sqlite")).score(pairs).tolist() == scores.tolist()
    assert again.asked == []
    CachedNli(other, Store(tmp_path / "pairs.sqlite")).score(pairs)
    assert len(other.asked) == 2, "an entry belongs to one model"


def test_a_cache_that_cannot_grow_costs_time_and_a_damaged_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "pairs.sqlite"
    store = Store(path)
    cached = CachedNli(ScriptedNli(words), store)
    store._store.execute("PRAGMA max_page_count = 2")  # as a full disk would
    pairs = [(f"premise {i}", "c") for i in range(2000)]
    assert cached.score(pairs).shape == (2000, 3)
    assert cached.score(pairs[:1]).tolist() == ScriptedNli(words).score(pairs[:1]).tolist()
    store.close()
    path.write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    with pytest.raises(InputError, match=r"cache .* remove it"):
        CachedNli(ScriptedNli(words), Store(path)).score(pairs)


def test_several_configurations_go_to_folders_of_their_own() -> None:
    one = configurations(Path("runs/x"), ["rules"], ["mini"])
    assert [p.out for p in one] == [Path("runs/x")]
    many = configurations(Path("runs/x"), ["rules", "whole"], ["mini", "org/big"])
    assert [p.out.name for p in many] == ["rules--mini", "rules--big", "whole--mini", "whole--big"]


def scripted_export(tmp_path: Path) -> list[dict[str, Any]]:
    def model(premise: str, hypothesis: str) -> Triple:
        if "rose" in premise:
            return (0.9, 0.05, 0.05)
        return (0.05, 0.05, 0.9) if "fell" in premise else (0.05, 0.9, 0.05)

    documents = (
        given_sentences("100", ["It was measured.", "It rose.", "It was kept."]),
        given_sentences("200", ["It was measured.", "It was kept."]),
    )
    claims = [
        Item("1", Statement(text="Iron rises.", kind=Kind.CLAIM), documents, Label.SUPPORTED),
        Item(
            "2",
            Statement(text="Zinc rises.", kind=Kind.CLAIM),
            (Document(id="300", text="It fell."),),
            Label.REFUTED,
        ),
    ]
    data = Dataset("scifact", "dev", "abstract", tuple(claims), {})
    record = run(data, pipeline(ScriptedNli(model)), tmp_path / "run")
    return [json.loads(line) for line in export_scifact(record, PAPER).splitlines()]


def test_the_export_has_the_official_form(tmp_path: Path) -> None:
    assert scripted_export(tmp_path) == [
        {"id": 1, "evidence": {"100": {"sentences": [1], "label": "SUPPORT"}}},
        {"id": 2, "evidence": {"300": {"sentences": [0], "label": "CONTRADICT"}}},
    ]


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from epoche.bench.run import run
from epoche.errors import InputError
from tests.bench.test_run import dataset, pipeline

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then a write past the limit is an error, as on a full disk
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
try:
    run(dataset(), pipeline(), Path(sys.argv[1]))
except InputError as error:
    print(error)
"""


@pytest.mark.parametrize("limit", [300, 5_000, 20_000])
def test_a_full_disk_loses_nothing_that_was_scored(tmp_path: Path, limit: int) -> None:
    folder = tmp_path / "run"
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(folder), str(limit)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
    )
    assert "cannot be written" in done.stdout, done.stderr
    assert "Traceback" not in done.stderr
    unbroken = run(dataset(), pipeline(), tmp_path / "unbroken")
    resumed = run(dataset(), pipeline(), folder)
    assert [i.id for i in resumed.items] == [i.id for i in unbroken.items]
    for ours, theirs in zip(resumed.items, unbroken.items, strict=True):
        assert np.array_equal(resumed.scores(ours), unbroken.scores(theirs))
    assert summary_of(resumed, Setup(PAPER)) == summary_of(unbroken, Setup(PAPER))


def test_one_item_has_figures_and_what_is_undefined_is_null(tmp_path: Path) -> None:
    summary = summary_of(run(dataset(1), pipeline(), tmp_path / "run"), Setup(PAPER))
    assert summary["n"] == 1
    assert summary["auroc_failure"] is None
    assert summary["held_out"] is None
    assert set(summary) >= {"accuracy", "aurc", "brier", "ece", "coverage", "decisive_risk"}


def test_a_second_run_into_the_same_folder_waits_its_turn(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    refused = []

    def second(done: int, total: int, pairs: int) -> None:
        with pytest.raises(InputError, match="is being written by another run") as found:
            run(dataset(), pipeline(), tmp_path / "run")
        refused.append(found)

    record = run(dataset(), pipeline(), tmp_path / "run", second)
    assert refused
    assert len(record.items) == len(dataset().items)
    assert len(run(dataset(), pipeline(), tmp_path / "run").items) == len(record.items), "the lock is gone"


def test_a_record_that_nobody_can_read_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run(dataset(4), pipeline(), folder)
    lines, meta = folder / "items.jsonl", folder / "meta.json"
    whole, kept = lines.read_bytes(), meta.read_bytes()
    lines.write_bytes(whole + whole.splitlines(keepends=True)[0])
    for use in (lambda: load_run(folder), lambda: run(dataset(4), pipeline(), folder)):
        with pytest.raises(InputError, match="occurs twice"):
            use()
    lines.write_bytes(b"{}\n" + whole)
    for use in (lambda: load_run(folder), lambda: run(dataset(4), pipeline(), folder)):
        with pytest.raises(InputError, match="line 1: not an item"):
            use()
    lines.write_bytes(whole)
    meta.unlink()
    with pytest.raises(InputError, match="nobody knows what made them"):
        run(dataset(4), pipeline(), folder)
    assert lines.read_bytes() == whole
    meta.write_bytes(kept)
    assert len(load_run(folder).items) == 4


def test_configurations_are_named_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(UnknownBackend):
        configurations(tmp_path / "runs", ["rules", "rulez"], ["mini"])
    for empty in ([""], ["rules", " "]):
        with pytest.raises(OptionError, match="--decomposer has an empty name"):
            configurations(tmp_path / "runs", empty, ["mini"])
        with pytest.raises(OptionError, match="--nli has an empty name"):
            configurations(tmp_path / "runs", ["rules"], empty)
    plans = configurations(tmp_path / "runs", ["rules", "rules ", "whole"], ["a/nli", "b/nli"])
    assert [p.out.name for p in plans] == ["rules--a--nli", "rules--b--nli", "whole--a--nli", "whole--b--nli"]
    (single,) = configurations(tmp_path / "runs" / "a", ["rules"], ["mini"])
    assert (single.out, single.cache.parent, single.cache.name[0]) == (
        tmp_path / "runs" / "a",
        tmp_path / "runs",
        ".",
    )


def test_an_unfinished_run_is_not_exported(tmp_path: Path) -> None:
    def stop(done: int, total: int, pairs: int) -> None:
        raise Stops

    with pytest.raises(Stops):
        run(dataset(), pipeline(), tmp_path / "run", stop)
    with pytest.raises(InputError, match=r"holds \d+ of 40 items"):
        export_scifact(load_run(tmp_path / "run"), PAPER)
