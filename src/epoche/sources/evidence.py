"""What a user gives as evidence: files, folders, and names of papers that are looked up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from epoche.errors import DocumentError
from epoche.sources.files import read_evidence, read_files
from epoche.sources.literature.identifiers import Identifier, parse
from epoche.types import Document, Unread

if TYPE_CHECKING:
    from epoche.sources.literature.http import Client


def gather(
    given: Sequence[str], connect: Callable[[], Client], *, on_error: Literal["stop", "skip"] = "stop"
) -> tuple[tuple[Document, ...], tuple[Unread, ...]]:
    """Documents, and what could not be read or found.

    A paper that no service knows is a result, not an error: it is listed, whatever `on_error` says.

    Args:
        given: paths, or names such as `pmid:31852698` and `doi:10.1056/NEJMoa2034577`.
        connect: makes the client of the literature services, if one is needed.

    Raises:
        DocumentError: as `read_evidence`; without `skip` also a service that cannot be asked.
        OptionError: a malformed name.
        MissingExtra: a kind of file, or services, whose library is not installed.
    """
    names = [(text, parse(text)) for text in given]
    paths = [Path(text) for text, name in names if name is None]
    papers = list(dict.fromkeys(name for _, name in names if name is not None))
    if not papers:
        return read_evidence(paths, on_error=on_error)
    read, unread = read_files(paths, on_error=on_error)
    documents, missing = {d.id: d for d in read}, list(unread)
    client = connect()
    for paper in papers:
        if str(paper) in documents:
            continue
        found = _fetched(paper, client, on_error)
        if isinstance(found, Unread):
            missing.append(found)
        else:
            documents[found.id] = found
    return tuple(documents.values()), tuple(missing)


def _fetched(paper: Identifier, client: Client, on_error: str) -> Document | Unread:
    from epoche.sources.literature.lookup import fetch

    try:
        return fetch(paper, client)
    except DocumentError as error:
        if on_error == "stop":
            raise
        return Unread(document=str(paper), sentences=None, why=str(error))
