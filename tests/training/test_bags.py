"""Whole abstracts with one label: what a bag holds, and the order they are written in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from training.nli.bags import Bag, build_bags, read_bags, write_bags
from training.nli.config import BagConfig
from training.nli.pairs import normalise

CONFIG = BagConfig(files=("own.train",), words=6, most_rows=40)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with one SciFact claim, one held-out claim and one document of another set."""
    import gzip

    scifact, claims = tmp_path / "scifact", tmp_path / "claims"
    scifact.mkdir()
    claims.mkdir()
    corpus = {"doc_id": 1, "title": "t", "abstract": ["Aim was zinc.", "Zinc lowered fever.", "Six died."]}
    (scifact / "corpus.jsonl").write_text(json.dumps(corpus) + "\n", encoding="utf-8")
    evidence = {"1": [{"sentences": [1], "label": "SUPPORT"}]}
    rows = [
        {"id": 5, "claim": "Zinc lowers fever.", "evidence": evidence, "cited_doc_ids": [1]},
        {"id": 6, "claim": "Zinc kills.", "evidence": {}, "cited_doc_ids": [1]},
        {"id": 7, "claim": "Held out.", "evidence": {}, "cited_doc_ids": [1]},
    ]
    (scifact / "claims_train.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    (scifact / "calibration_ids.txt").write_text("7\n", encoding="utf-8")
    doc = {"sentences": ["Iron rose.", "One two three four five six seven."], "rationale": [0], "label": "REFUTE"}
    own = {"claim": "Iron fell.", "label": "REFUTE", "evidence": [doc]}
    with gzip.open(claims / "own.train.jsonl.gz", "wt", encoding="utf-8") as out:
        out.write(json.dumps(own) + "\n")
    return tmp_path


def test_a_bag_holds_windows_and_knows_which_hold_a_rationale(folder: Path) -> None:
    first, silent, other = build_bags(folder, CONFIG, lambda claim: False)
    # Three sentences; of the two windows, both with the rationale, the longer (6 words) is still short enough.
    assert first.premises == (
        "Aim was zinc.", "Zinc lowered fever.", "Six died.", "Aim was zinc. Zinc lowered fever.",
        "Zinc lowered fever. Six died.",
    )  # fmt: skip
    assert first.evidence == (False, True, False, True, True)
    assert (first.label, silent.label) == ("entailment", "neutral")
    assert not any(silent.evidence)
    assert other == Bag("Iron fell.", ("Iron rose.",), (True,), "contradiction", "own"), "seven words are too many"


def test_claims_of_evaluation_files_and_calibration_claims_are_left_out(folder: Path) -> None:
    found = build_bags(folder, CONFIG, lambda claim: normalise(claim) == "zinc kills")
    assert [bag.hypothesis for bag in found] == ["Zinc lowers fever.", "Iron fell."]


def test_bags_come_back_as_they_went(folder: Path) -> None:
    found = build_bags(folder, CONFIG, lambda claim: False)
    write_bags(folder / "a.gz", found)
    write_bags(folder / "b.gz", found)
    assert read_bags(folder / "a.gz") == found
    assert (folder / "a.gz").read_bytes() == (folder / "b.gz").read_bytes()
