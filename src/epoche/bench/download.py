"""Official releases over HTTP: resumed, checked, whole or not at all.

What arrives is written to `NAME.part`, with `NAME.part.json` beside it saying from which address and which
version (ETag or Last-Modified) it came, so that a broken download goes on where it stopped and never joins
two versions of a file. A file gets its own name only after its hash was compared.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import re
import tarfile
import time
import urllib.request
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException, HTTPMessage, HTTPResponse
from pathlib import Path, PurePosixPath
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from epoche import __version__
from epoche.bench.catalogue import Download, OfficialFile, Source
from epoche.bench.datasets import sha256_of
from epoche.bench.lock import alone
from epoche.errors import InputError, OptionError

#: Called with a file's name, the bytes it has, and its size where the server tells it.
ByteProgress = Callable[[str, int, int | None], None]

#: Seconds without a byte after which a connection counts as broken.
TIMEOUT = 30.0
#: Seconds before each further try.
WAITS = (0.5, 2.0, 8.0)
#: Most bytes of a download, and of what an archive unfolds to; the releases have a few million.
LIMIT = 256 * 2**20
_CHUNK = 2**16
#: Answers that another try may change.
_TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})


class _Broken(Exception):
    """A try that failed in a way another may not."""


class _NotReleased(Exception):
    """What arrived is not the released file."""


@dataclass(frozen=True)
class _Transfer:
    """What is asked for, and where it goes."""

    url: str
    part: Path
    #: Whether a hash will tell a file joined from two versions.
    checked: bool
    #: The page for people, to name in messages.
    page: str
    progress: ByteProgress | None

    @property
    def note(self) -> Path:
        return self.part.with_name(f"{self.part.name}.json")

    def discard(self) -> None:
        """The bytes first: a note without bytes is harmless, bytes with another note are not."""
        self.part.unlink(missing_ok=True)
        self.note.unlink(missing_ok=True)


def fetch(
    source: Source, folder: Path, *, url: str | None = None, progress: ByteProgress | None = None
) -> list[Path]:
    """The files of a release in `folder`, downloaded where they are missing.

    Args:
        url: another address: of the archive, or of the folder with the files where there is no archive.
        progress: called while bytes arrive.

    Returns:
        Every file of the release, in the order of the catalogue.

    Raises:
        OptionError: `url` is no HTTP address.
        InputError: no answer, a refusal, a file that is not the released one (both hashes are named, and
            nothing of it is kept), a file of that name already there with other content, or a folder that
            is full or cannot be written (what has arrived is kept, and the next call goes on from there).
    """
    tasks = [(download, _address(download, url)) for download in source.downloads]
    files = [file for download in source.downloads for file in download.files]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with alone(folder, f"another download writes to {folder}: wait until it is done"):
            missing = {file.path for file in files if not _present(folder, file)}
            for download, address in tasks:
                wanted = [file for file in download.files if file.path in missing]
                if wanted:
                    name = PurePosixPath(urlsplit(download.url).path).name
                    checked = all(file.sha256 is not None for file in wanted)
                    transfer = _Transfer(address, folder / f"{name}.part", checked, source.url, progress)
                    _get(transfer, wanted, folder, download.archive)
    except OSError as error:
        raise InputError(
            f"{folder} cannot be written ({_words(error)}): make room or give another folder with --data, and "
            "start the command again; what has arrived is kept"
        ) from None
    return [folder / file.path for file in files]


def _address(download: Download, url: str | None) -> str:
    chosen = download.url if url is None else url
    if url is not None and not download.archive:
        chosen = f"{url.rstrip('/')}/{download.files[0].path}"
    try:
        parts = urlsplit(chosen)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid or not chosen.isascii() or not chosen.isprintable() or " " in chosen:
        raise OptionError(f"{chosen!r} is no address to download from: give one that starts with https://")
    return chosen


def _present(folder: Path, file: OfficialFile) -> bool:
    """Whether the file is there; what is something else under its name is never overwritten."""
    path = folder / file.path
    if not path.exists():
        return False
    try:
        _check(path, file)
    except _NotReleased as problem:
        raise InputError(f"{path} is there, but {problem}: move it away and start the command again") from None
    return True


def _check(path: Path, file: OfficialFile) -> None:
    """Compares the hash; where it is not known, JSON must be JSON: a network's login page is none."""
    if file.sha256 is not None:
        _compare(file.path, sha256_of(path), file.sha256)
    elif file.path.endswith(".json"):
        with contextlib.suppress(ValueError, RecursionError):
            loaded = json.loads(path.read_bytes())
            if isinstance(loaded, dict) and loaded:
                return
        raise _NotReleased(f"{file.path} is not a JSON object of items")


def _compare(name: str, found: str, released: str | None) -> None:
    if released is not None and found != released:
        raise _NotReleased(f"the sha256 of {name} is {found}, the release has {released}")


def _get(transfer: _Transfer, wanted: list[OfficialFile], folder: Path, archive: bool) -> None:
    """One address: downloaded, checked, and put in place."""
    try:
        _download(transfer)
        if archive:
            _extract(transfer.part, wanted, folder)
        else:
            _check(transfer.part, wanted[0])
            transfer.part.replace(folder / wanted[0].path)
    except _NotReleased as problem:
        transfer.discard()
        raise InputError(
            f"{transfer.url} is not the release: {problem}; nothing of it was kept: try again later, or get the "
            f"release from {transfer.page} and give its folder with --data"
        ) from None
    transfer.discard()


def _download(transfer: _Transfer) -> None:
    """All bytes of the address in the part, in as many tries as `WAITS` allows."""
    for wait in (*WAITS, None):
        try:
            _attempt(transfer)
            return
        except _Broken as problem:
            if wait is None:
                kept = transfer.part.stat().st_size if transfer.part.exists() else 0
                raise InputError(
                    f"{transfer.url}: {problem}, at the last of {len(WAITS) + 1} tries: start the command again "
                    f"later; the {kept} bytes that have arrived are kept"
                ) from None
            time.sleep(wait)


def _attempt(transfer: _Transfer) -> None:
    have, validator = _kept(transfer)
    headers = {"User-Agent": f"epoche/{__version__}", "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
        if validator is not None:
            # The server sends the rest if its file is still that version, else all of it.
            headers["If-Range"] = validator
    request = urllib.request.Request(transfer.url, headers=headers)
    try:
        response: HTTPResponse = urllib.request.build_opener(_Redirects).open(request, timeout=TIMEOUT)
    except HTTPError as error:
        with error:
            if error.code != 416 or not have:
                raise _refusal(transfer, error) from None
            if _content_range(error.headers)[1] == have:
                return  # the part was whole already
            transfer.discard()
            raise _Broken("the part kept from before is longer than the file") from None
    except (OSError, HTTPException) as error:
        raise _unreachable(transfer, error.reason if isinstance(error, URLError) else error) from None
    with response:
        _receive(response, transfer, *_placed(response, transfer, have))


def _kept(transfer: _Transfer) -> tuple[int, str | None]:
    """(bytes to keep, their version).

    None are kept of another address, nor without a version where no hash would tell a file joined from two.
    """
    try:
        note = json.loads(transfer.note.read_text(encoding="utf-8"))
        size, url, validator = transfer.part.stat().st_size, note["url"], note["validator"]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return 0, None
    if url != transfer.url or not (validator or transfer.checked):
        return 0, None
    return size, validator


def _placed(response: HTTPResponse, transfer: _Transfer, have: int) -> tuple[int, int | None]:
    """(where the answer's bytes belong, size of the whole file), with the part made ready for them."""
    if response.status == 206 and have:
        start, total = _content_range(response.headers)
        if start == have:
            return have, total
        transfer.discard()
        raise _Broken("the server sent another range than the one asked for")
    if response.status != 200:
        raise _Broken(f"the server answered {response.status}")
    # Emptied before its version is noted: a kill in between must not give old bytes a new version.
    transfer.part.write_bytes(b"")
    # What If-Range accepts (RFC 9110, 13.1.5): a strong ETag, or a date.
    tag = response.headers.get("ETag", "")
    version = tag if tag.startswith('"') else response.headers.get("Last-Modified")
    transfer.note.write_text(json.dumps({"url": transfer.url, "validator": version}), encoding="utf-8")
    length = response.headers.get("Content-Length", "")
    return 0, int(length) if length.isdecimal() else None


def _receive(response: HTTPResponse, transfer: _Transfer, start: int, total: int | None) -> None:
    """Appends the answer to the part. An OSError that leaves here is the disk's."""
    done = start
    with transfer.part.open("ab") as stream:
        for chunk in _chunks(response):
            stream.write(chunk)
            done += len(chunk)
            if max(done, total or 0) > LIMIT:
                raise _NotReleased(f"it has more than {LIMIT} bytes")
            if transfer.progress is not None:
                transfer.progress(transfer.part.stem, done, total)
    if total is not None and done != total:
        raise _Broken(f"the connection broke after {done} of {total} bytes")


def _chunks(response: HTTPResponse) -> Iterator[bytes]:
    try:
        while chunk := response.read(_CHUNK):
            yield chunk
    except (OSError, HTTPException) as error:
        raise _Broken(f"the connection broke ({_words(error)})") from None


def _content_range(headers: Message) -> tuple[int | None, int | None]:
    """(first byte, size of the whole) of `bytes 5-9/10` or `bytes */10`; None for what is not told."""
    found = re.fullmatch(r"bytes (?:(\d+)-\d+|\*)/(\d+|\*)", headers.get("Content-Range", "").strip())
    first, size = found.groups() if found else (None, None)
    return (int(first) if first else None), (int(size) if size and size != "*" else None)


def _refusal(transfer: _Transfer, error: HTTPError) -> Exception:
    told = f"the server answered {error.code} {error.reason}"
    if error.code in _TRANSIENT:
        return _Broken(told)
    return InputError(
        f"{transfer.url}: {told}: if the release has moved, give its address with --url, or get it from "
        f"{transfer.page} and give its folder with --data"
    )


def _unreachable(transfer: _Transfer, reason: object) -> Exception:
    """Refused, unknown host, wrong certificate: another try at once would not help; the rest may pass."""
    if isinstance(reason, TimeoutError | ConnectionResetError | ConnectionAbortedError | HTTPException):
        return _Broken(f"the connection broke ({_words(reason)})")
    return InputError(
        f"{transfer.url}: no connection to {urlsplit(transfer.url).hostname} ({_words(reason)}): check the "
        "network, or download the files elsewhere and give their folder with --data"
    )


def _words(reason: object) -> str:
    return str(getattr(reason, "strerror", None) or reason or type(reason).__name__)


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows to HTTP addresses only, and never from an encrypted one to an open one."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        old, new = urlsplit(req.full_url).scheme, urlsplit(newurl).scheme
        if new != "https" and (old, new) != ("http", "http"):
            raise HTTPError(req.full_url, code, f"and leads to {newurl}, which is not encrypted", headers, fp)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _extract(path: Path, wanted: list[OfficialFile], folder: Path) -> None:
    """Writes the wanted files of a .tar.gz to the folder: all of them, checked, or none."""
    parts = {file.path: folder / f"{file.path}.part" for file in wanted}
    try:
        with _Capped(path) as unfolded:
            found = _unpack(unfolded, parts)
        for file in wanted:
            if file.path not in found:
                raise _NotReleased(f"it has no plain file {file.path}")
            _compare(file.path, found[file.path], file.sha256)
        for name, part in parts.items():
            part.replace(folder / name)
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, ValueError) as error:
        raise _NotReleased(f"it is not a whole .tar.gz ({error})") from None
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


def _unpack(unfolded: _Capped, parts: Mapping[str, Path]) -> dict[str, str]:
    """sha256 of each wanted member, its bytes written to its part.

    A member's own path is never used to write; what is not wanted is passed over, wherever it points.
    """
    found: dict[str, str] = {}
    # "r|" reads once, front to back, and asks the stream for nothing but bytes.
    with tarfile.open(fileobj=unfolded, mode="r|") as tar:
        for member in tar:
            name = _plain_name(member)
            content = tar.extractfile(member) if name in parts and name not in found else None
            if content is None:
                continue
            digest = hashlib.sha256()
            with parts[name].open("wb") as target:
                while chunk := content.read(_CHUNK):
                    digest.update(chunk)
                    target.write(chunk)
            found[name] = digest.hexdigest()
    return found


def _plain_name(member: tarfile.TarInfo) -> str:
    """The name of a plain file at the top or in one folder; empty for anything else.

    A sparse file is not plain: it can claim any size without a byte in the archive.
    """
    path = PurePosixPath(member.name)
    plain = member.isreg() and not member.issparse()
    return path.name if plain and len(path.parts) <= 2 and path.parts[0] not in ("..", "/") else ""


class _Capped(gzip.GzipFile):
    """Ends in an error rather than fill memory or disk, whatever the archive's headers claim."""

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        if self.tell() > LIMIT:
            raise _NotReleased(f"it unfolds to more than {LIMIT} bytes")
        return data
