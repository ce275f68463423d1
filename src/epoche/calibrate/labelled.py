"""Labelled items, from a run of ours or from anybody's predictions: what was proposed, and was it right."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from epoche.bench.datasets import sha256_of
from epoche.bench.labels import read_label
from epoche.bench.predictions import Predictions, read_predictions
from epoche.bench.readings import Setup, Table, leaking, predictions_of
from epoche.bench.record import Run, load_run
from epoche.errors import InputError
from epoche.policy import Policy
from epoche.types import Kind, Reason

BoolArray = NDArray[np.bool_]
#: How `epoche plan` marks the items that it picked, and those that it drew.
NEAR, RANDOM = "near", "random"


@dataclass(frozen=True)
class Source:
    """What made the items; None and empty for another system's predictions."""

    name: str
    data_sha256: str
    nli_sha256: str | None = None
    decomposer: str = ""
    splitter: str = ""
    kind: Kind | None = None


@dataclass(frozen=True)
class Labelled:
    """n items.

    Attributes:
        open: bool[n]: answered as soon as the confidence reaches τ; the others are withheld at any τ.
        marks: fingerprints of each item's name and text.
    """

    source: Source
    predictions: Predictions
    open: BoolArray
    marks: list[frozenset[str]]

    @property
    def n(self) -> int:
        return self.predictions.n

    def subset(self, mask: BoolArray) -> Labelled:
        """The items where `mask` is true."""
        marks = [m for m, keep in zip(self.marks, mask.tolist(), strict=True) if keep]
        return Labelled(self.source, self.predictions.subset(mask), self.open[mask], marks)

    @property
    def gold_counts(self) -> dict[str, int]:
        """Gold label → how many items."""
        counts = np.bincount(self.predictions.gold, minlength=len(self.predictions.labels))
        return dict(zip(self.predictions.labels, counts.tolist(), strict=True))


def fingerprint(text: str) -> str:
    """Half of the sha256 of a text, letter case and spaces apart."""
    return hashlib.sha256(" ".join(text.lower().split()).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def is_run(path: Path) -> bool:
    """Whether a path is a folder, which then has to hold a run."""
    return path.is_dir()


def read_labelled(path: Path, policy: Policy) -> Labelled:
    """A run read under a policy, or lines of {"id", "gold", "pred", "confidence"}.

    Raises:
        InputError, DocumentError: neither, or items without a gold label.
    """
    if is_run(path):
        return of_run(load_run(path), policy)
    if not path.is_file():
        raise InputError(f"{path} is no file: give the folder of a run, or a file of predictions")
    found = read_predictions(path)
    refuse_picked(path)
    doubled = Counter(str(read_label(name)) for name in found.labels if read_label(name))
    if doubled and max(doubled.values()) > 1:
        raise InputError(
            f"{path} writes the label {max(doubled, key=lambda k: doubled[k])} in several ways: use one"
        )
    marks = [frozenset({fingerprint(f"id {key}")}) for key in found.ids]
    return Labelled(Source(path.name, sha256_of(path)), found, found.proposed, marks)


def refuse_picked(path: Path) -> None:
    """Refuses items that were picked near a threshold: they are no sample of what is to be answered.

    Raises:
        InputError: naming the first line.
    """
    lines = enumerate(path.read_bytes().splitlines(), start=1)
    picked = (n for n, line in lines if b'"drawn"' in line and json.loads(line).get("drawn") == NEAR)
    first = next(picked, None)
    if first is not None:
        raise InputError(
            f"{path}, line {first}: picked near a threshold by `epoche plan --near`, so it stands for nothing but "
            "itself: a promise needs items drawn at random"
        )


def of_run(run: Run, policy: Policy, table: Table | None = None) -> Labelled:
    """The scored items of a run; where missing evidence gives a label away, without those items.

    Args:
        table: of this run under a policy that reads the same windows.
    """
    require_labelled(run)
    kind = run.items[0].statement.kind
    if policy.kind not in (None, kind):
        raise InputError(f"{run.folder} is about {kind.value}s, the policy {policy.name!r} about {policy.kind}s")
    setup = Setup(policy)
    readings = (table or Table(run, setup)).read(setup)
    predictions = predictions_of(run, readings)
    may_be = {None, Reason.BELOW_THRESHOLD.value}
    identity = run.meta["identity"]
    if lacking := sorted({"data_sha256", "nli_sha256", "splitter"} - identity.keys()):
        raise InputError(
            f"{run.folder} does not say its {lacking[0]}, so no promise can be bound to it: run it anew"
        )
    source = Source(
        name=f"{identity['dataset']} {identity['split']} ({identity['protocol']})",
        data_sha256=identity["data_sha256"],
        nli_sha256=identity["nli_sha256"],
        decomposer=identity["decomposer"],
        splitter=identity["splitter"],
        kind=kind,
    )
    marks = [
        frozenset({fingerprint(f"{identity['dataset']} {i.id}"), fingerprint(i.statement.text)}) for i in run.items
    ]
    found = Labelled(source, predictions, np.array([r.withheld in may_be for r in readings]), marks)
    return found.subset(~leaking(run))


def require_labelled(run: Run) -> None:
    """Refuses a run without items, or with items that have no gold label.

    Raises:
        InputError: naming the first.
    """
    if not run.items:
        raise InputError(f"{run.folder} holds no item")
    without = [item.id for item in run.items if item.gold is None]
    if without:
        raise InputError(
            f"{run.folder}: {len(without)} of {len(run.items)} items have no gold label (first: "
            f"{without[0]}): label them, or leave them out"
        )


def overlapping(marks: Iterable[str], items: Labelled) -> list[str]:
    """Ids of the items that have one of these fingerprints."""
    known = set(marks)
    return [key for key, own in zip(items.predictions.ids, items.marks, strict=True) if own & known]
