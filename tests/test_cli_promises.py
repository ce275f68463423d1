"""`calibrate`, `check-promise`, `plan`, `drift` and `policy` as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from epoche.backends.onnx_nli import installed_models
from epoche.config import CALIBRATED_FILES, named_policy
from epoche.types import Kind
from tests.calibrate.runs import mixed, predictions, ranked, scored_run
from tests.test_cli import EVIDENCE, certificate, epoche, refused

needs_model = pytest.mark.skipif(not installed_models(), reason="no embedded model in this checkout")


def test_from_labelled_items_to_a_promise_that_is_checked_and_followed(tmp_path: Path) -> None:
    known = predictions(tmp_path / "known.jsonl", ranked(400, 60))
    policy = tmp_path / "policy.json"
    made = epoche("calibrate", str(known), "--risk", "0.1", "--out", str(policy))
    assert made.returncode == 0, made.stderr.decode()
    assert (
        "promised: wrong among what is answered: at most 10 %, with probability at least 95 %"
        in made.stdout.decode()
    )
    new = predictions(tmp_path / "new.jsonl", ranked(400, 60), first=1000)
    checked = epoche("check-promise", str(policy), "--on", str(new))
    assert checked.returncode == 0
    assert "holds: shown again" in checked.stdout.decode()
    broken = predictions(tmp_path / "broken.jsonl", ranked(400, 390), first=1000)
    again = epoche("check-promise", str(policy), "--on", str(broken))
    assert again.returncode == 1
    assert "BROKEN" in again.stdout.decode()
    fallen = tmp_path / "fallen.json"
    drifted = epoche("drift", str(policy), "--on", str(broken), "--out", str(fallen))
    assert drifted.returncode == 1
    assert "THE PROMISE NO LONGER HOLDS" in drifted.stdout.decode()
    assert json.loads(fallen.read_text(encoding="utf-8"))["tau"] is None
    shown = epoche("policy", str(fallen)).stdout.decode()
    assert "no promise" in shown
    assert "the risk is shown to exceed 10 %" in shown


def test_case_33_a_promise_that_cannot_be_made_exits_with_1_and_says_what_is_needed(tmp_path: Path) -> None:
    known = predictions(tmp_path / "known.jsonl", ranked(40, 0))
    run = epoche("calibrate", str(known), "--risk", "0.05", "--out", str(tmp_path / "p.json"))
    assert run.returncode == 1
    for said in ("cannot promise 5 %", "59 answered items without an error", "93 with one"):
        assert said in run.stderr.decode()
    written = json.loads((tmp_path / "p.json").read_text(encoding="utf-8"))
    assert written["tau"] is None
    assert written["promises"] == []


def test_the_plan_and_what_to_label(tmp_path: Path) -> None:
    plan = epoche("plan", "--risk", "0.05").stdout.decode()
    assert " 59\n" in plan
    assert " 93\n" in plan
    pilot = predictions(tmp_path / "pilot.jsonl", ranked(100, 20))
    assert "labelled needed" in epoche("plan", "--risk", "0.1", "--pilot", str(pilot)).stdout.decode()
    lines = [json.dumps({"id": i, "pred": "supported", "confidence": i / 100}) for i in range(100)]
    (tmp_path / "open.jsonl").write_text("\n".join(lines), encoding="utf-8")
    drawn = tmp_path / "drawn.jsonl"
    run = epoche(
        "plan", "--risk", "0.1", "--label", str(tmp_path / "open.jsonl"), "--count", "7", "--out", str(drawn)
    )
    assert run.returncode == 0, run.stderr.decode()
    assert len(drawn.read_text(encoding="utf-8").splitlines()) == 7
    refused(epoche("plan", "--risk", "0.1", "--label", str(drawn)), 2, "--label and --out go together")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--risk", "0"), "--risk is 0"),
        (("--risk", "often"), "give a number between 0 and 1, or lowest"),
        (("--risk", "0.1", "--delta", "1"), "--delta is 1"),
        (("--risk", "0.1", "--method", "fixed"), "--tau go together"),
        ((), "--risk is missing"),
    ],
)
def test_options_that_make_no_promise(tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    known = predictions(tmp_path / "known.jsonl", ranked(60, 5))
    refused(epoche("calibrate", str(known), *options, "--out", str(tmp_path / "p.json")), 2, said)


def test_a_run_gets_a_posterior_and_a_dial(tmp_path: Path) -> None:
    scored_run(tmp_path / "run", mixed(300))
    out = tmp_path / "p.json"
    run = epoche("calibrate", str(tmp_path / "run"), "--costs", "3:1:0.4", "--out", str(out))
    assert run.returncode == 0, run.stderr.decode()
    text = run.stdout.decode()
    assert "second_relevance" in text
    assert "cost of a false support" in text
    written = json.loads(out.read_text(encoding="utf-8"))
    assert written["costs"]["false_support"] == 3.0
    assert written["abstain_on_cost"] is True
    wrong = epoche("calibrate", str(tmp_path / "run"), "--costs", "3:1", "--out", str(out))
    refused(wrong, 2, "three numbers")


@needs_model
def test_the_default_for_claims_is_the_calibrated_policy_and_cites_its_promise(tmp_path: Path) -> None:
    path = tmp_path / "trial.txt"
    path.write_text(EVIDENCE, encoding="utf-8")
    made = certificate("verify", "Metformin lowers fasting glucose.", "--evidence", str(path))
    assert made["policy"]["name"] == "calibrated"
    assert made["policy"]["promises"][0]["alpha"] == named_policy("calibrated").promises[0].alpha
    asked = certificate("ask", "Does metformin lower fasting glucose?", "--evidence", str(path))
    assert asked["policy"]["name"] == "paper", "a posterior has not earned it for questions"
    own = certificate("verify", "Metformin lowers fasting glucose.", "--evidence", str(path), "--tau", "0.5")
    assert own["policy"]["promises"] == []


@needs_model
def test_the_shipped_policies_were_made_for_the_shipped_model() -> None:
    (mini,) = [m for m in installed_models() if m.name == "mini"]
    for kind in Kind:
        made = named_policy("calibrated", kind).calibration
        assert made is not None, CALIBRATED_FILES[kind]
        assert made.nli_sha256 == mini.sha256, "run benchmarks/policies.py: the model has changed"


@needs_model
def test_another_decomposer_gets_paper_with_a_notice(tmp_path: Path) -> None:
    path = tmp_path / "trial.txt"
    path.write_text(EVIDENCE, encoding="utf-8")
    run = epoche(
        "verify", "Metformin lowers glucose.", "--evidence", str(path), "--decomposer", "whole", "-f", "json"
    )
    assert json.loads(run.stdout)["policy"]["name"] == "paper"
    assert "decided by the policy paper, which promises nothing" in run.stderr.decode()
    bound = epoche(
        "verify",
        "Metformin lowers glucose.",
        "--evidence",
        str(path),
        "--decomposer",
        "whole",
        "--policy",
        "calibrated",
    )
    refused(bound, 2, "promises for the decomposer")


def test_nothing_that_is_read_is_overwritten(tmp_path: Path) -> None:
    scored_run(tmp_path / "run", mixed(100))
    meta = tmp_path / "run" / "meta.json"
    before = meta.read_bytes()
    refused(epoche("calibrate", str(tmp_path / "run"), "--risk", "0.3", "-o", str(meta)), 1, "lies in")
    assert meta.read_bytes() == before
    pilot = predictions(tmp_path / "pilot.jsonl", ranked(60, 5))
    run = epoche("plan", "--risk", "0.1", "--pilot", str(pilot), "--label", str(pilot), "--out", str(pilot))
    refused(run, 1, "would be overwritten")
    refused(epoche("plan", "--risk", "0.1", "--near", "0.5"), 2, "--near says which items")
    refused(epoche("calibrate", str(pilot), "--risk", "0.1", "-o", "-"), 2, "--out is -")
