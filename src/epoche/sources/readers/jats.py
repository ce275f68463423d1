"""XML of papers: JATS as PMC and publishers give it, and the records of PubMed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from epoche.errors import DocumentError
from epoche.sources.readers.plain import Found
from epoche.sources.readers.pubmed import pubmed_articles, records
from epoche.sources.readers.xml_text import (
    APART,
    BLOCKS,
    CITED,
    SKIPPED,
    children,
    each,
    flat,
    is_citation,
    paragraphs,
    parsed,
    reversed_parts,
    tag_of,
    tidy,
    year_in,
)
from epoche.sources.sections import Text, add_labelled, clean, says_retracted
from epoche.types import Document, Role, Unread

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

__all__ = ["pubmed_articles", "read"]

_READ = "of .xml it reads JATS (article, pmc-articleset) and PubMed (PubmedArticleSet)"
#: Elements that stand beside the running text, not in it, and what they are there for.
_BESIDE = {"fig": Role.CAPTION, "table-wrap": Role.CAPTION, "caption": Role.CAPTION, "fn": Role.OTHER}
#: Elements that have a heading, and the heading that they get without one.
_PARTS = {
    "abstract": "Abstract",
    "body": "",
    "sec": "",
    "boxed-text": "",
    "ack": "Acknowledgements",
    "app": "Appendix",
    "glossary": "Glossary",
    "notes": "Notes",
    "ref-list": "References",
}
_SEC_TYPES = {
    "intro": Role.BACKGROUND,
    "introduction": Role.BACKGROUND,
    "background": Role.BACKGROUND,
    "objectives": Role.AIM,
    "materials": Role.METHODS,
    "methods": Role.METHODS,
    "subjects": Role.METHODS,
    "results": Role.RESULTS,
    "discussion": Role.CONCLUSION,
    "conclusion": Role.CONCLUSION,
    "conclusions": Role.CONCLUSION,
}
_PUBLISHED = frozenset(["", "pub", "epub", "ppub", "epub-ppub", "collection", "preprint", "epreprint"])
#: Headings deeper than this are of one level.
_DEEPEST = 9


def read(raw: bytes, name: str) -> Found:
    """Papers of a file, and those that it names without their text. Sub-articles (letters, reports) are left out.

    Raises:
        DocumentError: no whole XML, XML of another kind, or XML that declares entities.
        MissingExtra: defusedxml is not installed.
    """
    root = parsed(raw, name)
    kind = tag_of(root)
    if kind == "PubmedArticleSet":
        return records(root, name)
    if kind == "pmc-articleset":
        return each(root, ["article"], _of_set, name)
    if kind != "article":
        raise DocumentError(f"{name} is XML whose root is <{kind[:60]}>, which is not read: {_READ}", source=name)
    document = _article(root, name)
    if not document.text:
        raise DocumentError(f"{name} holds no text of its article: give the PDF", source=name)
    return [document], []


def _of_set(article: Element, name: str) -> Document | Unread:
    ids = {e.get("pub-id-type", ""): flat(e) for e in children(article, "front", "article-meta", "article-id")}
    pmc = (ids.get("pmcid") or ids.get("pmc") or "").upper().removeprefix("PMC")
    known = (
        ids.get("pmid") and f"pmid:{ids['pmid']}",
        pmc and f"pmcid:PMC{pmc}",
        ids.get("doi") and f"doi:{ids['doi'].lower()}",
    )
    document = _article(article, next((i for i in known if i), name))
    if document.text:
        return document
    return Unread(document=document.id, sentences=None, why="PMC gives no text of it: give the PDF")


def _article(article: Element, id: str) -> Document:
    text = Text()
    flow = _Flow(text)
    meta = next(children(article, "front", "article-meta"), None)
    for abstract in [] if meta is None else children(meta, "abstract"):
        if any(tag_of(child) == "sec" for child in abstract):
            flow.add(abstract)
            continue
        text.heading(next((flat(t) for t in children(abstract, "title")), "") or "Abstract")
        rest = (p for child in abstract if tag_of(child) not in ("title", "label") for p in paragraphs(child))
        add_labelled(text, "\n\n".join(rest))
    for part in article:
        if tag_of(part) in ("body", "back", "floats-group"):
            flow.add(part)
    kind = article.get("article-type", "")
    return text.document(
        id,
        title=_title(meta),
        year=_year(meta),
        study="" if kind == "other" else kind,
        retracted=kind in ("retraction", "retracted-article") or _retracted(meta),
    )


def _title(meta: Element | None) -> str:
    group = [] if meta is None else list(children(meta, "title-group"))
    names = [flat(e) for g in group for e in g if tag_of(e) in ("article-title", "subtitle")]
    return ": ".join(n for n in names if n)


def _year(meta: Element | None) -> int | None:
    """The first year in which it was published, in whatever form."""
    dates: list[tuple[str, int]] = []
    for date in [] if meta is None else children(meta, "pub-date"):
        kind = date.get("date-type") or date.get("pub-type") or ""
        dates += [(kind, year) for e in children(date, "year") if (year := year_in(flat(e)))]
    published = [year for kind, year in dates if kind in _PUBLISHED]
    return min(published or [year for _, year in dates], default=None)


def _retracted(meta: Element | None) -> bool:
    related = [] if meta is None else children(meta, "related-article")
    kinds = {e.get("related-article-type", "") for e in related}
    groups = [] if meta is None else children(meta, "article-categories", "subj-group", "subject")
    if any(says_retracted(flat(subject)) for subject in groups):
        return True
    return bool(kinds & {"retracted-article", "retraction-forward", "retraction"})


class _Flow:
    """Writes elements to a text: headings, paragraphs, and after these what stands beside them.

    The walk is a loop, for files nest as deep as they like.
    """

    def __init__(self, text: Text) -> None:
        self._text = text
        self._line: list[str] = []
        self._beside: list[Element] = []
        #: Title, level and role of the parts that are open.
        self._parts: list[tuple[str, int, Role]] = []
        #: A part within the open one has ended.
        self._again = False

    def add(self, root: Element) -> None:
        """Write an element with all that is in it."""
        # None stands for the end of a block, a role for that of a part.
        todo: list[Element | str | Role | None] = [root]
        while todo:
            item = todo.pop()
            if item is None:
                self._paragraph()
            elif isinstance(item, Role):
                self._paragraph()
                self._parts.pop()
                self._again = bool(self._parts)
            elif isinstance(item, str):
                self._line.append(item)
            else:
                todo += self._element(item)
        self._paragraph()

    def _element(self, item: Element) -> list[Element | str | Role | None]:
        """What is to be done for an element, the last thing first."""
        tag = tag_of(item)
        inside: list[Element | str | Role | None] = [*reversed_parts(item), item.text or ""]
        if tag in _BESIDE:
            self._beside.append(item)
            return []
        if tag in SKIPPED or is_citation(item):
            return [] if tag in SKIPPED else [CITED]
        if tag == "ref":
            self._text.paragraph(_reference(item))
            return []
        if tag in _PARTS:
            self._paragraph()
            self._open(item, tag)
            return [Role.OTHER, *reversed_parts(e for e in item if tag_of(e) != "title")]
        if tag in BLOCKS:
            self._paragraph()
            return [None, *inside]
        return [" ", *inside, " "] if tag in APART else inside

    def _open(self, item: Element, tag: str) -> None:
        level = min(len(self._parts) + 1, _DEEPEST)
        title = next((flat(e) for e in children(item, "title")), "") or _PARTS[tag]
        types = re.split(r"[|\s]", item.get("sec-type", "").lower())
        said = next((_SEC_TYPES[t] for t in types if t in _SEC_TYPES), None)
        self._text.heading(title, level, Role.REFERENCES if tag == "ref-list" else said)
        self._parts.append((title, level, self._text.role()))
        self._again = False

    def _paragraph(self) -> None:
        line, self._line = tidy(self._line), []
        if line and self._again:
            self._text.heading(*self._parts[-1])
            self._again = False
        self._text.paragraph(line)
        beside, self._beside = self._beside, []
        for item in beside:
            label = "Footnote" if tag_of(item) == "fn" else next((flat(e) for e in children(item, "label")), "")
            self._text.aside(label, _BESIDE[tag_of(item)], paragraphs(item))


def _reference(ref: Element) -> str:
    parts = []
    for child in ref:
        if tag_of(child) != "label":
            # Citations made of elements leave the blanks between them to the reader.
            between = "" if tag_of(child) in ("mixed-citation", "citation", "note") else " "
            parts.append(clean(between.join(child.itertext())))
    return " ".join(parts)
