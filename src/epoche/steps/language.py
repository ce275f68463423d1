"""Language: whether a text is certainly not English. Judged on enough text and with certainty only."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Any

#: Fewer different words are not judged by statistics; gene names look like any language.
MIN_WORDS = 6
#: Most that English may still have for a text to be called foreign. Which other language it is may be
#: less certain: Spanish, Portuguese and Galician share the rest.
MAX_ENGLISH = 0.01
#: A text is judged by its beginning; documents can be long.
MAX_CHARACTERS = 4000
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
#: Scripts that English is not written in → a language to name. A text mostly in one is foreign.
_SCRIPTS = {
    "CYRILLIC": "ru",
    "ARABIC": "ar",
    "HEBREW": "he",
    "HANGUL": "ko",
    "HIRAGANA": "ja",
    "KATAKANA": "ja",
    "CJK": "zh",
    "DEVANAGARI": "hi",
    "THAI": "th",
    "BENGALI": "bn",
    "GREEK": "el",
}
#: English function words that the other languages of the Latin script do not have.
_ENGLISH = frozenset(
    "the of and with that is are was were not does did can has have been from by for which than to this these "
    "between increased increases reduces reduced associated after their its".split()
)


def foreign(text: str) -> str | None:
    """ISO 639-1 code of the language if the text is certainly not English, else None."""
    sample = text[:MAX_CHARACTERS]
    script = _script(sample)
    if script is not None:
        return script
    words = [w.casefold() for w in _WORD.findall(sample)]
    # Symbols and acronyms (TNF, mRNA) belong to no language.
    plain = [w for w in _WORD.findall(sample) if len(w) == 1 or w[1:].islower()]
    if len({w.casefold() for w in plain}) < MIN_WORDS:
        return None
    english = sum(w in _ENGLISH for w in words) / len(words)
    if english >= 0.12:
        return None
    ranked = _identifier().rank(" ".join(plain).casefold())
    best = str(ranked[0][0])
    certain = dict(ranked).get("en", 0.0) <= MAX_ENGLISH and (english == 0.0 or len(plain) >= 20)
    # Latin names of species make English look like Latin.
    return best if certain and best not in ("en", "la") else None


def _script(text: str) -> str | None:
    """Language of a script other than Latin that most letters are in."""
    letters = [c for c in text if c.isalpha()]
    counts: dict[str, int] = {}
    for letter in letters:
        if letter > "\u024f":
            name = unicodedata.name(letter, "").split(" ")[0]
            if name in _SCRIPTS:
                counts[_SCRIPTS[name]] = counts.get(_SCRIPTS[name], 0) + 1
    if not counts or sum(counts.values()) <= len(letters) / 2 or len(letters) < 4:
        return None
    # Japanese is written with Chinese characters too.
    return "ja" if counts.get("ja") else max(counts, key=lambda k: (counts[k], k))


@cache
def _identifier() -> Any:
    # Its model takes a moment to load, and most texts are settled by their function words.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
