from __future__ import annotations

import itertools
import re

from hypothesis import given
from hypothesis import strategies as st

from epoche.steps.retrieve import make_windows, premise, select
from epoche.types import Sentence
from tests.cases import sha


def tokens(text: str) -> list[tuple[int, int]]:
    return [m.span() for m in re.finditer(r"\w+|[^\w\s]", text)]


def sentences(*texts: str, document: str = "d") -> tuple[Sentence, ...]:
    result, start = [], 0
    for i, text in enumerate(texts):
        result.append(
            Sentence(document=document, index=i, start=start, end=start + len(text), text=text, sha256=sha(text))
        )
        start += len(text) + 1
    return tuple(result)


def test_pairs_are_adjacent_sentences_of_one_document() -> None:
    given = sentences("A.", "B.", "C.") + sentences("D.", document="e")
    windows = make_windows(given, (1, 2), tokens, 50)
    assert [w.sentences for w in windows] == [(0,), (1,), (2,), (3,), (0, 1), (1, 2)]
    assert [premise(w, given) for w in windows[4:]] == ["A. B.", "B. C."]


def test_a_gap_left_by_the_budget_makes_no_pair() -> None:
    kept, unread = select(sentences("Iron rose.", "Salt fell.", "Iron fell."), ["Iron fell."], 2)
    assert [s.index for s in kept] == [0, 2]
    assert [(u.document, u.sentences) for u in unread] == [("d", 1)]
    assert [w.sentences for w in make_windows(kept, (2,), tokens, 50)] == [(0,), (1,)]


def test_a_pair_too_long_for_the_model_is_left_to_its_sentences() -> None:
    given = sentences("a b c d", "e f g h")
    assert [w.sentences for w in make_windows(given, (1, 2), tokens, 7)] == [(0,), (1,)]
    assert [w.sentences for w in make_windows(given, (1, 2), tokens, 8)] == [(0,), (1,), (0, 1)]


@given(st.text(st.sampled_from("ab .,é\u0301\n"), min_size=1, max_size=300), st.integers(1, 20))
def test_parts_cover_the_sentence_overlap_and_fit(text: str, budget: int) -> None:
    (sentence,) = sentences(text)
    windows = make_windows([sentence], (1,), tokens, budget)
    assert windows[0].start == 0
    assert windows[-1].end == len(text)
    for earlier, later in itertools.pairwise(windows):
        assert earlier.start < later.start <= earlier.end or not tokens(text[earlier.end : later.start])
    if len(windows) > 1:
        assert all(len(tokens(premise(w, [sentence]))) <= budget for w in windows)
    assert [w.part for w in windows] == list(range(len(windows)))
