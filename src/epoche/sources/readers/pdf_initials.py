"""Large first letters of a PDF page, beside the first lines of their paragraph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from epoche.sources.readers.pdf_words import Word

#: An initial is as many times larger than its paragraph.
_LARGER = 1.8
#: Height of a capital letter, in that of its type.
_CAPITAL = 0.68
_MOST = 50


def with_initials(words: Sequence[Word]) -> list[Word]:
    """Words of a page, large first letters put before the word that they begin."""
    letters = [w for w in words if w.turns == 0 and w.text.strip("“\"'‘").isupper() and len(w.text) <= 2]
    dropped: set[int] = set()
    for letter in letters[:_MOST] if letters else ():
        beside = _beside(letter, words)
        # One line beside it only is a word in large type.
        if len({round(w.y) for w in beside}) < 2:
            continue
        first = min(beside, key=lambda w: (-round(w.y), w.x0))
        if abs(first.y + _CAPITAL * first.size - letter.y - _CAPITAL * letter.size) > 0.75 * first.size:
            continue
        first.text = letter.text + (" " if _alone(letter.text, first.text, words) else "") + first.text
        first.x0, first.glued = letter.x0, False
        dropped.add(id(letter))
    return [w for w in words if id(w) not in dropped]


def _beside(letter: Word, words: Sequence[Word]) -> list[Word]:
    """The first words of the lines at the right of a letter that are set in smaller type."""
    return [
        w
        for w in words
        if w.turns == 0
        and letter.size >= _LARGER * w.size
        and -0.3 * w.size < w.x0 - letter.x1 < 1.2 * w.size
        and -0.6 * w.size < w.y - letter.y < _CAPITAL * letter.size
    ]


def _alone(letter: str, rest: str, words: Sequence[Word]) -> bool:
    """Whether a letter is a word of its own ("A trial", not "Atrial"), by the other words of the page."""
    if letter not in ("A", "I") or not rest[:1].isalpha():
        return False
    seen = Counter(w.text.casefold().strip(".,;:()") for w in words)
    return not seen[(letter + rest).casefold()] and seen[rest.casefold()] > 1
