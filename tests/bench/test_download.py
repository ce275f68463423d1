"""Downloads from a real server on this machine, one that behaves badly in every way we know."""

from __future__ import annotations

import hashlib
import io
import json
import socket
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from epoche.bench import catalogue, download
from epoche.bench.catalogue import PUBMEDQA, SCIFACT, Download, OfficialFile, Source, load, release_folder
from epoche.bench.download import fetch
from epoche.cli.fetch import fetch as command
from epoche.errors import InputError, OptionError
from epoche.types import Label


@dataclass
class Site:
    """What a server has, how it behaves, and what it was asked and sent."""

    files: dict[str, bytes]
    etag: str | None = '"v1"'
    modified: str | None = None
    ranges: bool = True
    #: Statuses to answer before anything else, one a request.
    statuses: list[int] = field(default_factory=list)
    #: Bytes of the body after which the connection is cut, one a request.
    cuts: list[int] = field(default_factory=list)
    chunked: bool = False
    redirect: str | None = None
    asked: list[dict[str, str]] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    address: str = ""


def handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def refuse(self, status: int, **headers: str) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": "0", "Connection": "close", **headers}.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()

        def do_GET(self) -> None:
            site.asked.append(dict(self.headers))
            if site.statuses and (status := site.statuses.pop(0)) != 200:
                return self.refuse(status)
            if site.redirect is not None:
                return self.refuse(302, Location=site.redirect)
            body = site.files.get(self.path.lstrip("/"))
            if body is None:
                return self.refuse(404)
            start, whole = self.start(), len(body)
            if start >= whole > 0:
                return self.refuse(416, Content_Range=f"bytes */{whole}")
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{whole - 1}/{whole}")
            for name, value in (("ETag", site.etag), ("Last-Modified", site.modified)):
                if value is not None:
                    self.send_header(name, value)
            self.send_header("Connection", "close")
            self.body(body[start:])

        def start(self) -> int:
            """First byte to send: RFC 9110, If-Range that is not the present version means all of it."""
            asked, version = self.headers.get("Range"), self.headers.get("If-Range")
            if not site.ranges or asked is None or version not in (None, site.etag, site.modified):
                return 0
            return int(asked.removeprefix("bytes=").rstrip("-"))

        def body(self, rest: bytes) -> None:
            told = len(rest)
            if site.cuts:
                rest = rest[: site.cuts.pop(0)]
            site.sent.append(len(rest))
            if site.chunked:
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                self.wfile.write(f"{len(rest):x}\r\n".encode() + rest + b"\r\n")
                self.wfile.write(b"0\r\n\r\n" if len(rest) == told else b"")
            else:
                self.send_header("Content-Length", str(told))
                self.end_headers()
                self.wfile.write(rest)

    return Handler


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(download, "WAITS", (0.0, 0.0))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    found = Site({})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(found))
    found.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


#: Two reads and a bit.
CONTENT = bytes(i * 7 % 251 for i in range(150_000))


def single(site: Site, content: bytes = CONTENT, name: str = "one.bin", known: bool = True) -> Source:
    """A data set of one file, which the site has."""
    site.files[name] = content
    file = OfficialFile(name, sha(content) if known else None)
    return Source(
        "small",
        "https://example.org/small",
        "CC0",
        "Nobody 2020",
        {},
        (Download(f"{site.address}/{name}", (file,)),),
    )


def left(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def test_a_file_arrives_whole_and_is_not_fetched_twice(site: Site, tmp_path: Path) -> None:
    source, seen = single(site), []
    paths = fetch(source, tmp_path / "new" / "folder", progress=lambda *step: seen.append(step))
    assert [p.read_bytes() for p in paths] == [CONTENT]
    assert left(tmp_path / "new" / "folder") == ["one.bin"]
    assert seen[-1] == ("one.bin", len(CONTENT), len(CONTENT))
    assert [n for _, n, _ in seen] == sorted(n for _, n, _ in seen)
    assert fetch(source, tmp_path / "new" / "folder") == paths
    assert len(site.asked) == 1


@pytest.mark.parametrize(("etag", "modified"), [('"v1"', None), (None, "Mon, 01 Jun 2020 10:00:00 GMT")])
def test_a_broken_download_goes_on_where_it_stopped(
    site: Site, tmp_path: Path, etag: str | None, modified: str | None
) -> None:
    site.etag, site.modified, site.cuts = etag, modified, [100_000]
    (path,) = fetch(single(site), tmp_path)
    assert path.read_bytes() == CONTENT
    assert site.sent == [100_000, 50_000], "only the rest is sent again"
    assert site.asked[1]["Range"] == "bytes=100000-"
    assert site.asked[1]["If-Range"] == (etag or modified)


def test_the_next_command_goes_on_where_the_last_gave_up(site: Site, tmp_path: Path) -> None:
    source = single(site)
    site.cuts = [60_000, 20_000, 10_000]
    with pytest.raises(
        InputError, match=r"90000 of 150000 bytes, at the last of 3 tries.* 90000 bytes .* are kept"
    ):
        fetch(source, tmp_path)
    assert left(tmp_path) == ["one.bin.part", "one.bin.part.json"]
    (path,) = fetch(source, tmp_path)
    assert path.read_bytes() == CONTENT
    assert site.sent == [60_000, 20_000, 10_000, 60_000]
    assert left(tmp_path) == ["one.bin"]


def test_a_new_version_on_the_server_is_not_joined_to_the_old(site: Site, tmp_path: Path) -> None:
    single(site, b"o" * 150_000)
    site.cuts = [60_000] * 3
    site.ranges = False
    with pytest.raises(InputError):
        fetch(single(site, b"o" * 150_000), tmp_path)
    site.ranges, site.etag = True, '"v2"'
    (path,) = fetch(single(site), tmp_path)
    assert path.read_bytes() == CONTENT
    assert site.asked[-1]["If-Range"] == '"v1"'


def test_a_weak_tag_is_no_version(site: Site, tmp_path: Path) -> None:
    # RFC 9110, 13.1.5: If-Range takes no weak ETag. Without a version the hash decides, where it is known …
    site.etag, site.cuts = 'W/"v1"', [100_000]
    (path,) = fetch(single(site), tmp_path)
    assert path.read_bytes() == CONTENT
    assert site.sent == [100_000, 50_000]
    assert "If-Range" not in site.asked[1]
    # … and where it is not, the file is read again from its start.
    site.cuts, site.sent = [100_000], []
    fetch(single(site, name="unknown.bin", known=False), tmp_path)
    assert site.sent == [100_000, 150_000]


def test_a_server_without_ranges_sends_everything_again(site: Site, tmp_path: Path) -> None:
    site.ranges, site.cuts = False, [100_000]
    (path,) = fetch(single(site), tmp_path)
    assert path.read_bytes() == CONTENT
    assert site.sent == [100_000, 150_000]


def test_an_answer_without_a_length(site: Site, tmp_path: Path) -> None:
    site.chunked, site.cuts = True, [100_000]
    seen: list[Any] = []
    (path,) = fetch(single(site), tmp_path, progress=lambda *step: seen.append(step))
    assert path.read_bytes() == CONTENT
    assert seen[0][2] is None


def test_a_part_that_is_whole_needs_no_byte(site: Site, tmp_path: Path) -> None:
    source = single(site)
    note = {"url": f"{site.address}/one.bin", "validator": '"v1"'}
    (tmp_path / "one.bin.part").write_bytes(CONTENT)
    (tmp_path / "one.bin.part.json").write_text(json.dumps(note), encoding="utf-8")
    (path,) = fetch(source, tmp_path)
    assert path.read_bytes() == CONTENT
    assert (len(site.asked), site.sent) == (1, [])


@pytest.mark.parametrize(
    "note",
    ['{"url": "URL", "validator": "\\"v1\\""}', '{"url": "http://elsewhere/", "validator": null}', "{", "[]", None],
)
def test_a_part_of_something_else_is_not_used(site: Site, tmp_path: Path, note: str | None) -> None:
    source = single(site)
    (tmp_path / "one.bin.part").write_bytes(b"x" * 200_000)  # longer than the file: the server answers 416
    if note is not None:
        text = note.replace("URL", f"{site.address}/one.bin")
        (tmp_path / "one.bin.part.json").write_text(text, encoding="utf-8")
    (path,) = fetch(source, tmp_path)
    assert path.read_bytes() == CONTENT
    assert left(tmp_path) == ["one.bin"]


def test_a_passing_fault_is_tried_again_and_a_lasting_one_is_told(site: Site, tmp_path: Path) -> None:
    site.statuses = [500, 503]
    (path,) = fetch(single(site), tmp_path)
    assert path.read_bytes() == CONTENT
    site.statuses = [503] * 3
    with pytest.raises(InputError, match="answered 503 .*start the command again later; the 0 bytes"):
        fetch(single(site, name="two.bin"), tmp_path)


@pytest.mark.parametrize("status", [403, 404])
def test_a_refusal_is_not_tried_again_and_says_what_to_do(site: Site, tmp_path: Path, status: int) -> None:
    site.statuses = [status]
    with pytest.raises(InputError, match=rf"answered {status} .*--url.*https://example.org/small.*--data"):
        fetch(single(site), tmp_path)
    assert (len(site.asked), left(tmp_path)) == (1, [])


def test_wrong_content_is_removed_and_both_hashes_are_named(site: Site, tmp_path: Path) -> None:
    source = single(site)
    site.files["one.bin"] = b"another file"
    with pytest.raises(InputError, match=f"one.bin is {sha(b'another file')}, the release has {sha(CONTENT)}"):
        fetch(source, tmp_path)
    assert left(tmp_path) == []
    (path,) = fetch(single(site), tmp_path)
    assert path.read_bytes() == CONTENT


def test_a_login_page_is_no_json(site: Site, tmp_path: Path) -> None:
    for content in (b"<html>Log in</html>", b"[1]", b"{}"):
        with pytest.raises(InputError, match=r"items.json is not a JSON object of items"):
            fetch(single(site, content, "items.json", known=False), tmp_path)
        assert left(tmp_path) == []


def test_a_changed_file_of_the_user_is_never_overwritten(site: Site, tmp_path: Path) -> None:
    (tmp_path / "one.bin").write_bytes(b"mine")
    with pytest.raises(InputError, match=f"is there, but .* {sha(b'mine')}, the release has .*: move it away"):
        fetch(single(site), tmp_path)
    assert (tmp_path / "one.bin").read_bytes() == b"mine"
    assert site.asked == []


def test_more_bytes_than_any_release_has(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "LIMIT", 100_000)
    for chunked in (False, True):
        site.chunked = chunked
        with pytest.raises(InputError, match="it has more than 100000 bytes"):
            fetch(single(site), tmp_path)
        assert left(tmp_path) == []


def test_no_server_no_name_no_answer(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    source = single(site)
    with pytest.raises(InputError, match=r"no connection to 127.0.0.1 \(.*refused\): check the network"):
        fetch(replaced(source, f"http://127.0.0.1:{port}/one.bin"), tmp_path)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        monkeypatch.setattr(download, "TIMEOUT", 0.05)
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/one.bin"
        with pytest.raises(InputError, match=r"connection broke \(timed out\), at the last of 3 tries"):
            fetch(replaced(source, address), tmp_path)

    def offline(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", offline)
    with pytest.raises(InputError, match=r"no connection to example.org \(Temporary failure in name resolution\)"):
        fetch(replaced(source, "http://example.org/one.bin"), tmp_path)


def replaced(source: Source, url: str) -> Source:
    return Source(
        source.name, source.url, source.licence, source.citation, {}, (Download(url, source.downloads[0].files),)
    )


@pytest.mark.parametrize("url", ["", "data.tar.gz", "file:///etc/passwd", "http://", "http://h:x/", "http://a b/"])
def test_what_is_no_address(site: Site, tmp_path: Path, url: str) -> None:
    with pytest.raises(OptionError, match="no address to download from"):
        fetch(single(site), tmp_path / "none", url=url)
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(("target", "words"), [("file:///etc/passwd", "302"), ("ftp://127.0.0.1/x", "302")])
def test_a_redirect_leads_to_http_only(site: Site, tmp_path: Path, target: str, words: str) -> None:
    site.redirect = target
    with pytest.raises(InputError, match=words):
        fetch(single(site), tmp_path)
    assert left(tmp_path) == []


def test_a_folder_that_cannot_be_one(site: Site, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(InputError, match=r"cannot be written \(.*\): make room or give another folder"):
        fetch(single(site), tmp_path / "file" / "below")


def test_two_downloads_into_one_folder(site: Site, tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    source, refused = single(site), []

    def second(*_: Any) -> None:
        with pytest.raises(InputError, match="another download writes to") as found:
            fetch(source, tmp_path)
        refused.append(found)

    fetch(source, tmp_path, progress=second)
    assert refused
    assert (tmp_path / "one.bin").read_bytes() == CONTENT


def test_case_37_a_full_disk_keeps_what_arrived(site: Site, tmp_path: Path) -> None:
    pytest.importorskip("resource")
    source = single(site)
    # A limit on the size of files stands for the full disk: the same error at the same call.
    script = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from epoche.bench.catalogue import Download, OfficialFile, Source\n"
        "from epoche.bench.download import fetch\n"
        "from epoche.errors import InputError\n"
        "url, digest, folder = sys.argv[1:]\n"
        "download = Download(url, (OfficialFile('one.bin', digest),))\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (80_000, 80_000))\n"
        "try:\n"
        "    fetch(Source('small', 'https://example.org', '', '', {}, (download,)), Path(folder))\n"
        "except InputError as error:\n"
        "    print(error)\n"
    )
    arguments = [f"{site.address}/one.bin", sha(CONTENT), str(tmp_path)]
    run = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    assert "cannot be written (File too large): make room" in run.stdout, run.stderr
    kept = (tmp_path / "one.bin.part").stat().st_size
    assert 0 < kept <= 80_000
    (path,) = fetch(source, tmp_path)
    assert path.read_bytes() == CONTENT
    assert site.sent[-1] == len(CONTENT) - kept


# SciFact's archive.

MEMBERS = {
    "claims_train.jsonl": b"train\n" * 900,
    "claims_dev.jsonl": b"dev\n" * 500,
    "corpus.jsonl": b"c\n" * 9000,
}


def packed(members: list[tuple[str | tarfile.TarInfo, bytes]]) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as tar:
        for named, content in members:
            info = tarfile.TarInfo(named) if isinstance(named, str) else named
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return target.getvalue()


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def archived(site: Site, content: bytes) -> Source:
    site.files["data.tar.gz"] = content
    files = tuple(OfficialFile(name, sha(data)) for name, data in MEMBERS.items())
    address = Download(f"{site.address}/data.tar.gz", files, archive=True)
    return Source("small", "https://example.org/small", "CC0", "Nobody 2020", {}, (address,))


GOOD: list[tuple[str | tarfile.TarInfo, bytes]] = [(f"data/{name}", data) for name, data in MEMBERS.items()]


def test_only_the_catalogued_members_are_taken(site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    evil: list[tuple[str | tarfile.TarInfo, bytes]] = [
        ("../evil", b"evil"),
        ("../corpus.jsonl", b"evil"),
        ("/corpus.jsonl", b"evil"),
        ("data/../../corpus.jsonl", b"evil"),
        ("data/cross_validation/corpus.jsonl", b"evil"),
        (link("data", "/"), b""),
        (link("data/claims_dev.jsonl", "../../evil"), b""),
        (link("data/corpus.jsonl", "../evil", tarfile.LNKTYPE), b""),
    ]
    fetch(archived(site, packed(evil + GOOD)), folder)
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == MEMBERS
    assert sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()) == sorted(
        f"a/b/{name}" for name in MEMBERS
    )


def test_the_archive_resumes_and_fills_up_what_is_missing(site: Site, tmp_path: Path) -> None:
    source = archived(site, packed(GOOD))
    fetch(source, tmp_path)
    (tmp_path / "corpus.jsonl").unlink()
    before = (tmp_path / "claims_dev.jsonl").stat().st_mtime_ns
    site.cuts, site.sent = [200], []
    fetch(source, tmp_path)
    assert site.sent == [200, len(site.files["data.tar.gz"]) - 200]
    assert (tmp_path / "claims_dev.jsonl").stat().st_mtime_ns == before
    assert left(tmp_path) == sorted(MEMBERS)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (packed(GOOD[:2]), "no plain file corpus.jsonl"),
        (packed([*GOOD[:2], (link("data/corpus.jsonl", "/etc/passwd"), b"")]), "no plain file corpus.jsonl"),
        (
            packed([*GOOD[:2], ("data/corpus.jsonl", b"other")]),
            f"sha256 of corpus.jsonl is {sha(b'other')}, the rel",
        ),
        (packed(GOOD)[:-40], "not a whole .tar.gz"),
        (b"<html>Log in</html>", "not a whole .tar.gz"),
        (b"", "no plain file|not a whole .tar.gz"),
    ],
)
def test_an_archive_that_is_not_the_release_leaves_nothing(
    site: Site, tmp_path: Path, content: bytes, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        fetch(archived(site, content), tmp_path)
    assert left(tmp_path) == []


def test_an_archive_that_unfolds_without_end(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "LIMIT", 1_000_000)
    bombs: list[list[tuple[str | tarfile.TarInfo, bytes]]] = [
        [("data/corpus.jsonl", bytes(3_000_000))],
        [("data/other", bytes(3_000_000)), *GOOD],
    ]
    for members in bombs:
        with pytest.raises(InputError, match="unfolds to more than 1000000 bytes"):
            fetch(archived(site, packed(members)), tmp_path)
        assert left(tmp_path) == []


def test_a_full_disk_while_unpacking_keeps_the_archive(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = archived(site, packed(GOOD))
    real = Path.open

    def full(self: Path, mode: str = "r", *rest: Any, **named: Any) -> Any:
        if self.name == "corpus.jsonl.part":
            raise OSError(28, "No space left on device")
        return real(self, mode, *rest, **named)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", full)
        with pytest.raises(InputError, match=r"cannot be written \(No space left on device\)"):
            fetch(source, tmp_path)
    assert left(tmp_path) == ["data.tar.gz.part", "data.tar.gz.part.json"]
    fetch(source, tmp_path)
    assert len(site.sent) == 1, "the archive is not sent again"
    assert left(tmp_path) == sorted(MEMBERS)


# The catalogue and the command.

PQAL = {
    str(n): {"QUESTION": f"Does arm {n} differ?", "CONTEXTS": ["It did."], "final_decision": decision}
    for n, decision in ((100, "yes"), (200, "no"), (300, "maybe"))
}


def pubmedqa_site(site: Site) -> None:
    site.files["data/ori_pqal.json"] = json.dumps(PQAL).encode()
    site.files["data/test_ground_truth.json"] = json.dumps({"200": "no"}).encode()


def test_the_training_items_are_those_outside_the_official_list(site: Site, tmp_path: Path) -> None:
    pubmedqa_site(site)
    fetch(PUBMEDQA, tmp_path / "pubmedqa", url=f"{site.address}/data/")
    found = load("pubmedqa", "train", tmp_path)
    assert [(i.id, i.gold) for i in found.items] == [("100", Label.YES), ("300", Label.MAYBE)]
    assert found.notes == ("ori_pqal.json without the items of test_ground_truth.json",)
    assert set(found.files) == {"ori_pqal.json", "test_ground_truth.json"}
    assert [i.id for i in load("pubmedqa", "test", tmp_path).items] == ["200"]
    ids = tmp_path / "pubmedqa" / "calibration_ids.txt"
    with pytest.raises(InputError, match=r"no calibration_ids.txt .*: it is no part of the release"):
        load("pubmedqa", "calibration", tmp_path)
    ids.write_text("300\n", encoding="utf-8")
    assert [i.id for i in load("pubmedqa", "calibration", tmp_path).items] == ["300"]
    ids.write_text("200\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"calibration_ids.txt asks for item 200 .* test_ground_truth.json has"):
        load("pubmedqa", "calibration", tmp_path)


def test_an_excluded_id_that_is_not_there_means_another_file(tmp_path: Path) -> None:
    (tmp_path / "ori_pqal.json").write_text(json.dumps(PQAL), encoding="utf-8")
    (tmp_path / "test_ground_truth.json").write_text('{"999": "no"}', encoding="utf-8")
    with pytest.raises(InputError, match="ori_pqal.json has no item 999"):
        load("pubmedqa", "train", tmp_path)


def test_what_is_missing_is_fetched_by_a_command_that_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=rf"no claims_dev.jsonl in .*: run `epoche bench fetch scifact --data {tmp_path}`"
    ):
        load("scifact", "dev", tmp_path)
    with pytest.raises(InputError, match=r"no ori_pqal.json in .*fetch pubmedqa --data '.*/my data'`"):
        load("pubmedqa", "train", tmp_path / "my data")


def test_a_download_goes_where_the_loader_looks(tmp_path: Path) -> None:
    assert release_folder(SCIFACT, tmp_path) == tmp_path / "scifact"
    (tmp_path / "corpus.jsonl").write_bytes(b"")
    assert release_folder(SCIFACT, tmp_path) == tmp_path, "the folder of the release itself was given"
    (tmp_path / "scifact").mkdir()
    assert release_folder(SCIFACT, tmp_path) == tmp_path / "scifact", "where `load` looks first"


def test_the_catalogue_has_an_address_for_every_file_of_the_releases() -> None:
    ours = {"calibration_ids.txt", "pqal_train.json"}
    for source in catalogue.SOURCES.values():
        named = {f.path for split in source.splits.values() for f in split.files.values()} - ours
        assert named == {f.path for d in source.downloads for f in d.files}
        assert all(d.url.startswith("https://") and (d.archive or len(d.files) == 1) for d in source.downloads)


def test_the_command_tells_licence_citation_and_hashes(site: Site, tmp_path: Path) -> None:
    pubmedqa_site(site)
    arguments = ["pubmedqa", "--data", str(tmp_path), "--url", f"{site.address}/data"]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.output
    licence, cite, *files = result.output.splitlines()
    assert (licence, cite) == ("licence: MIT", f"cite: {PUBMEDQA.citation}")
    path = tmp_path / "pubmedqa" / "ori_pqal.json"
    assert files[0].startswith(f"{sha(path.read_bytes())}  {path}")
    assert CliRunner().invoke(command, [*arguments, "--quiet"]).output == ""
    assert len(site.asked) == 2


def test_the_released_archive_by_its_hashes(site: Site, data: Path, tmp_path: Path) -> None:
    names = [f.path for f in SCIFACT.downloads[0].files]
    site.files["data.tar.gz"] = packed([(f"data/{n}", (data / "scifact" / n).read_bytes()) for n in names])
    result = CliRunner().invoke(
        command, ["scifact", "--data", str(tmp_path), "--url", f"{site.address}/data.tar.gz"]
    )
    assert result.exit_code == 0, result.output
    assert result.output.count("(as released)") == 4
    assert len(load("scifact", "dev", tmp_path).items) == 300
