"""A small server on this machine that speaks OpenAI's chat completions and misbehaves as scripted.

POST of /v1/chat/completions and GET of /v1/models, with OpenAI's error bodies; faults of the
connection (drop, stall, half, trickle, wrong-length) and of the reply (the others).
"""

from __future__ import annotations

import json
import socket
import struct
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal

MODEL = "test-model"
CREATED = 1_700_000_000
_ERRORS = {
    401: ("invalid_request_error", "invalid_api_key", "Incorrect API key provided."),
    403: ("invalid_request_error", "unsupported_country_region_territory", "Country not supported."),
    404: ("invalid_request_error", "model_not_found", "The model does not exist or you do not have access to it."),
    429: ("requests", "rate_limit_exceeded", "Rate limit reached for requests."),
}

Fault = Literal[
    "",
    "drop",
    "stall",
    "half",
    "trickle",
    "not-json",
    "no-choices",
    "null-content",
    "refusal",
    "error-in-200",
    "wrong-length",
]


@dataclass(frozen=True)
class Answer:
    """One scripted reaction to one request.

    Attributes:
        text: Content of the assistant message; of an error or a refusal, its message.
        status: HTTP status; any but 200 gets OpenAI's error body (with not-json: the HTML body).
        headers: Further headers of the reply, such as Retry-After.
        fault: How the server misbehaves.
        seconds: Delay before the reply; of a stall, how long the connection is held at most (0: until
            the server closes); of a trickle, the time between two bytes (0: 0.2).
        logprobs: Token → log-probability at the first token, sent if the request asks for logprobs.
        usage: Prompt and completion tokens; None leaves usage out.
        finish: The finish_reason.
    """

    text: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    fault: Fault = ""
    seconds: float = 0.0
    logprobs: Mapping[str, float] | None = None
    usage: tuple[int, int] | None = (10, 5)
    finish: str = "stop"


Script = Callable[[dict[str, Any], int], Answer]


class ChatServer:
    """The server: `with ChatServer(script) as server: … server.base_url …`.

    An exception in the script closes the connection, and leaving the `with` block raises it.

    Args:
        script: Called with the body and the index of a request, one call at a time; or the answers in
            order, the last one repeated. Requests that the server itself refuses take no answer.
        refuse_schema: Refuse requests with response_format.
        refuse_logprobs: Refuse requests with logprobs.

    Attributes:
        base_url: "http://127.0.0.1:PORT/v1" once started.
        requests: Bodies of the chat requests in order of arrival.
        headers: Their headers, names in lower case.
    """

    def __init__(
        self, script: Script | Sequence[Answer], *, refuse_schema: bool = False, refuse_logprobs: bool = False
    ) -> None:
        self.base_url = ""
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.closing = threading.Event()
        self.failure: BaseException | None = None
        self._script = script if callable(script) else _in_order(script)
        self._refused = ["response_format"] * refuse_schema + ["logprobs"] * refuse_logprobs
        self._lock = threading.Lock()
        self._server: _Server | None = None
        self._thread = threading.Thread()

    def __enter__(self) -> ChatServer:
        chat = self

        class Handler(_Handler):
            state = chat

        self._server = _Server(self, Handler)
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if error is None and self.failure is not None:
            raise self.failure

    def close(self) -> None:
        """Stop listening and end all connections; a second call does nothing."""
        server, self._server = self._server, None
        if server is None:
            return
        self.closing.set()
        server.shutdown()
        server.server_close()
        server.end_connections()
        self._thread.join()

    def react(self, request: dict[str, Any], headers: dict[str, str]) -> tuple[Answer, bytes]:
        """Record a request; give the answer to it and the whole body of the reply."""
        with self._lock:
            index = len(self.requests)
            self.requests.append(request)
            self.headers.append(headers)
            refused = next((name for name in self._refused if name in request), None)
            if refused:
                message = f"Unknown parameter: '{refused}'."
                return Answer(status=400), _error(400, message, param=refused, code="unknown_parameter")
            if request.get("stream"):
                message = "Unsupported value: 'stream' does not support true."
                return Answer(status=400), _error(400, message, param="stream", code="unsupported_value")
            answer = self._script(request, index)
        return answer, _body(answer, request, index)


class _Server(ThreadingHTTPServer):
    """Knows its open connections and keeps what failed in a handler."""

    request_queue_size = 128

    def __init__(self, state: ChatServer, handler: type[_Handler]) -> None:
        self._state = state
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), handler)

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        with self._lock:
            self._open.add(connection)
        return connection, address

    def shutdown_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def end_connections(self) -> None:
        with self._lock:
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that hang up are no failure."""
        error = sys.exception()
        if not isinstance(error, ConnectionError):
            self._state.failure = self._state.failure or error


class _Handler(BaseHTTPRequestHandler):
    state: ChatServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        if self.path.partition("?")[0] == "/v1/models":
            model = {"id": MODEL, "object": "model", "created": CREATED, "owned_by": "tests"}
            self._send(Answer(), json.dumps({"object": "list", "data": [model]}).encode())
        else:
            self._unknown()

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.path.partition("?")[0] != "/v1/chat/completions":
            self._unknown()
            return
        try:
            request = json.loads(data)
        except ValueError:
            request = None
        if not isinstance(request, dict):
            self._send(Answer(status=400), _error(400, "We could not parse the JSON body of your request."))
            return
        answer, body = self.state.react(request, {k.lower(): v for k, v in self.headers.items()})
        if answer.fault == "stall":
            self.state.closing.wait(answer.seconds or None)
            self.close_connection = True
        elif answer.fault != "trickle" and answer.seconds and self.state.closing.wait(answer.seconds):
            self.close_connection = True
        elif answer.fault == "drop":
            self._reset()
        else:
            self._send(answer, body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on the terminal."""

    def _unknown(self) -> None:
        message = f"Invalid URL ({self.command} {self.path})"
        self._send(Answer(status=404), _error(404, message, code="unknown_url"))

    def _reset(self) -> None:
        """Close the socket with RST, before the server would close it with FIN."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        socket.close(self.connection.detach())

    def _send(self, answer: Answer, body: bytes) -> None:
        headers = {
            "Content-Type": "text/html" if answer.fault == "not-json" else "application/json",
            "Content-Length": str(len(body) + 100 * (answer.fault == "wrong-length")),
            **answer.headers,
        }
        self.send_response(answer.status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if answer.fault in ("half", "wrong-length"):
            self.close_connection = True
        if answer.fault == "trickle":
            self._trickle(body, answer.seconds or 0.2)
        else:
            self.wfile.write(body[: len(body) // 2] if answer.fault == "half" else body)

    def _trickle(self, body: bytes, seconds: float) -> None:
        for i in range(len(body)):
            if i and self.state.closing.wait(seconds):
                self.close_connection = True
                return
            self.wfile.write(body[i : i + 1])


def _in_order(answers: Sequence[Answer]) -> Script:
    """The answers one after another, the last one for ever."""
    if not answers:
        raise ValueError("a script needs at least one answer")
    left = list(answers)
    return lambda request, index: left.pop(0) if len(left) > 1 else left[0]


def _error(status: int, message: str = "", *, param: str | None = None, code: str | None = None) -> bytes:
    """OpenAI's error body; what is not given follows from the status."""
    other = ("server_error", None, "The server had an error while processing your request.")
    bad = ("invalid_request_error", None, "Invalid request.")
    kind, usual, text = _ERRORS.get(status, bad if 400 <= status < 500 else other)
    error = {"message": message or text, "type": kind, "param": param, "code": code or usual}
    return json.dumps({"error": error}, ensure_ascii=False).encode()


def _body(answer: Answer, request: dict[str, Any], index: int) -> bytes:
    """The whole body of the reply."""
    if answer.fault == "not-json":
        return b"<!DOCTYPE html><html><head><title>Gateway</title></head><body>Please log in.</body></html>"
    if answer.fault == "error-in-200" or answer.status != 200:
        return _error(500 if answer.status == 200 else answer.status, answer.text)
    if answer.fault == "no-choices":
        return b'{"choices": []}'
    message: dict[str, Any] = {"role": "assistant", "content": answer.text, "refusal": None}
    if answer.fault in ("null-content", "refusal"):
        message["content"] = None
    if answer.fault == "refusal":
        message["refusal"] = answer.text or "I'm sorry, I can't help with that."
    choice = {
        "index": 0,
        "message": message,
        "logprobs": _logprobs(answer, request),
        "finish_reason": answer.finish,
    }
    reply = {
        "id": f"chatcmpl-{index}",
        "object": "chat.completion",
        "created": CREATED,
        "model": request.get("model"),
        "system_fingerprint": "fp_test",
        "choices": [choice],
    }
    if answer.usage is not None:
        prompt, completion = answer.usage
        reply["usage"] = {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        }
    return json.dumps(reply, ensure_ascii=False).encode()


def _logprobs(answer: Answer, request: dict[str, Any]) -> dict[str, Any] | None:
    """Of the first token, which is the likeliest one the text starts with, or else the likeliest."""
    if answer.logprobs is None or request.get("logprobs") is not True:
        return None
    ranked = sorted(answer.logprobs.items(), key=lambda item: -item[1])
    tokens = [{"token": t, "logprob": p, "bytes": list(t.encode())} for t, p in ranked]
    if not tokens:
        return {"content": [], "refusal": None}
    first = next((i for i, (t, _) in enumerate(ranked) if answer.text.startswith(t)), 0)
    top = tokens[: request.get("top_logprobs") or 0]
    return {"content": [{**tokens[first], "top_logprobs": top}], "refusal": None}
