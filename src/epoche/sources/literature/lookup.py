"""A paper by its name: found, not found, probably another one, or found without an abstract."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from epoche.errors import DocumentError
from epoche.sources.literature import crossref, europe_pmc, openalex, pubmed
from epoche.sources.literature.http import Client
from epoche.sources.literature.identifiers import Identifier
from epoche.sources.literature.keywords import SAME, same_title, similarity
from epoche.sources.literature.records import Record
from epoche.sources.literature.services import SERVICES
from epoche.types import Document, Unread

#: Below, the best that a search for a title finds has nothing to do with it.
NEAR = 0.5

_DOI: tuple[tuple[str, Callable[[Client, str], Record | None]], ...] = (
    ("europepmc", europe_pmc.by_doi),
    ("crossref", crossref.by_doi),
    ("openalex", openalex.by_doi),
)
_TITLE: tuple[tuple[str, Callable[[Client, str], list[Record]]], ...] = (
    ("europepmc", europe_pmc.by_title),
    ("crossref", crossref.by_title),
)


@dataclass
class _Asked:
    """What the services said, in the order in which they were asked."""

    found: dict[str, Record] = field(default_factory=dict)
    without: list[str] = field(default_factory=list)
    failed: list[DocumentError] = field(default_factory=list)

    def ask(self, service: str, get: Callable[[], Record | None]) -> None:
        """Asks one; that it is out of order is kept for later, for the next may do."""
        try:
            record = get()
        except DocumentError as error:
            self.failed.append(error)
            return
        if record is None:
            self.without.append(service)
        else:
            self.found[service] = record

    def checked(self) -> bool:
        """Whether a service that knows of retractions has the paper."""
        return not self.found.keys().isdisjoint(("crossref", "openalex"))

    def readable(self) -> Document | None:
        """The first document with an abstract."""
        return next((r.document for r in self.found.values() if r.document.text), None)


def fetch(identifier: Identifier, client: Client, title: str = "") -> Document | Unread:
    """The abstract that a name stands for, retracted if any service that was asked says so.

    PubMed is asked for its numbers and Europe PMC for those of PMC; for a DOI Europe PMC, Crossref and OpenAlex in
    turn, until there is an abstract and one of the last two has said whether it is retracted; a title is searched
    for at Europe PMC and Crossref.

    Args:
        title: what the paper is expected to be called.

    Raises:
        DocumentError: a service that was needed cannot be asked, so that nothing can be said.
    """
    name, asked = str(identifier), _Asked()
    if identifier.scheme == "title":
        other = _by_title(client, identifier.value, name, asked)
        if other is not None:
            return other
    elif identifier.scheme == "doi":
        _by_doi(client, identifier.value, asked)
    elif identifier.scheme == "pmid":
        asked.ask("pubmed", partial(pubmed.by_number, client, identifier.value))
    else:
        asked.ask("europepmc", partial(europe_pmc.by_pmcid, client, identifier.value))
    return _answer(name, asked, title)


def _by_doi(client: Client, doi: str, asked: _Asked) -> None:
    # Publishers register retractions with Crossref, and OpenAlex has Retraction Watch's; Europe PMC knows fewer.
    for service, get in _DOI:
        if service not in asked.found and not (asked.checked() and asked.readable()):
            asked.ask(service, partial(get, client, doi))
    if asked.checked() and asked.readable():
        asked.failed.clear()


def _by_title(client: Client, title: str, name: str, asked: _Asked) -> Unread | None:
    """Asks for the paper of a title; what is said where no title found is that one."""
    best: tuple[float, str, Record] | None = None
    for service, search in _TITLE:
        try:
            found = search(client, title)
        except DocumentError as error:
            asked.failed.append(error)
            continue
        asked.without.append(service)
        for record in found:
            alike = similarity(title, record.document.title)
            if best is None or alike > best[0]:
                best = (alike, service, record)
        if best is not None and best[0] >= SAME:
            _taken(client, best[1], best[2], asked)
            return None
    if best is None or best[0] < NEAR:
        return None
    return None if asked.failed else _other(name, title, best[2].document.title, best[1])


def _taken(client: Client, service: str, record: Record, asked: _Asked) -> None:
    """A title's record was found: what its DOI stands for, or else the record."""
    asked.failed.clear()
    asked.without.clear()
    asked.found[service] = record
    if record.doi:
        _by_doi(client, record.doi, asked)


def _answer(name: str, asked: _Asked, title: str) -> Document | Unread:
    called = next((r.document.title for r in asked.found.values() if r.document.title), "")
    if title and called and not same_title(title, called):
        return _other(name, title, called, next(iter(asked.found)))
    document = asked.readable()
    # The service that did not answer may be the one that has it.
    if asked.failed:
        raise asked.failed[0]
    if document is None:
        return _nothing(name, asked)
    records = [record.document for record in asked.found.values()]
    return document.model_copy(
        update={
            "id": name,
            "title": document.title or called,
            "year": document.year or next((d.year for d in records if d.year), None),
            "study": document.study or next((d.study for d in records if d.study), ""),
            "retracted": any(d.retracted for d in records),
        }
    )


def _nothing(name: str, asked: _Asked) -> Unread:
    if not asked.found:
        where = _names(asked.without)
        why = f"no source found: {where} {'knows' if len(asked.without) == 1 else 'know'} no such paper"
        return Unread(document=name, sentences=None, why=f"{why}: check the name", kind="not_found")
    gone = " (it is retracted)" if any(r.document.retracted for r in asked.found.values()) else ""
    give = "gives" if len(asked.found) == 1 else "give"
    why = f"{_names(list(asked.found))} {give} no abstract of it{gone}: give the paper as a file"
    return Unread(document=name, sentences=None, why=why)


def _other(name: str, expected: str, called: str, service: str) -> Unread:
    why = (
        f'the source found is probably another paper: it is called "{called}" at {SERVICES[service].name}, and'
        f' "{expected}" was asked for: give its PubMed number or DOI'
    )
    return Unread(document=name, sentences=None, why=why, kind="another_paper")


def _names(services: list[str]) -> str:
    names = [SERVICES[service].name for service in services]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
