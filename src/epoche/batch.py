"""Many at once: raw NLI scores for the lines of a JSONL file."""

from __future__ import annotations

import json
from typing import Any

from epoche import strict_json
from epoche.backends.base import NliModel, Progress
from epoche.errors import DocumentError, InputError
from epoche.steps.segment import scored_text
from epoche.types import NLI_LABELS

_SPECIAL_TOKENS = 4


def score_lines(
    text: str, nli: NliModel, source: str, skip: bool, progress: Progress | None = None
) -> tuple[list[str], int]:
    """Adds entailment, neutral and contradiction to each JSON line; how many could not be scored.

    Blank lines are left out. A line that cannot be scored (broken JSON, no premise or hypothesis,
    longer than the model reads) stops everything, or with `skip` is kept with its `error`.

    Raises:
        DocumentError: such a line, without `skip`; it names the line.
        InputError: the file has no line.
    """
    records: list[dict[str, Any]] = []
    pairs: dict[int, tuple[str, str]] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record, pair = _read(line, nli)
        except ValueError as error:
            if not skip:
                raise DocumentError(f"{source}, line {number}: {error}", source=source, line=number) from None
            records.append({"line": number, "text": line, "error": str(error)})
            continue
        pairs[len(records)] = pair
        records.append(record)
    if not records:
        raise InputError(f'{source} has no line: give lines like {{"premise": "…", "hypothesis": "…"}}')
    scores = nli.score(list(pairs.values()), progress)
    for i, row in zip(pairs, scores.tolist(), strict=True):
        records[i] |= dict(zip(NLI_LABELS, row, strict=True))
    return [_line(r) for r in records], len(records) - len(pairs)


def _line(record: dict[str, Any]) -> str:
    text = json.dumps(record, ensure_ascii=False)
    # A lone surrogate in a field we do not read cannot be written as UTF-8; its escape can.
    return (text if text.isprintable() else json.dumps(record)) + "\n"


def _read(line: str, nli: NliModel) -> tuple[dict[str, Any], tuple[str, str]]:
    record = strict_json.loads(line)
    if not isinstance(record, dict):
        raise ValueError('an object is needed, like {"premise": "…", "hypothesis": "…"}')
    taken = [label for label in NLI_LABELS if label in record]
    if taken:
        raise ValueError(f"{taken[0]!r} is where the score goes: rename the field")
    texts = []
    for key in ("premise", "hypothesis"):
        value = record.get(key)
        if not isinstance(value, str) or not value.strip():
            raise ValueError(f"{key!r} must be a text that is not empty")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ValueError(f"{key!r} holds a lone surrogate at character {error.start}") from None
        texts.append(scored_text(value))
    premise, hypothesis = texts
    limit = nli.info.max_tokens - _SPECIAL_TOKENS
    if len((premise + hypothesis).encode("utf-8")) > limit:
        counts = [len(nli.token_spans(t)) for t in texts]
        if sum(counts) > limit:
            raise ValueError(
                f"premise of {counts[0]} and hypothesis of {counts[1]} tokens: {nli.info.name} reads "
                f"{limit} together and nothing is cut silently; split the premise"
            )
    return record, (premise, hypothesis)
