"""Retrieve: which sentences are read, and as which premises.

A budget keeps the sentences that share most words with the conditions and lists the rest as
unread. Premises ("windows") are single sentences, pairs of adjacent sentences of one document, and
overlapping parts of a sentence that is longer than the model reads.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence

from epoche.steps.segment import scored_text
from epoche.types import Sentence, Unread, Window

#: (start, end) in code points of each token of a text.
TokenSpans = Callable[[str], list[tuple[int, int]]]

_WORD = re.compile(r"\w+")
#: Share of a part that is repeated in the next, so that a fact at a cut is whole in one of them.
_OVERLAP = 4


def select(
    sentences: Sequence[Sentence], hypotheses: Sequence[str], limit: int
) -> tuple[tuple[Sentence, ...], tuple[Unread, ...]]:
    """At most `limit` sentences, in their order, and one `Unread` per document that lost some."""
    if len(sentences) <= limit:
        return tuple(sentences), ()
    words = {w for text in hypotheses for w in _WORD.findall(text.casefold())}
    shared = [len(words.intersection(_WORD.findall(s.text.casefold()))) for s in sentences]
    ranked = sorted(range(len(sentences)), key=lambda i: (-shared[i], i))
    kept = set(ranked[:limit])
    lost: dict[str, int] = {}
    for i, sentence in enumerate(sentences):
        if i not in kept:
            lost[sentence.document] = lost.get(sentence.document, 0) + 1
    why = f"more than {limit} sentences: those that share most words with the conditions were read"
    unread = tuple(Unread(document=d, sentences=n, why=why) for d, n in lost.items())
    return tuple(s for i, s in enumerate(sentences) if i in kept), unread


def make_windows(
    sentences: Sequence[Sentence], sizes: Sequence[int], token_spans: TokenSpans, budget: int
) -> tuple[Window, ...]:
    """Premises of the given sizes, in the order of the sentences.

    Args:
        sizes: 1 for single sentences (always made: nothing may go unread), 2 for adjacent pairs.
        budget: most tokens of a premise, special tokens left out. A pair that is longer is not
            made (its sentences are read one by one); a single sentence that is longer is cut.
    """
    single = [_parts(i, s, token_spans, budget) for i, s in enumerate(sentences)]
    windows = [w for parts in single for w in parts]
    if 2 in sizes:
        for i, (a, b) in enumerate(itertools.pairwise(sentences)):
            adjacent = a.document == b.document and b.index == a.index + 1
            if adjacent and _fits(f"{scored_text(a.text)} {scored_text(b.text)}", token_spans, budget):
                windows.append(Window(sentences=(i, i + 1), start=a.start, end=b.end))
    return tuple(windows)


def premise(window: Window, sentences: Sequence[Sentence]) -> str:
    """What the model reads of a window: the slices as they are scored, joined by a space."""
    members = [sentences[i] for i in window.sentences]
    first = members[0]
    if window.parts > 1:
        return scored_text(first.text[window.start - first.start : window.end - first.start])
    return " ".join(scored_text(s.text) for s in members)


def _fits(text: str, token_spans: TokenSpans, budget: int) -> bool:
    # No tokenizer makes more tokens than there are bytes; most sentences are settled by this.
    return len(text.encode("utf-8")) <= budget or len(token_spans(text)) <= budget


def _parts(i: int, sentence: Sentence, token_spans: TokenSpans, budget: int) -> list[Window]:
    if _fits(scored_text(sentence.text), token_spans, budget):
        return [Window(sentences=(i,), start=sentence.start, end=sentence.end)]
    spans = token_spans(sentence.text)
    size = budget
    while True:
        slices = _cut(spans, size, len(sentence.text))
        # A slice can have more tokens than it had as a part of the whole; then cut finer.
        if size == 1 or all(_fits(scored_text(sentence.text[a:b]), token_spans, budget) for a, b in slices):
            break
        size = max(1, size * 3 // 4)
    return [
        Window(sentences=(i,), start=sentence.start + a, end=sentence.start + b, part=p, parts=len(slices))
        for p, (a, b) in enumerate(slices)
    ]


def _cut(spans: Sequence[tuple[int, int]], size: int, length: int) -> list[tuple[int, int]]:
    """Overlapping slices (start, end) of at most `size` tokens that cover the whole text."""
    step = max(1, size - size // _OVERLAP)
    starts = list(range(0, max(1, len(spans) - size + step), step))
    slices = []
    for first in starts:
        last = min(first + size, len(spans)) - 1
        start = 0 if first == 0 else spans[first][0]
        end = length if last == len(spans) - 1 else spans[last][1]
        slices.append((start, end))
    return slices
