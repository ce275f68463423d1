"""An index, opened: memory-mapped, checked against its hashes, the same answer for the same question."""

from __future__ import annotations

import json
import math
import re
import sqlite3
import threading
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epoche.errors import InputError
from epoche.sources.corpus.building import FORMAT, content_hash, file_sha256
from epoche.sources.corpus.store import is_unfinished, open_documents, read_body, unread_of
from epoche.sources.corpus.terms import VERSION, terms
from epoche.sources.corpus.vectors import FILE, nearest
from epoche.types import Component, Document

#: Less of a query's weight than this in the best passage: nothing relevant was found. It is so for one in a hundred
#: of the abstracts that hold the evidence of a SciFact training claim.
RELEVANT = 0.25


_PASSAGE = re.compile(r"#\d+$")


@dataclass(frozen=True)
class Hit:
    """A passage that a query found.

    Attributes:
        score: BM25.
        share: how much of the query's weight (idf) its terms have, from 0 to 1.
    """

    row: int
    id: str
    score: float
    share: float

    @property
    def document(self) -> str:
        """The document that the passage is of."""
        return self.id.rpartition("#")[0] or self.id if _PASSAGE.search(self.id) else self.id


class CorpusIndex:
    """BM25 over the passages of an index.

    Args:
        folder: what `epoche index` wrote.
        check: compare every file with its hash first; else only that they are there.

    Raises:
        InputError: no index, one of another version, or a damaged one.
    """

    def __init__(self, folder: Path, *, check: bool = False) -> None:
        import bm25s

        self.folder = folder
        self.meta = _meta(folder)
        for name, sha in self.meta["arrays"].items():
            path = folder / "bm25" / name
            if not path.is_file() or (check and file_sha256(path) != sha):
                raise InputError(f"index {folder} is damaged ({name}): build it again with epoche index")
        self._store = open_documents(folder, write=False)
        self._lock = threading.Lock()
        unfinished = is_unfinished(self._store)
        try:
            self._model: Any = bm25s.BM25.load(folder / "bm25", mmap=True)
            self._rows = np.load(folder / "bm25" / "rows.npy", mmap_mode="r")
            self._frequencies = np.load(folder / "bm25" / "frequencies.npy", mmap_mode="r")
            self._vectors = np.load(folder / "bm25" / FILE, mmap_mode="r") if self.encoder else None
            (count,) = self._store.execute("SELECT COUNT(*) FROM documents").fetchone()
            if check and not unfinished:
                self._check_documents()
        except (OSError, ValueError, KeyError, EOFError, TypeError, zlib.error, sqlite3.Error) as error:
            raise InputError(f"index {folder} is damaged ({error}): build it again with epoche index") from None
        if unfinished or count != len(self._rows):
            raise InputError(
                f"index {folder} is unfinished (documents were changed since {len(self._rows)} passages were made "
                "ready for searching): start epoche index with the same documents again"
            )

    def _check_documents(self) -> None:
        """Reads every passage.

        Raises:
            ValueError: the documents are not those that the arrays were made of.
        """
        if content_hash(self._store, self.encoder) != self.sha256:
            raise ValueError("documents.sqlite holds other documents")
        for (body,) in self._store.execute("SELECT body FROM documents"):
            read_body(body)

    @property
    def encoder(self) -> Component | None:
        """What its vectors were made with, if it has any."""
        found = self.meta.get("encoder")
        return None if found is None else Component.model_validate(found)

    @property
    def unread(self) -> tuple[str, ...]:
        """What was to be in it and could not be read, with the reason."""
        with self._lock:
            return unread_of(self._store)

    @property
    def sha256(self) -> str:
        """Over the documents that are in it, and how it searches them."""
        return str(self.meta["sha256"])

    def __len__(self) -> int:
        return len(self._rows)

    def search(self, query: str, top: int) -> list[Hit]:
        """At most `top` passages, the best first; equal scores in the order of their ids."""
        asked = terms(query)
        vocabulary = self._model.vocab_dict
        numbers = [vocabulary[term] for term in asked if term in vocabulary]
        if not numbers or top < 1:
            return []
        scores = self._model.get_scores_from_ids(numbers)
        found = np.flatnonzero(scores > 0)
        if found.size > top:
            # Everything that ties with the last one stays until ids have decided.
            least = np.partition(scores[found], found.size - top)[found.size - top]
            found = found[scores[found] >= least]
        hits = [self._hit(place, float(scores[place]), asked) for place in found.tolist()]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:top]

    def nearest(self, vector: NDArray[np.float32], query: str, top: int) -> list[Hit]:
        """At most `top` passages whose vectors are nearest to that of a query; the scores are cosines.

        Raises:
            InputError: the index has no vectors.
        """
        if self._vectors is None:
            raise InputError(f"{self.folder} cannot be searched by meaning: build it with epoche index --encoder")
        asked = terms(query)
        hits = [self._hit(place, score, asked) for place, score in nearest(self._vectors, vector, top)]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:top]

    def _hit(self, place: int, score: float, asked: Sequence[str]) -> Hit:
        row = int(self._rows[place])
        key, own = self._of_row(row)
        weights = self._weights(asked)
        whole = sum(weights.values())
        share = sum(weights[term] for term in set(asked) & own) / whole if whole else 0.0
        return Hit(row, key, round(score, 4), round(share, 4))

    def _weights(self, asked: Sequence[str]) -> dict[str, float]:
        """The idf of each term of a query; of one that no passage has, that of the rarest possible."""
        vocabulary, n = self._model.vocab_dict, len(self._rows)
        counts = {t: int(self._frequencies[vocabulary[t]]) if t in vocabulary else 0 for t in asked}
        return {t: math.log(1 + (n - count + 0.5) / (count + 0.5)) for t, count in counts.items()}

    def _of_row(self, row: int) -> tuple[str, set[str]]:
        document = self.document(row)
        return document.id, {*terms(document.title), *terms(document.text)}

    def document(self, row: int) -> Document:
        """The passage of a row."""
        try:
            with self._lock:
                (packed,) = self._store.execute("SELECT body FROM documents WHERE row = ?", (row,)).fetchone()
            return read_body(packed)
        except (sqlite3.Error, zlib.error, ValueError, TypeError) as error:
            raise InputError(f"index {self.folder} is damaged (passage {row}: {error}): build it again") from None

    def close(self) -> None:
        """Closes the files."""
        self._store.close()


def _meta(folder: Path) -> dict[str, Any]:
    path = folder / "meta.json"
    if not path.is_file():
        if (folder / "documents.sqlite").is_file():
            raise InputError(f"index {folder} is unfinished: start epoche index with the same documents again")
        raise InputError(f"{folder} holds no index: make one with epoche index … --out {folder}")
    try:
        meta = json.loads(path.read_text(encoding="utf-8"))
        made = (meta["format"], meta["terms"])
        if not isinstance(meta["sha256"], str) or not isinstance(meta["arrays"], dict):
            raise ValueError("sha256 or arrays are missing")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"index {folder} is damaged (meta.json: {error}): build it again") from None
    if made != (FORMAT, VERSION):
        raise InputError(f"index {folder} is of another version ({made[0]}, {made[1]}): build it again")
    return dict(meta)
