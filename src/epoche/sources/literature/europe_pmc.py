"""Europe PMC by its REST service: one search gives whole records."""

from __future__ import annotations

from typing import Any

from epoche.sources.literature.http import Client
from epoche.sources.literature.keywords import keywords
from epoche.sources.literature.records import Record, abstract, at, items, loads, plain, study_of, words, year_of

#: Journals' records before those of preprints, for both may have one DOI or title.
_ORDER = {"MED": 0, "PMC": 1, "PPR": 3}


def search(client: Client, query: str, top: int) -> list[Record]:
    """At most `top` records, the most relevant first.

    Raises:
        DocumentError: Europe PMC cannot be asked.
    """

    def read(raw: bytes) -> list[Record]:
        found = at(loads(raw), "resultList", "result")
        if not isinstance(found, list):
            raise ValueError("no list of results")
        return [_record(result) for result in found if isinstance(result, dict)]

    params = {"query": query, "resultType": "core", "format": "json", "pageSize": str(top)}
    return (client.get("europepmc", "/search", params, read, absent=None) or [])[:top]


def by_pmcid(client: Client, pmcid: str) -> Record | None:
    """The record of a PMC number; None if there is none.

    Raises:
        DocumentError: as `search`.
    """
    return next((r for r in search(client, f"PMCID:{pmcid}", 5) if r.pmcid == pmcid), None)


def by_doi(client: Client, doi: str) -> Record | None:
    """The record of a DOI; None if there is none.

    Raises:
        DocumentError: as `search`.
    """
    quoted = doi.replace("\\", r"\\").replace('"', r"\"")
    return next((r for r in search(client, f'DOI:"{quoted}"', 5) if r.doi == doi), None)


def by_title(client: Client, title: str) -> list[Record]:
    """Records with all keywords of a title in theirs, journals' first.

    Raises:
        DocumentError: as `search`.
    """
    said = keywords(title)
    found = search(client, " AND ".join(f"TITLE:{word}" for word in said), 10) if said else []
    return sorted(found, key=lambda record: _ORDER.get(record.own.split(":")[1], 2))


def _record(result: dict[str, Any]) -> Record:
    kinds = items(at(result, "pubTypeList", "pubType"))
    links = [
        words(at(link, "type")).lower() for link in items(at(result, "commentCorrectionList", "commentCorrection"))
    ]
    retracted = "retracted publication" in (words(kind).lower() for kind in kinds) or "retraction in" in links
    record = Record(
        document=abstract(result.get("abstractText")).document("-", title=plain(result.get("title"))),
        pmid=words(result.get("pmid")),
        pmcid=words(result.get("pmcid")).upper(),
        doi=words(result.get("doi")).lower(),
        own=f"europepmc:{words(result.get('source'))}:{words(result.get('id'))}",
    )
    return record.named(year_of(result.get("pubYear")), study_of(kinds), retracted)
