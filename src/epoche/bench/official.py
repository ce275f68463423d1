"""SciFact's official scores: abstracts and sentences found, with and without the label.

Source: Wadden et al. 2020, Fact or Fiction: Verifying Scientific Claims (EMNLP), section 4 and the scoring
description published with the data set (`doc/evaluation.md` of allenai/scifact). Four tasks:

    abstract_label_only    a predicted abstract is right if it is a gold one and the label is the gold label
    abstract_rationalized  … and its first three predicted sentences contain a whole gold rationale set
    sentence_selection     a predicted sentence is right if all sentences of a gold rationale set that it is in
                           were predicted for that abstract
    sentence_label         … and the abstract's label is right

Precision is over what was predicted, recall over what is annotated, both summed over all claims. A gold
sentence counts once; in the release no sentence is in two rationale sets of an abstract. A sentence that is
predicted twice counts twice as predicted and once as right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from epoche import strict_json
from epoche.bench.datasets import Item
from epoche.bench.labels import LABELS
from epoche.errors import DocumentError, InputError
from epoche.types import Label

#: Sentences of an abstract that count at abstract level, in the order predicted.
FIRST = 3
#: The labels of a prediction; the official form has no third one, a claim without evidence has none.
OFFICIAL = ("SUPPORT", "CONTRADICT")


class Predicted(TypedDict):
    """What is predicted of one abstract."""

    sentences: Sequence[int]
    label: str


class Score(TypedDict):
    """Counts, and their ratios; None where there is nothing to divide by."""

    correct: int
    predicted: int
    gold: int
    precision: float | None
    recall: float | None
    f1: float | None


Gold = tuple[Label, tuple[tuple[int, ...], ...]]
_TASKS = ("abstract_label_only", "abstract_rationalized", "sentence_selection", "sentence_label")


def official_scores(predictions: Mapping[str, Mapping[str, Predicted]], items: Sequence[Item]) -> dict[str, Score]:
    """The four official scores of predictions by claim and abstract.

    An item without a prediction counts as one of which nothing was predicted. Precision is None where nothing was
    predicted, recall and F1 where nothing is annotated. F1 is 2·correct / (predicted + gold), which is the
    harmonic mean where that is defined, and 0 where nothing was predicted (the official evaluator says 0 for all).

    Raises:
        InputError: a prediction for a claim that is not among the items, an item without gold annotations, a
            label that is not one of `OFFICIAL`, or a sentence that is not a whole number from 0.
    """
    by_id = {item.id: item for item in items}
    for claim in predictions:
        if claim not in by_id:
            raise InputError(f"prediction for claim {claim}, which is not among the {len(by_id)} claims scored")
    correct = dict.fromkeys(_TASKS, 0)
    predicted = gold = predicted_sentences = gold_sentences = 0
    for item in by_id.values():
        if item.gold is None:
            raise InputError(f"claim {item.id} has no gold annotations: an unlabelled split cannot be scored")
        gold += len(item.rationales)
        gold_sentences += sum(len(set().union(*sets)) for _, sets in item.rationales.values())
        for document, found in predictions.get(item.id, {}).items():
            where = f"claim {item.id}, abstract {document}"
            _check(found, where)
            predicted += 1
            predicted_sentences += len(found["sentences"])
            if document in item.rationales:
                for task, n in _correct(found, item.rationales[document]).items():
                    correct[task] += n
    sizes = {"abstract": (predicted, gold), "sentence": (predicted_sentences, gold_sentences)}
    return {task: _score(correct[task], *sizes[task.split("_")[0]]) for task in _TASKS}


def read_export(text: str, name: str = "predictions") -> dict[str, dict[str, Predicted]]:
    """Predictions by claim and abstract, from the lines that `epoche export scifact` writes.

    Args:
        name: of the file, for messages.

    Raises:
        DocumentError: a line that is not {"id", "evidence": {abstract: {"sentences", "label"}}}, or a claim twice.
    """
    found: dict[str, dict[str, Predicted]] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = strict_json.loads(line)
            claim, evidence = str(record["id"]), record["evidence"]
            documents: dict[str, Predicted] = {
                d: {"sentences": list(p["sentences"]), "label": p["label"]} for d, p in evidence.items()
            }
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DocumentError(
                f'{name}, line {number}: {{"id", "evidence"}} in the official form is needed ({error})',
                source=name,
                line=number,
            ) from None
        if claim in found:
            raise DocumentError(f"{name}, line {number}: claim {claim} occurs twice", source=name, line=number)
        found[claim] = documents
    return found


def _check(found: Predicted, where: str) -> None:
    if found["label"] not in OFFICIAL:
        raise InputError(f"{where}: label {found['label']!r} is not one of {', '.join(OFFICIAL)}")
    for index in found["sentences"]:
        if type(index) is not int or index < 0:
            raise InputError(f"{where}: sentence {index!r} is not a whole number from 0")


def _correct(found: Predicted, gold: Gold) -> dict[str, int]:
    """What a predicted abstract that is a gold one adds to each task."""
    label, sets = gold
    right = LABELS[found["label"]] is label
    first, whole = set(found["sentences"][:FIRST]), set(found["sentences"])
    selected = {i for s in sets if whole.issuperset(s) for i in s}
    return {
        "abstract_label_only": int(right),
        "abstract_rationalized": int(right and any(first.issuperset(s) for s in sets)),
        "sentence_selection": len(selected),
        "sentence_label": len(selected) if right else 0,
    }


def _score(correct: int, predicted: int, gold: int) -> Score:
    return {
        "correct": correct,
        "predicted": predicted,
        "gold": gold,
        "precision": correct / predicted if predicted else None,
        "recall": correct / gold if gold else None,
        "f1": 2 * correct / (predicted + gold) if gold else None,
    }
