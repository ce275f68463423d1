"""Ways to read one record: the policy's, and the ablations. No model; the steps' own rules decide.

A `Setup` names what is varied. `Table` holds, per item and critical condition, the support and
contradiction under one decomposition, window choice and pooling; statuses, labels, confidences and
reasons come from `steps`, so there is one definition of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from epoche.backends.base import SCORE_DECIMALS
from epoche.bench.posterior import cross_fitted, features
from epoche.bench.predictions import Predictions, named
from epoche.bench.record import ItemRecord, Run
from epoche.errors import InputError
from epoche.policy import Policy
from epoche.steps.abstain import reason_to_withhold
from epoche.steps.audit import CONTRADICTION, ENTAILMENT, Best, FloatArray, best_of, status_of
from epoche.steps.decide import Draft, label_of, propose
from epoche.steps.roles import heard
from epoche.types import KIND_LABELS, Kind, Label, Reason, Role, Status

Pooling = Literal["max", "best_sentence", "top3"]
Confidence = Literal["max_margin", "min_margin", "reference", "posterior"]
#: The scores of the critical conditions.
Rows = Sequence[Best]


@dataclass(frozen=True)
class Setup:
    """One way to read a record; the defaults are the policy's own."""

    policy: Policy
    #: `recorded`: the decomposer's conditions. `whole`: no decomposition, the whole statement alone.
    decomposition: Literal["recorded", "whole"] = "recorded"
    #: False: no audit, every condition is MIS.
    audit: bool = True
    #: `max`: largest probability per direction. `best_sentence`: both of the window with the largest
    #: max(e, c), as the reference code reads. `top3`: mean of the three largest per direction.
    pooling: Pooling = "max"
    #: The policy's, or `reference`: the reference code's mixture (max c if refuted, 1 − max score of the
    #: missing if unsettled, mean e if supported), three quantities on one scale. `posterior`: P(right),
    #: fitted on the other folds of the same run.
    confidence: Confidence | None = None


class Reading(NamedTuple):
    """One item as read: label and confidence are None where nothing is proposed."""

    label: Label | None
    confidence: float | None
    #: None for an answer; else a reason, or "failure".
    withheld: str | None


Key = tuple[str, tuple[Literal[1, 2], ...], Pooling, tuple[Role, ...]]


def key_of(setup: Setup) -> Key:
    """What a table depends on; setups of one key share it."""
    return setup.decomposition, setup.policy.windows, setup.pooling, setup.policy.silent


class Table:
    """Support and contradiction of the critical conditions of every item of a run."""

    def __init__(self, run: Run, setup: Setup) -> None:
        self.items = run.items
        self.key = key_of(setup)
        self.rows = [self._pooled(run, item) for item in run.items]

    def _pooled(self, run: Run, item: ItemRecord) -> tuple[Rows, Rows | None] | None:
        """Scores of the critical conditions, also without retracted documents; None if not scored."""
        if item.failure is not None or item.obstacles:
            return None
        decomposition, windows, pooling, silent = self.key
        conditions = item.decomposition.conditions
        critical = [i for i, c in enumerate(conditions) if c.critical]
        if decomposition == "whole":
            critical = [len(conditions) - 1]
        chosen = heard(run.scores(item), item.evidence, silent)[critical]

        def rows(mask: NDArray[np.bool_]) -> Rows:
            if pooling == "max":
                return best_of(chosen, mask)
            return [Best(s, c) for s, c in pool(chosen[:, mask], pooling).tolist()]

        read = np.array([len(w.sentences) in windows for w in item.evidence.windows], dtype=np.bool_)
        retracted = {d.id for d in item.evidence.documents if d.retracted}
        everything = rows(read)
        if not retracted:
            return everything, everything
        documents = [item.evidence.sentences[w.sentences[0]].document for w in item.evidence.windows]
        sound = read & np.array([d not in retracted for d in documents], dtype=np.bool_)
        return everything, rows(sound) if sound.any() else None

    def read(self, setup: Setup) -> list[Reading]:
        """Readings of all items under a setup with this table's decomposition, windows and pooling."""
        readings = [self._read(item, rows, setup) for item, rows in zip(self.items, self.rows, strict=True)]
        return self._posterior(readings, setup) if setup.confidence == "posterior" else readings

    def _posterior(self, readings: Sequence[Reading], setup: Setup) -> list[Reading]:
        """The same proposals with a fitted confidence, which then meets τ in place of the margin."""
        rows = [i for i, r in enumerate(readings) if r.label is not None]
        if not rows:
            return list(readings)
        known = np.array([_features(readings[i].label, self.rows[i]) for i in rows])
        right = np.array([readings[i].label is self.items[i].gold for i in rows], dtype=np.bool_)
        fitted = cross_fitted([self.items[i].id for i in rows], known, right)
        result = list(readings)
        for i, value in zip(rows, fitted.tolist(), strict=True):
            before, value = readings[i], round(value, SCORE_DECIMALS)
            withheld = before.withheld
            if withheld in (None, Reason.BELOW_THRESHOLD):
                tau = setup.policy.tau
                withheld = Reason.BELOW_THRESHOLD.value if tau is None or value < tau else None
            result[i] = Reading(before.label, value, withheld)
        return result

    def _read(self, item: ItemRecord, rows: tuple[Rows, Rows | None] | None, setup: Setup) -> Reading:
        if rows is None:
            return Reading(None, None, "failure" if item.failure else str(item.obstacles[0].reason))
        everything, sound = rows
        kind, sentences = item.statement.kind, len(item.evidence.sentences)
        draft = read_as(kind, everything, sentences, setup)
        clean = draft if sound is everything else None
        if sound is not everything and sound is not None:
            clean = read_as(kind, sound, sentences, setup)
        unread = bool(item.evidence.unread)
        reason = reason_to_withhold(draft, setup.policy, sound=clean, unread=unread)
        return Reading(draft.label, draft.confidence, None if reason is None else str(reason))


def _features(label: Label | None, rows: tuple[Rows, Rows | None] | None) -> list[float]:
    best = rows[0] if rows is not None else []
    return features(
        label in (Label.SUPPORTED, Label.YES),
        label in (Label.REFUTED, Label.NO),
        max(b.support for b in best),
        max(b.contradiction for b in best),
    )


def pool(scores: FloatArray, pooling: Pooling) -> FloatArray:
    """float64[k, 2] of support and contradiction from float64[k, m, 3], m ≥ 1."""
    directions = scores[:, :, [ENTAILMENT, CONTRADICTION]]
    pooled: FloatArray
    if pooling == "max":
        pooled = directions.max(axis=1)
    elif pooling == "best_sentence":
        pooled = directions[np.arange(len(scores)), directions.max(axis=2).argmax(axis=1)]
    else:
        pooled = np.sort(directions, axis=1)[:, -3:].mean(axis=1)
    return pooled


def read_as(kind: Kind, rows: Rows, sentences: int, setup: Setup) -> Draft:
    """The proposal from the scores of the critical conditions."""
    policy = setup.policy
    if not setup.audit:
        # Without an audit there is no score to be confident about.
        return Draft(label_of(kind, [Status.MIS] * len(rows), policy), 0.0, conflict=False)
    if setup.confidence is not None:
        # `posterior` and `reference` replace the margin afterwards.
        by_margin = setup.confidence if setup.confidence in ("max_margin", "min_margin") else "max_margin"
        policy = policy.model_copy(update={"confidence": by_margin, "posterior": None})
    draft = propose(kind, rows, sentences, policy)
    if setup.confidence == "reference":
        return draft._replace(confidence=_reference_confidence(draft.label, rows, policy))
    return draft


def _reference_confidence(label: Label, rows: Rows, policy: Policy) -> float:
    if label in (Label.REFUTED, Label.NO):
        return max(b.contradiction for b in rows)
    if label in (Label.SUPPORTED, Label.YES):
        return sum(b.support for b in rows) / len(rows)
    missing = [b for b in rows if status_of(b.support, b.contradiction, policy) is Status.MIS]
    return 1.0 - max(max(b.support, b.contradiction) for b in missing)


def predictions_of(run: Run, readings: Sequence[Reading]) -> Predictions:
    """Readings as columns for the metrics.

    Raises:
        InputError: the run has no item, or items of both kinds (their labels do not compare).
    """
    kinds = {item.statement.kind for item in run.items}
    if len(kinds) != 1:
        raise InputError(f"{run.folder}: a run scores items of one kind, not {len(kinds)}")
    labels = KIND_LABELS[kinds.pop()]
    place: dict[Label | None, int] = {label: i for i, label in enumerate(labels)} | {None: -1}
    return Predictions(
        ids=[item.id for item in run.items],
        labels=named(labels),
        gold=np.array([place[item.gold] for item in run.items], dtype=np.int64),
        predicted=np.array([place[r.label] for r in readings], dtype=np.int64),
        confidence=np.array([np.nan if r.confidence is None else r.confidence for r in readings]),
        answered=np.array([r.withheld is None for r in readings], dtype=np.bool_),
        failed=np.array([r.withheld == "failure" for r in readings], dtype=np.bool_),
        withheld=[r.withheld for r in readings],
    )


def leaking(run: Run) -> NDArray[np.bool_]:
    """bool[n]: unsettled items that have nothing to read, if settled ones do have something; failures apart.

    Then the absence of evidence gives the gold label away, and a three-label figure means nothing.
    """
    empty = np.array([not item.evidence.sentences and not item.failure for item in run.items], dtype=np.bool_)
    unsettled = np.array(
        [item.gold in (Label.NOT_ENOUGH_EVIDENCE, Label.MAYBE) for item in run.items], dtype=np.bool_
    )
    if (~empty & ~unsettled).any() and (empty & unsettled).any():
        return empty & unsettled
    return np.zeros(len(run.items), dtype=np.bool_)


def grid(policy: Policy) -> dict[str, Setup]:
    """The paper's ablations and ours, by name. The first is the run's own policy."""
    base = Setup(policy)
    window_sets: dict[str, tuple[Literal[1, 2], ...]] = {"sentences": (1,), "and pairs": (1, 2)}
    setups = {
        "as run": base,
        "no decomposition": replace(base, decomposition="whole"),
        "no audit": replace(base, audit=False),
        "no abstention": replace(base, policy=policy.model_copy(update={"tau": 0.0})),
    }
    for name, sizes in window_sets.items():
        varied = policy.model_copy(update={"windows": sizes})
        setups[f"windows: {name}"] = replace(base, policy=varied)
    for pooling in ("max", "best_sentence", "top3"):
        setups[f"pooling: {pooling}"] = replace(base, pooling=pooling)
    for confidence in ("max_margin", "min_margin", "reference", "posterior"):
        setups[f"confidence: {confidence}"] = replace(base, confidence=confidence)
    for threshold in (0.5, 0.6, 0.7, 0.8, 0.9):
        varied = policy.model_copy(update={"support_threshold": threshold, "contradiction_threshold": threshold})
        setups[f"thresholds: {threshold}"] = replace(base, policy=varied)
    for name, roles in {"aims": (Role.AIM,), "aims and background": (Role.AIM, Role.BACKGROUND)}.items():
        setups[f"silent: {name}"] = replace(base, policy=policy.model_copy(update={"silent": roles}))
    setups["conflicts abstain"] = replace(base, policy=policy.model_copy(update={"on_conflict": "abstain"}))
    return setups
