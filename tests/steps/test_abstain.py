from __future__ import annotations

from collections.abc import Sequence

import pytest

from epoche.policy import Policy
from epoche.steps.abstain import Judge, abstain
from epoche.steps.audit import FloatArray, audit
from epoche.steps.decide import decide
from epoche.types import Evidence, Kind, Label, OutcomeRecord, Unread
from tests.cases import array, condition, evidence, row


def outcome(
    scores: FloatArray,
    policy: Policy,
    given: Evidence,
    kind: Kind = Kind.CLAIM,
    critical: Sequence[bool] = (True,),
) -> OutcomeRecord:
    conditions = [condition(critical=c) for c in critical]
    judge = Judge(kind, critical, given, scores, policy)
    return abstain(decide(audit(conditions, given.windows, scores, policy), judge.whole), judge, given)


def test_tau_is_inclusive_and_the_distance_is_told() -> None:
    scores = array([row(e=0.8)])
    assert outcome(scores, Policy(tau=0.8), evidence(1)).label is Label.SUPPORTED
    withheld = outcome(scores, Policy(tau=0.85), evidence(1))
    assert (withheld.type, withheld.label, withheld.reason) == ("abstention", None, "below_threshold")
    assert withheld.confidence == 0.8
    assert "0.050 below τ = 0.850" in withheld.detail


def test_a_policy_without_a_threshold_answers_nothing() -> None:
    assert outcome(array([row(e=1.0)]), Policy(tau=None), evidence(1)).reason == "below_threshold"


def test_case_4_paper_refutes_a_conflict_and_the_other_policy_abstains() -> None:
    scores = array([row(c=0.94), row(e=0.95)])
    assert outcome(scores, Policy(name="paper"), evidence(2)).label is Label.REFUTED
    withheld = outcome(scores, Policy(on_conflict="abstain"), evidence(2))
    assert (withheld.label, withheld.reason) == (None, "evidence_conflict")


def test_a_conflict_in_a_condition_that_is_not_critical_does_not_abstain() -> None:
    scores = array([row(e=0.9), row()], [row(e=0.9), row(c=0.9)])
    given = outcome(scores, Policy(on_conflict="abstain"), evidence(2), critical=(True, False))
    assert given.label is Label.SUPPORTED


UNREAD = [Unread(document="x", sentences=3, why="budget")]


@pytest.mark.parametrize(
    ("kind", "scores", "label"),
    [
        (Kind.CLAIM, row(e=0.9), None),
        (Kind.CLAIM, row(), None),
        (Kind.CLAIM, row(c=0.9), Label.REFUTED),
        (Kind.QUESTION, row(e=0.9), None),
        (Kind.QUESTION, row(c=0.9), Label.NO),
    ],
)
def test_unread_evidence_may_refute_and_never_support(
    kind: Kind, scores: tuple[float, float, float], label: Label | None
) -> None:
    result = outcome(array([scores]), Policy(), evidence(1, unread=UNREAD), kind)
    assert result.label is label
    assert result.reason == (None if label else "evidence_truncated")


def test_case_26_retracted_support_alone_is_no_support() -> None:
    scores = array([row(e=0.9), row()])
    assert outcome(scores, Policy(), evidence(2, retracted=[0])).reason == "retracted_only"
    assert outcome(scores, Policy(), evidence(2, retracted=[1])).label is Label.SUPPORTED
    both = array([row(e=0.9), row(e=0.8)])
    assert outcome(both, Policy(), evidence(2, retracted=[0])).label is Label.SUPPORTED


def test_when_every_document_is_retracted_nothing_is_answered() -> None:
    for scores in (row(e=0.9), row(c=0.9), row()):
        assert outcome(array([scores]), Policy(), evidence(1, retracted=[0])).reason == "retracted_only"


def test_case_26_a_retracted_document_lifts_no_answer_over_the_threshold() -> None:
    # Alone the sound document supports with 0.7, below τ = 0.8; the retracted one has 0.95.
    given = evidence(2, retracted=[1])
    both = outcome(array([row(e=0.7), row(e=0.95)]), Policy(tau=0.8), given)
    assert both.reason == "retracted_only"
    assert outcome(array([row(e=0.9), row(e=0.95)]), Policy(tau=0.8), given).label is Label.SUPPORTED
