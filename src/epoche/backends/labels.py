"""Which output of an NLI head means what: read by name, or found by a self-test, never guessed.

Heads list their three outputs in any order (contradiction first, entailment first, …), and a wrong
order turns every support into a refutation without any visible fault. So the order comes from the
names in `config.json`; a head without names is refused, or identified by pairs whose answer is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epoche.errors import ModelError
from epoche.types import NLI_LABELS

#: For each of our labels, the position of its output in the head.
Columns = tuple[int, int, int]

_NAMES = {
    "entailment": "entailment",
    "entail": "entailment",
    "entails": "entailment",
    "neutral": "neutral",
    "contradiction": "contradiction",
    "contradict": "contradiction",
    "contradicts": "contradiction",
}
_NOT_ENTAILED = frozenset({"not_entailment", "not-entailment", "not entailment", "non_entailment"})

#: Least share of the known pairs that an unnamed head must get right.
LEAST_ACCURACY = 0.75

#: (premise, hypothesis, label): four of each label, none of which needs knowledge of a field.
KNOWN_PAIRS: tuple[tuple[str, str, str], ...] = (
    ("All 40 mice survived.", "Forty mice survived.", "entailment"),
    (
        "The new drug lowered blood pressure in every patient.",
        "The drug lowered blood pressure.",
        "entailment",
    ),
    ("Two nurses measured the temperature of the children.", "The temperature was measured.", "entailment"),
    ("Both groups of rats slept for nine hours.", "The rats slept.", "entailment"),
    ("All 40 mice survived.", "The mice were fed with maize.", "neutral"),
    ("The patients were treated in a hospital in Lyon.", "The patients had diabetes.", "neutral"),
    ("A man is reading a newspaper in the train.", "The man is a physician.", "neutral"),
    ("The samples were stored in a freezer.", "The samples were taken from the liver.", "neutral"),
    ("All 40 mice survived.", "No mouse survived.", "contradiction"),
    (
        "The new drug lowered blood pressure in every patient.",
        "The drug did not lower blood pressure.",
        "contradiction",
    ),
    ("The window of the laboratory is open.", "The window of the laboratory is closed.", "contradiction"),
    ("None of the children had a fever.", "All of the children had a fever.", "contradiction"),
)


@dataclass(frozen=True)
class Identified:
    """What the self-test found: the columns, and one sentence about it for `NliInfo.self_test`."""

    columns: Columns
    report: str


def label_names(config: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the head's outputs in their order, as `id2label` gives them; empty if it gives none."""
    given = config.get("id2label")
    if not isinstance(given, Mapping) or not given:
        return ()
    by_id = {str(key): str(value) for key, value in given.items()}
    wanted = [str(i) for i in range(len(by_id))]
    return tuple(by_id[i] for i in wanted) if set(by_id) == set(wanted) else ()


def doubt(config: Mapping[str, Any]) -> str:
    """Why the order of the labels cannot be known from the names; empty if it can."""
    names = label_names(config)
    if not names:
        return "config.json has no usable id2label, so its outputs have no names"
    if all(name.upper() == f"LABEL_{i}" for i, name in enumerate(names)):
        return f"its outputs are called {', '.join(names)}, which says nothing about their meaning"
    back = config.get("label2id")
    if isinstance(back, Mapping):
        order = {_meaning(name): i for i, name in enumerate(names)}
        for name, i in back.items():
            if str(order.get(_meaning(str(name)), i)) != str(i):
                return f"id2label and label2id of config.json disagree about {name!r}"
    return ""


def columns_by_name(names: tuple[str, ...], model: str) -> Columns:
    """Positions of entailment, neutral and contradiction in a head whose outputs are called `names`.

    Raises:
        ModelError: two classes, a label twice, or a name that is none of the three.
    """
    if len(names) == 2 or any(name.strip().casefold() in _NOT_ENTAILED for name in names):
        raise ModelError(
            f"{model}: its head knows only {' and '.join(names)}; it cannot tell contradiction from "
            "silence, so nothing could be refuted: choose a model with entailment, neutral and contradiction"
        )
    meanings = [_meaning(name) for name in names]
    if sorted(meanings) != sorted(NLI_LABELS):
        raise ModelError(
            f"{model}: the labels in config.json are {', '.join(names)}, not one each of entailment, "
            "neutral and contradiction: choose a model trained for natural language inference"
        )
    entailment, neutral, contradiction = (meanings.index(label) for label in NLI_LABELS)
    return entailment, neutral, contradiction


def identify(probabilities: NDArray[np.float64], model: str) -> Identified:
    """Find the columns by `KNOWN_PAIRS`.

    The permutation under which most pairs get their known label (a tie within a pair counts as
    wrong) must be the only best one and be right for at least `LEAST_ACCURACY` of them.

    Args:
        probabilities: [len(KNOWN_PAIRS), 3] in the head's own order.

    Raises:
        ModelError: no permutation stands out, so the labels stay unknown.
    """
    best = probabilities.max(axis=1, keepdims=True)
    winners = [int(row.argmax()) if row.sum() == 1 else -1 for row in probabilities == best]
    right = {
        order: sum(
            winner == order[NLI_LABELS.index(label)]
            for winner, (_, _, label) in zip(winners, KNOWN_PAIRS, strict=True)
        )
        for order in permutations(range(3))
    }
    ranked = sorted(right, key=lambda order: -right[order])
    first, second = ranked[0], ranked[1]
    total = len(KNOWN_PAIRS)
    found = f"{right[first]} of {total} known pairs right, next best order {right[second]}"
    if right[first] == right[second] or right[first] < LEAST_ACCURACY * total:
        raise ModelError(
            f"{model}: the self-test cannot tell its labels apart ({found}; at least "
            f"{LEAST_ACCURACY:.0%} and a clear first are needed): write id2label into its config.json"
        )
    named = ", ".join(f"{label}={column}" for label, column in zip(NLI_LABELS, first, strict=True))
    return Identified(columns=(first[0], first[1], first[2]), report=f"{named}: {found}")


def _meaning(name: str) -> str:
    return _NAMES.get(name.strip().casefold(), name.strip().casefold())
