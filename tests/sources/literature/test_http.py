"""The client against a real server that throttles, breaks, lies and redirects."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from epoche.errors import DocumentError
from epoche.sources.literature import crossref, europe_pmc, openalex, pubmed
from epoche.sources.literature.http import MAX_BYTES, Client
from tests.sources.literature.conftest import Clock
from tests.sources.literature.formats import HTML, JSON, PORTAL, XML, Reply
from tests.sources.literature.server import Library

Connect = Callable[..., Client]
KEY, EMAIL = "k3y-0123456789abcdef", "ada@example.org"


def zinc(client: Client) -> Any:
    return europe_pmc.by_doi(client, "10.5555/zinc.1")


# --- Tries


@pytest.mark.parametrize(
    ("fault", "waits"),
    [
        (Reply(status=429, headers=(("Retry-After", "7"),)), [7.0]),
        (Reply(status=503, headers=(("Retry-After", "900"),)), [60.0]),
        (Reply(status=429), [1.0]),
        (Reply(status=429, headers=(("Retry-After", "soon"),)), [1.0]),
        (Reply(status=429, headers=(("Retry-After", "-5"),)), [1.0]),
        (Reply(status=500), [1.0]),
        (Reply(drop=True), [1.0]),
        # An answer shorter than it says, then the connection closed.
        (Reply(body=b"{}", headers=(("Connection", "close"), ("Content-Length", "500"))), [1.0]),
    ],
)  # fmt: skip
def test_what_passes_is_tried_again(
    client: Client, library: Library, clock: Clock, fault: Reply, waits: list[float]
) -> None:
    library.faults["europepmc"] = [fault]
    assert zinc(client).pmid == "31852698"
    assert clock.slept == waits
    assert len(library.requests) == 2


def test_retry_after_as_a_date(connect: Connect, library: Library, clock: Clock) -> None:
    date = format_datetime(datetime.fromtimestamp(2012, UTC), usegmt=True)
    library.faults["pubmed"] = [Reply(status=429, headers=(("Retry-After", date),))]
    client = connect(now=lambda: 2000.0)
    assert pubmed.by_number(client, "31852698") is not None
    assert clock.slept == [12.0]


def test_back_off_doubles_and_ends(client: Client, library: Library, clock: Clock) -> None:
    library.faults["crossref"] = [Reply(status=500)] * 9
    with pytest.raises(DocumentError) as caught:
        crossref.by_doi(client, "10.5555/zinc.1")
    assert clock.slept == [1.0, 2.0, 4.0]
    assert str(caught.value) == (
        "Crossref (127.0.0.1) is out of order (500), 4 tries: try again later, or give the paper as a file"
    )
    assert caught.value.source == "Crossref (127.0.0.1)"


def test_a_slow_reply_is_given_up(connect: Connect, library: Library) -> None:
    library.faults["pubmed"] = [Reply(delay=0.6)] * 2
    client = connect(seconds=0.1, tries=2)
    with pytest.raises(
        DocumentError, match=r"PubMed \(127\.0\.0\.1\) did not answer within 0\.1 s, 2 tries: try again"
    ):
        pubmed.by_number(client, "31852698")


def test_a_service_that_is_not_there(connect: Connect, library: Library) -> None:
    client = connect(hosts=library.hosts | {"openalex": "http://127.0.0.1:1/"}, tries=2)
    with pytest.raises(
        DocumentError, match=r"OpenAlex \(127\.0\.0\.1\) cannot be reached \(ConnectError\), 2 tries"
    ):
        openalex.by_doi(client, "10.5555/zinc.1")


def test_a_drip_of_bytes_ends_with_the_time(connect: Connect, library: Library) -> None:
    library.faults["europepmc"] = [Reply(body=b" " * 60, drip=0.02)]
    client = connect(seconds=0.3, tries=1, clock=time.monotonic)
    with pytest.raises(DocumentError, match="did not answer within 0.3 s, 1 try:"):
        zinc(client)


# --- Answers that are none


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (Reply(body=PORTAL, kind=HTML), "sent text/html where JSON is due, perhaps a proxy's or a log-in page"),
        (Reply(body=b"{}", kind="application/xhtml+xml"), "sent application/xhtml+xml where JSON is due"),
        (Reply(body=b"{}", kind=""), "sent something else where JSON is due"),
        (Reply(body=PORTAL, kind=JSON), "sent what cannot be read; it may be cut off"),
        (Reply(cut=150), "sent what cannot be read; it may be cut off"),
        (Reply(body=b"[1]"), "sent what cannot be read"),
        (Reply(body=b'{"a":' * 200_000), "sent what cannot be read"),
        (Reply(body=b"\xff\xfe{"), "sent what cannot be read"),
        (Reply(body=b'{"version":"6.9","errCode":400,"errMsg":"bad"}'), "sent what cannot be read"),
        (
            Reply(body=b"no gzip at all", headers=(("Content-Encoding", "gzip"),)),
            "sent what cannot be read (DecodingError)",
        ),
        (Reply(body=b" " * (MAX_BYTES + 1)), "sent more than 16 MB: give the paper as a file"),
        (Reply(status=403, body=PORTAL, kind=HTML), "refuses the request (403)"),
        (Reply(status=404, body=PORTAL, kind=HTML), "refuses the request (404)"),
        (Reply(status=302), "refuses the request (302)"),
    ],
)
def test_another_answer_is_an_error_at_once(
    connect: Connect, library: Library, tmp_path: Path, reply: Reply, says: str
) -> None:
    client = connect(cache=tmp_path / "literature.sqlite")
    library.faults["europepmc"] = [reply]
    with pytest.raises(DocumentError) as caught:
        zinc(client)
    assert f"Europe PMC (127.0.0.1) {says}" in str(caught.value)
    assert len(library.requests) == 1
    assert zinc(client).pmid == "31852698", "and nothing of it is kept"


def test_cut_xml_is_an_error(client: Client, library: Library) -> None:
    library.faults["pubmed"] = [Reply(cut=700)]
    with pytest.raises(DocumentError, match=r"PubMed \(127\.0\.0\.1\) sent what cannot be read; it may be cut off"):
        pubmed.by_number(client, "31852698")


@pytest.mark.parametrize("kind", ["text/html", "application/xhtml+xml"])
def test_html_in_place_of_xml(client: Client, library: Library, kind: str) -> None:
    library.faults["pubmed"] = [Reply(body=PORTAL, kind=kind)]
    with pytest.raises(DocumentError, match=f"sent {re.escape(kind)} where XML is due"):
        pubmed.by_number(client, "31852698")


def test_a_page_of_a_proxy_is_not_crossref_saying_no(client: Client, library: Library) -> None:
    library.faults["crossref"] = [Reply(status=404, body=PORTAL, kind=HTML)]
    with pytest.raises(DocumentError, match="refuses the request"):
        crossref.by_doi(client, "10.5555/none")


def test_xml_that_declares_entities_is_not_read(client: Client, library: Library) -> None:
    record = b"<PubmedArticleSet><PubmedArticle>&a;</PubmedArticle></PubmedArticleSet>"
    bomb = b'<!DOCTYPE PubmedArticleSet [<!ENTITY a "aa">]>' + record
    library.faults["pubmed"] = [Reply(body=bomb, kind=XML)]
    with pytest.raises(DocumentError, match="sent what cannot be read"):
        pubmed.by_number(client, "1")


# --- Redirects


def test_redirects_on_the_same_host_are_followed(client: Client, library: Library) -> None:
    moved = Reply(status=301, headers=(("Location", "/crossref/works/10.5555%2Fzinc.1"),))
    library.faults["crossref"] = [moved] * 3
    assert crossref.by_doi(client, "10.5555/old") is not None


def test_redirects_to_a_listed_host_are_followed(connect: Connect, library: Library) -> None:
    elsewhere = library.url.replace("127.0.0.1", "localhost")
    client = connect(hosts=library.hosts | {"openalex": f"{elsewhere}/openalex"})
    library.faults["crossref"] = [
        Reply(status=302, headers=(("Location", f"{elsewhere}/crossref/works/10.5555/zinc.1"),))
    ]
    assert crossref.by_doi(client, "10.5555/zinc.1") is not None


@pytest.mark.parametrize(
    "target",
    [
        "http://localhost:{port}/crossref/works/x",
        "file:///etc/passwd",
        "ftp://127.0.0.1/x",
        "//evil.example/x",
        "http://127.0.0.1.evil.example/",
        "http://127.0.0.1@evil.example/",
        "gopher://127.0.0.1/x",
    ],
)
def test_redirects_elsewhere_are_refused(client: Client, library: Library, target: str) -> None:
    target = target.format(port=library.url.rpartition(":")[2])
    library.faults["crossref"] = [Reply(status=302, headers=(("Location", target),))]
    with pytest.raises(DocumentError, match=r"redirects to another place \(.*\), which is not followed"):
        crossref.by_doi(client, "10.5555/zinc.1")
    assert len(library.requests) == 1


def test_a_circle_of_redirects_ends(client: Client, library: Library) -> None:
    library.faults["crossref"] = [Reply(status=302, headers=(("Location", "/crossref/works/a"),))] * 9
    with pytest.raises(DocumentError, match="redirects more than 3 times"):
        crossref.by_doi(client, "10.5555/zinc.1")
    assert len(library.requests) == 4


# --- Pace


@pytest.mark.parametrize(("keys", "gap"), [({}, 1 / 3), ({"pubmed": KEY}, 0.1)])
def test_requests_to_pubmed_are_spaced(connect: Connect, clock: Clock, keys: dict[str, str], gap: float) -> None:
    client = connect(api_keys=keys)
    for _ in range(3):
        pubmed.by_number(client, "31852698")
    assert clock.slept == [pytest.approx(gap, abs=1e-5)] * 2


def test_services_do_not_wait_for_each_other(client: Client, clock: Clock) -> None:
    pubmed.by_number(client, "31852698")
    zinc(client)
    crossref.by_doi(client, "10.5555/zinc.1")
    openalex.by_doi(client, "10.5555/zinc.1")
    assert clock.slept == []
    clock.time += 0.05
    openalex.by_doi(client, "10.5555/zinc.1")
    assert clock.slept == [pytest.approx(0.15)]


def test_threads_share_the_pace(connect: Connect, library: Library) -> None:
    times: list[float] = []
    client = connect(sleep=lambda s: (times.append(s), time.sleep(0))[1], clock=lambda: 5.0)
    threads = [threading.Thread(target=zinc, args=(client,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(times) == [pytest.approx(n * 0.2) for n in (1, 2, 3)]
    assert len(library.requests) == 4
