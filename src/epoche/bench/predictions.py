"""Predictions of any system as columns: gold, predicted, confidence. What metrics are computed from."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from msgspec import UNSET, DecodeError, Struct, ValidationError, defstruct
from msgspec.json import Decoder
from numpy.typing import NDArray

from epoche import strict_json
from epoche.bench.datasets import require_once
from epoche.bench.labels import label_name
from epoche.errors import DocumentError, InputError
from epoche.types import REFUTING, SUPPORTING, Label

FloatArray = NDArray[np.float64]
#: Predictions that claim something, as against "the evidence does not settle it".
DECISIVE = SUPPORTING | REFUTING


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

    def predicts(self, names: frozenset[Label]) -> NDArray[np.bool_]:
        """bool[n]: the proposal is one of our labels in `names`, as a data set may write it ("SUPPORTS")."""
        codes = [i for i, label in enumerate(self.labels) if label_name(label) in names]
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
    try:
        content = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    with _no_collection():
        rows = _at_once(content) or _line_by_line(path, content)
        ids = [row.id for row in rows]
        if set(map(type, ids)) != {str}:
            ids = list(map(str, ids))
        if len(set(ids)) < len(ids):
            seen: dict[str, int] = {}
            for key, (number, _) in zip(ids, _lines(content), strict=False):
                require_once(seen, key, path, number)
        if not ids:
            raise InputError(f'{path} has no line: give lines like {{"id", "gold", "pred", "confidence"}}')
        groups = [str(row.group) for row in rows if row.group is not UNSET] if b'"group"' in content else []
        if groups and len(groups) != len(ids):
            raise InputError(f"{path}: only {len(groups)} of {len(ids)} lines have a group: give all or none")
        columns = [row.gold for row in rows], [row.pred for row in rows]
        codes = {label: code for code, label in enumerate(sorted({*columns[0], *columns[1]}))}
        if "" in codes:
            _line_by_line(path, content)  # which names the line
        gold, predicted = (
            np.fromiter(map(codes.__getitem__, labels), dtype=np.int64, count=len(ids)) for labels in columns
        )
        confidence = np.fromiter((row.confidence for row in rows), dtype=np.float64, count=len(ids))
    n = len(ids)
    return Predictions(
        ids=ids,
        labels=tuple(codes),
        gold=gold,
        predicted=predicted,
        confidence=confidence,
        answered=np.ones(n, dtype=np.bool_),
        failed=np.zeros(n, dtype=np.bool_),
        groups=groups or None,
    )


# Without `gc=False` the collector would look at a million rows again and again.
class _Row(Struct, gc=False):
    id: Any
    gold: str
    pred: str
    confidence: float
    group: Any = UNSET


_ROWS = Decoder(_Row)
_HEAD_BYTES, _FEW = 100_000, 50
_NAMES = ("id", "gold", "pred", "confidence", "group")
_SIMPLE = frozenset({str, int, float})


def _at_once(content: bytes) -> list[_Row] | None:
    """All rows, if every line is plainly a prediction; else None, and somebody has to look closer."""
    lines = content.count(b"\n") + 1
    # The decoder keeps the last of two equal keys; a line with two is no prediction.
    if any(content.count(b'"%s"' % name) > lines for name in (b"gold", b"pred", b"confidence")):
        return None
    try:
        rows = _decoded(content)
    except (DecodeError, ValueError):
        return None
    plain = (
        len(rows) <= lines
        and {type(row.id) for row in rows} <= _SIMPLE
        and (b'"group"' not in content or {type(row.group) for row in rows} <= _SIMPLE | {type(UNSET)})
    )
    return rows if plain else None


def _decoded(content: bytes) -> list[_Row]:
    """Rows that share the text of each label of the first lines: millions of copies cost time and memory."""
    head: list[_Row] = _ROWS.decode_lines(content[: content.find(b"\n", _HEAD_BYTES) + 1 or None])
    labels = tuple({label for row in head for label in (row.gold, row.pred)})
    if len(content) < 10 * _HEAD_BYTES or len(labels) > _FEW:
        return _ROWS.decode_lines(content)
    one = Literal[labels]  # type: ignore[valid-type]
    shared = Decoder(defstruct("_Shared", [("gold", one), ("pred", one)], bases=(_Row,), gc=False, kw_only=True))
    try:
        rows: list[Any] = shared.decode_lines(content)
        return rows
    except ValidationError:  # a label that is not among the first lines, or a line that is no prediction
        return _ROWS.decode_lines(content)


def _line_by_line(path: Path, content: bytes) -> list[_Row]:
    rows = []
    for number, line in _lines(content):
        try:
            record = strict_json.loads(line.decode("utf-8"))
            problem = _problem(record)
        except ValueError as error:
            problem = str(error)
        if problem is not None:
            raise DocumentError(f"{path.name}, line {number}: {problem}", source=path.name, line=number)
        rows.append(_Row(**{name: record[name] for name in _NAMES if name in record}))
    return rows


def _lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    """(number, line) of the lines that are not blank."""
    return ((n, line) for n, line in enumerate(content.split(b"\n"), start=1) if line.strip())


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
    for name in ("id", "group"):
        if name in record and type(record[name]) not in _SIMPLE:
            return f"{name} must be a text or a number, not {record[name]!r}"
    value = record["confidence"]
    if type(value) not in (int, float) or not abs(value) < _LARGEST:
        return f"confidence must be a finite number, not {value!r}"
    return None


_LARGEST = sys.float_info.max


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """The search for reference cycles paused: it would look at a million new objects again and again."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def named(labels: Sequence[Label]) -> tuple[str, ...]:
    """Our labels as a vocabulary."""
    return tuple(str(label) for label in labels)
