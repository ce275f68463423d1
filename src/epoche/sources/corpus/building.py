"""An index of documents, built a batch at a time: killed anywhere, the same command goes on where it was.

documents.sqlite   texts, their terms as numbers, the vocabulary; what is committed stays
bm25/              the search arrays, memory-mapped, made anew from the terms when documents were added
meta.json          what the index is: versions, counts, hashes; written last
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epoche.backends.base import Encoder
from epoche.errors import EpocheError, InputError
from epoche.sources.corpus.arrays import write_arrays
from epoche.sources.corpus.passages import WHOLE, passages
from epoche.sources.corpus.store import (
    UNFINISHED,
    is_unfinished,
    mark_unfinished,
    open_documents,
    packed_body,
    set_setting,
)
from epoche.sources.corpus.terms import VERSION, terms
from epoche.sources.corpus.vectors import encode_missing, encoder_of, write_vectors
from epoche.types import Component, Document

FORMAT = "epoche-index/1"
#: Chosen on SciFact's training claims.
K1, B = 1.5, 0.75
#: A title says more about a document than a sentence: it counts as often.
TITLE_WEIGHT = 2
_BATCH = 500
#: Sentence spans of a text, for documents that are cut into passages.
Spans = Callable[[str], list[tuple[int, int]]]
#: Called with how many documents were read so far.
Counted = Callable[[int], None]


@dataclass(frozen=True)
class Built:
    """What a build did."""

    added: int
    replaced: int
    unchanged: int
    passages: int


def build(
    documents: Iterable[Document],
    folder: Path,
    spans: Spans,
    counted: Counted | None = None,
    encoder: Encoder | None = None,
    clash: Callable[[str], object] | None = None,
) -> Built:
    """Adds documents to an index, which is made if it is not there; one that is there already is left as it is.

    What was read before an error is searched all the same.

    Args:
        clash: called with what is wrong where two documents that are read have one id; of two texts, the one with
            the smaller hash is kept, whatever their order. None: an error.
        encoder: makes the index one that is searched by meaning too; it has to be given each time.

    Raises:
        InputError: a folder that cannot be written, or that holds something else.
    """
    fresh = not folder.exists()
    store = open_documents(folder, write=True)
    try:
        with closing(store):
            return _build(store, documents, folder, spans, counted, encoder, clash)
    except EpocheError:
        if fresh and not (folder / "meta.json").exists():
            shutil.rmtree(folder, ignore_errors=True)  # nothing was read, so nothing is left behind
        raise
    except sqlite3.Error as error:
        raise InputError(
            f"index {folder} cannot be written ({error}): wait, if another process writes it; if not, it is "
            "damaged and has to be built again"
        ) from None


def _build(
    store: sqlite3.Connection,
    documents: Iterable[Document],
    folder: Path,
    spans: Spans,
    counted: Counted | None,
    encoder: Encoder | None,
    clash: Callable[[str], object] | None,
) -> Built:
    tally = {"added": 0, "replaced": 0, "unchanged": 0}
    known: dict[str, int] = {t: n for n, t in store.execute("SELECT number, term FROM terms")}
    store.execute("CREATE TEMP TABLE seen (id TEXT PRIMARY KEY) WITHOUT ROWID")
    failure: EpocheError | None = None
    try:
        for number, document in enumerate(documents, start=1):
            try:
                tally[_add(store, document, spans, known)] += 1
            except _Clash as problem:
                if clash is None:
                    raise InputError(str(problem)) from None
                clash(str(problem))
            if number % _BATCH == 0:
                store.commit()
                if counted is not None:
                    counted(number)
        store.commit()
        if encoder is not None and encode_missing(store, encoder):
            mark_unfinished(store)
    except EpocheError as error:
        failure = error
        store.commit()
    if failure is not None and store.execute("SELECT COUNT(*) FROM documents").fetchone()[0] == 0:
        raise failure
    made = _compact(store, folder, known)
    if failure is not None:
        raise failure
    return Built(**tally, passages=made)


class _Clash(Exception):
    """Two documents of one run have one id."""


def _add(store: sqlite3.Connection, document: Document, spans: Spans, known: dict[str, int]) -> str:
    """One document with its passages; says whether it was added, replaced or there already."""
    body = document.model_dump_json().encode("utf-8")
    sha = hashlib.sha256(body).digest()
    found = store.execute("SELECT sha FROM documents WHERE parent = ? LIMIT 1", (document.id,)).fetchone()
    again = store.execute("INSERT OR IGNORE INTO seen VALUES (?)", (document.id,)).rowcount == 0
    if found is not None and found[0] == sha:
        return "unchanged"
    problem = f"two documents have the id {document.id!r} and different texts: give each its own"
    if again and found is not None and found[0] < sha:
        raise _Clash(problem)
    parts = _parts(store, document, spans)
    mark_unfinished(store)
    if found is not None:
        store.execute("DELETE FROM documents WHERE parent = ?", (document.id,))
    for part in parts:
        numbers = [_number(store, term, known) for term in [*terms(part.title) * TITLE_WEIGHT, *terms(part.text)]]
        row = (part.id, document.id, sha, packed_body(part), np.array(numbers, dtype="<i4").tobytes())
        store.execute("INSERT INTO documents (id, parent, sha, body, terms) VALUES (?, ?, ?, ?, ?)", row)
    if again:
        raise _Clash(problem)
    return "added" if found is None else "replaced"


def _parts(store: sqlite3.Connection, document: Document, spans: Spans) -> list[Document]:
    """The passages of a document.

    Raises:
        _Clash: one would have the name of another document, or of a passage of one.
    """
    cuts = None
    if len(document.text.split()) > WHOLE:
        cuts = list(document.spans) if document.spans is not None else spans(document.text)
    parts = list(passages(document, cuts))
    for part in parts:
        query = "SELECT 1 FROM documents WHERE id = ? AND parent != ?"
        if store.execute(query, (part.id, document.id)).fetchone():
            raise _Clash(f"two documents would be called {part.id!r}: rename one of them")
    return parts


def _number(store: sqlite3.Connection, term: str, known: dict[str, int]) -> int:
    number = known.get(term)
    if number is None:
        number = known[term] = len(known)
        store.execute("INSERT INTO terms VALUES (?, ?)", (number, term))
    return number


def _compact(store: sqlite3.Connection, folder: Path, known: Mapping[str, int]) -> int:
    """Makes the search arrays from the stored terms; how many passages there are."""
    (count,) = store.execute("SELECT COUNT(*) FROM documents").fetchone()
    if count == 0:
        raise InputError(f"no document was given, so there is nothing to index in {folder}")
    if not is_unfinished(store) and (folder / "meta.json").exists():
        return int(count)
    rows = np.fromiter((r for (r,) in store.execute("SELECT row FROM documents ORDER BY row")), np.int64, count)
    partial = folder / "bm25.part"
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    frequencies = write_arrays(partial, lambda: _term_arrays(store), known, K1, B)
    encoder = encoder_of(store)
    if encoder is not None:
        write_vectors(store, partial, count)
    np.save(partial / "rows.npy", rows)
    np.save(partial / "frequencies.npy", frequencies)
    (folder / "meta.json").unlink(missing_ok=True)
    shutil.rmtree(folder / "bm25", ignore_errors=True)
    partial.rename(folder / "bm25")
    hashes = {p.name: file_sha256(p) for p in sorted((folder / "bm25").iterdir())}
    meta: dict[str, Any] = {
        "format": FORMAT,
        "terms": VERSION,
        "k1": K1,
        "b": B,
        "title_weight": TITLE_WEIGHT,
        "documents": store.execute("SELECT COUNT(DISTINCT parent) FROM documents").fetchone()[0],
        "passages": count,
        "encoder": None if encoder is None else encoder.model_dump(),
        "sha256": content_hash(store, encoder),
        "arrays": hashes,
    }
    written = folder / ".meta.json.part"
    written.write_text(json.dumps(meta, indent=1) + "\n", encoding="utf-8")
    written.replace(folder / "meta.json")
    set_setting(store, UNFINISHED, "")
    return int(count)


def _term_arrays(store: sqlite3.Connection) -> Iterator[NDArray[np.int32]]:
    for (raw,) in store.execute("SELECT terms FROM documents ORDER BY row"):
        yield np.frombuffer(raw, dtype="<i4")


def content_hash(store: sqlite3.Connection, encoder: Component | None) -> str:
    """sha256 over the ids and hashes of all documents, whatever their order, and how they are searched."""
    digest = hashlib.sha256(f"{FORMAT} {VERSION} {K1} {B} {TITLE_WEIGHT}".encode())
    if encoder is not None:
        digest.update(f" encoder {encoder.version}".encode())
    for key, sha in store.execute("SELECT DISTINCT parent, sha FROM documents ORDER BY parent"):
        digest.update(hashlib.sha256(key.encode("utf-8")).digest() + sha)
    return digest.hexdigest()


def file_sha256(path: Path) -> str:
    """sha256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
