"""Grammar: word forms and word classes, guessed from spelling and the lexicon.

There is no tagger here. Each guess is made so that a wrong one keeps a statement whole.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from epoche.steps import lexicon as lx

_EDGES = "\"'“”‘’«»()[]{}.,;:!?…"
_LETTER = re.compile(r"[^\W\d_]")
_NUMBER = re.compile(r"\d")
_DASHES = re.compile(r"--+|—")


class Token(NamedTuple):
    """A blank-separated piece of text, its bare lower-case word, and whether a comma or the like ends it."""

    raw: str
    word: str

    @property
    def ends_phrase(self) -> bool:
        """Punctuation follows the word."""
        return self.raw[-1:] in ",;:.?!"


def tokens(text: str) -> list[Token]:
    """Tokens of `text`, split at blanks."""
    return [Token(raw, raw.strip(_EDGES).replace("’", "'").casefold()) for raw in text.split()]


def join(parts: list[Token] | list[str]) -> str:
    """The text of tokens."""
    return " ".join(p if isinstance(p, str) else p.raw for p in parts)


def sentence(text: str) -> str:
    """One line that ends as a sentence does: blanks collapsed, a dangling comma or colon cut, a full stop."""
    line = " ".join(text.split()).rstrip(",;: ")
    if line.rstrip("\"'”’)]").endswith((".", "!", "?", "…")):
        return line
    return f"{line}."


def capital(text: str) -> str:
    """First letter upper, but only of a plain lower-case word: p53, mTOR and β-catenin stay."""
    first = re.split(r"[\s\-/]", text, maxsplit=1)[0].strip(_EDGES)
    plain = first.isascii() and first.isalpha() and first.islower() and len(first) > 1
    if not plain and first not in {"a", "i"}:
        return text
    at = text.index(first)
    return text[:at] + text[at].upper() + text[at + 1 :]


def uncapital(text: str) -> str:
    """First letter lower where the first word is a function word; names are left alone."""
    first = text.split(" ", 1)[0]
    return text[0].lower() + text[1:] if first.casefold() in lx.FUNCTION else text


# ── verbs ────────────────────────────────────────────────────────────────────────────────────


def third_person(verb: str) -> str:
    """`reduce` → `reduces`."""
    fixed = {"have": "has", "be": "is", "do": "does", "go": "goes", "undergo": "undergoes"}
    if verb in fixed:
        return fixed[verb]
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    if verb == "quit":
        return "quits"
    return f"{verb}es" if verb.endswith(("s", "x", "z", "ch", "sh")) else f"{verb}s"


def past(verb: str) -> str:
    """`reduce` → `reduced`, `lead` → `led`."""
    return lx.IRREGULAR[verb][0] if verb in lx.IRREGULAR else _with_ed(verb)


def participle(verb: str) -> str:
    """`reduce` → `reduced`, `give` → `given`."""
    return lx.IRREGULAR[verb][1] if verb in lx.IRREGULAR else _with_ed(verb)


def _with_ed(verb: str) -> str:
    if verb.endswith("e"):
        return f"{verb}d"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ied"
    return f"{verb}{verb[-1]}ed" if verb in lx.DOUBLING else f"{verb}ed"


def gerund(verb: str) -> str:
    """`reduce` → `reducing`."""
    if verb in lx.DOUBLING:
        return f"{verb}{verb[-1]}ing"
    if verb.endswith("ie"):
        return f"{verb[:-2]}ying"
    drop = verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")) and verb != "be"
    return f"{verb[:-1] if drop else verb}ing"


class Forms(NamedTuple):
    """Each inflected form → its base."""

    third: dict[str, str]
    past: dict[str, str]
    participle: dict[str, str]
    gerund: dict[str, str]


@cache
def forms() -> Forms:
    """Tables of the inflected forms of all verbs of the lexicon."""
    verbs = sorted(lx.NOUN_VERBS) + sorted(lx.VERBS | set(lx.IRREGULAR))
    return Forms(
        {third_person(v): v for v in verbs},
        {past(v): v for v in verbs},
        {participle(v): v for v in verbs},
        {gerund(v): v for v in verbs},
    )


def is_base(word: str) -> bool:
    """A base form that is hardly ever a noun."""
    return word in lx.VERBS and word not in lx.NOUN_VERBS


def is_noun_verb(word: str) -> bool:
    """A base form that is as often a noun."""
    return word in lx.NOUN_VERBS


def is_participle(word: str) -> bool:
    """A past participle of the lexicon, or another word that ends like one."""
    if word in forms().participle:
        return word not in {"put", "set", "cut", "cost", "hit", "read", "spread", "split", "become", "come"}
    bare = word.rsplit("-", 1)[-1]
    return bare.endswith("ed") and len(bare) > 4 and not bare.endswith("eed") and bare not in {"hundred", "bleed"}


def is_gerund(word: str) -> bool:
    """The -ing form of a verb of the lexicon."""
    return word in forms().gerund


# ── other classes ────────────────────────────────────────────────────────────────────────────


def is_adverb(word: str) -> bool:
    """An adverb of the list, or a word in -ly."""
    return word in lx.ADVERBS or (word.endswith("ly") and len(word) > 4 and word not in lx.NOT_ADVERBS)


def is_adjective(word: str) -> bool:
    """An adjective of the list, or a word with an adjective's ending."""
    if word in lx.NOT_ADJECTIVES or word.endswith(("ment", "ments")):
        return False
    if word in lx.ADJECTIVES:
        return True
    return len(word) > 5 and word.endswith(lx.ADJECTIVE_ENDINGS)


def is_name(token: Token) -> bool:
    """A symbol or an acronym: capitals after the first letter, or digits."""
    bare = token.raw.strip(_EDGES)
    return bool(_NUMBER.search(bare)) or any(c.isupper() for c in bare[1:])


def is_noun_like(token: Token) -> bool:
    """Can end a noun phrase: no function word, adverb or plain adjective."""
    word = token.word
    if not word or word in lx.FUNCTION:
        return False
    if token.raw.rstrip(",;:.?!").endswith(")") or is_name(token) or word in lx.NOUN_LIKE:
        return True
    return not is_adverb(word) and not (is_adjective(word) and not word.endswith("ant"))


def is_plural(token: Token) -> bool:
    """Whether a noun is plural, by its spelling; acronyms only with a small s (TLRs)."""
    bare = token.raw.strip(_EDGES)
    word = token.word
    if word in lx.PLURALS:
        return True
    if word in lx.SINGULARS or not word.endswith("s") or word.endswith(("'s", "ss", "us", "is", "ics")):
        return False
    if sum(map(str.isupper, bare)) > 1:
        return (bare.endswith("s") and bare[-2:-1].isupper()) or (bare.endswith("s") and bare[-2:-1].isdigit())
    return len(word) > 3 and not word.endswith(("itis", "osis", "asis"))


def is_content(word: str) -> bool:
    """Carries meaning of its own: not a function word, and it has a letter or a digit."""
    if word in lx.FUNCTION or word in lx.CONTRACTED:
        return False
    return bool(_LETTER.search(word) or _NUMBER.search(word))


def head(phrase: list[Token]) -> Token | None:
    """Head noun of a noun phrase: its last word before the first preposition, relative or participle."""
    found = None
    for i, token in enumerate(phrase):
        stop = token.word in lx.PREPOSITIONS | lx.RELATIVES
        stop = stop or (i > 0 and is_participle(token.word) and i + 1 < len(phrase)
                        and phrase[i + 1].word in lx.PREPOSITIONS)  # fmt: skip
        if stop and found is not None:
            break
        if not stop:
            found = token
            if token.raw.endswith((",", ";", ":")):
                break
    return found


def stem(word: str) -> str:
    """A crude key that inflected forms share; it is used to compare words, never shown."""
    word = word.removesuffix("'s").removesuffix("'")
    table = forms()
    for inflected in table:
        if word in inflected:
            word = inflected[word]
            break
    if word in lx.VERBS or word in lx.NOUN_VERBS or not word.isascii() or not word.isalpha():
        return word
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def content_stems(text: str) -> list[str]:
    """Stems of the content words, in order; parts of a word joined by a slash or dashes are compared as one."""
    return [stem(t.word) for t in tokens(_DASHES.sub(" ", text)) if is_content(t.word)]
