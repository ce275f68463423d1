"""What a language model costs: tokens, money, seconds, and a stop before the budget is spent."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from typing import Literal

from epoche.backends.base import LanguageModel, Prompt, Reply
from epoche.errors import BackendError, BudgetSpent
from epoche.types import Component

#: Characters of a token, on the low side, where a server does not count them.
_CHARACTERS = 3
_MILLION = 1e6


@dataclass(frozen=True)
class Price:
    """Money for a million tokens, in whatever currency the budget is in."""

    prompt: float = 0.0
    reply: float = 0.0

    def of(self, prompt_tokens: float, reply_tokens: float) -> float:
        """What so many tokens cost."""
        return (prompt_tokens * self.prompt + reply_tokens * self.reply) / _MILLION


@dataclass(frozen=True)
class Usage:
    """What was used so far. `estimated`: replies whose tokens the server did not count."""

    calls: int = 0
    cached: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    estimated: int = 0
    cost: float = 0.0
    seconds: float = 0.0


class Budget:
    """Money for several models together. Safe for several threads: what is being asked for is set aside."""

    def __init__(self, limit: float | None = None) -> None:
        self.limit = limit
        self.spent = 0.0
        self._held = 0.0
        self._lock = threading.Lock()

    def hold(self, most: float) -> None:
        """Sets money aside for a prompt.

        Raises:
            BudgetSpent: it may not be enough.
        """
        with self._lock:
            if self.limit is not None and self.spent + self._held + most > self.limit:
                raise BudgetSpent(
                    f"the budget of {self.limit:g} is spent: {self.spent:.4f} used, and the next prompt may cost "
                    f"{most:.4f}; raise --budget and start again, what is done is kept"
                )
            self._held += most

    def settle(self, most: float, cost: float) -> None:
        """Gives back what was set aside, and takes what it cost."""
        with self._lock:
            self._held -= most
            self.spent += cost


class MeteredModel:
    """A language model that counts what it is asked."""

    def __init__(self, model: LanguageModel, price: Price | None = None, budget: Budget | None = None) -> None:
        self.model = model
        self.price = price or Price()
        self.budget = budget or Budget()
        self.usage = Usage()
        self._lock = threading.Lock()

    @property
    def component(self) -> Component:
        return self.model.component

    @property
    def style(self) -> Literal["chat", "lines"]:
        return self.model.style

    @property
    def parallel(self) -> int:
        return self.model.parallel

    def reply(self, prompt: Prompt) -> Reply:
        """See `LanguageModel.reply`.

        Raises:
            BudgetSpent: before anything is sent.
        """
        draws = max(1, prompt.samples if prompt.answers else 1)
        guessed = len(prompt.system) + sum(len(text) for _, text in prompt.turns)
        most = self.price.of(draws * guessed / _CHARACTERS, draws * prompt.max_tokens)
        self.budget.hold(most)
        start = time.perf_counter()
        cost = 0.0
        try:
            reply = self.model.reply(prompt)
            cost = self._count(reply, guessed, time.perf_counter() - start)
        except BackendError:
            with self._lock:
                self.usage = replace(self.usage, failed=self.usage.failed + 1)
            raise
        finally:
            self.budget.settle(most, cost)
        return reply

    def _count(self, reply: Reply, guessed: int, seconds: float) -> float:
        if reply.cached:
            with self._lock:
                self.usage = replace(self.usage, cached=self.usage.cached + 1)
            return 0.0
        unknown = reply.prompt_tokens is None or reply.reply_tokens is None
        asked = guessed // _CHARACTERS if reply.prompt_tokens is None else reply.prompt_tokens
        told = len(reply.text) // _CHARACTERS if reply.reply_tokens is None else reply.reply_tokens
        cost = self.price.of(asked, told)
        with self._lock:
            used = self.usage
            self.usage = replace(
                used,
                calls=used.calls + 1,
                prompt_tokens=used.prompt_tokens + asked,
                reply_tokens=used.reply_tokens + told,
                estimated=used.estimated + int(unknown),
                cost=used.cost + cost,
                seconds=used.seconds + seconds,
            )
        return cost
