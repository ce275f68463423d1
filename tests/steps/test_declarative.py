from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epoche.steps.declarative import hypothesis_of, not_a_yes_no_question
from epoche.steps.grammar import content_stems
from epoche.types import Kind, Statement


def declared(question: str) -> str:
    return hypothesis_of(Statement(text=question, kind=Kind.QUESTION))


@pytest.mark.parametrize(
    ("question", "hypothesis"),
    [
        ("Is zinc useful in asthma?", "Zinc is useful in asthma."),
        ("Does zinc prevent colds?", "Zinc prevents colds."),
        ("Do statins reduce mortality?", "Statins reduce mortality."),
        ("Did treatment improve survival?", "Treatment improved survival."),
        ("Can surgery be avoided in older adults?", "Surgery can be avoided in older adults."),
        ("Should nurses wash hands twice?", "Nurses should wash hands twice."),
        ("Has mortality fallen since 1990?", "Mortality has fallen since 1990."),
        ("Were the 40 patients older than 65 years?", "The 40 patients were older than 65 years."),
        ("Isn't zinc safe?", "Zinc is safe."),
        ("Doesn't aspirin reduce pain?", "Aspirin reduces pain."),
        ("Is zinc not safe?", "Zinc is not safe."),
        ("(Does aspirin reduce pain?)", "Aspirin reduces pain."),
        ("Is there an association between zinc and colds?", "There is an association between zinc and colds."),
        ("Laparoscopic repair: is it safe?", "Laparoscopic repair is safe."),
        ("Early discharge: a risk factor for readmission?", "Early discharge is a risk factor for readmission."),
        ("Is a dose of 5 µM less toxic than 5 mM?", "A dose of 5 µM is less toxic than 5 mM."),
        ("Pain after surgery--is it avoidable?", "Pain after surgery is avoidable."),
    ],
)
def test_a_question_becomes_what_yes_asserts(question: str, hypothesis: str) -> None:
    assert declared(question) == hypothesis


def test_a_claim_is_only_tidied() -> None:
    claim = Statement(text="  Zinc may\nreduce colds ", kind=Kind.CLAIM)
    assert hypothesis_of(claim) == "Zinc may reduce colds."


def test_two_questions_in_one_keep_their_words() -> None:
    asked = Statement(text="Did the intervention work and was it cheap?", kind=Kind.QUESTION)
    assert hypothesis_of(asked) == "Did the intervention work and was it cheap."
    one = Statement(text="Does metformin reduce weight and have no side effects?", kind=Kind.QUESTION)
    assert hypothesis_of(one).startswith("Metformin reduces weight and ")


@pytest.mark.parametrize("question", ["Which drug reduces pain?", "How many patients died?", "Why is zinc toxic?"])
def test_open_questions_are_no_yes_no_questions(question: str) -> None:
    assert not_a_yes_no_question(question)


@pytest.mark.parametrize(
    "question", ["Does zinc help when it is given early?", "Zinc in asthma?", "Is it known which drug is safer?"]
)
def test_yes_no_questions_are_let_through(question: str) -> None:
    assert not_a_yes_no_question(question) is None


@given(st.text(max_size=200))
def test_no_question_breaks_it_and_none_becomes_empty(text: str) -> None:
    assert declared(text + "x?")


def test_no_content_word_of_a_real_question_is_lost(data: Path) -> None:
    calibration = set((data / "pubmedqa" / "calibration_ids.txt").read_text().split())
    items = json.loads((data / "pubmedqa" / "pqal_train.json").read_text(encoding="utf-8"))
    for key, item in items.items():
        if key not in calibration:
            lost = set(content_stems(item["QUESTION"])) - set(content_stems(declared(item["QUESTION"])))
            assert not lost, item["QUESTION"]
