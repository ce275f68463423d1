"""Which reader reads files of which suffix, and the promise that it gives documents or an `EpocheError`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType

from epoche.errors import DocumentError, EpocheError
from epoche.sources.readers.plain import Found

Reader = Callable[[bytes, str], Found]

#: By suffix: module and function. Texts are read here, the rest in a process of its own (`apart`).
TEXTS: Mapping[str, str] = MappingProxyType(
    {
        ".markdown": "plain:read_markdown",
        ".md": "plain:read_markdown",
        ".text": "plain:read_text",
        ".txt": "plain:read_text",
    }
)
PAPERS: Mapping[str, str] = MappingProxyType(
    {
        ".bib": "references:read_bibtex",
        ".docx": "docx:read",
        ".htm": "html:read",
        ".html": "html:read",
        ".nxml": "jats:read",
        ".pdf": "pdf:read",
        ".ris": "references:read_ris",
        ".xhtml": "html:read",
        ".xml": "jats:read",
    }
)


def read(suffix: str, raw: bytes, name: str) -> Found:
    """Documents of a file, and what it names without holding its text.

    Args:
        suffix: lower case, with its stop; one of `TEXTS` or `PAPERS`.
        name: for messages, and the id of a file that is one document.

    Raises:
        DocumentError: bytes that cannot be read.
        MissingExtra: the library that reads them is not installed.
    """
    module, _, function = {**TEXTS, **PAPERS}[suffix].partition(":")
    reader: Reader = getattr(import_module(f"epoche.sources.readers.{module}"), function)
    try:
        documents, unread = reader(raw, name)
        for document in documents:
            f"{document.id}{document.title}{document.text}".encode()
    except (EpocheError, MemoryError):
        raise
    # Libraries break in their own ways on broken files; whatever they raise, the file is what cannot be read.
    except (Exception, RecursionError) as error:
        what = str(error).strip().split("\n")[0][:200]
        raise DocumentError(
            f"{name} cannot be read as {suffix} ({type(error).__name__}: {what}): it is broken or of another type",
            source=name,
        ) from None
    return documents, unread
