from __future__ import annotations

from pathlib import Path

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epoche.sources.corpus import arrays

K1, B = 1.5, 0.75
NAMES = ("data.csc.index.npy", "indices.csc.index.npy", "params.index.json")


def theirs(folder: Path, documents: list[list[int]], vocabulary: dict[str, int]) -> None:
    model = bm25s.BM25(method="lucene", k1=K1, b=B)
    model.index((documents, dict(vocabulary)), show_progress=False)
    model.save(folder)


@settings(max_examples=60, deadline=None)
@given(
    documents=st.lists(st.lists(st.integers(0, 9), max_size=12), min_size=1, max_size=12).filter(lambda d: any(d)),
    block=st.integers(1, 40),
    merged=st.integers(1, 40),
)
def test_the_same_files_as_bm25s_writes(
    tmp_path_factory: pytest.TempPathFactory, documents: list[list[int]], block: int, merged: int
) -> None:
    """Whatever the size of a block."""
    vocabulary = {f"w{i}": i for i in range(10)}
    folder = tmp_path_factory.mktemp("index")
    theirs(folder / "theirs", documents, vocabulary)
    (folder / "ours").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "_BLOCK", block)
        patch.setattr(arrays, "_MERGED", merged)
        frequencies = arrays.write_arrays(
            folder / "ours", lambda: (np.array(d, dtype=np.int32) for d in documents), vocabulary, K1, B
        )
    assert frequencies.tolist() == [sum(i in d for d in documents) for i in range(10)]
    for name in NAMES:
        assert (folder / "ours" / name).read_bytes() == (folder / "theirs" / name).read_bytes(), name
    assert sorted(p.name for p in (folder / "ours").iterdir()) == sorted(
        p.name for p in (folder / "theirs").iterdir()
    )
