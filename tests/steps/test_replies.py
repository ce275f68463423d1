"""Case 14 and 18: whatever a model writes is parsed by schema, salvaged, or refused with a reason."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epoche.steps.prompts import MOST_CONDITIONS
from epoche.steps.replies import parse_json, parse_lines


def texts(reply: str, cut: bool = False) -> list[str]:
    return [c.text for c in parse_json(reply, cut).conditions]


def as_reply(*conditions: str) -> str:
    return json.dumps({"conditions": [{"text": c, "critical": True} for c in conditions]})


def test_a_good_reply() -> None:
    parsed = parse_json(
        '{"conditions": [{"text": "A lowers B.", "critical": true}, {"text": "C.", "critical": false}]}'
    )
    assert [(c.text, c.critical) for c in parsed.conditions] == [("A lowers B.", True), ("C.", False)]
    assert not parsed.problem
    assert not parsed.salvaged


@pytest.mark.parametrize(
    "around",
    [
        "Sure! Here are the conditions:\n{}\nHope this helps.",
        "```json\n{}\n```",
        "<think>{{hm}}</think>\n{}",
        "```\n{}```",
    ],
)
def test_a_whole_object_in_prose_loses_nothing(around: str) -> None:
    parsed = parse_json(around.replace("{}", as_reply("A lowers B.", "A lowers C.")))
    assert [c.text for c in parsed.conditions] == ["A lowers B.", "A lowers C."]
    assert not parsed.problem


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("Sure! Here are…", "not JSON"),
        ("__import__('os').system('x')", "not JSON"),
        ('["A lowers B.", "A lowers C."]', "not an object"),
        ('{"conditions": "A lowers B."}', "not an object with a list"),
        ('{"conditions": [["A lowers B."]]}', "condition 1 is not an object"),
        ('{"conditions": ["A lowers B."]}', "condition 1 is not an object"),
        ('{"conditions": {"text": "A"}}', "not an object with a list"),
        ('{"conditions": []}', "no condition"),
        ('{"conditions": [{"text": ""}]}', "empty"),
        ('{"conditions": [{"text": "A."}, {"text": "A."}]}', "twice"),
        ('{"conditions": [{"text": "A.", "critical": "yes"}]}', "true or false"),
        ('{"conditions": [{"text": 7}]}', "not an object with a text"),
        ('{"c":"TNF-\\ud83dα"}', "not an object with a list"),
        ('{"conditions": [{"text": "TNF-\\ud83dα falls."}]}', "broken characters"),
        ('{"conditions": [{"text": "A\\u0000 falls."}]}', "broken characters"),
        (as_reply(*(f"A lowers B{i}." for i in range(40))), "40 conditions"),
        (as_reply("A" * 2001), "longer"),
        ("[" * 100_000, "not JSON"),
        ('{"conditions": [{"text": "A.", "text": "B."}]}', "not JSON"),
        ("null", "not an object"),
    ],
)
def test_case_14_and_18_what_is_not_the_schema_gives_no_condition_and_a_reason(reply: str, problem: str) -> None:
    parsed = parse_json(reply)
    if not parsed.salvaged:
        assert parsed.conditions == ()
    assert problem in parsed.problem or parsed.salvaged


def test_case_14_a_truncated_reply_is_salvaged_and_says_so() -> None:
    parsed = parse_json('{"conditions":[{"text":"A lowers B."},{"text":"A lowers C."},{"tex', cut=True)
    assert [c.text for c in parsed.conditions] == ["A lowers B.", "A lowers C."]
    assert parsed.salvaged
    assert parsed.problem == "it was cut off"


@given(st.text())
def test_any_text_gives_conditions_or_a_problem(reply: str) -> None:
    for parsed in (parse_json(reply), parse_lines(reply)):
        assert parsed.conditions or parsed.problem
        assert len(parsed.conditions) <= MOST_CONDITIONS


@given(st.lists(st.text(min_size=1, max_size=40), max_size=6))
def test_what_json_holds_is_what_comes_out(conditions: list[str]) -> None:
    parsed = parse_json(json.dumps({"conditions": [{"text": c} for c in conditions]}))
    if not parsed.problem:
        assert [c.text for c in parsed.conditions] == [" ".join(c.split()) for c in conditions]


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("- A lowers B.\n- A lowers C.", ["A lowers B.", "A lowers C."]),
        ("Facts:\n1. A lowers B.\n2) A lowers C.", ["A lowers B.", "A lowers C."]),
        ("Here are the facts:\nA lowers B.\nA lowers C.", ["A lowers B.", "A lowers C."]),
        ("A lowers B. A lowers C.", ["A lowers B.", "A lowers C."]),
        ("A lowers B.", ["A lowers B."]),
        ("* 3.5 mg of A lowers B.", ["3.5 mg of A lowers B."]),
    ],
)
def test_lines(reply: str, found: list[str]) -> None:
    assert [c.text for c in parse_lines(reply).conditions] == found


def test_lines_that_were_cut_lose_the_last() -> None:
    parsed = parse_lines("- A lowers B.\n- A low", cut=True)
    assert [c.text for c in parsed.conditions] == ["A lowers B."]
    assert parsed.salvaged
