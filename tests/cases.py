"""Short ways to write evidence and scores by hand."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from epoche.steps.audit import FloatArray
from epoche.types import Condition, DocumentRecord, Evidence, Sentence, Unread, Window

E_, N_, C_ = 0, 1, 2


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def row(e: float = 0.0, c: float = 0.0) -> tuple[float, float, float]:
    """(entailment, neutral, contradiction) from the two that matter."""
    return (e, round(1.0 - e - c, 6), c)


def array(*conditions: Sequence[tuple[float, float, float]]) -> FloatArray:
    """float64[k, m, 3]."""
    return np.array(conditions, dtype=np.float64)


def condition(text: str = "A lowers B.", critical: bool = True) -> Condition:
    return Condition(text=text, critical=critical, origin="whole", why="the whole statement")


def evidence(
    n: int,
    *,
    pairs: bool = False,
    retracted: Sequence[int] = (),
    unread: Sequence[Unread] = (),
    documents: Sequence[int] | None = None,
) -> Evidence:
    """N one-word sentences, each in a document of its own unless `documents` says which."""
    homes = list(range(n)) if documents is None else list(documents)
    texts = [f"Sentence{i}." for i in range(n)]
    bodies = {d: " ".join(t for t, h in zip(texts, homes, strict=True) if h == d) for d in homes}
    sentences, seen = [], dict.fromkeys(homes, 0)
    for text, home in zip(texts, homes, strict=True):
        start = bodies[home].index(text)
        sentences.append(
            Sentence(
                document=f"d{home}",
                index=seen[home],
                start=start,
                end=start + len(text),
                text=text,
                sha256=sha(text),
            )
        )
        seen[home] += 1
    windows = [Window(sentences=(i,), start=s.start, end=s.end) for i, s in enumerate(sentences)]
    if pairs:
        windows += [
            Window(sentences=(i, i + 1), start=sentences[i].start, end=sentences[i + 1].end)
            for i in range(n - 1)
            if homes[i] == homes[i + 1]
        ]
    return Evidence(
        documents=tuple(
            DocumentRecord(id=f"d{d}", title="", retracted=d in retracted, characters=len(body), sha256=sha(body))
            for d, body in bodies.items()
        ),
        sentences=tuple(sentences),
        windows=tuple(windows),
        unread=tuple(unread),
    )
