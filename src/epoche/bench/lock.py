"""One process at a time in a folder that is written in pieces: a download, a run record."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from epoche.errors import InputError


@contextlib.contextmanager
def alone(folder: Path, refusal: str) -> Iterator[None]:
    """Holds a lock on an existing folder; it ends with the process, and leaves no file.

    Where there are no such locks (Windows, some network file systems), two at once are the user's to avoid.

    Raises:
        InputError: `refusal`, if another process holds it.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(refusal) from None
        yield
    finally:
        os.close(descriptor)
