"""A language model as auditor: one letter per pair, with its probability. It is not asked how sure it is."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from epoche.backends.base import SCORE_DECIMALS, LanguageModel, Progress, Reply, Scores
from epoche.errors import BackendError
from epoche.steps.prompts import LETTERS, audit_prompt, template
from epoche.types import NLI_LABELS, NliInfo

#: Words of a pair; far below what chat models read, so that the examples fit beside it.
MAX_WORDS = 1500
#: Replies drawn where a server gives no log probabilities.
SAMPLES = 10
#: Less probability than this on the three letters together is no answer.
_LEAST = 0.1
_WORD = re.compile(r"\w+|[^\w\s]")


class ModelNli:
    """A language model behind the protocol of an NLI model.

    The premise reaches it as one quoted string, but it may still do what a document tells it to: use it with a
    second model that has to agree (`Pipeline(second=…)`).
    """

    def __init__(self, model: LanguageModel) -> None:
        self.model = model
        made = f"{model.component.name} {model.component.version} {template('audit-chat-1').version}"
        self.info = NliInfo(
            name=model.component.name,
            sha256=hashlib.sha256(made.encode("utf-8")).hexdigest(),
            label_order=NLI_LABELS,
            max_tokens=MAX_WORDS,
            domain="general (language model)",
        )

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Words and marks: the model's own tokens are not known."""
        return [match.span() for match in _WORD.finditer(text)]

    def score(self, pairs: Sequence[tuple[str, str]], progress: Progress | None = None) -> Scores:
        """See `NliModel.score`; one prompt per pair, several at once."""
        rows: list[tuple[float, float, float]] = []
        if not pairs:
            return np.zeros((0, 3))
        with ThreadPoolExecutor(self.model.parallel) as pool:
            for row in pool.map(lambda pair: self._row(*pair), pairs):
                rows.append(row)
                if progress is not None:
                    progress(len(rows), len(pairs))
        return np.round(np.array(rows, dtype=np.float64).reshape(len(rows), 3), SCORE_DECIMALS)

    def _row(self, premise: str, hypothesis: str) -> tuple[float, float, float]:
        words = len(self.token_spans(premise)) + len(self.token_spans(hypothesis))
        if words > MAX_WORDS:
            raise BackendError(f"a pair of {words} words: {self.info.name} is given {MAX_WORDS}")
        return probabilities(self.model.reply(audit_prompt(premise, hypothesis, SAMPLES)), self.info.name)


def probabilities(reply: Reply, name: str) -> tuple[float, float, float]:
    """P(entailment), P(neutral), P(contradiction) from the letters' probabilities.

    Raises:
        BackendError: hardly any probability lies on the three letters.
    """
    if reply.answers is None:
        raise BackendError(f"{name}: neither log probabilities nor samples: it cannot audit")
    e, n, c = (float(reply.answers.get(letter, 0.0)) for letter in LETTERS)
    total = e + n + c
    if not total >= _LEAST:
        raise BackendError(f"{name}: only {total:.0%} of its answers are A, B or C: it cannot audit")
    return e / total, n / total, c / total
