"""What a user gives as evidence: files, folders, and names of papers that are looked up."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from epoche.errors import DocumentError, OptionError
from epoche.sources.files import read_files
from epoche.sources.literature.identifiers import Identifier, parse
from epoche.types import Document, Unread

if TYPE_CHECKING:
    from epoche.sources.literature.http import Client


def gather(
    given: Sequence[str],
    connect: Callable[[], Client],
    *,
    on_error: Literal["stop", "skip"] = "stop",
    others: bool = False,
) -> tuple[tuple[Document, ...], tuple[Unread, ...]]:
    """Documents, and what could not be read or found.

    A paper that no service knows is a result, not an error: it is listed, whatever `on_error` says.

    Args:
        given: paths, or names such as `pmid:31852698` and `doi:10.1056/NEJMoa2034577`.
        others: there is other evidence, so that none of these is needed.
        connect: makes the client of the literature services, if one is needed.

    Raises:
        DocumentError: as `read_evidence`; without `skip` also a service that cannot be asked.
        OptionError: a malformed name.
        MissingExtra: a kind of file, or services, whose library is not installed.
    """
    missing: list[Unread] = []
    papers: dict[Identifier, None] = {}
    paths: list[Path] = []
    malformed: OptionError | None = None
    for text in given:
        if not text.strip():
            raise OptionError("the name of a source is empty: give a file, a folder (. for this one) or a paper")
        try:
            # A file that is there is meant, whatever it is called.
            paper = None if os.path.lexists(text) else parse(text)
        except OptionError as error:
            if on_error == "stop":
                raise
            malformed = error
            missing.append(Unread(document=text, sentences=None, why=str(error)))
            continue
        if paper is None:
            paths.append(Path(text))
        else:
            papers[paper] = None
    read, unread = read_files(paths, on_error=on_error)
    missing = [*unread, *missing]
    documents = {d.id: d for d in read}
    client = connect() if papers else None
    for paper in papers:
        assert client is not None
        found = _fetched(paper, client, on_error)
        if isinstance(found, Unread):
            missing.append(found)
            continue
        # Of several texts with its name, each has it with the place where it stands.
        held = [d for d in documents.values() if d.id == found.id or d.id.startswith(f"{found.id} in ")]
        documents |= {d.id: _merged(d, found) for d in held} if held else {found.id: found}
    if not documents and not papers and not others:
        if malformed is not None and not paths:
            raise malformed
        why = f" ({missing[0].document}: {missing[0].why})" if missing else ""
        raise DocumentError(f"no evidence could be read{why}")
    return tuple(documents.values()), tuple(missing)


def _merged(held: Document, found: Document) -> Document:
    """A paper given as a file and by its name: the file's text, and what the services know of it."""
    return held.model_copy(
        update={
            "retracted": held.retracted or found.retracted,
            "year": held.year or found.year,
            "study": held.study or found.study,
        }
    )


def _fetched(paper: Identifier, client: Client, on_error: str) -> Document | Unread:
    from epoche.sources.literature.lookup import fetch

    try:
        return fetch(paper, client)
    except DocumentError as error:
        if on_error == "stop":
            raise
        return Unread(document=str(paper), sentences=None, why=str(error))
