"""Report as GitHub Markdown: text of the user is escaped so that it stays text.

Backslashes keep it from becoming markup. What GitHub would act on in plain text all the same (addresses,
mentions, issue numbers, formulas, emoji names, commits) is put in a code span, where nothing is acted on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from epoche.report import words
from epoche.report.blocks import ConditionView, Quote, Section, View

_MARKUP: Final = re.compile(r"[\\`*_\[\]<>&~|]")
#: What would start a block at the beginning of a line: a heading, list, rule, table or definition.
_BLOCK_START: Final = re.compile(r"^(?:[#+\-=:]|(?P<number>\d{1,9})(?=[.)]$))")
_LIVE: Final = re.compile(
    r"@|://|www\.|mailto:|xmpp:|#\d|gh-\d|\$|:[a-z0-9_+\-]+:"
    r"|(?<![0-9a-z])(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,40}(?![0-9a-z])",
    re.IGNORECASE,
)
_TICKS: Final = re.compile(r"`+")


def render_markdown(view: View) -> str:
    """The report as Markdown with a newline at its end; no HTML in it."""
    return "\n\n".join(_blocks(view)) + "\n"


def escaped(text: str) -> str:
    """Text of one line that Markdown renders as it is."""
    return " ".join(
        code(word) if _LIVE.search(word) else _literal(word, first=i == 0) for i, word in enumerate(text.split(" "))
    )


def code(text: str) -> str:
    """A code span, with more backticks around it than `text` has in a row."""
    ticks = "`" * (max((len(run) for run in _TICKS.findall(text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _literal(word: str, first: bool) -> str:
    literal = _MARKUP.sub(r"\\\g<0>", word)
    return _BLOCK_START.sub(_guarded, literal) if first else literal


def _guarded(match: re.Match[str]) -> str:
    # A digit cannot be escaped; the dot or bracket after it can.
    return f"{match['number']}\\" if match["number"] else f"\\{match[0]}"


def _blocks(view: View) -> Iterator[str]:
    yield f"# {view.label}"
    confidence = f" {words.sentence(view.confidence)}" if view.confidence else ""
    yield escaped(f"{view.said_alone}{confidence}")
    if view.leaning:
        yield escaped(view.leaning)
    yield f"**{view.kind}:** {escaped(view.statement)}"
    if view.conditions:
        yield f"## {words.CONDITIONS}"
    for condition in view.conditions:
        yield from _condition(condition)
    for section in view.all_sections:
        yield from _section(section)
    for heading, facts in ((words.METHOD, view.method), (words.PROVENANCE, view.provenance)):
        yield f"## {heading}"
        yield "\n".join(f"- **{name}:** {escaped(value)}" for name, value in facts)


def _condition(condition: ConditionView) -> Iterator[str]:
    yield f"### {words.CONDITION} {condition.number}" + (f": {condition.code}" if condition.code else "")
    yield escaped(condition.text)
    status = f"{condition.code}, {condition.status}" if condition.code else condition.status
    lines = [status, words.CONFLICT if condition.conflict else "", condition.role, condition.measured]
    yield "\n".join(f"- {escaped(line)}" for line in lines if line)
    for group in condition.quotes:
        yield f"{group.heading}:"
        for quote in group.items:
            yield _quote(quote)
        if group.more:
            yield words.more(group.more)


def _quote(quote: Quote) -> str:
    """A block quote; the document's id, a name of the user's, is a code span."""
    caption = escaped(quote.caption.removeprefix(quote.document))
    return f"> {escaped(quote.text)}\n>\n> — {code(quote.document)}{caption}"


def _section(section: Section) -> Iterator[str]:
    yield f"## {section.heading}"
    yield "\n".join(f"- {escaped(line)}" for line in section.lines)
    for quote in section.quotes:
        yield _quote(quote)
    if section.more:
        yield words.more(section.more)
