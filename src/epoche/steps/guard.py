"""The guard on every split, by words alone: what stands alone, what is added, lost or turned round.

It sees invented and lost content words, numbers, negations, modals, hedges and comparisons, pronouns without a
referent, phrases without a verb, words in another order, and restrictions that a part leaves out. What it cannot
see is left to NLI (`faithful`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from epoche.steps import lexicon as lx
from epoche.steps.grammar import (
    content_stems,
    forms,
    is_adverb,
    is_base,
    is_content,
    is_noun_verb,
    is_participle,
    stem,
    tokens,
)

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
#: Words that change what a fact says; a condition may not lose them from its own part.
_OPERATORS = lx.MODALS | lx.HEDGES | lx.COMPARISONS | lx.QUANTIFIERS
#: Words that weaken what a clause says; they reach every part that is coordinated after them.
_WEAKENING = (lx.MODALS - {"cannot", "must", "shall", "will"}) | lx.HEDGES
#: What a restriction begins with, at the start or the end of a statement.
_RESTRICTING = frozenset("in among amongst during when whenever while if after before at under given".split())
_COORDINATORS = frozenset("and but or nor".split())


@dataclass(frozen=True)
class Part:
    """A proposed condition."""

    text: str
    critical: bool = True


@dataclass(frozen=True)
class Guarded:
    """What is left of a proposed split: conditions kept, why others were dropped, and whether all is said."""

    kept: tuple[Part, ...]
    dropped: tuple[str, ...]
    covers: bool


def guard(statement: str, parts: Sequence[Part]) -> Guarded:
    """Keeps the conditions that stand alone and add nothing; says whether the critical ones say it all."""
    kept: list[Part] = []
    dropped = []
    for part in parts:
        problem = _problem(statement, part.text)
        if problem is None and part.text not in {p.text for p in kept}:
            kept.append(part)
        else:
            dropped.append(f"{part.text} ({problem or 'given twice'})")
    critical = [part.text for part in kept if part.critical]
    covers = bool(critical) and not dropped and _covers(statement, critical)
    return Guarded(tuple(kept), tuple(dropped), covers and not any(_twisted(statement, p) for p in critical))


def _problem(statement: str, condition: str) -> str | None:
    """Why a condition cannot be used, or None."""
    words = tokens(condition)
    bare = [t.word for t in words]
    if len(words) < 2 or not content_stems(condition):
        return "it is empty or too short to be a fact"
    if bare[0] in lx.PRONOUNS | lx.ANAPHORA or bare[0] in lx.CONJUNCTIONS:
        return f'it does not stand alone: it begins with "{words[0].raw}"'
    added = set(content_stems(condition)) - set(content_stems(statement))
    if added:
        return f"it adds what the statement does not say: {', '.join(sorted(added))}"
    if set(_NUMBER.findall(condition)) - set(_NUMBER.findall(statement)):
        return "it has a number that the statement does not have"
    if not any(_is_verb(bare, i) for i in range(len(bare))):
        return "it has no verb"
    if _negations(condition) and not _negations(statement):
        return "it is negated and the statement is not"
    return None


def _is_verb(words: Sequence[str], at: int) -> bool:
    word, table = words[at], forms()
    if word in lx.AUXILIARIES or word in table.third or word in table.past or is_base(word):
        return True
    # "Coatings crack", but not "the effect of".
    return at > 0 and is_noun_verb(word) and words[at - 1].endswith("s") and is_content(words[at - 1])


def _covers(statement: str, conditions: Sequence[str]) -> bool:
    """Whether every content word, number, negation, modal, hedge and comparison is in some condition."""
    together = " ".join(conditions)
    if set(content_stems(statement)) - set(content_stems(together)):
        return False
    if set(_NUMBER.findall(statement)) - set(_NUMBER.findall(together)):
        return False
    words, found = ({t.word for t in tokens(text)} for text in (statement, together))
    if (words & _OPERATORS) - found or {w for w in words if is_adverb(w)} - found - {"not", "both"}:
        return False
    return bool(_negations(statement)) == bool(_negations(together))


def _negations(text: str) -> Counter[str]:
    return Counter(t.word for t in tokens(text) if t.word in lx.NEGATIONS)


def _twisted(statement: str, condition: str) -> bool:
    """Whether a condition says its words in another order, or leaves out what reaches it in the statement."""
    return (
        not _in_order(statement, condition)
        or bool(set(_restriction(statement)) - set(content_stems(condition)))
        or (_weakened(statement) and not _WEAKENING & {t.word for t in tokens(condition)})
        or _points_back(statement, condition)
    )


def _in_order(statement: str, condition: str) -> bool:
    """Whether the condition's content words and numbers come in the statement's order.

    A first phrase ("In children, …") may have moved to the end. Of "A is reduced by B" and "B reduces A" one is
    turned round before they are compared, so that an exchange of agent and patient shows.
    """
    theirs, ours = _passive(statement), _passive(condition)
    if (theirs is None) == (ours is None):
        longs, shorts = _orders(statement), _orders(condition)
    elif ours is not None:
        longs, shorts = _orders(statement), _turned(ours)
    else:
        longs, shorts = _turned(theirs or ([], [], [])), _orders(condition)
    return any(_embeds(a, b) for a in longs for b in shorts)


def _orders(text: str) -> list[list[str]]:
    """The words of a text, and with its first phrase at the end."""
    first, comma, rest = text.partition(",")
    opens = tokens(first)[0].word if tokens(first) else ""
    plain = [content_stems(text)]
    if comma and opens in lx.PREPOSITIONS | lx.SUBORDINATORS | {"compared"}:
        plain.append(content_stems(f"{rest} {first}"))
    return plain


Clause = tuple[list[str], list[str], list[str]]


def _passive(text: str) -> Clause | None:
    """Raw words of patient, verb and agent of "A is reduced by B"; None for other sentences."""
    words = tokens(text)
    for at, token in enumerate(words):
        if token.word != "by" or at < 2 or not is_participle(words[at - 1].word):
            continue
        verb = next((i for i in range(at - 1, 0, -1) if words[i].word in lx.BE | {"be", "been"}), None)
        if verb is not None:
            raw = [t.raw for t in words]
            return raw[:verb], raw[verb:at], raw[at + 1 :]
    return None


def _turned(clause: Clause) -> list[list[str]]:
    """Agent, verb, patient, then what was said of each with a preposition, in any order."""
    patient, verb, agent = clause
    (whom, about), (who, more) = _noun(patient), _noun(agent)
    active = [*who, *verb, *whom]
    tails = ([*about, *more], [*more, *about])
    return [content_stems(" ".join(order)) for tail in tails for order in ([*active, *tail], [*tail, *active])]


def _noun(phrase: list[str]) -> tuple[list[str], list[str]]:
    """A phrase up to its first preposition but "of", and the rest."""
    cut = next((i for i, w in enumerate(phrase) if i and w.casefold() in lx.PREPOSITIONS - {"of"}), len(phrase))
    return phrase[:cut], phrase[cut:]


def _embeds(long: Sequence[str], short: Sequence[str]) -> bool:
    """Whether `short` is a subsequence of `long`."""
    left = iter(long)
    return all(word in left for word in short)


def _restriction(statement: str) -> list[str]:
    """Content words of the first phrase, and of a last one ("… in adults with asthma") that is not coordinated."""
    words = tokens(statement)
    if not words:
        return []
    found: list[str] = []
    if words[0].word in _RESTRICTING:
        end = next((i for i, t in enumerate(words) if t.ends_phrase), -1)
        found += [stem(t.word) for t in words[: end + 1] if is_content(t.word)]
    starts = [i for i, t in enumerate(words) if i and t.word in _RESTRICTING]
    coordinated = [i for i, t in enumerate(words) if t.word in _COORDINATORS]
    if not starts or not coordinated or coordinated[-1] > starts[-1]:
        return found
    last, split = starts[-1], coordinated[-1]
    before = {t.word for t in words[1:split]}
    # "in mice but not in rats", "at seven and … at ten", "…, and they …": each side has what is its own.
    own = (
        words[last - 1].word in _COORDINATORS | lx.NEGATIONS
        or words[split - 1].ends_phrase
        or before & _RESTRICTING
    )
    if not own:
        found += [stem(t.word) for t in words[last:] if is_content(t.word)]
    return found


def _weakened(statement: str) -> bool:
    """Whether a modal or hedge stands before everything that is coordinated."""
    words = [t.word for t in tokens(statement)]
    first = next((i for i, w in enumerate(words) if w in _COORDINATORS), len(words))
    return any(w in _WEAKENING for w in words[:first])


def _points_back(statement: str, condition: str) -> bool:
    """Whether a pronoun of the condition points to a word that only the statement has."""
    inside = tokens(condition)
    pointing = {t.word for t in inside} & {"it", "its", "they", "them", "their", "itself", "themselves"}
    if not pointing:
        return False
    before = []
    for token in tokens(statement):
        if token.word in pointing:
            break
        before.append(token.raw)
    return bool(set(content_stems(" ".join(before))) - set(content_stems(condition)))
