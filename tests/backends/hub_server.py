"""A small server on this machine that speaks what huggingface_hub asks of the hub.

HEAD and GET of /ORG/NAME/resolve/REVISION/PATH with ETag, X-Repo-Commit and ranges; the list of
files at /api/models/…; and the hub's ways to say no (X-Error-Code).
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"
_RESOLVE = re.compile(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)")
_API = re.compile(r"/api/models/([^/]+/[^/]+?)(?:/(?:revision|tree)/([^/]+))?")


@dataclass
class Hub:
    """What the server holds and how it misbehaves."""

    repos: dict[str, Path] = field(default_factory=dict)
    gated: set[str] = field(default_factory=set)
    #: Path → how many bytes are sent although HEAD promises all of them.
    short: dict[str, int] = field(default_factory=dict)
    #: Path → after how many bytes the first answer breaks off.
    breaks: dict[str, int] = field(default_factory=dict)
    status: int = 0
    asked: list[str] = field(default_factory=list)
    url: str = ""

    def start(self) -> ThreadingHTTPServer:
        hub = self

        class Handler(_Handler):
            state = hub

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return server


class _Handler(BaseHTTPRequestHandler):
    state: Hub

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on the terminal."""

    def _answer(self, *, body: bool) -> None:
        self.state.asked.append(f"{self.command} {self.path}")
        found, api = _RESOLVE.fullmatch(self.path), _API.fullmatch(self.path.partition("?")[0])
        repo = (found or api)[1] if found or api else ""  # type: ignore[index]
        revision = (found[2] if found else api[2] if api else None) or "main"
        if self.state.status:
            self._refuse(self.state.status, "")
        elif repo not in self.state.repos:
            self._refuse(401, "RepoNotFound")
        elif repo in self.state.gated:
            self._refuse(403, "GatedRepo")
        elif revision not in ("main", COMMIT):
            self._refuse(404, "RevisionNotFound")
        elif found:
            self._file(self.state.repos[repo], found[3], body=body)
        else:
            self._list(self.state.repos[repo], repo, tree="/tree/" in self.path)

    def _list(self, folder: Path, repo: str, *, tree: bool) -> None:
        """As `model_info` asks for it, or as newer versions do (`tree`)."""
        files = [p for p in folder.rglob("*") if p.is_file()]
        names = [p.relative_to(folder).as_posix() for p in files]
        if tree:
            sizes = [p.stat().st_size for p in files]
            self._json(
                [{"type": "file", "path": n, "size": s, "oid": "0" * 40} for n, s in zip(names, sizes, strict=True)]
            )
        else:
            siblings = [{"rfilename": n} for n in names]
            self._json({"id": repo, "modelId": repo, "sha": COMMIT, "siblings": siblings, "tags": []})

    def _refuse(self, status: int, code: str) -> None:
        self.send_response(status)
        if code:
            self.send_header("X-Error-Code", code)
        if code == "EntryNotFound":
            self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _json(self, value: object) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _file(self, folder: Path, path: str, *, body: bool) -> None:
        if not (folder / path).is_file():
            self._refuse(404, "EntryNotFound")
            return
        data = (folder / path).read_bytes()
        etag = hashlib.sha256(data).hexdigest()
        if body and path in self.state.short:
            data = data[: self.state.short[path]]
        start = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        first = int(start[1]) if start else 0
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {first}-{len(data) - 1}/{len(data)}")
        self.send_header("ETag", f'"{etag}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(data) - first))
        self.end_headers()
        if body:
            part = data[first:]
            cut = self.state.breaks.pop(path, len(part))
            self.wfile.write(part[:cut])
            if cut < len(part):
                self.close_connection = True
