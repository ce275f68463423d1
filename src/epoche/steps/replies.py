"""Reply → proposed conditions, or what is wrong with it. A reply is data: parsed by its schema, never executed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from epoche import strict_json
from epoche.steps.guard import Part
from epoche.steps.prompts import MOST_CONDITIONS

#: Longer ones are no fact of a statement of at most 2,000 characters.
LONGEST = 2000
_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL | re.IGNORECASE)
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL | re.IGNORECASE)
_ITEM = re.compile(r"\s*(?:[-*•–]|\(?\d{1,2}[.):])\s+")
#: What a line of prose around a list looks like.
_HEADING = re.compile(r":\s*$|^\s*(?:sure|here\b|okay|certainly|facts?\b\s*$)", re.IGNORECASE)


@dataclass(frozen=True)
class Parsed:
    """Conditions of a reply.

    Attributes:
        problem: why the reply is not what was asked for; empty if it is.
        salvaged: conditions were found all the same; some may be missing.
    """

    conditions: tuple[Part, ...]
    problem: str = ""
    salvaged: bool = False


def parse_json(text: str, cut: bool = False) -> Parsed:
    """A reply that should be `{"conditions": [{"text": …, "critical": …}, …]}`.

    Args:
        cut: the reply was ended by its length.
    """
    bare = _THOUGHT.sub("", text).strip()
    if not bare:
        return Parsed((), "it is empty")
    try:
        return _checked(strict_json.loads(bare))
    except ValueError:
        problem = "it was cut off" if cut else "it is not JSON"
    for candidate in _inside(bare):
        try:
            found = _checked(strict_json.loads(candidate))
        except ValueError:
            continue
        if found.conditions:
            # Prose around a whole object loses nothing.
            return found
    return _salvage(bare, problem)


def parse_lines(text: str, cut: bool = False) -> Parsed:
    """A reply that should be one condition per line; a model that writes one long line separates by sentences."""
    lines = [line for line in text.splitlines() if line.strip()]
    bulleted = [_ITEM.sub("", line, count=1).strip() for line in lines if _ITEM.match(line)]
    found = bulleted or [line.strip() for line in lines if not _HEADING.search(line)]
    if len(found) == 1:
        # A text model without line breaks runs the facts together.
        found = [part.strip(" -") for part in re.split(r"(?<=[.!?])\s+(?=[-A-Z])", found[0])]
    conditions = tuple(Part(line) for line in found if line)
    if not conditions:
        return Parsed((), "it holds no line")
    problem = _problem_of(conditions)
    if problem:
        return Parsed((), problem)
    if cut:
        return Parsed(conditions[:-1], "it was cut off", salvaged=True)
    return Parsed(conditions)


def _inside(text: str) -> Iterator[str]:
    """Parts of a text that may be the object itself: fenced blocks, then from a brace to the last one."""
    yield from (match.group(1).strip() for match in _FENCE.finditer(text))
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end:
        yield text[start : end + 1]


def _checked(value: Any) -> Parsed:
    """Exactly the schema; a wrong shape is said, never guessed at."""
    if not isinstance(value, dict) or not isinstance(value.get("conditions"), list):
        return Parsed((), 'it is not an object with a list "conditions"')
    conditions = []
    for number, entry in enumerate(value["conditions"], start=1):
        if not isinstance(entry, dict) or not isinstance(entry.get("text"), str):
            return Parsed((), f"condition {number} is not an object with a text")
        critical = entry.get("critical", True)
        if not isinstance(critical, bool):
            return Parsed((), f'"critical" of condition {number} is not true or false')
        conditions.append(Part(" ".join(entry["text"].split()), critical))
    return Parsed((), _problem_of(conditions)) if _problem_of(conditions) else Parsed(tuple(conditions))


def _problem_of(conditions: list[Part] | tuple[Part, ...]) -> str:
    texts = [c.text for c in conditions]
    if not texts:
        return "it holds no condition"
    if len(texts) > MOST_CONDITIONS:
        return f"it holds {len(texts)} conditions, and {MOST_CONDITIONS} are the most"
    if not all(t.strip() for t in texts):
        return "a condition is empty"
    if any(len(t) > LONGEST for t in texts):
        return f"a condition is longer than {LONGEST} characters"
    if any("\ud800" <= c <= "\udfff" or (ord(c) < 32) for t in texts for c in t):
        return "a condition holds broken characters"
    return "a condition is given twice" if len(set(texts)) < len(texts) else ""


def _salvage(text: str, problem: str) -> Parsed:
    """Whole objects `{"text": …}` out of a broken reply."""
    decoder = json.JSONDecoder(strict=True)
    found: list[Part] = []
    at = text.find("{")
    while at >= 0 and len(found) <= MOST_CONDITIONS:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        if isinstance(value, dict) and isinstance(value.get("text"), str):
            found.append(Part(" ".join(value["text"].split()), value.get("critical", True) is not False))
        at = text.find("{", end)
    if _problem_of(found):
        return Parsed((), problem)
    return Parsed(tuple(found), problem, salvaged=True)
