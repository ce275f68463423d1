"""Chat over HTTP, against a real server that misbehaves as servers do (cases 18 to 20)."""

from __future__ import annotations

import email.utils
import json
import math
import time
from collections.abc import Callable
from typing import Any

import pytest

from epoche.backends.base import Prompt
from epoche.backends.openai_chat import OpenAiChat
from epoche.errors import BackendError
from tests.backends.chat_server import Answer, ChatServer

PROMPT = Prompt(system="Be brief.", turns=(("user", "Hello?"),), schema={"type": "object"}, max_tokens=50)
LETTER = Prompt(system="", turns=(("user", "A, B or C?"),), max_tokens=2, answers=("A", "B", "C"), samples=5)
KEY = "sk-test-0123456789abcdef"


def chat(server: ChatServer, **more: Any) -> OpenAiChat:
    settings: dict[str, Any] = {"key": KEY, "seconds": 20.0, "retries": 2} | more
    return OpenAiChat("some-model", server.base_url, **settings)


def test_what_is_sent_and_what_comes_back() -> None:
    with ChatServer([Answer(text="Hi.", usage=(12, 3))]) as server:
        reply = chat(server).reply(PROMPT)
    assert (reply.text, reply.prompt_tokens, reply.reply_tokens, reply.cut) == ("Hi.", 12, 3, False)
    (body,) = server.requests
    assert body["messages"] == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello?"}]
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("some-model", 0, 50)
    assert body["response_format"]["type"] == "json_schema"
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_a_server_without_schemas_is_asked_without_from_then_on() -> None:
    with ChatServer([Answer(text="Hi.")], refuse_schema=True) as server:
        model = chat(server)
        assert model.reply(PROMPT).text == "Hi."
        assert model.reply(PROMPT).text == "Hi."
    kinds = [(body.get("response_format") or {}).get("type") for body in server.requests]
    assert kinds == ["json_schema", "json_object", None, None]


def test_a_server_that_answers_500_to_a_schema_is_asked_without() -> None:
    def script(body: dict[str, Any], number: int) -> Answer:
        return Answer(status=500) if "response_format" in body else Answer(text="Hi.")

    with ChatServer(script) as server:
        assert chat(server, retries=0).reply(PROMPT).text == "Hi."


@pytest.mark.parametrize("name", ["max_tokens", "temperature", "seed"])
def test_a_parameter_that_a_model_refuses_is_replaced_or_left_out(name: str) -> None:
    def script(body: dict[str, Any], number: int) -> Answer:
        return Answer(status=400, text=f"Unsupported parameter: '{name}'.") if name in body else Answer(text="Hi.")

    with ChatServer(script) as server:
        assert chat(server).reply(PROMPT).text == "Hi."
    assert ("max_completion_tokens" in server.requests[-1]) == (name == "max_tokens")
    assert "response_format" in server.requests[-1]


@pytest.mark.parametrize(
    ("wait", "seconds"),
    [(lambda: "1", 0.9), (lambda: email.utils.formatdate(time.time() + 2, usegmt=True), 0.5)],
    ids=["seconds", "date"],
)
def test_case_19_a_rate_limit_is_waited_out(wait: Callable[[], str], seconds: float) -> None:
    def script(body: dict[str, Any], number: int) -> Answer:
        return Answer(text="Hi.") if number else Answer(status=429, headers={"Retry-After": wait()})

    start = time.monotonic()
    with ChatServer(script) as server:
        assert chat(server).reply(PROMPT).text == "Hi."
    assert time.monotonic() - start > seconds
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "fault", [Answer(status=503), Answer(fault="drop"), Answer(fault="half"), Answer(fault="wrong-length")]
)
def test_case_19_what_passes_is_tried_again(fault: Answer) -> None:
    with ChatServer([fault, Answer(text="Hi.")]) as server:
        assert chat(server).reply(PROMPT).text == "Hi."


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(status=503), "answers 503"),
        (Answer(status=401), "answers 401"),
        (Answer(status=404), "answers 404"),
        (Answer(fault="drop"), "cannot reach the server"),
        (Answer(fault="half"), "cannot reach the server"),
        (Answer(fault="not-json"), "no chat completion"),
        (Answer(fault="no-choices"), "no choice"),
        (Answer(fault="error-in-200"), "no choice"),
    ],
)
def test_case_19_what_does_not_pass_is_an_error_that_says_what(answer: Answer, said: str) -> None:
    with ChatServer([answer]) as server, pytest.raises(BackendError, match=said):
        chat(server, retries=1).reply(PROMPT)


@pytest.mark.parametrize("fault", ["null-content", "refusal"])
def test_a_refusal_is_a_reply_without_conditions(fault: Any) -> None:
    with ChatServer([Answer(fault=fault, text="I cannot help.")]) as server:
        assert "{" not in chat(server).reply(PROMPT).text


@pytest.mark.parametrize("answer", [Answer(fault="stall"), Answer(fault="trickle", text="x" * 500)])
def test_case_19_a_stalled_reply_ends_after_the_time_given(answer: Answer) -> None:
    start = time.monotonic()
    with ChatServer([answer]) as server, pytest.raises(BackendError, match="no reply within 1 s"):
        chat(server, seconds=1.0).reply(PROMPT)
    assert time.monotonic() - start < 3


def test_nobody_listens() -> None:
    with ChatServer([Answer()]) as server:
        url = server.base_url
    with pytest.raises(BackendError, match="cannot reach the server .*: is it running"):
        OpenAiChat("m", url, seconds=10, retries=0).reply(PROMPT)


def test_a_call_that_nobody_waits_for_sends_nothing_more() -> None:
    with ChatServer([Answer(status=503)]) as server:
        with pytest.raises(BackendError, match="no reply within"):
            chat(server, seconds=0.7, retries=10).reply(PROMPT)
        sent = len(server.requests)
        time.sleep(3)
        assert len(server.requests) <= sent + 1


@pytest.mark.parametrize("status", [400, 401, 403, 429, 500])
def test_case_20_a_key_that_a_server_quotes_is_not_repeated(status: int) -> None:
    answer = Answer(status=status, text=f"Incorrect API key provided: {KEY}. Authorization: Bearer {KEY[:-4]}****")
    with ChatServer([answer]) as server, pytest.raises(BackendError) as caught:
        chat(server, retries=0).reply(PROMPT)
    assert KEY not in str(caught.value)
    assert KEY[:12] not in str(caught.value)
    assert caught.value.__cause__ is None


def test_case_20_a_password_in_an_address_is_not_repeated() -> None:
    with pytest.raises(BackendError) as caught:
        OpenAiChat("m", "http://user:secret-word@127.0.0.1:9/v1", seconds=5, retries=0).reply(PROMPT)
    assert "secret-word" not in str(caught.value)


def test_probabilities_of_the_letters() -> None:
    logprobs = {"A": math.log(0.6), " a": math.log(0.1), "B": math.log(0.2), "The": math.log(0.1)}
    with ChatServer([Answer(text="A", logprobs=logprobs)]) as server:
        reply = chat(server).reply(LETTER)
    assert reply.answers == pytest.approx({"A": 0.7, "B": 0.2, "C": 0.0})
    assert server.requests[0]["logprobs"] is True


@pytest.mark.parametrize("refuse", [True, False])
def test_without_log_probabilities_replies_are_drawn(refuse: bool) -> None:
    said = iter("ABAAC" * 10)

    def script(body: dict[str, Any], number: int) -> Answer:
        return Answer(text="A" if "logprobs" in body else f"{next(said)}.")

    with ChatServer(script, refuse_logprobs=refuse) as server:
        reply = chat(server).reply(LETTER)
    assert reply.answers == pytest.approx({"A": 0.6, "B": 0.2, "C": 0.2})
    drawn = [body for body in server.requests if "logprobs" not in body]
    assert [body["temperature"] for body in drawn] == [1] * 5
    assert len({body["seed"] for body in drawn}) == 5


def test_many_at_once_each_get_their_own_reply() -> None:
    from concurrent.futures import ThreadPoolExecutor

    def script(body: dict[str, Any], number: int) -> Answer:
        return Answer(text=json.dumps(body["messages"][-1]["content"]))

    with ChatServer(script) as server, ThreadPoolExecutor(8) as pool:
        model = chat(server)
        asked = [Prompt(system="", turns=(("user", f"n {i}"),)) for i in range(40)]
        assert [r.text for r in pool.map(model.reply, asked)] == [f'"n {i}"' for i in range(40)]
