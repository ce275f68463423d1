"""The simulation of promises: its committed figures, and a short one made anew."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from benchmarks.guarantees import ALPHAS, DELTAS, POPULATIONS, RESULTS, SIZES, simulate


def too_often(broken: float, delta: float, draws: int) -> bool:
    """More broken promises than δ and three standard errors."""
    return broken > delta + 3 * math.sqrt(delta * (1 - delta) / draws)


@pytest.fixture(scope="module")
def committed() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return loaded


def test_every_setting_was_drawn_often_enough(committed: dict[str, Any]) -> None:
    assert committed["draws"] >= 2000
    settings = {(r["population"], r["alpha"], r["delta"], r["n"]) for r in committed["rows"]}
    assert len(settings) == len(POPULATIONS) * len(ALPHAS) * len(DELTAS) * len(SIZES)


@pytest.mark.parametrize("method", ["ltt", "sgr"])
def test_no_promise_was_broken_more_often_than_its_delta(committed: dict[str, Any], method: str) -> None:
    for row in committed["rows"]:
        assert not too_often(row[method]["broken"], row["delta"], committed["draws"]), row


def test_the_default_covers_at_least_nine_tenths_of_an_oracle(committed: dict[str, Any]) -> None:
    rows = [r for r in committed["rows"] if r["n"] == 1000 and r["alpha"] >= 0.05]
    assert sum(r["ltt"]["coverage"] for r in rows) >= 0.9 * sum(r["oracle"] for r in rows)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("delta", DELTAS)
def test_promises_hold_when_drawn_anew(alpha: float, delta: float) -> None:
    draws = 400
    for i, population in enumerate(POPULATIONS.values()):
        for n in SIZES:
            row = simulate(population, alpha, delta, n, draws, seed=1000 + i)
            for method in ("ltt", "sgr"):
                assert not too_often(row[method]["broken"], delta, draws)
