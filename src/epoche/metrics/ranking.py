"""Metrics of a ranked list against a set of relevant items (binary relevance)."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence


def ndcg(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Normalised discounted cumulative gain of the first k (Järvelin and Kekäläinen 2002).

    DCG = Σ 1 / log2(rank + 1) over the relevant among the first k, divided by that of a perfect list.

    Raises:
        ValueError: nothing is relevant, k < 1, or an item is ranked twice.
    """
    _require(ranked, relevant, k)
    gain = sum(1.0 / math.log2(i + 2) for i, item in enumerate(ranked[:k]) if item in relevant)
    return gain / sum(1.0 / math.log2(i + 2) for i in range(min(k, len(set(relevant)))))


def recall(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Share of the relevant that is among the first k.

    Raises:
        ValueError: as `ndcg`.
    """
    _require(ranked, relevant, k)
    return len(set(ranked[:k]) & set(relevant)) / len(set(relevant))


def _require(ranked: Sequence[str], relevant: Collection[str], k: int) -> None:
    if k < 1 or not relevant:
        raise ValueError(f"{len(relevant)} relevant items and k = {k}: at least one of each is needed")
    if len(set(ranked)) < len(ranked):
        raise ValueError("an item is ranked twice")
