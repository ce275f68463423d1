"""NLI scores kept on disk, so that a second run with another decomposer scores only what is new."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from epoche.backends.base import SCORE_DECIMALS, NliModel, Progress, Scores
from epoche.errors import InputError
from epoche.types import NliInfo

_UNIT = 10**SCORE_DECIMALS
_ROW = struct.Struct("<3i")


class CachedNli:
    """An NLI model that remembers. Safe for several processes (SQLite, write-ahead log).

    A key is the sha256 of the model's hash, the lengths and the texts of a pair: ("a_b", "c") and
    ("a", "b_c") are different pairs, and an entry belongs to one model. Scores have six decimals and
    are stored as whole millionths, so what comes back is what was put in.
    """

    def __init__(self, model: NliModel, path: Path) -> None:
        self.model = model
        self._path = path
        try:
            self._store = sqlite3.connect(path, timeout=60, isolation_level=None)
            self._store.execute("PRAGMA journal_mode=WAL")
            self._store.execute("CREATE TABLE IF NOT EXISTS pairs (key BLOB PRIMARY KEY, score BLOB) WITHOUT ROWID")
        except sqlite3.Error as error:
            raise InputError(f"pair cache {path} cannot be used ({error}): remove it or choose another") from None

    @property
    def info(self) -> NliInfo:
        return self.model.info

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return self.model.token_spans(text)

    def score(self, pairs: Sequence[tuple[str, str]], progress: Progress | None = None) -> Scores:
        """See `NliModel.score`; only pairs that are not in the cache reach the model."""
        keys = [self._key(p, h) for p, h in pairs]
        known = self._known(dict.fromkeys(keys))
        new = {k: pair for k, pair in zip(keys, pairs, strict=True) if k not in known}
        if new:
            raw = self.model.score(list(new.values()), progress)
            fresh = dict(zip(new, np.rint(raw * _UNIT).astype(np.int64).tolist(), strict=True))
            known |= {k: (int(e), int(n), int(c)) for k, (e, n, c) in fresh.items()}
            self._remember({k: known[k] for k in new})
        rows = np.array([known[k] for k in keys], dtype=np.float64).reshape(len(keys), 3)
        scores: Scores = np.round(rows / _UNIT, SCORE_DECIMALS)
        return scores

    def _remember(self, fresh: dict[bytes, tuple[int, int, int]]) -> None:
        """Stores scores. Where that fails (a full disk) only time is lost: the scores are used all the same."""
        try:
            self._store.execute("BEGIN IMMEDIATE")
            rows = [(key, _ROW.pack(*score)) for key, score in fresh.items()]
            self._store.executemany("INSERT OR IGNORE INTO pairs VALUES (?, ?)", rows)
            self._store.execute("COMMIT")
        except sqlite3.Error:
            with contextlib.suppress(sqlite3.Error):
                self._store.execute("ROLLBACK")

    def _key(self, premise: str, hypothesis: str) -> bytes:
        p, h = premise.encode("utf-8"), hypothesis.encode("utf-8")
        return hashlib.sha256(bytes.fromhex(self.info.sha256) + struct.pack("<QQ", len(p), len(h)) + p + h).digest()

    def _known(self, keys: dict[bytes, None]) -> dict[bytes, tuple[int, int, int]]:
        try:
            return self._looked_up(keys)
        except sqlite3.DatabaseError as error:
            raise InputError(f"pair cache {self._path} cannot be read ({error}): remove it") from None

    def _looked_up(self, keys: dict[bytes, None]) -> dict[bytes, tuple[int, int, int]]:
        found: dict[bytes, tuple[int, int, int]] = {}
        wanted = list(keys)
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            marks = ",".join("?" * len(part))
            for key, score in self._store.execute(f"SELECT key, score FROM pairs WHERE key IN ({marks})", part):
                e, n, c = _ROW.unpack(score)
                found[key] = (e, n, c)
        return found

    def close(self) -> None:
        """Closes the file."""
        self._store.close()
