"""Templates → prompts. Words for models stand in `templates/`, one file per version, and nowhere else."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, cast

from epoche.backends.base import Prompt

TEMPLATES = Path(__file__).parent.parent / "templates"
#: Most conditions of a reply; a longer list is no decomposition.
MOST_CONDITIONS = 12
#: What a reply has to look like.
SCHEMA: Mapping[str, Any] = MappingProxyType(
    {
        "type": "object",
        "properties": {
            "conditions": {
                "type": "array",
                "minItems": 1,
                "maxItems": MOST_CONDITIONS,
                "items": {
                    "type": "object",
                    "properties": {"text": {"type": "string"}, "critical": {"type": "boolean"}},
                    "required": ["text", "critical"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["conditions"],
        "additionalProperties": False,
    }
)
#: One letter per NLI label, in the order of `types.NLI_LABELS`.
LETTERS = ("A", "B", "C")

Turn = tuple[Literal["user", "assistant"], str]
_SECTION = re.compile(r"^\[(system|user|assistant|retry)\]$", re.MULTILINE)
_SLOT = re.compile(r"\{(statement|problem|premise|hypothesis)\}")


@dataclass(frozen=True)
class Template:
    """A versioned prompt: system, example turns, the question with its slots, and what is said to a bad reply."""

    name: str
    sha256: str
    system: str
    turns: tuple[Turn, ...]
    retry: str

    @property
    def version(self) -> str:
        """Name and the first digits of the hash, for a component's version."""
        return f"{self.name}@{self.sha256[:12]}"

    def ask(self, **slots: str) -> tuple[Turn, ...]:
        """The turns with the slots of the last one filled."""
        return (*self.turns[:-1], ("user", _filled(self.turns[-1][1], slots)))

    def ask_again(self, first: tuple[Turn, ...], reply: str, **slots: str) -> tuple[Turn, ...]:
        """The turns of a second try: what was asked, what came, what was wrong with it."""
        return (*first, ("assistant", reply), ("user", _filled(self.retry, slots)))


def _filled(text: str, slots: Mapping[str, str]) -> str:
    # One pass, so that a slot's name inside a filled text stays text.
    return _SLOT.sub(lambda match: slots[match.group(1)], text)


@cache
def template(name: str) -> Template:
    """The template of that name in `templates/`."""
    raw = (TEMPLATES / f"{name}.txt").read_text(encoding="utf-8")
    parts = _SECTION.split(raw)[1:]
    sections = [(kind, text.strip("\n")) for kind, text in zip(parts[::2], parts[1::2], strict=True)]
    turns = [cast(Turn, (kind, text)) for kind, text in sections if kind in ("user", "assistant")]
    named = dict(sections)
    digest = hashlib.sha256(raw.encode("utf-8")).hexdigest()
    return Template(name, digest, named.get("system", ""), tuple(turns), named.get("retry", ""))


def quoted(text: str) -> str:
    """Text of a document as one JSON string: nothing in it can end the quotation."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False)


def audit_prompt(premise: str, hypothesis: str, samples: int) -> Prompt:
    """Asks for one of `LETTERS`, with its probability."""
    asked = template("audit-chat-1")
    return Prompt(
        system=asked.system,
        turns=asked.ask(premise=quoted(premise), hypothesis=quoted(hypothesis)),
        max_tokens=4,
        answers=LETTERS,
        samples=samples,
    )
