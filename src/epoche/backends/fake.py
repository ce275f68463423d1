"""Scripted models for tests, examples and dry runs: they say what they were told to say."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from epoche.backends.base import SCORE_DECIMALS, Progress, Prompt, Reply, Scores
from epoche.errors import BackendError
from epoche.types import NLI_LABELS, Component, NliInfo

Triple = tuple[float, float, float]
_WORD = re.compile(r"\w+|[^\w\s]")


class ScriptedNli:
    """Scores from a table of (premise, hypothesis), or from a function of both.

    A pair that the script does not know is an error: no default stands for "unknown". Words and
    marks are tokens. `asked` keeps every pair in order, so that a test can count calls.
    """

    def __init__(
        self,
        script: Mapping[tuple[str, str], Triple] | Callable[[str, str], Triple],
        *,
        max_tokens: int = 512,
        name: str = "scripted",
    ) -> None:
        self._script = script
        self.asked: list[tuple[str, str]] = []
        self.info = NliInfo(
            name=name,
            sha256=hashlib.sha256(name.encode("utf-8")).hexdigest(),
            label_order=NLI_LABELS,
            max_tokens=max_tokens,
            license="Apache-2.0",
        )

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Words and marks."""
        return [match.span() for match in _WORD.finditer(text)]

    def score(self, pairs: Sequence[tuple[str, str]], progress: Progress | None = None) -> Scores:
        """The scripted scores; see `NliModel.score`."""
        rows = []
        for premise, hypothesis in pairs:
            tokens = len(self.token_spans(premise)) + len(self.token_spans(hypothesis)) + 3
            if tokens > self.info.max_tokens:
                raise BackendError(f"a pair of {tokens} tokens: {self.info.name} reads {self.info.max_tokens}")
            self.asked.append((premise, hypothesis))
            rows.append(self._look_up(premise, hypothesis))
            if progress is not None:
                progress(len(rows), len(pairs))
        return np.round(np.array(rows, dtype=np.float64).reshape(len(rows), 3), SCORE_DECIMALS)

    def _look_up(self, premise: str, hypothesis: str) -> Triple:
        if callable(self._script):
            return self._script(premise, hypothesis)
        try:
            return self._script[premise, hypothesis]
        except KeyError:
            raise BackendError(f"not in the script: {premise!r} ⊢ {hypothesis!r}") from None


class ScriptedEncoder:
    """Vectors from a table of words: that of a text is the sum over its words, of unit length.

    Words that the table does not know add nothing; `asked` keeps every text in order.
    """

    def __init__(self, words: Mapping[str, Sequence[float]], *, name: str = "scripted") -> None:
        self._words = {word.casefold(): np.array(v, dtype=np.float64) for word, v in words.items()}
        self._size = len(next(iter(self._words.values())))
        self.asked: list[str] = []
        self.component = Component(name=name, version=hashlib.sha256(name.encode("utf-8")).hexdigest())

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Encoder.encode`."""
        self.asked += texts
        rows = []
        for text in texts:
            known = [self._words[w] for w in _WORD.findall(text.casefold()) if w in self._words]
            vector = np.sum(known, axis=0) if known else np.zeros(self._size)
            rows.append(vector / max(float(np.linalg.norm(vector)), 1e-12))
        return np.round(np.array(rows).reshape(len(rows), self._size), 4).astype(np.float32)


class ScriptedModel:
    """A language model that answers from a list in order, the last one for ever, or from a function of the prompt.

    An answer is a text, a `Reply`, or an error to be raised. `asked` keeps every prompt in order.
    """

    def __init__(
        self,
        script: Sequence[str | Reply | BackendError] | Callable[[Prompt], str | Reply | BackendError],
        *,
        style: Literal["chat", "lines"] = "chat",
        parallel: int = 1,
        name: str = "scripted",
    ) -> None:
        self._script = script
        self._lock = threading.Lock()
        self.style: Literal["chat", "lines"] = style
        self.parallel = parallel
        self.component = Component(name=name, version="1")
        self.asked: list[Prompt] = []

    def reply(self, prompt: Prompt) -> Reply:
        """The scripted answer; see `LanguageModel.reply`."""
        with self._lock:
            number = len(self.asked)
            self.asked.append(prompt)
        if callable(self._script):
            answer = self._script(prompt)
        else:
            answer = self._script[min(number, len(self._script) - 1)]
        if isinstance(answer, BackendError):
            raise answer
        return Reply(text=answer) if isinstance(answer, str) else answer
