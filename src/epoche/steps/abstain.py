"""Abstain: whether the proposal is answered at all, and if not, why (paper, phase 4).

Here, and nowhere else, a confidence meets τ.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from epoche.policy import Policy
from epoche.steps.audit import (
    CONTRADICTION,
    ENTAILMENT,
    BoolArray,
    FloatArray,
    best_of,
    windows_read,
)
from epoche.steps.decide import Draft, margin, propose
from epoche.types import REFUTING, Evidence, Kind, Label, Obstacle, OutcomeRecord, Proposal, Reason


def reason_to_withhold(draft: Draft, policy: Policy, *, sound: Draft | None, unread: bool) -> Reason | None:
    """Why a proposal is not answered, or None.

    Args:
        sound: the proposal without retracted documents; None if nothing else was read.
        unread: a part of the evidence was not read.
    """
    if sound is None or sound.label is not draft.label:
        return Reason.RETRACTED_ONLY
    # What was not read could hold a contradiction or the missing support: only a refutation stands.
    if unread and draft.label not in REFUTING:
        return Reason.EVIDENCE_TRUNCATED
    if draft.conflict and policy.on_conflict == "abstain":
        return Reason.EVIDENCE_CONFLICT
    if draft.costly:
        return Reason.EXPECTED_COST
    tau = policy.tau_for(draft.label)
    if tau is None or draft.confidence < tau:
        return Reason.BELOW_THRESHOLD
    # A retracted document may not lift an answer over the threshold either.
    if sound.costly or sound.confidence < tau:
        return Reason.RETRACTED_ONLY
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
        self._sentences = len(evidence.sentences)
        self._unread = bool(evidence.unread)

    def label(self, kept: BoolArray) -> Label | None:
        """Label from the kept windows (bool[m]); None where nothing is left to read."""
        draft = self._draft(kept & self._read)
        return None if draft is None else draft.label

    def reason(self, kept: BoolArray) -> Reason | None:
        """Why no answer is given on the kept windows (bool[m]); None where one is."""
        read = kept & self._read
        draft = self._draft(read)
        if draft is None:
            return Reason.NO_EVIDENCE
        sound = draft if self._sound.all() else self._draft(read & self._sound)
        return reason_to_withhold(draft, self.policy, sound=sound, unread=self._unread)

    def extreme_windows(self, kept: BoolArray) -> set[int]:
        """Windows that hold a score the outcome is derived from; while they stay, it is fixed.

        Per critical condition and direction the largest P, or the two largest where a posterior looks at both.
        """
        read = kept & self._read
        readings = [read] if self._sound.all() else [read, read & self._sound]
        depth = 1 if self.policy.posterior is None else 2
        found: set[int] = set()
        for mask in readings:
            windows = np.flatnonzero(mask)
            if windows.size:
                columns = self._scores[:, windows, :][:, :, [ENTAILMENT, CONTRADICTION]]
                order = np.argsort(-columns, axis=1, kind="stable")[:, :depth]
                found.update(windows[order].ravel().tolist())
        return found

    @property
    def whole(self) -> Draft:
        """The proposal from all windows that the policy reads, of which there is at least one."""
        return self._propose(self._read)

    def _draft(self, read: BoolArray) -> Draft | None:
        return self._propose(read) if read.any() else None

    def _propose(self, read: BoolArray) -> Draft:
        # Of a subset, the other sentences were looked at too and said nothing: their number stays.
        return propose(self.kind, best_of(self._scores, read), self._sentences, self.policy)


def blocked(obstacles: Sequence[Obstacle]) -> OutcomeRecord:
    """The abstention for the first of the obstacles found before scoring."""
    first = obstacles[0]
    return OutcomeRecord(type="abstention", label=None, confidence=None, reason=first.reason, detail=first.detail)


def abstain(proposal: Proposal, judge: Judge, evidence: Evidence) -> OutcomeRecord:
    """A verdict if the policy lets the proposal through, else an abstention with its reason."""
    reason = judge.reason(np.ones(len(evidence.windows), dtype=np.bool_))
    if reason is None:
        tau = judge.policy.tau_for(proposal.label)
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
    if reason is Reason.BELOW_THRESHOLD:
        tau = policy.tau_for(proposal.label)
        if tau is None:
            return "the policy promises nothing at any threshold, so nothing is answered under it"
        distance = margin(tau, proposal.confidence)
        return f"confidence {proposal.confidence:.3f} is {distance:.3f} below τ = {tau:.3f}"
    if reason is Reason.EXPECTED_COST:
        cost = policy.cost_of(proposal.label) * (1.0 - proposal.confidence)
        return (
            f"with confidence {proposal.confidence:.3f} the answer {proposal.label} is expected to cost "
            f"{cost:.3f}, more than no answer ({policy.costs.abstain:g})"
        )
    if reason is Reason.EVIDENCE_CONFLICT:
        return "the evidence both supports and contradicts a critical condition"
    if reason is Reason.EVIDENCE_TRUNCATED:
        known = sum(u.sentences or 0 for u in evidence.unread)
        number, noun = (known, "sentence") if known else (len(evidence.unread), "source")
        what = f"1 {noun} was" if number == 1 else f"{number} {noun}s were"
        return f"{what} not read; a part that was not read may refute, never support"
    if reason is Reason.RETRACTED_ONLY:
        return "without the retracted documents the evidence does not say the same"
    return "no sentence was left to read"
