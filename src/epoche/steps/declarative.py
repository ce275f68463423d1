"""Declarative: the sentence that an NLI model can read as a hypothesis.

A claim stays as it is. A yes/no question becomes the statement that "yes" would make true; where
its grammar is unsure, the question's own words are kept in their order. No content word, number or
hedge is ever lost: `_keeps` checks it, and what fails the check is not used. A negation that only
asks ("Isn't A …?") is dropped, one inside the question ("Does A not …?") is kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from epoche.steps import lexicon as lx
from epoche.steps.boundary import predicate_start, verb_start
from epoche.steps.grammar import (
    Token,
    capital,
    content_stems,
    forms,
    head,
    is_adjective,
    is_adverb,
    is_base,
    is_plural,
    join,
    past,
    sentence,
    third_person,
    tokens,
    uncapital,
)
from epoche.types import Kind, Statement

#: Longer questions are not rewritten: no research question has this many characters.
MAX_CHARACTERS = 2000

#: Where a title ends and a question may begin.
_BREAK = re.compile(r"\s*(?:\s*:\s+|;\s+|\s*--+\s*|\s*—\s*|\s+[–-]\s+|(?<=\w[\w)][.!])\s+(?=[A-Z]))\s*")
_QUESTIONS = re.compile(r"(?<=\?)[\"'”’)]*\s+")
_QUOTES = '"“”«»'
_WRAPPED = (('"', '"'), ("“", "”"), ("«", "»"), ("'", "'"), ("‘", "’"), ("(", ")"), ("[", "]"))
#: "X and Y: an association?" asks whether there is one; "X: a marker of Y?" whether X is one.
_EXISTENTIAL = frozenset(
    "role association benefit link relationship relation effect difference need place correlation connection "
    "interaction impact influence advantage".split()
)
_NOT_EXPLETIVE = frozenset("able unable likely unlikely ready prone sufficient known used helpful".split())
_REFERENTS = frozenset("it they this these he she".split())


@dataclass(frozen=True)
class _Clause:
    """A question clause put in the order of a statement."""

    subject: list[Token]
    predicate: str

    def text(self, subject: str | None = None) -> str:
        return f"{join(self.subject) if subject is None else subject} {self.predicate}".strip()


def hypothesis_of(statement: Statement) -> str:
    """The statement as one declarative sentence.

    A claim: blanks collapsed and a final full stop, nothing else. A yes/no question: what "yes"
    asserts ("Does X prevent Y?" → "X prevents Y."). A negative question keeps its negation ("Isn't X
    safe?" → "X is not safe."). Never empty.
    """
    text = sentence(unwrapped(statement.text))
    if statement.kind is Kind.CLAIM or len(text) > MAX_CHARACTERS:
        return text
    return " ".join(_declare(part) for part in _QUESTIONS.split(text) if part.strip()) or text


def unwrapped(text: str) -> str:
    """Text without quotation marks or brackets around the whole of it."""
    bare = text.strip().removeprefix("¿").strip()
    for first, last in _WRAPPED:
        inside = bare[1:-1]
        if len(bare) > 2 and bare[0] == first and bare[-1] == last and not {first, last} & set(inside):
            return unwrapped(inside)
    return bare


def not_a_yes_no_question(text: str) -> str | None:
    """Why a question has no single yes or no ("Which drug …?", "Is A safe? Is it cheap?"), or None."""
    text = unwrapped(text)
    asked = [q for q in _QUESTIONS.split(" ".join(text.split())[:MAX_CHARACTERS]) if q.strip().endswith("?")]
    yes_no = [q for q in asked if _asks_yes_or_no(tokens(q))]
    if len(yes_no) > 1 or any(_asks_twice(tokens(q)) for q in yes_no):
        return "this asks more than one question: ask them one by one"
    found = None
    for question in _QUESTIONS.split(" ".join(text.split())[:MAX_CHARACTERS]):
        for part in _BREAK.split(question):
            words = tokens(part)
            if _asks_yes_or_no(words) or _inner_question(words):
                return None
            found = found or _wh_word(words, question)
    if found is None:
        return None
    return (
        f'"{found}" asks for more than yes or no: ask what can be true or false, '
        'such as "Does A reduce B?" or "Is A safer than B?"'
    )


def _asks_yes_or_no(words: list[Token]) -> bool:
    return len(words) > 1 and (words[0].word in lx.AUXILIARIES or words[0].word in lx.CONTRACTED)


def _inner_question(words: list[Token]) -> int:
    """Where a question begins after a leading phrase and a comma ("In mice, does X …"), or 0."""
    if not words or words[0].word not in lx.PREPOSITIONS | lx.SUBORDINATORS:
        return 0
    for i in range(2, len(words) - 1):
        if words[i - 1].raw.endswith(",") and _asks_yes_or_no(words[i:]):
            return i
    return 0


def _wh_word(words: list[Token], question: str) -> str | None:
    for i, token in enumerate(words[:-1]):
        start = i == 0 or words[i - 1].raw.endswith(",")
        start = start or (i == 1 and words[0].word in lx.PREPOSITIONS)
        if not start or token.word not in lx.WH_WORDS or token.raw.strip(_QUOTES) == "WHO":
            continue
        asks = i <= 1 and token.word not in {"when", "where"}
        if asks or (question.endswith("?") and _asks_yes_or_no(words[i + 1 :])):
            return token.word
        if i > 1 and question.endswith("?") and token.word in {"what", "which", "how"}:
            return token.word
    return None


# ── a question as a statement ────────────────────────────────────────────────────────────────


def _declare(question: str) -> str:
    """One question as a statement; its own words where that cannot be done safely."""
    bare = _unquoted(question).rstrip("?!. ").strip() if "?" in question else _unquoted(question)
    plain = sentence(capital(bare))
    if not bare:
        return sentence(question)
    made = _split_question(bare) if "?" in question or _asks_yes_or_no(tokens(bare)) else None
    return made if made is not None and _keeps(bare, made) else plain


def _unquoted(text: str) -> str:
    for mark in _QUOTES:
        if text.count(mark) % 2:
            text = text.strip(mark)
    return text


def _keeps(before: str, after: str) -> bool:
    """All content words and numbers of `before` are in `after`."""
    return not Counter(content_stems(before)) - Counter(content_stems(after))


def _split_question(bare: str) -> str | None:
    starts = [m.end() for m in _BREAK.finditer(bare)]
    for start in [0, *starts]:
        words = tokens(bare[start:])
        if _asks_yes_or_no(words):
            clause = _clause(words)
            context = _BREAK.sub(": ", bare[:start]).rstrip(" :;,-–—.")
            return None if clause is None else _with_context(context, clause)
        inner = _inner_question(words)
        if inner:
            clause = _clause(words[inner:])
            lead = f"{bare[:start]}{join(words[:inner])}"
            return None if clause is None else sentence(capital(f"{lead} {clause.text()}"))
    if tokens(bare)[0].word == "whether":
        return sentence(capital(bare.split(None, 1)[1])) if " " in bare else None
    return _verbless_tail(bare)


def _with_context(context: str, clause: _Clause) -> str:
    """Joins a title and the question behind it, the title in the place of a pronoun where that is plain."""
    if not context:
        return sentence(capital(clause.text()))
    words = tokens(context)
    if len(clause.subject) == 1 and clause.subject[0].word in _REFERENTS and _refers(words, clause):
        return sentence(capital(clause.text(context)))
    joint = "," if words[0].word in lx.PREPOSITIONS | lx.SUBORDINATORS else ":"
    return sentence(f"{capital(context)}{joint} {uncapital(clause.text())}")


def _refers(context: list[Token], clause: _Clause) -> bool:
    """Whether the clause's pronoun can only mean the title."""
    if any(t.word in lx.AUXILIARIES for t in context) or context[0].word in lx.PREPOSITIONS:
        return False
    if any(t.raw.endswith(":") or (t.raw.endswith(".") and len(t.word) > 2) for t in context):
        return False
    predicate = tokens(clause.predicate)
    singular = clause.subject[0].word in {"it", "this", "he", "she"}
    if clause.subject[0].word == "it" and _expletive(predicate):
        return False
    return singular != _many(context)


def _expletive(predicate: list[Token]) -> bool:
    """The "it" of "it is possible to …"."""
    for i, token in enumerate(predicate[:-1]):
        if is_adjective(token.word) and token.word not in _NOT_EXPLETIVE:
            return predicate[i + 1].word in {"to", "that", "if", "whether"}
    return False


def _many(phrase: list[Token]) -> bool:
    """Whether a noun phrase is plural."""
    top = phrase
    for i, token in enumerate(phrase):
        if i and token.word in lx.PREPOSITIONS:
            top = phrase[:i]
            break
    noun = head(phrase)
    return any(t.word == "and" for t in top) or (noun is not None and is_plural(noun))


def _clause(words: list[Token]) -> _Clause | None:
    """A clause that begins with an auxiliary, put in order. None where its verb is not found."""
    if _asks_twice(words):
        return None
    # "Doesn't A reduce B?" asks what "Does A reduce B?" asks: yes means that it does.
    aux, rest = lx.CONTRACTED.get(words[0].word, words[0].word), words[1:]
    if rest[0].word == "not" and len(rest) > 1:
        rest = rest[1:]
    if rest[0].word == "there":
        return _Clause(rest[:1], f"{aux} {_some(join(rest[1:]))}")
    if aux in lx.DO:
        return _do_clause(aux, rest)
    start = verb_start(rest) if aux in lx.MODALS else predicate_start(rest, aux)
    if start is None:
        return None
    while start > 1 and is_adverb(rest[start - 1].word):
        start -= 1
    predicate = join(rest[start:])
    return _Clause(rest[:start], f"{aux} {_some(predicate) if aux in lx.HAVE else predicate}")


def _asks_twice(words: list[Token]) -> bool:
    """Whether a second question follows ("Did it work and was it safe?"): one statement does not say both."""
    return any(
        words[i].word in ("and", "or", "but")
        and words[i + 1].word in lx.AUXILIARIES - {"have", "do"}
        and words[i + 2].word in lx.PRONOUNS | lx.DETERMINERS | {"there"}
        for i in range(1, len(words) - 2)
    )


def _do_clause(aux: str, rest: list[Token]) -> _Clause | None:
    start = verb_start(rest, aux)
    if start is None:
        # "Do" adds nothing to a plural: what is left is already a statement, or close to one.
        return None if aux == "did" else _Clause(rest, "")
    if rest[start - 1].word == "not":
        return _Clause(rest[: start - 1], f"{aux} not {join(rest[start:])}")
    inflections: dict[str, Callable[[str], str]] = {"do": str, "does": third_person, "did": past}
    out = [t.raw for t in rest]
    for i in (start, *_joined_verbs(rest, start)):
        verb = inflections[aux](rest[i].word)
        verb = verb.capitalize() if rest[i].raw[:1].isupper() else verb
        out[i] = verb + rest[i].raw[len(rest[i].raw.rstrip(",;:.")) :]
    before = start
    while before > 1 and is_adverb(rest[before - 1].word):
        before -= 1
    return _Clause(rest[:before], _some(" ".join(out[before:])))


def _joined_verbs(rest: list[Token], start: int) -> list[int]:
    """Further verbs of the same subject ("shorten A and reduce B")."""
    found = []
    for i in range(start + 1, len(rest) - 1):
        word, before = rest[i].word, rest[i - 1].word
        if before in {"to", "help"} | lx.MODALS | lx.RELATIVES or rest[start].word == "help":
            break
        verb = word if not is_adverb(word) else rest[i + 1].word
        opens = is_base(verb) or (verb in forms().third.values() and rest[i + 1].word in lx.DETERMINERS)
        if before in {"and", "or", "but", "then"} and opens:
            found.append(i if not is_adverb(word) else i + 1)
    return found


def _some(predicate: str) -> str:
    """ "any" asks; a statement says "some"."""
    return re.sub(r"^(\S+ )?any (?=\w)", r"\1some ", predicate, count=1)


# ── titles that end in a question mark ───────────────────────────────────────────────────────


def _verbless_tail(bare: str) -> str | None:
    """ "X: a risk factor for Y?" → "X is a risk factor for Y."; None where that reading is not plain."""
    breaks = list(_BREAK.finditer(bare))
    if not breaks:
        breaks = list(re.finditer(r",\s+(?=(?:a|an|another)\s)", bare))
        if len(breaks) != 1 or bare.count(",") != 1:
            return None
    context, tail = bare[: breaks[-1].start()].rstrip(" ."), bare[breaks[-1].end() :]
    subject, words = tokens(context), tokens(tail)
    if not subject or not words or _finite(subject) or _finite(words):
        return None
    if subject[0].word in lx.PREPOSITIONS | lx.SUBORDINATORS | lx.WH_WORDS:
        return None
    copula = "are" if _many(subject) else "is"
    noun = head(words)
    if words[0].word in lx.ARTICLES | {"another"}:
        if noun is not None and noun.word in _EXISTENTIAL:
            return sentence(f"{capital(context)}: there is {uncapital(tail)}")
        return sentence(capital(f"{context} {copula} {uncapital(tail)}"))
    return sentence(capital(f"{context} {copula} {tail}")) if _adjectival(words) else None


def _finite(words: list[Token]) -> bool:
    table = forms().third
    return any(t.word in lx.AUXILIARIES or (t.word in table and is_base(table[t.word])) for t in words)


def _adjectival(words: list[Token]) -> bool:
    for i, token in enumerate(words):
        if i and token.word in lx.PREPOSITIONS | {"to"}:
            return True
        if not (is_adjective(token.word) or is_adverb(token.word) or token.word in {"and", "or", "but"}):
            return False
    return is_adjective(words[-1].word)
