"""What every command needs: text in and out whatever the locale, files whole or not at all, progress."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from epoche.errors import InputError

if TYPE_CHECKING:
    from epoche.backends.base import Progress


def statement_text(given: str) -> str:
    """The statement as text, from the argument's own bytes or from stdin, whatever the locale."""
    raw = sys.stdin.buffer.read() if given == "-" else os.fsencode(given)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"the statement is not UTF-8 (byte {error.start}): save or type it as UTF-8") from None


def read_text(path: str) -> str:
    """A file's text.

    Raises:
        InputError: it cannot be read, or is not UTF-8.
    """
    try:
        return Path(path).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 (byte {error.start}): save it as UTF-8") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None


def require_writable(output: str | None) -> None:
    """Fails before the work, not after it, where the report could not be written."""
    if output is None:
        return
    path = Path(output)
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise InputError(f"cannot write {output}: its folder is missing or not writable, or it is a folder")


def require_apart(output: str | None, inputs: Sequence[str], read_suffixes: Sequence[str] = ()) -> None:
    """Refuses an output that would replace what is read, or be read as evidence the next time.

    Args:
        inputs: files and folders the command reads.
        read_suffixes: suffixes that are read from a folder among them.

    Raises:
        InputError: naming both.
    """
    if output is None:
        return
    target = Path(output).resolve()
    for given in inputs:
        source = Path(given).resolve()
        if source == target:
            raise InputError(f"{output} is read by this command and would be overwritten: write to another file")
        if target.is_relative_to(source) and target.suffix.lower() in read_suffixes:
            raise InputError(
                f"{output} lies in {given}, and would be read from there the next time: write to another folder"
            )


def write_text(text: str, output: str | None) -> None:
    """UTF-8 whatever the locale; a file appears whole or not at all."""
    if output is None:
        sys.stdout.buffer.write(text.encode("utf-8"))
        sys.stdout.buffer.flush()
        return
    path = Path(output)
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        partial.write_bytes(text.encode("utf-8"))
        partial.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {output}: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def progress_bar(quiet: bool, unit: str = "pair") -> Iterator[Progress | None]:
    """A bar on a terminal once the work has taken a second."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(desc="NLI", unit=unit, delay=1.0, leave=False) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show
