"""Obstacles: facts that forbid an answer before anything is scored."""

from __future__ import annotations

from collections.abc import Sequence

from epoche.steps.declarative import not_a_yes_no_question, unwrapped
from epoche.steps.language import foreign
from epoche.types import Document, Kind, Obstacle, Reason, Statement, Unread

#: Longer statements are not looked at; no model reads a hypothesis of this many characters.
MAX_CHARACTERS = 10_000


def statement_obstacle(statement: Statement, languages: Sequence[str]) -> Obstacle | None:
    """Why the statement itself cannot be checked, or None."""
    text = statement.text.strip()
    if not any(character.isalnum() for character in text):
        return _not_decomposable("the statement is empty: write the claim or question to check")
    if len(text) > MAX_CHARACTERS:
        return _not_decomposable(
            f"the statement has {len(text)} characters; one claim has at most {MAX_CHARACTERS}: "
            "check its sentences one by one"
        )
    if statement.kind is Kind.CLAIM and unwrapped(text).endswith("?"):
        return _not_decomposable("this is a question, not a claim: ask it, or state it as a claim")
    if statement.kind is Kind.QUESTION:
        problem = not_a_yes_no_question(text)
        if problem is not None:
            return _not_decomposable(problem)
    language = _unsupported(text, languages)
    if language is not None:
        return Obstacle(
            reason=Reason.UNSUPPORTED_LANGUAGE,
            detail=f"the statement is in another language ({language}) than the NLI model reads "
            f"({', '.join(languages)})",
        )
    return None


def too_long(tokens: int, max_tokens: int) -> Obstacle | None:
    """A hypothesis is never cut: one that leaves no room for a premise cannot be audited."""
    if tokens <= max_tokens // 2:
        return None
    return _not_decomposable(
        f"the statement has {tokens} tokens and the NLI model reads at most {max_tokens} with the "
        "evidence: check its sentences one by one"
    )


def foreign_documents(
    documents: Sequence[Document], languages: Sequence[str]
) -> tuple[list[Document], tuple[Unread, ...]]:
    """Documents that the model can read, and those in another language as unread."""
    readable, unread = [], []
    for document in documents:
        language = _unsupported(document.text, languages)
        if language is None:
            readable.append(document)
        else:
            why = f"in another language ({language}) than the NLI model reads ({', '.join(languages)})"
            unread.append(Unread(document=document.id, sentences=None, why=why))
    return readable, tuple(sorted(unread, key=lambda u: u.document))


def _unsupported(text: str, languages: Sequence[str]) -> str | None:
    language = foreign(text) if languages else None
    return None if language in languages else language


def _not_decomposable(detail: str) -> Obstacle:
    return Obstacle(reason=Reason.NOT_DECOMPOSABLE, detail=detail)
