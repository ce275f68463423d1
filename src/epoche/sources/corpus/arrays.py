"""The search arrays of `bm25s`, made in bounded memory: sorted a block at a time, then merged by ranges of terms.

The numbers are those that `bm25s.BM25.index` computes (a test compares them); that method holds the whole
collection in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

Terms = NDArray[np.int32]
#: Postings (a term in a passage) sorted at once, and merged at once.
_BLOCK, _MERGED = 1_000_000, 2_000_000


@dataclass
class _Block:
    """Postings of some passages: terms, passages and scores, later sorted by term."""

    terms: list[Terms] = field(default_factory=list)
    passages: list[NDArray[np.int32]] = field(default_factory=list)
    scores: list[NDArray[np.float32]] = field(default_factory=list)
    size: int = 0


def write_arrays(
    folder: Path, documents: Callable[[], Iterator[Terms]], vocabulary: Mapping[str, int], k1: float, b: float
) -> NDArray[np.int64]:
    """Writes what `bm25s.BM25.load` reads; in how many passages each term occurs, int64[vocabulary].

    Args:
        folder: empty.
        documents: called twice; the terms of each passage, as numbers, in order.
        k1, b: of BM25 in the variant of Lucene (Kamphuis et al. 2020).
    """
    import bm25s

    frequencies, lengths, count = np.zeros(max(1, len(vocabulary)), dtype=np.int64), 0, 0
    for numbers in documents():
        frequencies[np.unique(numbers)] += 1
        lengths, count = lengths + len(numbers), count + 1
    pointers = np.concatenate([[0], np.cumsum(frequencies)])
    pointers = pointers.astype(np.int32 if pointers[-1] < 2**31 else np.int64)
    model: Any = bm25s.BM25(method="lucene", k1=k1, b=b)
    nothing = np.zeros(0, dtype=np.float32)
    # The library writes its own description; the two arrays that grow with the collection come after it.
    model.scores = {"data": nothing, "indices": nothing.astype(np.int32), "indptr": pointers, "num_docs": count}
    model.vocab_dict, model.nonoccurrence_array = dict(vocabulary) or {"": 0}, None
    model.save(folder)
    blocks = _blocks(folder, documents(), frequencies, lengths / max(count, 1), count, k1, b)
    _merge(folder, blocks, pointers)
    for path in folder.glob("block-*"):
        path.unlink()
    return frequencies


def _blocks(
    folder: Path,
    documents: Iterator[Terms],
    frequencies: NDArray[np.int64],
    mean: float,
    count: int,
    k1: float,
    b: float,
) -> list[Path]:
    """Sorted postings on disk, a file per block; their paths."""
    idf = np.where(frequencies > 0, np.log(1 + (count - frequencies + 0.5) / (frequencies + 0.5)), 0.0)
    idf = idf.astype(np.float32)
    paths: list[Path] = []
    block = _Block()
    for number, numbers in enumerate(documents):
        found, times = np.unique(numbers, return_counts=True)
        often = times.astype(np.float32).astype(np.float64)
        norm = k1 * (1 - b + b * len(numbers) / mean) if mean else k1
        block.terms.append(found.astype(np.int32))
        block.passages.append(np.full(len(found), number, dtype=np.int32))
        block.scores.append((idf[found] * (often / (norm + often))).astype(np.float32))
        block.size += len(found)
        if block.size >= _BLOCK:
            paths.append(_saved(folder / f"block-{len(paths)}", block))
            block = _Block()
    if block.size:
        paths.append(_saved(folder / f"block-{len(paths)}", block))
    return paths


def _saved(path: Path, block: _Block) -> Path:
    terms = np.concatenate(block.terms)
    # Stable: the passages of a term stay in order.
    order = np.argsort(terms, kind="stable")
    for name, parts in (("terms", [terms]), ("passages", block.passages), ("scores", block.scores)):
        np.save(path.with_suffix(f".{name}.npy"), np.concatenate(parts)[order])
    return path


def _merge(folder: Path, blocks: list[Path], pointers: NDArray[Any]) -> None:
    """Appends range after range of terms to the two arrays."""
    size, first = int(pointers[-1]), 0
    with (
        (folder / "data.csc.index.npy").open("wb") as data,
        (folder / "indices.csc.index.npy").open("wb") as indices,
    ):
        for stream, kind in ((data, np.float32), (indices, np.int32)):
            head = {"descr": npy.dtype_to_descr(np.dtype(kind)), "fortran_order": False, "shape": (size,)}
            npy.write_array_header_1_0(stream, head)
        while first < len(pointers) - 1:
            last = max(first + 1, int(np.searchsorted(pointers, pointers[first] + _MERGED, side="right")) - 1)
            parts = [_slice(path, first, last) for path in blocks]
            terms = np.concatenate([p[0] for p in parts]) if parts else np.zeros(0, dtype=np.int32)
            order = np.argsort(terms, kind="stable")
            for stream, which in ((indices, 1), (data, 2)):
                if parts:
                    stream.write(np.concatenate([p[which] for p in parts])[order].tobytes())
            first = last


def _slice(path: Path, first: int, last: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """A block's postings of the terms in [first, last)."""
    terms = np.load(path.with_suffix(".terms.npy"), mmap_mode="r")
    start, end = np.searchsorted(terms, [first, last])
    passages = np.load(path.with_suffix(".passages.npy"), mmap_mode="r")[start:end]
    scores = np.load(path.with_suffix(".scores.npy"), mmap_mode="r")[start:end]
    return np.array(terms[start:end]), np.array(passages), np.array(scores)
