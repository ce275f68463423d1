"""A stream that keeps a promise, one that breaks it, one that only looks different."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from epoche.calibrate.drifting import drift, without_promise
from epoche.calibrate.making import calibrate
from epoche.calibrate.promise import Wanted
from epoche.errors import PolicyError
from epoche.policy import Target
from tests.calibrate.runs import mixed, predictions, ranked, scored_run


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    made = calibrate(predictions(tmp_path / "known.jsonl", ranked(400, 40)), "calibrated", Wanted(0.1, 0.05))
    path = tmp_path / "policy.json"
    path.write_text(made.file.model_dump_json(), encoding="utf-8")
    return path


def stream(path: Path, confidence: Sequence[float], wrong: Sequence[bool | None]) -> Path:
    lines = []
    for i, (c, w) in enumerate(zip(confidence, wrong, strict=True)):
        gold = {} if w is None else {"gold": "refuted" if w else "supported"}
        lines.append(json.dumps({"id": i, "pred": "supported", "confidence": float(c)} | gold))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_stream_like_the_items_of_the_promise_keeps_it(policy: Path, tmp_path: Path) -> None:
    generator = np.random.default_rng(1)
    found = drift(policy, stream(tmp_path / "s.jsonl", generator.random(200), [c < 0.02 for c in range(200)]))
    assert not found.why
    assert found.rows[0].refuted_after is None


def test_errors_refute_it_loudly_and_it_stops_promising(policy: Path, tmp_path: Path) -> None:
    generator = np.random.default_rng(2)
    wrong = [bool(x) for x in generator.random(200) < 0.4]
    found = drift(policy, stream(tmp_path / "s.jsonl", generator.random(200) / 2 + 0.5, wrong))
    assert found.refuted
    assert "the risk is shown to exceed 10 %" in found.why
    fallen = without_promise(found.policy, found.why)
    assert (fallen.tau, fallen.promises) == (None, ())
    assert fallen.calibration is not None
    assert fallen.calibration.missing == found.why


def test_without_labels_other_confidences_are_seen(policy: Path, tmp_path: Path) -> None:
    generator = np.random.default_rng(3)
    found = drift(policy, stream(tmp_path / "s.jsonl", generator.random(200) * 0.3, [None] * 200))
    assert found.shifted
    assert not found.refuted
    assert found.labelled == 0


def test_answers_below_the_threshold_are_no_errors(policy: Path, tmp_path: Path) -> None:
    found = drift(policy, stream(tmp_path / "s.jsonl", [0.001] * 50, [True] * 50))
    assert found.rows[0].errors == 0
    assert found.answered == 0.0


def test_a_promise_about_supports_does_not_count_refutations(tmp_path: Path) -> None:
    wanted = Wanted(0.1, 0.05, Target.FALSE_SUPPORT)
    made = calibrate(predictions(tmp_path / "known.jsonl", ranked(400, 0)), "calibrated", wanted)
    path = tmp_path / "policy.json"
    path.write_text(made.file.model_dump_json(), encoding="utf-8")
    lines = [{"id": i, "pred": "refuted", "gold": "supported", "confidence": 0.9} for i in range(50)]
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert drift(path, tmp_path / "s.jsonl").rows[0].answered == 0


def test_nothing_can_drift_from_no_promise(tmp_path: Path) -> None:
    made = calibrate(predictions(tmp_path / "known.jsonl", ranked(10, 0)), "calibrated", Wanted(0.1, 0.05))
    path = tmp_path / "policy.json"
    path.write_text(made.file.model_dump_json(), encoding="utf-8")
    with pytest.raises(PolicyError, match="promises nothing"):
        drift(path, tmp_path / "known.jsonl")


def test_a_run_is_a_stream_too(tmp_path: Path) -> None:
    scored_run(tmp_path / "known", mixed(400, seed=1))
    scored_run(tmp_path / "same", mixed(300, seed=2), first=5000)
    scored_run(tmp_path / "worse", mixed(300, seed=3, noise=0.9), first=6000)
    path = tmp_path / "p.json"
    path.write_text(calibrate(tmp_path / "known", "calibrated", Wanted(0.3, 0.05)).file.model_dump_json(), "utf-8")
    same, worse = drift(path, tmp_path / "same"), drift(path, tmp_path / "worse")
    assert (same.items, same.labelled, same.why) == (300, 300, "")
    assert same.answered == 1.0
    assert worse.why
