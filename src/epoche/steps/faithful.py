"""Does a split say what the statement says? NLI between both, in both directions, before any evidence is read.

A part that the statement does not entail is dropped; parts that together do not entail the statement leave it
critical itself. Either way a bad split never makes support easier.
"""

from __future__ import annotations

from epoche.steps.audit import FloatArray
from epoche.steps.decompose import assembled
from epoche.steps.guard import Guarded, Part
from epoche.types import Decomposition, Kind

#: Least P(entailment) from the statement to a part, and from the parts to the statement; docs/decomposers.md has
#: what it lets through and what it stops for nothing.
FOLLOWS = 0.5


def pairs(decomposition: Decomposition) -> list[tuple[str, str]]:
    """(premise, hypothesis): the statement with each part, then the critical parts, if any, with the statement."""
    *parts, whole = decomposition.conditions
    together = " ".join(part.text for part in parts if part.critical)
    return [(whole.text, part.text) for part in parts] + ([(together, whole.text)] if together else [])


def faithful(decomposition: Decomposition, scores: FloatArray, kind: Kind) -> Decomposition:
    """The decomposition without the parts that do not follow.

    Args:
        scores: float64[k, 3] of `pairs`.
    """
    *parts, whole = decomposition.conditions
    if not parts:
        return decomposition
    # Without a critical part there is nothing that could say it all.
    follows, back = scores[: len(parts), 0], float(scores[-1, 0]) if len(scores) > len(parts) else 0.0
    kept = tuple(Part(p.text, p.critical) for p, e in zip(parts, follows, strict=True) if e >= FOLLOWS)
    lost = tuple(
        f"{p.text} (it does not follow from the statement: P(entailment) = {e:.2f})"
        for p, e in zip(parts, follows, strict=True)
        if e < FOLLOWS
    )
    covers = decomposition.covers and not lost and back >= FOLLOWS
    first = next(part for part in parts if part.critical or part is parts[0])
    checked = Guarded(kept, (*decomposition.dropped, *lost), covers)
    made = assembled(kind, whole.text, checked, first.origin, first.why)
    return made.model_copy(update={"note": decomposition.note, "replies": decomposition.replies})
