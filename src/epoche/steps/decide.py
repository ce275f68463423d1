"""Decide: statuses → a label and one confidence, by a fixed rule (paper, phases 3 and 4).

The rule's loss is asymmetric: one critical contradiction outweighs any amount of support.
"""

from __future__ import annotations

from collections.abc import Sequence

from epoche.types import ConditionAudit, Kind, Label, Policy, Proposal, Status

#: Labels that say the evidence does not settle the statement.
UNSETTLED = frozenset({Label.NOT_ENOUGH_EVIDENCE, Label.MAYBE})


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


def decide(kind: Kind, audits: Sequence[ConditionAudit], policy: Policy) -> Proposal:
    """Label, confidence and the indices of the conditions that the label rests on."""
    critical = [(i, a) for i, a in enumerate(audits) if a.critical]
    label = label_of(kind, [a.status for _, a in critical], policy)
    confidence = confidence_of([margin(a.support, a.contradiction) for _, a in critical], policy)
    wanted = _deciding_statuses(label)
    deciding = tuple(i for i, a in critical if a.status in wanted)
    return Proposal(label=label, confidence=confidence, deciding=deciding)


def _deciding_statuses(label: Label) -> frozenset[Status]:
    if label in (Label.REFUTED, Label.NO):
        return frozenset({Status.CON})
    if label in (Label.SUPPORTED, Label.YES):
        return frozenset({Status.SUP})
    return frozenset({Status.MIS})
