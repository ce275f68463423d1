"""An index whose making went wrong: it is whole, or says that it is not."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from epoche.errors import DocumentError, InputError
from epoche.sources.corpus import building
from epoche.sources.corpus.building import build
from epoche.sources.corpus.index import CorpusIndex
from epoche.sources.corpus.retriever import CorpusRetriever
from epoche.sources.corpus.store import open_documents, remember_unread
from epoche.steps.segment import sentence_spans
from epoche.types import Document


def documents(n: int, word: str, broken_at: int | None = None) -> Iterator[Document]:
    for i in range(n):
        if i == broken_at:
            raise DocumentError("line broken", source="x")
        yield Document(id=f"d{i}", text=f"{word} number {i} rose.")


def killed(stream: Iterator[Document], after: int) -> Iterator[Document]:
    for number, document in enumerate(stream):
        if number == after:
            raise KeyboardInterrupt
        yield document


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "_BATCH", 10)


@pytest.mark.parametrize("first", [0, 30])
def test_what_was_read_before_an_error_is_searched(tmp_path: Path, first: int) -> None:
    if first:
        build(documents(first, "Zinc"), tmp_path / "i", sentence_spans)
    with pytest.raises(DocumentError, match="line broken"):
        build(documents(50, "Iron", broken_at=25), tmp_path / "i", sentence_spans)
    index = CorpusIndex(tmp_path / "i", check=True)
    assert len(index) == max(first, 25)
    assert len(index.search("iron", 100)) == 25
    assert len(index.search("zinc", 100)) == max(0, first - 25)


def test_a_build_of_nothing_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(DocumentError):
        build(documents(5, "Zinc", broken_at=0), tmp_path / "i", sentence_spans)
    assert not (tmp_path / "i").exists()


def test_killed_in_an_update_it_says_so_until_it_is_finished(tmp_path: Path) -> None:
    build(documents(40, "Zinc"), tmp_path / "i", sentence_spans)
    with pytest.raises(KeyboardInterrupt):
        build(killed(documents(40, "Iron"), 25), tmp_path / "i", sentence_spans)
    for check in (False, True):
        with pytest.raises(InputError, match="unfinished"):
            CorpusIndex(tmp_path / "i", check=check)
    build(documents(20, "Iron"), tmp_path / "i", sentence_spans)  # nothing new, and yet it is finished
    assert len(CorpusIndex(tmp_path / "i", check=True)) == 40
    build(documents(40, "Iron"), tmp_path / "i", sentence_spans)
    build(documents(40, "Iron"), tmp_path / "j", sentence_spans)
    assert CorpusIndex(tmp_path / "i").sha256 == CorpusIndex(tmp_path / "j").sha256


def test_of_two_texts_with_one_id_the_same_is_kept_in_every_order(tmp_path: Path) -> None:
    two = [Document(id="a", text="Zinc rose."), Document(id="a", text="Zinc fell.")]
    hashes = set()
    for name, given in (("i", two), ("j", two[::-1]), ("k", [*two, *two])):
        said: list[str] = []
        build(given, tmp_path / name, sentence_spans, clash=said.append)
        assert "two documents have the id 'a'" in said[0]
        hashes.add(CorpusIndex(tmp_path / name, check=True).sha256)
        with pytest.raises(InputError, match="give each its own"):
            build(given, tmp_path / f"{name}-stop", sentence_spans)
    assert len(hashes) == 1


def test_passages_that_clash_are_passed_over(tmp_path: Path) -> None:
    long = Document(id="a", text="Zinc rose in the treated group of adults again. " * 200)
    for name, given in (
        ("i", [Document(id="a#1", text="Iron."), long]),
        ("j", [long, Document(id="a#1", text="Iron.")]),
    ):
        said: list[str] = []
        build([*given, Document(id="b", text="Tin.")], tmp_path / name, sentence_spans, clash=said.append)
        assert len(said) == 1
        assert CorpusIndex(tmp_path / name, check=True).search("tin", 1)[0].id == "b"


def test_damage_of_every_kind_is_named(tmp_path: Path) -> None:
    build(documents(20, "Zinc"), tmp_path / "i", sentence_spans)

    def damaged(name: str) -> Path:
        return Path(shutil.copytree(tmp_path / "i", tmp_path / name))

    (damaged("rows") / "bm25" / "rows.npy").write_bytes(b"")
    meta = damaged("meta") / "meta.json"
    meta.write_text(json.dumps(json.loads(meta.read_text(encoding="utf-8")) | {"arrays": 5}), encoding="utf-8")
    with sqlite3.connect(damaged("body") / "documents.sqlite") as store:
        store.execute("UPDATE documents SET body = x'00'")
    with sqlite3.connect(damaged("other") / "documents.sqlite") as store:
        store.execute("UPDATE documents SET sha = x'00'")
    for name in ("rows", "meta", "body", "other"):
        with pytest.raises(InputError, match="damaged"):
            CorpusIndex(tmp_path / name, check=True)
    with pytest.raises(InputError, match="damaged"):
        CorpusIndex(tmp_path / "body").search("zinc", 3)


def test_another_process_that_writes_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(documents(20, "Zinc"), tmp_path / "i", sentence_spans)
    opened = open_documents(tmp_path / "i", write=True)
    opened.execute("BEGIN IMMEDIATE")
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, **(k | {"timeout": 0.1})))
    with pytest.raises(InputError, match="another process|cannot be opened"):
        build(documents(20, "Iron"), tmp_path / "i", sentence_spans)
    opened.close()


def test_what_could_not_be_indexed_is_in_every_certificate(tmp_path: Path) -> None:
    build(documents(3, "Zinc"), tmp_path / "i", sentence_spans)
    store = open_documents(tmp_path / "i", write=True)
    remember_unread(store, ["b.pdf: it is scanned", "c.pdf: it is broken"])
    remember_unread(store, ["b.pdf: it is scanned"])
    store.close()
    _, record = CorpusRetriever(CorpusIndex(tmp_path / "i")).retrieve(["zinc"], 2)
    assert record.unread == ("b.pdf: it is scanned", "c.pdf: it is broken")
