"""What is kept on disk, and what is kept secret."""

from __future__ import annotations

import json
import logging
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from epoche.errors import DocumentError, MissingExtra, OptionError
from epoche.sources.literature import crossref, europe_pmc, openalex, pubmed
from epoche.sources.literature.http import Client
from epoche.sources.literature.page_cache import WEEK
from tests.sources.literature.formats import HTML, PORTAL, Reply
from tests.sources.literature.server import Library

Connect = Callable[..., Client]
KEY, EMAIL = "k3y-0123456789abcdef", "ada@example.org"


def zinc(client: Client) -> Any:
    return europe_pmc.by_doi(client, "10.5555/zinc.1")


# --- Who asks, and what stays secret


def test_who_asks(connect: Connect, library: Library) -> None:
    client = connect(email=EMAIL, api_keys={"pubmed": KEY, "openalex": "other"})
    pubmed.by_number(client, "31852698")
    crossref.by_doi(client, "10.5555/zinc.1")
    openalex.by_doi(client, "10.5555/zinc.1")
    zinc(client)
    said = {r.service: r.params for r in library.requests}
    assert said["pubmed"].items() >= {"tool": "epoche", "email": EMAIL, "api_key": KEY}.items()
    assert said["crossref"] == {"mailto": EMAIL}
    assert said["openalex"] == {"mailto": EMAIL, "api_key": "other"}
    assert EMAIL not in str(said["europepmc"])
    assert {r.headers["User-Agent"] for r in library.requests} == {f"epoche/0.1.0 (mailto:{EMAIL})"}


def test_nobody_asks(client: Client, library: Library) -> None:
    crossref.by_doi(client, "10.5555/zinc.1")
    assert library.requests[0].params == {}
    assert library.requests[0].headers["User-Agent"] == "epoche/0.1.0"


def test_case_20_key_and_email_stay_secret(
    connect: Connect, library: Library, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    cache = tmp_path / "literature.sqlite"
    refusal = json.dumps({"error": "API key invalid", "api-key": KEY, "type": "api-key"}).encode()
    faults = [
        Reply(status=400, body=refusal),
        Reply(status=500, body=refusal),
        Reply(body=refusal),
        Reply(drop=True),
        Reply(status=302, headers=(("Location", f"http://evil.example/?api_key={KEY}&email={EMAIL}"),)),
        Reply(body=PORTAL + KEY.encode(), kind=HTML),
    ]
    said = []
    client = connect(email=EMAIL, api_keys={"pubmed": KEY}, cache=cache, tries=1)
    assert pubmed.by_number(client, "31852698") is not None
    for fault in faults:
        library.faults["pubmed"] = [fault]
        with pytest.raises(DocumentError) as caught:
            pubmed.search(client, f"zinc {len(said)}", 3)
        said.append(repr(caught.value) + repr(caught.value.__cause__) + str(caught.value.source))
    client.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"31852698" in kept
    logged = "".join(record.getMessage() for record in caplog.records)
    written = "".join(said) + kept.decode("latin-1") + logged
    for secret in (KEY, EMAIL, EMAIL.replace("@", "%40")):
        assert secret not in written
    assert "api_key=…" in logged, "httpx did log the URL"
    assert "check the email and the key" in said[0]


def test_a_password_of_a_proxy_stays_secret(connect: Connect, library: Library, tmp_path: Path) -> None:
    cache = tmp_path / "literature.sqlite"
    host = library.hosts["crossref"].replace("//", "//me:hunter2@")
    client = connect(hosts=library.hosts | {"crossref": host}, cache=cache)
    assert crossref.by_doi(client, "10.5555/zinc.1") is not None
    library.faults["crossref"] = [Reply(status=401)]
    with pytest.raises(DocumentError) as caught:
        crossref.by_doi(client, "10.5555/other")
    client.close()
    assert "hunter2" not in str(caught.value)
    assert not any(b"hunter2" in path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"hosts": {"pubmd": "http://x"}}, "no literature service 'pubmd': there are pubmed, europepmc"),
        ({"hosts": {"pubmed": "eutils"}}, "the address of PubMed is none: give one like https://eutils"),
        ({"hosts": {"pubmed": "http://[::1"}}, "the address of PubMed is none"),
        ({"email": "a\r\nX: y"}, "characters that no header can carry"),
    ],
)
def test_options_that_are_none(options: dict[str, Any], says: str) -> None:
    with pytest.raises(OptionError, match=says.replace("(", r"\(")):
        Client(**options)


# --- Cache


def test_what_is_kept_is_not_asked_for_again(connect: Connect, library: Library, tmp_path: Path) -> None:
    cache = tmp_path / "folder" / "literature.sqlite"
    for options in ({}, {"email": EMAIL, "api_keys": {"pubmed": KEY}}):
        client = connect(cache=cache, **options)
        assert zinc(client).pmid == "31852698"
        assert crossref.by_doi(client, "10.5555/none") is None
        client.close()
    assert [r.service for r in library.requests] == ["europepmc", "crossref", "crossref"], "only 200 is kept"


def test_what_is_a_week_old_is_asked_for_anew(connect: Connect, library: Library, tmp_path: Path) -> None:
    now = [1e9]
    client = connect(cache=tmp_path / "literature.sqlite", now=lambda: now[0])
    for later, asked in ((0, 1), (WEEK - 1, 1), (WEEK, 2), (WEEK + 5, 2), (0, 3)):
        now[0] = 1e9 + later
        zinc(client)
        assert len(library.requests) == asked


@pytest.mark.parametrize(
    "damage", [b"no database at all, and longer than a page" * 200, b"SQLite format 3\0" + b"\xff" * 9000]
)
def test_a_corrupt_cache_is_gone_on_without(
    connect: Connect, library: Library, tmp_path: Path, damage: bytes
) -> None:
    cache = tmp_path / "literature.sqlite"
    cache.write_bytes(damage)
    client = connect(cache=cache)
    assert zinc(client).pmid == "31852698"
    assert zinc(client).pmid == "31852698"
    assert len(library.requests) == 2


def test_a_damaged_entry_is_asked_for_anew(connect: Connect, library: Library, tmp_path: Path) -> None:
    cache = tmp_path / "literature.sqlite"
    client = connect(cache=cache)
    zinc(client)
    pubmed.by_number(client, "31852698")
    with sqlite3.connect(cache) as pages:
        pages.execute("UPDATE pages SET body = ?", (b"<",))
    pages.close()
    assert zinc(client).pmid == "31852698"
    assert pubmed.by_number(client, "31852698") is not None
    assert len(library.requests) == 4


def test_a_cache_that_cannot_be_made(connect: Connect, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert zinc(connect(cache=tmp_path / "file" / "literature.sqlite")) is not None


def test_without_httpx_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(MissingExtra, match=r'asking a literature service needs the extra "search"'):
        Client()
