"""What a rule works on: one finding with unrelated material to set against it, and ways to word both."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from training.nli.contrast.clauses import Clause, is_plural, lower, sentence
from training.nli.contrast.lexicon import VERBS
from training.nli.pairs import stable_hash

Row = tuple[str, str, str]
E, N, C = "entailment", "neutral", "contradiction"

AMOUNT = {"increase": 1, "raise": 1, "elevate": 1, "boost": 1, "upregulate": 1, "augment": 1, "enhance": 1}
AMOUNT |= {"decrease": -1, "reduce": -1, "lower": -1, "diminish": -1, "downregulate": -1, "attenuate": -1}
"""Verbs that say no more than that an amount changed."""
EVENT = {"protect against", "lead to", "result in", "contribute to", "cause", "give rise to", "drive"}


@dataclass(frozen=True, slots=True)
class Finding:
    """A clause, the sentence that states it ("" if none does), and entities from unrelated documents."""

    clause: Clause
    stated: str
    seed: str
    subjects: tuple[str, str]
    objects: tuple[str, str]
    aside: str
    """An unrelated sentence, to stand beside a premise now and then."""
    names: tuple[tuple[str, str], ...] = ()
    """Long forms and abbreviations that its document defines."""
    hedged: str = ""
    """A real sentence that puts the clause forward without asserting it ("" if none does)."""

    def pick(self, key: str, options: list[str]) -> str:
        """One of the options, the same in every run."""
        return options[stable_hash(f"{key}|{self.seed}") % len(options)]

    def number(self, key: str, low: int, high: int) -> int:
        """A number from low to high, the same in every run."""
        return low + stable_hash(f"{key}#{self.seed}") % (high - low + 1)


def cross(hypothesis: str, entailing: str, neutral: str, contradicting: str) -> Iterator[Row]:
    """One hypothesis under three premises, so that it cannot give its label away."""
    for premise, label in ((entailing, E), (neutral, N), (contradicting, C)):
        if premise:
            yield premise, hypothesis, label


def fan(premise: str, entailed: str = "", neutral: str = "", contradicted: str = "") -> Iterator[Row]:
    """One premise with up to three hypotheses."""
    for hypothesis, label in ((entailed, E), (neutral, N), (contradicted, C)):
        if premise and hypothesis:
            yield premise, hypothesis, label


_PREFIXES = ["", "", "", "", "We found that ", "In this study, ", "Here we report that ", "The data showed that "]
_SUFFIXES = ["", "", "", "", " (Fig. 2)", " (n = 24)", " in our experiments", " in both data sets"]


def dressed(f: Finding, text: str, key: str) -> str:
    """A made premise with a lead-in and, at times, an unrelated sentence beside it: neither settles anything."""
    prefix = f.pick(key + "prefix", _PREFIXES)
    body = text.rstrip(".")
    text = sentence((prefix + lower(body) if prefix else body) + f.pick(key + "suffix", _SUFFIXES))
    place = f.number(key + "aside", 0, 11)
    return f"{f.aside} {text}" if place == 0 else f"{text} {f.aside}" if place == 1 else text


def premise(f: Finding, key: str) -> str:
    """The finding as its source states it, or its bare clause."""
    if f.stated and f.number(key, 0, 3):
        return f.stated
    return dressed(f, plain(f).text(), key)


def plain(f: Finding) -> Clause:
    """The clause in the past."""
    return f.clause.with_(past=True)


def bare(f: Finding) -> Clause:
    """The clause in the past, without its place: room for another condition."""
    return f.clause.with_(past=True, place="")


def said(c: Clause, f: Finding, key: str) -> str:
    """A clause as a hypothesis: active or passive, past or present."""
    c = c.with_(past=f.number(key + "tense", 0, 2) > 0, plural=is_plural(c.subject))
    if f.number(key + "voice", 0, 2) == 0 and " and " not in c.target and c.verb not in EVENT:
        return c.passive()
    return c.text()


def opposite(c: Clause) -> Clause | None:
    """The clause with the opposite verb."""
    return c.with_(verb=c.entry.opposite) if c.entry.opposite else None


def synonym(c: Clause, f: Finding, key: str) -> Clause:
    """The clause with another verb of the same meaning, where there is one."""
    options = [s for s in c.entry.synonyms if s in VERBS]
    return c.with_(verb=f.pick(key, options)) if options else c


def entity(text: str, words: int = 3) -> bool:
    """Whether a phrase names a thing that can be added, removed or act by itself."""
    low = f" {text.lower()} "
    return len(text.split()) <= words and not any(part in low for part in _NO_ENTITY)


_NO_ENTITY = (
    *(" of ", " by ", " with ", " and ", " or ", " a ", " an ", " alone", "single", "low ", "high"),
    *("treatment", "therap", "inhibit", "knockdown", "loss", "lack", "defici", "deplet", "deletion", "express"),
    *("absence", "mutation", "increase", "decreas", "reduc", "knockout", "activation", "abla", "disrupt", "block"),
    *("intake", "depriv", "exposure"),
)


def gene(text: str) -> bool:
    """Whether a short phrase is spelt like a gene, protein or code name."""
    return len(text.split()) == 1 and bool(re.search(r"[A-Z].*[A-Z]|[A-Za-z].*\d", text))


def was(phrase: str) -> str:
    """Was or were."""
    return "were" if is_plural(phrase) else "was"


def changed(phrase: str, direction: int, f: Finding, key: str) -> str:
    """A verb phrase for an amount that went up or down."""
    up, down = ["rose", "went up", "increased", "climbed"], ["fell", "went down", "decreased", "dropped"]
    del phrase
    return f.pick(key, up if direction > 0 else down)
