"""A certificate: one outcome with everything it rests on; its JSON Schema is generated from this class."""

from __future__ import annotations

from typing import Literal

from epoche.policy import Policy
from epoche.types import (
    ConditionAudit,
    Decomposition,
    Evidence,
    MinimalEvidence,
    Obstacle,
    OutcomeRecord,
    Probability,
    Proposal,
    Provenance,
    SecondReading,
    Sha256,
    Statement,
    Value,
)


class Certificate(Value):
    """One outcome, everything it rests on, and how to derive it again without the model."""

    format: Literal["epoche-certificate/1"] = "epoche-certificate/1"
    statement: Statement
    outcome: OutcomeRecord
    proposal: Proposal | None
    conditions: tuple[ConditionAudit, ...]
    decomposition: Decomposition
    evidence: Evidence
    #: scores[condition][window] = (entailment, neutral, contradiction)
    scores: tuple[tuple[tuple[Probability, Probability, Probability], ...], ...]
    #: Of the embedded model, where a language model is the auditor.
    second: SecondReading | None = None
    obstacles: tuple[Obstacle, ...]
    minimal_evidence: MinimalEvidence
    policy: Policy
    provenance: Provenance
    #: Over all other fields in canonical JSON.
    digest: Sha256
