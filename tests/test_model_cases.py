"""Cases that the embedded model should get right. Misses are expected failures, listed here and in the card."""

from __future__ import annotations

import pytest

from epoche.assemble import Verifier
from epoche.types import Label, Status


@pytest.fixture(scope="module")
def verifier() -> Verifier:
    return Verifier()


CASES = [
    pytest.param("All 40 mice survived.", "No mouse survived.", Status.CON, id="case_1_no_mouse"),
    pytest.param("All 40 mice survived.", "Forty mice survived.", Status.SUP, id="case_1_forty_mice"),
    pytest.param(
        "Drug X cut deaths from 12% to 6% in adults.", "Drug X cut deaths.", Status.SUP, id="case_3_order"
    ),
    pytest.param(
        "The population was 67 million.", "The population was 999 million.", Status.CON, id="case_7_numbers"
    ),
    pytest.param(
        "The change was non-significant.", "The change was significant.", Status.CON, id="case_8_significance"
    ),
    pytest.param(
        "We cannot exclude an effect.",
        "There is no effect.",
        Status.MIS,
        id="case_8_cannot_exclude",
        marks=pytest.mark.xfail(strict=True, reason="mini takes a hedge for a contradiction"),
    ),
    pytest.param(
        "The dose was 5 µM.",
        "The dose was 5 mM.",
        Status.CON,
        id="case_23_units",
    ),
]


@pytest.mark.parametrize(("sentence", "claim", "status"), CASES)
def test_case_by_the_embedded_model(verifier: Verifier, sentence: str, claim: str, status: Status) -> None:
    (condition,) = verifier.verify(claim, [sentence]).certificate.conditions
    assert condition.status is status


def test_case_3_a_swap_of_premise_and_hypothesis_is_noticed(verifier: Verifier) -> None:
    narrow, wide = "Drug X cut deaths from 12% to 6% in adults.", "Drug X cut deaths."
    forward, backward = verifier.nli.score([(narrow, wide), (wide, narrow)])
    assert forward[0] > backward[0] + 0.2


def test_case_13_a_thousand_claims_finish(verifier: Verifier) -> None:
    # A hundredth of the case on every run; `make bench` has the throughput for the rest.
    sentences = [f"In arm {i}, the mean score fell by {i} points." for i in range(40)]
    for i in range(10):
        documents = [" ".join(sentences)] if i else [" ".join(["word"] * 8000) + ".", " ".join(sentences)]
        outcome = verifier.verify(f"The mean score fell by {i + 2} points.", documents)
        assert outcome.type in ("verdict", "abstention")
        assert outcome.certificate.scores


def test_case_23_the_model_is_given_different_units(verifier: Verifier) -> None:
    micro, milli = verifier.nli.score(
        [("The dose was 5 µM.", "It was 5 µM."), ("The dose was 5 mM.", "It was 5 µM.")]
    )
    assert micro.tolist() != milli.tolist()


def test_case_36_the_same_certificate_for_any_batch_size_and_thread_count() -> None:
    from epoche.config import load_config
    from epoche.report import render

    text = " ".join(f"In cohort {i}, metformin lowered glucose by {i} mmol/L." for i in range(30))
    reports = set()
    for batch, threads in ((1, 1), (64, 1), (7, 2), (64, 2)):
        verifier = Verifier(config=load_config({}, batch_size=batch, threads=threads))
        reports.add(render(verifier.verify("Metformin lowers glucose.", [text]).certificate, "json"))
    assert len(reports) == 1


def test_a_long_list_of_irrelevant_sentences_does_not_support(verifier: Verifier) -> None:
    text = " ".join(f"Room {i} was painted in 19{i}." for i in range(10, 60))
    assert verifier.verify("Metformin lowers glucose.", [text]).label is not Label.SUPPORTED
