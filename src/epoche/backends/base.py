"""Protocols of the kinds of model: what reads premises, what writes text, and what decomposes statements.

A step asks for these; a backend fulfils them; only `assemble` knows both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from epoche.types import Component, Decomposition, Document, NliInfo, Retrieval, Statement

#: float64[n, 3] in the order of `types.NLI_LABELS`; each row sums to 1 up to rounding.
Scores = NDArray[np.float64]

#: Called with (done, total).
Progress = Callable[[int, int], None]

#: Decimals kept of a probability, so that the last bits of a machine's arithmetic never decide.
SCORE_DECIMALS = 6


class NliModel(Protocol):
    """A natural-language-inference cross-encoder."""

    @property
    def info(self) -> NliInfo:
        """Name, hash, label order, licence and length limit."""
        ...

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """(start, end) in code points of each token of `text`, special tokens left out, never truncated."""
        ...

    def score(self, pairs: Sequence[tuple[str, str]], progress: Progress | None = None) -> Scores:
        """P(entailment), P(neutral), P(contradiction) of each (premise, hypothesis).

        float64[n, 3], rounded to `SCORE_DECIMALS`, rows in the order of `pairs`. The score of a
        pair depends on nothing but the pair: not on its neighbours, their number or the threads.

        Raises:
            BackendError: a pair is longer than `info.max_tokens` (nothing is ever cut silently),
                or the model fails.
        """
        ...


@dataclass(frozen=True)
class Prompt:
    """What a language model is asked.

    Attributes:
        system: what it is told first; empty for models that know no such part.
        turns: (who, text) in order; the last is the user's.
        schema: JSON schema of the reply, for backends that can enforce one.
        max_tokens: most tokens of the reply.
        answers: if given, the probability of each of these as the first token is wanted, not a text.
        samples: how many replies to draw at temperature 1 where the probabilities are not to be had.
    """

    system: str
    turns: tuple[tuple[Literal["user", "assistant"], str], ...]
    schema: Mapping[str, Any] | None = None
    max_tokens: int = 512
    answers: tuple[str, ...] = ()
    samples: int = 0


@dataclass(frozen=True)
class Reply:
    """What a language model said.

    Attributes:
        text: as it came; empty if nothing came or the model refused.
        prompt_tokens, reply_tokens: None where the server does not say.
        cut: the reply ended because it was too long.
        served: what the server calls the model.
        answers: P(first token) of each of `Prompt.answers`, not normalised; None where only text was to be had.
        cached: read from the cache; it cost nothing.
    """

    text: str
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    cut: bool = False
    served: str = ""
    answers: Mapping[str, float] | None = field(default=None)
    cached: bool = False


class LanguageModel(Protocol):
    """Something that writes text."""

    @property
    def component(self) -> Component:
        """Name, and in the version everything besides the prompt that a reply depends on."""
        ...

    @property
    def style(self) -> Literal["chat", "lines"]:
        """Whether it follows instructions in a chat, or completes one text, a condition per line."""
        ...

    @property
    def parallel(self) -> int:
        """How many prompts it may be given at once."""
        ...

    def reply(self, prompt: Prompt) -> Reply:
        """One reply, at temperature 0 unless samples are wanted.

        Raises:
            BackendError: no reply: an unreachable server, a time-out, a refusal to serve, a spent budget. The
                message holds no key.
        """
        ...


class Decomposer(Protocol):
    """Splits a statement into the conditions it needs."""

    @property
    def component(self) -> Component:
        """Name and version, for the certificate."""
        ...

    def decompose(self, statement: Statement) -> Decomposition:
        """Conditions of `statement`; the last one is always the whole statement as a hypothesis.

        Raises:
            BackendError: the decomposer failed and cannot say anything.
        """
        ...


class Encoder(Protocol):
    """Turns texts into vectors, near to each other where the texts are about the same."""

    @property
    def component(self) -> Component:
        """Name, and as version the sha256 over its files."""
        ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, float32[n, d]; that of a text depends on nothing but the text. Long texts are cut.

        Raises:
            BackendError: the model fails.
        """
        ...


class Retriever(Protocol):
    """Finds documents to read."""

    def retrieve(self, queries: Sequence[str], top: int) -> tuple[tuple[Document, ...], Retrieval]:
        """At most `top` documents for some queries together, and what was found; none where nothing is relevant.

        Raises:
            EpocheError: nothing could be searched.
        """
        ...
