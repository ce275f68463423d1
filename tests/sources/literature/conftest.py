"""A library of papers, a clock that only sleeping moves, and clients of the local server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from typing import Any

import pytest

from epoche.sources.literature.http import Client
from tests.sources.literature.formats import Paper
from tests.sources.literature.server import Library, serving

if not (find_spec("httpx") and find_spec("defusedxml")):
    collect_ignore_glob = ["test_[!i]*.py"]

ZINC = Paper(
    title="Zinc lozenges and the duration of the common cold: a randomised trial",
    abstract=(
        ("Background", "Zinc may shorten colds."),
        ("Methods", "We gave zinc or placebo to 200 adults."),
        ("Results", "Zinc shortened colds by 2.7 days (P<0.001)."),
        ("Conclusions", "Zinc shortens the common cold."),
    ),
    pmid="31852698",
    pmcid="PMC7049905",
    doi="10.5555/zinc.1",
    kinds=("Journal Article", "Randomized Controlled Trial"),
)
IRON = Paper(
    title="Iron supplements in athletes",
    abstract=(("", "Iron raised ferritin in athletes. It did not improve endurance."),),
    pmid="20000001",
    doi="10.5555/iron.1",
    year=2011,
)
NO_ABSTRACT = Paper(title="Zinc and colds: a letter", pmid="20000002", doi="10.5555/letter", pmcid="PMC2")


class Clock:
    """Seconds that pass only by sleeping."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 6))
        self.time += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def library() -> Iterator[Library]:
    with serving(Library(papers=[ZINC, IRON, NO_ABSTRACT])) as library:
        yield library


@pytest.fixture
def connect(library: Library, clock: Clock) -> Iterator[Callable[..., Client]]:
    """Makes clients of the library that wait by the clock."""
    with ExitStack() as stack:

        def made(**options: Any) -> Client:
            given: dict[str, Any] = {"hosts": library.hosts, "proxies": False, "sleep": clock.sleep, "clock": clock}
            client = Client(**(given | options))
            stack.callback(client.close)
            return client

        yield made


@pytest.fixture
def client(connect: Callable[..., Client]) -> Client:
    return connect()
