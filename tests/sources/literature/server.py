"""A local server that speaks as PubMed, Europe PMC, Crossref and OpenAlex do, and breaks as they do."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

from tests.sources.literature.formats import EVERYWHERE, Paper, Reply, crossref, europe_pmc, openalex, pubmed


@dataclass(frozen=True)
class Request:
    service: str
    path: str
    params: dict[str, str]
    headers: dict[str, str]


@dataclass
class Library:
    """The server; `faults` are sent first, by service."""

    papers: list[Paper] = field(default_factory=list)
    faults: dict[str, list[Reply]] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    url: str = ""

    @property
    def hosts(self) -> dict[str, str]:
        return {service: f"{self.url}/{service}" for service in EVERYWHERE}

    def asked(self, service: str) -> list[Request]:
        return [request for request in self.requests if request.service == service]

    def answer(self, service: str, path: str, params: dict[str, str]) -> Reply:
        here = [paper for paper in self.papers if service in paper.at]
        if service == "pubmed":
            return pubmed(here, path, params)
        if service == "europepmc":
            return europe_pmc(here, path, params)
        return (crossref if service == "crossref" else openalex)(here, path, params)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    library: Library

    def do_GET(self) -> None:
        split = urlsplit(self.path)
        _, service, rest = split.path.split("/", 2)
        params = {name: values[0] for name, values in parse_qs(split.query, keep_blank_values=True).items()}
        self.library.requests.append(Request(service, self.path, params, dict(self.headers)))
        faults = self.library.faults.get(service, [])
        reply = faults.pop(0) if faults else Reply(cut=-1)
        time.sleep(reply.delay)
        if reply.drop:
            self.close_connection = True
            return
        if reply.cut is not None:
            real = self.library.answer(service, f"/{unquote(rest)}", params)
            self._send(real, real.body if reply.cut < 0 else real.body[: reply.cut])
        else:
            self._send(reply, reply.body)

    def _send(self, reply: Reply, body: bytes) -> None:
        with contextlib.suppress(OSError):
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.kind)
            for name, value in reply.headers:
                self.send_header(name, value)
            if not any(name.lower() == "content-length" for name, _ in reply.headers):
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            for n in range(len(body) if reply.drip else 0):
                self.wfile.write(body[n : n + 1])
                time.sleep(reply.drip)
            if not reply.drip:
                self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


@contextlib.contextmanager
def serving(library: Library) -> Iterator[Library]:
    """The library at a free port of this machine."""
    handler = type("Handler", (_Handler,), {"library": library})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    library.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield library
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
