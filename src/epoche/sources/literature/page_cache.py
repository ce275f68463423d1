"""Answers of literature services kept on disk for a week (SQLite). No key and no email is ever in it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

#: Seconds after which a page is asked for anew: a paper can be retracted any day.
WEEK = 7 * 24 * 3600.0
_TABLE = (
    "CREATE TABLE IF NOT EXISTS pages (url TEXT PRIMARY KEY, at REAL NOT NULL, body BLOB NOT NULL) WITHOUT ROWID"
)


class PageCache:
    """One file, safe for several threads and processes; one that cannot be used is gone on without.

    Args:
        now: seconds since 1970.
    """

    def __init__(self, path: Path | None, now: Callable[[], float]) -> None:
        self._now, self._lock = now, threading.Lock()
        self._pages: sqlite3.Connection | None = None
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._pages = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
            self._pages.execute("PRAGMA journal_mode=WAL")
            self._pages.execute(_TABLE)
            self._pages.execute("DELETE FROM pages WHERE at <= ? OR at > ?", (now() - WEEK, now()))
        except (sqlite3.Error, OSError):
            self.close()

    def page(self, url: str) -> bytes | None:
        """A page that is not too old."""
        rows = self._done("SELECT at, body FROM pages WHERE url = ?", (url,))
        for at, body in rows:
            if isinstance(at, float) and isinstance(body, bytes) and 0 <= self._now() - at < WEEK:
                return body
        return None

    def remember(self, url: str, body: bytes) -> None:
        """Stores a page. Where that fails only time is lost."""
        self._done("INSERT OR REPLACE INTO pages VALUES (?, ?, ?)", (url, self._now(), body))

    def _done(self, statement: str, values: tuple[object, ...]) -> list[tuple[object, ...]]:
        with self._lock:
            if self._pages is None:
                return []
            try:
                return self._pages.execute(statement, values).fetchall()
            except sqlite3.Error:
                return []

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            if self._pages is not None:
                self._pages.close()
            self._pages = None
