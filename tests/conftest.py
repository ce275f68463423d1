"""Fixtures for all tests: where the benchmark data are, if they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from epoche.config import data_folder

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def data() -> Path:
    """The benchmark data; skips where they are absent, unless EPOCHE_REQUIRE_DATA=1."""
    folder = data_folder()
    folder = folder if folder.is_absolute() else ROOT / folder
    if folder.is_dir():
        return folder
    if os.environ.get("EPOCHE_REQUIRE_DATA") == "1":
        pytest.fail(f"EPOCHE_REQUIRE_DATA=1, but there is no data folder {folder}")
    pytest.skip(f"no benchmark data at {folder}: set EPOCHE_DATA")
