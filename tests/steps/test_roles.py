"""Aims are no findings."""

from __future__ import annotations

import numpy as np
import pytest

from epoche.steps.roles import heard, is_aim, role_of
from epoche.types import Evidence, Role
from tests.cases import array, evidence, row


@pytest.mark.parametrize(
    "text",
    [
        "We asked whether aspirin reduces mortality in sepsis.",
        "The aim of this study was to test zinc against colds.",
        "To determine whether statins prevent dementia in older adults.",
        "It is unclear whether vitamin D lowers the risk of falls.",
        "We investigated whether sleep loss impairs memory.",
        "The objective was to compare both drugs.",
        "This study examined the effect of exercise on mood.",
        "We hypothesized that loss of KTR2 slows growth.",
        "Does metformin prevent cancer?",
        "The mechanism remains poorly understood.",
    ],
)
def test_what_is_asked(text: str) -> None:
    assert is_aim(text)


@pytest.mark.parametrize(
    "text",
    [
        "Aspirin reduced mortality in sepsis.",
        "We found that zinc shortens colds.",
        "We examined 40 mice and all of them survived.",
        "To our knowledge this is the first trial that shows a benefit.",
        "We tested 200 patients, of whom 30 were positive.",
        "Patients were assigned to aspirin or placebo.",
        "To reduce bias, assessors were blinded and the groups were alike.",
        "The drug was known to be safe.",
        "We demonstrate that KTR2 is needed for growth.",
    ],
)
def test_what_is_found_or_done(text: str) -> None:
    assert not is_aim(text)


def told(texts: list[str], roles: list[Role]) -> Evidence:
    base = evidence(len(texts), pairs=True, documents=[0] * len(texts))
    sentences = tuple(
        s.model_copy(update={"text": t, "role": r}) for s, t, r in zip(base.sentences, texts, roles, strict=True)
    )
    return base.model_copy(update={"sentences": sentences})


def test_a_window_of_nothing_but_aims_says_nothing() -> None:
    read = told(["We asked whether zinc works.", "We asked if iron works.", "Zinc works."], [Role.OTHER] * 3)
    # Windows: three single sentences, then the pairs (0, 1) and (1, 2).
    scores = array([row(0.9), row(0.8), row(0.7), row(0.6), row(0.5)])
    counted = heard(scores, read, (Role.AIM,))
    assert counted[0].tolist() == [[0, 1, 0], [0, 1, 0], list(row(0.7)), [0, 1, 0], list(row(0.5))]
    assert heard(scores, read, ()) is scores
    assert np.array_equal(scores[0, 0], row(0.9)), "what is stored stays"


def test_the_section_speaks_before_the_wording() -> None:
    read = told(["We asked whether zinc works."] * 2 + ["Zinc works."] * 2,
                [Role.RESULTS, Role.BACKGROUND, Role.AIM, Role.BACKGROUND])  # fmt: skip
    assert [role_of(s) for s in read.sentences] == [Role.RESULTS, Role.AIM, Role.AIM, Role.BACKGROUND]
