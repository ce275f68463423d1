"""Evidence from files and folders of them: texts, lines of JSON, papers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from epoche.errors import DocumentError
from epoche.sources.lines import document_from
from epoche.sources.readers import by_suffix
from epoche.sources.readers.apart import read_apart
from epoche.sources.readers.plain import decoded
from epoche.types import Document, Unread

LINE_TYPES = frozenset({".jsonl", ".ndjson"})
#: Suffixes of everything that is read.
READABLE = frozenset({*by_suffix.TEXTS, *by_suffix.PAPERS, *LINE_TYPES})
READ = "it reads .txt, .md, .jsonl, .pdf, .html, .xml, .docx, .bib and .ris"
#: Larger files are refused; nobody wants them read sentence by sentence.
MAX_BYTES = 64 * 1024 * 1024
_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:/+")


def read_evidence(
    paths: Sequence[Path], *, on_error: Literal["stop", "skip"] = "stop"
) -> tuple[tuple[Document, ...], tuple[Unread, ...]]:
    """Documents from files and folders, and with `skip` what could not be read.

    A folder gives every readable file below it, hidden ones and those of other types left out. The
    id of a file is its path as given; lines and entries of reference lists have their own.

    Raises:
        DocumentError: a file or line that cannot be read (without `skip`), two documents of one id, or
            nothing that can be read at all.
        MissingExtra: a kind of file whose library is not installed.
    """
    documents, unread = read_files(paths, on_error=on_error)
    if not documents:
        why = f" ({unread[0].document}: {unread[0].why})" if unread else ""
        raise DocumentError(f"no evidence could be read{why}")
    return documents, unread


def read_files(
    paths: Sequence[Path], *, on_error: Literal["stop", "skip"] = "stop"
) -> tuple[tuple[Document, ...], tuple[Unread, ...]]:
    """As `read_evidence`, where nothing that can be read is no error."""
    documents: dict[str, list[tuple[Document, str]]] = {}
    unread: list[Unread] = []
    seen: set[Path] = set()
    for path, name in files_of(paths, on_error, unread):
        real = path.resolve()
        if real in seen:
            continue
        seen.add(real)
        for where, document in _documents(path, name, on_error, unread):
            held = documents.setdefault(document.id, [])
            if any(document == other for other, _ in held):
                continue
            if held and on_error == "stop":
                problem = f"the id {document.id!r} is used twice, by {held[0][1]} and by {where}: give each its own"
                raise DocumentError(problem, source=name)
            held.append((document, where))
    return tuple(d for found in documents.values() for d in _told_apart(found)), tuple(unread)


def _told_apart(found: list[tuple[Document, str]]) -> Iterator[Document]:
    """Documents of one id; of several, each is named by where it stands, so that their order does not matter."""
    for document, where in found:
        yield document if len(found) == 1 else document.model_copy(update={"id": f"{document.id} in {where}"})


def files_of(paths: Sequence[Path], on_error: str, unread: list[Unread]) -> Iterator[tuple[Path, str]]:
    """(path, name for people) of each file; folders are walked in sorted order."""
    for path in paths:
        name = _shown(path)
        try:
            if _URL.match(name):
                name = re.sub(":/+", "://", name, count=1)  # a path has lost one of the two
                raise DocumentError(
                    f"{name} is a URL: save the page and give the file, or the paper's identifier (doi:…, pmid:…)",
                    source=name,
                )
            if path.is_dir():
                found = sorted(_walk(path, on_error, unread))
                if not found:
                    raise DocumentError(f"no file to read in the folder {name}: {READ}", source=name)
                yield from ((f, _shown(f)) for f in found)
            elif not path.exists():
                raise DocumentError(f"there is no file {name}: check the path", source=name)
            elif not path.is_file():
                raise DocumentError(f"{name} is not a regular file: save what it gives as a file", source=name)
            elif path.suffix.lower() not in READABLE:
                kind = f"files of the type {path.suffix}" if path.suffix else "files without a suffix"
                raise DocumentError(f"{name}: {kind} are not read; {READ}", source=name)
            else:
                yield path, name
        except OSError as error:
            _stop_or_note(DocumentError(f"{name} cannot be read: {error.strerror}", source=name), on_error, unread)
        except DocumentError as error:
            _stop_or_note(error, on_error, unread)


def _walk(folder: Path, on_error: str, unread: list[Unread]) -> Iterator[Path]:
    """Files of the types that are read, below a folder; links are followed, each folder is read once.

    A folder that cannot be listed is evidence that cannot be read.
    """

    def note(error: OSError) -> None:
        name = _shown(Path(error.filename))
        _stop_or_note(DocumentError(f"{name} cannot be read: {error.strerror}", source=name), on_error, unread)

    seen: set[Path] = set()
    for root, folders, files in os.walk(folder, onerror=note, followlinks=True):
        real = Path(root).resolve()
        folders[:] = sorted(f for f in folders if not f.startswith(".")) if real not in seen else []
        if real in seen:
            continue
        seen.add(real)
        for file in files:
            path = Path(root) / file
            if file.startswith(".") or path.suffix.lower() not in READABLE:
                continue
            if path.is_file():
                yield path
            elif not path.is_dir():
                name = _shown(path)
                problem = f"{name} is a link to nowhere, or not a regular file: get what it stands for"
                _stop_or_note(DocumentError(problem, source=name), on_error, unread)


def passed_over(paths: Sequence[Path]) -> list[str]:
    """Names of files in the given folders that are of no type we read, so that nobody thinks they were."""
    found = []
    for folder in (p for p in paths if p.is_dir()):
        for root, folders, files in os.walk(folder):
            folders[:] = sorted(f for f in folders if not f.startswith("."))
            found += [
                _shown(Path(root) / f)
                for f in sorted(files)
                if not f.startswith(".") and Path(f).suffix.lower() not in READABLE
            ]
    return found


def _documents(path: Path, name: str, on_error: str, unread: list[Unread]) -> Iterator[tuple[str, Document]]:
    """(where, document) of one file."""
    suffix = path.suffix.lower()
    try:
        raw = _bytes(path, name)
        if suffix in LINE_TYPES:
            lines = decoded(raw, name, "lines of JSON").removeprefix("\ufeff").split("\n")
        else:
            reader = by_suffix.read if suffix in by_suffix.TEXTS else read_apart
            documents, problems = reader(suffix, raw, name)
    except DocumentError as error:
        _stop_or_note(error, on_error, unread)
        return
    if suffix not in LINE_TYPES:
        for part in problems:
            if on_error == "stop":
                raise DocumentError(f"{part.document}: {part.why}", source=name)
            unread.append(part)
        yield from ((name if document.id == name else f"{name}, {document.id}", document) for document in documents)
        return
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            document = document_from(line)
        except ValueError as error:
            problem = DocumentError(f"{name}, line {number}: {error}", source=name, line=number)
            _stop_or_note(problem, on_error, unread)
            continue
        yield f"{name}, line {number}", document


def _bytes(path: Path, name: str) -> bytes:
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise DocumentError(
                f"{name} has {size // 2**20} MB; at most {MAX_BYTES // 2**20} are read: split it", source=name
            )
        return path.read_bytes()
    except OSError as error:
        raise DocumentError(f"{name} cannot be read: {error.strerror}", source=name) from None


def _shown(path: Path) -> str:
    """The path as text; bytes that are not UTF-8 are shown escaped, whatever the locale."""
    return os.fsencode(path).decode("utf-8", "backslashreplace").replace(os.sep, "/")


def _stop_or_note(error: DocumentError, on_error: str, unread: list[Unread]) -> None:
    if on_error == "stop":
        raise error
    source = error.source or "evidence"
    why = str(error).removeprefix(source).removeprefix(",").removeprefix(":").lstrip()
    unread.append(Unread(document=source, sentences=None, why=why))
