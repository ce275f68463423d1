"""Contrast pairs by rule: a claim its rationale entails, changed in one place so that it no longer holds.

Small and deterministic. A rule fires only where the premise is likely to settle the matter: a number must
stand in the premise too, and the opposite of a direction word must not.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from training.nli.pairs import Pair, read_jsonl, stable_hash
from training.nli.science import scifact_pairs

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
    (re.compile(r"\b(is|are|was|were|can|may|does|do|did|has|have|could|should|will)\b(?! not)"), r"\1 not"),
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
    if text == pick.group() or text in premise or (value > 50 and claim[pick.end() : pick.end() + 1] == "%"):
        return None
    return claim[: pick.start()] + text + claim[pick.end() :]


def negated(premise: str, claim: str) -> str | None:
    """Negate the claim's first auxiliary or finite verb, or drop its only "not"."""
    del premise
    if _NOT_RE.search(claim):
        return _NOT_RE.sub(r"\1", claim, count=1)
    if re.search(r"\b(no|not|never|without|n't|fail\w*|lack\w*|none)\b", claim):
        return None
    verb = _VERB_RE.search(claim)
    if verb:
        stem = verb.group()[:-1]
        return f"{claim[: verb.start()]}does not {stem}{claim[verb.end() :]}"
    for pattern, replacement in _NEGATIONS:
        if pattern.search(claim):
            return pattern.sub(replacement, claim, count=1)
    return None


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


RULES: tuple[Callable[[str, str], str | None], ...] = (opposite, other_number, negated, significance)


def _entailed(data: Path) -> Iterator[tuple[str, str]]:
    for premise, claim, label in scifact_pairs(data, evidence=True):
        if label == "entailment":
            yield premise, claim
    for name in ("healthver_rationale.train", "check_covid.train"):
        for row in read_jsonl(data / "nli" / f"{name}.jsonl.gz"):
            if row["label"] == "entailment":
                yield row["premise"], row["hypothesis"]


def build(data: Path, source: str = "contrast") -> Iterable[Pair]:
    """Every rule on every entailed training pair; the entailed original rides along once per changed pair.

    The original keeps the balance: without it, a "not" or a changed number alone would give the label away.
    """
    for premise, claim in _entailed(data):
        changed = [text for rule in RULES if (text := rule(premise, claim)) is not None]
        for text in changed:
            yield Pair(premise, text, "contradiction", source)
        if changed:
            yield Pair(premise, claim, "entailment", source)
