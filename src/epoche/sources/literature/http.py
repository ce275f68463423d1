"""Requests to literature services: paced, repeated where that helps, cached; no key in any message."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from epoche import __version__
from epoche.errors import DocumentError, MissingExtra, OptionError
from epoche.sources.literature.page_cache import PageCache
from epoche.sources.literature.services import SERVICES, keep_secrets

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")
#: Larger answers are refused; a hundred abstracts have half a megabyte.
MAX_BYTES = 16 * 1024 * 1024
#: Longest wait before another try, whatever Retry-After says.
MAX_WAIT = 60.0
_REDIRECTS = 3
_ADDRESS = re.compile(r"https?://[^\s/?#]+[^\s?#]*", re.IGNORECASE)
_LATER = "try again later, or give the paper as a file"


class _Passing(Exception):
    """What may be gone at the next try, and how long the service wants to be left alone."""

    def __init__(self, problem: str, wait: float | None = None) -> None:
        super().__init__(problem)
        self.wait = wait


@dataclass(frozen=True)
class _Answer:
    status: int
    body: bytes


def not_there(status: int, body: bytes) -> bool:
    """Whether an answer means that there is no such record: 404, and no page of a proxy."""
    return status == 404 and b"<html" not in body.lower()


class Client:
    """Asks the services in `SERVICES`; safe for several threads.

    Args:
        hosts: other base URLs, by service, for proxies and mirrors.
        email: who asks; services give those who say so better service. Never stored or shown.
        api_keys: by service. Never stored or shown.
        seconds: most for one request.
        tries: most requests for one page.
        cache: file in which answers are kept for a week; None: nowhere.
        proxies: whether the system's proxy settings are kept to.
        sleep, clock, now: waits, a clock that only goes forward, and seconds since 1970.

    Raises:
        MissingExtra: httpx is not installed.
        OptionError: a service that is none, or an address that is none.
    """

    def __init__(
        self,
        hosts: Mapping[str, str] | None = None,
        *,
        email: str = "",
        api_keys: Mapping[str, str] | None = None,
        seconds: float = 20.0,
        tries: int = 4,
        cache: Path | None = None,
        proxies: bool = True,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        try:
            import httpx
        except ImportError:
            raise MissingExtra("asking a literature service", "search") from None
        self._bases = _checked({name: s.url for name, s in SERVICES.items()} | dict(hosts or {}))
        self._known = {urlsplit(base).hostname for base in self._bases.values()}
        self._keys = {name: key for name, key in (api_keys or {}).items() if key}
        self._email, self._seconds, self._tries = email, seconds, max(1, tries)
        self._sleep, self._clock, self._now = sleep, clock, now
        self._lock, self._free = threading.Lock(), dict[str, float]()
        self._cache = PageCache(cache, now)
        keep_secrets()
        agent = f"epoche/{__version__}" + (f" (mailto:{email})" if email else "")
        if not agent.isascii() or not agent.isprintable():
            raise OptionError("the email for literature services holds characters that no header can carry")
        self._http = httpx.Client(
            timeout=seconds, trust_env=proxies, headers={"User-Agent": agent, "Accept-Encoding": "gzip"}
        )

    def get(
        self,
        service: str,
        path: str,
        params: Mapping[str, str],
        read: Callable[[bytes], T],
        *,
        kind: Literal["json", "xml"] = "json",
        absent: Callable[[int, bytes], bool] | None = not_there,
    ) -> T | None:
        """A page as `read` reads it, which raises ValueError for what it cannot; None if there is none.

        Only what could be read is kept.

        Args:
            absent: whether an answer (status, body) means that there is no such page; None: there is always one.

        Raises:
            DocumentError: the service cannot be asked, or answers something else.
        """
        query = urlencode(params, quote_via=quote)
        url = _without_user(self._bases[service]) + path + (f"?{query}" if query else "")
        kept = self._cache.page(url)
        if kept is not None:
            try:
                return read(kept)
            except (ValueError, DocumentError):
                pass  # A damaged entry is asked for anew.
        answer = self._tried(service, path, params, kind)
        if absent is not None and absent(answer.status, answer.body):
            return None
        if answer.status != 200:
            self._refused(service, answer.status)
        try:
            page = read(answer.body)
        except ValueError:
            raise self.problem(service, f"sent what cannot be read; it may be cut off: {_LATER}") from None
        self._cache.remember(url, answer.body)
        return page

    def where(self, service: str) -> str:
        """A service and its host, for people."""
        return f"{SERVICES[service].name} ({urlsplit(self._bases[service]).hostname})"

    def problem(self, service: str, what: str) -> DocumentError:
        """An error that says which service did what."""
        where = self.where(service)
        return DocumentError(f"{where} {what}", source=where)

    def close(self) -> None:
        """Closes the connections and the cache."""
        self._http.close()
        self._cache.close()

    def _tried(self, service: str, path: str, params: Mapping[str, str], kind: str) -> _Answer:
        query = urlencode({**params, **self._introduction(service)}, quote_via=quote)
        url = self._bases[service] + path + (f"?{query}" if query else "")
        for attempt in range(1, self._tries + 1):
            self._await_turn(service)
            try:
                return self._asked(service, url, kind)
            except _Passing as passing:
                problem = str(passing)
                wait = min(2.0 ** (attempt - 1) if passing.wait is None else passing.wait, MAX_WAIT)
            if attempt < self._tries:
                self._hold(service, wait)
        tries = "1 try" if self._tries == 1 else f"{self._tries} tries"
        raise self.problem(service, f"{problem}, {tries}: {_LATER}")

    def _introduction(self, service: str) -> dict[str, str]:
        """The parameters that say who asks."""
        about, key = SERVICES[service], self._keys.get(service, "")
        given = {"tool": "epoche"} if about.tool else {}
        given |= {about.mail: self._email} if about.mail and self._email else {}
        return given | ({about.key: key} if about.key and key else {})

    def _await_turn(self, service: str) -> None:
        """Waits until the service may be asked, and takes that turn."""
        about = SERVICES[service]
        interval = about.interval_with_key if service in self._keys else about.interval
        with self._lock:
            now = self._clock()
            turn = max(now, self._free.get(service, now))
            self._free[service] = turn + interval
        if turn > now:
            self._sleep(turn - now)

    def _hold(self, service: str, wait: float) -> None:
        """Leaves the service alone for a while, from every thread."""
        with self._lock:
            self._free[service] = max(self._free[service], self._clock() + wait)

    def _asked(self, service: str, url: str, kind: str) -> _Answer:
        """One request, redirects followed."""
        import httpx

        end = self._clock() + self._seconds
        try:
            for _ in range(_REDIRECTS + 1):
                with self._http.stream("GET", url) as response:
                    if not response.has_redirect_location:
                        return self._received(service, response, kind, end)
                    url = self._followed(service, response)
        except httpx.TimeoutException:
            raise _Passing(f"did not answer within {self._seconds:g} s") from None
        except httpx.TransportError as error:
            raise _Passing(f"cannot be reached ({type(error).__name__})") from None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise self.problem(service, f"sent what cannot be read ({type(error).__name__}): {_LATER}") from None
        raise self.problem(service, f"redirects more than {_REDIRECTS} times: {_LATER}")

    def _received(self, service: str, response: httpx.Response, kind: str, end: float) -> _Answer:
        status = response.status_code
        if status == 429 or status >= 500:
            wait = _seconds_after(response.headers.get("retry-after", ""), self._now())
            raise _Passing(f"is {'asked too often' if status == 429 else 'out of order'} ({status})", wait)
        body = bytearray()
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > MAX_BYTES:
                raise self.problem(service, f"sent more than {MAX_BYTES // 2**20} MB: give the paper as a file")
            if self._clock() > end:
                raise _Passing(f"did not answer within {self._seconds:g} s")
        given = response.headers.get("content-type", "").lower()
        if status == 200 and (kind not in given or "html" in given):
            shown = (
                given.split(";")[0] if re.fullmatch(r"[\w.+/-]{1,60}", given.split(";")[0]) else "something else"
            )
            raise self.problem(
                service,
                f"sent {shown} where {kind.upper()} is due, perhaps a proxy's or a log-in page: check the network",
            )
        return _Answer(status, bytes(body))

    def _followed(self, service: str, response: httpx.Response) -> str:
        """Where a redirect leads, if it may be followed there."""
        target = response.url.join(response.headers["location"])
        secure = target.scheme == "https" or (target.scheme == "http" and response.url.scheme == "http")
        if not secure or target.host not in {*self._known, response.url.host}:
            shown = re.sub(r"[^\w.:-]", "", target.host)[:80]
            raise self.problem(
                service,
                f"redirects to another place ({target.scheme}, {shown}), which is not followed: check the network",
            )
        return str(target)

    def _refused(self, service: str, status: int) -> NoReturn:
        about = SERVICES[service]
        key = " and the key" if service in self._keys else ", or give a key" if about.key else ""
        hint = f"check the email{key}" if about.mail and status in (400, 401, 403) else _LATER
        raise self.problem(service, f"refuses the request ({status}): {hint}")


def _checked(bases: Mapping[str, str]) -> dict[str, str]:
    for name, base in bases.items():
        if name not in SERVICES:
            raise OptionError(f"no literature service {name!r}: there are {', '.join(SERVICES)}")
        if not _ADDRESS.fullmatch(base) or not _host(base):
            raise OptionError(f"the address of {SERVICES[name].name} is none: give one like {SERVICES[name].url}")
    return {name: base.rstrip("/") for name, base in bases.items()}


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _without_user(url: str) -> str:
    return re.sub(r"//[^/@]*@", "//", url)


def _seconds_after(text: str, now: float) -> float | None:
    """What Retry-After says, in seconds or as a date."""
    text = text.strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None
