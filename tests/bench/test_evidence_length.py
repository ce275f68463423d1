"""Case 5: more evidence, more false alarms."""

from __future__ import annotations

import numpy as np
import pytest

from epoche.backends.fake import ScriptedNli
from epoche.bench.datasets import Dataset, Item, given_sentences
from epoche.bench.evidence_length import false_alarms, material, score_material, threshold_for
from epoche.errors import InputError
from epoche.policy import Policy
from epoche.types import Kind, Label, Statement

POLICY = Policy(support_threshold=0.55, contradiction_threshold=0.55)


def test_case_5_two_percent_per_sentence_refute_a_third_at_twenty() -> None:
    # 1 − 0.98^20 = 0.332: with independent sentences, a third of all claims.
    generator = np.random.default_rng(2)
    false = generator.random((4000, 20)) < 0.02
    scores = np.zeros((4000, 20, 3))
    scores[:, :, 2] = np.where(false, 0.9, 0.1)
    rows = {row["sentences"]: row for row in false_alarms(scores, POLICY, (1, 20))}
    assert rows[20]["false_contradiction"] == pytest.approx(0.332, abs=0.025)
    assert rows[20]["independent"] == pytest.approx(0.332, abs=0.025)
    assert rows[1]["false_contradiction"] == pytest.approx(0.02, abs=0.01)


def test_a_threshold_set_after_the_maximum_holds_its_target() -> None:
    # Twenty claims, largest contradictions 0.05, 0.10, … 1.00: one in twenty reaches 1.00.
    largest = np.arange(1, 21) / 20
    assert threshold_for(largest, 0.05) == 1.0
    assert threshold_for(largest, 0.10) == 0.95
    assert threshold_for(np.full(20, 0.9), 0.05) is None


def corpus(claims: int, sentences: int) -> Dataset:
    items = tuple(
        Item(
            str(i),
            Statement(text=f"Claim {i}.", kind=Kind.CLAIM),
            (given_sentences(f"d{i}", [f"Sentence {j} of {i}." for j in range(sentences)]),),
            Label.NOT_ENOUGH_EVIDENCE,
        )
        for i in range(claims)
    )
    return Dataset("scifact", "dev", "abstract", items, {})


def test_no_claim_meets_what_it_cites_and_prefixes_grow() -> None:
    found = material(corpus(6, 5), claims=4, sentences=10)
    assert found == material(corpus(6, 5), claims=4, sentences=10)
    for claim, sentences in zip(found.claims, found.sentences, strict=True):
        number = claim.split()[1].rstrip(".")
        assert len(sentences) == len(set(sentences)) == 10
        assert not any(s.endswith(f"of {number}.") for s in sentences)
    scores = score_material(
        found, ScriptedNli(lambda p, h: (0.0, 0.3, 0.7) if p.startswith("Sentence 1") else (0.0, 1.0, 0.0))
    )
    assert scores.shape == (4, 10, 3)
    rates = [row["false_contradiction"] for row in false_alarms(scores, POLICY, (1, 5, 10))]
    assert rates == sorted(rates)


def test_too_small_a_set_is_refused() -> None:
    with pytest.raises(InputError, match="are needed"):
        material(corpus(2, 3), sentences=10)
    with pytest.raises(InputError, match="5 sentences asked for"):
        false_alarms(np.zeros((2, 3, 3)), POLICY, (5,))
