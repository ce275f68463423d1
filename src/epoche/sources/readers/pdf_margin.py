"""Numbers of lines in the margin of a PDF page, which are no part of its text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from epoche.sources.readers.pdf_words import Word

#: Fewer numbers, of every line or of every fifth, are no numbering.
_LEAST, _LEAST_FAR = 4, 3
#: Numbers end, or begin, within as many points of one place.
_EDGE = 1.5
#: Least share of the lines of a page that is numbered.
_NUMBERED = 0.4
_MOST_ROWS = 400


def without_line_numbers(words: Sequence[Word]) -> list[Word]:
    """Words of a page without the numbers of its lines, every one or every fifth."""
    dropped: set[int] = set()
    for turns in {w.turns for w in words}:
        here = [w for w in words if w.turns == turns]
        rows: dict[int, list[Word]] = {}
        for word in here:
            rows.setdefault(round(word.y), []).append(word)
        numbers = [w for w in here if w.text.isdecimal() and w.text.isascii() and len(w.text) < 5]
        for edge in (lambda w: w.x1, lambda w: w.x0):
            for aligned in _aligned(numbers, edge):
                run = _run(aligned)
                if run and _numbers_lines(run, rows):
                    dropped |= {id(w) for w in run}
    return [w for w in words if id(w) not in dropped]


def _aligned(numbers: Sequence[Word], edge: Callable[[Word], float]) -> Iterator[list[Word]]:
    """Numbers that stand below each other."""
    group: list[Word] = []
    for word in sorted(numbers, key=edge):
        if group and edge(word) - edge(group[-1]) > _EDGE:
            yield group
            group = []
        group.append(word)
    if group:
        yield group


def _run(aligned: Sequence[Word]) -> list[Word]:
    """The longest run down the page that rises by one step, at least a line each."""
    best: list[Word] = []
    for step in (1, 2, 5, 10):
        last: dict[int, list[Word]] = {}
        for word in sorted(aligned, key=lambda w: -w.y):
            before = last.get(int(word.text) - step)
            far = before is not None and before[-1].y - word.y >= 0.9 * step * word.size
            last[int(word.text)] = [*before, word] if before and far else [word]
        found = max(last.values(), key=len, default=[])
        if len(found) >= (_LEAST if step < 5 else _LEAST_FAR) and len(found) > len(best):
            best = found
    return best


def _numbers_lines(run: Sequence[Word], rows: dict[int, list[Word]]) -> bool:
    """Whether text stands beside the numbers, at a distance, and not the cells of a table."""
    step = int(run[1].text) - int(run[0].text)
    if len(rows) > _MOST_ROWS or len(run) * step < _NUMBERED * len(rows):
        return False
    if step == 1 and 1800 < int(run[0].text) < 2100 and len(run) < 25:
        return False
    beside = [_beside(word, [w for d in (-1, 0, 1) for w in rows.get(round(word.y) + d, [])]) for word in run]
    return sum(beside) >= 0.7 * len(run)


def _beside(number: Word, row: Sequence[Word]) -> bool:
    """Whether most of a row are words, and none stands as near to the number as they do to each other."""
    others = [w for w in row if w is not number]
    written = [w for w in others if any(c.isalpha() for c in w.text)]
    near = min((max(w.x0 - number.x1, number.x0 - w.x1) for w in others), default=0.0)
    return near > 0.45 * number.size and len(written) >= 2 and len(written) >= 0.6 * len(others)
