"""Runs with language models: faults stop nobody else, what failed is tried again, money is kept to."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from epoche.assemble import Verifier
from epoche.backends.fake import ScriptedModel, ScriptedNli
from epoche.bench.datasets import Dataset, Item
from epoche.bench.models import read_models, run_models
from epoche.bench.readings import Setup, Table, leaking
from epoche.bench.record import load_run
from epoche.bench.run import run
from epoche.config import load_config, load_policy
from epoche.errors import BackendError, InputError, UnknownBackend
from epoche.report.bench_tables import to_markdown
from epoche.report.model_tables import model_table
from epoche.steps.model_decompose import ModelDecomposer
from epoche.types import Document, Kind, Label, Statement
from tests.backends.chat_server import Answer, ChatServer

PAPER = load_policy("paper")


def items(n: int) -> Dataset:
    made = [
        Item(
            id=f"i{i}",
            statement=Statement(text=f"Drug {i} reduces pain and fever in adults.", kind=Kind.CLAIM),
            documents=(Document(id="d", text=f"Drug {i} was given to adults. Results were mixed in trial {i}."),),
            gold=Label.SUPPORTED,
        )
        for i in range(n)
    ]
    return Dataset("made", "given", "given", tuple(made), {"made.jsonl": "0" * 64})


def good_reply(statement: str) -> str:
    subject = statement.split(" reduces ")[0]
    texts = [f"{subject} reduces pain in adults.", f"{subject} reduces fever in adults."]
    return json.dumps({"conditions": [{"text": t, "critical": True} for t in texts]})


def asked_about(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"]).rpartition("Statement: ")[2]


def entails(premise: str, hypothesis: str) -> tuple[float, float, float]:
    """A statement entails its parts and back; evidence says nothing."""
    return (0.9, 0.1, 0.0) if "reduces" in premise else (0.1, 0.8, 0.1)


def decomposed(model: ScriptedModel, dataset: Dataset, out: Path) -> Any:
    config = load_config({}, decomposer="whole")
    pipeline = Verifier(ScriptedNli(entails), ModelDecomposer(model), "paper", config=config)
    return run(dataset, pipeline, out)


def test_case_19_what_failed_is_a_failure_and_is_tried_again(tmp_path: Path) -> None:
    down = {"Drug 3", "Drug 7"}

    def script(prompt: Any) -> Any:
        statement = prompt.turns[-1][1].rpartition("Statement: ")[2]
        broken = any(name in statement for name in down)
        return BackendError("the server answers 503") if broken else good_reply(statement)

    model = ScriptedModel(script, parallel=4)
    first = decomposed(model, items(20), tmp_path / "r")
    failed = [item.id for item in first.items if item.failure]
    assert failed == ["i3", "i7"]
    assert all(len(item.decomposition.conditions) == 3 for item in first.items if not item.failure)
    down.clear()
    asked = len(model.asked)
    again = decomposed(model, items(20), tmp_path / "r")
    assert len(model.asked) - asked == 2, "only what failed is asked again"
    assert not [item for item in again.items if item.failure]
    assert sorted(item.id for item in again.items) == sorted(item.id for item in items(20).items)


def test_an_item_that_failed_is_no_item_without_evidence(tmp_path: Path) -> None:
    dataset = items(4)
    unsettled = tuple(dataclasses.replace(i, gold=Label.NOT_ENOUGH_EVIDENCE) for i in dataset.items[:2])
    mixed = dataclasses.replace(dataset, items=(*unsettled, *dataset.items[2:]))
    model = ScriptedModel(lambda p: BackendError("down") if "Drug 0" in p.turns[-1][1] else "?")
    record = decomposed(model, mixed, tmp_path / "r")
    assert [bool(i.failure) for i in record.items] == [True, False, False, False]
    assert not leaking(record).any()


def test_a_server_of_faults_gives_no_verdict_that_the_whole_alone_would_not(tmp_path: Path) -> None:
    """Cases 14, 18 and 19 in turn, one after the other, over the same items."""
    faults = [
        Answer(text="Sure! Here are the conditions."),
        Answer(text="__import__('os').system('x')"),
        Answer(text='{"conditions":[{"text":"Drug reduces pain"},{"tex'),
        Answer(text='["Drug reduces pain in adults."]'),
        Answer(text='{"conditions": "Drug reduces pain in adults."}'),
        Answer(text='{"conditions": [["nested"]]}'),
        Answer(text='{"conditions": [{"text": ""}, {"text": ""}]}'),
        Answer(text=json.dumps({"conditions": [{"text": f"Drug {i} works."} for i in range(40)]})),
        Answer(text='{"c":"TNF-\\ud83dα"}'),
        Answer(text='{"conditions": [{"text": "Everything is true."}, {"text": "Drugs work."}]}'),
        Answer(status=500),
        Answer(fault="drop"),
        Answer(fault="half"),
        Answer(fault="not-json"),
        Answer(fault="no-choices"),
        Answer(fault="refusal", text="I cannot help with that."),
        Answer(status=429, headers={"Retry-After": "0"}),
        Answer(fault="stall"),
        Answer(fault="null-content"),
        Answer(fault="error-in-200"),
    ]

    def script(body: dict[str, Any], number: int) -> Answer:
        name = asked_about(body).split()[1]
        return faults[int(name) % len(faults)] if name.isdigit() and int(name) < 20 else Answer(text="?")

    dataset = items(20)
    with ChatServer(script) as server:
        config = load_config({}, base_url=server.base_url, reply_seconds=4.0, decomposer="openai:m", cache=False)
        pipeline = Verifier(ScriptedNli(entails), "openai:m", "paper", config=config)
        faulty = run(dataset, pipeline, tmp_path / "faulty")
    whole = run(dataset, Verifier(ScriptedNli(entails), "whole", "paper"), tmp_path / "whole")
    setup = Setup(PAPER)
    alone = {
        i.id: (r.label, r.confidence, r.withheld)
        for i, r in zip(whole.items, Table(whole, setup).read(setup), strict=True)
    }
    found = {
        i.id: (r.label, r.confidence, r.withheld)
        for i, r in zip(faulty.items, Table(faulty, setup).read(setup), strict=True)
    }
    assert len(found) == 20, "no item is lost"
    failures = {i.id for i in faulty.items if i.failure}
    assert failures == {"i10", "i11", "i12", "i13", "i14", "i16", "i17", "i19"}
    assert all(found[key] == alone[key] for key in found if key not in failures)
    assert all(len(i.decomposition.conditions) == 1 for i in faulty.items if not i.failure)


def test_a_good_server_is_used_and_its_conditions_are_in_the_record(tmp_path: Path) -> None:
    with ChatServer(lambda body, number: Answer(text=good_reply(asked_about(body)))) as server:
        config = load_config({}, base_url=server.base_url, decomposer="openai:m", cache=False)
        record = run(items(3), Verifier(ScriptedNli(entails), "openai:m", "paper", config=config), tmp_path / "r")
    for i, item in enumerate(record.items):
        own = [c.text for c in item.decomposition.conditions]
        assert own[:2] == [f"Drug {i} reduces pain in adults.", f"Drug {i} reduces fever in adults."]
        assert item.decomposition.conditions[0].origin == "openai:m"


# ── many models ──────────────────────────────────────────────────────────────────────────────

LIST = """
[[model]]
name = "rules"
decomposer = "rules"

[[model]]
name = "a server"
decomposer = "openai:m"
base_url = "{url}"
prompt_price = 1.0
reply_price = 2.0

[[model]]
name = "no server"
decomposer = "openai:m"
base_url = "http://127.0.0.1:9/v1"

[[model]]
name = "no key"
decomposer = "openai:gpt-4o-mini"
key_env = "EPOCHE_TEST_NO_SUCH_KEY"
paper = true

[[model]]
name = "no file"
decomposer = "gguf:nowhere.gguf"
"""


def listed(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def mini() -> str:
    from epoche.backends.onnx_nli import installed_models

    if not installed_models():
        pytest.skip("no embedded model in this checkout")
    return "mini"


def test_what_is_reachable_is_run_and_what_is_not_says_why(tmp_path: Path, mini: str) -> None:
    with ChatServer(lambda body, number: Answer(text=good_reply(asked_about(body)), usage=(100, 50))) as server:
        models = read_models(listed(tmp_path / "m.toml", LIST.format(url=server.base_url)))
        config = load_config({}, reply_seconds=20.0)
        rows = run_models(items(4), models, tmp_path / "out", mini, PAPER, config, budget=1.0)
    by_name = {row["name"]: row for row in rows}
    assert "summary" in by_name["rules"]
    served = by_name["a server"]
    assert served["summary"]["decomposition"]["asked"] == 4
    # 4 replies of 100 · 1 + 50 · 2 millionths
    assert served["usage"]["cost"] == pytest.approx(4 * 200 / 1e6)
    assert "cannot reach the server" in by_name["no server"]["not_run"]
    assert "needs a key" in by_name["no key"]["not_run"]
    assert "no such file" in by_name["no file"]["not_run"] or "extra" in by_name["no file"]["not_run"]
    assert not any("summary" in by_name[name] for name in ("no server", "no key", "no file"))
    table = to_markdown(model_table(rows))
    assert table.count("not run") == 3
    assert "no key (paper)" in table


def test_a_spent_budget_ends_the_run_and_keeps_what_is_done(tmp_path: Path, mini: str) -> None:
    text = LIST.split("[[model]]")[2].replace("prompt_price = 1.0", "prompt_price = 500.0")
    with ChatServer(lambda body, number: Answer(text=good_reply(asked_about(body)), usage=(1000, 50))) as server:
        models = read_models(listed(tmp_path / "m.toml", "[[model]]" + text.format(url=server.base_url)))
        config = load_config({}, parallel=1)
        (row,) = run_models(items(40), models, tmp_path / "out", mini, PAPER, config, budget=11.0)
        assert "budget" in row["not_run"]
        # A prompt costs 0.5; what it may cost is set aside before.
        assert 16 <= len(server.requests) <= 22
        assert len(load_run(tmp_path / "out" / "a-server").items) == 16
        (row,) = run_models(items(40), models, tmp_path / "out", mini, PAPER, config, budget=100.0)
    assert row["summary"]["n"] == 40
    assert len(server.requests) == 40, "nothing is paid for twice"
    assert row["usage"]["cost"] == pytest.approx(20.0, rel=0.01)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "lists no model"),
        ("[[model]]\nname = 'a'", "decomposer"),
        ("[[model]]\nname = 'a'\ndecomposer = 'rules'\nspeed = 3", "speed"),
        ("[[model]]\nname='a'\ndecomposer='rules'\n[[model]]\nname='a'\ndecomposer='whole'", "two models"),
        ("[[model]\n", "cannot be read"),
        ("other = 1\n[[model]]\nname='a'\ndecomposer='rules'", "no part of"),
    ],
)
def test_a_list_that_is_none_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_models(listed(tmp_path / "m.toml", text))


def test_an_unknown_decomposer_is_refused_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(UnknownBackend, match="openai:NAME"):
        read_models(listed(tmp_path / "m.toml", "[[model]]\nname='a'\ndecomposer='gpt'"))
