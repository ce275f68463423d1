from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epoche.backends.fake import ScriptedEncoder
from epoche.errors import InputError
from epoche.sources.corpus.building import build
from epoche.sources.corpus.index import CorpusIndex, Hit
from epoche.sources.corpus.retriever import CorpusRetriever, fused
from epoche.sources.corpus.vectors import nearest
from epoche.steps.segment import sentence_spans
from epoche.types import Document

#: Heart attack and myocardial infarction lie near to each other; zinc far from both.
ENCODER = ScriptedEncoder(
    {
        "heart": (1, 0),
        "attack": (1, 0),
        "myocardial": (1, 0.1),
        "infarction": (1, 0.1),
        "zinc": (0, 1),
        "colds": (0, 1),
    }
)
DOCUMENTS = [
    Document(id="a", text="Aspirin prevented myocardial infarction."),
    Document(id="b", text="Zinc shortened colds."),
    Document(id="c", text="A panic attack is no disease of the lung."),
]


def made(folder: Path, encoder: ScriptedEncoder | None = ENCODER) -> CorpusIndex:
    build(DOCUMENTS, folder, sentence_spans, encoder=encoder)
    return CorpusIndex(folder, check=True)


def ids(hits: list[Hit]) -> list[str]:
    return [hit.id for hit in hits]


def test_by_words_by_meaning_and_by_both(tmp_path: Path) -> None:
    index = made(tmp_path / "i")
    query = "heart attack"
    assert ids(CorpusRetriever(index).search(query, 3)) == ["c"]
    dense = CorpusRetriever(index, method="dense", encoder=ENCODER)
    # cos(a) = (1, .1) · (1, 0) / √1.01 = 0.995 (0.9951 as float16); c: 1.
    assert [(h.id, h.score) for h in dense.search(query, 2)] == [("c", 1.0), ("a", 0.9951)]
    both = CorpusRetriever(index, method="fusion", encoder=ENCODER)
    # c is first twice: 2/61; a second once: 1/62; b third once: 1/63.
    assert [(h.id, h.score) for h in both.search(query, 3)] == [("c", 0.032787), ("a", 0.016129), ("b", 0.015873)]
    documents, record = both.retrieve(["heart attack"], 2)
    assert [d.id for d in documents] == ["c", "a"]
    assert (record.method, record.sha256) == ("fusion", index.sha256)


def test_the_encoder_is_part_of_an_index(tmp_path: Path) -> None:
    with_vectors, without = made(tmp_path / "i"), made(tmp_path / "j", None)
    assert with_vectors.sha256 != without.sha256
    other = ScriptedEncoder({"zinc": (1.0,)}, name="other")
    for index, encoder, said in (
        (without, ENCODER, "--encoder"),
        (with_vectors, None, "none was given"),
        (with_vectors, other, "other is another"),
    ):
        with pytest.raises(InputError, match=said):
            CorpusRetriever(index, method="fusion", encoder=encoder)
    with pytest.raises(InputError, match="another"):
        build(DOCUMENTS, tmp_path / "i", sentence_spans, encoder=other)
    with pytest.raises(InputError, match="same --encoder"):
        build([Document(id="d", text="Iron.")], tmp_path / "i", sentence_spans)
    with pytest.raises(InputError, match="unfinished"):
        CorpusIndex(tmp_path / "i")
    build([], tmp_path / "i", sentence_spans, encoder=ENCODER)
    assert len(CorpusIndex(tmp_path / "i")) == 4


def test_only_what_is_new_is_encoded(tmp_path: Path) -> None:
    encoder = ScriptedEncoder({"zinc": (1.0, 0.0)})
    build(DOCUMENTS, tmp_path / "i", sentence_spans, encoder=encoder)
    assert len(encoder.asked) == 3
    changed = [*DOCUMENTS[:2], Document(id="c", text="Zinc."), Document(id="d", title="Zinc", text="Iron.")]
    build(changed, tmp_path / "i", sentence_spans, encoder=encoder)
    assert encoder.asked[3:] == ["Zinc.", "Zinc. Iron."]
    whole = made(tmp_path / "j", ScriptedEncoder({"zinc": (1.0, 0.0)}))
    assert whole.sha256 != CorpusIndex(tmp_path / "i").sha256
    build(changed, tmp_path / "k", sentence_spans, encoder=ScriptedEncoder({"zinc": (1.0, 0.0)}))
    assert CorpusIndex(tmp_path / "k").sha256 == CorpusIndex(tmp_path / "i").sha256


def test_killed_while_encoding_it_goes_on(tmp_path: Path) -> None:
    class Dying(ScriptedEncoder):
        def encode(self, texts: list[str]) -> np.ndarray:  # type: ignore[override]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(DOCUMENTS, tmp_path / "i", sentence_spans, encoder=Dying({"zinc": (1.0,)}))
    build(DOCUMENTS, tmp_path / "i", sentence_spans, encoder=ScriptedEncoder({"zinc": (1.0,)}))
    assert (
        CorpusIndex(tmp_path / "i", check=True).sha256
        == made(tmp_path / "j", ScriptedEncoder({"zinc": (1.0,)})).sha256
    )


@given(st.lists(st.lists(st.integers(0, 30), max_size=12, unique=True), min_size=1, max_size=4))
def test_fusion_is_the_sum_of_reciprocal_ranks(rankings: list[list[int]]) -> None:
    lists = [[Hit(row, f"d{row:02}", 1.0, 0.5) for row in ranking] for ranking in rankings]
    together = fused(*lists)
    expected = {
        row: round(sum(1 / (61 + r.index(row)) for r in rankings if row in r), 6) for r in rankings for row in r
    }
    assert {hit.row: hit.score for hit in together} == expected
    assert together == sorted(together, key=lambda hit: (-hit.score, hit.id))


@given(st.integers(1, 40), st.integers(1, 10), st.integers(0, 5))
def test_nearest_is_what_sorting_everything_gives(n: int, top: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    vectors = generator.integers(-3, 4, size=(n, 3)).astype(np.float16)
    query = np.array([1, 0, 0], dtype=np.float32)
    whole = sorted(((i, float(v[0])) for i, v in enumerate(vectors)), key=lambda hit: -hit[1])
    found = nearest(vectors, query, top)
    least = whole[min(top, n) - 1][1]
    assert sorted(found) == sorted(hit for hit in whole if hit[1] >= least)
