"""What of a sentence or a title is asked for, and whether two titles are one."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from epoche.sources.corpus.terms import terms
from epoche.sources.literature.records import plain

#: Titles at least this alike are one.
SAME = 0.9
_MOST = 30
#: No word is longer; an address has so much room.
_LONGEST = 60
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_GREEK = {"α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "κ": "kappa", "μ": "mu", "ω": "omega"}
#: British spellings → American ones.
_SPELLINGS = (("isation", "ization"), ("ise", "ize"), ("ising", "izing"), ("our", "or"), ("ae", "e"), ("oe", "e"))


def keywords(text: str) -> list[str]:
    """Words of a text worth searching for, each stem once, in lower case, at most thirty.

    Only letters, digits and hyphens within words are left, so no text can carry operators, quotes or field names of
    a service's query language. Stop words go, AND, OR and NOT among them, and so do bare numbers.
    """
    found: dict[tuple[str, ...], str] = {}
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).lower()):
        stems = tuple(terms(word))
        if stems and len(word) <= _LONGEST and any(c.isalpha() for c in word):
            found.setdefault(stems, word)
    return list(found.values())[:_MOST]


def similarity(one: str, other: str) -> float:
    """How alike two titles are, 0 to 1: the share of their words that they have in common.

    Two titles with different numbers are not alike: type 1 is not type 2.
    """
    a, b = _normal(one), _normal(other)
    if not a or not b:
        return 0.0
    if "".join(a) == "".join(b):
        return 1.0
    both, either = Counter(a) & Counter(b), Counter(a) | Counter(b)
    share = both.total() / either.total()
    return share if _numbers(a) == _numbers(b) else min(share, SAME - 0.01)


def same_title(expected: str, found: str) -> bool:
    """Whether a record found by its number has the title expected, which may lack what follows a colon."""
    if similarity(expected, found) >= SAME:
        return True
    pairs = ((_main(expected), found), (expected, _main(found)))
    return any(len(_normal(a)) >= 3 and similarity(a, b) >= SAME for a, b in pairs)


def _main(title: str) -> str:
    return re.split(r"[:?]\s|\s[–—-]\s|\.\s", plain(title), maxsplit=1)[0]


def _normal(title: str) -> list[str]:
    text = unicodedata.normalize("NFKC", plain(title)).casefold()
    text = re.sub(r"^\W*(?:retracted(?: article| paper)?|withdrawn(?: article)?)\s*[:\]).–—-]", "", text)
    for letter, name in _GREEK.items():
        text = text.replace(letter, name)
    words = re.findall(r"[^\W_]+", text)
    return [_american(word) for word in words]


def _american(word: str) -> str:
    if len(word) < 5:
        return word
    for british, american in _SPELLINGS:
        word = word.replace(british, american)
    return word


def _numbers(words: list[str]) -> list[str]:
    return sorted(number for word in words for number in re.findall(r"\d+", word))
