"""JSON that says one thing: no key twice, no number that JSON does not have."""

from __future__ import annotations

import json
from typing import Any


def loads(text: str | bytes) -> Any:
    """A value from JSON.

    Raises:
        ValueError: broken or too deeply nested JSON, a key that an object has twice, NaN or Infinity.
    """
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_refuse, parse_float=_finite)
    except json.JSONDecodeError as error:
        raise ValueError(f"broken JSON: {error}") from None
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None


def _once(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(fields)
    if len(found) < len(fields):
        names = [name for name, _ in fields]
        raise ValueError(f"{next(n for n in names if names.count(n) > 1)}: the field is given twice")
    return found


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not a number of JSON")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{text} is too large a number")
    return value
