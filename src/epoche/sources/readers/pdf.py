"""PDF: text in the order of reading, with pages and sections; what is a picture is said to be one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from epoche.errors import DocumentError, MissingExtra
from epoche.sources.readers.pdf_flow import CAPTION, Flow, common_size
from epoche.sources.readers.pdf_initials import with_initials
from epoche.sources.readers.pdf_layout import Line, lines, running
from epoche.sources.readers.pdf_margin import without_line_numbers
from epoche.sources.readers.pdf_pictures import FEW, Drawing, drawing
from epoche.sources.readers.pdf_retracted import slanting_mark, without_marks
from epoche.sources.readers.pdf_words import SLANTING, Piece, page_words, pieces
from epoche.sources.readers.plain import Found
from epoche.types import Unread

#: More pages than this are refused.
MAX_PAGES = 3000
#: Characters of all pages together; a book of a thousand pages has three million.
MAX_CHARACTERS = 8_000_000
#: Share of a page's characters that no font explains, above which it cannot be read.
_UNEXPLAINED = 0.2
_PASSWORD = 4  # FPDF_ERR_PASSWORD


def read(raw: bytes, name: str) -> Found:
    """One document, and its pages that hold no text that can be read.

    Raises:
        DocumentError: a file that is no PDF, is broken, locked, scanned or too long.
        MissingExtra: without the extra `papers`.
    """
    try:
        import pypdfium2
        import pypdfium2.raw as raw_pdf
    except ImportError:
        raise MissingExtra("reading .pdf", "papers") from None
    if b"%PDF-" not in raw[:1024]:
        raise DocumentError(f"{name} is no PDF (it does not begin with %PDF-): save it as PDF", source=name)
    try:
        pdf = pypdfium2.PdfDocument(raw)
    except pypdfium2.PdfiumError:
        why = (
            "is locked with a password: save it without one"
            if raw_pdf.FPDF_GetLastError() == _PASSWORD
            else "is a broken PDF: fetch it again, or print it to a new one"
        )
        raise DocumentError(f"{name} {why}", source=name) from None
    try:
        return _read(raw_pdf, pdf, name)
    finally:
        pdf.close()


def _read(raw_pdf: Any, pdf: Any, name: str) -> Found:
    count = len(pdf)
    if count > MAX_PAGES:
        raise DocumentError(f"{name} has {count} pages; at most {MAX_PAGES} are read: split it", source=name)
    read: list[_Page] = []
    characters = 0
    for number in range(count):
        read.append(_page(raw_pdf, pdf, number))
        characters += _characters(read[-1].pieces)
        if characters > MAX_CHARACTERS:
            raise DocumentError(
                f"{name} holds more than {MAX_CHARACTERS:,} characters, on {number + 1} of {count} pages: split it",
                source=name,
            )
    pages, retracted = without_marks([page.pieces for page in read])
    heads = running(pages)
    bodies = [[p for i, p in enumerate(page) if i not in head] for page, head in zip(pages, heads, strict=True)]
    unread = list(_unread(bodies, read))
    if not any(bodies) or len(unread) == count:
        raise DocumentError(_nothing(name, count, unread), source=name)
    laid = [list(lines(page)) for page in bodies]
    size = common_size(laid)
    title, laid[0] = _title(laid[0], size)
    flow = Flow(laid, size)
    for page in laid:
        flow.page(page)
    text = flow.close()
    if text.empty():
        raise DocumentError(_nothing(name, count, unread), source=name)
    # The dates in a PDF are those of its making, so the year is left open.
    document = text.document(name, title=title, retracted=retracted or any(p.retracted for p in read))
    return [document], [
        Unread(document=f"{name}, page {page}", sentences=None, why=problem) for page, problem in unread
    ]


@dataclass(slots=True)
class _Page:
    pieces: list[Piece] = field(default_factory=list)
    #: Why there are none.
    problem: str = ""
    #: Where they are few, what else there is.
    drawn: Drawing | None = None
    #: What is printed over it says so.
    retracted: bool = False


def _page(raw_pdf: Any, pdf: Any, number: int) -> _Page:
    handle = raw_pdf.FPDF_LoadPage(pdf.raw, number)
    if not handle:
        return _Page(problem="the page is broken")
    try:
        text = raw_pdf.FPDFText_LoadPage(handle)
        try:
            words = page_words(raw_pdf, text)
            unexplained = _unexplained(raw_pdf, text)
        finally:
            raw_pdf.FPDFText_ClosePage(text)
        if unexplained > _UNEXPLAINED:
            return _Page(
                problem="its fonts do not say which letters they show: run it through text recognition (OCR)"
            )
        upright = [w for w in words if w.turns != SLANTING]
        found = pieces(with_initials(without_line_numbers(upright)))
        # Running heads are not known yet.
        drawn = drawing(raw_pdf, handle) if _characters(found) < 3 * FEW else None
        return _Page(found, "", drawn, slanting_mark(words))
    finally:
        raw_pdf.FPDF_ClosePage(handle)


def _characters(found: Sequence[Piece]) -> int:
    return sum(len(p.text) for p in found)


def _unread(bodies: Sequence[Sequence[Piece]], read: Sequence[_Page]) -> Iterator[tuple[int, str]]:
    """Pages that are not read, or hardly: a picture without a caption is a page of text once photographed."""
    for number, (body, page) in enumerate(zip(bodies, read, strict=True), start=1):
        problem = page.problem
        if page.drawn is not None and not any(CAPTION.match(p.text) for p in body):
            problem = page.drawn.problem(_characters(body))
        if problem:
            yield number, problem


def _unexplained(raw_pdf: Any, text: Any) -> float:
    """Share of the characters that stand for no letter anybody knows."""
    count = raw_pdf.FPDFText_CountChars(text)
    if count < 20:
        return 0.0
    codes = [raw_pdf.FPDFText_GetUnicode(text, i) for i in range(count)]
    shown = [c for c in codes if c not in (9, 10, 13, 32)]
    bad = sum(c in (0, 0xFFFD) or (c < 32 and c != 2) or 0xE000 <= c <= 0xF8FF for c in shown)
    return float(bad) / max(len(shown), 1)


def _nothing(name: str, count: int, unread: Sequence[tuple[int, str]]) -> str:
    pages = "1 page" if count == 1 else f"{count} pages"
    if unread and all("scanned" in why for _, why in unread):
        return (
            f"{name} is scanned: {pages} of pictures without text; run it through text recognition (OCR, for "
            "instance ocrmypdf) and give the result"
        )
    if unread:
        return f"{name} cannot be read: of its {pages}, page {unread[0][0]}: {unread[0][1]}"
    return f"{name} holds no text on its {pages}"


def _title(first: list[Line], size: float) -> tuple[str, list[Line]]:
    """The largest lines of the first page, if they are a title, and the other lines."""
    largest = max((line.size for line in first), default=0.0)
    if largest < 1.25 * size:
        return "", first
    chosen = [i for i, line in enumerate(first) if line.size > largest - 0.5 and line.cells == 1]
    if not chosen or chosen != list(range(chosen[0], chosen[0] + len(chosen))) or chosen[0] > 8:
        return "", first
    text = " ".join(first[i].text for i in chosen)
    if not 2 <= len(text.split()) <= 45:
        return "", first
    text = re.sub(r"(?<=\w)- (?=[a-z])", "-", text)
    return text, [line for i, line in enumerate(first) if i not in chosen]
