"""What a caller gives: checked once, at the door."""

from __future__ import annotations

from collections.abc import Sequence

from epoche.errors import InputError
from epoche.types import Document


def statement_text(statement: object) -> str:
    """The statement, if it is text that can be encoded.

    Raises:
        InputError: it is not; a lone surrogate is named by its place.
    """
    if not isinstance(statement, str):
        raise InputError(f"a statement is text, not {type(statement).__name__}")
    for i, character in enumerate(statement):
        if "\ud800" <= character <= "\udfff":
            raise InputError(f"the statement is not valid Unicode: a lone surrogate at character {i}")
    return statement


def as_documents(documents: Sequence[str | Document]) -> list[Document]:
    """Documents, texts among them under the names `doc-1`, `doc-2`, … by position.

    Raises:
        InputError: a single value in place of a list, or something that is no text and no Document.
    """
    if isinstance(documents, str | bytes) or not isinstance(documents, Sequence):
        raise InputError("documents is a list of texts or Documents, not a single value")
    result = []
    for i, document in enumerate(documents, start=1):
        if isinstance(document, str):
            document = Document(id=f"doc-{i}", text=document)
        if not isinstance(document, Document):
            raise InputError(f"document {i} is a {type(document).__name__}: give text or a Document")
        result.append(document)
    return result
