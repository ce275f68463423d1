"""SciFact's official scores by hand; the rules are in the module's docstring."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from epoche.assemble import Verifier
from epoche.backends.fake import ScriptedNli, Triple
from epoche.bench.datasets import Dataset, Item, given_sentences
from epoche.bench.export import export_scifact
from epoche.bench.official import official_scores, read_export
from epoche.bench.run import run
from epoche.config import load_config, load_policy
from epoche.errors import DocumentError, InputError
from epoche.types import Kind, Label, Statement

S, C = Label.SUPPORTED, Label.REFUTED
Sets = Mapping[str, tuple[Label, tuple[tuple[int, ...], ...]]]


def item(rationales: Sets, name: str = "1", documents: Any = ()) -> Item:
    found = {label for label, _ in rationales.values()}
    gold = found.pop() if found else Label.NOT_ENOUGH_EVIDENCE
    return Item(name, Statement(text="Iron rises.", kind=Kind.CLAIM), documents, gold, rationales)


def support(*sentences: int) -> Any:
    return {"sentences": list(sentences), "label": "SUPPORT"}


def contradict(*sentences: int) -> Any:
    return {"sentences": list(sentences), "label": "CONTRADICT"}


def counts(predictions: Any, items: list[Item]) -> list[tuple[int, int, int]]:
    """(correct, predicted, gold) of label only, rationalised, selection, selection and label."""
    found = official_scores(predictions, items)
    assert list(found) == ["abstract_label_only", "abstract_rationalized", "sentence_selection", "sentence_label"]
    return [(s["correct"], s["predicted"], s["gold"]) for s in found.values()]


#: Abstract 11: sentences 0 and 1 together, or 11 alone; abstract 15: sentence 4.
TWO = item({"11": (S, ((0, 1), (11,))), "15": (S, ((4,),))})


def test_half_a_set_an_extra_sentence_and_an_extra_abstract() -> None:
    # The constellation of the published scoring example, with a legal label for the extra abstract.
    # Abstracts: 2 predicted, 2 gold; 11 is right and holds the whole set {11}; 16 is no gold one.
    # Sentences: 3 + 2 predicted, 2 + 1 + 1 gold. 1: its set needs 0 too; 11: right; 13, 18, 20: in no set.
    predictions = {"1": {"11": support(1, 11, 13), "16": contradict(18, 20)}}
    assert counts(predictions, [TWO]) == [(1, 2, 2), (1, 2, 2), (1, 5, 4), (1, 5, 4)]
    found = official_scores(predictions, [TWO])
    abstract, sentence = found["abstract_rationalized"], found["sentence_label"]
    assert (abstract["precision"], abstract["recall"], abstract["f1"]) == (1 / 2, 1 / 2, 1 / 2)
    assert (sentence["precision"], sentence["recall"]) == (1 / 5, 1 / 4)
    assert sentence["f1"] == pytest.approx(2 / 9)  # 2·(1/5)(1/4) / (1/5 + 1/4)


def test_only_the_first_three_sentences_count_for_an_abstract() -> None:
    # The gold sentence 4 stands fourth: no rationale at abstract level; at sentence level it is 1 of 4.
    gold = [item({"15": (S, ((4,),))})]
    assert counts({"1": {"15": support(7, 8, 9, 4)}}, gold) == [(1, 1, 1), (0, 1, 1), (1, 4, 1), (1, 4, 1)]
    # The same four with 4 in third place: rationalised. The order is the prediction's, not the text's.
    assert counts({"1": {"15": support(7, 8, 4, 9)}}, gold) == [(1, 1, 1), (1, 1, 1), (1, 4, 1), (1, 4, 1)]
    # A gold set of four can never be rationalised, though all its sentences are selected: 4 of 4.
    four = [item({"15": (S, ((1, 2, 3, 4),))})]
    assert counts({"1": {"15": support(1, 2, 3, 4)}}, four) == [(1, 1, 1), (0, 1, 1), (4, 4, 4), (4, 4, 4)]


def test_a_set_counts_whole_or_not_at_all() -> None:
    # Two of three: the label alone is right, no sentence is.
    gold = [item({"15": (C, ((1, 2, 3),))})]
    assert counts({"1": {"15": contradict(1, 2)}}, gold) == [(1, 1, 1), (0, 1, 1), (0, 2, 3), (0, 2, 3)]
    # All three, in any order: every sentence is.
    assert counts({"1": {"15": contradict(3, 1, 2)}}, gold) == [(1, 1, 1), (1, 1, 1), (3, 3, 3), (3, 3, 3)]
    # Halves of two sets do not make a whole one.
    halves = [item({"15": (C, ((1, 2), (5, 6)))})]
    assert counts({"1": {"15": contradict(1, 5)}}, halves) == [(1, 1, 1), (0, 1, 1), (0, 2, 4), (0, 2, 4)]


def test_a_wrong_label_leaves_the_selection() -> None:
    # Right sentence, wrong direction: 1 of 1 selected, nothing else.
    gold = [item({"15": (S, ((4,),))})]
    assert counts({"1": {"15": contradict(4)}}, gold) == [(0, 1, 1), (0, 1, 1), (1, 1, 1), (0, 1, 1)]


def test_extra_sentences_cost_precision_at_sentence_level_only() -> None:
    # 4 and two others: the abstract is right; sentences 1 of 3 predicted, 1 of 1 gold: F1 = 2·1/(3+1) = 1/2.
    predictions, gold = {"1": {"15": support(4, 0, 1)}}, [item({"15": (S, ((4,),))})]
    assert counts(predictions, gold) == [(1, 1, 1), (1, 1, 1), (1, 3, 1), (1, 3, 1)]
    found = official_scores(predictions, gold)
    assert (found["abstract_rationalized"]["f1"], found["sentence_label"]["f1"]) == (1.0, 0.5)


def test_a_sentence_predicted_twice_is_predicted_twice_and_right_once() -> None:
    # 2 predicted, 1 right; and the repeat takes one of the three places: 4 comes fourth.
    gold = [item({"15": (S, ((4,),))})]
    assert counts({"1": {"15": support(4, 4)}}, gold)[2:] == [(1, 2, 1), (1, 2, 1)]
    assert counts({"1": {"15": support(7, 7, 7, 4)}}, gold)[1] == (0, 1, 1)


def test_an_abstract_without_sentences_has_a_label_and_no_rationale() -> None:
    gold = [item({"15": (S, ((4,),))})]
    assert counts({"1": {"15": support()}}, gold) == [(1, 1, 1), (0, 1, 1), (0, 0, 1), (0, 0, 1)]
    assert official_scores({"1": {"15": support()}}, gold)["sentence_selection"]["precision"] is None


def test_an_abstract_predicted_for_an_unsettled_claim_is_wrong() -> None:
    # Claim 2 has no evidence: its abstract counts as predicted, over both claims 1 of 2 right.
    gold = [item({"15": (S, ((4,),))}), item({}, "2")]
    predictions = {"1": {"15": support(4)}, "2": {"15": support(4)}}
    assert counts(predictions, gold) == [(1, 2, 1), (1, 2, 1), (1, 2, 1), (1, 2, 1)]


@pytest.mark.parametrize("predictions", [{}, {"1": {}}])
def test_nothing_predicted(predictions: Any) -> None:
    # Nothing to take a precision of; nothing of the gold found: recall 0 and F1 = 2·0/(0 + gold) = 0.
    for score in official_scores(predictions, [TWO]).values():
        assert (score["precision"], score["recall"], score["f1"]) == (None, 0.0, 0.0)
    assert counts(predictions, [TWO]) == [(0, 0, 2), (0, 0, 2), (0, 0, 4), (0, 0, 4)]


def test_nothing_annotated() -> None:
    # No gold: recall and F1 are undefined, not 0; what is predicted is still wrong.
    for score in official_scores({"1": {"15": support(4)}}, [item({})]).values():
        assert (score["precision"], score["recall"], score["f1"]) == (0.0, None, None)


def test_gold_as_predictions_scores_one() -> None:
    # Three sentences or fewer per abstract, so that all four tasks can be perfect.
    gold = [TWO, item({"11": (C, ((2,), (5, 6)))}, "2"), item({}, "3")]
    predictions = {
        i.id: {
            d: (support if label is S else contradict)(*[n for s in sets for n in s])
            for d, (label, sets) in i.rationales.items()
        }
        for i in gold
    }
    for score in official_scores(predictions, gold).values():
        assert (score["precision"], score["recall"], score["f1"]) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("predictions", "words"),
    [
        ({"7": {}}, "claim 7, which is not among the 1 claims"),
        (
            {"1": {"11": {"sentences": [1], "label": "REFUTES"}}},
            "claim 1, abstract 11: label 'REFUTES' is not one of",
        ),
        ({"1": {"11": {"sentences": [1], "label": "NOT_ENOUGH_INFO"}}}, "SUPPORT, CONTRADICT"),
        ({"1": {"11": {"sentences": [-1], "label": "SUPPORT"}}}, "sentence -1 is not"),
        ({"1": {"11": {"sentences": ["1"], "label": "SUPPORT"}}}, "sentence '1' is not"),
        ({"1": {"11": {"sentences": [True], "label": "SUPPORT"}}}, "sentence True is not"),
    ],
)
def test_predictions_that_cannot_be_scored_are_refused(predictions: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        official_scores(predictions, [TWO])


def test_case_28_what_has_no_gold_is_refused() -> None:
    unlabelled = Item("1", Statement(text="Iron rises.", kind=Kind.CLAIM), (), None)
    with pytest.raises(InputError, match="claim 1 has no gold annotations"):
        official_scores({}, [unlabelled])


@pytest.mark.parametrize(
    "line",
    ["{", "[1]", '{"id": 2}', '{"id": 2, "evidence": []}', '{"id": 2, "evidence": {"11": {"label": "SUPPORT"}}}'],
)
def test_a_bad_line_is_named(line: str) -> None:
    with pytest.raises(DocumentError, match="p.jsonl, line 3"):
        read_export('{"id": 1, "evidence": {}}\n\n' + line, "p.jsonl")
    with pytest.raises(DocumentError, match="line 2: claim 1 occurs twice"):
        read_export('{"id": 1, "evidence": {}}\n{"id": "1", "evidence": {}}')


def test_an_exported_run_scores_as_by_hand(tmp_path: Path) -> None:
    def model(premise: str, hypothesis: str) -> Triple:
        if "rose" in premise:
            return (0.9, 0.05, 0.05)
        return (0.05, 0.05, 0.9) if "fell" in premise else (0.05, 0.9, 0.05)

    iron = given_sentences("100", ["It was measured.", "It rose.", "It was kept."])
    zinc = given_sentences("200", ["It was measured.", "It fell.", "It rested.", "It fell again."])
    salt = given_sentences("300", ["It rose."])
    items = (
        item({"100": (S, ((1,),))}, "1", (iron,)),  # found with its sentence
        item({"200": (C, ((1, 2),))}, "2", (zinc,)),  # found; sentence 2 is missing, 3 is extra
        item({}, "3", (salt,)),  # found where nothing is annotated
        item({"100": (C, ((0,),))}, "4", (iron,)),  # found with the other label and another sentence
    )
    data = Dataset("scifact", "dev", "abstract", items, {})
    verifier = Verifier(ScriptedNli(model), "rules", config=load_config({}, decomposer="rules"))
    exported = read_export(export_scifact(run(data, verifier, tmp_path / "run"), load_policy()))
    assert exported["1"] == {"100": support(1)}
    assert exported["2"] == {"200": contradict(1, 3)}
    # Abstracts: 4 predicted, 3 gold; labels of 1 and 2 are right, only 1 is rationalised.
    # Sentences: 1 + 2 + 1 + 1 predicted, 1 + 2 + 1 gold; right: that of claim 1.
    assert counts(exported, list(items)) == [(2, 4, 3), (1, 4, 3), (1, 5, 4), (1, 5, 4)]


def test_random_predictions_score_as_the_rules_read_word_by_word() -> None:
    # One sentence and one abstract at a time, in the words of the published description.
    generator = random.Random(7)
    for _ in range(200):
        pool = generator.sample(range(8), 6)
        cut = generator.randint(1, 5)
        sets = (tuple(pool[:cut]), tuple(pool[cut:]))
        label = generator.choice([S, C])
        sentences = generator.sample(range(8), generator.randint(0, 8))
        predicted = generator.choice([support, contradict])(*sentences)
        right = (predicted["label"] == "SUPPORT") == (label is S)
        held = any(all(n in sentences[:3] for n in one) for one in sets)
        selected = sum(1 for n in sentences if any(n in one and all(m in sentences for m in one) for one in sets))
        assert counts({"1": {"15": predicted}}, [item({"15": (label, sets)})]) == [
            (int(right), 1, 1),
            (int(right and held), 1, 1),
            (selected, len(sentences), 6),
            (selected if right else 0, len(sentences), 6),
        ]
