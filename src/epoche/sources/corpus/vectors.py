"""Vectors of passages, for searching an index by meaning: kept in the store, memory-mapped where it is searched."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
from numpy.lib import format as npy

from epoche.backends.base import Encoder
from epoche.errors import InputError
from epoche.sources.corpus.store import read_body, set_setting, setting
from epoche.types import Component

#: Passages encoded between two commits.
_BATCH = 256
FILE = "vectors.npy"


def encoder_of(store: sqlite3.Connection) -> Component | None:
    """The encoder that an index was made with, if with one."""
    found = setting(store, "encoder")
    return None if found is None else Component.model_validate_json(found)


def encode_missing(store: sqlite3.Connection, encoder: Encoder) -> int:
    """Encodes the passages that have no vector yet; how many there were. Killed, it goes on where it was.

    Raises:
        InputError: the index was made with another encoder.
    """
    made = encoder_of(store)
    if made is not None and made != encoder.component:
        raise InputError(
            f"the index was made with the encoder {made.name}, and {encoder.component.name} is another (or other "
            "files of that name): make an index of its own for it"
        )
    set_setting(store, "encoder", encoder.component.model_dump_json())
    done = 0
    while rows := store.execute(
        "SELECT row, body FROM documents WHERE vector IS NULL ORDER BY row LIMIT ?", (_BATCH,)
    ).fetchall():
        documents = [read_body(body) for _, body in rows]
        vectors = encoder.encode([f"{d.title}. {d.text}" if d.title else d.text for d in documents])
        packed = [(v.astype("<f2").tobytes(), row) for v, (row, _) in zip(vectors, rows, strict=True)]
        store.executemany("UPDATE documents SET vector = ? WHERE row = ?", packed)
        store.commit()
        done += len(rows)
    return done


def write_vectors(store: sqlite3.Connection, folder: Path, count: int) -> None:
    """The vectors of all passages in order, float16[passages, dimensions].

    Raises:
        InputError: a passage has none, or one of another length.
    """
    first = store.execute("SELECT vector FROM documents ORDER BY row LIMIT 1").fetchone()[0]
    if first is None:
        raise InputError("the index is searched by meaning too: give the same --encoder again")
    with (folder / FILE).open("wb") as stream:
        head = {"descr": "<f2", "fortran_order": False, "shape": (count, len(first) // 2)}
        npy.write_array_header_1_0(stream, head)
        for (vector,) in store.execute("SELECT vector FROM documents ORDER BY row"):
            if vector is None or len(vector) != len(first):
                raise InputError("a passage of the index has no vector: give the same --encoder again")
            stream.write(vector)


def nearest(vectors: np.ndarray, query: np.ndarray, top: int) -> list[tuple[int, float]]:
    """Places of the passages nearest to a query, with their cosines, best first; all that tie with the last.

    Args:
        vectors: float16[n, d], of unit length.
        query: float32[d], of unit length.
    """
    scores = np.empty(len(vectors), dtype=np.float32)
    for start in range(0, len(vectors), 65_536):
        part = np.asarray(vectors[start : start + 65_536], dtype=np.float32)
        scores[start : start + len(part)] = part @ query
    scores = np.round(scores, 4)
    found = np.arange(len(scores))
    if found.size > top:
        found = found[scores >= np.partition(scores, found.size - top)[found.size - top]]
    return sorted(((int(i), float(scores[i])) for i in found), key=lambda hit: -hit[1])
