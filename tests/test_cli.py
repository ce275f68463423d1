"""The command as a user runs it: real processes, the real embedded model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from epoche.backends.onnx_nli import installed_models

pytestmark = pytest.mark.skipif(not installed_models(), reason="no embedded model in this checkout")

CLAIM = "Metformin lowers fasting glucose."
EVIDENCE = "Sixty adults with type 2 diabetes took part. Metformin lowered fasting glucose by 1.9 mmol/L."


def epoche(*arguments: str, stdin: bytes | None = None, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "epoche", *arguments],
        input=b"" if stdin is None else stdin,
        capture_output=True,
        env={**os.environ, **environment},
        timeout=120,
    )


@pytest.fixture
def trial(tmp_path: Path) -> Path:
    path = tmp_path / "trial.txt"
    path.write_text(EVIDENCE, encoding="utf-8")
    return path


def certificate(*arguments: str, **environment: str) -> dict[str, Any]:
    run = epoche(*arguments, "--format", "json", **environment)
    assert run.returncode == 0, run.stderr.decode()
    loaded: dict[str, Any] = json.loads(run.stdout)
    return loaded


def refused(run: subprocess.CompletedProcess[bytes], code: int, *words: str) -> None:
    message = run.stderr.decode()
    assert run.returncode == code, message
    assert "Traceback" not in message
    for word in words:
        assert word in message
    assert not run.stdout


def test_verify_says_the_outcome_first(trial: Path) -> None:
    run = epoche("verify", CLAIM, "--evidence", str(trial))
    assert run.returncode == 0
    first, *rest = run.stdout.decode().splitlines()
    assert first.startswith("Supported")
    assert any("Metformin lowered fasting glucose by 1.9 mmol/L." in line for line in rest)
    assert "\x1b" not in run.stdout.decode(), "no colour where there is no terminal"


def test_stdin_and_a_folder(trial: Path) -> None:
    run = epoche("verify", "-", "--evidence", str(trial.parent), stdin=(CLAIM + "\n").encode())
    assert run.stdout.decode().startswith("Supported")


def test_the_certificate_has_the_promised_shape_and_replays(trial: Path, tmp_path: Path) -> None:
    loaded = certificate("verify", CLAIM, "-e", str(trial))
    assert loaded["outcome"]["type"] == "verdict"
    assert loaded["outcome"]["label"] == "supported"
    path = tmp_path / "certificate.json"
    assert epoche("verify", CLAIM, "-e", str(trial), "-f", "json", "-o", str(path)).returncode == 0
    assert epoche("replay", str(path)).returncode == 0
    edited = json.loads(path.read_text(encoding="utf-8"))
    edited["conditions"][0]["status"] = "MIS"
    path.write_text(json.dumps(edited), encoding="utf-8")
    run = epoche("replay", str(path))
    assert run.returncode == 1
    assert "conditions[0].status" in run.stderr.decode()


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], 0),
        (["--exit-code"], 0),
        (["--exit-code", "--tau", "1"], 30),
        (["--tau", "1"], 0),
    ],
)
def test_exit_codes(trial: Path, options: list[str], code: int) -> None:
    assert epoche("verify", CLAIM, "-e", str(trial), *options).returncode == code


def test_exit_codes_of_the_other_labels(tmp_path: Path) -> None:
    path = tmp_path / "other.txt"
    path.write_text("Metformin did not lower fasting glucose.", encoding="utf-8")
    assert epoche("verify", CLAIM, "-e", str(path), "--exit-code", "--policy", "paper").returncode == 10
    path.write_text("The clinic was closed on Sundays.", encoding="utf-8")
    assert epoche("verify", CLAIM, "-e", str(path), "--exit-code").returncode == 20


def test_quiet_prints_the_first_line_only(trial: Path) -> None:
    assert epoche("verify", CLAIM, "-e", str(trial), "-q").stdout.decode().count("\n") == 1


@pytest.mark.parametrize("locale", [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {}])
def test_case_22_any_locale(tmp_path: Path, locale: dict[str, str]) -> None:
    path = tmp_path / "données.txt"
    path.write_bytes("\ufeffβ-Catenin rose to 5 µM after treatment.\r\nIt was measured twice.".encode())
    loaded = certificate("verify", "β-Catenin rose to 5 µM after treatment.", "-e", str(path), **locale)
    assert loaded["statement"]["text"] == "β-Catenin rose to 5 µM after treatment."
    assert loaded["outcome"]["label"] == "supported"
    assert loaded["evidence"]["documents"][0]["id"].endswith("données.txt")
    text = epoche("verify", "β-Catenin rose to 5 µM after treatment.", "-e", str(path), **locale)
    assert "5 µM" in text.stdout.decode("utf-8")


def test_case_36_threads_and_order_of_files_change_no_byte(tmp_path: Path) -> None:
    paths = []
    for i in range(4):
        path = tmp_path / f"paper{i}.txt"
        path.write_text(
            f"{EVIDENCE} In arm {i} the dose was {i * 500} mg. Weight did not change.", encoding="utf-8"
        )
        paths.append(str(path))
    outputs = set()
    for order, threads in ((paths, "1"), (paths[::-1], "2"), (paths[2:] + paths[:2], "2")):
        evidence = [part for p in order for part in ("-e", p)]
        outputs.add(epoche("verify", CLAIM, *evidence, "-f", "json", "--threads", threads).stdout)
    assert len(outputs) == 1


class TestBadInput:
    @pytest.mark.parametrize("tau", ["-0.1", "1.5", "nan", "inf"])
    def test_tau(self, trial: Path, tau: str) -> None:
        refused(epoche("verify", CLAIM, "-e", str(trial), f"--tau={tau}"), 2, "τ")

    def test_options(self, trial: Path) -> None:
        refused(epoche("verify", CLAIM), 2, "--evidence")
        refused(epoche("verify", CLAIM, "-e", str(trial), "--format", "pdf"), 2, "pdf")
        refused(epoche("verify", CLAIM, "-e", str(trial), "--nli", "nomodel"), 2, "nomodel", "mini")
        refused(epoche("verify", CLAIM, "-e", str(trial), "--decomposer", "gpt"), 2, "gpt", "rules")
        refused(epoche("verify", CLAIM, "-e", str(trial), "--policy", "papr"), 2, "papr", "paper")
        refused(epoche("verify", CLAIM, "-e", str(trial), "--threads", "0"), 2, "threads")

    def test_files(self, trial: Path, tmp_path: Path) -> None:
        refused(epoche("verify", CLAIM, "-e", str(tmp_path / "none.txt")), 1, "none.txt")
        empty = tmp_path / "empty"
        empty.mkdir()
        refused(epoche("verify", CLAIM, "-e", str(empty)), 1, "empty")
        binary = tmp_path / "binary.txt"
        binary.write_bytes(b"\x00\x01\x02PNG")
        refused(epoche("verify", CLAIM, "-e", str(binary)), 1, "binary.txt")
        latin = tmp_path / "latin.txt"
        latin.write_bytes("Das Präparat wirkt.".encode("latin-1"))
        refused(epoche("verify", CLAIM, "-e", str(latin)), 1, "UTF-8")
        broken = tmp_path / "broken.jsonl"
        broken.write_text('{"id": "a", "text": "Metformin lowered fasting glucose."}\n{"id": "b", "te\n')
        refused(epoche("verify", CLAIM, "-e", str(broken), "--on-error", "stop"), 1, "line 2")
        skipped = certificate("verify", CLAIM, "-e", str(broken))
        assert skipped["outcome"]["reason"] == "evidence_truncated"

    def test_statements(self, trial: Path) -> None:
        run = epoche("verify", "-", "-e", str(trial), stdin=b"\xff\xfe")
        refused(run, 1, "UTF-8")
        for statement in (b"", b" \n", b"word " * 20_000):
            run = epoche("verify", "-", "-e", str(trial), "--exit-code", stdin=statement)
            assert run.returncode == 30
            assert run.stdout.decode().startswith("No answer")

    def test_nothing_is_written_half(self, trial: Path, tmp_path: Path) -> None:
        target = tmp_path / "missing" / "report.json"
        refused(epoche("verify", CLAIM, "-e", str(trial), "-o", str(target)), 1, "cannot write")
        target = tmp_path / "report.json"
        refused(epoche("verify", CLAIM, "-e", str(tmp_path / "none.txt"), "-o", str(target)), 1)
        assert not target.exists()
        assert sorted(p.name for p in tmp_path.iterdir()) == ["trial.txt"]

    def test_replay(self, tmp_path: Path) -> None:
        path = tmp_path / "certificate.json"
        refused(epoche("replay", str(path)), 1, "cannot be read")
        path.write_bytes(b'{"format": "x"}')
        refused(epoche("replay", str(path)), 1, "not a certificate")
        path.write_bytes(b"\xff\x00")
        refused(epoche("replay", str(path)), 1, "UTF-8")


def test_score_adds_the_three_probabilities(tmp_path: Path) -> None:
    pairs, out = tmp_path / "pairs.jsonl", tmp_path / "scored.jsonl"
    lines = [
        {"id": 7, "premise": "All 40 mice survived.", "hypothesis": "Some mice survived.", "gold": "µ"},
        {"id": 8, "premise": "All 40 mice survived.", "hypothesis": "The diet was rich in fat."},
    ]
    pairs.write_text("\n".join(json.dumps(line) for line in lines) + "\n\n", encoding="utf-8")
    assert epoche("score", str(pairs), "--out", str(out)).returncode == 0
    scored = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert len(scored) == 2
    for line, result in zip(lines, scored, strict=True):
        assert result.items() >= line.items()
        assert sum(result[k] for k in ("entailment", "neutral", "contradiction")) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"premise": "A."', ["line 2"]),
        ('["A.", "B."]', ["line 2", "object"]),
        ('{"premise": "A."}', ["line 2", "hypothesis"]),
        ('{"premise": 3, "hypothesis": "B."}', ["line 2", "premise"]),
        ('{"premise": "%s", "hypothesis": "B."}' % ("word " * 4000), ["line 2", "tokens"]),
        ('{"premise": "\\ud800", "hypothesis": "B."}', ["line 2", "surrogate"]),
    ],
)
def test_case_11_score_names_the_line_or_goes_on(tmp_path: Path, line: str, words: list[str]) -> None:
    pairs, out = tmp_path / "pairs.jsonl", tmp_path / "scored.jsonl"
    good = '{"premise": "A rose.", "hypothesis": "A rose."}'
    pairs.write_text("\n".join([good, line, good]), encoding="utf-8")
    refused(epoche("score", str(pairs), "--out", str(out)), 1, *words)
    assert not out.exists()
    assert epoche("score", str(pairs), "--out", str(out), "--on-error", "skip").returncode == 1
    results = [json.loads(x) for x in out.read_text(encoding="utf-8").splitlines()]
    assert [("error" in r, "entailment" in r) for r in results] == [(False, True), (True, False), (False, True)]


def test_models_marks_the_default() -> None:
    listing = epoche("models").stdout.decode()
    assert "* mini" in listing
    assert "entailment" in listing
    assert "cc-by-sa-4.0" in listing


def test_help_names_every_command() -> None:
    text = epoche("--help").stdout.decode()
    for command in ("verify", "ask", "replay", "score", "models"):
        assert command in text


@pytest.mark.parametrize("name", ["trial.txt", "./trial.txt", "folder/report.md"])
def test_no_output_over_or_among_the_evidence(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "trial.txt", tmp_path / "folder" / "trial.txt"):
        path.write_text(EVIDENCE, encoding="utf-8")
    evidence = tmp_path / Path(name).parts[0]
    run = epoche("verify", CLAIM, "--evidence", str(evidence), "--output", str(tmp_path / name))
    assert run.returncode == 1
    assert name.removeprefix("./") in run.stderr.decode()
    assert evidence.is_dir() or evidence.read_text(encoding="utf-8") == EVIDENCE
    assert not (tmp_path / "folder" / "report.md").exists()


def test_a_report_that_is_no_evidence_may_lie_beside_it(tmp_path: Path) -> None:
    (tmp_path / "trial.txt").write_text(EVIDENCE, encoding="utf-8")
    run = epoche(
        "verify", CLAIM, "--evidence", str(tmp_path), "--output", str(tmp_path / "report.json"), "-f", "json"
    )
    assert run.returncode == 0
    assert (tmp_path / "report.json").exists()
    page = str(tmp_path / "report.html")
    refused(epoche("verify", CLAIM, "--evidence", str(tmp_path), "-o", page, "-f", "html"), 1, "read from there")


def test_scores_do_not_replace_their_pairs(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text('{"premise": "A", "hypothesis": "B"}\n', encoding="utf-8")
    run = epoche("score", str(pairs), "--out", str(pairs))
    assert run.returncode == 1
    assert pairs.read_text(encoding="utf-8") == '{"premise": "A", "hypothesis": "B"}\n'


def test_a_link_stays_a_link_and_a_pipe_is_no_evidence(tmp_path: Path, trial: Path) -> None:
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("old", encoding="utf-8")
    link.symlink_to(target)
    assert epoche("verify", CLAIM, "-e", str(trial), "-o", str(link)).returncode == 0
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8").startswith("Supported")
    os.mkfifo(tmp_path / "pipe.txt")
    run = epoche("verify", CLAIM, "-e", str(tmp_path / "pipe.txt"))
    assert run.returncode == 1
    assert b"not a regular file" in run.stderr


def test_closed_streams_and_a_full_disk_are_said_or_borne(trial: Path) -> None:
    def shell(
        redirection: str, command: str = f"verify {json.dumps(CLAIM)} -e"
    ) -> subprocess.CompletedProcess[bytes]:
        line = f"{sys.executable} -m epoche {command} {trial if command.endswith('-e') else ''} {redirection}"
        return subprocess.run(["bash", "-c", line], capture_output=True, timeout=120)

    assert shell("2>&-").stdout.startswith(b"Supported")
    closed = shell(">&-")
    assert (closed.returncode, b"standard output is closed" in closed.stderr) == (1, True)
    closed = shell("<&-", "verify - -e")
    assert (closed.returncode, b"standard input is closed" in closed.stderr) == (1, True)
    for command in ("models", f"verify {json.dumps(CLAIM)} -e"):
        full = shell("> /dev/full", command)
        assert full.returncode == 1
        assert b"No space left" in full.stderr
        assert b"Traceback" not in full.stderr


def test_messages_do_not_paint_the_terminal() -> None:
    run = epoche("verify", CLAIM, "-e", "no\x1b[31mname\n.txt")
    assert run.stderr.count(b"\n") == 1
    assert b"\x1b" not in run.stderr
    assert b"\\x1b[31mname\\n.txt" in run.stderr


def test_what_a_folder_holds_besides_is_named(tmp_path: Path, trial: Path) -> None:
    (tmp_path / "paper.pdf").write_bytes(b"%PDF")
    run = epoche("verify", CLAIM, "-e", str(tmp_path))
    assert run.returncode == 0
    assert b"not read" in run.stderr
    assert b"paper.pdf" in run.stderr
    assert epoche("verify", CLAIM, "-e", str(tmp_path), "-q").stderr == b""


def test_a_very_long_text_is_shortened_in_a_report(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("a" * 100_000, encoding="utf-8")
    run = epoche("verify", CLAIM, "-e", str(tmp_path / "long.txt"))
    assert len(run.stdout) < 10_000
