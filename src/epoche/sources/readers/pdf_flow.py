"""Lines of pages → paragraphs under headings, over the ends of columns and pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from epoche.sources.readers.pdf_layout import Line
from epoche.sources.readers.pdf_words import SOFT_HYPHEN
from epoche.sources.sections import Text, clean, known_role
from epoche.types import Role

CAPTION = re.compile(
    r"(?:supplementary |extended data )?(?:fig(?:ure|s?\.)?|table|tab\.|scheme|box|chart|plate)\s?"
    r"[A-Z]?\d{1,3}[A-Za-z]?(?P<mark>\s?[.:|–—)])?(?=\s|$)",
    re.I,
)
_ENDS = re.compile(r"[.!?:;][\"”’')\]]*$")
_FOOT = re.compile(r"(?:\d{1,2}\s?[A-Z]|[*†‡§¶]|\(?[a-h]\)\s)")
_LABEL = re.compile(r"([A-Z][A-Za-z,&/'’() -]{2,45}?)\s?[:.]\s+(?=\S)")
_LEVEL = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s")
_BULLET = re.compile(r"[•▪◦‣·–]\s")
#: First parts that keep their hyphen at the end of a line, unless the paper writes the word in one elsewhere.
_KEEPS = frozenset(
    "self non well long short high low double single two three four five six one half follow placebo meta post pre "
    "dose time age sex cost risk evidence population hospital community open cross case quasi all large small "
    "early late mid multi".split()
)
_MOST_WORDS = 16
FOOTNOTES = "Footnotes"


@dataclass(slots=True)
class _Paragraph:
    """Lines that are being put together."""

    lines: list[Line]
    #: For each page after its first, the number of the line with which that page begins.
    breaks: list[int]
    page: int


def common_size(pages: Iterable[Iterable[Line]]) -> float:
    """The size in which most characters are set, those of a list of references aside, if there are others."""
    sizes: Counter[float] = Counter()
    listed: Counter[float] = Counter()
    inside = False
    for line in (line for page in pages for line in page):
        role = known_role(line.text) if line.cells == 1 else None
        inside = role is Role.REFERENCES or (inside and (role is None or not line.bold))
        (listed if inside else sizes)[round(line.size * 4) / 4] += len(line.text)
    # A word of three letters in a margin is no text.
    sizes = sizes if sizes.total() >= 0.02 * listed.total() else listed
    return max(sizes, key=lambda s: (sizes[s], s)) if sizes else 10.0


class Flow:
    """Puts pages together; what stands apart (captions, footnotes) never breaks a sentence in two.

    Args:
        lines: of all pages, to learn sizes, distances and words from.
        size: in which most of the text is set.
    """

    def __init__(self, lines: Sequence[Sequence[Line]], size: float) -> None:
        self.text = Text()
        self._size = size
        every = [line for page in lines for line in page]
        self._leading = _leading(every, size)
        self._words = Counter(word.casefold() for line in every for word in re.findall(r"[\w-]+", line.text)[:-1])
        sizes = sorted({round(line.size) for line in every if line.size > 1.08 * size}, reverse=True)
        self._levels = {s: level for level, s in enumerate(sizes, start=2)}
        self._open: _Paragraph | None = None
        self._caption: list[Line] | None = None
        self._rows: list[Line] = []
        self._waiting: list[tuple[str, Role, list[str]]] = []
        self._page = 0
        #: Pages that began since the open paragraph did, and are not marked in the text yet.
        self._unmarked = 0

    def page(self, lines: Iterable[Line]) -> None:
        """Add a page; one without lines counts too."""
        self._page += 1
        if self._open is None:
            self.text.page()
        else:
            self._unmarked += 1
        kept, notes = _footnotes(list(lines), self._size)
        before: Line | None = None
        at = 0
        while at < len(kept):
            count = self._heading_lines(kept, at)
            if count:
                self._heading(kept[at : at + count])
                before = None
                at += count
                continue
            self._line(kept[at], before, kept[at + 1] if at + 1 < len(kept) else None)
            before = kept[at]
            at += 1
        self._end_caption()
        self._end_table()
        for note in notes:
            self._aside(FOOTNOTES, self._apart(), self._joined(note))

    def close(self) -> Text:
        """The text, once every page was added."""
        self._finish()
        return self.text

    def _heading_lines(self, kept: Sequence[Line], at: int) -> int:
        """How many lines from this one on are a heading: 0 to 3; more in one style are a paragraph in bold."""
        first, count = kept[at], 0
        while at + count < len(kept) and self._may_head(line := kept[at + count]):
            follows = count > 0 and not line.first and self._gap(kept[at + count - 1], line) < 1.5
            alike = abs(first.size - line.size) < 0.6 and first.bold == line.bold
            if count and not (alike and follows and known_role(first.text) is None and not _LEVEL.match(line.text)):
                break
            count += 1
        if count > 3 or (count and self._goes_on(kept[at + count - 1], kept[at + count : at + count + 1])):
            return 0
        # A word that is bold by its place in a paragraph of bold lines, or that alone in its line ends one.
        before = kept[at - 1] if at else None
        inside = before is not None and before.bold == first.bold and abs(before.size - first.size) < 0.6
        close = inside and not first.first and self._gap(before, first) < 1.25 and known_role(first.text) is None
        return 0 if close else count

    def _goes_on(self, line: Line, after: Sequence[Line]) -> bool:
        """Whether a line that may be a heading is one of a paragraph, as the next shows."""
        if not after or after[0].first or after[0].cells > 1 or known_role(line.text) is not None:
            return False
        following = after[0]
        alike = abs(following.size - line.size) < 0.6 and following.bold == line.bold
        full = line.x1 > line.right - 0.12 * (line.right - line.left)
        return alike and abs(self._gap(line, following)) < 1.5 and (full or following.text[:1].islower())

    def _may_head(self, line: Line) -> bool:
        words = line.text.split()
        if line.cells > 1 or not 1 <= len(words) <= _MOST_WORDS or CAPTION.match(line.text):
            return False
        known = known_role(line.text) is not None
        if not any(c.isalpha() for c in line.text) or (_ENDS.search(line.text) and not known):
            return False
        return line.size >= 1.12 * self._size or line.bold or (known and len(words) <= 6)

    def _heading(self, lines: Sequence[Line]) -> None:
        self._finish()
        title = self._joined(lines)
        known, number = known_role(title) is not None, _LEVEL.match(title)
        level = 2 + number.group(1).count(".") if number else self._levels.get(round(lines[0].size), 7)
        self.text.heading(title, 1 if known and not number else level)

    def _gap(self, before: Line | None, line: Line) -> float:
        """Distance of two baselines, in those of a paragraph of their size."""
        if before is None:
            return 1.0
        return abs(before.y - line.y) / (self._leading * max(line.size / self._size, 0.7))

    def _line(self, line: Line, before: Line | None, after: Line | None) -> None:
        if line.cells > 1 or self._cells(line, after):
            self._end_caption()
            self._rows.append(line)
            return
        if self._rows:
            self._end_table()
            before = None
        if self._caption is not None:
            if not self._starts(line, before, after, self._caption):
                self._caption.append(line)
                return
            self._end_caption()
            before = None
        starts = self._open is None or self._starts(line, before, after, self._open.lines)
        caption = CAPTION.match(line.text)
        if caption and (caption["mark"] or line.lead or line.size < 0.95 * self._size) and (starts or line.first):
            self._caption = [line]
            return
        if before is None and not starts and self._open and self._other(line, self._open.lines[-1]):
            # What is left of a table is not what the sentence before it goes on with.
            self._aside("", self._apart(), line.text)
            return
        if starts:
            self._finish()
        if self._open is None:
            self._open = _Paragraph([line], [], self._page)
        else:
            self._open.breaks += [len(self._open.lines)] * self._unmarked
            self._unmarked = 0
            self._open.lines.append(line)

    def _cells(self, line: Line, after: Line | None) -> bool:
        """Whether a line is a row whose cells stand too close together: narrow, indented, by such a row."""
        wide = line.right - line.left
        if line.x0 - line.left < 0.15 * wide or line.x1 - line.x0 > 0.5 * wide or _ENDS.search(line.text):
            return False
        follows = after is not None and not after.first and after.cells > 1 and self._gap(line, after) < 2
        return follows or (bool(self._rows) and self._gap(self._rows[-1], line) < 2)

    def _end_caption(self) -> None:
        if self._caption is not None:
            text, self._caption = self._joined(self._caption), None
            match = CAPTION.match(text)
            self._aside(match.group().rstrip(" .:|–—)") if match else "", Role.CAPTION, text)

    def _starts(self, line: Line, before: Line | None, after: Line | None, held: Sequence[Line]) -> bool:
        """Whether a line begins a paragraph."""
        last = held[-1]
        ended = _ENDS.search(last.text) is not None
        other = self._other(line, last)
        if held is self._caption:
            return line.first or other or self._gap(last, line) > 1.3
        if _BULLET.match(line.text):
            return True
        short = last.x1 < last.right - 0.12 * (last.right - last.left)
        indented = 0.7 * line.size < line.x0 - line.left < 6 * line.size
        below = before is not None and line.y < last.y
        if before is None or (line.first and not (below and self._gap(last, line) > 1.4)):
            return ended and (indented or short or other)
        if self._gap(last, line) > 1.4 or self._gap(last, line) < 0:
            return True
        if other and ended:
            return True
        hung = after is not None and not after.first and after.x0 - after.left > 0.7 * line.size
        return ended and ((indented and last.x0 - last.left < 0.5 * line.size and not hung) or short)

    def _other(self, line: Line, last: Line) -> bool:
        return abs(line.size - last.size) > 0.08 * self._size

    def _apart(self) -> Role:
        """Of what stands apart; in a reference list it stays one."""
        return Role.REFERENCES if self.text.role() is Role.REFERENCES else Role.OTHER

    def _end_table(self) -> None:
        if self._rows:
            self._aside("Table", self._apart(), *(row.text for row in self._rows))
            self._rows = []

    def _finish(self) -> None:
        """Write what is open, then what waited for its end."""
        self._end_caption()
        self._end_table()
        paragraph, self._open = self._open, None
        if paragraph is None:
            return
        self._write(paragraph)
        for _ in range(self._unmarked):
            self.text.page()
        self._unmarked = 0
        for title, role, texts in self._waiting:
            self.text.aside(title, role, texts)
        self._waiting = []

    def _aside(self, title: str, role: Role, *texts: str) -> None:
        """Before a paragraph that is open, if it began on this page; else after it."""
        if self._open is not None and self._open.page != self._page:
            self._waiting.append((title, role, list(texts)))
        else:
            self.text.aside(title, role, list(texts))

    def _write(self, paragraph: _Paragraph) -> None:
        lines = paragraph.lines
        whole = self._joined(lines)
        offsets = [len(self._joined(lines[:at])) for at in paragraph.breaks]
        label = _LABEL.match(whole)
        lead = lines[0].lead
        cut = 0
        if lead and known_role(lead) is not None and whole.startswith(lead):
            cut = len(lead)
        elif (
            label and known_role(label.group(1)) is not None and (whole[label.end(1) :].lstrip()[0] == ":" or lead)
        ):
            lead, cut = label.group(1), label.end()
        if cut:
            self.text.heading(lead.rstrip(" .:"), 8)
        rest = whole[cut:].lstrip(" .:")
        cut = len(whole) - len(rest)
        for start in self.text.paragraph(rest):
            for offset in offsets:
                self.text.page(start + max(0, offset + 1 - cut))

    def _joined(self, lines: Sequence[Line]) -> str:
        """Lines as one, words that were divided put together."""
        text = ""
        for line in lines:
            part = line.text
            if not text:
                text = part
            elif text.endswith(SOFT_HYPHEN):
                text = text.rstrip(SOFT_HYPHEN) + part
            elif re.search(r"\w-$", text) and part[:1].isalnum():
                text = text[:-1] + part if self._divided(text, part) else text + part
            else:
                text = f"{text} {part}"
        return clean(text.replace(SOFT_HYPHEN, ""))

    def _divided(self, before: str, after: str) -> bool:
        """Whether the hyphen between two lines is there for the line's end only."""
        first = re.split(r"[^\w-]", before[:-1])[-1]
        second = re.match(r"\w*", after)
        assert second is not None
        head, tail = first.rsplit("-", 1)[-1].casefold(), second.group().casefold()
        if not second.group().islower() or not head.isalpha() or len(head) == 1 or first.isupper():
            return False
        together, apart = self._words[head + tail], self._words[f"{head}-{tail}"]
        if together != apart:
            return together > apart
        return head not in _KEEPS


def _footnotes(lines: list[Line], size: float) -> tuple[list[Line], list[list[Line]]]:
    """Lines without those at the foot of a column in small type, the first of which is marked."""
    kept: list[Line] = []
    notes: list[list[Line]] = []
    for column in _by_column(lines):
        at = len(column)
        while at > 0 and column[at - 1].size <= 0.92 * size and column[at - 1].cells == 1:
            at -= 1
        while at < len(column) and not _begins_note(column[at]):
            at += 1
        kept += column[:at]
        for line in column[at:]:
            if _begins_note(line) or not notes:
                notes.append([line])
            else:
                notes[-1].append(line)
    return kept, notes


def _begins_note(line: Line) -> bool:
    return (line.marked or _FOOT.match(line.text) is not None) and not CAPTION.match(line.text)


def _by_column(lines: Sequence[Line]) -> list[list[Line]]:
    columns: list[list[Line]] = []
    for line in lines:
        if line.first or not columns:
            columns.append([])
        columns[-1].append(line)
    return columns


def _leading(lines: Sequence[Line], size: float) -> float:
    """The usual distance of two baselines of text in the common size."""
    gaps = [
        a.y - b.y
        for a, b in pairwise(lines)
        if not b.first and a.cells == b.cells == 1 and abs(a.size - size) < 0.5 and abs(b.size - size) < 0.5
    ]
    near = [g for g in gaps if 0.8 * size < g < 2.5 * size]
    return median(near) if near else 1.2 * size
