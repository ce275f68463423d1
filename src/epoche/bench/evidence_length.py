"""More evidence, more false alarms: how often irrelevant sentences alone would contradict or support a claim.

A status comes from a maximum over sentences, so a small rate per sentence grows with their number. Each
claim meets sentences of abstracts it does not cite, one list per claim, longer and longer prefixes of it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epoche.backends.base import NliModel, Progress
from epoche.bench.datasets import Dataset
from epoche.errors import InputError
from epoche.policy import Policy
from epoche.steps.audit import CONTRADICTION, ENTAILMENT

LENGTHS = (1, 2, 5, 10, 20, 50, 100)
CLAIMS = 100
SEED = 5
#: The false-alarm rate for which a threshold per length is given.
TARGET = 0.05
FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Material:
    """Claims and, for each, as many irrelevant sentences as the longest length."""

    claims: tuple[str, ...]
    sentences: tuple[tuple[str, ...], ...]

    def pairs(self) -> list[tuple[str, str]]:
        """(premise, hypothesis), claim by claim."""
        rows = zip(self.claims, self.sentences, strict=True)
        return [(sentence, claim) for claim, own in rows for sentence in own]


def material(
    dataset: Dataset, *, claims: int = CLAIMS, sentences: int = max(LENGTHS), seed: int = SEED
) -> Material:
    """A sample of claims with sentences of documents that only other claims cite.

    Raises:
        InputError: too few sentences that a claim does not cite.
    """
    generator = random.Random(seed)
    chosen = generator.sample(dataset.items, min(claims, len(dataset.items)))
    pool = {d.id: d for item in dataset.items for d in item.documents}
    own_sentences = []
    for item in chosen:
        cited = {d.id for d in item.documents}
        others = [d.text[a:b] for key, d in sorted(pool.items()) if key not in cited for a, b in d.spans or ()]
        if len(others) < sentences:
            raise InputError(
                f"{dataset.name} {dataset.split} has {len(others)} sentences that claim {item.id} does not cite, "
                f"{sentences} are needed: give a larger set"
            )
        own_sentences.append(tuple(generator.sample(others, sentences)))
    return Material(tuple(item.statement.text for item in chosen), tuple(own_sentences))


def score_material(found: Material, nli: NliModel, progress: Progress | None = None) -> FloatArray:
    """float64[claims, sentences, 3]."""
    scores = nli.score(found.pairs(), progress)
    shaped: FloatArray = scores.reshape(len(found.claims), -1, scores.shape[-1])
    return shaped


def false_alarms(scores: FloatArray, policy: Policy, lengths: Sequence[int] = LENGTHS) -> list[dict[str, Any]]:
    """Per length: share of claims with a false CON or SUP, what independent sentences would give, a threshold.

    `independent` is 1 − (1 − p)^k with p the rate per sentence. `contradiction_threshold_for_target` is the lowest
    threshold, set after the maximum, that at most `TARGET` of the claims reach.
    """
    contradiction, support = scores[:, :, CONTRADICTION], scores[:, :, ENTAILMENT]
    rate = float((contradiction >= policy.contradiction_threshold).mean())
    rows = []
    for k in lengths:
        if k > scores.shape[1]:
            raise InputError(f"{k} sentences asked for, {scores.shape[1]} scored")
        top = contradiction[:, :k].max(axis=1)
        rows.append(
            {
                "sentences": k,
                "false_contradiction": _rate(top >= policy.contradiction_threshold),
                "independent": round(1 - (1 - rate) ** k, 6),
                "false_support": _rate(support[:, :k].max(axis=1) >= policy.support_threshold),
                "contradiction_threshold_for_target": threshold_for(top, TARGET),
            }
        )
    return rows


def threshold_for(largest: FloatArray, target: float) -> float | None:
    """The smallest value that at most `target` of them reach; None if more than that reach even the largest."""
    for value in np.unique(largest):
        if (largest >= value).mean() <= target:
            return round(float(value), 6)
    return None


def _rate(mask: NDArray[np.bool_]) -> float:
    return round(float(mask.mean()), 6)
