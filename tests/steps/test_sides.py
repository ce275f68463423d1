"""Documents side by side."""

from __future__ import annotations

from epoche.policy import Policy
from epoche.steps.sides import disagreeing, sides
from epoche.types import Status
from tests.cases import array, evidence, row


def test_each_document_by_itself() -> None:
    # Three sentences: the first two of document d0, the third of d1.
    read = evidence(3, documents=[0, 0, 1])
    scores = array([row(0.9), row(0.1, 0.2), row(0.1, 0.8)], [row(), row(0.7), row(0.6)])
    first, second = sides(read, scores, Policy())
    assert first.statuses == (Status.SUP, Status.SUP)
    assert second.statuses == (Status.CON, Status.SUP)
    assert (first.support, first.contradiction) == ((0.9, 0.7), (0.2, 0.0))
    assert disagreeing([first, second]) == (0,)
    assert disagreeing([first]) == ()
    assert disagreeing([]) == ()


def test_a_document_that_contradicts_itself_disagrees_with_nobody() -> None:
    read = evidence(2, documents=[0, 0])
    (side,) = sides(read, array([row(0.9), row(0.0, 0.9)]), Policy())
    assert side.statuses == (Status.CON,)
    assert disagreeing([side]) == ()
