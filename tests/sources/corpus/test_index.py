"""An index: built, resumed, added to, searched; the same answer whatever the order it was made in."""

from __future__ import annotations

import json
import math
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from epoche.errors import InputError
from epoche.sources.corpus import building
from epoche.sources.corpus.building import K1, B, build
from epoche.sources.corpus.index import CorpusIndex
from epoche.sources.corpus.passages import PART, WHOLE, passages
from epoche.sources.corpus.retriever import CorpusRetriever, merged
from epoche.sources.corpus.terms import terms
from epoche.steps.segment import sentence_spans
from epoche.types import Document, Role, Section


def document(key: str, text: str, title: str = "") -> Document:
    return Document(id=key, text=text, title=title)


SMALL = [
    document("a", "Zinc shortens colds. Zinc is a metal."),
    document("b", "Colds are caused by viruses."),
    document("c", "Iron is a metal."),
]


def index(folder: Path, documents: list[Document]) -> CorpusIndex:
    build(documents, folder, sentence_spans)
    return CorpusIndex(folder, check=True)


def test_terms_are_stems_without_stop_words() -> None:
    assert terms("The colds were shortened by IL-6 and β-catenin.") == [
        "cold",
        "shorten",
        "il",
        "6",
        "β",
        "catenin",
    ]
    assert terms("ﬁbrosis 5 µM") == ["fibrosi", "5", "μm"], (
        "ligatures and the micro sign are one with their letters"
    )


def test_scores_by_hand(tmp_path: Path) -> None:
    # Terms: a: zinc shorten cold zinc metal (5), b: cold caus virus (3), c: iron metal (2); mean length 10/3.
    # "zinc" is in one of three: idf = ln(1 + 2.5/1.5). In a it occurs twice:
    # score = idf · tf / (tf + k1 · (1 − b + b · 5 / (10/3)))
    found = index(tmp_path / "i", SMALL)
    (hit,) = found.search("zinc", 10)
    idf = math.log(1 + 2.5 / 1.5)
    expected = idf * 2 / (2 + K1 * (1 - B + B * 5 / (10 / 3)))
    assert hit.id == "a"
    assert hit.score == pytest.approx(expected, abs=1e-4)
    assert hit.share == 1.0


def test_the_share_of_a_query_that_a_document_has(tmp_path: Path) -> None:
    found = index(tmp_path / "i", SMALL)
    # "metal" is in two of three, "unicorn" in none.
    metal, unicorn = math.log(1 + 1.5 / 2.5), math.log(1 + 3.5 / 0.5)
    hits = found.search("metal unicorn", 10)
    assert [hit.share for hit in hits] == pytest.approx([metal / (metal + unicorn)] * 2, abs=1e-4)
    assert found.search("unicorn", 10) == []
    assert found.search("the of and", 10) == []
    assert found.search("zinc", 0) == []


def test_ties_are_in_the_order_of_ids_whatever_the_order_of_building(tmp_path: Path) -> None:
    documents = [document(f"d{i:03}", "Zinc shortens colds.") for i in range(50)]
    shuffled = documents[:]
    random.Random(1).shuffle(shuffled)
    first, second = index(tmp_path / "1", documents), index(tmp_path / "2", shuffled)
    assert [h.id for h in first.search("zinc", 7)] == [f"d{i:03}" for i in range(7)]
    assert [(h.id, h.score) for h in first.search("zinc", 7)] == [(h.id, h.score) for h in second.search("zinc", 7)]
    assert first.sha256 == second.sha256


def test_what_is_new_is_added_what_changed_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "i"
    assert build(SMALL, folder, sentence_spans).added == 3
    before = CorpusIndex(folder).sha256
    again = build(SMALL, folder, sentence_spans)
    assert (again.added, again.replaced, again.unchanged) == (0, 0, 3)
    assert CorpusIndex(folder).sha256 == before
    more = build([document("c", "Copper is red."), document("d", "Gold is yellow.")], folder, sentence_spans)
    assert (more.added, more.replaced, more.passages) == (1, 1, 4)
    found = CorpusIndex(folder, check=True)
    assert found.search("iron", 5) == []
    assert [h.id for h in found.search("copper", 5)] == ["c"]
    assert found.sha256 != before
    assert (
        found.sha256
        == index(
            tmp_path / "j", [*SMALL[:2], document("c", "Copper is red."), document("d", "Gold is yellow.")]
        ).sha256
    )


def test_long_documents_are_cut_between_sentences(tmp_path: Path) -> None:
    sentences = [f"Sentence {i} is about topic{i} and nothing else." for i in range(200)]
    text = " ".join(sentences)
    half = text.index("Sentence 100 ")
    long = Document(
        id="p", text=text, pages=(0, half),
        sections=(Section(start=0, end=half, title="Methods", role=Role.METHODS),),
    )  # fmt: skip
    parts = list(passages(long, sentence_spans(text)))
    assert len(text.split()) > WHOLE
    assert all(len(part.text.split()) <= PART + 20 for part in parts)
    assert [part.id for part in parts] == [f"p#{i + 1}" for i in range(len(parts))]
    assert " ".join(part.text for part in parts) == text
    assert all(part.text[a:b].startswith("Sentence") for part in parts for a, b in part.spans or ())
    first = next(part for part in parts if "Sentence 100 " in part.text)
    assert first.sections[0].end == first.text.index("Sentence 100 ") or first.sections == ()
    from epoche.steps.segment import segment

    _, found = segment([first])
    pages = {s.text.split()[1]: s.page for s in found}
    assert pages["100"] == 2
    assert all(page == (1 if int(n) < 100 else 2) for n, page in pages.items())
    built = index(tmp_path / "i", [long])
    assert built.search("topic150", 1)[0].document == "p"
    assert "topic150" in built.document(built.search("topic150", 1)[0].row).text


def test_a_name_that_two_documents_would_have_is_refused(tmp_path: Path) -> None:
    long = document("p", " ".join(f"Sentence {i} is here." for i in range(300)))
    with pytest.raises(InputError, match="two documents would be called 'p#1'"):
        build([document("p#1", "Short."), long], tmp_path / "i", sentence_spans)


# ── what is found for several queries together ───────────────────────────────────────────────


def test_every_condition_gets_its_turn(tmp_path: Path) -> None:
    found = index(tmp_path / "i", SMALL)
    documents, record = CorpusRetriever(found).retrieve(["zinc shortens colds", "iron is a metal"], 2)
    assert [d.id for d in documents] == ["a", "c"]
    assert record.sha256 == found.sha256
    assert [f.document for f in record.found] == ["a", "c"]
    assert [h.id for h in merged([found.search("metal", 3), found.search("metal", 3)], 5)] == ["c", "a"]


def test_case_27_nothing_relevant_is_not_silence(tmp_path: Path) -> None:
    documents, record = CorpusRetriever(index(tmp_path / "i", SMALL)).retrieve(
        ["graphene metal conducts heat in satellites under vacuum"], 5
    )
    assert documents == ()
    assert 0 < record.found[0].share < 0.25


# ── damage, kills, strangers ─────────────────────────────────────────────────────────────────


def test_a_damaged_or_foreign_index_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "i"
    with pytest.raises(InputError, match="holds no index"):
        CorpusIndex(folder)
    index(folder, SMALL).close()
    (folder / "bm25" / "rows.npy").write_bytes(b"junk")
    with pytest.raises(InputError, match="damaged"):
        CorpusIndex(folder, check=True)
    meta = json.loads((folder / "meta.json").read_text())
    (folder / "meta.json").write_text(json.dumps(meta | {"terms": "terms 0"}))
    with pytest.raises(InputError, match="another version"):
        CorpusIndex(folder)
    (folder / "meta.json").write_text("{")
    with pytest.raises(InputError, match="damaged"):
        CorpusIndex(folder)
    (folder / "meta.json").unlink()
    with pytest.raises(InputError, match="unfinished"):
        CorpusIndex(folder)
    build(SMALL, folder, sentence_spans)
    assert CorpusIndex(folder, check=True).search("zinc", 1)[0].id == "a"
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("x")
    with pytest.raises(InputError, match="no index: choose another"):
        build(SMALL, other, sentence_spans)
    with pytest.raises(InputError, match="nothing to index"):
        build([], tmp_path / "none", sentence_spans)


def test_killed_in_the_middle_it_goes_on_and_ends_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [
        document(f"d{i}", f"Compound {i} binds receptor {i % 37} in {i % 11} of the cells.") for i in range(300)
    ]
    monkeypatch.setattr(building, "_BATCH", 20)

    def broken() -> object:
        for i, one in enumerate(documents):
            if i == 130:
                raise KeyboardInterrupt
            yield one

    with pytest.raises(KeyboardInterrupt):
        build(broken(), tmp_path / "i", sentence_spans)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="unfinished"):
        CorpusIndex(tmp_path / "i")
    rest = build(documents, tmp_path / "i", sentence_spans)
    assert rest.unchanged == 120, "what was committed is kept"
    assert rest.added == 180
    whole = index(tmp_path / "w", documents)
    resumed = CorpusIndex(tmp_path / "i", check=True)
    assert resumed.sha256 == whole.sha256
    for query in ("compound 17", "receptor 5 cells"):
        assert [(h.id, h.score) for h in resumed.search(query, 20)] == [
            (h.id, h.score) for h in whole.search(query, 20)
        ]


def test_a_real_kill(tmp_path: Path) -> None:
    lines = [
        json.dumps({"id": f"d{i}", "text": f"Compound {i} binds receptor {i % 37} well."}) for i in range(8000)
    ]
    source, folder = tmp_path / "c.jsonl", tmp_path / "i"
    source.write_text("\n".join(lines), encoding="utf-8")
    command = [sys.executable, "-m", "epoche", "index", str(source), "--out", str(folder), "--quiet"]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ.copy())
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (folder / "documents.sqlite").exists():
        time.sleep(0.02)
    time.sleep(0.5)
    run.send_signal(signal.SIGKILL)
    run.wait()
    done = subprocess.run(command, capture_output=True, check=True)
    assert b"8000 passages" in done.stdout
    assert CorpusIndex(folder, check=True).search("compound 7999", 1)[0].id == "d7999"
