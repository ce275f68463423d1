"""Which reader reads files of which suffix, and the promise that it gives documents or a `DocumentError`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from epoche.errors import DocumentError, EpocheError
from epoche.sources import docx, html, papers_xml, pdf, plain, references
from epoche.types import Document, Unread

Reader = Callable[[bytes, str], list[Document]]
#: With what a file names but does not hold: an entry without an abstract.
Found = tuple[list[Document], list[Unread]]


def _one(read: Reader, raw: bytes, name: str) -> Found:
    return read(raw, name), []


_FOUND: Mapping[str, Callable[[bytes, str], Found]] = MappingProxyType(
    {
        ".bib": references.read_bibtex,
        ".docx": partial(_one, docx.read),
        ".htm": partial(_one, html.read),
        ".html": partial(_one, html.read),
        ".markdown": partial(_one, plain.read_markdown),
        ".md": partial(_one, plain.read_markdown),
        ".nxml": papers_xml.read,
        ".pdf": partial(_one, pdf.read),
        ".ris": references.read_ris,
        ".text": partial(_one, plain.read_text),
        ".txt": partial(_one, plain.read_text),
        ".xhtml": partial(_one, html.read),
        ".xml": papers_xml.read,
    }
)


def read(suffix: str, raw: bytes, name: str) -> Found:
    """Documents of a file, and what it names without holding its text.

    Args:
        suffix: lower case, with its stop; one of `READERS`.
        name: for messages, and the id of a file that is one document.

    Raises:
        DocumentError: bytes that cannot be read.
        MissingExtra: the library that reads them is not installed.
    """
    try:
        documents, unread = _FOUND[suffix](raw, name)
        for document in documents:
            f"{document.id}{document.title}{document.text}".encode()
    except EpocheError:
        raise
    # Libraries break in their own ways on broken files; whatever they raise, the file is what cannot be read.
    except (Exception, RecursionError) as error:
        what = str(error).strip().split("\n")[0][:200]
        raise DocumentError(
            f"{name} cannot be read as {suffix} ({type(error).__name__}: {what}): it is broken or of another type",
            source=name,
        ) from None
    return documents, unread


def _documents(suffix: str, raw: bytes, name: str) -> list[Document]:
    return read(suffix, raw, name)[0]


#: By suffix: bytes and a name for messages → documents.
READERS: Mapping[str, Reader] = MappingProxyType({suffix: partial(_documents, suffix) for suffix in _FOUND})
