"""`pytest tests/report --regen-golden` writes the golden files anew; read the difference before a commit."""

from __future__ import annotations

from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent.parent / "golden" / "report"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regen-golden", action="store_true", help="write the golden reports anew")


class Golden:
    """Compares text with a stored file, byte for byte."""

    def __init__(self, regenerate: bool) -> None:
        self.regenerate = regenerate

    def check(self, name: str, text: str) -> None:
        path = GOLDEN / name
        if self.regenerate:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8"))
        assert path.is_file(), f"no golden file {name}: run pytest tests/report --regen-golden"
        assert text == path.read_bytes().decode("utf-8")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    return Golden(request.config.getoption("--regen-golden", default=False))
