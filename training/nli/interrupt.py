"""A request to end is noted, so that a long stage can end where it may be resumed."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def asked_to_stop() -> Iterator[list[int]]:
    """A list that is no longer empty once the process was asked to end."""
    stop: list[int] = []
    previous = signal.signal(signal.SIGTERM, lambda number, frame: stop.append(number))
    try:
        yield stop
    finally:
        signal.signal(signal.SIGTERM, previous)
