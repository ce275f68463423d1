"""P(label) from what was read: the features of a policy's posterior, and the model itself.

A rule on the largest scores cannot say how sure it is. The posterior is fitted on labelled items, so that its
confidence means the same for every label: the probability that the label is right.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from epoche.policy import Posterior
from epoche.steps.audit import Best
from epoche.types import Label

#: Scores count as at least this far from 0 and 1: a model is never surer than its calibration shows.
NEAREST = 0.002
#: A feature counts as at most so many standard deviations from its mean: beyond, nothing was seen to fit on.
FARTHEST = 3.0


def log_odds(probability: float) -> float:
    """ln(p / (1 − p)), p kept between `NEAREST` and 1 − `NEAREST`."""
    p = min(max(probability, NEAREST), 1.0 - NEAREST)
    return math.log(p / (1.0 - p))


#: Name → value for the critical conditions (at least one) and the number of sentences that were read.
FEATURES: Mapping[str, Callable[[Sequence[Best], int], float]] = MappingProxyType(
    {
        # Support is as good as that of the weakest condition, contradiction as bad as that of the worst.
        "support": lambda rows, n: log_odds(min(r.support for r in rows)),
        "contradiction": lambda rows, n: log_odds(max(r.contradiction for r in rows)),
        "second_support": lambda rows, n: log_odds(min(r.second_support for r in rows)),
        "second_contradiction": lambda rows, n: log_odds(max(r.second_contradiction for r in rows)),
        # Whatever the direction: a model that is sure of one has read something about the statement.
        "relevance": lambda rows, n: log_odds(min(max(r.support, r.contradiction) for r in rows)),
        "second_relevance": lambda rows, n: log_odds(
            min(max(r.second_support, r.second_contradiction) for r in rows)
        ),
        "conflict": lambda rows, n: log_odds(max(min(r.support, r.contradiction) for r in rows)),
        # The largest of many scores is large by chance alone.
        "sentences": lambda rows, n: math.log(max(n, 1)),
        "conditions": lambda rows, n: math.log(len(rows)),
        "covered": lambda rows, n: sum(max(r.support, r.contradiction) >= 0.5 for r in rows) / len(rows),
    }
)
#: Which way a feature moves supported (or yes) and refuted (or no) against the unsettled label, by one amount.
SIGNS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "support": (1, -1),
        "contradiction": (-1, 1),
        "second_support": (1, -1),
        "second_contradiction": (-1, 1),
        "relevance": (1, 1),
        "second_relevance": (1, 1),
        "conflict": (-1, -1),
        "sentences": (-1, -1),
        "conditions": (-1, -1),
        "covered": (1, 1),
    }
)


def features_of(names: Sequence[str], critical: Sequence[Best], sentences: int) -> list[float]:
    """The features of that name, in that order.

    Raises:
        KeyError: no such feature.
    """
    return [FEATURES[name](critical, sentences) for name in names]


def probabilities(posterior: Posterior, features: Sequence[float]) -> dict[Label, float]:
    """P(label) for every label of the posterior; they sum to 1."""
    values = [
        min(max((f - c) / s, -FARTHEST), FARTHEST)
        for f, c, s in zip(features, posterior.centre, posterior.scale, strict=True)
    ]
    logits = [row[0] + math.fsum(w * v for w, v in zip(row[1:], values, strict=True)) for row in posterior.weights]
    top = max(logits)
    parts = [math.exp(z - top) for z in logits]
    total = math.fsum(parts)
    return {label: part / total for label, part in zip(posterior.labels, parts, strict=True)}
