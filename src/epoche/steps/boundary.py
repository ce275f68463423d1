"""Boundary: where the predicate of a question begins, behind its auxiliary and its subject.

English gives the place away by word order only, so this is guessed from word classes. Each function
returns None rather than a weak guess.
"""

from __future__ import annotations

from epoche.steps import lexicon as lx
from epoche.steps.grammar import (
    Token,
    forms,
    head,
    is_adjective,
    is_adverb,
    is_base,
    is_gerund,
    is_noun_like,
    is_noun_verb,
    is_participle,
    is_plural,
)

_SUBJECT_PRONOUNS = lx._words("it they we you he she i one there")
_POINTING = lx._words("this these that those")
_NO_VERB_AFTER = lx.DETERMINERS | lx.PREPOSITIONS | lx.CONJUNCTIONS | lx.MODALS | lx._words("to")
_COMPARATIVES = lx._words("more less most least better worse")
#: "type A", "hepatitis A": a letter that is no article.
_LETTERED = lx._words("type group hepatitis vitamin class influenza factor protein grade stage category")


def verb_start(words: list[Token], aux: str = "") -> int | None:
    """Index of the main verb after do, does, did or a modal; `words` begin with the subject."""
    opening = _after_pronoun(words)
    if opening is not None:
        return opening
    if len(words) > 1 and words[0].word in _POINTING and is_base(words[1].word):
        return 1
    strong, weak = _verb_candidates(words)
    if strong:
        return strong[0]
    if weak:
        return max(weak, key=lambda i: (_plausible(words, i, aux), -i))
    for i in range(1, len(words)):
        made = words[i].word.endswith(("ate", "ize", "ise", "ify"))
        if made and words[i - 1].word not in _NO_VERB_AFTER and not words[i].ends_phrase:
            return i
    return None


def _after_pronoun(words: list[Token]) -> int | None:
    if len(words) < 2 or words[0].word not in _SUBJECT_PRONOUNS:
        return None
    at = 1
    while at < len(words) - 1 and is_adverb(words[at].word):
        at += 1
    return at


def _verb_candidates(words: list[Token]) -> tuple[list[int], list[int]]:
    """Places of base forms that can be the main verb: sure ones, and those that may be nouns."""
    strong: list[int] = []
    weak: list[int] = []
    embedded = False
    table = forms()
    for i, token in enumerate(words):
        word = token.word
        if word in lx.RELATIVES | lx.WH_WORDS | lx.SUBORDINATORS:
            embedded = True
            continue
        finite = word in lx.AUXILIARIES or word in table.third or word in table.past
        base = is_base(word) or is_noun_verb(word) or word in lx.IRREGULAR
        if embedded and (finite or base) and words[i - 1].word not in lx.DETERMINERS | lx.PREPOSITIONS:
            embedded = False
            continue
        if i == 0 or not base or words[i - 1].word in _NO_VERB_AFTER:
            continue
        if words[i - 1].word == "not" or not is_noun_verb(word):
            strong.append(i)
        elif is_noun_like(words[i - 1]) or is_adverb(words[i - 1].word):
            weak.append(i)
    return strong, weak


def _plausible(words: list[Token], i: int, aux: str) -> int:
    """How well a noun-like verb fits its neighbours and its subject."""
    score = 0
    following = words[i + 1].word if i + 1 < len(words) else ""
    if following not in {"in", "of", "to", "for", "and", "or"}:
        score += 1
    if following in lx.DETERMINERS:
        score += 1
    noun = head(words[:i])
    if noun is not None and aux in {"do", "does"}:
        many = is_plural(noun) or any(t.word == "and" for t in words[:i])
        score += 1 if many == (aux == "do") else -1
    return score


def predicate_start(words: list[Token], aux: str) -> int | None:
    """Index of the predicate after a form of be or have; `words` begin with the subject."""
    if len(words) < 2:
        return None
    if words[0].word in _SUBJECT_PRONOUNS:
        return 1
    if (
        words[0].word in _POINTING
        and (words[1].word in lx.DETERMINERS | lx.PREPOSITIONS or not is_noun_like(words[1]))
        and not is_noun_like(words[min(2, len(words) - 1)])
    ):
        return 1
    if words[0].word in _POINTING and words[1].word in lx.ARTICLES:
        return 1
    negated = next((i for i, t in enumerate(words) if i and t.word == "not"), None)
    if negated is not None and (negated + 1 == len(words) or words[negated + 1].word != "only"):
        return negated
    return _have_predicate(words) if aux in lx.HAVE else _be_predicate(words)


def _have_predicate(words: list[Token]) -> int | None:
    found = [
        i for i in range(1, len(words))
        if (is_participle(words[i].word) or words[i].word == "been")
        and "-" not in words[i].word
        and (is_noun_like(words[i - 1]) or is_adverb(words[i - 1].word))
    ]  # fmt: skip
    for i in found:
        if i + 1 == len(words) or words[i + 1].word not in lx.PREPOSITIONS:
            return i
    if found:
        return found[-1]
    return next((i for i in range(1, len(words)) if _determiner_opens(words, i)), None)


def _be_predicate(words: list[Token]) -> int | None:
    sure: list[int] = []
    doubtful: list[int] = []
    for i in range(1, len(words)):
        if _comparative_opens(words, i) or _adjective_opens(words, i):
            sure.append(i)
        elif _determiner_opens(words, i):
            (doubtful if is_gerund(words[i - 1].word) else sure).append(i)
        elif _participle_opens(words, i):
            reduced = words[i - 1].word in lx.ANIMATE and i + 1 < len(words) and i != len(words) - 1
            (doubtful if reduced else sure).append(i)
        elif _other_opens(words, i):
            doubtful.append(i)
    if not sure:
        return doubtful[0] if doubtful else None
    return _later_than_relative(words, sure)


def _later_than_relative(words: list[Token], sure: list[int]) -> int:
    """The first place that is not inside a relative clause of the subject ("women who are …")."""
    for i in sure:
        opened = [k for k in range(1, i) if words[k].word in {"who", "that", "which", "whose"}]
        if not opened:
            return i
        finite = [k for k in range(opened[0], i) if words[k].word in lx.AUXILIARIES]
        if not finite or i > finite[0] + 1:
            return i
    return sure[0]


def _noun_before(words: list[Token], i: int) -> bool:
    """A noun stands before place i, adverbs left aside."""
    k = i - 1
    while k > 0 and is_adverb(words[k].word):
        k -= 1
    return is_noun_like(words[k]) and not (k == 0 and is_adverb(words[k].word))


def _closes(words: list[Token], i: int) -> bool:
    """What follows place i cannot be a noun that the word at i describes."""
    if i + 1 >= len(words) or words[i].raw.endswith((",", ";")):
        return i + 1 >= len(words)
    following = words[i + 1].word
    return (
        following in lx.PREPOSITIONS | lx.CONJUNCTIONS | lx.SUBORDINATORS | {"to", "than", "that", "enough"}
        or following in lx.DETERMINERS
        or is_adverb(following)
    )


def _adjective_opens(words: list[Token], i: int) -> bool:
    word = words[i].word
    if not is_adjective(word) or word.endswith(("-related", "-induced")) or not _noun_before(words, i):
        return False
    if _closes(words, i):
        return True
    # "margins accurate predictors of …": an adjective and a bare plural noun make a predicate too.
    return words[i + 1].word in lx.PREDICATE_NOUNS and is_plural(words[i + 1])


def _comparative_opens(words: list[Token], i: int) -> bool:
    word = words[i].word
    later = " ".join(t.word for t in words[i + 1 : i + 4])
    return word in _COMPARATIVES and _noun_before(words, i) and i + 1 < len(words) and (
        is_adjective(words[i + 1].word) or is_participle(words[i + 1].word) or "than" in later
    )  # fmt: skip


def _determiner_opens(words: list[Token], i: int) -> bool:
    token = words[i]
    if token.word not in lx.ARTICLES | {"another"} or i + 1 >= len(words):
        return False
    before = words[i - 1]
    if before.raw.endswith(",") or before.word in _LETTERED or token.ends_phrase:
        return False
    if token.raw == "A":
        # A capital A is an article only where the whole question is in capitals.
        capitals = sum(t.raw[:1].isupper() for t in words)
        if capitals * 3 < len(words) * 2:
            return False
    return _noun_before(words, i)


def _participle_opens(words: list[Token], i: int) -> bool:
    word = words[i].word
    if not is_participle(word) or ("-" in word and not word.startswith(("well-", "under", "over"))):
        return False
    return _noun_before(words, i) and _closes(words, i)


def _other_opens(words: list[Token], i: int) -> bool:
    word, before = words[i].word, words[i - 1]
    if not is_noun_like(before) and not is_adverb(before.word):
        return False
    if word in lx.PREDICATE_NOUNS and is_plural(words[i]) and i + 1 >= len(words) - 1:
        return True
    if is_gerund(word) and i + 1 < len(words) and is_plural(before):
        return True
    pair = f"{word} {words[i + 1].word}" if i + 1 < len(words) else word
    return pair in {
        "of value", "of use", "of benefit", "of importance", "of interest", "at risk", "due to", "up to",
        "in need", "in danger", "worth the", "under control", "within normal", "part of",
    }  # fmt: skip
