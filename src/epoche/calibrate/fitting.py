"""A posterior from the labelled items of a run: few features, a ridge, nothing that cannot be read.

Signs are fixed beforehand: more contradiction never makes supported likelier, whatever a hundred items say.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from epoche.bench.readings import Rows, Setup, Table
from epoche.bench.record import ItemRecord, Run
from epoche.errors import InputError
from epoche.metrics.logistic import cross_validated_loss, fit, standard
from epoche.policy import Costs, Policy, Posterior
from epoche.steps.posterior import SIGNS, features_of
from epoche.types import KIND_LABELS, Kind, Role

FEATURES = ("support", "contradiction", "relevance", "second_relevance", "sentences")
RIDGES = (1.0, 3.0, 10.0, 30.0, 100.0)
#: Fewest items of each label that a posterior is fitted on.
FEWEST = 5
_FOLDS = 5
_DECIMALS = 6


def calibrated_rule(kind: Kind, costs: Costs) -> Policy:
    """The policy whose posterior is to be fitted: the audit reads pairs too, a conflict is never answered."""
    return Policy(
        name="calibrated",
        support_threshold=0.5,
        contradiction_threshold=0.5,
        windows=(1, 2),
        silent=(Role.AIM,),
        on_conflict="abstain",
        yes_needs="all",
        kind=kind,
        costs=costs,
    )


def share(item_id: str) -> float:
    """A number in [0, 1) that an item's id fixes: which part it belongs to."""
    return int.from_bytes(hashlib.sha256(f"part {item_id}".encode()).digest()[:4]) / 2**32


def fitted(
    run: Run,
    chosen: Sequence[bool],
    costs: Costs,
    features: Sequence[str] = FEATURES,
    table: Table | None = None,
) -> Policy:
    """The policy `calibrated` with a posterior fitted on the chosen items, answering by cost alone (τ = 0).

    The ridge is the one with the least cross-validated log loss.

    Args:
        chosen: per item of the run.
        table: of this run under such a policy.

    Raises:
        InputError: too few items of a label.
    """
    kind = run.items[0].statement.kind
    policy = calibrated_rule(kind, costs)
    table = table or Table(run, Setup(policy))
    scored = [
        (item, rows)
        for item, rows, wanted in zip(run.items, table.rows, chosen, strict=True)
        if wanted and rows is not None and item.gold is not None
    ]
    labels = KIND_LABELS[kind]
    counts = Counter(item.gold for item, _ in scored)
    lacking = [f"{label}: {counts[label]}" for label in labels if counts[label] < FEWEST]
    if lacking:
        raise InputError(
            f"{run.folder}: a posterior is fitted on at least {FEWEST} items of every label, and there are too few "
            f"({', '.join(lacking)}, of {len(scored)} items): label more, or calibrate --policy paper"
        )
    rows = design(scored, features)
    codes = np.array([labels.index(item.gold) for item, _ in scored if item.gold is not None], dtype=np.int64)
    folds = np.array([int(share(f"fold {item.id}") * _FOLDS) for item, _ in scored], dtype=np.int64)
    signs = np.array([[SIGNS[name][side] for name in features] for side in (0, 1)], dtype=np.int64)
    losses = {r: cross_validated_loss(rows, codes, len(labels), r, folds, signs) for r in RIDGES}
    ridge = min(losses, key=lambda r: losses[r])
    centre, scale = standard(rows)
    weights = fit((rows - centre) / scale, codes, len(labels), ridge, signs)

    def rounded(values: NDArray[np.float64]) -> tuple[float, ...]:
        return tuple(round(v, _DECIMALS) for v in values.tolist())

    posterior = Posterior(
        features=tuple(features),
        labels=tuple(labels),
        centre=rounded(centre),
        scale=rounded(scale),
        weights=tuple(rounded(row) for row in weights),
        n=len(scored),
    )
    return Policy.model_validate(policy.model_dump() | {"confidence": "posterior", "posterior": posterior})


def design(
    scored: Sequence[tuple[ItemRecord, tuple[Rows, Rows | None]]], features: Sequence[str]
) -> NDArray[np.float64]:
    """float64[n, d]."""
    return np.array([features_of(features, rows[0], len(item.evidence.sentences)) for item, rows in scored])
