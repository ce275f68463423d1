"""Features by hand, probabilities that are some, and a policy that decides by them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epoche.policy import Costs, Policy, Posterior
from epoche.steps.audit import Best
from epoche.steps.decide import propose
from epoche.steps.posterior import FEATURES, NEAREST, SIGNS, features_of, log_odds, probabilities
from epoche.types import Kind, Label

LABELS = (Label.SUPPORTED, Label.REFUTED, Label.NOT_ENOUGH_EVIDENCE)
#: One nat more for supported per unit of ln odds of support, likewise for contradiction.
POSTERIOR = Posterior(
    features=("support", "contradiction"),
    labels=LABELS,
    centre=(0.0, 0.0),
    scale=(1.0, 1.0),
    weights=((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)),
    n=100,
)
UNIT = st.floats(0.0, 1.0)


def policy(**update: object) -> Policy:
    fields: dict[str, object] = {
        "name": "fitted",
        "kind": Kind.CLAIM,
        "confidence": "posterior",
        "posterior": POSTERIOR,
        "on_conflict": "abstain",
        "costs": Costs(false_support=1.0, false_refutation=1.0, false_unsettled=1.0, abstain=0.5),
    }
    return Policy.model_validate(fields | update)


def test_features_look_at_the_weakest_support_and_the_worst_contradiction() -> None:
    rows = [Best(0.9, 0.1, 0.5, 0.05), Best(0.6, 0.3, 0.2, 0.25)]
    expected = {
        "support": math.log(0.6 / 0.4),
        "contradiction": math.log(0.3 / 0.7),
        "second_support": math.log(0.2 / 0.8),
        "second_contradiction": math.log(0.25 / 0.75),
        "relevance": math.log(0.6 / 0.4),
        "second_relevance": math.log(0.25 / 0.75),
        "conflict": math.log(0.3 / 0.7),
        "sentences": math.log(12),
        "conditions": math.log(2),
        "covered": 1.0,
    }
    assert dict(zip(FEATURES, features_of(tuple(FEATURES), rows, 12), strict=True)) == pytest.approx(expected)


def test_scores_at_the_ends_count_as_near_them() -> None:
    assert log_odds(0.0) == log_odds(NEAREST) == pytest.approx(-log_odds(1.0))


@given(
    weights=st.lists(st.floats(0, 3), min_size=len(SIGNS), max_size=len(SIGNS)),
    s=st.floats(0.5, 1.0),
    c=st.floats(0.0, 0.5),
    more=st.floats(0.0, 0.5),
    n=st.integers(1, 50),
)
def test_with_signs_as_they_are_fitted_more_contradiction_never_makes_supported_likelier(
    weights: list[float], s: float, c: float, more: float, n: int
) -> None:
    rows = [[0.3, *(SIGNS[f][side] * w for f, w in zip(SIGNS, weights, strict=True))] for side in (0, 1)]
    posterior = Posterior(
        features=tuple(SIGNS),
        labels=LABELS,
        centre=(0.0,) * len(SIGNS),
        scale=(1.0,) * len(SIGNS),
        weights=(tuple(rows[0]), tuple(rows[1]), (0.0,) * (len(SIGNS) + 1)),
        n=100,
    )

    def supported(contradiction: float) -> float:
        found = features_of(posterior.features, [Best(s, contradiction)], n)
        return probabilities(posterior, found)[Label.SUPPORTED]

    assert supported(min(s, c + more)) <= supported(c) + 1e-12


def test_a_premise_that_is_not_there_is_a_silent_one() -> None:
    alone, beside = Best(0.9, 0.1), Best(0.9, 0.1, 0.0, 0.0)
    for name in FEATURES:
        assert features_of((name,), [alone], 1) == features_of((name,), [beside], 1)


def test_probabilities_by_hand() -> None:
    # s = 0.75 and c = 0.5: odds e^{ln 3} : e^0 : e^0 = 3 : 1 : 1.
    found = probabilities(POSTERIOR, [math.log(3), 0.0])
    assert [found[label] for label in LABELS] == pytest.approx([0.6, 0.2, 0.2])


@given(support=UNIT, contradiction=UNIT, n=st.integers(1, 500))
def test_they_sum_to_one_and_more_support_never_makes_support_less_likely(
    support: float, contradiction: float, n: int
) -> None:
    found = probabilities(POSTERIOR, features_of(POSTERIOR.features, [Best(support, contradiction)], n))
    assert sum(found.values()) == pytest.approx(1.0)
    more = probabilities(
        POSTERIOR, features_of(POSTERIOR.features, [Best(min(1, support + 0.1), contradiction)], n)
    )
    assert more[Label.SUPPORTED] >= found[Label.SUPPORTED] - 1e-12


@given(rows=st.lists(st.tuples(UNIT, UNIT), min_size=1, max_size=4), n=st.integers(1, 100))
def test_the_rule_stays_the_gate(rows: list[tuple[float, float]], n: int) -> None:
    best = [Best(s, c) for s, c in rows]
    draft = propose(Kind.CLAIM, best, n, policy())
    if draft.conflict:
        return  # never answered under this policy
    if draft.label is Label.SUPPORTED:
        assert all(s >= 0.55 and c < 0.55 for s, c in rows)
    if draft.label is Label.REFUTED:
        assert any(c >= 0.55 for _, c in rows)
    assert draft.probabilities is not None
    assert draft.confidence == draft.probabilities[draft.label]


def test_case_35_the_confidence_is_the_probability_of_the_label_whatever_it_is() -> None:
    for best, label in (
        (Best(0.9, 0.02), Label.SUPPORTED),
        (Best(0.02, 0.9), Label.REFUTED),
        (Best(0.02, 0.02), Label.NOT_ENOUGH_EVIDENCE),
    ):
        draft = propose(Kind.CLAIM, [best], 3, policy())
        assert draft.label is label
        expected = probabilities(POSTERIOR, features_of(POSTERIOR.features, [best], 3))[label]
        assert draft.confidence == pytest.approx(expected, abs=1e-6)


def test_a_dear_false_support_turns_a_likely_support_into_an_open_question() -> None:
    # s = 0.6, c = 0.5: odds 1.5 : 1 : 1, so P = 0.4286, 0.2857, 0.2857. Wrong support costs 1 − 0.4286 = 0.5714,
    # wrong "not enough" 0.7143; at a price of 2 support costs 1.1429.
    best = [Best(0.6, 0.5)]
    assert propose(Kind.CLAIM, best, 3, policy()).label is Label.SUPPORTED
    dear = policy(costs=Costs(false_support=2.0))
    assert propose(Kind.CLAIM, best, 3, dear).label is Label.NOT_ENOUGH_EVIDENCE


def test_chow_nothing_is_answered_that_costs_more_than_no_answer() -> None:
    best = [Best(0.6, 0.5)]
    assert not propose(Kind.CLAIM, best, 3, policy()).costly
    by_cost = policy(abstain_on_cost=True)
    assert propose(Kind.CLAIM, best, 3, by_cost).costly, "0.5714 > 0.5"
    assert not propose(Kind.CLAIM, [Best(0.9, 0.02)], 3, by_cost).costly


@pytest.mark.parametrize(
    ("update", "said"),
    [
        ({"posterior": None}, "go together"),
        ({"confidence": "max_margin"}, "go together"),
        ({"kind": None}, "give kind"),
        ({"posterior": None, "confidence": "max_margin", "abstain_on_cost": True}, "needs a posterior"),
    ],
)
def test_a_policy_that_does_not_fit_together_is_refused(update: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        policy(**update)


@pytest.mark.parametrize(
    ("update", "said"),
    [
        ({"scale": (1.0,)}, "centres and scales"),
        ({"weights": ((0.0, 1.0, 0.0),)}, "rows of 3 weights"),
        ({"features": ("support", "support")}, "twice"),
    ],
)
def test_a_posterior_has_one_number_for_everything(update: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Posterior.model_validate(POSTERIOR.model_dump() | update)


@pytest.mark.parametrize(
    ("update", "said"),
    [
        ({"features": ("support", "bogus")}, "no feature is called 'bogus'"),
        ({"labels": (Label.SUPPORTED, Label.REFUTED, Label.MAYBE)}, "not those of claims or of questions"),
        ({"weights": ((0.0, 1e308, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))}, "less than or equal to"),
    ],
)
def test_a_posterior_that_cannot_be_computed_is_refused(update: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Posterior.model_validate(POSTERIOR.model_dump() | update)


def test_every_feature_that_a_policy_may_name_is_there() -> None:
    from epoche.policy import FEATURE_NAMES

    assert tuple(FEATURES) == FEATURE_NAMES
    assert set(SIGNS) == set(FEATURE_NAMES)
