"""What a search finds, in what order, and when it is nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epoche.backends.base import Retriever
from epoche.errors import DocumentError
from epoche.sources.literature.http import Client
from epoche.sources.literature.keywords import keywords
from epoche.sources.literature.search import LiteratureRetriever, Source, merged, share
from epoche.types import Document, Found
from tests.sources.literature.conftest import IRON, NO_ABSTRACT, ZINC
from tests.sources.literature.formats import HTML, PORTAL, Paper, Reply
from tests.sources.literature.server import Library

SOURCES: tuple[Source, ...] = get_args(Source)
every_source = pytest.mark.parametrize("source", SOURCES)
CLAIM = "Zinc lozenges shorten the duration of the common cold."


@every_source
def test_a_search(client: Client, library: Library, source: Source) -> None:
    retriever: Retriever = LiteratureRetriever(source, client)
    documents, record = retriever.retrieve([CLAIM], 5)
    assert [d.id for d in documents] == ["pmid:31852698"]
    assert "Zinc shortened" in documents[0].text
    assert record.model_dump() == {
        "source": source,
        "method": "service",
        "sha256": None,
        "top": 5,
        "queries": (CLAIM,),
        "unread": ("pmid:20000002: it has no abstract there",),
        "found": ({"document": "pmid:31852698", "score": 1.0, "share": 1.0},),
    }
    assert {r.service for r in library.requests} == {source}


def test_pubmed_is_asked_for_all_words_first(client: Client, library: Library) -> None:
    LiteratureRetriever("pubmed", client).retrieve(["Zinc shortens iron 25 in 2019"], 5)
    searches = [r.params for r in library.requests if "term" in r.params]
    assert [s["term"] for s in searches] == ["zinc AND shortens AND iron", "zinc OR shortens OR iron"]
    assert all(s["sort"] == "relevance" and s["retmax"] == "5" and s["retmode"] == "json" for s in searches)


def test_enough_with_all_words_is_enough(client: Client, library: Library) -> None:
    LiteratureRetriever("pubmed", client).retrieve([CLAIM], 1)
    assert len([r for r in library.requests if "term" in r.params]) == 1


@every_source
def test_nothing_found(client: Client, source: Source) -> None:
    documents, record = LiteratureRetriever(source, client).retrieve(["Unicorns sparkle."], 5)
    assert documents == ()
    assert record.found == ()


@every_source
def test_nothing_relevant(client: Client, source: Source) -> None:
    query = "Unicorns sparkle while dragons devour zinc and goblins applaud"
    documents, record = LiteratureRetriever(source, client).retrieve([query], 5)
    assert documents == ()
    assert record.found == (Found(document="pmid:31852698", score=1.0, share=round(1 / 8, 6)),)
    documents, _ = LiteratureRetriever(source, client, relevant=0.1).retrieve([query], 5)
    assert [d.id for d in documents] == ["pmid:31852698"]


@every_source
@pytest.mark.parametrize("query", ["", "?!", "and or not", "12 34 5.6", "  "])
def test_a_query_of_nothing_is_not_asked(client: Client, library: Library, source: Source, query: str) -> None:
    assert LiteratureRetriever(source, client).retrieve([query], 5)[0] == ()
    assert LiteratureRetriever(source, client).retrieve([], 5)[0] == ()
    assert library.requests == []


@every_source
def test_records_without_an_abstract_are_passed_over_and_counted(client: Client, source: Source) -> None:
    retriever = LiteratureRetriever(source, client)
    documents, record = retriever.retrieve(["A letter on zinc and colds"], 5)
    assert [d.id for d in documents] == ["pmid:31852698"]
    assert [f.document for f in record.found] == ["pmid:31852698"]
    (left_out,) = record.unread
    assert left_out.endswith(": it has no abstract there")


@every_source
def test_several_queries_take_turns(client: Client, library: Library, source: Source) -> None:
    zinc = [replace(ZINC, pmid=f"1{n}", pmcid="", doi=f"10.5555/z{n}") for n in range(3)]
    iron = [replace(IRON, pmid=f"2{n}", doi=f"10.5555/i{n}") for n in range(3)]
    library.papers = [*zinc, *iron]
    queries = ["zinc lozenges", "iron ferritin", "zinc lozenges"]
    documents, record = LiteratureRetriever(source, client).retrieve(queries, 3)
    assert [d.id for d in documents] == ["pmid:10", "pmid:20", "pmid:11"]
    assert [f.score for f in record.found] == [1.0, 1.0, 0.5]
    assert record.queries == ("zinc lozenges", "iron ferritin")
    assert record.top == 3


@every_source
def test_a_retracted_paper_is_marked(client: Client, library: Library, source: Source) -> None:
    library.papers = [replace(ZINC, retracted_at=frozenset({source}))]
    assert LiteratureRetriever(source, client).retrieve([CLAIM], 5)[0][0].retracted


def test_papers_without_a_pubmed_number_have_other_names(client: Client, library: Library) -> None:
    library.papers = [
        Paper("Zinc one", (("", "Zinc."),), doi="10.5555/a"),
        Paper("Zinc two", (("", "Zinc."),), pmcid="PMC5"),
    ]
    assert [d.id for d in LiteratureRetriever("europepmc", client).retrieve(["zinc"], 5)[0]] == [
        "doi:10.5555/a",
        "pmcid:PMC5",
    ]
    assert [d.id for d in LiteratureRetriever("openalex", client).retrieve(["zinc"], 5)[0]] == [
        "doi:10.5555/a",
        "openalex:W2",
    ]


@every_source
@pytest.mark.parametrize(
    "reply", [Reply(status=503), Reply(body=PORTAL, kind=HTML), Reply(body=b"{}"), Reply(drop=True)]
)
def test_a_service_that_cannot_be_searched_is_an_error(
    client: Client, library: Library, source: Source, reply: Reply
) -> None:
    library.faults[source] = [reply] * 9
    with pytest.raises(DocumentError, match=r"(PubMed|Europe PMC|OpenAlex) \(127\.0\.0\.1\)"):
        LiteratureRetriever(source, client).retrieve([CLAIM], 5)


@every_source
def test_a_statement_is_no_query_language(client: Client, library: Library, source: Source) -> None:
    hostile = 'zinc"[Title] OR 1900:3000[dp] NOT (TITLE:x) {!lucene} AUTH:"Doe" && ~cold* ^9 \\ TITLE_ABS:y, |z'
    LiteratureRetriever(source, client).retrieve([hostile], 5)
    for request in library.requests:
        query = next(request.params[n] for n in ("term", "query", "search", "id") if n in request.params)
        bare = query.replace("TITLE_ABS:", "") if source == "europepmc" else query
        assert not set(bare) & set('"[](){}:*~^\\&|!'), query
        assert " NOT " not in query


@given(st.text(max_size=80))
def test_keywords_are_words(text: str) -> None:
    for word in keywords(text):
        assert word.replace("-", "").isalnum()
        assert word == word.lower()
        assert word not in ("and", "or", "not")


def test_keywords_by_hand() -> None:
    assert keywords("The IL-6 levels of 25 patients (p < 0.05) levels' LEVEL, COVID-19 and β-catenin") == [
        "il-6", "levels", "patients", "p", "covid-19", "β-catenin",
    ]  # fmt: skip
    assert len(keywords(" ".join(f"word{n}x" for n in range(99)))) == 30


def test_merged_and_share_by_hand() -> None:
    assert merged([["a", "b", "c"], ["b", "d"]], 3) == ["a", "b", "d"]
    assert merged([], 3) == []
    document = Document(id="a", text="Zinc shortened colds.", title="A trial")
    assert share(["zinc trial fever shortens"], document) == 0.75
    assert share(["fever", "cold"], document) == 1.0
    assert share(["the"], document) == 0.0


def test_no_abstract_anywhere(client: Client, library: Library) -> None:
    library.papers = [NO_ABSTRACT]
    assert LiteratureRetriever("pubmed", client).retrieve(["zinc"], 5)[0] == ()
