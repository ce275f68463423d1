"""Evidence from files: .txt, .md and .jsonl, or folders of them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from epoche import strict_json
from epoche.errors import DocumentError
from epoche.types import Document, Unread

TEXT_TYPES = frozenset({".txt", ".md", ".markdown", ".text"})
LINE_TYPES = frozenset({".jsonl", ".ndjson"})
READ = "it reads .txt, .md and .jsonl"
#: Larger files are refused; nobody wants them read sentence by sentence.
MAX_BYTES = 64 * 1024 * 1024
_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:/+")


def read_evidence(
    paths: Sequence[Path], *, on_error: Literal["stop", "skip"] = "stop"
) -> tuple[tuple[Document, ...], tuple[Unread, ...]]:
    """Documents from files and folders, and with `skip` what could not be read.

    A folder gives every readable file below it, hidden ones and those of other types left out. A
    text's id is its path as given, a line's id its own.

    Raises:
        DocumentError: a file or line that cannot be read (without `skip`), two documents of one id, or
            nothing that can be read at all.
    """
    documents: dict[str, tuple[Document, str]] = {}
    unread: list[Unread] = []
    seen: set[Path] = set()
    for path, name in _files(paths, on_error, unread):
        real = path.resolve()
        if real in seen:
            continue
        seen.add(real)
        for where, document in _documents(path, name, on_error, unread):
            if document.id in documents:
                first = documents[document.id][1]
                raise DocumentError(
                    f"the id {document.id!r} is used twice, by {first} and by {where}: give each document its own",
                    source=name,
                )
            documents[document.id] = (document, where)
    if not documents:
        why = f" ({unread[0].document}: {unread[0].why})" if unread else ""
        raise DocumentError(f"no evidence could be read{why}")
    return tuple(d for d, _ in documents.values()), tuple(unread)


def _files(paths: Sequence[Path], on_error: str, unread: list[Unread]) -> Iterator[tuple[Path, str]]:
    """(path, name for people) of each file; folders are walked in sorted order."""
    for path in paths:
        name = _shown(path)
        try:
            if _URL.match(name):
                raise DocumentError(f"{name} is a URL: save the page as a text file and give that", source=name)
            if path.is_dir():
                found = sorted(_walk(path, on_error, unread))
                if not found:
                    raise DocumentError(f"no file to read in the folder {name}: {READ}", source=name)
                yield from ((f, _shown(f)) for f in found)
            elif not path.exists():
                raise DocumentError(f"there is no file {name}: check the path", source=name)
            elif not path.is_file():
                raise DocumentError(f"{name} is not a regular file: save what it gives as a file", source=name)
            elif path.suffix.lower() not in TEXT_TYPES | LINE_TYPES:
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
            if not file.startswith(".") and path.suffix.lower() in TEXT_TYPES | LINE_TYPES and path.is_file():
                yield path


def passed_over(paths: Sequence[Path]) -> list[str]:
    """Names of files in the given folders that are of no type we read, so that nobody thinks they were."""
    found = []
    for folder in (p for p in paths if p.is_dir()):
        for root, folders, files in os.walk(folder):
            folders[:] = sorted(f for f in folders if not f.startswith("."))
            types = TEXT_TYPES | LINE_TYPES
            found += [
                _shown(Path(root) / f)
                for f in sorted(files)
                if not f.startswith(".") and Path(f).suffix.lower() not in types
            ]
    return found


def _documents(path: Path, name: str, on_error: str, unread: list[Unread]) -> Iterator[tuple[str, Document]]:
    """(where, document) of one file."""
    try:
        text = _text(path, name)
        if path.suffix.lower() in TEXT_TYPES:
            yield name, Document(id=name, text=text)
            return
    except DocumentError as error:
        _stop_or_note(error, on_error, unread)
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            document = _from_line(line)
        except ValueError as error:
            problem = DocumentError(f"{name}, line {number}: {error}", source=name, line=number)
            _stop_or_note(problem, on_error, unread)
            continue
        yield f"{name}, line {number}", document


def _text(path: Path, name: str) -> str:
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise DocumentError(
                f"{name} has {size // 2**20} MB; at most {MAX_BYTES // 2**20} are read: split it", source=name
            )
        raw = path.read_bytes()
    except OSError as error:
        raise DocumentError(f"{name} cannot be read: {error.strerror}", source=name) from None
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DocumentError(f"{name} is UTF-16: save it as UTF-8", source=name)
    if b"\x00" in raw:
        raise DocumentError(f"{name} is not text (it holds zero bytes): {READ}", source=name)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DocumentError(f"{name} is not UTF-8 (byte {error.start}): save it as UTF-8", source=name) from None
    if not text.strip("\ufeff \t\r\n\v\f"):
        raise DocumentError(f"{name} is empty", source=name)
    # In a text the mark stays where it is, for offsets are into the file as it was given.
    return text.removeprefix("\ufeff") if path.suffix.lower() in LINE_TYPES else text


def _from_line(line: str) -> Document:
    """One JSON line: {"id", "title", "text"}, {"id", "title", "sentences"}, or SciFact's {"doc_id", "abstract"}.

    Raises:
        ValueError: what is wrong with it.
    """
    record = strict_json.loads(line)
    if not isinstance(record, dict):
        raise ValueError('an object is needed, like {"id": "…", "title": "…", "text": "…"}')
    bodies = [name for name in ("text", "sentences", "abstract") if record.get(name) is not None]
    if len(bodies) > 1:
        raise ValueError(f'it has both "{bodies[0]}" and "{bodies[1]}": give one of them')
    key = record.get("id", record.get("doc_id"))
    if isinstance(key, bool) or not isinstance(key, str | int) or not str(key).strip():
        raise ValueError('no "id": a text or a number')
    title, retracted = record.get("title", ""), record.get("retracted", False)
    if title is None:
        title = ""
    if not isinstance(title, str):
        raise ValueError('"title" must be a text')
    if not isinstance(retracted, bool):
        raise ValueError('"retracted" must be true or false')
    text, spans = _body(record)
    document = Document(id=str(key), text=text, title=title, retracted=retracted, spans=spans)
    try:
        f"{key}{title}{text}".encode()
    except UnicodeEncodeError:
        raise ValueError("it holds a lone surrogate, which is no character") from None
    if "\0" in f"{key}{title}{text}":
        raise ValueError("it holds a zero character, so it is not text")
    return document


def _body(record: dict[str, Any]) -> tuple[str, tuple[tuple[int, int], ...] | None]:
    """Text, and spans where the sentences are given."""
    if isinstance(record.get("text"), str):
        if not record["text"].strip():
            raise ValueError('"text" is empty')
        return record["text"], None
    sentences = record.get("sentences", record.get("abstract"))
    if not isinstance(sentences, list) or not all(isinstance(s, str) for s in sentences):
        raise ValueError('"text" (a text) or "sentences" (a list of texts) is needed')
    parts = [s.strip() for s in sentences if s.strip()]
    if not parts:
        raise ValueError('"sentences" is empty')
    spans, start = [], 0
    for part in parts:
        spans.append((start, start + len(part)))
        start += len(part) + 1
    return " ".join(parts), tuple(spans)


def _shown(path: Path) -> str:
    """The path as text; bytes that are not UTF-8 are shown escaped, whatever the locale."""
    return os.fsencode(path).decode("utf-8", "backslashreplace").replace(os.sep, "/")


def _stop_or_note(error: DocumentError, on_error: str, unread: list[Unread]) -> None:
    if on_error == "stop":
        raise error
    source = error.source or "evidence"
    why = str(error).removeprefix(f"{source}, ").removeprefix(f"{source} ")
    unread.append(Unread(document=source, sentences=None, why=why))
