"""Documents for several queries together: the best of each in turn, until there are enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from epoche.backends.base import Encoder
from epoche.errors import InputError
from epoche.sources.corpus.index import RELEVANT, CorpusIndex, Hit
from epoche.types import Document, Found, Retrieval

#: By words, by meaning, or by both.
Method = Literal["bm25", "dense", "fusion"]
#: Of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): Σ 1 / (60 + rank) over the rankings.
_RANK = 60
#: How deep two rankings are fused.
_DEPTH = 50


class CorpusRetriever:
    """A `Retriever` over an index.

    Args:
        relevant: least share of a query's weight in the best passage found; below, nothing relevant is there.
        method: `bm25`; `dense`, by vectors; `fusion` of both rankings.
        encoder: for the last two, the one that the index was made with.

    Raises:
        InputError: the index has no vectors, or those of another encoder.
    """

    def __init__(
        self,
        index: CorpusIndex,
        relevant: float = RELEVANT,
        method: Method = "bm25",
        encoder: Encoder | None = None,
    ) -> None:
        self.index, self.relevant, self.method, self._encoder = index, relevant, method, encoder
        if method == "bm25":
            return
        if index.encoder is None:
            raise InputError(f"{index.folder} cannot be searched by meaning: build it with epoche index --encoder")
        if encoder is None or encoder.component != index.encoder:
            given = "none was given" if encoder is None else f"{encoder.component.name} is another"
            raise InputError(f"{index.folder} was made with the encoder {index.encoder.name}, and {given}")

    def search(self, query: str, top: int) -> list[Hit]:
        """The best passages for one query; equal scores in the order of their ids."""
        depth = max(top, _DEPTH) if self.method == "fusion" else top
        words = [] if self.method == "dense" else self.index.search(query, depth)
        if self._encoder is None or self.method == "bm25":
            return words
        near = self.index.nearest(self._encoder.encode([query])[0], query, depth)
        return near if self.method == "dense" else fused(words, near)[:top]

    def retrieve(self, queries: Sequence[str], top: int) -> tuple[tuple[Document, ...], Retrieval]:
        """See `Retriever`."""
        asked = tuple(dict.fromkeys(queries))
        chosen = merged([self.search(query, top) for query in asked], top)
        record = Retrieval(
            source="index",
            method=self.method,
            sha256=self.index.sha256,
            top=top,
            queries=asked,
            unread=self.index.unread,
            found=tuple(Found(document=h.id, score=h.score, share=h.share) for h in chosen),
        )
        if max((hit.share for hit in chosen), default=0.0) < self.relevant:
            return (), record
        return tuple(self.index.document(hit.row) for hit in chosen), record


def fused(*rankings: Sequence[Hit]) -> list[Hit]:
    """Rankings put together by reciprocal ranks; the scores are their sums."""
    scores: dict[int, float] = {}
    hits: dict[int, Hit] = {}
    for ranking in rankings:
        for rank, hit in enumerate(ranking, start=1):
            scores[hit.row] = scores.get(hit.row, 0.0) + 1 / (_RANK + rank)
            hits[hit.row] = hit
    together = [replace(hit, score=round(scores[row], 6)) for row, hit in hits.items()]
    return sorted(together, key=lambda hit: (-hit.score, hit.id))


def merged(found: Sequence[Sequence[Hit]], top: int) -> list[Hit]:
    """The first of every list, then the second of every list …; each passage once, with its best figures."""
    best: dict[int, Hit] = {}
    for hits in found:
        for hit in hits:
            held = best.get(hit.row)
            if held is None or (hit.score, hit.share) > (held.score, held.share):
                best[hit.row] = hit
    order: dict[int, None] = {}
    for rank in range(max(map(len, found), default=0)):
        for hits in found:
            if rank < len(hits):
                order.setdefault(hits[rank].row)
    return [best[row] for row in list(order)[:top]]
