"""Words and pieces of lines of a PDF page, from the characters and places that PDFium gives."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from ctypes import byref, c_double, c_int, create_string_buffer
from dataclasses import dataclass, field, replace
from typing import Any

#: What PDFium and typesetters put for a hyphen at the end of a line.
SOFT_HYPHEN = "\u00ad"
#: Instead of quarter turns, of what stands aslant: printed over a page, or at an axis of a figure.
SLANTING = 4
_HYPHENS = {0x02: "-", 0xFFFE: "-", 0xAD: SOFT_HYPHEN, 0x2010: "-", 0x2011: "-"}
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_BLANK = frozenset([9, 10, 11, 12, 13, 32, 0xA0, 0x202F, 0x3000, *range(0x2000, 0x200C)])
#: Raised marks of references and footnotes; a minus or a plus makes an exponent or a charge.
_MARK = re.compile(r"(?:[\d,;–*†‡§¶#]|(?<!\w)[a-h](?!\w))[\d,;–\-*†‡§¶#]*")
_UNITS = frozenset("mmol inch inches meter metre meters metres feet micromol".split())


@dataclass(slots=True)
class Word:
    """Characters of one line without white space; `y` is the baseline, in the direction of reading."""

    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool
    #: Quarter turns of the direction of reading, counted against the clock.
    turns: int
    #: Nothing stands between it and the word before.
    glued: bool


@dataclass(slots=True)
class Piece:
    """Words of one baseline that stand close together: a line of a column, or a cell."""

    words: list[Word]
    x0: float
    x1: float
    y: float
    size: float
    text: str = ""
    bold: bool = False
    #: A raised mark stood before its first word.
    marked: bool = False
    #: Its first words in bold, where others follow them.
    lead: str = ""
    turns: int = field(default=0)


def page_words(raw: Any, page: Any) -> list[Word]:
    """The words of a text page, in the order of the file.

    Args:
        raw: `pypdfium2.raw`.
        page: its handle of the text page.
    """
    words: list[Word] = []
    letters: list[str] = []
    first = last = 0
    x, y, glued = c_double(), c_double(), False
    at, style, shown = (0.0, 0.0), (1.0, False, 0), 1.0

    def flush() -> None:
        if letters:
            words.append(_word(raw, page, "".join(letters), first, last, style, at, glued))
            letters.clear()

    before = (0.0, 0.0)
    for i in range(raw.FPDFText_CountChars(page)):
        code = raw.FPDFText_GetUnicode(page, i)
        if code in _BLANK:
            flush()
            glued = False
            continue
        if (
            (code < 32 and code not in _HYPHENS)
            or 0x7F <= code < 0xA0
            or 0xD800 <= code < 0xE000
            or code > 0x10FFFF
        ):
            continue
        raw.FPDFText_GetCharOrigin(page, i, byref(x), byref(y))
        here = (x.value, y.value)
        size = raw.FPDFText_GetFontSize(page, i)
        # A large first letter is followed by the line that stands nearest.
        if letters and (_jumps(before, here, at, style) or not 0.6 * shown <= size <= 1.7 * shown):
            flush()
            glued = True
        if not letters:
            style, first, at, shown = _style(raw, page, i), i, here, size
            glued = glued and bool(words)
        letters.append(_LIGATURES.get(code) or _HYPHENS.get(code) or chr(code))
        last, before = i, here
    flush()
    return words


def _style(raw: Any, page: Any, index: int) -> tuple[float, bool, int]:
    """(size, bold, quarter turns) of a character."""
    matrix = raw.FS_MATRIX()
    raw.FPDFText_GetMatrix(page, index, byref(matrix))
    scale = math.hypot(matrix.c, matrix.d)
    size = raw.FPDFText_GetFontSize(page, index) * scale if scale else raw.FPDFText_GetFontSize(page, index)
    size = size if math.isfinite(size) and 0 < size < 1e4 else 1.0
    angle = math.atan2(matrix.b, matrix.a) if math.isfinite(matrix.a) and math.isfinite(matrix.b) else 0.0
    flags, name = c_int(), create_string_buffer(96)
    raw.FPDFText_GetFontInfo(page, index, name, 96, byref(flags))
    bold = re.search(rb"bold|black|heavy|semibd|demi|cmbx|-bd\b", name.value, re.I) is not None
    quarters = angle / (math.pi / 2)
    return size, bold, SLANTING if abs(quarters - round(quarters)) > 0.12 else round(quarters) % 4


def _turned(x: float, y: float, turns: int) -> tuple[float, float]:
    """A place in the direction of reading."""
    return ((x, y), (y, -x), (-x, -y), (-y, x))[turns % 4]


def _jumps(
    before: tuple[float, float],
    here: tuple[float, float],
    start: tuple[float, float],
    style: tuple[float, bool, int],
) -> bool:
    """Whether a character stands elsewhere than after the one before: raised, or on another line."""
    size, _, turns = style
    if turns == SLANTING:
        return math.dist(before, here) > 3 * size
    x, y = _turned(*here, turns)
    last, _ = _turned(*before, turns)
    _, base = _turned(*start, turns)
    return abs(y - base) > 0.12 * size or x < last - 0.5 * size or x > last + 3 * size


def _word(
    raw: Any,
    page: Any,
    text: str,
    first: int,
    last: int,
    style: tuple[float, bool, int],
    at: tuple[float, float],
    glued: bool,
) -> Word:
    size, bold, turns = style
    edges = []
    for index in {first, last}:
        left, right, bottom, top = c_double(), c_double(), c_double(), c_double()
        raw.FPDFText_GetCharBox(page, index, byref(left), byref(right), byref(bottom), byref(top))
        edges += [_turned(left.value, bottom.value, turns)[0], _turned(right.value, top.value, turns)[0]]
    _, y = _turned(*at, turns)
    return Word(text, min(edges), max(edges), y, size, bold, turns, glued)


def pieces(words: Sequence[Word]) -> list[Piece]:
    """Words put together to pieces of lines; what stands in another direction comes after the rest."""
    found: list[Piece] = []
    for word in words:
        if not all(math.isfinite(v) for v in (word.x0, word.x1, word.y)):
            continue
        if not (found and found[-1].turns == word.turns and _joins(found[-1], word)):
            found.append(Piece([], word.x0, word.x1, word.y, word.size, turns=word.turns))
        piece = found[-1]
        if word.size > piece.size * 1.15 and piece.words:
            piece.y, piece.size = word.y, word.size
        piece.words.append(word)
        piece.x0, piece.x1 = min(piece.x0, word.x0), max(piece.x1, word.x1)
    merged: list[Piece] = []
    for piece in sorted(found, key=lambda p: (p.turns, -round(p.y), p.x0)):
        before = merged[-1] if merged else None
        close = before is not None and before.turns == piece.turns and abs(before.y - piece.y) < 0.2 * piece.size
        if before and close and -0.2 * piece.size < piece.x0 - before.x1 < 0.6 * piece.size:
            piece.words[0].glued = piece.x0 - before.x1 < 0.12 * piece.size
            before.words += piece.words
            before.x1 = max(before.x1, piece.x1)
        else:
            merged.append(piece)
    return [p for p in map(_finished, merged) if p.text]


def _joins(piece: Piece, word: Word) -> bool:
    """Whether a word goes on with a piece: on its baseline or raised or lowered in smaller type, and near."""
    size = max(piece.size, word.size)
    if not -0.4 * size < word.x0 - piece.x1 < 1.5 * size:
        return False
    rise = word.y - piece.y
    if word.size <= 0.87 * piece.size:
        return -0.4 * size <= rise <= 0.65 * size
    if piece.size <= 0.87 * word.size and len(piece.words) <= 2:
        return -0.65 * size <= rise <= 0.4 * size
    return abs(rise) <= 0.15 * size


def _finished(piece: Piece) -> Piece:
    """The piece with its text, without raised marks of references and footnotes."""
    text, marked, dropped = "", False, False
    shown: list[Word] = []
    for word in piece.words:
        raised = word.size <= 0.87 * piece.size and word.y - piece.y > 0.12 * piece.size
        if raised and _MARK.fullmatch(word.text):
            if not text:
                marked = True
                continue
            if re.search(r"[.,;:)\]”\"]$|[a-z]{4}$", text) and text.split()[-1] not in _UNITS:
                dropped = True
                continue
        gap = word.x0 - (shown[-1].x1 if shown else word.x0)
        close = (word.glued and gap < 0.35 * piece.size) or (dropped and word.text[0] in ".,;:)")
        dropped = False
        text += word.text if not text or close else f" {word.text}"
        shown.append(word)
    bold = [w.bold for w in shown]
    count = next((i for i, b in enumerate(bold) if not b), len(bold))
    lead = " ".join(w.text for w in shown[:count]) if 0 < count < len(bold) else ""
    return replace(piece, text=text, bold=bool(bold) and all(bold), marked=marked, lead=lead)
