"""Abstain: whether the proposal is answered at all, and if not, why (paper, phase 4).

Here, and nowhere else, a confidence meets τ.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from epoche.steps.audit import (
    CONTRADICTION,
    ENTAILMENT,
    BoolArray,
    FloatArray,
    extremes,
    is_conflict,
    status_of,
    windows_read,
)
from epoche.steps.decide import confidence_of, label_of, margin
from epoche.types import Evidence, Kind, Label, Obstacle, OutcomeRecord, Policy, Proposal, Reason

_REFUTING = frozenset({Label.REFUTED, Label.NO})


def reason_to_withhold(
    label: Label,
    confidence: float,
    conflict: bool,
    policy: Policy,
    *,
    sound_label: Label | None,
    unread: bool,
) -> Reason | None:
    """Why a proposal is not answered, or None.

    Args:
        conflict: a critical condition is both supported and contradicted.
        sound_label: the label without retracted documents; None if nothing else was read.
        unread: a part of the evidence was not read.
    """
    if sound_label is not label:
        return Reason.RETRACTED_ONLY
    # What was not read could hold a contradiction or the missing support: only a refutation stands.
    if unread and label not in _REFUTING:
        return Reason.EVIDENCE_TRUNCATED
    if conflict and policy.on_conflict == "abstain":
        return Reason.EVIDENCE_CONFLICT
    if policy.tau is None or confidence < policy.tau:
        return Reason.BELOW_THRESHOLD
    return None


class Judge:
    """Decides for any subset of the windows, from the stored scores alone.

    One object per statement; `verify` asks it for all windows, minimal evidence for subsets.

    Args:
        critical: bool per condition.
        scores: float64[k, m, 3].
    """

    def __init__(
        self, kind: Kind, critical: Sequence[bool], evidence: Evidence, scores: FloatArray, policy: Policy
    ) -> None:
        self.kind = kind
        self.policy = policy
        self._scores = scores[np.array(critical, dtype=np.bool_)]
        self._read = windows_read(evidence.windows, policy)
        retracted = {d.id for d in evidence.documents if d.retracted}
        sound = [s.document not in retracted for s in evidence.sentences]
        self._sound = np.array([sound[w.sentences[0]] for w in evidence.windows], dtype=np.bool_)
        self._unread = bool(evidence.unread)

    def label(self, kept: BoolArray) -> Label | None:
        """Label from the kept windows (bool[m]); None where nothing is left to read."""
        return self._label_and_confidence(kept & self._read)[0]

    def reason(self, kept: BoolArray) -> Reason | None:
        """Why no answer is given on the kept windows (bool[m]); None where one is."""
        read = kept & self._read
        label, confidence, conflict = self._label_and_confidence(read)
        if label is None or confidence is None:
            return Reason.NO_EVIDENCE
        sound = label if self._sound.all() else self._label_and_confidence(read & self._sound)[0]
        return reason_to_withhold(label, confidence, conflict, self.policy, sound_label=sound, unread=self._unread)

    def extreme_windows(self, kept: BoolArray) -> set[int]:
        """Windows that hold a largest P(entailment) or P(contradiction); with them the outcome is fixed."""
        read = kept & self._read
        readings = [read] if self._sound.all() else [read, read & self._sound]
        found: set[int] = set()
        for mask in readings:
            windows = np.flatnonzero(mask)
            if windows.size:
                columns = self._scores[:, windows, :][:, :, [ENTAILMENT, CONTRADICTION]]
                found.update(windows[columns.argmax(axis=1)].ravel().tolist())
        return found

    def _label_and_confidence(self, read: BoolArray) -> tuple[Label | None, float | None, bool]:
        if not read.any():
            return None, None, False
        support, contradiction = extremes(self._scores, read)
        pairs = list(zip(support.tolist(), contradiction.tolist(), strict=True))
        label = label_of(self.kind, [status_of(s, c, self.policy) for s, c in pairs], self.policy)
        confidence = confidence_of([margin(s, c) for s, c in pairs], self.policy)
        return label, confidence, any(is_conflict(s, c, self.policy) for s, c in pairs)


def blocked(obstacles: Sequence[Obstacle]) -> OutcomeRecord:
    """The abstention for the first of the obstacles found before scoring."""
    first = obstacles[0]
    return OutcomeRecord(type="abstention", label=None, confidence=None, reason=first.reason, detail=first.detail)


def abstain(proposal: Proposal, judge: Judge, evidence: Evidence) -> OutcomeRecord:
    """A verdict if the policy lets the proposal through, else an abstention with its reason."""
    reason = judge.reason(np.ones(len(evidence.windows), dtype=np.bool_))
    if reason is None:
        tau = judge.policy.tau
        return OutcomeRecord(
            type="verdict",
            label=proposal.label,
            confidence=proposal.confidence,
            reason=None,
            detail=f"confidence {proposal.confidence:.3f} reaches τ = {tau:.3f}",
        )
    return OutcomeRecord(
        type="abstention",
        label=None,
        confidence=proposal.confidence,
        reason=reason,
        detail=_detail(reason, proposal, judge.policy, evidence),
    )


def _detail(reason: Reason, proposal: Proposal, policy: Policy, evidence: Evidence) -> str:
    if reason is Reason.BELOW_THRESHOLD and policy.tau is None:
        return "the policy promises nothing at any threshold, so nothing is answered under it"
    if reason is Reason.BELOW_THRESHOLD and policy.tau is not None:
        distance = margin(policy.tau, proposal.confidence)
        return f"confidence {proposal.confidence:.3f} is {distance:.3f} below τ = {policy.tau:.3f}"
    if reason is Reason.EVIDENCE_CONFLICT:
        return "the evidence both supports and contradicts a critical condition"
    if reason is Reason.EVIDENCE_TRUNCATED:
        known = sum(u.sentences or 0 for u in evidence.unread)
        what = f"{known} sentences" if known else f"{len(evidence.unread)} sources"
        return f"{what} were not read; a part that was not read may refute, never support"
    if reason is Reason.RETRACTED_ONLY:
        return "without the retracted documents the evidence does not say the same"
    return "no sentence was left to read"
