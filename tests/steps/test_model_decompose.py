"""A language model as decomposer: a good reply is used, a bad one never makes anything easier."""

from __future__ import annotations

import json

import numpy as np
import pytest

from epoche.backends.base import Reply
from epoche.backends.fake import ScriptedModel
from epoche.errors import BackendError
from epoche.steps.faithful import FOLLOWS, faithful, pairs
from epoche.steps.model_decompose import KEPT, ModelDecomposer
from epoche.types import Decomposition, Kind, Statement

CLAIM = Statement(text="Aspirin reduces pain and fever in adults.", kind=Kind.CLAIM)
WHOLE = "Aspirin reduces pain and fever in adults."
GOOD = ("Aspirin reduces pain in adults.", "Aspirin reduces fever in adults.")


def as_reply(*conditions: str, critical: bool = True) -> str:
    return json.dumps({"conditions": [{"text": c, "critical": critical} for c in conditions]})


def texts(found: Decomposition) -> list[str]:
    return [c.text for c in found.conditions]


def test_a_good_reply_is_used_and_kept() -> None:
    model = ScriptedModel([as_reply(*GOOD)])
    found = ModelDecomposer(model).decompose(CLAIM)
    assert texts(found) == [*GOOD, WHOLE]
    assert [c.critical for c in found.conditions] == [True, True, False]
    assert found.covers
    assert [r.text for r in found.replies] == [as_reply(*GOOD)]
    (prompt,) = model.asked
    assert prompt.turns[-1] == ("user", f"Statement: {WHOLE}")
    assert prompt.schema is not None


@pytest.mark.parametrize(
    "reply",
    [
        "Sure! Here are the conditions you asked for.",
        "__import__('os').system('x')",
        '{"conditions":[{"text":"Aspirin reduces pain in adults."},{"tex',
        '["Aspirin reduces pain in adults.", "Aspirin reduces fever in adults."]',
        as_reply(GOOD[0], GOOD[0]),
        as_reply("", GOOD[0]),
        as_reply(*(f"Aspirin reduces pain {i} in adults." for i in range(40))),
        '{"c":"TNF-\\ud83dα"}',
        "",
        as_reply("Aspirin prevents stroke."),
        as_reply("It reduces pain.", "It reduces fever."),
        as_reply("Pain and fever.", "Adults."),
        as_reply("Aspirin does not reduce pain in adults."),
    ],
)
def test_case_14_after_two_bad_replies_the_whole_is_the_single_critical_condition(reply: str) -> None:
    model = ScriptedModel([reply])
    found = ModelDecomposer(model).decompose(CLAIM)
    assert texts(found) == [WHOLE]
    assert found.conditions[0].critical
    assert len(model.asked) == 2
    assert "could not be used" in found.note
    assert all(record.problem for record in found.replies)


def test_case_14_the_second_try_says_what_was_wrong() -> None:
    model = ScriptedModel(["Here you go!", as_reply(*GOOD)])
    found = ModelDecomposer(model).decompose(CLAIM)
    assert texts(found) == [*GOOD, WHOLE]
    assert "it is not JSON" in model.asked[1].turns[-1][1]
    assert model.asked[1].turns[-2] == ("assistant", "Here you go!")
    assert [bool(r.problem) for r in found.replies] == [True, False]


def test_case_16_an_invention_is_dropped_and_the_whole_is_critical_beside_the_rest() -> None:
    model = ScriptedModel([as_reply(*GOOD, "Aspirin prevents stroke in adults.")])
    found = ModelDecomposer(model).decompose(CLAIM)
    assert texts(found) == [*GOOD, WHOLE]
    assert found.conditions[-1].critical
    assert "stroke" in found.dropped[0]


def test_a_salvaged_reply_is_used_only_if_it_says_everything() -> None:
    half = as_reply(*GOOD)[:-2]
    found = ModelDecomposer(ScriptedModel([Reply(text=half, cut=True)])).decompose(CLAIM)
    assert texts(found) == [*GOOD, WHOLE]
    lost = '{"conditions":[{"text":"Aspirin reduces pain."},{"text":"Aspirin reduces fever."},{"text":"Asp'
    assert texts(ModelDecomposer(ScriptedModel([lost])).decompose(CLAIM)) == [WHOLE]


def test_what_the_model_calls_not_needed_covers_nothing() -> None:
    found = ModelDecomposer(ScriptedModel([as_reply(*GOOD, critical=False)])).decompose(CLAIM)
    assert [c.critical for c in found.conditions] == [False, False, True]


def test_case_17_a_statement_given_back_stays_one_condition_without_a_second_try() -> None:
    model = ScriptedModel([as_reply("Aspirin reduces pain")])
    found = ModelDecomposer(model).decompose(Statement(text="Aspirin reduces pain.", kind=Kind.CLAIM))
    assert texts(found) == ["Aspirin reduces pain."]
    assert len(model.asked) == 1
    assert not found.note


def test_lines_for_encoder_decoders() -> None:
    model = ScriptedModel(["\n".join(f"- {c}" for c in GOOD)], style="lines")
    assert texts(ModelDecomposer(model).decompose(CLAIM)) == [*GOOD, WHOLE]
    assert model.asked[0].schema is None
    again = ScriptedModel(["", "\n".join(GOOD)], style="lines")
    assert texts(ModelDecomposer(again).decompose(CLAIM)) == [*GOOD, WHOLE]
    assert len(again.asked[1].turns) == 1


def test_no_reply_is_an_error_and_a_long_statement_is_not_asked_about() -> None:
    with pytest.raises(BackendError, match="down"):
        ModelDecomposer(ScriptedModel([BackendError("down")])).decompose(CLAIM)
    model = ScriptedModel(["x"])
    long = Statement(text="Aspirin reduces pain. " * 200, kind=Kind.CLAIM)
    found = ModelDecomposer(model).decompose(long)
    assert len(found.conditions) == 1
    assert model.asked == []
    assert "longer than" in found.note


def test_a_long_reply_is_kept_in_part() -> None:
    found = ModelDecomposer(ScriptedModel(["x" * 100_000])).decompose(CLAIM)
    assert len(found.replies[0].text) < KEPT + 100
    assert "100000 characters" in found.replies[0].text


def test_a_slot_in_a_statement_stays_text() -> None:
    model = ScriptedModel([as_reply("x")])
    ModelDecomposer(model).decompose(Statement(text="The {problem} of {statement} is known.", kind=Kind.CLAIM))
    assert model.asked[0].turns[-1][1] == "Statement: The {problem} of {statement} is known."


# ── the check by NLI ─────────────────────────────────────────────────────────────────────────


def split() -> Decomposition:
    return ModelDecomposer(ScriptedModel([as_reply(*GOOD)])).decompose(CLAIM)


def rows(*entailments: float) -> np.ndarray:
    return np.array([(e, 1.0 - e, 0.0) for e in entailments])


def test_parts_that_follow_and_say_it_all_stay_as_they_are() -> None:
    assert pairs(split()) == [(WHOLE, GOOD[0]), (WHOLE, GOOD[1]), (" ".join(GOOD), WHOLE)]
    assert faithful(split(), rows(0.9, 0.9, 0.9), Kind.CLAIM) == split()


def test_case_16_a_part_that_does_not_follow_is_dropped() -> None:
    found = faithful(split(), rows(0.9, FOLLOWS - 0.01, 0.9), Kind.CLAIM)
    assert texts(found) == [WHOLE]  # one part alone splits nothing
    assert "does not follow" in found.dropped[0]
    assert found.replies


def test_parts_that_together_say_less_leave_the_whole_critical() -> None:
    found = faithful(split(), rows(0.9, 0.9, FOLLOWS - 0.01), Kind.CLAIM)
    assert texts(found) == [*GOOD, WHOLE]
    assert found.conditions[-1].critical
    assert not found.covers


def test_of_a_question_whose_parts_say_less_the_whole_alone_decides() -> None:
    """By the paper's rule one supported critical condition is enough for a yes."""
    question = Statement(text="Does aspirin reduce pain and fever in adults?", kind=Kind.QUESTION)
    good = ModelDecomposer(ScriptedModel([as_reply(*GOOD)])).decompose(question)
    assert [c.critical for c in good.conditions] == [True, True, False]
    lost = faithful(good, rows(0.9, 0.9, FOLLOWS - 0.01), Kind.QUESTION)
    assert [c.critical for c in lost.conditions] == [False, False, True]
    invented = ModelDecomposer(ScriptedModel([as_reply(*GOOD, "Aspirin prevents stroke in adults.")])).decompose(
        question
    )
    assert [c.critical for c in invented.conditions] == [False, False, True]


def test_where_no_part_is_critical_there_is_nothing_to_compare_with_the_whole() -> None:
    found = ModelDecomposer(ScriptedModel([as_reply(*GOOD, critical=False)])).decompose(CLAIM)
    assert pairs(found) == [(WHOLE, GOOD[0]), (WHOLE, GOOD[1])]
    assert [c.critical for c in faithful(found, rows(0.9, 0.9), Kind.CLAIM).conditions] == [False, False, True]


def test_the_whole_alone_has_nothing_to_compare() -> None:
    alone = ModelDecomposer(ScriptedModel(["?"])).decompose(CLAIM)
    assert pairs(alone) == []
