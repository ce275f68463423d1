"""Text → the terms that an index is searched by. A change here is a new version: indexes name theirs."""

from __future__ import annotations

import re
import threading
import unicodedata
from typing import Any

VERSION = "terms 1"
_WORD = re.compile(r"[^\W_]+")
#: Words that say nothing about what a text is about.
_STOP = frozenset(
    "a an and are as at be but by can for from has have if in into is it its may no not of on or our such that the "
    "their then there these they this to was we were which will with".split()
)
_local = threading.local()


def terms(text: str) -> list[str]:
    """Stems (Snowball, English) of the words of a text, in order; "IL-6" gives two, "β" stays what it is."""
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    stems: list[str] = _stemmer().stemWords([word for word in words if word not in _STOP])
    return stems


def _stemmer() -> Any:
    # A stemmer is not safe for several threads.
    if not hasattr(_local, "stemmer"):
        import Stemmer

        _local.stemmer = Stemmer.Stemmer("english")
    return _local.stemmer
