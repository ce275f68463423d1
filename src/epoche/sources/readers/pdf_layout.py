"""Lines of a PDF page in the order of reading: columns, rows of tables, and without running heads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from epoche.sources.readers.pdf_words import Piece

#: Share of the lines of a page that may cross the gap between two columns: titles, abstracts, wide tables.
_CROSSING = 0.4
#: Least width of the gap, in points, and step in which it is looked for.
_GAP, _STEP = 6.0, 2.0
_NUMBER = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(r"\W*(?:p(?:age|\.)?\s*)?(?:\d{1,4}|[ivxl]{1,6})(?:\s*(?:of|/)\s*\d{1,4})?\W*", re.I)


@dataclass(slots=True)
class Line:
    """A line of a column, or a row of cells; `left` and `right` are the edges of its column."""

    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool
    marked: bool
    lead: str
    left: float
    right: float
    #: Cells of a row of a table; one for a line of text.
    cells: int
    #: It is the first of its column.
    first: bool


def running(pages: Sequence[Sequence[Piece]]) -> list[set[int]]:
    """Of each page the numbers of those pieces that are running heads and feet, or page numbers.

    What stands apart at the top or the bottom is one if the same words, numbers aside, stand at the same height
    of another page, or if it stands where another page has one; what does not stand apart, if the very same words
    do on two others.
    """
    edges = [list(_edges(page)) for page in pages]
    seen: Counter[tuple[str, int, int]] = Counter()
    for edge in edges:
        seen.update({place for row in edge for masked in (True, False) for place in row.places(masked)})
    heads = [[r for r in edge if (r.apart and r.repeats(True, seen) >= 2) or r.repeats(False, seen) >= 3]
             for edge in edges]  # fmt: skip
    heights = Counter(
        (round(r.y), round(r.size), r.turns) for head in heads for r in head if r.apart and r.outermost
    )
    ends = [[r for r in edge if r.outermost and r.apart] for edge in edges]
    counted = Counter(n - at for at, end in enumerate(ends) for n in {n for r in end for n in r.numbers()})
    found: list[set[int]] = []
    for at, (page, end, head) in enumerate(zip(pages, ends, heads, strict=True)):
        numbers = [i for r in end for i in r.pieces if _PAGE_NUMBER.fullmatch(page[i].text)]
        alike = [
            r
            for r in end
            if heights[round(r.y), round(r.size), r.turns] >= 2 or any(counted[n - at] >= 2 for n in r.numbers())
        ]
        found.append({*numbers, *(i for row in [*head, *alike] for i in row.pieces)})
    return found


@dataclass(slots=True)
class _Row:
    """Pieces on one baseline at the edge of a page."""

    pieces: list[int]
    texts: list[str]
    y: float
    size: float
    turns: int
    outermost: bool
    #: The body of the page keeps a distance.
    apart: bool

    def places(self, masked: bool) -> set[tuple[str, int, int]]:
        """Its text and those of its pieces, where they stand."""
        texts = {
            text.casefold() for text in (" ".join(self.texts), *self.texts) if not _PAGE_NUMBER.fullmatch(text)
        }
        return {
            (_NUMBER.sub("#", text) + "\0" if masked else text, round(self.y / 3), self.turns) for text in texts
        }

    def numbers(self) -> set[int]:
        """What may be the number of its page."""
        return {int(text) for text in self.texts if text.isdecimal() and len(text) < 5}

    def repeats(self, masked: bool, seen: Counter[tuple[str, int, int]]) -> int:
        # Rounding may put the same height into two neighbouring classes.
        return max(
            (sum(seen[text, y + d, turns] for d in (-1, 0, 1)) for text, y, turns in self.places(masked)), default=0
        )


def _edges(page: Sequence[Piece]) -> Iterator[_Row]:
    """The two highest and the two lowest rows of each direction of reading."""
    for turns in {p.turns for p in page}:
        rows: dict[int, list[int]] = {}
        for i, piece in enumerate(page):
            if piece.turns == turns:
                rows.setdefault(round(piece.y), []).append(i)
        heights = sorted(rows)
        usual = median(b - a for a, b in pairwise(heights)) if len(heights) > 8 else 0.0
        for order in (heights[::-1], heights):
            ends = order[:2]
            for rank, y in enumerate(ends):
                row = rows[y]
                size = max(page[i].size for i in row)
                # Both of two rows stand apart where the second does.
                apart = any(
                    n + 1 >= len(order) or abs(order[n] - order[n + 1]) > max(1.6 * size, 1.2 * usual)
                    for n in range(rank, len(ends))
                )
                yield _Row(row, [page[i].text for i in row], page[row[0]].y, size, turns, rank == 0, apart)


def lines(pieces: Sequence[Piece]) -> Iterator[Line]:
    """Pieces of one page as lines, column after column; what reads in another direction comes last."""
    for turns in sorted(
        {p.turns for p in pieces}, key=lambda t: (-sum(len(p.text) for p in pieces if p.turns == t), t)
    ):
        for column in _columns([p for p in pieces if p.turns == turns]):
            yield from _rows(column)


def _columns(pieces: list[Piece], depth: int = 0) -> list[list[Piece]]:
    """Parts of a page, in the order of reading."""
    gap = _gap(pieces, depth)
    if gap is None:
        return [pieces] if pieces else []
    found: list[list[Piece]] = []
    wide: list[Piece] = []
    left: list[Piece] = []
    right: list[Piece] = []

    def flush() -> None:
        for side in (left, right):
            found.extend(_columns(list(side), depth + 1))
            side.clear()

    for piece in sorted(pieces, key=lambda p: (-p.y, p.x0)):
        if piece.x0 < gap < piece.x1:
            if left or right:
                flush()
            wide.append(piece)
            continue
        if wide:
            found.append(list(wide))
            wide.clear()
        (left if piece.x1 <= gap else right).append(piece)
    flush()
    return [*found, wide] if wide else found


def _gap(pieces: Sequence[Piece], depth: int = 0) -> float | None:
    """Where two columns of text meet, or those on both sides of it; None for one column."""
    if len(pieces) < 6 or depth > 3:
        return None
    start, end = min(p.x0 for p in pieces), max(p.x1 for p in pieces)
    best: tuple[int, float, float] | None = None
    run: tuple[int, float, float] | None = None
    x = start + 0.2 * (end - start)
    while x <= end - 0.2 * (end - start):
        crossing = sum(p.x0 < x < p.x1 for p in pieces)
        run = (crossing, run[1], x) if run and run[0] == crossing else (crossing, x, x)
        if run[2] - run[1] >= _GAP and (best is None or (run[0], run[1] - run[2]) < (best[0], best[1] - best[2])):
            best = run
        x += _STEP
    if best is None or best[0] > _CROSSING * len(pieces):
        return None
    at = (best[1] + best[2]) / 2
    left, right = [p for p in pieces if p.x1 <= at], [p for p in pieces if p.x0 >= at]
    text = all(_is_text(side) or _gap(side, depth + 1) is not None for side in (left, right))
    return at if text and _beside(left, right) else None


def _is_text(column: Sequence[Piece]) -> bool:
    """Whether lines fill a column, as cells of a table do not; lists have short lines too."""
    if len(column) < 3:
        return False
    width = max(p.x1 for p in column) - min(p.x0 for p in column)
    wide = [p for p in column if p.x1 - p.x0 >= 0.6 * width]
    return len(wide) >= 0.3 * len(column) and median(len(p.words) for p in wide) >= 4


def _beside(left: Sequence[Piece], right: Sequence[Piece]) -> bool:
    return min(p.y for p in left) < max(p.y for p in right) and min(p.y for p in right) < max(p.y for p in left)


def _rows(column: Sequence[Piece]) -> Iterator[Line]:
    """Lines of a column from the top; pieces on one baseline are a row of cells."""
    left, right = min(p.x0 for p in column), max(p.x1 for p in column)
    rows: list[list[Piece]] = []
    for piece in sorted(column, key=lambda p: (-p.y, p.x0)):
        if rows and abs(rows[-1][0].y - piece.y) < 0.3 * piece.size:
            rows[-1].append(piece)
        else:
            rows.append([piece])
    for number, row in enumerate(rows):
        row.sort(key=lambda p: p.x0)
        first = row[0]
        yield Line(
            text=" | ".join(p.text for p in row),
            x0=first.x0,
            x1=max(p.x1 for p in row),
            y=first.y,
            size=max(p.size for p in row),
            bold=all(p.bold for p in row),
            marked=first.marked,
            lead=first.lead if len(row) == 1 else "",
            left=left,
            right=right,
            cells=len(row),
            first=number == 0,
        )
