"""Protocols of the two kinds of model: what reads premises, and what decomposes statements.

A step asks for these; a backend fulfils them; only `assemble` knows both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from epoche.types import Component, Decomposition, NliInfo, Statement

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
