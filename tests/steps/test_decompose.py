from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epoche.steps.decompose import RuleDecomposer, WholeDecomposer, with_whole
from epoche.steps.guard import Part, guard
from epoche.types import Kind, Statement


def parts(claim: str) -> list[str]:
    decomposition = RuleDecomposer().decompose(Statement(text=claim, kind=Kind.CLAIM))
    assert decomposition.conditions[-1].origin == "whole"
    return [c.text for c in decomposition.conditions[:-1]]


def proposed(*texts: str) -> list[Part]:
    return [Part(text) for text in texts]


SPLITS: list[tuple[str, list[str]]] = [
    (
        "Metformin lowers fasting glucose and reduces body weight.",
        ["Metformin lowers fasting glucose.", "Metformin reduces body weight."],
    ),
    (
        "Vitamin D supplementation reduces infections and increases bone density",
        ["Vitamin D supplementation reduces infections.", "Vitamin D supplementation increases bone density."],
    ),
    ("p53 activates p21 and represses survivin.", ["p53 activates p21.", "p53 represses survivin."]),
    (
        "Vaccination prevents infection and reduces transmission.",
        ["Vaccination prevents infection.", "Vaccination reduces transmission."],
    ),
    (
        "Smoking causes lung cancer and increases the risk of stroke.",
        ["Smoking causes lung cancer.", "Smoking increases the risk of stroke."],
    ),
    ("Aspirin reduces pain and fever.", ["Aspirin reduces pain.", "Aspirin reduces fever."]),
    (
        "Neither aspirin nor ibuprofen reduces mortality.",
        ["Aspirin does not reduce mortality.", "Ibuprofen does not reduce mortality."],
    ),
    (
        "Neither metformin nor insulin was associated with lactic acidosis.",
        [
            "Metformin was not associated with lactic acidosis.",
            "Insulin was not associated with lactic acidosis.",
        ],
    ),
    (
        "Neither zinc nor vitamin C prevents the common cold.",
        ["Zinc does not prevent the common cold.", "Vitamin C does not prevent the common cold."],
    ),
    (
        "Smoking and obesity are associated with stroke.",
        ["Smoking is associated with stroke.", "Obesity is associated with stroke."],
    ),
    (
        "IL-6 and TNF-α are associated with disease severity.",
        ["IL-6 is associated with disease severity.", "TNF-α is associated with disease severity."],
    ),
    (
        "Both metformin and pioglitazone reduce liver fat.",
        ["Metformin reduces liver fat.", "Pioglitazone reduces liver fat."],
    ),
    (
        "Rapamycin, which inhibits mTOR, extends lifespan.",
        ["Rapamycin inhibits mTOR.", "Rapamycin extends lifespan."],
    ),
    (
        "Drug X reduces blood pressure but not mortality.",
        ["Drug X reduces blood pressure.", "Drug X does not reduce mortality."],
    ),
    ("The drug is safe but not effective.", ["The drug is safe.", "The drug is not effective."]),
]

WHOLE = [
    "Aspirin reduces pain but not significantly.",
    "Aspirin reduces pain but not always.",
    "Aspirin reduces pain but not fever in children.",
    "The trial compared aspirin and placebo.",
    "Surfactant separates oil and water.",
    "Neither IL-6 nor TNF-α levels differ.",
    "Aspirin reduces pain.",
    "The combination of aspirin and clopidogrel reduces mortality.",
    "Breast and ovarian cancer are associated with BRCA1 mutations.",
    "Aspirin does not reduce stroke and bleeding.",
    "There is an association between smoking and stroke.",
    "Zinc and copper interact in the gut.",
    "Statins reduce the risk of heart attack and stroke.",
    "Treatment reduced pain and improved mobility in older adults.",
    "Curcumin inhibits proliferation and induces apoptosis of tumour cells.",
    "Aspirin or ibuprofen reduces fever.",
    "Metformin lowers glucose more than insulin and sulfonylureas.",
    "If glucose is high, metformin lowers weight and improves survival.",
    "Doses of 5 and 10 mg reduce pain.",
    "Group A and group B improved by 20% and 30%, respectively.",
    "Proteins that bind DNA and RNA regulate growth.",
    "Metformin lowers glucose and it reduces weight.",
    "Head and neck cancer is associated with smoking.",
    "Obesity increases the risk of diabetes and hypertension.",
    "The drug causes nausea and vomiting.",
    "Mutations in KRAS and TP53 together cause pancreatic cancer.",
    "Most statins reduce cholesterol and inflammation in men.",
    "Calcium and vitamin D jointly reduce fractures.",
    "Exercise may improve mood and sleep.",
    "Depression is associated with mortality and with stroke.",
    "The relation of sodium and potassium predicts stroke.",
    "Men and women differ in drug clearance.",
    "Mice lacking A and B die early.",
    "Researchers suggest that zinc reduces colds and improves sleep.",
    "Only adults and adolescents benefit from the vaccine.",
    "ATM and Rad3 related protein senses DNA damage.",
    "The first and second doses are associated with fever.",
    "Iron",
    "Zinc helps",
]


@pytest.mark.parametrize(("claim", "expected"), SPLITS)
def test_plain_coordination_is_split(claim: str, expected: list[str]) -> None:
    assert parts(claim) == expected


@pytest.mark.parametrize("claim", WHOLE)
def test_case_17_what_is_not_plain_stays_whole(claim: str) -> None:
    assert parts(claim) == []


def test_the_whole_is_audited_beside_its_parts_and_not_critical_if_they_cover_it() -> None:
    found = RuleDecomposer().decompose(Statement(text="Aspirin reduces pain and fever.", kind=Kind.CLAIM))
    assert found.covers
    assert [(c.origin, c.critical) for c in found.conditions] == [
        ("rules:shared-verb", True),
        ("rules:shared-verb", True),
        ("whole", False),
    ]


def test_where_the_parts_lose_something_the_whole_is_critical() -> None:
    statement = Statement(text="Aspirin and rest reduce pain in 40 adults.", kind=Kind.CLAIM)
    found = with_whole(statement, proposed("Aspirin reduces pain.", "Rest reduces pain."), "test", "test")
    assert not found.covers
    assert found.conditions[-1].critical


def test_case_15_a_condition_without_a_subject_is_dropped() -> None:
    found = guard(
        "Aspirin reduces pain and mortality.", proposed("Aspirin reduces pain.", "It also reduces mortality.")
    )
    assert found.kept == tuple(proposed("Aspirin reduces pain."))
    assert "does not stand alone" in found.dropped[0]
    assert not found.covers


def test_case_16_an_invention_is_dropped_and_the_whole_stands_in() -> None:
    statement = Statement(text="Aspirin reduces pain and fever.", kind=Kind.CLAIM)
    given = proposed("Aspirin reduces pain.", "Aspirin reduces fever.", "Aspirin prevents stroke.")
    found = with_whole(statement, given, "test", "test")
    assert any("stroke" in d and "adds" in d for d in found.dropped)
    assert found.conditions[-1].critical
    assert not found.covers


@pytest.mark.parametrize(
    ("statement", "condition", "word"),
    [
        ("Zinc reduced colds in 40 adults.", "Zinc reduced colds in 50 adults.", "adds|number"),
        ("Zinc reduces colds.", "Zinc does not reduce colds.", "negated"),
        ("Zinc reduces colds.", "Zinc.", "short|empty"),
        ("Zinc reduces colds.", "", "short|empty"),
        ("Zinc reduces severe colds.", "Zinc, severe colds.", "verb"),
    ],
)
def test_the_guard_says_why(statement: str, condition: str, word: str) -> None:
    (dropped,) = guard(statement, proposed(condition)).dropped
    assert any(w in dropped for w in word.split("|"))


@pytest.mark.parametrize(
    ("statement", "conditions"),
    [
        ("Zinc does not reduce colds.", ["Zinc reduces colds."]),
        ("Zinc may reduce colds.", ["Zinc reduces colds."]),
        ("Zinc reduces 30 colds.", ["Zinc reduces colds."]),
        ("Zinc reduces colds more than iron.", ["Zinc reduces colds."]),
    ],
)
def test_lost_negations_hedges_numbers_and_comparisons_are_no_cover(statement: str, conditions: list[str]) -> None:
    assert not guard(statement, proposed(*conditions)).covers


def test_questions_and_whole_give_one_critical_condition() -> None:
    question = Statement(text="Does zinc reduce colds and fever?", kind=Kind.QUESTION)
    for decomposer in (RuleDecomposer(), WholeDecomposer()):
        (condition,) = decomposer.decompose(question).conditions
        assert (condition.text, condition.critical) == ("Zinc reduces colds and fever.", True)


@given(st.text(st.sampled_from("ab ,.;and or not which X3%\n"), min_size=1, max_size=200))
def test_any_text_gives_a_whole_at_the_end(text: str) -> None:
    for kind in Kind:
        found = RuleDecomposer().decompose(Statement(text=text, kind=kind))
        assert found.conditions[-1].origin == "whole"
        assert any(c.critical for c in found.conditions)


def test_a_very_long_text_is_kept_whole_quickly() -> None:
    found = RuleDecomposer().decompose(Statement(text="zinc and iron reduce colds " * 4000, kind=Kind.CLAIM))
    assert len(found.conditions) == 1
