"""Answers in the formats of PubMed, Europe PMC, Crossref and OpenAlex."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from html import escape
from typing import Any

JSON = "application/json; charset=UTF-8"
XML = "text/xml; charset=UTF-8"
HTML = "text/html; charset=UTF-8"
PORTAL = b"<!DOCTYPE html><html><body>Welcome to the hotel: please log in</body></html>"
EVERYWHERE = frozenset({"pubmed", "europepmc", "crossref", "openalex"})


@dataclass(frozen=True)
class Paper:
    """A paper as the services know it; `at` are those that have it, `abstract_at` those with its abstract."""

    title: str
    abstract: tuple[tuple[str, str], ...] = ()
    pmid: str = ""
    pmcid: str = ""
    doi: str = ""
    year: int = 2020
    kinds: tuple[str, ...] = ("Journal Article",)
    source: str = "MED"
    at: frozenset[str] = EVERYWHERE
    abstract_at: frozenset[str] = EVERYWHERE
    retracted_at: frozenset[str] = frozenset()

    def words(self) -> set[str]:
        text = " ".join([self.title, *(word for _, word in self.abstract)])
        return set(re.findall(r"[^\W_]+", text.lower()))


@dataclass(frozen=True)
class Reply:
    """What is sent in place of an answer."""

    status: int = 200
    body: bytes = b""
    kind: str = JSON
    headers: tuple[tuple[str, str], ...] = ()
    #: Seconds before it.
    delay: float = 0.0
    #: The connection is closed without a word.
    drop: bool = False
    #: Seconds between two of its bytes.
    drip: float = 0.0
    #: The answer itself, cut after so many bytes.
    cut: int | None = None


def matching(papers: list[Paper], query: str) -> list[Paper]:
    """Papers with all words (AND) or any (OR), those with most of them first."""
    bare = re.sub(r"\b[A-Z_]+:", "", query)
    words = [set(re.findall(r"[^\W_]+", part.lower())) for part in re.split(r" AND | OR ", bare)]
    hits = [(sum(word <= paper.words() for word in words), paper) for paper in papers]
    least = 1 if " OR " in query else len(words)
    return [paper for n, paper in sorted(hits, key=lambda hit: -hit[0]) if n >= least]


def ok(value: object) -> Reply:
    return Reply(body=json.dumps(value).encode())


# --- PubMed


def pubmed(papers: list[Paper], path: str, params: dict[str, str]) -> Reply:
    if path == "/esearch.fcgi":
        assert params["db"] == "pubmed"
        assert params["retmode"] == "json"
        ids = [paper.pmid for paper in matching(papers, params["term"])]
        found = {
            "count": str(len(ids)),
            "retmax": params["retmax"],
            "retstart": "0",
            "idlist": ids[: int(params["retmax"])],
            "translationset": [],
            "querytranslation": params["term"],
        }
        return ok({"header": {"type": "esearch", "version": "0.3"}, "esearchresult": found})
    assert path == "/efetch.fcgi"
    wanted = params["id"].split(",")
    return Reply(body=article_set([paper for pmid in wanted for paper in papers if paper.pmid == pmid]), kind=XML)


def article_set(papers: list[Paper]) -> bytes:
    head = (
        '<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC '
        '"-//NLM//DTD PubMedArticle, 1st January 2025//EN" "https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n'
    )
    return f"{head}<PubmedArticleSet>{''.join(map(article, papers))}</PubmedArticleSet>".encode()


def article(paper: Paper) -> str:
    retracted = "pubmed" in paper.retracted_at
    kinds = [*paper.kinds, *(["Retracted Publication"] if retracted else [])]
    types = "".join(f'<PublicationType UI="D016428">{kind}</PublicationType>' for kind in kinds)
    parts = "".join(
        f'<AbstractText Label="{label.upper()}" NlmCategory="{label.upper()}">{escape(text)}</AbstractText>'
        if label
        else f"<AbstractText>{escape(text)}</AbstractText>"
        for label, text in (paper.abstract if "pubmed" in paper.abstract_at else ())
    )
    abstract = f"<Abstract>{parts}</Abstract>" if parts else ""
    notice = (
        '<CommentsCorrectionsList><CommentsCorrections RefType="RetractionIn">'
        '<RefSource>J Test. 2021;1:1</RefSource><PMID Version="1">99</PMID></CommentsCorrections>'
        "</CommentsCorrectionsList>"
    )
    return (
        f'<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM"><PMID Version="1">{paper.pmid}</PMID>'
        f"<Article PubModel='Print'><Journal><JournalIssue CitedMedium='Internet'>"
        f"<PubDate><Year>{paper.year}</Year></PubDate></JournalIssue>"
        f"<Title>Journal of Tests</Title></Journal><ArticleTitle>{escape(paper.title)}.</ArticleTitle>"
        f"{abstract}<Language>eng</Language><PublicationTypeList>{types}</PublicationTypeList></Article>"
        f"{notice if retracted else ''}</MedlineCitation><PubmedData><ArticleIdList>"
        f'<ArticleId IdType="pubmed">{paper.pmid}</ArticleId></ArticleIdList></PubmedData></PubmedArticle>'
    )


# --- Europe PMC


def europe_pmc(papers: list[Paper], path: str, params: dict[str, str]) -> Reply:
    assert path == "/search"
    assert params["resultType"] == "core"
    assert params["format"] == "json"
    query = params["query"]
    if query.startswith("PMCID:"):
        hits = [paper for paper in papers if paper.pmcid == query.removeprefix("PMCID:")]
    elif query.startswith("DOI:"):
        hits = [paper for paper in papers if f'DOI:"{paper.doi}"' == query]
    elif query.startswith("TITLE:"):
        hits = [p for p in papers if matching([Paper(title=p.title)], query)]
    else:
        hits = matching(papers, query)
    results = [europe_pmc_result(paper) for paper in hits[: int(params["pageSize"])]]
    return ok({"version": "6.9", "hitCount": len(hits), "request": {"queryString": query, "resultType": "core"},
               "resultList": {"result": results}})  # fmt: skip


def europe_pmc_result(paper: Paper) -> dict[str, Any]:
    number = paper.pmid or paper.pmcid or "PPR1"
    retracted = "europepmc" in paper.retracted_at
    result: dict[str, Any] = {
        "id": number,
        "source": paper.source,
        "title": f"{paper.title}.",
        "authorString": "Doe J.",
        "pubYear": str(paper.year),
        "pubTypeList": {"pubType": [*paper.kinds, *(["Retracted Publication"] if retracted else [])]},
    }
    result |= {name: value for name in ("pmid", "pmcid", "doi") if (value := getattr(paper, name))}
    if paper.abstract and "europepmc" in paper.abstract_at:
        result["abstractText"] = "".join(
            f"<h4>{label}</h4>{text}" if label else text for label, text in paper.abstract
        )
    return result


# --- Crossref


def crossref(papers: list[Paper], path: str, params: dict[str, str]) -> Reply:
    if path == "/works":
        asked = set(re.findall(r"[^\W_]+", params["query.bibliographic"].lower()))
        hits = sorted(papers, key=lambda p: -len(asked & p.words()))[: int(params["rows"])]
        message = {"total-results": len(hits), "items": list(map(crossref_work, hits)), "items-per-page": 10}
        return ok({"status": "ok", "message-type": "work-list", "message-version": "1.0.0", "message": message})
    doi = path.removeprefix("/works/")
    for paper in papers:
        if paper.doi == doi:
            work = crossref_work(paper)
            return ok({"status": "ok", "message-type": "work", "message-version": "1.0.0", "message": work})
    return Reply(status=404, body=b"Resource not found.", kind="text/plain")


def crossref_work(paper: Paper) -> dict[str, Any]:
    work: dict[str, Any] = {
        "DOI": paper.doi.upper(),
        "type": "journal-article",
        "title": [paper.title],
        "subtitle": [],
        "published": {"date-parts": [[paper.year, 12, 31]]},
        "relation": {},
    }
    if paper.abstract and "crossref" in paper.abstract_at:
        work["abstract"] = "<jats:title>Abstract</jats:title>" + "".join(
            f"<jats:sec>\n<jats:title>{label}</jats:title>\n<jats:p>{escape(escape(text))}</jats:p></jats:sec>"
            if label
            else f"<jats:p>{escape(escape(text))}</jats:p>"
            for label, text in paper.abstract
        )
    if "crossref" in paper.retracted_at:
        notice = {
            "DOI": "10.5555/notice",
            "type": "retraction",
            "label": "Retraction",
            "source": "retraction-watch",
        }
        work["updated-by"] = [notice | {"updated": {"date-parts": [[2021, 1, 1]]}}]
    return work


# --- OpenAlex


def openalex(papers: list[Paper], path: str, params: dict[str, str]) -> Reply:
    if path == "/works":
        hits = matching(papers, params["search"])
        results = [openalex_work(n, paper) for n, paper in enumerate(hits[: int(params["per-page"])], start=1)]
        return ok({"meta": {"count": len(hits), "page": 1}, "results": results, "group_by": []})
    doi = path.removeprefix("/works/doi:")
    for paper in papers:
        if paper.doi == doi:
            return ok(openalex_work(1, paper))
    return Reply(status=404, body=b"<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>", kind=HTML)


def openalex_work(number: int, paper: Paper) -> dict[str, Any]:
    index: dict[str, list[int]] = {}
    if "openalex" in paper.abstract_at:
        text = " ".join(f"{label.upper()}: {said}" if label else said for label, said in paper.abstract)
        for place, word in enumerate(text.split()):
            index.setdefault(word, []).append(place)
    ids = {"openalex": f"https://openalex.org/W{number}"}
    if paper.pmid:
        ids["pmid"] = f"https://pubmed.ncbi.nlm.nih.gov/{paper.pmid}"
    return {
        "id": f"https://openalex.org/W{number}",
        "doi": f"https://doi.org/{paper.doi}" if paper.doi else None,
        "title": paper.title,
        "display_name": paper.title,
        "publication_year": paper.year,
        "type": "article",
        "ids": ids,
        "is_retracted": "openalex" in paper.retracted_at,
        "abstract_inverted_index": index or None,
    }
