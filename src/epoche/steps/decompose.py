"""Decompose: a statement → the conditions it needs (paper, phase 1).

The whole statement is always the last condition: it is audited beside its parts, and critical itself
unless the parts say all that it says.
"""

from __future__ import annotations

from collections.abc import Sequence

from epoche.steps.declarative import hypothesis_of
from epoche.steps.guard import Guarded, Part, guard
from epoche.steps.rules import split_claim
from epoche.types import Component, Condition, Decomposition, Kind, Statement

#: Longer statements are not a single claim; they are kept whole.
MAX_CHARACTERS = 2000
_NOT_NEEDED = "the statement would hold without it, says the model"
_LESS_THAN_ALL = "a part of a question whose parts do not say all of it"


def with_whole(statement: Statement, parts: Sequence[Part], origin: str, why: str) -> Decomposition:
    """A decomposition from proposed parts, guarded, with the whole statement as its last condition."""
    whole = hypothesis_of(statement)
    checked = guard(whole, parts)
    return assembled(statement.kind, whole, checked, origin, why)


def assembled(kind: Kind, whole: str, checked: Guarded, origin: str, why: str) -> Decomposition:
    """Conditions from the parts that are left; the whole is critical unless its parts say all of it.

    Of a question whose parts do not say all of it, the whole alone decides: by the paper's rule one supported part
    would be enough for a yes.
    """
    kept, dropped, covers = checked.kept, checked.dropped, checked.covers
    if len(kept) < 2:
        return whole_alone(whole, dropped or tuple(f"{part.text} (nothing was split)" for part in kept))
    alone = kind is Kind.QUESTION and not covers
    conditions = [
        Condition(
            text=p.text,
            critical=p.critical and not alone,
            origin=origin,
            why=_NOT_NEEDED if not p.critical else _LESS_THAN_ALL if alone else why,
        )
        for p in kept
    ]
    reason = "audited beside its parts, which say all of it" if covers else "its parts do not say all of it"
    conditions.append(Condition(text=whole, critical=not covers, origin="whole", why=reason))
    return Decomposition(conditions=tuple(conditions), covers=covers, dropped=dropped)


def whole_alone(hypothesis: str, dropped: tuple[str, ...], note: str = "") -> Decomposition:
    """The whole statement as the single critical condition."""
    condition = Condition(text=hypothesis, critical=True, origin="whole", why="the whole statement")
    return Decomposition(conditions=(condition,), covers=True, dropped=dropped, note=note)


class WholeDecomposer:
    """No decomposition: the statement as one critical condition."""

    component = Component(name="whole", version="1")

    def decompose(self, statement: Statement) -> Decomposition:
        """The whole statement, as a declarative sentence."""
        return whole_alone(hypothesis_of(statement), ())


class RuleDecomposer:
    """Plain coordination is split by `rules`; everything else, questions included, stays whole."""

    component = Component(name="rules", version="2")

    def decompose(self, statement: Statement) -> Decomposition:
        """Parts of a claim with the whole beside them, or the whole alone."""
        if len(statement.text) > MAX_CHARACTERS or statement.kind is Kind.QUESTION:
            return whole_alone(hypothesis_of(statement), ())
        found = split_claim(hypothesis_of(statement))
        if found is None:
            return whole_alone(hypothesis_of(statement), ())
        why = "the statement needs each of its parts"
        parts = [Part(text) for text in found.parts]
        return with_whole(statement, parts, f"rules:{found.rule}", why)
