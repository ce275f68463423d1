"""What an ablation leaves out of the pool, and that nothing else goes."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.extras
pytest.importorskip("torch", reason="needs the extra `train`")

from training.nli.ablate import WITHOUT, Ablation, is_aim, is_window, prepare, runs, without  # noqa: E402
from training.nli.bags import Bag, read_bags, write_bags  # noqa: E402
from training.nli.pairs import Pair, read_pairs, write_pairs  # noqa: E402

PAIRS = [
    Pair("Zinc lowered fever.", "It fell.", "entailment", "scifact_evidence"),
    Pair("Zinc lowered fever (P < 0.05). Six died.", "It fell.", "entailment", "scifact_evidence"),
    Pair("We asked whether zinc lowers fever.", "It fell.", "neutral", "scifact_neutral"),
    Pair("Iron rose.", "It fell.", "neutral", "bm25_neutral"),
    Pair("Iron rose by 1.5 mg. It fell.", "It fell.", "contradiction", "contrast"),
    Pair("The aim was iron.", "It fell.", "neutral", "contrast"),
]
BAG = Bag("It fell.", ("Zinc rose.", "Zinc rose. Iron fell."), (False, True), "entailment", "scifact")


def test_sentences_are_counted_by_what_follows_a_full_stop() -> None:
    assert is_window("Fever fell. Pain rose.")
    assert is_window("It fell (P < 0.05). Pain rose.")
    assert not is_window("It fell by 1.5 mg in E. coli.")
    assert is_aim("We sought to determine the dose.")
    assert not is_aim("The dose was 5 mg.")


@pytest.mark.parametrize(
    ("name", "left_out"),
    [
        ("same-abstract-neutrals", [2]),
        ("bm25-neutrals", [3]),
        ("windows", [1]),
        ("aims", [2, 5]),
        ("contrast-pairs", [4, 5]),
        ("whole-abstracts", []),
    ],
)
def test_what_each_goes_without(tmp_path: Path, name: str, left_out: list[int]) -> None:
    write_pairs(tmp_path / "train.jsonl.gz", PAIRS)
    write_pairs(tmp_path / "validation.jsonl.gz", PAIRS[:1])
    write_bags(tmp_path / "bags.jsonl.gz", [BAG])
    assert prepare(tmp_path, tmp_path / "run", WITHOUT[name]) == len(left_out)
    assert read_pairs(tmp_path / "run" / "train.jsonl.gz") == [p for i, p in enumerate(PAIRS) if i not in left_out]
    (bag,) = read_bags(tmp_path / "run" / "bags.jsonl.gz")
    assert len(bag.premises) == (1 if name == "windows" else 2)


def test_a_bag_without_premises_is_no_bag() -> None:
    assert without(BAG, lambda text: True) is None
    assert without(BAG, lambda text: False) == BAG


def test_every_run_has_the_whole_to_be_compared_with() -> None:
    found = runs()
    assert [name for name, (ablation, _) in found.items() if ablation == Ablation()] == [
        "whole-7", "whole-8", "whole-9",
    ]  # fmt: skip
    assert {seed for name, (_, seed) in found.items() if name.startswith("without")} == {7}
