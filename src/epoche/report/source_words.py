"""What a report says of where evidence came from, and of documents that disagree."""

from __future__ import annotations

from collections.abc import Sequence

from epoche.policy import Policy
from epoche.report.words import count, figure, plain, sentence
from epoche.steps.sides import Side
from epoche.types import DocumentRecord, Retrieval, Status

SIDES = "Documents that disagree"
_SAYS = {Status.SUP: "supported", Status.CON: "contradicted", Status.MIS: "silent"}


def found(retrieval: Retrieval) -> str:
    """How the evidence was found."""
    where = "an index" if retrieval.source == "index" else retrieval.source
    what = f" (sha256 {retrieval.sha256})" if retrieval.sha256 else ""
    asked = (
        count(len(retrieval.queries), "query")
        if len(retrieval.queries) == 1
        else f"{len(retrieval.queries)} queries"
    )
    return f"{count(len(retrieval.found), 'passage')} of {where}{what}, by {asked}, at most {retrieval.top}"


def described(document: DocumentRecord) -> str:
    """A document with its year, kind of study and title, as far as they are known."""
    known = [str(document.year) if document.year else "", document.study, "retracted" if document.retracted else ""]
    inside = ", ".join(plain(part) for part in known if part)
    title = f" “{plain(document.title)}”" if document.title.strip() else ""
    return f"{plain(document.id)}{title}{f' ({inside})' if inside else ''}"


def side(one: Side, conditions: Sequence[int]) -> str:
    """What one document says of the conditions that are disputed."""
    parts = []
    for i in conditions:
        status = one.statuses[i]
        shown = one.contradiction[i] if status is Status.CON else one.support[i]
        value = f" ({figure(shown)})" if status is not Status.MIS else ""
        parts.append(f"condition {i + 1} {_SAYS[status]}{value}")
    return sentence(f"{described(one.document)}: {', '.join(parts)}")


def settled(policy: Policy) -> str:
    """What the policy does about it."""
    if policy.on_conflict == "refute":
        return "A contradiction has priority: one document that contradicts a condition is enough for the policy."
    return "The policy answers nothing where one document supports a critical condition and another contradicts it."
