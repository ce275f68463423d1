"""Rules that split a claim into conditions. Each takes plain coordination only and keeps the rest whole.

A rule reads a claim as subject, verb and rest, by the word classes of `grammar`, and returns the parts or
None. A wrong split is worse than none, so whatever could be read in two ways is not split: collective
subjects, shared modifiers, comparisons, conditions, disjunctions, negation over a list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from epoche.steps import lexicon as lx
from epoche.steps.grammar import (
    Token,
    capital,
    forms,
    is_adjective,
    is_adverb,
    is_base,
    is_gerund,
    is_name,
    is_noun_like,
    is_participle,
    is_plural,
    join,
    sentence,
    third_person,
    tokens,
)

#: Words that make a claim more than a list of facts: it is kept whole.
_BLOCKING = lx.SUBORDINATORS | {"or", "either", "whether", "than", "respectively", "that", "respective"}
#: Pairs that name one thing.
_FIXED = frozenset(
    "signs symptoms morbidity mortality safety efficacy head neck nausea vomiting growth development food drug "
    "trial error supply demand black white sensitivity specificity pros cons research ear nose throat mouth "
    "cause effect structure function time space health safety women children men".split()
)
#: A phrase that begins so may belong to both halves of a coordination.
_SHARED = frozenset("in among during after before within for by with under at via through when".split())
#: Adverbs that do not look like one.
_DEGREES = frozenset("always often ever yet quite much enough alone completely sometimes necessarily".split())
#: Verbs whose two objects belong together ("compared aspirin and placebo").
_JOINING = frozenset(
    "compare separate equal combine mix distinguish relate match pair balance integrate unite connect join link "
    "contrast differentiate bridge couple exchange alternate include comprise involve correlate associate".split()
)
_ASSOCIATED = frozenset("associated linked correlated expressed required implicated involved used found".split())


class Split(NamedTuple):
    """The parts, and the rule that made them."""

    rule: str
    parts: list[str]


class _Clause(NamedTuple):
    subject: list[Token]
    verb: Token
    rest: list[Token]


def split_claim(text: str) -> Split | None:
    """The parts of a claim by the first rule that applies, or None to keep it whole."""
    words = tokens(sentence(text).rstrip("."))
    if len(words) < 5 or any(t.raw[-1:] in ":;?!" for t in words):
        return None
    bare = {t.word for t in words}
    if bare & _BLOCKING or any(c in text for c in '()[]"“”'):
        return None
    for rule, split in RULES.items():
        parts = split(words)
        if parts is not None and all(len(p) > 1 for p in parts):
            return Split(rule, [sentence(capital(join(p))) for p in parts])
    return None


def _relative(words: list[Token]) -> list[list[Token]] | None:
    """ "X, which V Y, V Z." → "X V Y." and "X V Z."; the subject must be plain."""
    if sum(t.raw.endswith(",") for t in words) != 2:
        return None
    first = next(i for i, t in enumerate(words) if t.raw.endswith(","))
    last = next(i for i in range(first + 1, len(words)) if words[i].raw.endswith(","))
    if first + 1 >= len(words) or words[first + 1].word not in ("which", "who"):
        return None
    subject = [*words[:first], _without_comma(words[first])]
    inner, outer = words[first + 2 : last], words[last + 1 :]
    inner = [*inner, _without_comma(words[last])]
    if not _plain_subject(subject) or "and" in {t.word for t in words}:
        return None
    if not inner or not outer or not (_is_finite(inner[0]) and _is_finite(outer[0])):
        return None
    return [subject + inner, subject + outer]


def _clauses(words: list[Token]) -> list[list[Token]] | None:
    """ "S V O, and T W P." → both clauses, if each has a subject and a verb of its own."""
    cuts = [i for i, t in enumerate(words[:-1]) if t.raw.endswith(",") and words[i + 1].word == "and"]
    if len(cuts) != 1 or sum(t.word == "and" for t in words) != 1:
        return None
    left = [*words[: cuts[0]], _without_comma(words[cuts[0]])]
    right = words[cuts[0] + 2 :]
    if any(t.raw.endswith(",") for t in words if t is not words[cuts[0]]):
        return None
    first, second = _clause(left), _clause(right)
    if first is None or second is None or right[0].word in lx.ANAPHORA | lx.PRONOUNS:
        return None
    if not (_plain_subject(first.subject) and _plain_subject(second.subject)):
        return None
    return [left, right]


def _shared_subject(words: list[Token]) -> list[list[Token]] | None:
    """ "S V A and W B." → "S V A." and "S W B."; modifiers at the end must not belong to both."""
    place = _single_and(words)
    clause = _clause(words)
    if place is None or clause is None:
        return None
    start = len(clause.subject)
    comma = words[place - 1].raw.endswith(",")
    second = place + 1
    while second < len(words) - 1 and is_adverb(words[second].word):
        second += 1
    if place <= start + 1 or second >= len(words) - 1 or not _same_form(clause.verb, words[second]):
        return None
    after = words[second + 1]
    if after.word in lx.PREPOSITIONS | lx.AUXILIARIES or after.word == "by":
        return None
    if is_participle(words[start + 1].word) or not _plain_subject(clause.subject):
        return None
    left = words[start:place]
    right = words[place + 1 :]
    if _negated(left) or _negated(right):
        return None
    if any(t.word in _SHARED for t in right) and not any(t.word in _SHARED for t in left):
        return None
    if right[2:3] and right[2].word == "of" and len(left) == 2:
        return None  # "inhibits proliferation and induces apoptosis of tumour cells": of both?
    if comma:
        left = [*left[:-1], _without_comma(left[-1])]
    return [clause.subject + left, clause.subject + right]


def _but_not(words: list[Token]) -> list[list[Token]] | None:
    """ "S V A but not B." → "S V A." and "S does not V B."."""
    places = [i for i in range(len(words) - 2) if words[i].word == "but" and words[i + 1].word == "not"]
    clause = _clause(words)
    if len(places) != 1 or clause is None or "and" in {t.word for t in words}:
        return None
    left, right = words[len(clause.subject) + 1 : places[0]], words[places[0] + 2 :]
    if left:
        left = [*left[:-1], _without_comma(left[-1])]
    if not left or not right or right[0].word in lx.PREPOSITIONS or _negated(left) or _is_finite(right[0]):
        return None
    # What follows B ("… but not fever in children") may hold for A too; an adverb is no B ("but not always").
    if any(t.word in lx.PREPOSITIONS or is_adverb(t.word) or t.word in _DEGREES for t in right):
        return None
    if len(left) > 3 or not _plain_subject(clause.subject):
        return None
    negated = _denied(clause)
    if negated is None:
        return None
    return [[*clause.subject, clause.verb, *left], clause.subject + negated + right]


def _neither(words: list[Token]) -> list[list[Token]] | None:
    """ "Neither A nor B V C." → "A does not V C." and "B does not V C."."""
    places = [i for i, t in enumerate(words) if t.word == "nor"]
    if words[0].word != "neither" or len(places) != 1 or "and" in {t.word for t in words}:
        return None
    clause = _clause(words[places[0] + 1 :])
    if clause is None:
        return None
    first, second = words[1 : places[0]], clause.subject
    # "TNF levels differ": the verb found may be a noun, where another verb follows it.
    if any(is_base(t.word) or _is_finite(t) for t in clause.rest[:2]) and clause.verb.word not in lx.AUXILIARIES:
        return None
    if not first or not (_plain_subject(first) and _plain_subject(second)):
        return None
    negated = _denied(clause)
    if negated is None:
        return None
    return [first + negated + clause.rest, second + negated + clause.rest]


def _both(words: list[Token]) -> list[list[Token]] | None:
    """ "Both A and B V C." → "A Vs C." and "B Vs C."."""
    if words[0].word != "both" or _single_and(words) is None:
        return None
    return _distributed(words[1:], {*lx.AUXILIARIES, *lx.VERBS, *lx.NOUN_VERBS})


def _associated(words: list[Token]) -> list[list[Token]] | None:
    """ "A and B are associated with C." → one for each, if A and B are single words."""
    place = _single_and(words)
    if place != 1 or len(words) < 6:
        return None
    if words[3].word not in lx.BE or words[4].word not in _ASSOCIATED:
        return None
    return _distributed(words, {*lx.BE})


def _distributed(words: list[Token], verbs: set[str]) -> list[list[Token]] | None:
    """Predicate over both single-word conjuncts, the verb in the number of each."""
    if len(words) < 5 or words[1].word != "and" or words[3].word not in verbs:
        return None
    bare = {t.word for t in words}
    if bare & (lx.COLLECTIVE - {"association"}) or _negated(words) or bare & lx.QUANTIFIERS:
        return None
    parts = []
    for noun in (words[0], words[2]):
        if not is_noun_like(noun) or is_adjective(noun.word) or noun.word in lx.PRONOUNS:
            return None
        verb = words[3] if _many(noun) else _singular(words[3])
        if verb is None:
            return None
        parts.append([noun, verb, *words[4:]])
    return parts


def _objects(words: list[Token]) -> list[list[Token]] | None:
    """ "S V A and B." → one for each, if A and B are single nouns right after the verb and end the claim."""
    clause = _clause(words)
    if clause is None or len(clause.rest) != 3 or clause.rest[1].word != "and":
        return None
    first, _, second = clause.rest
    bare = {t.word for t in words}
    if bare & (lx.COLLECTIVE | lx.NEGATIONS | lx.QUANTIFIERS) or clause.verb.word in lx.AUXILIARIES:
        return None
    table = forms()
    base = table.third.get(clause.verb.word) or table.past.get(clause.verb.word) or clause.verb.word
    if base in _JOINING:
        return None
    if {first.word, second.word} <= _FIXED or not _plain_subject(clause.subject):
        return None
    for noun in (first, second):
        verbal = noun.word in forms().third or is_participle(noun.word) or is_gerund(noun.word)
        if not is_noun_like(noun) or is_adjective(noun.word) or (verbal and not is_name(noun)):
            return None
    return [[*clause.subject, clause.verb, first], [*clause.subject, clause.verb, second]]


#: In the order in which they are tried.
RULES: dict[str, Callable[[list[Token]], list[list[Token]] | None]] = {
    "relative-clause": _relative,
    "neither-nor": _neither,
    "but-not": _but_not,
    "both-and": _both,
    "associated-with": _associated,
    "shared-subject": _shared_subject,
    "clauses": _clauses,
    "shared-verb": _objects,
}


def _clause(words: list[Token]) -> _Clause | None:
    """Subject, first finite verb, rest; None where the verb is not plain."""
    for i, token in enumerate(words):
        if i and _is_finite(token) and (is_noun_like(words[i - 1]) or words[i - 1].word in lx.PRONOUNS):
            if i + 1 >= len(words):
                return None
            table = forms()
            base = table.third.get(token.word) or table.past.get(token.word)
            ambiguous = base in lx.NOUN_VERBS and words[i + 1].word in lx.PREPOSITIONS | lx.AUXILIARIES
            participle = token.word in table.past and words[i + 1].word in {"by", "in", "with", "from"}
            if ambiguous or participle:
                return None
            return _Clause(words[:i], token, words[i + 1 :])
    return None


def _is_finite(token: Token) -> bool:
    table = forms()
    return token.word in lx.AUXILIARIES or token.word in table.third or token.word in table.past


def _same_form(first: Token, second: Token) -> bool:
    """Both third person, or both past, and no auxiliary (what follows "is" may be an adjective)."""
    table = forms()
    if first.word in lx.AUXILIARIES or second.word in lx.AUXILIARIES or second.raw[-1:] == ",":
        return False
    return any(first.word in t and second.word in t for t in (table.third, table.past))


def _plain_subject(subject: list[Token]) -> bool:
    """A short noun phrase without coordination, anaphora or quantifier, that does not hold a clause."""
    words = {t.word for t in subject}
    return (
        0 < len(subject) <= 7
        and not words & ({"and", "or", "not"} | lx.ANAPHORA | lx.PRONOUNS | lx.RELATIVES | lx.COLLECTIVE)
        and not words & (lx.NEGATIONS | lx.QUANTIFIERS)
        and not any(t.raw.endswith(",") for t in subject[:-1])
        and is_noun_like(subject[-1])
        and subject[0].word not in lx.PREPOSITIONS
    )


def _single_and(words: list[Token]) -> int | None:
    places = [i for i, t in enumerate(words) if t.word == "and"]
    return places[0] if len(places) == 1 and 0 < places[0] < len(words) - 1 else None


def _negated(words: list[Token]) -> bool:
    return any(t.word in lx.NEGATIONS for t in words)


def _denied(clause: _Clause) -> list[Token] | None:
    """The verb with "not": "reduces" → "does not reduce", "is" → "is not"."""
    word, table = clause.verb.word, forms()
    if word in lx.BE | lx.MODALS - {"cannot"}:
        return [clause.verb, Token("not", "not")]
    if word in lx.HAVE | lx.DO or word == "cannot":
        return None
    if word in table.third:
        return tokens(f"does not {table.third[word]}")
    return tokens(f"did not {table.past[word]}") if word in table.past else None


def _many(noun: Token) -> bool:
    return is_plural(noun) and not is_name(noun)


def _singular(verb: Token) -> Token | None:
    """A plural verb as a singular one."""
    fixed = {"are": "is", "were": "was", "have": "has", "do": "does"}
    if verb.word in fixed:
        return Token(fixed[verb.word], fixed[verb.word])
    if verb.word in lx.AUXILIARIES or verb.word in forms().past:
        return verb
    known = verb.word in lx.VERBS or verb.word in lx.NOUN_VERBS
    return Token(third_person(verb.word), third_person(verb.word)) if known else None


def _without_comma(token: Token) -> Token:
    return Token(token.raw.rstrip(","), token.word)
