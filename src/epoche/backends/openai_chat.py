"""A chat model behind any server that speaks OpenAI's protocol, through the official client."""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from epoche.backends.base import Prompt, Reply
from epoche.backends.chat_protocol import LEVELS, first_letter, read_reply, request
from epoche.errors import BackendError, MissingExtra
from epoche.types import Component

if TYPE_CHECKING:
    import openai

T = TypeVar("T")
#: Statuses with which servers refuse a parameter; some answer 500 to a JSON schema.
_REFUSALS = frozenset({400, 415, 422, 500, 501})
#: Parameters that some models refuse, and what goes in their place.
_REPLACED: Mapping[str, str | None] = {"max_tokens": "max_completion_tokens", "temperature": None, "seed": None}


class OpenAiChat:
    """Asks a server; safe for several threads.

    What the server refuses (a JSON schema, log probabilities, a seed) is left out from then on. Rate limits, server
    errors and dropped connections are tried again by the client, which keeps to Retry-After and backs off with
    jitter; all tries together end after `seconds`.

    Args:
        model: what the server calls it.
        base_url: None: OpenAI's own.
        key: never stored, printed or written; a server of one's own needs none.
        seconds: most for one prompt, all tries and waits together.
        retries: most tries after the first.
        parallel: prompts at once.

    Raises:
        MissingExtra: the client is not installed.
        BackendError: an address that is none.
    """

    style: Literal["chat"] = "chat"

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        key: str = "",
        *,
        seconds: float = 60.0,
        retries: int = 4,
        parallel: int = 4,
    ) -> None:
        try:
            import openai
        except ImportError:
            raise MissingExtra(f"openai:{model}", "openai") from None
        self.name = f"openai:{model}"
        self.component = Component(name=self.name, version="temperature 0, seed 0")
        self.parallel = parallel
        self._model, self._seconds, self._key = model, seconds, key
        self._lock, self._here = threading.Lock(), threading.local()
        self._level, self._replaced, self._logprobs = 0, dict[str, str | None](), True
        try:
            self._client = openai.OpenAI(
                api_key=key or "none",
                base_url=base_url,
                timeout=seconds,
                max_retries=retries,
                http_client=openai.DefaultHttpxClient(event_hooks={"request": [self._in_time]}),
            )
        except Exception as error:
            raise BackendError(f"{self.name}: {self._scrubbed(error)}") from None

    def reply(self, prompt: Prompt) -> Reply:
        """See `LanguageModel.reply`."""
        return self._within(lambda: self._asked(prompt))

    def _asked(self, prompt: Prompt) -> Reply:
        while True:
            with self._lock:
                level, logprobs = self._level, self._logprobs
            if prompt.answers and not logprobs:
                return self._sampled(prompt)
            response = self._sent(request(prompt, self._model, LEVELS[level]), level)
            if response is None:
                continue
            reply = read_reply(response, prompt.answers)
            if not prompt.answers or reply.answers is not None:
                return reply
            with self._lock:
                self._logprobs = False

    def _sampled(self, prompt: Prompt) -> Reply:
        """Shares among replies drawn at temperature 1, for servers without log probabilities."""
        if not prompt.samples:
            raise BackendError(f"{self.name}: the server gives no log probabilities")
        replies: list[Reply] = []
        while len(replies) < prompt.samples:
            body = request(prompt, self._model, "none", seed=len(replies)) | {"temperature": 1}
            response = self._sent({k: v for k, v in body.items() if "logprobs" not in k}, len(LEVELS) - 1)
            if response is not None:
                replies.append(read_reply(response))
        drawn = Counter(first_letter(reply.text, prompt.answers) for reply in replies)
        return Reply(
            text="",
            prompt_tokens=sum(reply.prompt_tokens or 0 for reply in replies),
            reply_tokens=sum(reply.reply_tokens or 0 for reply in replies),
            served=replies[-1].served,
            answers={answer: drawn[answer] / len(replies) for answer in prompt.answers},
        )

    def _sent(self, body: dict[str, Any], level: int) -> Mapping[str, Any] | None:
        """The server's response; None where it refused a parameter that is left out from now on."""
        import openai

        with self._lock:
            replaced = dict(self._replaced)
        for name in replaced.keys() & body.keys():
            value, other = body.pop(name), replaced[name]
            body |= {other: value} if other else {}
        try:
            answer = self._client.chat.completions.create(**body)
        except openai.APIStatusError as error:
            if self._adapted(error, body, level):
                return None
            raise BackendError(
                f"{self.name}: the server answers {error.status_code} ({self._scrubbed(error)})"
            ) from None
        except openai.APITimeoutError:
            raise BackendError(f"{self.name}: no reply within {self._seconds:g} s") from None
        except openai.APIConnectionError as error:
            cause = self._scrubbed(error.__cause__ or error)
            raise BackendError(f"{self.name}: cannot reach the server ({cause}): is it running?") from None
        except (openai.OpenAIError, ValueError, TypeError) as error:
            raise BackendError(f"{self.name}: no chat completion ({self._scrubbed(error)})") from None
        if not isinstance(answer, openai.BaseModel):
            raise BackendError(f"{self.name}: no chat completion came back: {self._scrubbed(answer)[:80]!r}")
        return answer.model_dump(warnings=False)

    def _adapted(self, error: openai.APIStatusError, body: Mapping[str, Any], level: int) -> bool:
        """Leaves out from now on what the server refused; false if there is nothing left to leave out."""
        if error.status_code not in _REFUSALS:
            return False
        said = f"{error.param} {error.message}"
        with self._lock:
            for name in _REPLACED.keys() & body.keys():
                if re.search(rf"\b{name}\b", said):
                    self._replaced[name] = _REPLACED[name]
                    return True
            if "response_format" in body:
                self._level = max(self._level, level + 1)
            elif "logprobs" in body:
                self._logprobs = False
            else:
                return False
        return True

    def _within(self, call: Callable[[], T]) -> T:
        """The call's result, or an error once `seconds` are over, whatever a socket still waits for."""
        done: Future[T] = Future()
        deadline = time.monotonic() + self._seconds

        def work() -> None:
            self._here.deadline = deadline
            try:
                done.set_result(call())
            except BaseException as error:
                done.set_exception(error)

        threading.Thread(target=work, daemon=True, name=self.name).start()
        try:
            return done.result(timeout=self._seconds)
        except TimeoutError:
            raise BackendError(f"{self.name}: no reply within {self._seconds:g} s") from None

    def _in_time(self, _request: object) -> None:
        """Stops the tries of a call that nobody waits for any more."""
        if time.monotonic() > getattr(self._here, "deadline", float("inf")):
            raise TimeoutError("given up")

    def _scrubbed(self, error: object) -> str:
        """An error's text without the key and without what a server might quote of it."""
        text = " ".join(str(error).split())
        if self._key:
            text = text.replace(self._key, "[key]")
        text = re.sub(r"\b(sk|key|Bearer)[-_ ][\w*.-]{6,}", "[key]", text, flags=re.IGNORECASE)
        return re.sub(r"//[^/@\s]+@", "//[key]@", text)[:300]

    def close(self) -> None:
        """Closes the connections."""
        with contextlib.suppress(Exception):
            self._client.close()
