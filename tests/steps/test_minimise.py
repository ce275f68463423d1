from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from epoche.policy import Policy
from epoche.steps.abstain import Judge
from epoche.steps.audit import FloatArray, audit
from epoche.steps.decide import decide
from epoche.steps.minimise import _Search, minimise
from epoche.types import Evidence, Kind, MinimalEvidence, Unread
from tests.cases import array, condition, evidence, row

DEFAULT = Policy()


def minimal(
    scores: FloatArray, given: Evidence, policy: Policy = DEFAULT, kind: Kind = Kind.CLAIM
) -> tuple[MinimalEvidence, Judge]:
    conditions = [condition(f"C{i}.") for i in range(len(scores))]
    judge = Judge(kind, [True] * len(scores), given, scores, policy)
    audits = audit(conditions, given.windows, scores, policy)
    return minimise(judge, decide(audits, judge.whole), audits, given), judge


def test_one_supporting_sentence_is_enough_and_both_must_go() -> None:
    # S0 and S2 support: either one keeps "supported", only without both it is gone.
    result, _ = minimal(array([row(e=0.9), row(), row(e=0.7)]), evidence(3))
    assert result.sufficient is not None
    assert result.removal is not None
    assert result.sufficient.sentences == (0,)
    assert result.removal.sentences == (0, 2)
    assert result.without_removal == "not_enough_evidence"
    assert (result.sufficient.search, result.removal.search) == ("exact", "exact")


def test_two_conditions_need_a_sentence_each_and_one_removal_sinks_both() -> None:
    scores = array([row(e=0.9), row(), row()], [row(), row(e=0.8), row()])
    result, _ = minimal(scores, evidence(3))
    assert result.sufficient is not None
    assert result.removal is not None
    assert result.sufficient.sentences == (0, 1)
    assert len(result.removal.sentences) == 1


def test_one_sentence_for_two_conditions_is_found() -> None:
    scores = array([row(e=0.9), row(), row(e=0.6)], [row(), row(e=0.8), row(e=0.6)])
    result, _ = minimal(scores, evidence(3))
    assert result.sufficient is not None
    assert result.sufficient.sentences == (2,)


def test_removing_a_contradiction_reveals_the_support() -> None:
    result, _ = minimal(array([row(e=0.9), row(c=0.8)]), evidence(2))
    assert result.removal is not None
    assert result.removal.sentences == (1,)
    assert result.without_removal == "supported"


def test_a_window_goes_with_either_of_its_sentences() -> None:
    # Only the pair S0+S1 supports: both are needed, and removing one of them is enough.
    given = evidence(3, pairs=True, documents=[0, 0, 0])  # S0 S1 S2 S01 S12
    scores = array([row(), row(), row(), row(e=0.9), row()])
    result, _ = minimal(scores, given, Policy(windows=(1, 2)))
    assert result.sufficient is not None
    assert result.removal is not None
    assert result.sufficient.sentences == (0, 1)
    assert result.removal.sentences == (0,)


def test_an_unsettled_statement_rests_on_no_sentence() -> None:
    result, _ = minimal(array([row(), row(e=0.3)]), evidence(2))
    assert (result.sufficient, result.removal, result.without_removal) == (None, None, None)
    assert result.note


probabilities = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.55, 0.6, 0.8, 0.9])


@st.composite
def situations(draw: st.DrawFn) -> tuple[FloatArray, Evidence, Policy, Kind]:
    k, n = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    homes = sorted(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    unread = [Unread(document="x", sentences=1, why="budget")] if draw(st.booleans()) else []
    given = evidence(
        n,
        pairs=draw(st.booleans()),
        documents=homes,
        retracted=draw(st.sampled_from([[], [homes[0]]])),
        unread=unread,
    )
    cells = [
        [
            row(e, min(c, round(1 - e, 6)))
            for e, c in draw(
                st.lists(
                    st.tuples(probabilities, probabilities),
                    min_size=len(given.windows),
                    max_size=len(given.windows),
                )
            )
        ]
        for _ in range(k)
    ]
    policy = Policy(
        windows=draw(st.sampled_from([(1,), (1, 2)])),
        tau=draw(st.sampled_from([0.0, 0.3, 0.7])),
        on_conflict=draw(st.sampled_from(["refute", "abstain"])),
        confidence=draw(st.sampled_from(["max_margin", "min_margin"])),
    )
    return array(*cells), given, policy, draw(st.sampled_from(list(Kind)))


@settings(max_examples=300, deadline=None)
@given(situations())
def test_both_sets_are_true_and_exact_ones_are_smallest(
    situation: tuple[FloatArray, Evidence, Policy, Kind],
) -> None:
    scores, given, policy, kind = situation
    result, judge = minimal(scores, given, policy, kind)
    if result.sufficient is None or result.removal is None:
        return
    search = _Search(judge, given)
    n = len(given.sentences)
    everything = np.ones(len(given.windows), dtype=np.bool_)
    whole = judge.label(everything), judge.reason(everything)
    assert search.outcome(search.only(result.sufficient.sentences)) == whole
    label, reason = search.outcome(search.all_but(result.removal.sentences))
    assert (label, reason) != whole
    assert result.without_removal == str(label if reason in (None, whole[1]) else reason)
    # Brute force over all 2ⁿ subsets.
    smaller = [s for r in range(len(result.sufficient.sentences)) for s in combinations(range(n), r)]
    if result.sufficient.search == "exact":
        assert not any(search.outcome(search.only(s)) == whole for s in smaller)
    smaller = [s for r in range(len(result.removal.sentences)) for s in combinations(range(n), r)]
    if result.removal.search == "exact":
        assert not any(search.outcome(search.all_but(s)) != whole for s in smaller)


def test_many_sentences_stay_within_the_bound_and_are_verified() -> None:
    generator = np.random.default_rng(1)
    e = np.where(generator.random((4, 300)) < 0.2, 0.9, 0.1)
    scores = np.stack([e, 1 - e, np.zeros_like(e)], axis=-1)
    result, judge = minimal(scores, evidence(300))
    search = _Search(judge, evidence(300))
    assert result.removal is not None
    assert result.sufficient is not None
    assert search.outcome(search.only(result.sufficient.sentences))[0] == "supported"
    assert search.outcome(search.all_but(result.removal.sentences))[0] == "not_enough_evidence"
