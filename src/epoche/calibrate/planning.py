"""How many labelled items a promise takes, and which to label next."""

from __future__ import annotations

import json
import math
import random
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scipy.stats import binom

from epoche import strict_json
from epoche.calibrate.labelled import NEAR, RANDOM, Labelled
from epoche.calibrate.promise import subject
from epoche.errors import DocumentError, InputError
from epoche.guarantee.binomial import needed, require_probability
from epoche.metrics.selective import curve, group
from epoche.policy import Target

MOST_ERRORS = 10
_MOST_ITEMS = 1_000_000
SEED = 20260727


@dataclass(frozen=True)
class Expected:
    """What a promise would take where the true risks are those of a pilot set, at the most useful coverage.

    Attributes:
        coverage: share of items answered.
        risk: share of these that are wrong.
        answered, items: how many would have to be answered, and labelled in all.
    """

    coverage: float
    risk: float
    answered: int
    items: int


def table(alpha: float, delta: float, most: int = MOST_ERRORS) -> list[tuple[int, int]]:
    """(errors, answered items that are needed), from no error on.

    Raises:
        ValueError: alpha or delta out of range.
    """
    return [(errors, needed(errors, alpha, delta)) for errors in range(most + 1)]


def expected(pilot: Labelled, alpha: float, delta: float, target: Target) -> list[Expected]:
    """Per tenth of coverage where the pilot's risk is below α: what the promise would take there."""
    mask = subject(pilot, target)
    if not mask.any():
        return []
    line = curve(group(pilot.predictions.confidence[mask], pilot.predictions.error[mask]))
    share = float(mask.sum()) / pilot.n
    found: dict[int, Expected] = {}
    for coverage, risk in zip((line.coverage * share).tolist(), line.risk.tolist(), strict=True):
        answered = answers_needed(risk, alpha, delta)
        if answered is not None:
            found[int(coverage * 10)] = Expected(coverage, risk, answered, math.ceil(answered / coverage))
    return list(found.values())


def answers_needed(risk: float, alpha: float, delta: float) -> int | None:
    """The fewest answered items that show α where a share of `risk` is wrong; None from α on, or beyond a million.

    Raises:
        ValueError: alpha or delta out of range.
    """
    require_probability("the risk α", alpha)
    require_probability("the failure probability δ", delta)
    if risk >= alpha:
        return None
    low, high = 0, needed(0, alpha, delta)
    while not _shows(risk, high, alpha, delta):
        low, high = high, high * 2
        if high > _MOST_ITEMS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _shows(risk, middle, alpha, delta) else (middle, high)
    return high


def _shows(risk: float, n: int, alpha: float, delta: float) -> bool:
    return bool(binom.cdf(math.ceil(risk * n - 1e-9), n, alpha) <= delta)


def read_unlabelled(path: Path) -> list[dict[str, Any]]:
    """Lines of {"id", "pred", "confidence"[, "document"]}, gold labels or not.

    Raises:
        InputError: the file cannot be read, or has no line.
        DocumentError: a line that is not one; it is named.
    """
    try:
        content = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}") from None
    rows: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(content.split("\n"), start=1):
        if not line.strip():
            continue
        problem, record = "", None
        try:
            record = strict_json.loads(line)
        except ValueError as error:
            problem = str(error)
        if not problem:
            problem = _problem(record, rows)
        if problem or not isinstance(record, dict):
            raise DocumentError(f"{path.name}, line {number}: {problem}", source=path.name, line=number)
        rows[str(record["id"])] = record
    if not rows:
        raise InputError(f'{path} has no line: give lines like {{"id", "pred", "confidence"}}')
    return list(rows.values())


def _problem(record: Any, rows: dict[str, dict[str, Any]]) -> str:
    if not isinstance(record, dict):
        return "an object is needed"
    for name in ("id", "pred", "confidence"):
        if record.get(name) is None:
            return f"no {name}"
    value = record["confidence"]
    if type(value) not in (int, float) or not abs(value) <= sys.float_info.max:
        return "confidence must be a finite number"
    if type(record["id"]) not in (str, int, float):
        return f"id must be a text or a number, not {record['id']!r}"
    for name in ("pred", "gold"):
        if record.get(name) is not None and (not isinstance(record[name], str) or not record[name].strip()):
            return f"{name} must be a label (text), not {record[name]!r}"
    return f"id {record['id']!r} occurs twice" if str(record["id"]) in rows else ""


def to_label(rows: list[dict[str, Any]], count: int, near: float | None, seed: int = SEED) -> str:
    """JSON lines to fill in: `count` items without a gold label, drawn at random, or the nearest to a threshold.

    Only items drawn at random may carry a promise. Those near a threshold are taken in turn from each document.
    """
    open_rows = [row for row in rows if row.get("gold") is None]
    if not open_rows:
        raise InputError("every item has a gold label: there is nothing left to label")
    if near is None:
        chosen = random.Random(seed).sample(open_rows, min(count, len(open_rows)))
    else:
        chosen = _spread(sorted(open_rows, key=lambda row: abs(row["confidence"] - near)))[:count]
    drawn = RANDOM if near is None else NEAR
    lines = [json.dumps(row | {"gold": None, "drawn": drawn}, ensure_ascii=False) for row in chosen]
    return "\n".join(lines) + "\n"


def _spread(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """First one of each document, then the second of each …; the given order within."""
    turn: defaultdict[str, int] = defaultdict(int)
    ranked = []
    for place, row in enumerate(rows):
        document = str(row.get("document", row["id"]))
        ranked.append((turn[document], place, row))
        turn[document] += 1
    return [row for _, _, row in sorted(ranked, key=lambda entry: entry[:2])]
