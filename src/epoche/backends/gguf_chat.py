"""A GGUF file in this process, through llama.cpp (`xllamacpp`): the chat protocol without a network."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from epoche.backends.base import Prompt, Reply
from epoche.backends.chat_protocol import read_reply, request
from epoche.backends.model_files import file_sha256
from epoche.errors import BackendError, MissingExtra, ModelError
from epoche.types import Component

#: Tokens of a prompt and its reply; the longest statement and its examples need about half of it.
CONTEXT = 4096


class GgufChat:
    """A chat model in a .gguf file. One prompt at a time; JSON schemas are enforced while it writes.

    Args:
        path: the file.
        threads: of the processor.

    Raises:
        MissingExtra: llama.cpp is not installed.
        ModelError: no such file, or not a model that llama.cpp can load.
    """

    style: Literal["chat"] = "chat"
    parallel = 1

    def __init__(self, path: Path, threads: int = 1) -> None:
        try:
            import xllamacpp
        except ImportError:
            raise MissingExtra(f"gguf:{path}", "gguf") from None
        if not path.is_file():
            raise ModelError(f"gguf:{path}: no such file")
        with path.open("rb") as stream:
            if stream.read(4) != b"GGUF":
                raise ModelError(f"gguf:{path}: not a GGUF file")
        settings = xllamacpp.CommonParams()
        settings.model.path = str(path)
        settings.n_ctx = CONTEXT
        settings.n_parallel = 1
        settings.n_gpu_layers = 0
        settings.warmup = False
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
        settings.verbosity = 0
        try:
            with _quiet():
                self._server: Any = xllamacpp.Server(settings)
        except Exception as error:
            raise ModelError(f"gguf:{path}: llama.cpp cannot load it ({str(error)[:200]})") from None
        self.component = Component(name=f"gguf:{path.name}", version=f"{file_sha256(path)[:12]} temperature 0")
        self._lock = threading.Lock()

    def reply(self, prompt: Prompt) -> Reply:
        """See `LanguageModel.reply`."""
        body = request(prompt, self.component.name, "json_schema")
        try:
            with self._lock:
                response = self._server.handle_chat_completions(body)
        except Exception as error:
            raise BackendError(f"{self.component.name}: {str(error)[:300]}") from None
        if not isinstance(response, dict):
            raise BackendError(f"{self.component.name}: no chat completion came back")
        reply = read_reply(response, prompt.answers)
        return Reply(
            text=reply.text,
            prompt_tokens=reply.prompt_tokens,
            reply_tokens=reply.reply_tokens,
            cut=reply.cut,
            served=self.component.name,
            answers=reply.answers,
        )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keeps llama.cpp's loading messages off stderr: they are written by C, below Python."""
    try:
        kept = os.dup(2)
    except OSError:
        yield
        return
    sys.stderr.flush()
    with open(os.devnull, "wb") as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
