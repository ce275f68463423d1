"""Files and names of papers together."""

from __future__ import annotations

import json
import os
from itertools import permutations
from pathlib import Path
from typing import NoReturn

import pytest

from epoche.errors import DocumentError, OptionError
from epoche.sources.evidence import gather
from epoche.types import Document


def never() -> NoReturn:
    raise AssertionError("no service is needed")


def read(*given: str, others: bool = False) -> tuple[tuple[Document, ...], dict[str, str]]:
    documents, unread = gather(given, never, on_error="skip", others=others)
    return documents, {u.document: u.why for u in unread}


def test_two_texts_with_one_id_are_both_read_whatever_their_order(tmp_path: Path) -> None:
    for name, text in (("p", "Zinc rose."), ("q", "Zinc fell."), ("r", "Zinc rose.")):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"id": "a", "text": text}), encoding="utf-8")
    found = set()
    for order in permutations("pq"):
        documents, unread = read(*(str(tmp_path / f"{name}.jsonl") for name in order))
        found.add(frozenset((d.id, d.text) for d in documents))
        assert unread == {}
    assert len(found) == 1
    assert sorted(d.text for d in documents) == ["Zinc fell.", "Zinc rose."]
    same, _ = read(str(tmp_path / "p.jsonl"), str(tmp_path / "r.jsonl"))
    assert [d.id for d in same] == ["a"]


def test_a_file_that_is_called_like_a_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("doi:x.txt").write_text("Zinc rose.", encoding="utf-8")
    documents, unread = read("doi:x.txt", "pmid:abc")
    assert [d.text for d in documents] == ["Zinc rose."]
    assert "write it like pmid:31852698" in unread["pmid:abc"]
    with pytest.raises(OptionError, match="write it like"):
        read("pmid:abc")


@pytest.mark.parametrize("name", ["", " "])
def test_an_empty_name_is_no_folder(name: str) -> None:
    with pytest.raises(OptionError, match="empty"):
        read(name)


def test_links_to_nowhere_are_evidence_that_is_missing(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Zinc rose.", encoding="utf-8")
    (tmp_path / "b.pdf").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "c.txt")
    documents, unread = read(str(tmp_path))
    assert len(documents) == 1
    assert sorted(Path(name).name for name in unread) == ["b.pdf", "c.txt"]


def test_other_evidence_makes_up_for_none_here(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\0")
    given = str(tmp_path / "a.txt")
    assert read(given, others=True)[0] == ()
    with pytest.raises(DocumentError, match="no evidence could be read"):
        read(given)


def test_a_url_is_shown_as_it_was_given() -> None:
    with pytest.raises(DocumentError, match=r"https://example\.org/paper is a URL"):
        gather(["https://example.org/paper"], never)
