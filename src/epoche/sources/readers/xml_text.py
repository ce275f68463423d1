"""XML that strangers wrote: parsed without entities and network, walked without recursion."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from epoche.errors import DocumentError, MissingExtra
from epoche.sources.readers.plain import Found
from epoche.sources.sections import clean
from epoche.types import Document, Unread

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


#: Elements whose text is no running text of the paper.
SKIPPED = frozenset(
    """label table graphic inline-graphic media supplementary-material permissions object-id alt-text long-desc
    tex-math annotation annotation-xml sec-meta kwd-group trans-abstract sub-article response counts""".split()
)
#: Elements that begin and end paragraphs.
BLOCKS = frozenset(
    """p title caption list list-item def-list def-item disp-quote attrib statement speech verse-group verse-line
    array code preformat fn fn-group table-wrap-foot fig-group table-wrap-group floats-group app-group
    back""".split()
)
#: Elements that stand apart from what is around them, in one paragraph with it.
APART = frozenset("break disp-formula sc institution name".split())
#: Stands for a citation that is only a number, until what is around it goes too.
CITED = "\ue000"
_RUN = rf"{CITED}(?:[ ,;–—‒-]*{CITED})*"
_CITATION = re.compile(rf"( ?)(?:\[(?:refs?\.? )?{_RUN}\]|\((?:refs?\.? )?{_RUN}\)|{_RUN})( ?)(?=(.?))")
_NUMBERING = frozenset("0123456789[]() \t\r\n\u00a0\u2009,;–—‒-")
_NOTES = frozenset("fn table-fn corresp aff author-notes".split())


def parsed(raw: bytes, name: str) -> Element:
    """The root of a file.

    Raises:
        DocumentError: no whole XML, or XML that declares entities.
        MissingExtra: defusedxml is not installed.
    """
    try:
        from defusedxml.common import DefusedXmlException
        from defusedxml.ElementTree import DefusedXMLParser, ParseError
    except ImportError:
        raise MissingExtra("reading .xml", "papers") from None
    from html.entities import html5
    from xml.etree.ElementTree import TreeBuilder

    if not raw.strip():
        raise DocumentError(f"{name} is empty", source=name)
    # With elements of C: those that defusedxml makes otherwise are larger and walked by recursion.
    parser = DefusedXMLParser(target=TreeBuilder())
    # The DTDs of publishers declare these names, and no DTD is fetched.
    parser.entity.update({key[:-1]: value for key, value in html5.items() if key.endswith(";")})
    try:
        parser.feed(raw)
        root: Element = parser.close()
    except DefusedXmlException:
        raise DocumentError(
            f"{name} declares entities of its own, by which a file can grow without end or fetch others, and is not"
            " read: get it from PMC, PubMed or the publisher, or give the PDF",
            source=name,
        ) from None
    except (ParseError, ValueError, LookupError) as error:
        raise DocumentError(f"{name} is not whole XML ({error}): get the file again", source=name) from None
    return root


def each(root: Element, tags: Iterable[str], read: Callable[[Element, str], Document | Unread], name: str) -> Found:
    """What the children of these names give.

    Raises:
        DocumentError: there is none.
    """
    wanted = frozenset(tags)
    found = [read(child, f"{name}#{i}") for i, child in enumerate(root, start=1) if tag_of(child) in wanted]
    if not found:
        raise DocumentError(f"{name} holds no article: search again, or give the paper", source=name)
    return distinct(found, name)


def distinct(found: Iterable[Document | Unread], name: str) -> Found:
    """Documents and what is unread, apart; of two documents with one id the second is unread."""
    documents: dict[str, Document] = {}
    unread = []
    for one in found:
        if isinstance(one, Unread):
            unread.append(one)
        elif one.id in documents:
            why = f"it stands twice in {name}, and the first is read: remove one"
            unread.append(Unread(document=one.id, sentences=None, why=why))
        else:
            documents[one.id] = one
    return list(documents.values()), unread


def tag_of(element: Element) -> str:
    """Its name without the namespace."""
    return element.tag.rpartition("}")[2]


def children(element: Element, *path: str) -> Iterator[Element]:
    """Elements at a path of names, whatever their namespaces."""
    here = [element]
    for tag in path:
        here = [child for e in here for child in e if tag_of(child) == tag]
    return iter(here)


def reversed_parts(elements: Iterable[Element]) -> Iterator[Element | str]:
    """Elements and what follows each, from the last to the first: to be put on a stack."""
    for element in reversed(list(elements)):
        yield element.tail or ""
        yield element


def paragraphs(element: Element) -> list[str]:
    """The text of an element, apart where its blocks are."""
    lines: list[list[str]] = [[]]
    todo: list[Element | str | None] = [*reversed_parts(element), element.text or ""]
    while todo:
        item = todo.pop()
        if item is None:
            lines.append([])
        elif isinstance(item, str):
            lines[-1].append(item)
        elif is_citation(item):
            lines[-1].append(CITED)
        elif (tag := tag_of(item)) not in SKIPPED:
            edge: Sequence[str | None] = [None] if tag in BLOCKS else [" "] if tag in APART else []
            todo += [*edge, *reversed_parts(item), item.text or "", *edge]
    return [line for line in map(tidy, lines) if line]


def flat(element: Element) -> str:
    """The text of an element in one line."""
    return " ".join(paragraphs(element))


def is_citation(element: Element) -> bool:
    """Whether an element only points to a footnote, or by a number to a reference."""
    kind = element.get("ref-type")
    if tag_of(element) != "xref" or kind in _NOTES:
        return kind in _NOTES and tag_of(element) == "xref"
    if kind != "bibr" or any(len(child) for child in element):
        return False
    inside = (element.text or "") + "".join((child.text or "") + (child.tail or "") for child in element)
    return _NUMBERING.issuperset(inside) and not inside.isspace()


def tidy(parts: Iterable[str]) -> str:
    """One line, without the brackets and commas around citations that are left out."""

    def between(match: re.Match[str]) -> str:
        before, after, following = match.groups()
        return " " if (before or after) and following and following not in ".,;:)]" else ""

    return clean(_CITATION.sub(between, " ".join("".join(parts).split())))


def year_in(text: str) -> int | None:
    """The first number that can be the year of a paper."""
    match = re.search(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)", text)
    return int(match.group()) if match else None
