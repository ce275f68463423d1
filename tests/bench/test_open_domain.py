"""The open-domain protocol: what was found is read, what was missed is counted apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from epoche.assemble import Verifier
from epoche.backends.fake import ScriptedNli
from epoche.bench.datasets import load_scifact, scifact_documents
from epoche.bench.open_domain import retrieval_figures, search_all
from epoche.bench.run import run
from epoche.errors import InputError
from epoche.sources.corpus.building import build
from epoche.sources.corpus.index import CorpusIndex
from epoche.sources.corpus.retriever import CorpusRetriever
from epoche.steps.segment import sentence_spans
from epoche.types import Document, Label, Reason

CORPUS = [
    {"doc_id": 1, "title": "Zinc and colds", "abstract": ["Zinc shortened colds in adults.", "Forty took part."]},
    {"doc_id": 2, "title": "Iron", "abstract": ["Iron improved anaemia in women."]},
    {"doc_id": 3, "title": "Sleep", "abstract": ["Sleep loss impaired memory in rats."]},
    {"doc_id": 4, "title": "Storms", "abstract": ["Hurricanes formed over warm water."]},
]
CLAIMS = [
    {"id": 1, "claim": "Zinc shortens colds.", "evidence": {"1": [{"sentences": [0], "label": "SUPPORT"}]},
     "cited_doc_ids": [1]},
    {"id": 2, "claim": "Memory suffers without sleep.", "evidence": {}, "cited_doc_ids": [3, 2]},
    {"id": 3, "claim": "Dark matter bends light.", "evidence": {"4": [{"sentences": [0], "label": "CONTRADICT"}]},
     "cited_doc_ids": [4]},
]  # fmt: skip


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    claims, corpus = tmp_path / "claims.jsonl", tmp_path / "corpus.jsonl"
    corpus.write_text("\n".join(map(json.dumps, CORPUS)), encoding="utf-8")
    claims.write_text("\n".join(map(json.dumps, CLAIMS)), encoding="utf-8")
    return claims, corpus


def opened(corpus: Path, folder: Path) -> CorpusIndex:
    build(scifact_documents(corpus).values(), folder, sentence_spans)
    return CorpusIndex(folder)


def test_what_is_found_is_read_and_misses_are_counted(files: tuple[Path, Path], tmp_path: Path) -> None:
    claims, corpus = files
    cited = load_scifact(claims, corpus, split="made", protocol="abstract")
    searched = search_all(cited, scifact_documents(corpus), CorpusRetriever(opened(corpus, tmp_path / "i")), top=1)
    assert [[d.id for d in item.documents] for item in searched.dataset.items] == [["1"], ["3"], []]
    assert searched.dataset.protocol == "corpus"
    assert searched.dataset.digest != cited.digest
    found = retrieval_figures(searched, 1)
    # nDCG@10: claim 1 finds its one document first: 1. Claim 2 finds 3, of 3 and 2: 1 / (1 + 1/log2 3) = 0.6131.
    # Claim 3 finds nothing: 0. Mean 0.5377.
    assert found["ndcg_at_10"] == pytest.approx((1 + 1 / (1 + 0.6309298) + 0) / 3, abs=1e-5)
    assert found["recall_at"]["1"] == pytest.approx((1 + 0.5 + 0) / 3, abs=1e-6)
    assert found["retrieval_items"] == 3
    assert found["items_with_evidence"] == 2
    assert found["missed"] == ["3"]
    record = run(
        searched.dataset, Verifier(ScriptedNli(lambda p, h: (0.9, 0.1, 0.0)), "whole", "paper"), tmp_path / "r"
    )
    assert record.items[2].obstacles[0].reason is Reason.NO_EVIDENCE


def test_an_index_of_something_else_is_refused(files: tuple[Path, Path], tmp_path: Path) -> None:
    claims, corpus = files
    cited = load_scifact(claims, corpus, split="made", protocol="abstract")
    other = [Document(id=f"x{i}", text=f"Zinc shortens colds {i}.") for i in range(4)]
    build(other, tmp_path / "other", sentence_spans)
    with pytest.raises(InputError, match="which the corpus does not have"):
        search_all(cited, scifact_documents(corpus), CorpusRetriever(CorpusIndex(tmp_path / "other")), top=2)
    build(other[:2], tmp_path / "less", sentence_spans)
    with pytest.raises(InputError, match="index the corpus file alone"):
        search_all(cited, scifact_documents(corpus), CorpusRetriever(CorpusIndex(tmp_path / "less")), top=2)


# ── verify over an index ─────────────────────────────────────────────────────────────────────


def reads(premise: str, hypothesis: str) -> tuple[float, float, float]:
    return (0.9, 0.1, 0.0) if "Zinc" in premise else (0.05, 0.9, 0.05)


def test_evidence_is_found_and_the_certificate_says_how(files: tuple[Path, Path], tmp_path: Path) -> None:
    found = opened(files[1], tmp_path / "i")
    verifier = Verifier(ScriptedNli(reads), "whole", "paper")
    out = verifier.verify("Zinc shortens colds.", retriever=CorpusRetriever(found), top=2)
    assert out.label is Label.SUPPORTED
    retrieval = out.certificate.evidence.retrieval
    assert retrieval is not None
    assert retrieval.sha256 == found.sha256
    assert retrieval.queries == ("Zinc shortens colds.",)
    assert [f.document for f in retrieval.found] == ["1"]
    given = verifier.verify(
        "Zinc shortens colds.", ["Zinc shortened colds, we saw."], retriever=CorpusRetriever(found)
    )
    assert {d.id for d in given.certificate.evidence.documents} == {"doc-1", "1"}


def test_case_27_not_found_not_relevant_and_silent_are_three_results(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    retriever = CorpusRetriever(opened(files[1], tmp_path / "i"))
    verifier = Verifier(ScriptedNli(lambda p, h: (0.05, 0.9, 0.05)), "whole", "paper")
    nothing = verifier.verify("Graphene superconducts.", retriever=retriever)
    assert (nothing.reason, nothing.detail) == ("no_evidence", nothing.detail)
    assert "no document matches" in nothing.detail
    weak = verifier.verify("Women discovered graphene superconductivity near absolute zero.", retriever=retriever)
    assert weak.reason == "no_evidence"
    assert "the best document has" in weak.detail
    silent = verifier.verify("Zinc cures colds.", retriever=retriever)
    assert silent.label is Label.NOT_ENOUGH_EVIDENCE
