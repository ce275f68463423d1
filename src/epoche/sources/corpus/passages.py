"""Documents → passages: an abstract is one, a long paper many, each with the sections and pages that it covers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from epoche.types import Document

#: Words of a document that is one passage, and of each passage of a longer one.
WHOLE, PART = 700, 300


def passages(document: Document, spans: list[tuple[int, int]] | None) -> Iterator[Document]:
    """The document itself, or its passages `id#1`, `id#2`, …, cut between sentences.

    Args:
        spans: of its sentences; needed where it is long.
    """
    if len(document.text.split()) <= WHOLE or not spans:
        yield document
        return
    number, first = 1, 0
    while first < len(spans):
        last, words = first, 0
        while last < len(spans):
            words += len(document.text[spans[last][0] : spans[last][1]].split())
            if words > PART and last > first:
                break
            last += 1
        yield _part(document, number, spans[first:last])
        number, first = number + 1, last


def _part(document: Document, number: int, spans: list[tuple[int, int]]) -> Document:
    start, end = spans[0][0], spans[-1][1]
    sections = tuple(
        s.model_copy(update={"start": max(s.start, start) - start, "end": min(s.end, end) - start})
        for s in document.sections
        if s.start < end and s.end > start
    )
    page = bisect_right(document.pages, start) if document.pages else 1
    return document.model_copy(
        update={
            "id": f"{document.id}#{number}",
            "text": document.text[start:end],
            "spans": tuple((a - start, b - start) for a, b in spans),
            "sections": sections,
            # Pages before its first begin where it begins, so that the count stays that of the whole.
            "pages": (0,) * page + tuple(p - start for p in document.pages if start < p < end)
            if document.pages
            else (),
        }
    )
