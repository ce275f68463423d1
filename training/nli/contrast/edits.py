"""Edits of one place in an annotated claim, and what they work on."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from training.nli.contrast.clauses import (
    is_plural,
    lower,
    sentence,
)
from training.nli.contrast.finding import C, E, Row
from training.nli.pairs import stable_hash

_OPPOSITES = (
    ("increases", "decreases"),
    ("increased", "decreased"),
    ("increase", "decrease"),
    ("increasing", "decreasing"),
    ("higher", "lower"),
    ("more", "less"),
    ("greater", "smaller"),
    ("improves", "worsens"),
    ("improved", "worsened"),
    ("reduces", "increases"),
    ("reduced", "increased"),
    ("reduce", "increase"),
    ("promotes", "inhibits"),
    ("activates", "inhibits"),
    ("activation", "inhibition"),
    ("enhances", "suppresses"),
    ("enhanced", "suppressed"),
    ("upregulated", "downregulated"),
    ("upregulates", "downregulates"),
    ("positive", "negative"),
    ("raises", "lowers"),
    ("induces", "prevents"),
    ("protects against", "promotes"),
    ("longer", "shorter"),
    ("before", "after"),
    ("above", "below"),
    ("positively", "negatively"),
    ("gain", "loss"),
    ("survival", "death"),
)
_SWAP = {a: b for pair in _OPPOSITES for a, b in (pair, pair[::-1])}
_SWAP_RE = re.compile(r"\b(" + "|".join(sorted(map(re.escape, _SWAP), key=len, reverse=True)) + r")\b")
_NUMBER_RE = re.compile(r"(?<![\w.,-])(\d+(?:\.\d+)?)(?![\w.,-]*\d)(?=[ %)]|$)")
_NEGATIONS = (
    (
        re.compile(r"(?<!who )(?<!that )(?<!which )\b(is|are|was|were|can|does|do|did|has|have|will)\b(?! not)"),
        r"\1 not",
    ),
)
_NOT_RE = re.compile(r"\b(is|are|was|were|can|may|could|should|will) not\b")
_VERBS = "increases reduces inhibits promotes causes induces improves prevents decreases requires regulates affects"
_VERB_RE = re.compile(r"\b(" + "|".join(_VERBS.split()) + r")\b")


def opposite(premise: str, claim: str) -> str | None:
    """Swap one direction word, if the claim has exactly one."""
    found = _SWAP_RE.findall(claim)
    if len(found) != 1 or _SWAP[found[0]] in premise.lower():
        return None
    return _SWAP_RE.sub(lambda m: _SWAP[m.group()], claim)


def other_number(premise: str, claim: str) -> str | None:
    """Change one number that the premise also states."""
    found = [
        m
        for m in _NUMBER_RE.finditer(claim)
        if re.search(rf"(?<![\d.]){re.escape(m.group())}(?![\d.]\d|\d)", premise)
    ]
    if not found:
        return None
    pick = found[stable_hash(claim) % len(found)]
    value = float(pick.group())
    factor = (0.5, 1.5, 2.0, 3.0)[stable_hash(claim + "#") % 4]
    text = f"{value * factor:.{len(pick.group().partition('.')[2])}f}"
    share = claim[pick.end() : pick.end() + 1] == "%" or claim[pick.end() :].startswith(" percent")
    if text == pick.group() or text in premise or (share and float(text) > 100):
        return None
    return claim[: pick.start()] + text + claim[pick.end() :]


def negated(premise: str, claim: str) -> str | None:
    """Negate the claim's first auxiliary or finite verb, or drop its only "not"."""
    del premise
    if _NOT_RE.search(claim):
        return _NOT_RE.sub(r"\1", claim, count=1)
    if re.search(
        r"\b(no|not|never|without|n't|fail\w*|lack\w*|none|least|some|all|most|any|only|every|each)\b", claim, re.I
    ):
        return None
    verb = _VERB_RE.search(claim)
    if verb:
        stem = verb.group()[:-1]
        return f"{claim[: verb.start()]}does not {stem}{claim[verb.end() :]}"
    for pattern, replacement in _NEGATIONS:
        if pattern.search(claim):
            return pattern.sub(replacement, claim, count=1)
    return None


_COUNTED = re.compile(
    r"[\d.]*(?:%(?! (?:CI|confidence))| ?percent| times (?:more|as|higher|lower|the)| ?-?fold| (?:[a-z-]+ )?"
    r"(?:patients|participants|people|women|men|children|subjects|cases|mice|adults|individuals|deaths|countries|infants|"
    r"volunteers|studies|trials|genes|families|controls)\b)",
    re.I,
)
_NAMED = re.compile(
    r"(?:[A-Za-z/-]|\b(?:cohort|arm|group|phase|grade|stage|type|intervention|day|than|least|most|under|over|nearly|"
    r"about|almost|approximately|around|to) )\d*\.?\d*$",
    re.I,
)


def counts_something(claim: str, changed: str) -> bool:
    """Whether the number that was changed is an exact count or share: "day 90", "cohort 2" or a bound is not."""
    at = next((i for i, (a, b) in enumerate(zip(claim, changed, strict=False)) if a != b), len(claim))
    return _COUNTED.match(claim, at) is not None and not _NAMED.search(claim[:at])


def other_count(premise: str, claim: str) -> str | None:
    """:func:`other_number` for a count or a share only."""
    if re.search(r"significant(?:ly)? (?:higher|lower|difference)", claim):
        return None  # the arms' doses there name the arms
    changed = other_number(premise, claim)
    return changed if changed is not None and counts_something(claim, changed) else None


def significance(premise: str, claim: str) -> str | None:
    """Exchange "significant" and "no significant", where the premise speaks of significance."""
    if "significan" not in premise:
        return None
    if re.search(r"\bnot significantly\b", claim):
        return claim.replace("not significantly", "significantly", 1)
    if re.search(r"\bno significant\b", claim):
        return claim.replace("no significant", "a significant", 1)
    if re.search(r"\bsignificantly (\w+(?:er|ed|s)|more|less)\b", claim):
        return re.sub(r"\bsignificantly\b", "not significantly", claim, count=1)
    return None


@dataclass(frozen=True, slots=True)
class Source:
    """A real sentence, a claim it entails ("" if none was annotated), and noun phrases of other documents."""

    text: str
    claim: str
    others: tuple[str, ...]

    def pick(self, key: str, options: list[str]) -> str:
        """One of the options, the same in every run."""
        return options[stable_hash(f"{key}|{self.text}|{self.claim}") % len(options)]

    def other(self, near: str) -> str:
        """A noun phrase that shares no word with the sentence, in the number of ``near``."""
        taken = set(re.findall(r"\w{4,}", f"{self.text} {self.claim}".lower()))
        for phrase in self.others:
            if is_plural(phrase) == is_plural(near) and not taken & set(re.findall(r"\w{4,}", phrase.lower())):
                return lower(phrase)
        return ""


def told(s: Source, text: str) -> str:
    """A claim as a premise of its own, with a lead-in that settles nothing."""
    prefix = s.pick("told", ["We found that ", "In this study, ", "The data showed that ", "It was reported that "])
    return sentence(prefix + lower(text)) if not re.match(r"(?:In|At|Among|After|There) ", text) else text


def edited_claim(edit: Callable[[str, str], str | None]) -> Callable[[Source], Iterator[Row]]:
    """The rule that edits an annotated claim: the original stays entailed, the edit contradicts.

    The edit is a premise too, under which the two change places: no word of either gives its label away.
    """

    def rule(s: Source) -> Iterator[Row]:
        claim = re.sub(r"[.;\s]+$", ".", s.claim)
        if claim and not re.search(r"[;?]|[.!] ", claim) and (text := edit(s.text, claim)) is not None:
            yield s.text, claim, E
            yield s.text, text, C
            yield told(s, text), claim, C
            yield told(s, text), text, E

    return rule
