from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest

from epoche.policy import Policy
from epoche.steps.abstain import Judge
from epoche.steps.audit import FloatArray, audit
from epoche.steps.decide import decide, label_of
from epoche.types import Condition, Kind, Label, Proposal, Status
from tests.cases import array, condition, evidence, row

S, C, M = Status.SUP, Status.CON, Status.MIS
PAPER = Policy(name="paper")


def proposed(conditions: Sequence[Condition], scores: FloatArray, policy: Policy = PAPER) -> Proposal:
    given = evidence(scores.shape[1])
    judge = Judge(Kind.CLAIM, [c.critical for c in conditions], given, scores, policy)
    return decide(audit(conditions, given.windows, scores, policy), judge.whole)


@pytest.mark.parametrize(
    ("statuses", "claim", "question"),
    [
        ([S], Label.SUPPORTED, Label.YES),
        ([C], Label.REFUTED, Label.NO),
        ([M], Label.NOT_ENOUGH_EVIDENCE, Label.MAYBE),
        ([S, S], Label.SUPPORTED, Label.YES),
        ([S, M], Label.NOT_ENOUGH_EVIDENCE, Label.YES),  # the paper's "at least one"
        ([S, C], Label.REFUTED, Label.NO),
        ([M, C], Label.REFUTED, Label.NO),
        ([M, M], Label.NOT_ENOUGH_EVIDENCE, Label.MAYBE),
    ],
)
def test_the_papers_table(statuses: list[Status], claim: Label, question: Label) -> None:
    assert label_of(Kind.CLAIM, statuses, PAPER) is claim
    assert label_of(Kind.QUESTION, statuses, PAPER) is question


def test_a_yes_can_be_made_to_need_every_condition() -> None:
    strict = Policy(yes_needs="all")
    assert label_of(Kind.QUESTION, [S, M], strict) is Label.MAYBE
    assert label_of(Kind.QUESTION, [S, S], strict) is Label.YES


def test_no_set_of_statuses_with_a_missing_condition_supports() -> None:
    for n in (1, 2, 3):
        for statuses in product((S, C, M), repeat=n):
            supported = label_of(Kind.CLAIM, statuses, PAPER) is Label.SUPPORTED
            assert supported == (set(statuses) == {S})


def test_conditions_that_are_not_critical_decide_nothing() -> None:
    conditions = [condition("A lowers B."), condition("A lowers B and C.", critical=False)]
    scores = array([row(e=0.9)], [row(c=0.99)])
    proposal = proposed(conditions, scores)
    assert proposal.label is Label.SUPPORTED
    assert proposal.deciding == (0,)
    assert proposal.confidence == 0.9


def test_case_35_confidence_is_the_same_quantity_for_every_label() -> None:
    # |s − c| in all three: 0.9 − 0.05, 0.05 − 0.9 and 0.3 − 0.1 in absolute value.
    expected = {(0.9, 0.05): 0.85, (0.05, 0.9): 0.85, (0.3, 0.1): 0.2}
    labels = []
    for (e, c), confidence in expected.items():
        proposal = proposed([condition()], array([row(e, c)]))
        assert proposal.confidence == confidence
        labels.append(proposal.label)
    assert labels == [Label.SUPPORTED, Label.REFUTED, Label.NOT_ENOUGH_EVIDENCE]


def test_max_margin_is_the_papers_and_min_margin_the_weakest() -> None:
    conditions = [condition("A."), condition("B.")]
    scores = array([row(e=0.9)], [row(e=0.6, c=0.1)])
    assert proposed(conditions, scores).confidence == 0.9
    assert proposed(conditions, scores, Policy(confidence="min_margin")).confidence == 0.5
