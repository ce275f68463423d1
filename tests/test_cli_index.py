"""`index` and `verify --corpus` as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from epoche.backends.onnx_nli import installed_models
from tests.test_cli import epoche

pytestmark = pytest.mark.skipif(not installed_models(), reason="no embedded model in this checkout")

LINES = [
    {
        "doc_id": 1,
        "title": "Metformin",
        "abstract": ["Sixty adults took part.", "Metformin lowered fasting glucose."],
    },
    {"id": "b", "title": "Statins", "text": "Statins lowered cholesterol in men. No harm was seen."},
    {"id": "c", "title": "Sleep", "text": "Sleep loss impaired memory in rats.", "retracted": True},
]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    path.write_text("\n".join(map(json.dumps, LINES)), encoding="utf-8")
    return path


def test_index_check_and_verify(corpus: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "my.index")
    made = epoche("index", str(corpus), "--out", out)
    assert made.returncode == 0, made.stderr.decode()
    assert "3 documents added, 0 replaced, 0 there already; 3 passages" in made.stdout.decode()
    assert (
        "0 documents added, 0 replaced, 3 there already"
        in epoche("index", str(corpus), "--out", out).stdout.decode()
    )
    assert "holds; 3 passages" in epoche("index", "--out", out, "--check").stdout.decode()
    run = epoche("verify", "Metformin lowers fasting glucose.", "--corpus", out, "--top", "2", "--format", "json")
    assert run.returncode == 0, run.stderr.decode()
    found = json.loads(run.stdout)
    assert found["outcome"]["label"] == "supported"
    assert found["evidence"]["retrieval"]["found"][0]["document"] == "1"
    again = epoche("verify", "Metformin lowers fasting glucose.", "--corpus", out, "--top", "2", "--format", "json")
    assert again.stdout == run.stdout
    certificate = tmp_path / "c.json"
    certificate.write_bytes(run.stdout)
    assert epoche("replay", str(certificate)).returncode == 0
    nothing = epoche("verify", "Graphene superconducts.", "--corpus", out, "--exit-code")
    assert nothing.returncode == 30
    assert "nothing relevant was found" in " ".join(nothing.stdout.decode().split())
    retracted = epoche("verify", "Sleep loss impaired memory in rats.", "--corpus", out, "-f", "json")
    assert json.loads(retracted.stdout)["outcome"]["label"] is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("verify", "x"), "give --evidence, --corpus or --search"),
        (("verify", "Zinc works.", "--corpus", "nowhere"), "holds no index"),
        (("index", "--out", "x"), "give files or folders to index"),
        (("index", "nowhere.jsonl", "--out", "x"), "there is no file"),
        (("index", "{corpus}", "--out", ""), "--out is empty"),
        (("index", "{corpus}", "--out", "{folder}"), "holds something that is no index"),
    ],
)
def test_what_cannot_be_is_said(corpus: Path, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    names = {"{corpus}": str(corpus), "{folder}": str(tmp_path)}
    given = [names.get(a, a) if a not in ("x", "nowhere") else a for a in arguments]
    given = [str(tmp_path / a) if a == "x" and given[0] == "index" else a for a in given]
    run = epoche(*given)
    assert run.returncode != 0
    assert said in run.stderr.decode()
    assert "Traceback" not in run.stderr.decode()


def test_a_line_that_cannot_be_read_stops_or_is_passed_over(corpus: Path, tmp_path: Path) -> None:
    with corpus.open("a", encoding="utf-8") as out:
        out.write('\n{"id": "d"}\n{"id": "e", "text": "Iron is a metal."}\n')
    stopped = epoche("index", str(corpus), "--out", str(tmp_path / "i"))
    assert stopped.returncode == 1
    assert "line 4" in stopped.stderr.decode()
    passed = epoche("index", str(corpus), "--out", str(tmp_path / "j"), "--on-error", "skip")
    assert passed.returncode == 0
    assert "4 documents added" in passed.stdout.decode()
    assert "line 4" in passed.stderr.decode()
