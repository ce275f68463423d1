"""Crossref by its REST service: what publishers registered under a DOI, retractions among it."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from epoche.sources.literature.http import Client
from epoche.sources.literature.records import Record, abstract, at, items, loads, plain, study_of, words, year_of

#: Updates after which a paper counts no more.
_GONE = frozenset({"retraction", "withdrawal", "removal"})


def by_doi(client: Client, doi: str) -> Record | None:
    """The record of a DOI; None if Crossref has none.

    Raises:
        DocumentError: Crossref cannot be asked.
    """
    return client.get("crossref", f"/works/{quote(doi, safe='')}", {}, lambda raw: _record(_message(raw), doi))


def by_title(client: Client, title: str) -> list[Record]:
    """The records most like a title.

    Raises:
        DocumentError: Crossref cannot be asked.
    """

    def read(raw: bytes) -> list[Record]:
        found = at(_message(raw), "items")
        if not isinstance(found, list):
            raise ValueError("no list of works")
        return [_record(work, "") for work in found if isinstance(work, dict)]

    said = [word for word in re.findall(r"[^\W_]+", title) if len(word) <= 60][:40]
    params = {"query.bibliographic": " ".join(said), "rows": "10"}
    return client.get("crossref", "/works", params, read, absent=None) or []


def _message(raw: bytes) -> dict[str, Any]:
    message = at(loads(raw), "message")
    if not isinstance(message, dict):
        raise ValueError("no message")
    return message


def _record(work: dict[str, Any], doi: str) -> Record:
    own = words(work.get("DOI")).lower() or doi
    title = ": ".join(t for name in ("title", "subtitle") if (t := plain(next(iter(items(work.get(name))), ""))))
    dates = (items(at(work, name, "date-parts")) for name in ("published", "issued"))
    years = (year_of(next(iter(items(parts[0])), None)) for parts in dates if parts)
    kinds = [work.get("subtype"), work.get("type")]
    record = Record(document=abstract(work.get("abstract")).document("-", title=title), doi=own, own=f"doi:{own}")
    return record.named(next((y for y in years if y), None), study_of(kinds), _retracted(work, own))


def _retracted(work: dict[str, Any], doi: str) -> bool:
    """Whether another work retracts this one, or it says so of itself; a notice of another's is not retracted."""
    by = [words(at(update, "type")).lower() for update in items(work.get("updated-by"))]
    itself = [
        words(at(update, "type")).lower()
        for update in items(work.get("update-to"))
        if words(at(update, "DOI")).lower() == doi
    ]
    relation = work.get("relation")
    related = [name.lower() for name in relation] if isinstance(relation, dict) else []
    return not _GONE.isdisjoint(by + itself) or any(r in ("is-retracted-by", "is-withdrawn-by") for r in related)
