"""Labels by name, and the self-test that stands in for names."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epoche.backends.labels import KNOWN_PAIRS, columns_by_name, doubt, identify, label_names
from epoche.errors import ModelError
from epoche.types import NLI_LABELS

SPELLINGS = {
    "entailment": ("entailment", "ENTAILMENT", "entail", "Entails", " entailment "),
    "neutral": ("neutral", "NEUTRAL"),
    "contradiction": ("contradiction", "Contradiction", "contradict", "CONTRADICTS"),
}


def config(*names: str, **more: object) -> dict[str, object]:
    return {"id2label": {str(i): name for i, name in enumerate(names)}, **more}


def certain(order: tuple[int, ...], wrong: int = 0) -> np.ndarray:
    """[12, 3]: each pair's label at 0.8 in a head of this order, but the first `wrong` are off."""
    rows = np.full((len(KNOWN_PAIRS), 3), 0.1)
    for i, (_, _, label) in enumerate(KNOWN_PAIRS):
        column = order[NLI_LABELS.index(label)]
        rows[i, (column + 1) % 3 if i < wrong else column] = 0.8
    return rows


@given(st.permutations(NLI_LABELS), st.data())
def test_case_01_any_order_and_spelling_is_read_by_name(order: list[str], data: st.DataObject) -> None:
    names = tuple(data.draw(st.sampled_from(SPELLINGS[label])) for label in order)
    assert label_names(config(*names)) == names
    assert doubt(config(*names)) == ""
    columns = columns_by_name(names, "m")
    assert [order[column] for column in columns] == list(NLI_LABELS)


def test_case_01_two_classes_are_refused_with_the_reason() -> None:
    with pytest.raises(ModelError, match=r"m: its head knows only entailment and not_entailment.*contradiction"):
        columns_by_name(("entailment", "not_entailment"), "m")
    with pytest.raises(ModelError, match="knows only"):
        columns_by_name(("LABEL_0", "LABEL_1"), "m")


@pytest.mark.parametrize(
    "names",
    [
        ("entailment", "entail", "neutral"),
        ("entailment", "neutral", "positive"),
        ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO"),
        ("entailment", "neutral", "contradiction", "other"),
    ],
)
def test_case_01_other_labels_are_refused_by_name(names: tuple[str, ...]) -> None:
    with pytest.raises(ModelError, match=names[-1]):
        columns_by_name(names, "m")


@pytest.mark.parametrize(
    ("given_config", "reason"),
    [
        ({}, "no usable id2label"),
        ({"id2label": {}}, "no usable id2label"),
        ({"id2label": ["entailment", "neutral", "contradiction"]}, "no usable id2label"),
        ({"id2label": {"1": "entailment", "2": "neutral", "3": "contradiction"}}, "no usable id2label"),
        (config("LABEL_0", "LABEL_1", "LABEL_2"), "says nothing about their meaning"),
        (
            config("entailment", "neutral", "contradiction", label2id={"contradiction": 0}),
            "disagree about 'contradiction'",
        ),
    ],
)
def test_case_01_labels_in_doubt(given_config: dict[str, object], reason: str) -> None:
    assert reason in doubt(given_config)


def test_label2id_that_says_the_same_or_something_else_altogether_is_no_doubt() -> None:
    same = {"Entailment": 0, "NEUTRAL": "1", "contradicts": 2}
    assert doubt(config("entailment", "neutral", "contradiction", label2id=same)) == ""
    assert doubt(config("entailment", "neutral", "contradiction", label2id={"LABEL_0": 2})) == ""


def test_known_pairs_are_balanced_and_distinct() -> None:
    labels = [label for _, _, label in KNOWN_PAIRS]
    assert {label: labels.count(label) for label in NLI_LABELS} == dict.fromkeys(NLI_LABELS, 4)
    assert len({(premise, hypothesis) for premise, hypothesis, _ in KNOWN_PAIRS}) == len(KNOWN_PAIRS)


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("wrong", [0, 3])
def test_case_01_self_test_finds_every_order(order: tuple[int, ...], wrong: int) -> None:
    # 12 pairs, 3 of them wrong: 9/12 = 75 %, just enough.
    found = identify(certain(order, wrong), "m")
    assert found.columns == order
    assert f"{12 - wrong} of 12 known pairs right" in found.report
    assert f"entailment={order[0]}, neutral={order[1]}, contradiction={order[2]}" in found.report


def test_case_01_self_test_below_three_quarters_is_refused() -> None:
    # 4 of 12 wrong: 8/12 = 67 %.
    with pytest.raises(ModelError, match=r"m: the self-test cannot tell.*8 of 12.*id2label"):
        identify(certain((2, 0, 1), 4), "m")


def test_case_01_self_test_without_a_single_best_order_is_refused() -> None:
    # Neutral and contradiction always tie, so no row has a winner among them: 4 of 12 at most.
    rows = certain((0, 1, 2))
    rows[rows.argmax(axis=1) > 0] = [0.2, 0.4, 0.4]
    with pytest.raises(ModelError, match="cannot tell"):
        identify(rows, "m")


def test_case_01_self_test_refuses_a_head_that_says_one_thing() -> None:
    with pytest.raises(ModelError, match=r"4 of 12.*next best order 4"):
        identify(np.tile([0.2, 0.7, 0.1], (12, 1)), "m")
