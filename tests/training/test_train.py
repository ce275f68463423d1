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
