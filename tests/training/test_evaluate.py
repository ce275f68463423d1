"""The figures of the model card, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from training.nli.evaluate import pair_figures
from training.nli.evaluate_scifact import ClaimSet, Peaks, claim_figures, fit, peaks, sentence_figures

E, N, C = np.eye(3)


def test_pairs_with_three_and_with_two_classes() -> None:
    scores = np.array([E, N, C, C])
    three = pair_figures(["entailment", "neutral", "contradiction", "neutral"], scores)
    # 3 of 4; F1: entailment 1, neutral 2·1/(1+2), contradiction 2·1/(2+1) → mean (1 + 2/3 + 2/3)/3.
    assert (three["accuracy"], three["macro_f1"]) == (0.75, round((1 + 4 / 3) / 3, 4))
    assert three["recall"] == {"contradiction": 1.0, "entailment": 1.0, "neutral": 0.5}
    assert three["interval"][0] < 0.75 < three["interval"][1]
    two = pair_figures(["entailment", "not_entailment", "not_entailment", "entailment"], scores)
    assert two["accuracy"] == 0.75
    # A set without neutral pairs: a guess of "neutral" is wrong, and no class of its own in the mean.
    # entailment 2·1/(1+1) = 1, contradiction 2·1/(1+2).
    none = pair_figures(["entailment", "contradiction", "contradiction"], np.array([E, C, N]))
    assert (none["accuracy"], none["macro_f1"]) == (round(2 / 3, 4), round((1 + 2 / 3) / 2, 4))


def test_a_claim_is_decided_by_its_largest_scores_contradiction_first() -> None:
    found = ClaimSet([], [], [], [("entailment", [0], [0, 1]), ("contradiction", [2], [2]), ("neutral", [], [])])
    scores = np.array([[0.9, 0.05, 0.05], [0.1, 0.2, 0.7], [0.6, 0.0, 0.4]])
    singles, every = peaks(found, scores, singles=True), peaks(found, scores, singles=False)
    assert singles.support.tolist() == [0.9, 0.6, 0.0]
    assert every.contradiction.tolist() == [0.7, 0.4, 0.0]
    assert singles.decide(0.5, 0.5) == ["entailment", "entailment", "neutral"]
    assert every.decide(0.5, 0.5) == ["contradiction", "entailment", "neutral"], "contradiction has priority"
    assert singles.decide(0.5, 0.4) == ["entailment", "contradiction", "neutral"], (
        "a threshold is reached by equality"
    )


def test_thresholds_are_fitted_to_the_best_mean_f1() -> None:
    support = np.array([0.9, 0.85, 0.3, 0.2, 0.1, 0.3])
    contradiction = np.array([0.1, 0.3, 0.8, 0.75, 0.3, 0.2])
    gold = ["entailment", "entailment", "contradiction", "contradiction", "neutral", "neutral"]
    found = Peaks(support, contradiction, gold)
    s, c = fit(found)
    assert found.decide(s, c) == gold
    assert 0.3 < s <= 0.85
    assert 0.3 < c <= 0.75
    figures = claim_figures(found, found, (s, c))
    assert (figures["accuracy"], figures["macro_f1"], figures["claims"]) == (1.0, 1.0, 6)
    assert figures["auroc_failure"] is None, "nothing is wrong, so nothing can be ranked"
    assert figures["auroc_failure_posterior"] is None


def test_the_posterior_learns_from_other_claims_which_labels_fail() -> None:
    # What is far from both thresholds is right, what is near either is wrong: at odds with the margin
    # for the unsettled claims, whose margins are the smallest and who are right.
    support = np.array([0.6, 0.65, 0.9, 0.95, 0.1, 0.2])
    contradiction = np.array([0.1, 0.2, 0.1, 0.2, 0.1, 0.1])
    gold = ["neutral", "neutral", "entailment", "entailment", "neutral", "neutral"]
    there = Peaks(np.tile(support, 10), np.tile(contradiction, 10), gold * 10)
    figures = claim_figures(there, Peaks(support, contradiction, gold), (0.5, 0.5))
    # By the margin the two wrong ones rank above two of four right ones: 4 of 8 pairs are in order.
    assert figures["auroc_failure"] == 0.5
    assert figures["auroc_failure_posterior"] == 1.0


def test_false_alarms_are_counted_on_neutral_sentences() -> None:
    rows = [(0, "neutral"), (1, "neutral"), (2, "entailment")]
    scores = np.array([[0.1, 0.2, 0.7], [0.0, 1.0, 0.0], [0.9, 0.1, 0.0]])
    figures = sentence_figures(rows, scores)
    assert figures["neutral_with_contradiction_over_threshold"] == 0.5
    assert figures["neutral_with_entailment_over_threshold"] == 0.0
    # One bin per pair: |0 − 0.7|, |1 − 1|, |1 − 0.9|.
    assert figures["ece"] == pytest.approx((0.7 + 0.0 + 0.1) / 3, abs=1e-4)


def test_the_temperature_of_overconfident_logits_is_found() -> None:
    pytest.importorskip("torch", reason="needs the extra `train`")
    from training.nli.export import fitted_temperature

    generator = np.random.default_rng(0)
    logits = generator.normal(size=(20000, 3))
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    gold = (p.cumsum(axis=1) < generator.random((20000, 1))).sum(axis=1).clip(max=2)
    assert fitted_temperature(logits * 3, gold) == pytest.approx(3, rel=0.05)
    assert fitted_temperature(logits, gold) == pytest.approx(1, rel=0.05)


def test_known_failures_are_the_examples_that_go_wrong() -> None:
    from training.nli.known_failures import EXAMPLES, known_failures

    class Always:
        """Says neutral to everything."""

        def score(self, pairs: list[tuple[str, str]]) -> np.ndarray:
            return np.tile([0.1, 0.7, 0.2], (len(pairs), 1))

    found = known_failures(Always())  # type: ignore[arg-type]
    golds = [gold for examples in EXAMPLES.values() for _, _, gold in examples]
    assert len(found) == sum(gold != "neutral" for gold in golds)
    assert {f["said"] for f in found} == {"neutral"}
    assert found[0]["p"] == 0.7
    assert all(len(examples) == 2 for examples in EXAMPLES.values())
