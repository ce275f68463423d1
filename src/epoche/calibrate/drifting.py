"""Is a promise still valid for a stream? Labelled feedback is bet against it, confidences are compared."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import ks_2samp

from epoche.bench.labels import label_name
from epoche.bench.predictions import DECISIVE
from epoche.bench.record import load_run
from epoche.calibrate.checking import require_same_maker
from epoche.calibrate.labelled import is_run, of_run, refuse_picked
from epoche.calibrate.planning import read_unlabelled
from epoche.config import named_policy
from epoche.errors import InputError, PolicyError
from epoche.guarantee.monitor import evidence_against
from epoche.policy import PolicyFile, Promise, Target
from epoche.types import SUPPORTING

#: Confidences that differ as much by chance less often than this come from another distribution.
LEVEL = 0.01
#: Fewer confidences are not compared.
FEWEST = 50
#: A promise without a δ is given up at this one.
_DELTA = 0.05


@dataclass(frozen=True)
class Feedback:
    """One promise against the labelled answers of a stream.

    Attributes:
        answered, errors: of the items with a gold label.
        evidence: the largest the e-process came to; the promise is refuted from 1/δ on.
        refuted_after: how many labelled answers had come then; None where it never was.
    """

    promise: Promise
    answered: int
    errors: int
    evidence: float
    refuted_after: int | None


@dataclass(frozen=True)
class Drift:
    """What a stream says of a policy.

    Attributes:
        items: all of the stream; `labelled` of them have a gold label.
        answered: share of all items that reach τ.
        same_scores: how likely so different confidences are by chance (two-sample Kolmogorov–Smirnov).
    """

    policy: PolicyFile
    items: int
    labelled: int
    answered: float
    rows: list[Feedback]
    same_scores: float | None

    @property
    def refuted(self) -> bool:
        return any(row.refuted_after is not None for row in self.rows)

    @property
    def shifted(self) -> bool:
        return self.same_scores is not None and self.same_scores < LEVEL

    @property
    def why(self) -> str:
        """Why the policy must not promise any more; empty if it may."""
        reasons = [
            f"after {row.refuted_after} labelled answers the risk is shown to exceed {row.promise.alpha * 100:g} %"
            for row in self.rows
            if row.refuted_after is not None
        ]
        if self.shifted:
            reasons.append(f"the confidences are distributed differently (p = {self.same_scores:.2g})")
        return "; ".join(reasons)


def drift(policy: Path, on: Path) -> Drift:
    """Follows a stream in its order: lines of {"id", "pred", "confidence"[, "gold"]}, or the items of a run.

    Raises:
        PolicyError: the policy promises nothing.
        InputError, DocumentError: lines that cannot be read.
    """
    file = named_policy(str(policy))
    if not file.promises:
        raise PolicyError(f"{policy} promises nothing, so nothing can drift away from it")
    rows, never = _stream(on, file)
    n = len(rows) + never
    known = [row for row in rows if row.get("gold") is not None]
    feedback = [_feedback(file, promise, known) for promise in file.promises]
    confidences = [row["confidence"] for row in rows]
    same = None
    if file.calibration is not None and file.calibration.confidences and len(rows) >= FEWEST:
        same = float(ks_2samp(confidences, file.calibration.confidences).pvalue)
    answered = sum(_answered(file, row) for row in rows) / n
    return Drift(file, n, len(known), answered, feedback, same)


def _stream(on: Path, file: PolicyFile) -> tuple[list[dict[str, Any]], int]:
    """The items that may be answered, and how many may not at any τ."""
    if is_run(on):
        items = of_run(load_run(on), file.policy)
        require_same_maker(file, items)
        found, names = items.predictions.subset(items.open), items.predictions.labels
        columns = (found.ids, found.gold.tolist(), found.predicted.tolist(), found.confidence.tolist())
        rows: list[dict[str, Any]] = [
            {"id": key, "gold": names[gold], "pred": names[pred], "confidence": sure}
            for key, gold, pred, sure in zip(*columns, strict=True)
        ]
        return rows, items.n - found.n
    if not on.is_file():
        raise InputError(
            f'{on} is no file: give lines of {{"id", "pred", "confidence"[, "gold"]}}, oldest first, or a run'
        )
    refuse_picked(on)
    return read_unlabelled(on), 0


def without_promise(file: PolicyFile, why: str) -> PolicyFile:
    """The policy as it may be used after its promise fell: it answers nothing, and says why."""
    calibration = None if file.calibration is None else file.calibration.model_copy(update={"missing": why})
    update: dict[str, Any] = {"promises": (), "tau": None, "label_tau": {}, "calibration": calibration}
    return PolicyFile.model_validate(file.model_dump() | update)


def _own(row: dict[str, Any], name: str) -> str:
    return label_name(row[name])


def _answered(file: PolicyFile, row: dict[str, Any]) -> bool:
    tau = file.label_tau.get(_own(row, "pred"), file.tau)
    return tau is not None and row["confidence"] >= tau


def _is_about(promise: Promise, row: dict[str, Any]) -> bool:
    label = _own(row, "pred")
    if promise.label is not None:
        return label == promise.label
    if promise.target is Target.DECISIVE:
        return label in DECISIVE
    return promise.target is not Target.FALSE_SUPPORT or label in SUPPORTING


def _feedback(file: PolicyFile, promise: Promise, known: list[dict[str, Any]]) -> Feedback:
    generalized = promise.target is Target.GENERALIZED
    about = [row for row in known if generalized or (_is_about(promise, row) and _answered(file, row))]
    wrong = [_answered(file, row) and _own(row, "pred") != _own(row, "gold") for row in about]
    evidence = evidence_against(wrong, promise.alpha)
    level = 1.0 / (promise.delta or _DELTA)
    # What holds on average only is not refuted by one stream.
    over = np.flatnonzero(evidence >= level) if promise.delta is not None else np.zeros(0, dtype=np.int64)
    return Feedback(
        promise,
        sum(_answered(file, row) for row in about),
        sum(wrong),
        float(evidence.max(initial=1.0)),
        int(over[0]) + 1 if over.size else None,
    )
