"""Papers that a literature service finds for several queries together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from epoche.sources.corpus.terms import terms
from epoche.sources.literature import europe_pmc, openalex, pubmed
from epoche.sources.literature.http import Client
from epoche.sources.literature.keywords import keywords
from epoche.sources.literature.records import Record
from epoche.types import Document, Found, Retrieval

Source = Literal["pubmed", "europepmc", "openalex"]
#: Least share of a query's stems in the best paper found; below, nothing relevant was found.
RELEVANT = 0.25


class LiteratureRetriever:
    """A `Retriever` over a literature service; safe for several threads.

    All of a query's keywords are asked for, and where fewer than `top` papers have them, any of them.

    Args:
        relevant: least share of a query's stems in title and abstract of the best paper found.
    """

    def __init__(self, source: Source, client: Client, relevant: float = RELEVANT) -> None:
        self.source, self.relevant = source, relevant
        self._client = client

    def retrieve(self, queries: Sequence[str], top: int) -> tuple[tuple[Document, ...], Retrieval]:
        """See `Retriever`.

        Raises:
            DocumentError: the service cannot be searched.
        """
        asked = tuple(dict.fromkeys(queries))
        ranked, held = self._ranked(asked, top)
        chosen = merged(ranked, top)
        if self.source == "pubmed":
            held = pubmed.fetch(self._client, chosen)
        records = [(key, held[key]) for key in chosen if key in held]
        read = [(key, record) for key, record in records if record.document.text]
        without = tuple(
            f"{record.id}: it has no abstract there" for _, record in records if not record.document.text
        )
        documents = tuple(record.document for _, record in read)
        found = tuple(
            Found(document=r.document.id, score=_score(key, ranked), share=share(asked, r.document))
            for key, r in read
        )
        record = Retrieval(
            source=self.source, method="service", sha256=None, top=top, queries=asked, found=found, unread=without
        )
        if max((one.share for one in found), default=0.0) < self.relevant:
            return (), record
        return documents, record

    def _ranked(self, queries: Sequence[str], top: int) -> tuple[list[list[str]], Mapping[str, Record]]:
        """For each query the names of what it finds, best first; and the records, where a search gives them."""
        held: dict[str, Record] = {}
        ranked: list[list[str]] = []
        for query in queries:
            names: dict[str, None] = {}
            words = keywords(query)
            for operator in ("AND", "OR") if len(words) > 1 else ("AND",) if words else ():
                if len(names) < top:
                    names.update(dict.fromkeys(self._found(words, operator, top, held)))
            ranked.append(list(names)[:top])
        return ranked, held

    def _found(self, words: list[str], operator: str, top: int, held: dict[str, Record]) -> list[str]:
        field = "TITLE_ABS:" if self.source == "europepmc" else ""
        query = f" {operator} ".join(field + word for word in words)
        if self.source == "pubmed":
            return pubmed.search(self._client, query, top)
        search = europe_pmc.search if self.source == "europepmc" else openalex.search
        records = search(self._client, query, top)
        for record in records:
            held.setdefault(record.id, record)
        return [record.id for record in records]


def merged(ranked: Sequence[Sequence[str]], top: int) -> list[str]:
    """The first of every list, then the second of every list …; each name once."""
    longest = max(map(len, ranked), default=0)
    order = dict.fromkeys(names[rank] for rank in range(longest) for names in ranked if rank < len(names))
    return list(order)[:top]


def share(queries: Sequence[str], document: Document) -> float:
    """The largest share of a query's distinct stems that title and abstract have."""
    there = set(terms(f"{document.title} {document.text}"))
    asked = [stems for stems in (set(terms(query)) for query in queries) if stems]
    return round(max((len(stems & there) / len(stems) for stems in asked), default=0.0), 6)


def _score(key: str, ranked: Sequence[Sequence[str]]) -> float:
    """The best reciprocal rank."""
    return round(max(1 / (1 + names.index(key)) for names in ranked if key in names), 6)
