"""OpenAI's chat protocol as plain values: prompt → request, response → reply. No client is imported here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from epoche.backends.base import Prompt, Reply
from epoche.errors import BackendError

#: How a schema is asked for, from the strictest to not at all; servers differ in what they know.
LEVELS = ("json_schema", "json_object", "none")
_TOP = 20


def request(prompt: Prompt, model: str, level: str, seed: int | None = 0) -> dict[str, Any]:
    """The body of a request."""
    system = [{"role": "system", "content": prompt.system}] if prompt.system else []
    body: dict[str, Any] = {
        "model": model,
        "messages": [*system, *({"role": role, "content": text} for role, text in prompt.turns)],
        "max_tokens": prompt.max_tokens,
        "temperature": 0,
    }
    if seed is not None:
        body["seed"] = seed
    if prompt.schema is not None and level == "json_schema":
        shape = {"name": "conditions", "strict": True, "schema": dict(prompt.schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": shape}
    elif prompt.schema is not None and level == "json_object":
        body["response_format"] = {"type": "json_object"}
    if prompt.answers:
        body |= {"logprobs": True, "top_logprobs": _TOP}
    return body


def read_reply(response: Mapping[str, Any], answers: tuple[str, ...] = ()) -> Reply:
    """The reply in a response.

    Raises:
        BackendError: no chat completion, or one without a choice.
    """
    choices = response.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        error = response.get("error")
        said = error.get("message") if isinstance(error, Mapping) else error
        raise BackendError(f"the server's reply holds no choice{f': {str(said)[:300]}' if said else ''}")
    choice = choices[0]
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise BackendError("the server's reply holds no message")
    text = message.get("content") or message.get("refusal") or ""
    if not isinstance(text, str):
        raise BackendError(f"the server's reply is no text but a {type(text).__name__}")
    usage = response.get("usage")
    counts = usage if isinstance(usage, Mapping) else {}
    return Reply(
        text=text,
        prompt_tokens=_count(counts.get("prompt_tokens")),
        reply_tokens=_count(counts.get("completion_tokens")),
        cut=choice.get("finish_reason") == "length",
        served=str(response.get("model") or ""),
        answers=_answers(choice.get("logprobs"), answers) if answers else None,
    )


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _answers(logprobs: Any, answers: tuple[str, ...]) -> dict[str, float] | None:
    """P(first token is this answer), blanks and case apart; None where the server gives no logprobs."""
    content = logprobs.get("content") if isinstance(logprobs, Mapping) else None
    first = content[0] if isinstance(content, list) and content else None
    tops = first.get("top_logprobs") if isinstance(first, Mapping) else None
    if not isinstance(tops, list) or not tops:
        return None
    found = dict.fromkeys(answers, 0.0)
    for entry in tops:
        token, logprob = entry.get("token"), entry.get("logprob")
        if not isinstance(token, str) or not isinstance(logprob, int | float) or math.isnan(logprob):
            continue
        name = token.strip().strip("Ġ▁").upper()
        if name in found:
            found[name] += math.exp(min(0.0, logprob))
    return found


def first_letter(text: str, answers: tuple[str, ...]) -> str:
    """Which of the answers a text begins with, or nothing."""
    word = text.strip().lstrip("\"'([*").upper()
    for answer in answers:
        if word.startswith(answer) and not word[len(answer) : len(answer) + 1].isalnum():
            return answer
    return ""
