"""The documents of an index: one SQLite file."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Sequence
from pathlib import Path

from epoche.errors import InputError
from epoche.types import Document

_TABLES = (
    "CREATE TABLE IF NOT EXISTS documents (row INTEGER PRIMARY KEY, id TEXT UNIQUE, parent TEXT, sha BLOB, "
    "body BLOB, terms BLOB, vector BLOB)",
    "CREATE INDEX IF NOT EXISTS parents ON documents (parent)",
    "CREATE TABLE IF NOT EXISTS terms (number INTEGER PRIMARY KEY, term TEXT UNIQUE)",
    "CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT)",
)


def open_documents(folder: Path, *, write: bool) -> sqlite3.Connection:
    """The store of an index.

    Raises:
        InputError: it is not there or not one, or cannot be written.
    """
    path = folder / "documents.sqlite"
    try:
        if write:
            if folder.exists() and any(folder.iterdir()) and not path.exists():
                raise InputError(f"{folder} holds something that is no index: choose another --out")
            folder.mkdir(parents=True, exist_ok=True)
        elif not path.is_file():
            raise InputError(f"{folder} holds no index: make one with epoche index … --out {folder}")
        store = sqlite3.connect(path, timeout=60, check_same_thread=False)
        if write:
            store.execute("PRAGMA journal_mode=WAL")
            store.execute("PRAGMA synchronous=NORMAL")
            for table in _TABLES:
                store.execute(table)
            if "vector" not in [row[1] for row in store.execute("PRAGMA table_info(documents)")]:
                store.execute("ALTER TABLE documents ADD COLUMN vector BLOB")
        else:
            store.execute("SELECT row FROM documents LIMIT 1")
    except (OSError, sqlite3.Error) as error:
        raise InputError(f"index {folder} cannot be opened ({error})") from None
    return store


#: More of what could not be read is not kept.
MOST_UNREAD = 1000
#: Set from the first change on until the search arrays are made anew.
UNFINISHED = "unfinished"


def mark_unfinished(store: sqlite3.Connection) -> None:
    """In the transaction of the first change."""
    store.execute("INSERT OR REPLACE INTO settings VALUES (?, '1')", (UNFINISHED,))


def is_unfinished(store: sqlite3.Connection) -> bool:
    """Whether documents were changed since the search arrays were made."""
    return bool(setting(store, UNFINISHED))


def remember_unread(store: sqlite3.Connection, why: Sequence[str]) -> None:
    """What was to be indexed and could not be read; what is known already stands once."""
    known = dict.fromkeys([*unread_of(store), *why])
    set_setting(store, "unread", json.dumps(list(known)[:MOST_UNREAD]))


def unread_of(store: sqlite3.Connection) -> tuple[str, ...]:
    """What was to be in the index and is not, with the reason."""
    return tuple(json.loads(setting(store, "unread") or "[]"))


def packed_body(document: Document) -> bytes:
    """A document as it is stored."""
    return zlib.compress(document.model_dump_json().encode("utf-8"), 6)


def read_body(body: bytes) -> Document:
    """A stored document."""
    return Document.model_validate_json(zlib.decompress(body))


def setting(store: sqlite3.Connection, name: str) -> str | None:
    """A setting of the index; None if it was never set."""
    if not store.execute("SELECT 1 FROM sqlite_master WHERE name = 'settings'").fetchone():
        return None
    found = store.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
    return None if found is None else str(found[0])


def set_setting(store: sqlite3.Connection, name: str, value: str) -> None:
    """Sets it."""
    store.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))
    store.commit()
