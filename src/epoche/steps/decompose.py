"""Decompose: a statement → the conditions it needs (paper, phase 1), and the guard on every split.

The whole statement is always the last condition: it is audited beside its parts, and critical itself
unless the parts say all that it says.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from epoche.steps import lexicon as lx
from epoche.steps.declarative import hypothesis_of
from epoche.steps.grammar import content_stems, forms, is_adverb, is_base, tokens
from epoche.steps.rules import split_claim
from epoche.types import Component, Condition, Decomposition, Kind, Statement

#: Longer statements are not a single claim; they are kept whole.
MAX_CHARACTERS = 2000
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
#: Words that change what a fact says; a condition may not lose them from its own part.
_OPERATORS = lx.MODALS | lx.HEDGES | lx.COMPARISONS | lx.QUANTIFIERS


@dataclass(frozen=True)
class Guarded:
    """What is left of a proposed split: conditions kept, why others were dropped, and whether all is said."""

    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    covers: bool


def guard(statement: str, conditions: Sequence[str]) -> Guarded:
    """Keeps the conditions that stand alone and add nothing; says whether together they say it all.

    A lexical check: it sees invented and lost content words, numbers, negations, modals, hedges and
    comparisons, pronouns without a referent and phrases without a verb; not exchanged roles.
    """
    kept, dropped = [], []
    for condition in conditions:
        problem = _problem(statement, condition)
        if problem is None and condition not in kept:
            kept.append(condition)
        else:
            dropped.append(f"{condition} ({problem or 'given twice'})")
    return Guarded(tuple(kept), tuple(dropped), bool(kept) and not dropped and _covers(statement, kept))


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
    table = forms()
    if not any(w in lx.AUXILIARIES or w in table.third or w in table.past or is_base(w) for w in bare):
        return "it has no verb"
    if _negations(condition) and not _negations(statement):
        return "it is negated and the statement is not"
    return None


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


def with_whole(statement: Statement, parts: Sequence[str], origin: str, why: str) -> Decomposition:
    """A decomposition from proposed parts, guarded, with the whole statement as its last condition."""
    whole = hypothesis_of(statement)
    if not parts:
        return _whole(whole, ())
    checked = guard(whole, parts)
    if len(checked.kept) < 2:
        return _whole(whole, checked.dropped or tuple(f"{p} (nothing was split)" for p in checked.kept))
    conditions = [Condition(text=text, critical=True, origin=origin, why=why) for text in checked.kept]
    reason = "audited beside its parts, which say all of it"
    if not checked.covers:
        reason = "its parts do not say all of it"
    conditions.append(Condition(text=whole, critical=not checked.covers, origin="whole", why=reason))
    return Decomposition(conditions=tuple(conditions), covers=checked.covers, dropped=checked.dropped)


def _whole(hypothesis: str, dropped: tuple[str, ...]) -> Decomposition:
    condition = Condition(text=hypothesis, critical=True, origin="whole", why="the whole statement")
    return Decomposition(conditions=(condition,), covers=True, dropped=dropped)


class WholeDecomposer:
    """No decomposition: the statement as one critical condition."""

    component = Component(name="whole", version="1")

    def decompose(self, statement: Statement) -> Decomposition:
        """The whole statement, as a declarative sentence."""
        return _whole(hypothesis_of(statement), ())


class RuleDecomposer:
    """Plain coordination is split by `rules`; everything else, questions included, stays whole."""

    component = Component(name="rules", version="1")

    def decompose(self, statement: Statement) -> Decomposition:
        """Parts of a claim with the whole beside them, or the whole alone."""
        if len(statement.text) > MAX_CHARACTERS or statement.kind is Kind.QUESTION:
            return _whole(hypothesis_of(statement), ())
        found = split_claim(hypothesis_of(statement))
        if found is None:
            return _whole(hypothesis_of(statement), ())
        why = "the statement needs each of its parts"
        return with_whole(statement, found.parts, f"rules:{found.rule}", why)
