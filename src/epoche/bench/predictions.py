"""Predictions of any system as columns: gold, predicted, confidence. What metrics are computed from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic_core import from_json

from epoche.bench.datasets import read_label
from epoche.errors import DocumentError, InputError
from epoche.types import Label

FloatArray = NDArray[np.float64]
#: Predictions that claim something, as against "the evidence does not settle it".
DECISIVE = frozenset({"supported", "refuted", "yes", "no"})
SUPPORTING = frozenset({"supported", "yes"})
_CHUNK = 20_000


@dataclass(frozen=True)
class Predictions:
    """n items as columns.

    Attributes:
        ids: n distinct ids.
        labels: the vocabulary; codes below index it.
        gold: int64[n].
        predicted: int64[n]; −1 where the system proposes nothing (an obstacle, a failure).
        confidence: float64[n]; nan exactly where nothing is proposed.
        answered: bool[n]: given as an answer under the run's own policy.
        failed: bool[n].
        withheld: n reasons why an item is not answered, None where it is; nothing where all are.
    """

    ids: Sequence[str]
    labels: tuple[str, ...]
    gold: NDArray[np.int64]
    predicted: NDArray[np.int64]
    confidence: FloatArray
    answered: NDArray[np.bool_]
    failed: NDArray[np.bool_]
    withheld: Sequence[str | None] | None = None
    groups: Sequence[str] | None = None

    @property
    def n(self) -> int:
        return int(self.gold.size)

    @property
    def proposed(self) -> NDArray[np.bool_]:
        """bool[n]: a label and a confidence are there."""
        mask: NDArray[np.bool_] = self.predicted >= 0
        return mask

    @property
    def reasons(self) -> dict[str, int]:
        """Why items are withheld → how many, by name; failures are not counted here."""
        counted = Counter(r for r in self.withheld or () if r is not None and r != "failure")
        return dict(sorted(counted.items()))

    @property
    def error(self) -> FloatArray:
        """float64[n]: 0 where the proposal is the gold label, else 1."""
        wrong: FloatArray = (self.predicted != self.gold).astype(np.float64)
        return wrong

    def predicts(self, names: frozenset[str]) -> NDArray[np.bool_]:
        """bool[n]: the proposal is one of our labels in `names`, as a data set may write it ("SUPPORTS")."""
        codes = [i for i, label in enumerate(self.labels) if str(read_label(label) or label) in names]
        return np.isin(self.predicted, codes)

    def subset(self, mask: NDArray[np.bool_]) -> Predictions:
        """The items where `mask` is true."""
        chosen = np.flatnonzero(mask).tolist()
        return Predictions(
            ids=[self.ids[i] for i in chosen],
            labels=self.labels,
            gold=self.gold[mask],
            predicted=self.predicted[mask],
            confidence=self.confidence[mask],
            answered=self.answered[mask],
            failed=self.failed[mask],
            groups=None if self.groups is None else [self.groups[i] for i in chosen],
            withheld=None if self.withheld is None else [self.withheld[i] for i in chosen],
        )


def read_predictions(path: Path) -> Predictions:
    """Lines of {"id", "gold", "pred", "confidence"[, "group"]}; any labels. Every line is an answer.

    Raises:
        DocumentError: a line that is not one, a confidence that is not a finite number, an id that
            occurs twice; it names the line.
        InputError: the file cannot be read or has no line.
    """
    ids: list[str] = []
    codes: dict[str, int] = {}
    gold: list[int] = []
    predicted: list[int] = []
    confidence: list[float] = []
    groups: list[str] = []
    seen: set[str] = set()
    for number, record in _lines(path):
        problem = _problem(record)
        if problem is None and str(record["id"]) in seen:
            problem = f"the id {record['id']!r} occurs twice"
        if problem is not None:
            raise DocumentError(f"{path.name}, line {number}: {problem}", source=path.name, line=number)
        key = str(record["id"])
        seen.add(key)
        ids.append(key)
        gold.append(codes.setdefault(record["gold"], len(codes)))
        predicted.append(codes.setdefault(record["pred"], len(codes)))
        confidence.append(record["confidence"])
        if "group" in record:
            groups.append(str(record["group"]))
    if not ids:
        raise InputError(f'{path} has no line: give lines like {{"id", "gold", "pred", "confidence"}}')
    if groups and len(groups) != len(ids):
        raise InputError(f"{path}: only {len(groups)} of {len(ids)} lines have a group: give all or none")
    n = len(ids)
    return Predictions(
        ids=ids,
        labels=tuple(codes),
        gold=np.array(gold, dtype=np.int64),
        predicted=np.array(predicted, dtype=np.int64),
        confidence=np.array(confidence, dtype=np.float64),
        answered=np.ones(n, dtype=np.bool_),
        failed=np.zeros(n, dtype=np.bool_),
        groups=groups or None,
    )


def _problem(record: Any) -> str | None:
    """What is wrong with one line, or None."""
    if not isinstance(record, dict):
        return "an object is needed"
    for name in ("id", "gold", "pred", "confidence"):
        if record.get(name) is None:
            return f"no {name}"
    for name in ("gold", "pred"):
        if not isinstance(record[name], str) or not record[name]:
            return f"{name} must be a label (text), not {record[name]!r}"
    value = record["confidence"]
    if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
        return f"confidence must be a finite number, not {value!r}"
    return None


def _lines(path: Path) -> Iterator[tuple[int, Any]]:
    """(number, parsed line), blank lines left out, many lines parsed at a time."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    block: list[tuple[int, bytes]] = []
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if line and not line.isspace():
            block.append((number, line))
        if len(block) == _CHUNK:
            yield from _parsed(path, block)
            block = []
    yield from _parsed(path, block)


def _parsed(path: Path, block: list[tuple[int, bytes]]) -> Iterator[tuple[int, Any]]:
    try:
        records = from_json(b"[" + b",".join(line for _, line in block) + b"]")
    except ValueError:
        records = []
    if len(records) == len(block):
        yield from ((number, record) for (number, _), record in zip(block, records, strict=True))
        return
    for number, line in block:
        try:
            record = from_json(line)
        except ValueError as error:
            raise DocumentError(
                f"{path.name}, line {number}: broken JSON: {error}", source=path.name, line=number
            ) from None
        yield number, record


def named(labels: Sequence[Label]) -> tuple[str, ...]:
    """Our labels as a vocabulary."""
    return tuple(str(label) for label in labels)
