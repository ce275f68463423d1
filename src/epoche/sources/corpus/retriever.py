"""Documents for several queries together: the best of each in turn, until there are enough."""

from __future__ import annotations

from collections.abc import Sequence

from epoche.sources.corpus.index import RELEVANT, CorpusIndex, Hit
from epoche.types import Document, Found, Retrieval


class CorpusRetriever:
    """A `Retriever` over an index.

    Args:
        relevant: least share of a query's weight in the best passage found; below, nothing relevant is there.
    """

    def __init__(self, index: CorpusIndex, relevant: float = RELEVANT) -> None:
        self.index = index
        self.relevant = relevant

    def retrieve(self, queries: Sequence[str], top: int) -> tuple[tuple[Document, ...], Retrieval]:
        """See `Retriever`."""
        asked = tuple(dict.fromkeys(queries))
        chosen = merged([self.index.search(query, top) for query in asked], top)
        record = Retrieval(
            source="index",
            sha256=self.index.sha256,
            top=top,
            queries=asked,
            found=tuple(Found(document=h.id, score=h.score, share=h.share) for h in chosen),
        )
        if max((hit.share for hit in chosen), default=0.0) < self.relevant:
            return (), record
        return tuple(self.index.document(hit.row) for hit in chosen), record


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
