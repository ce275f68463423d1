"""Sentences that share a claim's words without being its evidence, found by BM25; and pairs for a teacher.

A model that reads whole abstracts meets such sentences far more often than evidence.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import bm25s

from training.nli.contrast.sources import held_out_documents
from training.nli.pairs import read_jsonl, stable_hash
from training.nli.science import clean_claim, corpus, training_claims

Triple = tuple[str, str, str]
_FIRST_NEUTRAL = 5
"""Nearer neighbours may be evidence, although nobody marked them."""


class Sentences:
    """An index over the sentences of the abstracts that may be trained on."""

    def __init__(self, data: Path) -> None:
        closed = held_out_documents(data)
        self._rows = [(doc, s) for doc, text in sorted(corpus(data).items()) if doc not in closed for s in text]
        self._index = bm25s.BM25()
        self._index.index(self._tokens([s for _, s in self._rows]), show_progress=False)

    @staticmethod
    def _tokens(texts: Sequence[str]) -> Any:
        return bm25s.tokenize(list(texts), stopwords="en", show_progress=False)

    def near(self, claims: Sequence[tuple[str, set[str]]], most: int) -> Iterator[tuple[str, list[str]]]:
        """(claim, its nearest sentences, best first), those of the documents beside the claim left out."""
        found, _ = self._index.retrieve(self._tokens([c for c, _ in claims]), k=2 * most, show_progress=False)
        for (claim, own), rows in zip(claims, found, strict=True):
            yield claim, [s for doc, s in (self._rows[int(i)] for i in rows) if doc not in own][:most]


def bm25_neutral(data: Path) -> Iterator[Triple]:
    """SciFact training claims with some of their 60 nearest sentences elsewhere, as neutral."""
    claims = [(r["claim"], {str(d) for d in r["cited_doc_ids"]}) for r in training_claims(data)]
    for claim, sentences in Sentences(data).near(claims, 60):
        chosen = sorted(sentences[_FIRST_NEUTRAL:], key=lambda s: stable_hash(claim + s))[:6]
        yield from ((s, claim, "neutral") for s in chosen)


def unlabelled(data: Path) -> Iterator[Triple]:
    """Training claims with sentences near them, without a label. PubMedQA is left alone: it stays unseen."""
    scifact = [(r["claim"], set[str]()) for r in training_claims(data)]
    others = {
        clean_claim(r["claim"])
        for name in ("healthver", "check_covid", "covidfact")
        for r in read_jsonl(data / "claims" / f"{name}.train.jsonl.gz")
    }
    index = Sentences(data)
    for claims, most in ((scifact, 12), ([(c, set[str]()) for c in sorted(others)], 3)):
        for claim, sentences in index.near(claims, most):
            yield from ((s, claim, "unlabelled") for s in sentences)
