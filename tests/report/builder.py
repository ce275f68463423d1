"""A certificate from sentences and scores written by hand, through the steps that make real ones."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from epoche.certificate import Certificate
from epoche.policy import Policy
from epoche.steps.abstain import Judge, abstain, blocked
from epoche.steps.audit import audit
from epoche.steps.certify import as_rows, certify
from epoche.steps.decide import decide
from epoche.steps.minimise import minimise
from epoche.types import (
    Component,
    Condition,
    Decomposition,
    DocumentRecord,
    Evidence,
    Kind,
    MinimalEvidence,
    NliInfo,
    Obstacle,
    OutcomeRecord,
    Provenance,
    Sentence,
    Statement,
    Unread,
    Window,
)

NOTHING_SCORED = MinimalEvidence(sufficient=None, removal=None, without_removal=None, note="nothing was scored")


def sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


@dataclass(frozen=True)
class Source:
    """A document as a list of its sentences."""

    id: str
    sentences: tuple[str, ...]
    title: str = ""
    retracted: bool = False


PROVENANCE = Provenance(
    epoche="0.1.0",
    nli=NliInfo(
        name="mini",
        sha256=sha("a model made for these tests"),
        label_order=("entailment", "neutral", "contradiction"),
        max_tokens=512,
        license="CC BY-SA 4.0",
        domain="science",
    ),
    decomposer=Component(name="rules", version="1"),
    splitter=Component(name="scientific", version="1"),
    config_digest=sha("settings made for these tests"),
)


def whole(text: str, critical: bool = True, why: str = "the whole statement") -> Condition:
    return Condition(text=text, critical=critical, origin="whole", why=why)


def evidence_of(
    sources: Sequence[Source],
    *,
    pairs: bool = False,
    parts: Mapping[int, int] | None = None,
    unread: Sequence[Unread] = (),
) -> Evidence:
    """Sentences joined by a space; one window each, or `parts[i]` overlapping ones for sentence i."""
    sentences: list[Sentence] = []
    records = []
    for source in sources:
        text = " ".join(source.sentences)
        records.append(
            DocumentRecord(
                id=source.id,
                title=source.title,
                retracted=source.retracted,
                characters=len(text),
                sha256=sha(text),
            )
        )
        start = 0
        for i, slice_ in enumerate(source.sentences):
            end = start + len(slice_)
            sentences.append(
                Sentence(document=source.id, index=i, start=start, end=end, text=slice_, sha256=sha(slice_))
            )
            start = end + 1
    windows: list[Window] = []
    for i, s in enumerate(sentences):
        windows += _cut(i, s, (parts or {}).get(i, 1))
    for i, (a, b) in enumerate(pairwise(sentences)):
        if pairs and a.document == b.document:
            windows.append(Window(sentences=(i, i + 1), start=a.start, end=b.end))
    return Evidence(
        documents=tuple(records), sentences=tuple(sentences), windows=tuple(windows), unread=tuple(unread)
    )


def _cut(i: int, s: Sentence, n: int) -> list[Window]:
    """N slices at word boundaries, each but the last reaching one word into the next."""
    words = s.text.split(" ")
    size = -(-len(words) // n)
    windows = []
    for part in range(n):
        before = len(" ".join(words[: part * size])) + (1 if part else 0)
        after = len(" ".join(words[: min(len(words), (part + 1) * size + 1)]))
        windows.append(Window(sentences=(i,), start=s.start + before, end=s.start + after, part=part, parts=n))
    return windows


def scored(
    kind: Kind,
    text: str,
    conditions: Sequence[Condition],
    evidence: Evidence,
    scores: Sequence[Mapping[int, tuple[float, float]]],
    *,
    policy: Policy | None = None,
    dropped: Sequence[str] = (),
    note: str = "",
    provenance: Provenance = PROVENANCE,
) -> Certificate:
    """A certificate of a scored statement.

    Args:
        scores: per condition, window → (P(entailment), P(contradiction)); windows not named are (0.02, 0.01).
    """
    policy = policy or Policy(name="paper")
    array = np.array(
        [
            [
                [e, round(1.0 - e - c, 6), c]
                for e, c in (row.get(w, (0.02, 0.01)) for w in range(len(evidence.windows)))
            ]
            for row in scores
        ],
        dtype=np.float64,
    )
    audits = audit(conditions, evidence.windows, array, policy)
    judge = Judge(kind, [c.critical for c in conditions], evidence, array, policy)
    proposal = decide(audits, judge.whole)
    return certify(
        statement=Statement(text=text, kind=kind),
        outcome=abstain(proposal, judge, evidence),
        proposal=proposal,
        conditions=audits,
        decomposition=Decomposition(conditions=tuple(conditions), covers=True, dropped=tuple(dropped), note=note),
        evidence=evidence,
        scores=as_rows(array),
        obstacles=(),
        minimal_evidence=minimise(judge, proposal, audits, evidence),
        policy=policy,
        provenance=provenance,
    )


def unscored(
    kind: Kind,
    text: str,
    *,
    obstacle: Obstacle | None = None,
    failure: tuple[str, str] | None = None,
    conditions: Sequence[Condition] = (),
    evidence: Evidence | None = None,
) -> Certificate:
    """A certificate of what an obstacle stopped, or of a failure (kind of error, message)."""
    if obstacle is not None:
        outcome = blocked([obstacle])
    else:
        assert failure is not None
        outcome = OutcomeRecord(type="failure", label=None, confidence=None, reason=failure[0], detail=failure[1])
    return certify(
        statement=Statement(text=text, kind=kind),
        outcome=outcome,
        proposal=None,
        conditions=(),
        decomposition=Decomposition(conditions=tuple(conditions), covers=False),
        evidence=evidence or Evidence(),
        scores=(),
        obstacles=() if obstacle is None else (obstacle,),
        minimal_evidence=NOTHING_SCORED,
        policy=Policy(name="paper"),
        provenance=PROVENANCE,
    )
