"""OpenAlex by its REST service: abstracts as inverted indexes, and which papers are retracted."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from epoche.sources.literature.http import Client
from epoche.sources.literature.records import Record, abstract, at, items, loads, plain, study_of, words, year_of

#: Most records that one request gives.
_PAGE = 100


def by_doi(client: Client, doi: str) -> Record | None:
    """The record of a DOI; None if OpenAlex has none.

    Raises:
        DocumentError: OpenAlex cannot be asked.
    """

    def read(raw: bytes) -> Record:
        work = loads(raw)
        if not isinstance(work.get("id"), str):
            raise ValueError("no work")
        return _record(work)

    # It says so with a page of HTML.
    return client.get("openalex", f"/works/doi:{quote(doi, safe='')}", {}, read, absent=lambda s, _: s == 404)


def search(client: Client, query: str, top: int) -> list[Record]:
    """At most `top` records, the most relevant first.

    Raises:
        DocumentError: OpenAlex cannot be searched.
    """

    def read(raw: bytes) -> list[Record]:
        found = at(loads(raw), "results")
        if not isinstance(found, list):
            raise ValueError("no list of works")
        return [_record(work) for work in found if isinstance(work, dict)]

    params = {"search": query, "per-page": str(min(top, _PAGE))}
    return (client.get("openalex", "/works", params, read, absent=None) or [])[:top]


def _record(work: dict[str, Any]) -> Record:
    number = re.search(r"/([0-9]+)/?$", words(at(work, "ids", "pmid")))
    record = Record(
        document=abstract(_text(work.get("abstract_inverted_index"))).document(
            "-", title=plain(work.get("title") or work.get("display_name"))
        ),
        pmid=number.group(1) if number else "",
        doi=re.sub(r"^https?://(dx\.)?doi\.org/", "", words(work.get("doi")).lower()),
        own=f"openalex:{words(work.get('id')).rpartition('/')[2]}",
    )
    kinds = [kind for kind in items([work.get("type")]) if kind != "article"]
    return record.named(year_of(work.get("publication_year")), study_of(kinds), work.get("is_retracted") is True)


def _text(index: object) -> str:
    """The text of which an inverted index holds the words and their places."""
    places = index.items() if isinstance(index, dict) else ()
    said = sorted(
        (place, word) for word, where in places for place in items(where) if isinstance(place, int) and place >= 0
    )
    return " ".join(word for _, word in said)
