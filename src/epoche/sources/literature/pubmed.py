"""PubMed by NCBI's E-utilities: ESearch finds numbers (JSON), EFetch gives abstracts (XML).

A PMC number is not asked for here: Europe PMC knows it and gives its abstract in one request, where NCBI needs two.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from epoche.errors import DocumentError
from epoche.sources.literature.http import Client
from epoche.sources.literature.records import Record, at, items, loads
from epoche.types import Document, Unread

#: Numbers in one request.
_AT_ONCE = 100
_ARTICLE = re.compile(rb"<Pubmed(?:Book)?Article[\s>]")
_SET = re.compile(rb"<PubmedArticleSet\s*/>|</PubmedArticleSet\s*>")
_NO_SUCH = re.compile(
    rb"<ERROR>[^<]*(?:empty id list|id list is empty|no correct ids|invalid uid|cannot get)", re.I
)


def search(client: Client, term: str, top: int) -> list[str]:
    """At most `top` PubMed numbers, the most relevant first.

    Raises:
        DocumentError: PubMed cannot be searched.
    """

    def read(raw: bytes) -> list[str]:
        result = at(loads(raw), "esearchresult")
        if at(result, "ERROR") is not None:
            raise client.problem("pubmed", "cannot search at the moment: try again later, or give papers as files")
        if not isinstance(at(result, "idlist"), list):
            raise ValueError("no list of numbers")
        return [n for n in items(at(result, "idlist")) if isinstance(n, str) and re.fullmatch(r"[0-9]{1,9}", n)]

    params = {"db": "pubmed", "term": term, "retmode": "json", "retmax": str(top), "sort": "relevance"}
    return (client.get("pubmed", "/esearch.fcgi", params, read, absent=None) or [])[:top]


def fetch(client: Client, numbers: Sequence[str]) -> dict[str, Record]:
    """Records by number; those that PubMed does not have are left out.

    Raises:
        DocumentError: PubMed cannot be asked.
    """
    found: dict[str, Record] = {}
    for start in range(0, len(numbers), _AT_ONCE):
        part = numbers[start : start + _AT_ONCE]
        params = {"db": "pubmed", "id": ",".join(part), "retmode": "xml"}
        records = client.get(
            "pubmed", "/efetch.fcgi", params, lambda raw: _read(client, raw), kind="xml", absent=_empty
        )
        found.update((number, record) for number, record in (records or {}).items() if number in part)
    return found


def by_number(client: Client, number: str) -> Record | None:
    """The record of one number; None if there is none.

    Raises:
        DocumentError: PubMed cannot be asked.
    """
    return fetch(client, [number]).get(number)


def _empty(status: int, body: bytes) -> bool:
    """Whether EFetch says that it has none of the numbers: an empty set, or a message."""
    if status == 200 and _SET.search(body) and not _ARTICLE.search(body):
        return True
    return status in (200, 400, 404) and _NO_SUCH.search(body) is not None


def _read(client: Client, raw: bytes) -> dict[str, Record]:
    from epoche.sources.readers.jats import pubmed_articles

    try:
        documents, unread = pubmed_articles(raw, client.where("pubmed"))
    except DocumentError:
        # Its message is about a file.
        raise ValueError("no set of articles") from None
    found: list[Document | Unread] = [*documents, *unread]
    records = [_record(one) for one in found]
    return {record.pmid: record for record in reversed(records)}


def _record(one: Document | Unread) -> Record:
    document = one if isinstance(one, Document) else Document(id=one.document, text="")
    return Record(document, pmid=document.id.removeprefix("pmid:"))
