"""`--decomposer openai:…` as a user runs it, against a real server; the key is nowhere (case 20)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from epoche.backends.onnx_nli import installed_models
from tests.backends.chat_server import Answer, ChatServer
from tests.test_cli import epoche

pytestmark = pytest.mark.skipif(not installed_models(), reason="no embedded model in this checkout")

KEY = "sk-planted-4f6a8c0e2b1d3f5a"
CLAIM = "Metformin lowers fasting glucose and body weight in adults."
PARTS = ["Metformin lowers fasting glucose in adults.", "Metformin lowers body weight in adults."]
EVIDENCE = "Metformin lowered fasting glucose in adults. Metformin lowered body weight in adults."


def good(body: dict[str, Any], number: int) -> Answer:
    return Answer(text=json.dumps({"conditions": [{"text": text, "critical": True} for text in PARTS]}))


def written(folder: Path) -> bytes:
    return b"".join(p.read_bytes() for p in folder.rglob("*") if p.is_file())


@pytest.fixture
def evidence(tmp_path: Path) -> str:
    path = tmp_path / "evidence.txt"
    path.write_text(EVIDENCE, encoding="utf-8")
    return str(path)


def test_a_servers_conditions_are_in_the_certificate_and_the_cache_is_asked_first(
    tmp_path: Path, evidence: str
) -> None:
    given = ("verify", CLAIM, "--evidence", evidence, "--format", "json", "--decomposer", "openai:some-model")
    with ChatServer(good) as server:
        settings = {"EPOCHE_API_KEY": KEY, "EPOCHE_CACHE": str(tmp_path / "cache")}
        first = epoche(*given, "--base-url", server.base_url, **settings)
        again = epoche(*given, "--base-url", server.base_url, **settings)
        anew = epoche(*given, "--base-url", server.base_url, "--no-cache", **settings)
        assert len(server.requests) == 2
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert first.returncode == 0, first.stderr.decode()
    assert first.stdout == again.stdout == anew.stdout
    made = json.loads(first.stdout)
    assert [c["text"] for c in made["decomposition"]["conditions"]][:2] == PARTS
    assert made["provenance"]["decomposer"]["name"] == "openai:some-model"
    assert json.loads(made["decomposition"]["replies"][0]["text"])["conditions"][0]["text"] == PARTS[0]
    info = epoche("cache", "info", EPOCHE_CACHE=str(tmp_path / "cache")).stdout.decode()
    assert "1 replies" in info
    assert "openai:some-model: 1" in info
    assert epoche("cache", "clear", EPOCHE_CACHE=str(tmp_path / "cache")).returncode == 0
    assert " 0 replies" in epoche("cache", "info", EPOCHE_CACHE=str(tmp_path / "cache")).stdout.decode()


def test_a_server_that_is_down_is_a_failure_with_exit_code_1(tmp_path: Path, evidence: str) -> None:
    given = ("verify", CLAIM, "--evidence", evidence, "--decomposer", "openai:m", "--no-cache", "-f", "json")
    run = epoche(*given, "--base-url", "http://127.0.0.1:9/v1")
    assert run.returncode == 1
    assert json.loads(run.stdout)["outcome"]["type"] == "failure"
    assert "cannot reach the server" in json.loads(run.stdout)["outcome"]["detail"]


def test_openai_without_a_key_says_what_to_set(evidence: str) -> None:
    run = epoche("verify", CLAIM, "-e", evidence, "--decomposer", "openai:gpt-4o-mini", OPENAI_API_KEY="")
    assert run.returncode == 2
    assert "EPOCHE_API_KEY or OPENAI_API_KEY" in run.stderr.decode()


def test_a_key_for_openai_is_not_sent_to_whoever_is_asked(tmp_path: Path, evidence: str) -> None:
    with ChatServer(good) as server:
        given = ("verify", CLAIM, "-e", evidence, "--decomposer", "openai:m", "--no-cache")
        epoche(*given, "--base-url", server.base_url, OPENAI_API_KEY=KEY)
        assert len(server.headers) == 1
        assert KEY not in json.dumps(server.headers)


@pytest.mark.parametrize("status", [200, 401, 500])
def test_case_20_a_key_is_in_nothing_that_is_written(tmp_path: Path, evidence: str, status: int) -> None:
    """The server quotes the key back, in errors and in replies that are no JSON."""

    def script(body: dict[str, Any], number: int) -> Answer:
        if status == 200:
            return good(body, number)
        return Answer(status=status, text=f"Incorrect API key provided: {KEY}.")

    lines = [
        {"id": f"i{i}", "statement": CLAIM, "kind": "claim", "documents": [EVIDENCE], "label": "supported"}
        for i in (1, 2)
    ]
    custom = tmp_path / "custom.jsonl"
    custom.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    home = tmp_path / "home"
    keyfile = tmp_path / "key.txt"
    keyfile.write_text(KEY + "\n", encoding="utf-8")
    settings = {
        "EPOCHE_API_KEY_FILE": str(keyfile), "EPOCHE_CACHE": str(home / "cache"), "HOME": str(home),
        "OPENAI_LOG": "debug", "PYTHONFAULTHANDLER": "1",
    }  # fmt: skip
    home.mkdir()
    with ChatServer(script) as server:
        own = ("--decomposer", "openai:m", "--base-url", server.base_url, "--reply-timeout", "3")
        runs = [
            epoche("verify", CLAIM, "-e", evidence, *own, "-o", str(home / "c.json"), "-f", "json", **settings),
            epoche("verify", CLAIM, "-e", evidence, *own, "--nli", "openai:m", "-f", "text", **settings),
            epoche("bench", "custom", "--file", str(custom), "--out", str(home / "run"), *own, **settings),
        ]
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    everything = written(home) + b"".join(run.stdout + run.stderr for run in runs)
    assert KEY.encode() not in everything
    assert KEY[:14].encode() not in everything
    assert b"Traceback" not in everything


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--decomposer", "openai:"), "no decomposer"),
        (("--decomposer", "gpt:x"), "openai:NAME"),
        (("--decomposer", "gguf:nowhere.gguf"), "no such file|extra"),
        (("--decomposer", "openai:m", "--base-url", "ftp://x"), "base_url"),
        (
            ("--decomposer", "openai:m", "--base-url", "http://127.0.0.1:9/v1", "--reply-timeout", "0"),
            "reply_seconds",
        ),
    ],
)
def test_bad_options_are_named(evidence: str, more: tuple[str, ...], said: str) -> None:
    run = epoche("verify", CLAIM, "-e", evidence, *more, EPOCHE_CACHE=str(Path(evidence).parent / "c"))
    assert run.returncode != 0
    text = run.stderr.decode()
    assert any(word in text for word in said.split("|")), text
    assert "Traceback" not in text
