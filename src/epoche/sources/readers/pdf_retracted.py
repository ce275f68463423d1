"""Marks by which publishers say in a PDF that its paper was retracted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

from epoche.sources.readers.pdf_words import SLANTING, Piece, Word

#: Pieces at the top of the first page among which a mark is one.
_TOP = 12
#: A mark over the text is as many times larger than it.
_LARGER = 1.8
_MARK = re.compile(r"\W*(?:retracted|withdrawn)(?:article|paper|manuscript)?\W*", re.I)
_BEFORE_TITLE = re.compile(
    r"\W*(?:(?:RETRACTED|WITHDRAWN)(?: (?:ARTICLE|PAPER))?\s*[:\]).–—-]|(?i:(?:retracted|withdrawn)"
    r"(?: article| paper)?\s*[:\]]))"
)


def slanting_mark(words: Sequence[Word]) -> bool:
    """Whether a word that stands aslant says it, as those do that are printed over a page."""
    slanting = [w for w in words if w.turns == SLANTING and w.text.isupper() and _MARK.fullmatch(w.text)]
    usual = median([w.size for w in words]) if slanting and len(words) > len(slanting) else 0.0
    # The heads of a table may stand aslant too.
    return any(w.size >= _LARGER * usual for w in slanting)


def without_marks(pages: Sequence[Sequence[Piece]]) -> tuple[list[list[Piece]], bool]:
    """Pages without what is printed over their text, and whether that or the first page says so."""
    found: list[list[Piece]] = []
    over = False
    for page in pages:
        usual = median([p.size for p in page]) if page else 0.0
        marks = {id(p) for p in page if p.size >= _LARGER * usual and _says(p.text) and len(page) > 1}
        over = over or bool(marks)
        found.append([p for p in page if id(p) not in marks])
    first = next((page for page in pages if page), [])
    top = sorted((p for p in first if p.turns == 0), key=lambda p: -p.y)[:_TOP]
    return found, over or any(_says(p.text) or _BEFORE_TITLE.match(p.text) for p in top)


def _says(text: str) -> bool:
    """Whether a piece is nothing but a mark, and not a cell of a table; its letters may stand apart."""
    return (text.isupper() or len(text.split()) == 2) and _MARK.fullmatch(text.replace(" ", "")) is not None
