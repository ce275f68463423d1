"""Models that remember: an NLI model its scores, a language model its replies."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Literal

import numpy as np

from epoche.backends.base import SCORE_DECIMALS, LanguageModel, NliModel, Progress, Prompt, Reply, Scores
from epoche.backends.store import Store
from epoche.types import Component, NliInfo

_UNIT = 10**SCORE_DECIMALS
_ROW = struct.Struct("<3i")


class CachedNli:
    """An NLI model that remembers.

    A key is the sha256 of the model's hash, the lengths and the texts of a pair: ("a_b", "c") and
    ("a", "b_c") are different pairs, and an entry belongs to one model. Scores have six decimals and
    are stored as whole millionths, so what comes back is what was put in.
    """

    def __init__(self, model: NliModel, store: Store) -> None:
        self.model = model
        self._store = store

    @property
    def info(self) -> NliInfo:
        return self.model.info

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return self.model.token_spans(text)

    def score(self, pairs: Sequence[tuple[str, str]], progress: Progress | None = None) -> Scores:
        """See `NliModel.score`; only pairs that are not in the cache reach the model."""
        keys = [self._key(p, h) for p, h in pairs]
        known = {key: _ROW.unpack(row) for key, row in self._store.pairs(dict.fromkeys(keys)).items()}
        new = {k: pair for k, pair in zip(keys, pairs, strict=True) if k not in known}
        if new:
            raw = self.model.score(list(new.values()), progress)
            cells = np.rint(raw * _UNIT).astype(np.int64).tolist()
            known |= {k: (int(e), int(n), int(c)) for k, (e, n, c) in zip(new, cells, strict=True)}
            self._store.remember_pairs({k: _ROW.pack(*known[k]) for k in new})
        rows = np.array([known[k] for k in keys], dtype=np.float64).reshape(len(keys), 3)
        scores: Scores = np.round(rows / _UNIT, SCORE_DECIMALS)
        return scores

    def _key(self, premise: str, hypothesis: str) -> bytes:
        p, h = premise.encode("utf-8"), hypothesis.encode("utf-8")
        return hashlib.sha256(bytes.fromhex(self.info.sha256) + struct.pack("<QQ", len(p), len(h)) + p + h).digest()


class CachedModel:
    """A language model that remembers: a prompt that it was given before costs nothing.

    A key is the sha256 of the model's name and version, the place it was asked at, and the whole prompt.
    """

    def __init__(self, model: LanguageModel, store: Store, place: str = "") -> None:
        self.model = model
        self._store = store
        self._place = place

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
        """See `LanguageModel.reply`; an error is never stored."""
        key = self._key(prompt)
        stored = self._store.reply(key)
        if stored is not None:
            try:
                return replace(Reply(**stored), cached=True)
            except TypeError:
                pass  # of another version of epoche: asked again
        reply = self.model.reply(prompt)
        self._store.remember_reply(key, self.component.name, asdict(reply))
        return reply

    def _key(self, prompt: Prompt) -> bytes:
        asked = asdict(replace(prompt, schema=None)) | {"schema": dict(prompt.schema or {})}
        parts = [self.component.name, self.component.version, self._place, asked]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode("utf-8", "surrogatepass")).digest()
