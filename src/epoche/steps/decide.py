"""Decide: statuses → a label and one confidence, by a fixed rule (paper, phases 3 and 4).

The rule's loss is asymmetric: one critical contradiction outweighs any amount of support. A policy's posterior
decides within what the rule allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from epoche.backends.base import SCORE_DECIMALS
from epoche.policy import Policy
from epoche.steps.audit import Best, is_conflict, status_of
from epoche.steps.posterior import features_of, probabilities
from epoche.types import KIND_LABELS, REFUTING, SUPPORTING, ConditionAudit, Kind, Label, Proposal, Status


def label_of(kind: Kind, critical: Sequence[Status], policy: Policy) -> Label:
    """Label from the statuses of the critical conditions (at least one).

    Claims: a CON refutes, all SUP support, else not enough evidence. Questions: a CON is no;
    with `yes_needs="any"` (paper) one SUP is yes, with "all" every one must be; else maybe.
    """
    contradicted = Status.CON in critical
    all_supported = all(status is Status.SUP for status in critical)
    if kind is Kind.CLAIM:
        if contradicted:
            return Label.REFUTED
        return Label.SUPPORTED if all_supported else Label.NOT_ENOUGH_EVIDENCE
    if contradicted:
        return Label.NO
    enough = all_supported if policy.yes_needs == "all" else Status.SUP in critical
    return Label.YES if enough else Label.MAYBE


def confidence_of(margins: Sequence[float], policy: Policy) -> float:
    """One quantity for every label: |s − c| of the critical conditions, their maximum or minimum."""
    chosen = max(margins) if policy.confidence == "max_margin" else min(margins)
    return margin(chosen, 0.0)


def margin(support: float, contradiction: float) -> float:
    """|s − c| without the noise of the subtraction (scores have six decimals)."""
    return round(abs(support - contradiction), 6)


class Draft(NamedTuple):
    """What is proposed, and what stands against answering it."""

    label: Label
    confidence: float
    #: A critical condition is both supported and contradicted.
    conflict: bool
    #: By the posterior every answer is expected to cost more than none.
    costly: bool = False
    probabilities: dict[Label, float] | None = None


def propose(kind: Kind, critical: Sequence[Best], sentences: int, policy: Policy) -> Draft:
    """Label and confidence from the critical conditions (at least one).

    Args:
        sentences: how many were read.
    """
    conflict = any(is_conflict(b.support, b.contradiction, policy) for b in critical)
    label = label_of(kind, [status_of(b.support, b.contradiction, policy) for b in critical], policy)
    if policy.posterior is None:
        margins = [margin(b.support, b.contradiction) for b in critical]
        return Draft(label, confidence_of(margins, policy), conflict)
    found = probabilities(policy.posterior, features_of(policy.posterior.features, critical, sentences))
    # The rule stays the gate: nothing is supported that it does not support. Where a conflict is withheld
    # anyway, the proposal may be any label.
    unsettled = KIND_LABELS[kind][2]
    options = list(found) if conflict and policy.on_conflict == "abstain" else [unsettled, label]
    costs = {option: policy.cost_of(option) * (1.0 - found[option]) for option in options}
    label = min(options, key=lambda option: (round(costs[option], SCORE_DECIMALS), option is not unsettled))
    return Draft(
        label,
        round(found[label], SCORE_DECIMALS),
        conflict,
        policy.abstain_on_cost and round(costs[label], SCORE_DECIMALS) > policy.costs.abstain,
        {name: round(p, SCORE_DECIMALS) for name, p in found.items()},
    )


def decide(audits: Sequence[ConditionAudit], draft: Draft) -> Proposal:
    """The draft with the indices of the conditions that its label rests on."""
    asked = [(i, a) for i, a in enumerate(audits) if a.critical]
    wanted = _deciding_statuses(draft.label)
    # A posterior may leave open what the statuses settle: then it rests on all of them.
    deciding = tuple(i for i, a in asked if a.status in wanted) or tuple(i for i, _ in asked)
    return Proposal(
        label=draft.label, confidence=draft.confidence, deciding=deciding, probabilities=draft.probabilities
    )


def _deciding_statuses(label: Label) -> frozenset[Status]:
    if label in REFUTING:
        return frozenset({Status.CON})
    if label in SUPPORTING:
        return frozenset({Status.SUP})
    return frozenset({Status.MIS})
