"""Files are read in a process of their own: without network, in bounded memory and time.

What a hostile file can do to a library in C, and what a small file can unfold to, ends there.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import struct
import subprocess
import sys
import threading
from typing import IO, Any

from epoche.errors import DocumentError, MissingExtra
from epoche.sources.readers.plain import Found
from epoche.types import Document, Unread

#: Most seconds and most bytes of memory for one file.
SECONDS = 60.0
MEMORY = 3 * 2**30
#: Longest answer that is taken from the process.
_ANSWER = 512 * 2**20
_LENGTH = struct.Struct("!Q")
_CHILD = "import sys; sys.path[:] = {path!r}; from epoche.sources.readers.apart import serve; serve({memory})"


class Reading:
    """A process that reads one file after the other; it is started anew after a file that it died of.

    Args:
        seconds: most for one file.
        memory: bytes of address space; not enforced on systems without `resource`.
    """

    def __init__(self, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        self.seconds, self.memory = seconds, memory
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None

    def read(self, suffix: str, raw: bytes, name: str) -> Found:
        """As `by_suffix.read`.

        Raises:
            DocumentError, MissingExtra: as there; also a file that needs too much time or memory.
        """
        with self._lock:
            child = self._started()
            late = threading.Event()

            def stop() -> None:
                late.set()
                child.kill()

            timer = threading.Timer(self.seconds, stop)
            timer.start()
            try:
                answer = _ask(child, suffix, raw, name)
            finally:
                timer.cancel()
            if answer is None:
                self.close()
                why = (
                    f"takes more than {self.seconds:g} s to read: split it, if it is long and not built to do so"
                    if late.is_set()
                    else f"breaks its reader, or needs more than {self.memory // 2**20} MB: print it to PDF"
                )
                raise DocumentError(f"{name} {why}", source=name)
        return _found(answer, name)

    def close(self) -> None:
        """End the process."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            with contextlib.suppress(OSError, ValueError):
                child.communicate()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            code = _CHILD.format(path=sys.path, memory=self.memory)
            self._child = subprocess.Popen(
                [sys.executable, "-I", "-c", code],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._child


def _ask(child: subprocess.Popen[bytes], suffix: str, raw: bytes, name: str) -> dict[str, Any] | None:
    """The child's answer; None if it died."""
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        for part in (json.dumps([suffix, name]).encode("ascii"), raw):
            child.stdin.write(_LENGTH.pack(len(part)) + part)
        child.stdin.flush()
        answer = _received(child.stdout)
        return None if answer is None else dict(json.loads(answer))
    except (OSError, ValueError):
        return None


def _received(stream: IO[bytes]) -> bytes | None:
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > _ANSWER:
        return None
    body = stream.read(length)
    return body if len(body) == length else None


def _found(answer: dict[str, Any], name: str) -> Found:
    if "missing" in answer:
        raise MissingExtra(*answer["missing"])
    if "error" in answer:
        raise DocumentError(answer["error"], source=name)
    documents = [Document.model_validate_json(json.dumps(d)) for d in answer["documents"]]
    return documents, [Unread.model_validate_json(json.dumps(u)) for u in answer["unread"]]


def serve(memory: int) -> None:
    """What the process does: answers one question after the other, until there are no more."""
    _confine(memory)
    from epoche.sources.readers.by_suffix import read

    source, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    while True:
        question, raw = _received(source), _received(source)
        if question is None or raw is None:
            return
        suffix, name = json.loads(question)
        answer: dict[str, Any]
        try:
            documents, unread = read(suffix, raw, name)
            answer = {
                "documents": [d.model_dump(mode="json") for d in documents],
                "unread": [u.model_dump(mode="json") for u in unread],
            }
        except MissingExtra as error:
            answer = {"missing": [error.what, error.extra]}
        except DocumentError as error:
            answer = {"error": str(error)}
        body = json.dumps(answer).encode("ascii")
        answers.write(_LENGTH.pack(len(body)) + body)
        answers.flush()


def _confine(memory: int) -> None:
    """Bounds memory, and refuses network, other programs and written files whatever a library tries."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    refused = ("socket.connect", "socket.bind", "socket.getaddrinfo", "subprocess.Popen", "os.system", "os.exec",
               "os.posix_spawn", "os.fork", "urllib.Request")  # fmt: skip

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        writes = event == "open" and isinstance(arguments[-1], int) and arguments[-1] & (os.O_WRONLY | os.O_RDWR)
        if event in refused or writes:
            raise PermissionError(f"a file is data: {event} is refused while it is read")

    sys.addaudithook(refuse)


_reading = Reading()
atexit.register(_reading.close)


def read_apart(suffix: str, raw: bytes, name: str) -> Found:
    """`Reading.read`, in the one process that all files share."""
    return _reading.read(suffix, raw, name)
