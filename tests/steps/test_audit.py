from __future__ import annotations

import pytest
from pydantic import ValidationError

from epoche.policy import Policy
from epoche.steps.audit import audit
from epoche.types import Status
from tests.cases import array, condition, evidence, row

PAPER = Policy(name="paper")


def test_case_4_contradiction_has_priority_across_sentences_and_both_are_named() -> None:
    # S0 contradicts at 0.94, S1 entails at 0.95: the best sentence entails, the status is CON.
    (result,) = audit([condition()], evidence(2).windows, array([row(c=0.94), row(e=0.95)]), PAPER)
    assert result.status is Status.CON
    assert result.conflict
    assert [c.window for c in result.contradicting] == [0]
    assert [c.window for c in result.supporting] == [1]
    assert (result.support, result.contradiction) == (0.95, 0.94)


@pytest.mark.parametrize(
    ("e", "c", "status"),
    [
        (0.55, 0.0, Status.SUP),  # on the threshold counts
        (0.549999, 0.0, Status.MIS),
        (0.0, 0.55, Status.CON),
        (0.0, 0.549999, Status.MIS),
        (0.45, 0.55, Status.CON),
        (0.0, 0.0, Status.MIS),
    ],
)
def test_thresholds_are_inclusive(e: float, c: float, status: Status) -> None:
    (result,) = audit([condition()], evidence(1).windows, array([row(e, c)]), PAPER)
    assert result.status is status


def test_case_9_all_neutral_is_missing() -> None:
    (result,) = audit([condition()], evidence(3).windows, array([row()] * 3), PAPER)
    assert result.status is Status.MIS
    assert result.supporting == result.contradicting == ()


@pytest.mark.parametrize("field", ["support_threshold", "contradiction_threshold"])
def test_case_9_a_threshold_below_one_half_is_refused(field: str) -> None:
    with pytest.raises(ValidationError, match="greater than or equal to 0.5"):
        Policy.model_validate({field: 0.49})


def test_only_windows_of_the_policy_sizes_are_read() -> None:
    pair = evidence(2, pairs=True, documents=[0, 0])  # windows: S0, S1, S0+S1
    scores = array([row(e=0.2), row(e=0.3), row(e=0.9)])
    assert audit([condition()], pair.windows, scores, PAPER)[0].support == 0.3
    both = Policy(windows=(1, 2))
    assert audit([condition()], pair.windows, scores, both)[0].support == 0.9


def test_cited_windows_are_strongest_first_and_ties_keep_their_order() -> None:
    scores = array([row(e=0.6), row(e=0.9), row(e=0.6), row(e=0.1)])
    (result,) = audit([condition()], evidence(4).windows, scores, PAPER)
    assert [c.window for c in result.supporting] == [1, 0, 2]
