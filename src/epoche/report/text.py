"""Report for a terminal: the first line is the outcome, whole and never wrapped."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final

from epoche.report import words
from epoche.report.blocks import ConditionView, Quote, Section, Tone, View

_LEAST_WIDTH: Final = 20
_RESET: Final = "\x1b[0m"
_BOLD: Final = "\x1b[1m"
_DIM: Final = "\x1b[2m"
_COLOURS: Final[dict[Tone, str]] = {
    "support": "\x1b[32m",
    "contradict": "\x1b[31m",
    "unsettled": "\x1b[33m",
    "abstained": "\x1b[36m",
    "failed": "\x1b[35m",
}


def render_text(view: View, *, colour: bool = False, width: int = 100) -> str:
    """The report as lines of at most `width` columns, unless a single word is longer.

    Args:
        colour: with ANSI colours; the words are the same without them.
        width: columns; less than 20 counts as 20.
    """
    return "\n".join(_Page(colour, max(width, _LEAST_WIDTH)).lines(view)) + "\n"


class _Page:
    def __init__(self, colour: bool, width: int) -> None:
        self.colour = colour
        self.width = width

    def lines(self, view: View) -> Iterator[str]:
        said = f"{view.said} ({view.confidence})" if view.confidence else view.said
        yield f"{self.paint(f'{view.label}:', _BOLD + _COLOURS[view.tone])} {said}"
        if view.leaning:
            yield from self.wrap(view.leaning)
        yield ""
        yield from self.wrap(view.statement, f"{view.kind}: ")
        for condition in view.conditions:
            yield ""
            yield from self.condition(condition, len(view.conditions))
        for section in view.all_sections:
            yield ""
            yield from self.section(section)
        yield ""
        yield from self.facts(words.METHOD, view.method)

    def condition(self, condition: ConditionView, total: int) -> Iterator[str]:
        head = f"{words.CONDITION} {condition.number}/{total}: "
        yield from self.wrap(condition.text, head, hang=2, style=_BOLD)
        status = f"{condition.code}, {condition.status}" if condition.code else condition.status
        yield from self.wrap(status, "  ", style=_COLOURS[condition.tone])
        if condition.conflict:
            yield from self.wrap(words.CONFLICT, "  ", style=_COLOURS["contradict"])
        yield from self.wrap(condition.role, "  ")
        if condition.meters:
            yield from self.wrap(condition.measured, "  ")
        for group in condition.quotes:
            yield from self.wrap(f"{group.heading}:", "  ")
            for quote in group.items:
                yield from self.quote(quote)
            if group.more:
                yield from self.wrap(words.more(group.more), "    ")

    def quote(self, quote: Quote) -> Iterator[str]:
        yield from self.wrap(quote.caption, "    - ", hang=6, style=_DIM)
        yield from self.wrap(f"“{quote.text}”", "      ")

    def section(self, section: Section) -> Iterator[str]:
        yield self.paint(section.heading, _BOLD)
        for line in section.lines:
            yield from self.wrap(line, "  ", hang=4)
        for quote in section.quotes:
            yield from self.quote(quote)
        if section.more:
            yield from self.wrap(words.more(section.more), "    ")

    def facts(self, heading: str, facts: tuple[tuple[str, str], ...]) -> Iterator[str]:
        yield self.paint(heading, _BOLD)
        for name, value in facts:
            yield from self.wrap(value, f"  {name}: ", hang=4)

    def wrap(self, text: str, lead: str = "", *, hang: int | None = None, style: str = "") -> Iterator[str]:
        """`text` after `lead`, further lines indented by `hang` (by default as far as `lead`)."""
        indent = " " * (columns(lead) if hang is None else hang)
        line, used = "", columns(lead)
        prefix = lead
        for word in text.split(" "):
            needed = columns(word) + (1 if line else 0)
            if line and used + needed > self.width:
                yield prefix + self.paint(line, style)
                prefix, line, used = indent, "", len(indent)
                needed = columns(word)
            line = f"{line} {word}" if line else word
            used += needed
        yield prefix + self.paint(line, style)

    def paint(self, text: str, style: str) -> str:
        return f"{style}{text}{_RESET}" if self.colour and style else text


def columns(text: str) -> int:
    """Columns that a terminal gives to `text`: wide characters two, combining ones none."""
    return sum(map(_columns_of, text))


def _columns_of(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
