"""Documents one at a time, for collections that do not fit into memory: lines of .jsonl are streamed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from epoche.errors import DocumentError
from epoche.sources.files import LINE_TYPES, files_of, read_files
from epoche.sources.lines import document_from
from epoche.types import Document, Unread

#: A line longer than this is no abstract; it is not read into memory.
LONGEST_LINE = 16 * 1024 * 1024


def documents_of(
    paths: Sequence[Path], on_error: Literal["stop", "skip"], skipped: Callable[[str], object]
) -> Iterator[Document]:
    """Every document of files and folders, in order.

    Args:
        skipped: called with what could not be read and why.

    Raises:
        DocumentError: a file or line that cannot be read, without `skip`.
    """
    unreadable: list[Unread] = []
    for path, name in files_of(paths, on_error, unreadable):
        if path.suffix.lower() in LINE_TYPES:
            yield from _lines(path, name, on_error, skipped)
            continue
        try:
            found, unread = read_files([path], on_error=on_error)
        except DocumentError as error:
            if on_error == "stop":
                raise
            skipped(str(error))
            continue
        for part in unread:
            skipped(f"{part.document}: {part.why}")
        yield from found
    for part in unreadable:
        skipped(f"{part.document}: {part.why}")


def _lines(
    path: Path, name: str, on_error: Literal["stop", "skip"], skipped: Callable[[str], object]
) -> Iterator[Document]:
    with path.open("rb") as stream:
        number = 0
        while raw := stream.readline(LONGEST_LINE):
            number += 1
            if not raw.strip():
                continue
            try:
                if len(raw) == LONGEST_LINE and not raw.endswith(b"\n"):
                    while (rest := stream.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                        pass
                    raise ValueError(f"longer than {LONGEST_LINE // 2**20} MB")
                text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
                yield document_from(text)
            except ValueError as error:  # UnicodeDecodeError among them
                problem = f"{name}, line {number}: {error}"
                if on_error == "stop":
                    raise DocumentError(problem, source=name, line=number) from None
                skipped(problem)
