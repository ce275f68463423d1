"""Predictions of any system as columns: gold, predicted, confidence. What metrics are computed from."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar

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
_CHUNK = 20000


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
    gold: list[NDArray[np.int64]] = []
    predicted: list[NDArray[np.int64]] = []
    confidence: list[FloatArray] = []
    groups: list[str] = []
    numbers: list[int] = []
    for block, records in _quickly(_blocks(path)):
        columns = _columns(records)
        if columns is None:
            _name_the_line(path, block, records)
            raise AssertionError("a line that is not plain has a problem")
        ids += columns[0]
        numbers += block
        for column, labels in ((gold, columns[1]), (predicted, columns[2])):
            for label in dict.fromkeys(labels):
                codes.setdefault(label, len(codes))
            column.append(np.fromiter(map(codes.__getitem__, labels), dtype=np.int64, count=len(labels)))
        confidence.append(columns[3])
        groups += [str(record["group"]) for record in records if "group" in record]
    if len(set(ids)) < len(ids):
        _name_the_double(path, ids, numbers)
    if not ids:
        raise InputError(f'{path} has no line: give lines like {{"id", "gold", "pred", "confidence"}}')
    if groups and len(groups) != len(ids):
        raise InputError(f"{path}: only {len(groups)} of {len(ids)} lines have a group: give all or none")
    n = len(ids)
    return Predictions(
        ids=ids,
        labels=tuple(codes),
        gold=np.concatenate(gold),
        predicted=np.concatenate(predicted),
        confidence=np.concatenate(confidence),
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


T = TypeVar("T")
_FIELDS = itemgetter("id", "gold", "pred", "confidence")


def _columns(records: Sequence[Any]) -> tuple[list[str], Sequence[str], Sequence[str], FloatArray] | None:
    """Ids, gold, predicted, confidence if every line is as it must be, else None."""
    try:
        keys, gold, predicted, confidence = zip(*map(_FIELDS, records), strict=True)
    except (KeyError, TypeError, IndexError):
        return None
    if None in keys or not set(map(type, confidence)) <= {int, float}:
        return None
    for labels in (gold, predicted):
        if set(map(type, labels)) != {str} or "" in labels:
            return None
    values = np.array(confidence, dtype=np.float64)
    return (list(map(str, keys)), gold, predicted, values) if np.isfinite(values).all() else None


def _name_the_line(path: Path, numbers: Sequence[int], records: Sequence[Any]) -> None:
    for number, record in zip(numbers, records, strict=True):
        problem = _problem(record)
        if problem is not None:
            raise DocumentError(f"{path.name}, line {number}: {problem}", source=path.name, line=number)


def _name_the_double(path: Path, ids: Sequence[str], numbers: Sequence[int]) -> None:
    seen: dict[str, int] = {}
    for key, number in zip(ids, numbers, strict=True):
        if key in seen:
            raise DocumentError(
                f"{path.name}, line {number}: the id {key!r} occurs twice, first in line {seen[key]}",
                source=path.name,
                line=number,
            )
        seen[key] = number


def _quickly(blocks: Iterator[T]) -> Iterator[T]:
    """The same, the search for reference cycles paused: it would look at a million new objects again and again."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield from blocks
    finally:
        if running:
            gc.enable()


def _blocks(path: Path) -> Iterator[tuple[list[int], list[Any]]]:
    """(line numbers, parsed lines), blank lines left out, many lines parsed at a time."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    for start in range(0, len(lines), _CHUNK):
        part = lines[start : start + _CHUNK]
        numbers = [n for n, line in enumerate(part, start=start + 1) if line and not line.isspace()]
        if numbers:
            yield numbers, _parsed(path, numbers, [lines[n - 1] for n in numbers])


def _parsed(path: Path, numbers: Sequence[int], lines: Sequence[bytes]) -> list[Any]:
    try:
        records: list[Any] = from_json(b"[" + b",".join(lines) + b"]")
    except ValueError:
        records = []
    if len(records) == len(lines):
        return records
    records = []
    for number, line in zip(numbers, lines, strict=True):
        try:
            records.append(from_json(line))
        except ValueError as error:
            raise DocumentError(
                f"{path.name}, line {number}: broken JSON: {error}", source=path.name, line=number
            ) from None
    return records


def named(labels: Sequence[Label]) -> tuple[str, ...]:
    """Our labels as a vocabulary."""
    return tuple(str(label) for label in labels)
