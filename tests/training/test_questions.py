"""Claims as the questions they answer."""

from __future__ import annotations

import pytest

from training.nli.questions import question_of


@pytest.mark.parametrize(
    ("claim", "question"),
    [
        ("Zinc lozenges reduce colds.", None),  # no form of the verb that shows where it begins
        ("Zinc reduces the length of colds.", "Does zinc reduce the length of colds?"),
        ("Zinc is not a cure.", "Is zinc not a cure?"),
        ("Patients with asthma are at risk.", "Are patients with asthma at risk?"),
        (
            "MafA phosphorylation decreases its ubiquitination",
            "Does MafA phosphorylation decrease its ubiquitination?",
        ),
        ("Drugs that are safe may help.", None),
        ("It is new, and we learn about it.", None),
        ("Note: zinc is safe.", None),
    ],
)
def test_a_question_is_made_where_its_statement_comes_back(claim: str, question: str | None) -> None:
    assert question_of(claim) == question
