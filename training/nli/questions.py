"""Training pairs whose hypothesis is a question, with the label of what "yes" asserts.

At run time a question is turned into a statement first, and left as it is where that cannot be done safely:
for those, a model must know that a question is read as its statement.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from epoche.steps.declarative import hypothesis_of
from epoche.types import Kind, Statement
from training.nli.pairs import normalise, read_jsonl
from training.nli.science import scifact_pairs

_AUXILIARY = re.compile(r"\b(is|are|was|were|can|could|may|might|should|will|has|have|had)\b")
_VERB = re.compile(
    r"\b(increase|reduce|inhibit|promote|cause|induce|improve|prevent|decrease|require|regulate|affect|activate|"
    r"lower|raise|enhance|suppress|protect|predict|contain|produce|support)s\b"
)
_INNER = re.compile(
    r":|\b(?:that|which|who|whose|when|where|while|if|because|although|currently|note)\b", re.IGNORECASE
)
_CAPITAL = re.compile(r"^[A-Z](?=[a-z]+\b)")  # a name loses its capital too; the encoders do not see it
_SECOND = re.compile(r"[?;]|, (?:and|but|so) ")


def question_of(claim: str) -> str | None:
    """The yes/no question that the claim answers with yes, or None where its grammar is unsure.

    Sure means that the run-time rule for questions makes the claim of it again.
    """
    text = claim.strip().rstrip(".")
    found = _AUXILIARY.search(text) or _VERB.search(text)
    if found is None or found.start() == 0 or _INNER.search(text[: found.start()]) or _SECOND.search(text):
        return None
    subject, rest = _CAPITAL.sub(lambda m: m[0].lower(), text[: found.start()].strip()), text[found.end() :].strip()
    does = found.re is _VERB
    words = ("Does", subject, found[1], rest) if does else (found[1].capitalize(), subject, rest)
    question = " ".join(w for w in words if w) + "?"
    back = hypothesis_of(Statement(text=question, kind=Kind.QUESTION))
    return question if normalise(back) == normalise(claim) else None


def questions(data: Path, files: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    """(premise, question, label) from SciFact's evidence, and from pair files."""
    known: dict[str, str | None] = {}

    def asked(claim: str) -> str | None:
        if claim not in known:
            known[claim] = question_of(claim)
        return known[claim]

    for premise, claim, label in scifact_pairs(data, evidence=True):
        if question := asked(claim):
            yield premise, question, label
    for name in files:
        for row in read_jsonl(data / "nli" / f"{name}.jsonl.gz"):
            if question := asked(row["hypothesis"]):
                yield row["premise"], question, row["label"]
