"""Audit: what the evidence says of each condition (paper, phase 2).

Contradiction has priority over support, and it is looked for in *all* windows that the policy
reads, not only in the best one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from epoche.policy import Policy
from epoche.types import NLI_LABELS, Cited, Condition, ConditionAudit, Status, Window

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

ENTAILMENT = NLI_LABELS.index("entailment")
CONTRADICTION = NLI_LABELS.index("contradiction")


def windows_read(windows: Sequence[Window], policy: Policy) -> BoolArray:
    """bool[m]: which windows the policy reads. A part of a long sentence counts as one sentence."""
    return np.array([len(w.sentences) in policy.windows for w in windows], dtype=np.bool_)


class Best(NamedTuple):
    """What the windows say of one condition: the two largest probabilities in either direction.

    A window that was not there counts as a silent one, so that adding a silent sentence changes nothing.
    """

    support: float
    contradiction: float
    second_support: float = 0.0
    second_contradiction: float = 0.0


def best_of(scores: FloatArray, read: BoolArray) -> list[Best]:
    """The two largest P(entailment) and P(contradiction) per condition, over the windows read.

    Args:
        scores: float64[k conditions, m windows, 3] in the order of `NLI_LABELS`.
        read: bool[m], at least one True.
    """
    columns = scores[:, read, :][:, :, [ENTAILMENT, CONTRADICTION]]
    if columns.shape[1] == 1:
        return [Best(s, c) for s, c in columns[:, 0].tolist()]
    top = -np.partition(-columns, 1, axis=1)[:, :2]
    return [Best(s, c, s2, c2) for (s, c), (s2, c2) in top.tolist()]


def status_of(support: float, contradiction: float, policy: Policy) -> Status:
    """CON if c reaches its threshold, else SUP if s reaches its own, else MIS (paper, audit rule)."""
    if contradiction >= policy.contradiction_threshold:
        return Status.CON
    return Status.SUP if support >= policy.support_threshold else Status.MIS


def is_conflict(support: float, contradiction: float, policy: Policy) -> bool:
    """Whether both directions reach their thresholds."""
    return support >= policy.support_threshold and contradiction >= policy.contradiction_threshold


def audit(
    conditions: Sequence[Condition], windows: Sequence[Window], scores: FloatArray, policy: Policy
) -> tuple[ConditionAudit, ...]:
    """Status, support, contradiction and the windows behind both, per condition.

    Args:
        scores: float64[k, m, 3] for k conditions and m windows; m ≥ 1.
    """
    read = windows_read(windows, policy)
    return tuple(
        ConditionAudit(
            text=condition.text,
            critical=condition.critical,
            origin=condition.origin,
            why=condition.why,
            status=status_of(best.support, best.contradiction, policy),
            support=best.support,
            contradiction=best.contradiction,
            conflict=is_conflict(best.support, best.contradiction, policy),
            supporting=_cited(row[:, ENTAILMENT], read, policy.support_threshold),
            contradicting=_cited(row[:, CONTRADICTION], read, policy.contradiction_threshold),
        )
        for condition, row, best in zip(conditions, scores, best_of(scores, read), strict=True)
    )


def _cited(column: FloatArray, read: BoolArray, threshold: float) -> tuple[Cited, ...]:
    """Windows read that reach the threshold, strongest first, ties by position."""
    hits = np.flatnonzero(read & (column >= threshold))
    order = hits[np.argsort(-column[hits], kind="stable")]
    return tuple(Cited(window=int(i), probability=float(column[i])) for i in order)
