"""Which document says what: the status of each condition by one document alone, so that disagreement shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from epoche.policy import Policy
from epoche.steps.audit import FloatArray, best_of, status_of, windows_read
from epoche.steps.roles import heard
from epoche.types import DocumentRecord, Evidence, Status


@dataclass(frozen=True)
class Side:
    """One document: per condition its status, support and contradiction."""

    document: DocumentRecord
    statuses: tuple[Status, ...]
    support: tuple[float, ...]
    contradiction: tuple[float, ...]


def sides(evidence: Evidence, scores: FloatArray, policy: Policy) -> tuple[Side, ...]:
    """Every document that has a window the policy reads, in the order of the evidence.

    Args:
        scores: float64[k conditions, m windows, 3].
    """
    scores = heard(scores, evidence, policy.silent)
    read = windows_read(evidence.windows, policy)
    owners = [evidence.sentences[w.sentences[0]].document for w in evidence.windows]
    found = []
    for document in evidence.documents:
        own = read & np.array([owner == document.id for owner in owners], dtype=np.bool_)
        if not own.any():
            continue
        best = best_of(scores, own)
        found.append(
            Side(
                document,
                tuple(status_of(b.support, b.contradiction, policy) for b in best),
                tuple(b.support for b in best),
                tuple(b.contradiction for b in best),
            )
        )
    return tuple(found)


def disagreeing(found: Sequence[Side]) -> tuple[int, ...]:
    """Conditions that one document supports and another contradicts."""
    if not found:
        return ()
    columns = zip(*(side.statuses for side in found), strict=True)
    return tuple(i for i, column in enumerate(columns) if {Status.SUP, Status.CON} <= set(column))
