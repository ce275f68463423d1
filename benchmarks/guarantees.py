"""Do promises hold? Thresholds chosen on random draws from populations whose risk is known.

`python benchmarks/guarantees.py` writes `results/guarantees.json` beside it. Each population gives every confidence
its own probability of an error; the true selective risk above any threshold follows from it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epoche.guarantee.binomial import allowed
from epoche.guarantee.choice import Choice
from epoche.guarantee.ltt import fixed_sequence
from epoche.guarantee.sgr import guaranteed_risk
from epoche.metrics.selective import Groups, group

Floats = NDArray[np.float64]
RESULTS = Path(__file__).parent / "results" / "guarantees.json"
METHODS: dict[str, Callable[[Groups, float, float], Choice]] = {"ltt": fixed_sequence, "sgr": guaranteed_risk}
ALPHAS, DELTAS, SIZES = (0.01, 0.05, 0.10, 0.20), (0.05, 0.10), (50, 200, 1000)
DRAWS = 2000
_GRID = 20_000


@dataclass(frozen=True)
class Population:
    """Confidences uniform on [0, 1], P(wrong) as a function of them; `levels` > 0 rounds them to so many steps."""

    wrong: Callable[[Floats], Floats]
    levels: int = 0

    def confidences(self, uniform: Floats) -> Floats:
        """The confidences of uniform draws."""
        if not self.levels:
            return uniform
        rounded: Floats = np.minimum(np.floor(uniform * self.levels), self.levels - 1) / (self.levels - 1)
        return rounded

    def draw(self, generator: np.random.Generator, n: int) -> Groups:
        """Items with labels, n of them."""
        confidence = self.confidences(generator.random(n))
        return group(confidence, (generator.random(n) < self.wrong(confidence)).astype(np.float64))

    def above(self, thresholds: Floats) -> tuple[Floats, Floats]:
        """Coverage and selective risk of "confidence ≥ threshold"; risk 0 where nothing is answered."""
        confidence = self.confidences((np.arange(_GRID) + 0.5) / _GRID)  # ascending
        wrong = np.append(np.cumsum(self.wrong(confidence)[::-1])[::-1], 0.0)
        first = np.searchsorted(confidence, thresholds)
        answered = _GRID - first
        return answered / _GRID, wrong[first] / np.maximum(answered, 1)


POPULATIONS: dict[str, Population] = {
    "well ranked": Population(lambda c: 0.5 * (1 - c) ** 1.5),
    "ranked": Population(lambda c: 0.4 * (1 - c)),
    "well ranked, ties": Population(lambda c: 0.5 * (1 - c) ** 1.5, levels=12),
    "few errors": Population(lambda c: 0.06 * (1 - c)),
    "a step": Population(lambda c: np.where(c > 0.7, 0.005, 0.4)),
    "weakly ranked": Population(lambda c: 0.3 - 0.2 * c),
    "no ranking": Population(lambda c: np.full_like(c, 0.2)),
    "no ranking, ties": Population(lambda c: np.full_like(c, 0.1), levels=5),
    "reversed": Population(lambda c: 0.3 * c),
    "worst in the middle": Population(lambda c: 0.3 - 1.2 * (c - 0.5) ** 2),
    "sure and wrong": Population(lambda c: np.where(c > 0.9, 0.12, np.where(c > 0.6, 0.0, 0.3))),
}


def oracle(draws: list[Groups], alpha: float, delta: float) -> float:
    """Mean coverage of the best single threshold, known beforehand and certified once on each draw."""
    thresholds = np.linspace(0.0, 1.0, 51)
    n = int(draws[0].n)
    most = allowed(n, alpha, delta)
    gained = np.zeros(thresholds.size)
    for groups in draws:
        answered = np.append(0, groups.items.cumsum()).astype(int)
        wrong = np.append(0, groups.errors.cumsum()).astype(int)
        # Confidences fall, so the number of groups at or above a threshold is a search from the other end.
        place = groups.confidence.size - np.searchsorted(groups.confidence[::-1], thresholds)
        gained += np.where(wrong[place] <= most[answered[place]], answered[place], 0)
    passed = gained / n / len(draws)
    return float(passed.max())


def simulate(population: Population, alpha: float, delta: float, n: int, draws: int, seed: int) -> dict[str, Any]:
    """Share of broken promises and mean true coverage of each method, over the same draws."""
    generator = np.random.default_rng(seed)
    items = [population.draw(generator, n) for _ in range(draws)]
    row: dict[str, Any] = {"oracle": round(oracle(items, alpha, delta), 4)}
    for name, choose in METHODS.items():
        found = [choose(groups, alpha, delta).threshold for groups in items]
        promised = np.array([t for t in found if t is not None])
        coverage, risk = population.above(promised) if promised.size else (np.zeros(0), np.zeros(0))
        row[name] = {
            "broken": round(float((risk > alpha + 1e-9).sum()) / draws, 4),
            "promised": round(promised.size / draws, 4),
            "coverage": round(float(coverage.sum()) / draws, 4),
        }
    return row


def main() -> None:
    """Every combination, into the results file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=DRAWS)
    args = parser.parse_args()
    rows = []
    for name, population in POPULATIONS.items():
        for alpha in ALPHAS:
            for delta in DELTAS:
                for n in SIZES:
                    row = simulate(population, alpha, delta, n, args.draws, seed=len(rows))
                    rows.append({"population": name, "alpha": alpha, "delta": delta, "n": n, **row})
        print(json.dumps(rows[-1]), flush=True)
    RESULTS.write_text(json.dumps({"draws": args.draws, "rows": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
