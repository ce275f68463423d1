"""Records of PubMed: an abstract each."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from epoche.errors import DocumentError
from epoche.sources.readers.plain import Found
from epoche.sources.readers.xml_text import children, each, parsed, tag_of, year_in
from epoche.sources.sections import Text, add_labelled, clean
from epoche.types import Document, Role, Unread

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_CATEGORIES = {
    "BACKGROUND": Role.BACKGROUND,
    "OBJECTIVE": Role.AIM,
    "METHODS": Role.METHODS,
    "RESULTS": Role.RESULTS,
    "CONCLUSIONS": Role.CONCLUSION,
}
#: Kinds of study, the one that says most first.
_STUDIES = """Network Meta-Analysis; Meta-Analysis; Systematic Review; Randomized Controlled Trial;
    Pragmatic Clinical Trial; Equivalence Trial; Adaptive Clinical Trial; Randomized Controlled Trial, Veterinary;
    Controlled Clinical Trial; Clinical Trial, Phase IV; Clinical Trial, Phase III; Clinical Trial, Phase II;
    Clinical Trial, Phase I; Clinical Trial Protocol; Clinical Trial, Veterinary; Clinical Trial;
    Practice Guideline; Guideline; Consensus Statement; Scoping Review; Observational Study;
    Observational Study, Veterinary; Case Reports; Twin Study; Validation Study; Review; Evaluation Study;
    Multicenter Study; Comparative Study; Preprint; Editorial; Letter; Comment; News"""
_RANKS = {" ".join(name.split()): rank for rank, name in enumerate(_STUDIES.split(";"))}
_SAYS_NOTHING = re.compile(r"journal article|research support|english abstract|retracted publication|introductory")


def pubmed_articles(raw: bytes, name: str) -> Found:
    """Abstracts of a `PubmedArticleSet`, each with the id `pmid:…`, and the articles without one.

    Raises:
        DocumentError: no whole XML, XML of another kind, or XML that declares entities.
        MissingExtra: defusedxml is not installed.
    """
    root = parsed(raw, name)
    if tag_of(root) != "PubmedArticleSet":
        kind = tag_of(root)[:60]
        raise DocumentError(f"{name} is XML whose root is <{kind}> and not PubmedArticleSet", source=name)
    return records(root, name)


def records(root: Element, name: str) -> Found:
    """What a `PubmedArticleSet` holds."""
    return each(root, ("PubmedArticle", "PubmedBookArticle"), _record, name)


def _record(record: Element, name: str) -> Document | Unread:
    holder = next((e for e in record if tag_of(e) in ("MedlineCitation", "BookDocument")), record)
    article = next(children(holder, "Article"), holder)
    number = _first(holder, "PMID")
    id = f"pmid:{number}" if number else name
    text = Text()
    for part in children(article, "Abstract", "AbstractText"):
        words, label = clean("".join(part.itertext())), clean(part.get("Label", ""))
        if label and label != "UNLABELLED":
            text.heading(label, 1, _CATEGORIES.get(part.get("NlmCategory", "")))
            text.paragraph(words)
        else:
            add_labelled(text, words, 1)
    if text.empty():
        return Unread(document=id, sentences=None, why="PubMed holds no abstract of it: give the paper")
    kinds = [clean(e.text or "") for e in _kinds(article, holder)]
    links = children(holder, "CommentsCorrectionsList", "CommentsCorrections")
    gone = "Retracted Publication" in kinds or any(e.get("RefType") == "RetractionIn" for e in links)
    title = _first(article, "ArticleTitle") or _first(article, "Book", "BookTitle")
    return text.document(id, title=title, year=_year(article), study=_study(kinds), retracted=gone)


def _kinds(article: Element, holder: Element) -> chain[Element]:
    return chain(children(article, "PublicationTypeList", "PublicationType"), children(holder, "PublicationType"))


def _first(element: Element, *path: str) -> str:
    return next((clean("".join(e.itertext())) for e in children(element, *path)), "")


def _year(article: Element) -> int | None:
    dates = chain(
        children(article, "Journal", "JournalIssue", "PubDate"),
        children(article, "ArticleDate"),
        children(article, "Book", "PubDate"),
    )
    years = (year_in(e.text or "") for date in dates for e in date if tag_of(e) in ("Year", "MedlineDate"))
    return next((y for y in years if y), None)


def _study(kinds: list[str]) -> str:
    said = [k for k in kinds if k and not _SAYS_NOTHING.match(k.lower())]
    return min(said, key=lambda k: _RANKS.get(k, len(_RANKS)), default="")
