"""Whole reports against stored ones; `conftest.py` says how to write these anew."""

from __future__ import annotations

import pytest

from epoche.report import Format, render
from tests.report.conftest import GOLDEN, Golden
from tests.report.samples import SAMPLES

NAMES = (
    "supported",
    "refuted_with_conflict",
    "not_enough_evidence",
    "yes",
    "below_threshold",
    "evidence_truncated",
    "retracted_only",
    "failure",
    "long_sentence",
    "hostile",
)
FORMATS: tuple[Format, ...] = ("text", "json", "md", "html")


@pytest.mark.parametrize("fmt", FORMATS)
@pytest.mark.parametrize("name", NAMES)
def test_report_is_the_stored_one(name: str, fmt: Format, golden: Golden) -> None:
    ending = "txt" if fmt == "text" else fmt
    golden.check(f"{name}.{ending}", render(SAMPLES[name](), fmt))


def test_no_golden_file_is_left_over() -> None:
    endings = ("txt", "json", "md", "html")
    assert {p.name for p in GOLDEN.iterdir()} == {f"{name}.{ending}" for name in NAMES for ending in endings}
