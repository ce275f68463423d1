"""The record of a run: what was asked, what was read and what the model said. No label is in it.

    meta.json     what made the record: data set, model, decomposer, config, versions, machine
    items.jsonl   one line per item: its case (statement, conditions, evidence), or its failure
    scores.i32    the scores of all items, whole millionths, little-endian int32, appended

Everything else (labels, metrics, ablations, figures) is computed from this, without the model.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from epoche.backends.base import SCORE_DECIMALS
from epoche.bench.lock import alone
from epoche.errors import InputError
from epoche.judge import Case
from epoche.steps.audit import FloatArray
from epoche.types import Decomposition, Evidence, Label, Obstacle, Statement, Value

_UNIT = 10**SCORE_DECIMALS


#: What a record's identity must say for its numbers to mean anything.
_NAMED = frozenset({"dataset", "split", "protocol", "nli", "decomposer"})


class ItemRecord(Value):
    """One line of `items.jsonl`."""

    id: str
    gold: Label | None
    statement: Statement
    decomposition: Decomposition
    evidence: Evidence
    obstacles: tuple[Obstacle, ...]
    #: Where its scores start in `scores.i32`, in int32s, and their shape (k, m); 3 per cell.
    offset: int
    conditions: int
    windows: int
    #: Why nothing was scored, if the model or decomposer broke; such an item is never a verdict.
    failure: str | None = None
    seconds: float = 0.0

    @property
    def case(self) -> Case:
        """The case to judge."""
        return Case(self.statement, self.decomposition, self.evidence, self.obstacles)


@dataclass(frozen=True)
class Run:
    """A finished or unfinished record, loaded."""

    folder: Path
    meta: dict[str, Any]
    items: tuple[ItemRecord, ...]
    #: int32, as in `scores.i32`.
    cells: np.ndarray

    def scores(self, item: ItemRecord) -> FloatArray:
        """float64[k, m, 3] of one item."""
        size = item.conditions * item.windows * 3
        cells = self.cells[item.offset : item.offset + size].astype(np.float64) / _UNIT
        scores: FloatArray = np.round(cells, SCORE_DECIMALS).reshape(item.conditions, item.windows, 3)
        return scores


class Writer:
    """Appends items to a record. What is on disk is always a valid record of the items so far.

    Scores are written and flushed before the line that points to them; after a kill, a torn last line
    and scores without a line are cut off.

    Raises:
        InputError: the folder holds the record of another configuration, or cannot be written.
    """

    def __init__(self, folder: Path, meta: dict[str, Any]) -> None:
        self.folder = folder
        refusal = f"{folder} is being written by another run: wait for it, or choose another --out"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with contextlib.ExitStack() as opened:
                opened.enter_context(alone(folder, refusal))
                self._claim(meta)
                self.done = self._recover()
                self._lines = (folder / "items.jsonl").open("ab")
                self._scores = (folder / "scores.i32").open("ab")
                self._held = opened.pop_all()
        except OSError as error:
            raise InputError(f"run folder {folder} cannot be written: {error.strerror}") from None

    def _claim(self, meta: dict[str, Any]) -> None:
        path = self.folder / "meta.json"
        if not path.exists():
            if (self.folder / "items.jsonl").exists():
                raise InputError(
                    f"{self.folder} holds items and no meta.json, so nobody knows what made them: choose another "
                    "--out, or remove it"
                )
            write_json(path, meta)
            return
        stored = read_json(path)
        for key, value in meta["identity"].items():
            theirs = stored.get("identity", {}).get(key)
            if theirs != value:
                raise InputError(
                    f"{self.folder} holds a run of another configuration ({key}: {theirs!r} there, {value!r} "
                    "here): choose another --out, or remove it"
                )

    def _recover(self) -> dict[str, ItemRecord]:
        lines, scores = self.folder / "items.jsonl", self.folder / "scores.i32"
        if not lines.exists():
            scores.unlink(missing_ok=True)
            return {}
        kept, end, cells, failed = {}, 0, 0, False
        for number, raw in enumerate(lines.read_bytes().splitlines(keepends=True), start=1):
            if not raw.endswith(b"\n"):
                break
            record = _parsed_item(lines, number, raw)
            if record.id in kept:
                raise InputError(f"{lines}, line {number}: item {record.id} occurs twice: remove the run")
            kept[record.id] = record
            failed = failed or record.failure is not None
            end += len(raw)
            cells = max(cells, record.offset + record.conditions * record.windows * 3)
        os.truncate(lines, end)
        if not scores.exists() or scores.stat().st_size < cells * 4:
            raise InputError(f"{scores} is shorter than {lines.name} says: remove the run and start again")
        os.truncate(scores, cells * 4)
        return self._without_failures(kept) if failed else kept

    def _without_failures(self, kept: dict[str, ItemRecord]) -> dict[str, ItemRecord]:
        """What failed (a server that was down, say) is tried again: its lines go, whole file or nothing."""
        good = {key: record for key, record in kept.items() if record.failure is None}
        lines = self.folder / "items.jsonl"
        partial = lines.with_name(f".items.{os.getpid()}.part")
        partial.write_bytes(b"".join(r.model_dump_json().encode("utf-8") + b"\n" for r in good.values()))
        partial.replace(lines)
        return good

    def add(self, record: ItemRecord, scores: FloatArray) -> None:
        """Appends one item; `offset`, `conditions` and `windows` are filled in here."""
        cells = np.rint(scores * _UNIT).astype("<i4")
        placed = record.model_copy(
            update={
                "offset": self._scores.tell() // 4,
                "conditions": scores.shape[0],
                "windows": scores.shape[1] if scores.shape[0] else 0,
            }
        )
        try:
            self._scores.write(cells.tobytes())
            self._scores.flush()
            self._lines.write(placed.model_dump_json().encode("utf-8") + b"\n")
            self._lines.flush()
        except OSError as error:
            raise InputError(
                f"{self.folder} cannot be written ({error.strerror}): make room and start the command again; "
                f"the {len(self.done)} items before are kept"
            ) from None
        self.done[placed.id] = placed

    def close(self) -> None:
        """Closes both files. What a failed write left in a buffer is lost, and was said to be when it failed."""
        for stream in (self._lines, self._scores):
            with contextlib.suppress(OSError):
                stream.close()
        self._held.close()


def load_run(folder: Path) -> Run:
    """The record in a folder, items in the order they were written.

    Raises:
        InputError: no record there, or a damaged one.
    """
    meta_path, lines, scores = (folder / n for n in ("meta.json", "items.jsonl", "scores.i32"))
    if not (meta_path.is_file() and lines.is_file() and scores.is_file()):
        raise InputError(f"{folder} holds no run: give the --out folder of `epoche bench`")
    meta = read_json(meta_path)
    identity = meta.get("identity")
    if not isinstance(identity, dict) or not identity.keys() >= _NAMED:
        raise InputError(f"{meta_path} does not say what made the run: remove the run and start it again")
    items = tuple(_parsed_item(lines, n, raw) for n, raw in enumerate(lines.read_bytes().splitlines(), start=1))
    doubled = [key for key, count in Counter(item.id for item in items).items() if count > 1]
    if doubled:
        raise InputError(f"{lines}: item {doubled[0]} occurs twice: remove the run and start it again")
    cells = np.fromfile(scores, dtype="<i4")
    for item in items:
        if item.offset + item.conditions * item.windows * 3 > cells.size:
            raise InputError(f"{scores} is shorter than item {item.id} says: the record is damaged")
    return Run(folder, meta, items, cells)


def _parsed_item(path: Path, number: int, raw: bytes) -> ItemRecord:
    try:
        return ItemRecord.model_validate_json(raw)
    except ValueError:
        raise InputError(
            f"{path}, line {number}: not an item of a run: remove the run and start it again"
        ) from None


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object from a file."""
    try:
        loaded = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}") from None
    if not isinstance(loaded, dict):
        raise InputError(f"{path}: an object is needed")
    return loaded


def write_json(path: Path, value: Any) -> None:
    """Whole or not at all, keys in the order given."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        partial.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
