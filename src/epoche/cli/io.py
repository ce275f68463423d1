"""What every command needs: text in and out whatever the locale, files whole or not at all, progress."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from epoche.errors import InputError, OptionError

if TYPE_CHECKING:
    from epoche.backends.base import Progress
    from epoche.bench.run import RunProgress


#: Options of every command that may ask a language model; each is a setting.
MODEL_OPTIONS = (
    click.option("--base-url", metavar="URL", help="Server of openai: models.  [default: OpenAI's]"),
    click.option(
        "--reply-timeout",
        "reply_seconds",
        type=float,
        metavar="SECONDS",
        help="Most for one reply of a language model, all tries together.  [default: 60]",
    ),
)


def statement_text(given: str) -> str:
    """The statement as text, from the argument's own bytes or from stdin, whatever the locale."""
    if given == "-" and sys.stdin is None:
        raise InputError("the standard input is closed: give the statement as an argument")
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


def say(message: str, head: str = "epoche") -> None:
    """One line on stderr. What a terminal would act on, in a file's name for instance, is shown as an escape."""
    line = "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in message)
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            click.echo(f"{head}: {line}", err=True)


def require_writable(output: str | None) -> None:
    """Fails before the work, not after it, where the report could not be written.

    Raises:
        OptionError: an empty name.
        InputError: a folder, or in a folder that is missing or not writable.
    """
    if output is None or output == "-":
        if sys.stdout is None:
            raise InputError("the standard output is closed: give --output FILE")
        return
    if not output:
        raise OptionError("the output's name is empty: give a file, or - for the standard output")
    path = Path(output)
    if path.exists() and not path.is_dir() and not path.is_file():
        return  # a device or a pipe is written to, not replaced
    path = path.resolve()
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise InputError(f"cannot write {output}: its folder is missing or not writable, or it is a folder")


def discard_stdout() -> None:
    """What is left in the buffer would raise again when Python exits."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def require_apart(output: str | None, inputs: Sequence[str], read_suffixes: Sequence[str] | None = ()) -> None:
    """Refuses an output that would replace what is read, or be read as evidence the next time.

    Args:
        inputs: files and folders the command reads.
        read_suffixes: suffixes that are read from a folder among them; None for all.

    Raises:
        InputError: naming both.
    """
    if output is None or output == "-":
        return
    target = Path(output).resolve()
    for given in inputs:
        source = Path(given).resolve()
        if source == target:
            raise InputError(f"{output} is read by this command and would be overwritten: write to another file")
        read = read_suffixes is None or target.suffix.lower() in read_suffixes
        if target.is_relative_to(source) and read:
            raise InputError(
                f"{output} lies in {given}, and would be read from there the next time: write to another folder"
            )


def write_text(text: str, output: str | None) -> None:
    """UTF-8 whatever the locale; a file appears whole or not at all."""
    if output is None or output == "-":
        if sys.stdout is None:
            raise InputError("the standard output is closed: give --output FILE")
        try:
            sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            discard_stdout()
            raise InputError(f"the standard output cannot be written: {error.strerror}") from None
        return
    path = Path(output)
    if path.exists() and not path.is_file():
        try:
            path.write_bytes(text.encode("utf-8"))
        except OSError as error:
            raise InputError(f"cannot write {output}: {error.strerror}") from None
        return
    path = path.resolve()  # a link stays a link: what it points to is replaced
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        partial.write_bytes(text.encode("utf-8"))
        partial.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {output}: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def run_bar(quiet: bool) -> Iterator[RunProgress | None]:
    """A bar over the items of a benchmark, with pairs per second and the time left, on a terminal."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    start = time.monotonic()
    with tqdm(desc="items", unit="item", delay=1.0, leave=False) as bar:

        def show(done: int, total: int, pairs: int) -> None:
            if bar.n == 0 and done:
                bar.initial = bar.last_print_n = done  # what an earlier start has done is no speed of this one
            bar.total = total
            bar.set_postfix_str(f"{pairs / max(time.monotonic() - start, 1e-9):.0f} pairs/s", refresh=False)
            bar.update(done - bar.n)

        yield show


@contextmanager
def count_bar(quiet: bool) -> Iterator[Callable[[int], None] | None]:
    """A count of documents on a terminal, with how many a second."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(desc="documents", unit="document", delay=1.0, leave=False) as bar:

        def show(done: int) -> None:
            bar.update(done - bar.n)

        yield show


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Progress | None]:
    """A bar on a terminal once the work has taken a second."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(desc="NLI", unit="pair", delay=1.0, leave=False) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show
