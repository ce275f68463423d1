"""The parts of the training pipeline that can be checked without training."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="needs the extra `train` or `test` (onnx)")

from training.nli.contrast import negated, opposite, other_number, significance  # noqa: E402
from training.nli.graph import quantise  # noqa: E402
from training.nli.pairs import Pair, normalise, read_pairs, stable_hash, write_pairs  # noqa: E402
from training.nli.paths import TIERS, results  # noqa: E402

ROOT = Path(__file__).parent.parent.parent
SHIPPED = sorted(tier for tier in TIERS if results(tier).is_file())


def test_quantisation_is_within_half_a_step_and_keeps_the_largest_weight() -> None:
    weight = np.random.default_rng(0).normal(size=(32, 16)).astype(np.float32)
    q, scale = quantise(weight, axis=0)
    assert q.dtype == np.int8
    assert (np.abs(q * scale - weight) <= scale / 2 + 1e-7).all()
    assert np.abs(q).max() == 127


def test_generated_contradictions_change_one_thing() -> None:
    assert opposite("Zinc reduced fever.", "Zinc reduces fever in adults.") == "Zinc increases fever in adults."
    changed = other_number("It fell in 40 adults.", "It fell in 40 adults.")
    assert changed is not None
    assert "40" not in changed
    assert negated("", "Zinc is useful.") == "Zinc is not useful."
    assert significance("The change was significant.", "There was no significant change.") == (
        "There was a significant change."
    )
    assert significance("It rose.", "There was no significant change.") is None


def test_pairs_come_back_as_they_went_and_equal_pools_are_equal_bytes(tmp_path: Path) -> None:
    pairs = [Pair("µ rose.", "It rose.", "entailment", "own")]
    write_pairs(tmp_path / "a.gz", pairs)
    write_pairs(tmp_path / "b.gz", pairs)
    assert read_pairs(tmp_path / "a.gz") == pairs
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_hashes_and_normal_forms_are_stable() -> None:
    assert stable_hash("zinc") == stable_hash("zinc") != stable_hash("iron")
    assert normalise(" Zinc,  IRON!") == "zinc iron"


@pytest.mark.parametrize("tier", SHIPPED)
def test_the_shipped_weights_are_those_of_the_record_and_the_card(tier: str) -> None:
    model = TIERS[tier] / "model.onnx"
    digest = hashlib.sha256(model.read_bytes()).hexdigest()
    assert json.loads(results(tier).read_text(encoding="utf-8"))["export"]["model_sha256"] == digest
    assert digest in (TIERS[tier] / "README.md").read_text(encoding="utf-8")
    assert digest in (ROOT / "README.md").read_text(encoding="utf-8")
    assert model.stat().st_size < 100_000_000


@pytest.mark.parametrize("tier", SHIPPED)
def test_int8_agreed_with_fp32_before_it_was_shipped(tier: str) -> None:
    export = json.loads(results(tier).read_text(encoding="utf-8"))["export"]
    comparison = export["int8_vs_float32"]
    assert comparison["pairs"] >= 5000
    assert comparison["label_agreement"] >= 0.99
    assert comparison["mean_abs_dp"] <= 0.01


def test_no_calibration_or_evaluation_claim_is_trained_on(data: Path) -> None:
    science = pytest.importorskip("training.nli.science")
    calibration = set((data / "scifact" / "calibration_ids.txt").read_text().split())
    ids = {str(row["id"]) for row in science.training_claims(data)}
    assert ids
    assert not ids & calibration
    from training.nli.data import Guard

    guard = Guard(data)
    for line in (data / "scifact" / "claims_dev.jsonl").read_text(encoding="utf-8").splitlines():
        claim = json.loads(line)["claim"]
        assert guard.blocks(Pair("Any premise.", claim, "neutral", "own"), "science")
