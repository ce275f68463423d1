"""What a service's record becomes, and the abstracts in it, whatever their markup."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from epoche.sources.sections import Text, add_labelled, clean
from epoche.types import Document

_TAG = re.compile(
    r"<(/?)(?:jats:|mml:)?(abstract|h[1-6]|title|label|sec|p|div|span|list|list-item|ul|ol|li|br|break|b|bold|i|italic"
    r"|em|strong|u|underline|sc|sub|sup|inf|a|ext-link|xref|uri|inline-formula|disp-formula|alternatives|tex-math|math"
    r"|annotation|semantics|named-content|styled-content|mi|mo|mn|mrow|mtext|mspace|msup|msub|mstyle)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6 title".split())
_BLOCKS = frozenset("abstract sec p div list list-item ul ol li br break".split())
#: The same formula once more, in another notation.
_TWICE = frozenset({"tex-math", "annotation"})
#: Kinds of study, the one that says most first.
_STUDIES = ("meta-analysis", "systematic review", "randomized controlled trial", "clinical trial", "guideline",
            "observational study", "case reports", "review")  # fmt: skip
_NOT_SAID = re.compile(
    r"journal[ -]article|research[ -]article|research support|english abstract|retracted pub|text$"
)


@dataclass(frozen=True)
class Record:
    """A paper as a service knows it; the text is empty where it has no abstract.

    Attributes:
        own: the service's own name of it, for one that has no other.
    """

    document: Document
    pmid: str = ""
    pmcid: str = ""
    doi: str = ""
    own: str = ""

    @property
    def id(self) -> str:
        """The name that says most to others."""
        named = (("pmid", self.pmid), ("doi", self.doi), ("pmcid", self.pmcid))
        return next((f"{scheme}:{value}" for scheme, value in named if value), self.own)

    def named(self, year: int | None, study: str, retracted: bool) -> Record:
        """The same with its own id on its document, and what is known about that."""
        said = {"id": self.id, "year": year, "study": study, "retracted": retracted or self.document.retracted}
        return replace(self, document=self.document.model_copy(update=said))


def loads(raw: bytes) -> dict[str, Any]:
    """A JSON object.

    Raises:
        ValueError: it is none.
    """
    try:
        # PubMed quotes queries with their control characters.
        value = json.loads(raw, strict=False)
    except RecursionError:
        raise ValueError("nested too deep") from None
    if not isinstance(value, dict):
        raise ValueError("no object")
    return value


def at(value: object, *path: str) -> Any:
    """What stands at a path of names; None if nothing does."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def words(value: object) -> str:
    """A text as one line; empty where there is none."""
    return clean(value) if isinstance(value, str) else ""


def items(value: object) -> list[Any]:
    """A list; empty where there is none."""
    return value if isinstance(value, list) else []


def year_of(value: object) -> int | None:
    """A year, given as a number or a text."""
    match = re.fullmatch(r"(1[5-9]|20)[0-9]{2}", str(value)) if isinstance(value, str | int) else None
    return int(match.group()) if match else None


def study_of(kinds: Iterable[object]) -> str:
    """The kind of publication that says most, if one says more than that it is an article."""
    said = [kind for kind in map(words, kinds) if kind and not _NOT_SAID.match(kind.lower())]
    ranks = {
        kind: next((n for n, name in enumerate(_STUDIES) if name in kind.lower()), len(_STUDIES)) for kind in said
    }
    return min(said, key=lambda kind: ranks[kind], default="")


def plain(markup: object) -> str:
    """A title without markup."""
    return clean(_unescaped("".join(piece for tag, piece in _pieces(markup) if not tag)))


def abstract(markup: object) -> Text:
    """An abstract; its headings become sections, and so do labels in running text."""
    text, line, heading, labelled = Text(), list[str](), False, True
    for tag, piece in [*_pieces(markup), ("p", "")]:
        if not tag:
            line.append(piece)
            continue
        name = tag.lstrip("/")
        if name not in _HEADINGS | _BLOCKS:
            continue
        said, line = clean(_unescaped("".join(line))), []
        if said and heading and said.casefold().strip(" .:") != "abstract":
            text.heading(said.rstrip(" :"), 2)
            labelled = False
        elif said and not heading:
            add_labelled(text, said) if labelled else text.paragraph(said)
        heading = tag in _HEADINGS
    return text


def _pieces(markup: object) -> list[tuple[str, str]]:
    """(tag, "") and ("", text) in order; only known tags are tags, for "p<a" stands in abstracts as it is."""
    if not isinstance(markup, str):
        return []
    pieces: list[tuple[str, str]] = []
    end, skipped = 0, False
    for match in _TAG.finditer(markup):
        closing, tag = bool(match.group(1)), match.group(2).lower()
        before = markup[end : match.start()]
        end = match.end()
        pieces += [("", before)] if before and not skipped else []
        if tag in _TWICE:
            skipped = not closing
        # 10<sup>-3</sup> is not 10-3.
        power = tag == "sup" and not closing and before[-1:].isdigit() and re.match(r"[-−–+]?\d", markup[end:])
        pieces.append(("", "^") if power else (f"/{tag}" if closing else tag, ""))
    return [*pieces, ("", markup[end:])] if end < len(markup) else pieces


def _unescaped(text: str) -> str:
    # Crossref's publishers escape once more what is escaped: &amp;lt;
    return html.unescape(html.unescape(text))
