"""Scores and replies kept on disk (SQLite), so that nothing is paid for twice. No key is ever in it."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epoche.errors import InputError

#: Keys looked up at once.
_PART = 500
_TABLES = (
    "CREATE TABLE IF NOT EXISTS pairs (key BLOB PRIMARY KEY, score BLOB) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS replies (key BLOB PRIMARY KEY, model TEXT, reply TEXT) WITHOUT ROWID",
)


@dataclass(frozen=True)
class Contents:
    """What a cache holds."""

    path: Path
    pairs: int
    replies: Mapping[str, int]
    bytes: int


class Store:
    """One file, safe for several processes (write-ahead log) and threads.

    Raises:
        InputError: a file that is no cache, or cannot be read or made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._store = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
            self._store.execute("PRAGMA journal_mode=WAL")
            for table in _TABLES:
                self._store.execute(table)
        except (sqlite3.Error, OSError) as error:
            raise InputError(f"cache {path} cannot be used ({error}): remove it or choose another") from None

    def pairs(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Scores by key, of those that are known."""
        return self._look_up("pairs", "score", list(keys))

    def remember_pairs(self, fresh: Mapping[bytes, bytes]) -> None:
        """Stores scores. Where that fails (a full disk) only time is lost."""
        self._write("INSERT OR IGNORE INTO pairs VALUES (?, ?)", list(fresh.items()))

    def reply(self, key: bytes) -> dict[str, Any] | None:
        """A stored reply; None if it is not known or not readable."""
        found = self._look_up("replies", "reply", [key]).get(key)
        try:
            return None if found is None else dict(json.loads(found))
        except (ValueError, TypeError):
            return None

    def remember_reply(self, key: bytes, model: str, reply: Mapping[str, Any]) -> None:
        """Stores a reply. Where that fails only time is lost."""
        self._write("INSERT OR REPLACE INTO replies VALUES (?, ?, ?)", [(key, model, json.dumps(reply))])

    def contents(self) -> Contents:
        """How much is stored."""
        with self._reading():
            (pairs,) = self._store.execute("SELECT COUNT(*) FROM pairs").fetchone()
            rows = self._store.execute(
                "SELECT model, COUNT(*) FROM replies GROUP BY model ORDER BY model"
            ).fetchall()
        return Contents(self.path, pairs, dict(rows), self.path.stat().st_size)

    def clear(self) -> None:
        """Forgets everything and gives the room back."""
        with self._reading():
            for statement in ("DELETE FROM pairs", "DELETE FROM replies", "VACUUM"):
                self._store.execute(statement)

    def close(self) -> None:
        """Closes the file."""
        self._store.close()

    @contextlib.contextmanager
    def _reading(self) -> Any:
        try:
            with self._lock:
                yield
        except sqlite3.Error as error:
            raise InputError(f"cache {self.path} cannot be read ({error}): remove it") from None

    def _look_up(self, table: str, column: str, keys: list[bytes]) -> dict[bytes, Any]:
        found: dict[bytes, Any] = {}
        with self._reading():
            for start in range(0, len(keys), _PART):
                part = keys[start : start + _PART]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, {column} FROM {table} WHERE key IN ({marks})"  # names of ours, not input
                found.update(self._store.execute(query, part).fetchall())
        return found

    def _write(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
        with self._lock:
            try:
                self._store.execute("BEGIN IMMEDIATE")
                self._store.executemany(statement, rows)
                self._store.execute("COMMIT")
            except sqlite3.Error:
                with contextlib.suppress(sqlite3.Error):
                    self._store.execute("ROLLBACK")
