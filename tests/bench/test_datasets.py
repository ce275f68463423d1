from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from epoche.bench.catalogue import load
from epoche.bench.datasets import load_custom, load_pubmedqa, load_scifact
from epoche.errors import DocumentError, InputError
from epoche.types import Kind, Label

CORPUS = [
    {"doc_id": 1, "title": "Iron", "abstract": ["We measured iron.", "Iron rose.", "It was safe."]},
    {"doc_id": 2, "title": "Salt", "abstract": ["We measured salt.", "Salt fell."]},
]
CLAIMS: list[dict[str, Any]] = [
    {
        "id": 10,
        "claim": "Iron rises.",
        "evidence": {"1": [{"sentences": [1], "label": "SUPPORT"}]},
        "cited_doc_ids": [1],
    },
    {
        "id": 11,
        "claim": "Salt rises.",
        "evidence": {"2": [{"sentences": [1], "label": "CONTRADICT"}]},
        "cited_doc_ids": [2, 1],
    },
    {"id": 12, "claim": "Zinc rises.", "evidence": {}, "cited_doc_ids": [1]},
]


def lines(path: Path, records: list[Any]) -> Path:
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return lines(tmp_path / "corpus.jsonl", CORPUS)


def test_case_28_gold_comes_from_the_evidence_annotations(tmp_path: Path, corpus: Path) -> None:
    claims = lines(tmp_path / "claims.jsonl", CLAIMS)
    found = load_scifact(claims, corpus, split="dev", protocol="abstract")
    assert [i.gold for i in found.items] == [Label.SUPPORTED, Label.REFUTED, Label.NOT_ENOUGH_EVIDENCE]
    assert [d.id for d in found.items[1].documents] == ["2", "1"]
    first = found.items[0].documents[0]
    assert [first.text[a:b] for a, b in first.spans or ()] == CORPUS[0]["abstract"]


def test_case_28_the_test_file_has_no_gold(tmp_path: Path, corpus: Path) -> None:
    claims = lines(tmp_path / "claims.jsonl", [{"id": 1, "claim": "Iron rises."}])
    (item,) = load_scifact(claims, corpus, split="test", protocol="abstract").items
    assert item.gold is None


def test_case_28_the_rationale_protocol_leaves_unsettled_claims_nothing_to_read(
    tmp_path: Path, corpus: Path
) -> None:
    claims = lines(tmp_path / "claims.jsonl", CLAIMS)
    found = load_scifact(claims, corpus, split="dev", protocol="rationale")
    assert [[d.text for d in i.documents] for i in found.items] == [["Iron rose."], ["Salt fell."], []]
    assert "reported apart" in found.notes[0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"evidence": {"1": [{"sentences": [1], "label": "SUPORT"}]}}, ["line 2", "SUPORT"]),
        ({"evidence": {"1": [{"sentences": [1], "label": "YES"}]}}, ["line 2", "YES"]),
        ({"evidence": {"1": [{"label": "SUPPORT"}]}}, ["line 2", "evidence"]),
        ({"evidence": [1]}, ["line 2", "evidence"]),
        ({"cited_doc_ids": [7]}, ["line 2", "evidence in document 2, which is not cited"]),
        ({"claim": None}, ["line 2", "claim"]),
        ({"id": 10}, ["10", "twice"]),
        ({"id": "11"}, ["line 2", "whole number"]),
        ({"cited_doc_ids": "1"}, ["line 2", "cited_doc_ids must be a list"]),
        ({"evidence": {"1": []}}, ["line 2", "not empty"]),
        ({"evidence": {"1": [{"sentences": [], "label": "SUPPORT"}]}}, ["line 2", "not empty"]),
        ({"evidence": {"1": [{"sentences": [True], "label": "SUPPORT"}]}}, ["line 2", "numbers"]),
        ({"evidence": {"1": [{"sentences": [99], "label": "SUPPORT"}]}}, ["line 2", "no sentence 99"]),
        ({"evidence": {"1": [{"sentences": [0], "label": "NEI"}]}}, ["line 2", "leave it out"]),
        ({"claim": "half \ud800"}, ["line 2", "surrogate"]),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, corpus: Path, change: dict[str, Any], words: list[str]) -> None:
    claims = lines(tmp_path / "claims.jsonl", [CLAIMS[0], CLAIMS[1] | change])
    with pytest.raises(InputError) as refused:
        load_scifact(claims, corpus, split="dev", protocol="abstract")
    assert all(w in str(refused.value) for w in words), str(refused.value)


def test_case_25_a_file_of_lines_is_read_as_lines(tmp_path: Path, corpus: Path) -> None:
    broken = tmp_path / "claims.jsonl"
    broken.write_text(json.dumps(CLAIMS[0]) + '\n{"id": 11, "cl\n', encoding="utf-8")
    with pytest.raises(DocumentError, match="line 2: broken JSON"):
        load_scifact(broken, corpus, split="dev", protocol="abstract")


PQAL = {
    "100": {
        "QUESTION": "Does iron rise?",
        "CONTEXTS": ["Iron was measured.", "It rose."],
        "LONG_ANSWER": "Iron rises.",
        "final_decision": "yes",
    },
    "200": {"QUESTION": "Does salt rise?", "CONTEXTS": ["It fell."], "LONG_ANSWER": "No.", "final_decision": "no"},
    "300": {"QUESTION": "Is zinc safe?", "CONTEXTS": ["Unclear."], "LONG_ANSWER": "?", "final_decision": "maybe"},
}


def test_case_29_a_split_is_a_list_of_ids(tmp_path: Path) -> None:
    file, ids = tmp_path / "ori_pqal.json", tmp_path / "test_ground_truth.json"
    file.write_text(json.dumps(PQAL), encoding="utf-8")
    ids.write_text(json.dumps({"100": "yes", "300": "maybe"}), encoding="utf-8")
    found = load_pubmedqa(file, split="test", ids=ids)
    assert [(i.id, i.gold) for i in found.items] == [("100", Label.YES), ("300", Label.MAYBE)]
    assert found.items[0].statement.kind is Kind.QUESTION
    assert "Iron rises" not in found.items[0].documents[0].text, "the conclusion is never input"
    ids.write_text("100\n999\n", encoding="utf-8")
    with pytest.raises(InputError, match="no item 999"):
        load_pubmedqa(file, split="test", ids=ids)


def test_case_25_a_label_typo_is_never_maybe(tmp_path: Path) -> None:
    file = tmp_path / "ori_pqal.json"
    file.write_text(json.dumps({"100": PQAL["100"] | {"final_decision": "mabye"}}), encoding="utf-8")
    with pytest.raises(DocumentError, match=r"item 100 \(line 1\): label 'mabye'"):
        load_pubmedqa(file, split="test")


def test_a_set_of_ones_own(tmp_path: Path) -> None:
    record = {
        "id": "a",
        "statement": "Iron rises.",
        "kind": "claim",
        "documents": ["Iron rose."],
        "label": "Supported",
    }
    file = lines(tmp_path / "items.jsonl", [record])
    (item,) = load_custom(file).items
    assert item.gold is Label.SUPPORTED
    for change in ({"kind": "clam"}, {"documents": "Iron rose."}, {"documents": [3]}, {"label": "yes"}):
        with pytest.raises(DocumentError, match="line 1"):
            load_custom(lines(tmp_path / "items.jsonl", [record | change]))
    with pytest.raises(InputError, match="no item"):
        load_custom(lines(tmp_path / "items.jsonl", []))


def test_the_digest_belongs_to_the_content(tmp_path: Path, corpus: Path) -> None:
    claims = lines(tmp_path / "claims.jsonl", CLAIMS)
    whole = load_scifact(claims, corpus, split="dev", protocol="abstract")
    again = load_scifact(claims, corpus, split="dev", protocol="abstract")
    other = load_scifact(claims, corpus, split="dev", protocol="rationale")
    assert whole.digest == again.digest != other.digest


def test_a_changed_release_is_refused_and_both_hashes_are_named(tmp_path: Path, corpus: Path) -> None:
    lines(tmp_path / "claims_dev.jsonl", CLAIMS)
    with pytest.raises(InputError, match="not the released file: its sha256 is [0-9a-f]{64}, .* [0-9a-f]{64}"):
        load("scifact", "dev", tmp_path)


def test_a_missing_release_or_split_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"get the release from https://"):
        load("scifact", "dev", tmp_path)
    with pytest.raises(InputError, match="give one of train, calibration, dev, test"):
        load("scifact", "validation", tmp_path)


def test_the_released_files(data: Path) -> None:
    dev = load("scifact", "dev", data)
    counts = {label: sum(i.gold is label for i in dev.items) for label in Label}
    assert (counts[Label.SUPPORTED], counts[Label.REFUTED], counts[Label.NOT_ENOUGH_EVIDENCE]) == (124, 64, 112)
    assert len(load("scifact", "calibration", data).items) == 266
    assert all(i.gold is None for i in load("scifact", "test", data).items)
    assert len(load("pubmedqa", "train", data).items) == 500


def test_an_id_or_a_key_given_twice_is_named_with_its_line(tmp_path: Path, corpus: Path) -> None:
    doubled = corpus.read_text(encoding="utf-8")
    corpus.write_text(doubled + doubled.splitlines()[0] + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"line \d+: .*occurs twice"):
        load_scifact(lines(tmp_path / "claims.jsonl", CLAIMS), corpus, split="dev", protocol="abstract")
    file = tmp_path / "items.jsonl"
    file.write_text('{"id": "a", "id": "b", "statement": "x"}\n', encoding="utf-8")
    with pytest.raises(DocumentError, match="line 1: id: the field is given twice"):
        load_custom(file)
    item = {
        "id": "a",
        "statement": "Iron rises.",
        "kind": "claim",
        "documents": ["Iron rose."],
        "label": "supported",
    }
    with pytest.raises(InputError, match="line 2: the id a occurs twice"):
        load_custom(lines(file, [item, item]))
    with pytest.raises(DocumentError, match="line 2: no id"):
        load_custom(lines(file, [item, {k: v for k, v in item.items() if k != "id"}]))
    question = item | {"id": "b", "kind": "question", "statement": "Does iron rise?", "label": "yes"}
    with pytest.raises(DocumentError, match="line 2: a question among claims"):
        load_custom(lines(file, [item, question]))


def test_an_empty_sentence_would_move_the_numbers_after_it(tmp_path: Path) -> None:
    corpus = lines(tmp_path / "c.jsonl", [{"doc_id": 1, "title": "t", "abstract": ["Iron rose.", " "]}])
    with pytest.raises(DocumentError, match="line 1: sentence 1 of the abstract is empty"):
        load_scifact(lines(tmp_path / "claims.jsonl", CLAIMS), corpus, split="dev", protocol="abstract")


def test_a_wrong_pubmedqa_label_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "ori_pqal.json"
    file.write_text(json.dumps(PQAL | {"300": PQAL["300"] | {"final_decision": "?"}}, indent=1), encoding="utf-8")
    line = file.read_text(encoding="utf-8").split("\n").index(' "300": {') + 1
    with pytest.raises(DocumentError, match=rf"item 300 \(line {line}\): label"):
        load_pubmedqa(file, split="x")
