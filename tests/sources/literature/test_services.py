"""What each service's records become."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epoche.errors import DocumentError
from epoche.sources.literature import crossref, europe_pmc, openalex, pubmed
from epoche.sources.literature.http import Client
from epoche.sources.literature.records import Record, abstract, plain, study_of
from epoche.types import Document, Role
from tests.sources.literature.conftest import IRON, NO_ABSTRACT, ZINC
from tests.sources.literature.formats import JSON, XML, Paper, Reply, article_set
from tests.sources.literature.server import Library

ROLES = [Role.BACKGROUND, Role.METHODS, Role.RESULTS, Role.CONCLUSION]


def one(service: str, client: Client, paper: Paper) -> Record | None:
    if service == "pubmed":
        return pubmed.by_number(client, paper.pmid)
    by_doi = {"europepmc": europe_pmc.by_doi, "crossref": crossref.by_doi, "openalex": openalex.by_doi}[service]
    return by_doi(client, paper.doi)


SERVICES = ["pubmed", "europepmc", "crossref", "openalex"]


@pytest.mark.parametrize("service", SERVICES)
def test_a_structured_abstract(client: Client, service: str) -> None:
    record = one(service, client, ZINC)
    assert record is not None
    document = record.document
    assert [s.role for s in document.sections] == ROLES
    results = next(s for s in document.sections if s.role is Role.RESULTS)
    assert document.text[results.start : results.end] == "Zinc shortened colds by 2.7 days (P<0.001)."
    assert document.title.rstrip(".") == ZINC.title
    assert document.year == 2020
    assert not document.retracted
    assert document.id == ("doi:10.5555/zinc.1" if service == "crossref" else "pmid:31852698")
    assert document.study == ("Randomized Controlled Trial" if service in ("pubmed", "europepmc") else "")


@pytest.mark.parametrize("service", SERVICES)
def test_a_plain_abstract(client: Client, service: str) -> None:
    record = one(service, client, IRON)
    assert record is not None
    assert record.document.text == "Iron raised ferritin in athletes. It did not improve endurance."
    assert {s.role for s in record.document.sections} <= {Role.OTHER}


@pytest.mark.parametrize("service", SERVICES)
def test_no_abstract(client: Client, service: str) -> None:
    record = one(service, client, NO_ABSTRACT)
    assert record is not None
    assert record.document.text == ""


@pytest.mark.parametrize("service", SERVICES)
def test_no_such_paper(client: Client, service: str) -> None:
    assert one(service, client, replace(IRON, pmid="99999999", doi="10.5555/none")) is None


@pytest.mark.parametrize("service", SERVICES)
def test_a_retracted_paper(client: Client, library: Library, service: str) -> None:
    library.papers.insert(0, replace(IRON, retracted_at=frozenset({service})))
    record = one(service, client, IRON)
    assert record is not None
    assert record.document.retracted


@pytest.mark.parametrize("service", SERVICES)
def test_a_title_that_says_retracted(client: Client, library: Library, service: str) -> None:
    library.papers.insert(0, replace(IRON, title=f"RETRACTED: {IRON.title}"))
    record = one(service, client, IRON)
    assert record is not None
    assert record.document.retracted


# --- PubMed


@pytest.mark.parametrize(
    "reply",
    [
        Reply(body=b"<PubmedArticleSet></PubmedArticleSet>", kind=XML),
        Reply(body=b'<?xml version="1.0" ?>\n<PubmedArticleSet/>', kind=XML),
        Reply(body=b"<eFetchResult><ERROR>Empty id list - nothing todo</ERROR></eFetchResult>", kind=XML),
        Reply(400, b"<eFetchResult><ERROR>ID list is empty! Possibly it has no correct IDs.</ERROR></eFetchResult>",
              XML),
    ],
)  # fmt: skip
def test_pubmed_says_no_in_several_ways(client: Client, library: Library, reply: Reply) -> None:
    library.faults["pubmed"] = [reply]
    assert pubmed.by_number(client, "31852698") is None


def test_another_error_of_pubmed_is_no_such_answer(client: Client, library: Library) -> None:
    broken = b"<eFetchResult><ERROR>Unable to obtain query #1</ERROR></eFetchResult>"
    library.faults["pubmed"] = [Reply(body=broken, kind=XML), Reply(status=400, body=broken, kind=XML)]
    for says in ("sent what cannot be read", "refuses the request"):
        with pytest.raises(DocumentError, match=says):
            pubmed.by_number(client, "31852698")


def test_pubmed_gives_another_record_than_asked(client: Client, library: Library) -> None:
    library.papers = [replace(ZINC, pmid="31852698")]
    assert pubmed.fetch(client, ["1", "31852698"]).keys() == {"31852698"}
    library.faults["pubmed"] = [Reply(body=article_set([replace(ZINC, pmid="7")]), kind=XML)]
    assert pubmed.fetch(client, ["8"]) == {}


def test_europe_pmc_gives_another_doi_than_asked(client: Client, library: Library) -> None:
    other = {"id": "1", "source": "MED", "doi": "10.5555/zinc.10", "pmcid": "PMC70", "title": "Another"}
    library.faults["europepmc"] = [Reply(body=json.dumps({"resultList": {"result": [other]}}).encode())] * 2
    assert europe_pmc.by_doi(client, "10.5555/zinc.1") is None
    assert europe_pmc.by_pmcid(client, "PMC7") is None


def test_many_numbers_are_asked_for_in_parts(client: Client, library: Library) -> None:
    library.papers = [replace(ZINC, pmid=str(n)) for n in range(1, 251)]
    assert len(pubmed.fetch(client, [str(n) for n in range(1, 251)])) == 250
    assert len(library.requests) == 3


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"esearchresult": {"ERROR": "Search Backend failed: read failed"}}, "cannot search at the moment"),
        ({"header": {"type": "esearch"}}, "sent what cannot be read"),
        ({"esearchresult": {"idlist": "1"}}, "sent what cannot be read"),
    ],
)
def test_pubmed_cannot_search(client: Client, library: Library, body: object, says: str) -> None:
    library.faults["pubmed"] = [Reply(body=json.dumps(body).encode())]
    with pytest.raises(DocumentError, match=says):
        pubmed.search(client, "zinc", 3)


def test_pubmed_finds_numbers(client: Client, library: Library) -> None:
    assert pubmed.search(client, "zinc AND colds", 9) == ["31852698", "20000002"]
    assert pubmed.search(client, "zinc AND colds", 1) == ["31852698"]
    assert pubmed.search(client, "unicorn", 9) == []
    # NCBI quotes what was asked with its control characters, which strict JSON has not.
    library.faults["pubmed"] = [Reply(body=b'{"esearchresult":{"idlist":["5","x",6],"querytranslation":"a\tb"}}')]
    assert pubmed.search(client, "other", 9) == ["5"]


# --- Europe PMC, Crossref, OpenAlex: what only they do


def test_europe_pmc_knows_pmc_numbers(client: Client) -> None:
    found = europe_pmc.by_pmcid(client, "PMC7049905")
    assert found is not None
    assert found.pmid == "31852698"
    assert europe_pmc.by_pmcid(client, "PMC9999999") is None


def test_europe_pmc_says_retracted_by_a_notice(client: Client, library: Library) -> None:
    link = {"id": "9", "source": "MED", "type": "Retraction in"}
    result = {"id": "1", "source": "MED", "doi": "10.5555/X", "title": "A <i>title</i> of CO<sub>2</sub>.",
              "commentCorrectionList": {"commentCorrection": [link]}}  # fmt: skip
    library.faults["europepmc"] = [
        Reply(body=json.dumps({"resultList": {"result": [result, 5]}}).encode(), kind=JSON)
    ]
    found = europe_pmc.by_doi(client, "10.5555/x")
    assert found is not None
    assert found.document.retracted
    assert found.document.title == "A title of CO2."


@pytest.mark.parametrize(
    ("fields", "retracted"),
    [
        ({"updated-by": [{"type": "retraction", "DOI": "10.5555/n"}]}, True),
        ({"updated-by": [{"type": "withdrawal"}]}, True),
        ({"updated-by": [{"type": "correction"}, {"type": "erratum"}]}, False),
        ({"update-to": [{"type": "retraction", "DOI": "10.5555/other"}]}, False),
        ({"update-to": [{"type": "retraction", "DOI": "10.5555/SELF"}]}, True),
        ({"relation": {"is-retracted-by": [{"id": "10.5555/n", "id-type": "doi"}]}}, True),
        ({"relation": {"has-preprint": []}, "updated-by": None, "update-to": "x"}, False),
    ],
)
def test_crossref_retractions(client: Client, library: Library, fields: dict[str, object], retracted: bool) -> None:
    work = {"DOI": "10.5555/self", "title": ["Main"], "subtitle": ["Sub"], "published": {"date-parts": [[None]]},
            "type": "posted-content", "subtype": "preprint", "issued": {"date-parts": [[2019]]}}  # fmt: skip
    library.faults["crossref"] = [Reply(body=json.dumps({"message": work | fields}).encode())]
    found = crossref.by_doi(client, "10.5555/self")
    assert found is not None
    document = found.document
    assert document.retracted is retracted
    assert (document.title, document.year, document.study) == ("Main: Sub", 2019, "preprint")


def test_a_doi_is_one_part_of_a_path(client: Client, library: Library) -> None:
    doi = "10.5555/../../x?mailto=a#b"
    library.papers.append(replace(ZINC, doi=doi))
    for service in (crossref, openalex):
        found = service.by_doi(client, doi)
        assert found is not None
        assert found.doi == doi
    assert library.requests[0].path == "/crossref/works/10.5555%2F..%2F..%2Fx%3Fmailto%3Da%23b"


def test_openalex_puts_words_in_their_places(client: Client, library: Library) -> None:
    work = {"id": "https://openalex.org/W5", "title": None, "display_name": "T", "type": "review",
            "publication_year": "n.d.", "ids": [], "is_retracted": "yes",
            "abstract_inverted_index": {"b": [1, 10**12], "a": [0, 2, -1, None], "c": 4}}  # fmt: skip
    library.faults["openalex"] = [Reply(body=json.dumps(work).encode())]
    found = openalex.by_doi(client, "10.5555/x")
    assert found is not None
    assert found.document == Document(id="openalex:W5", text="a b a b", title="T", study="review")


# --- Markup


@pytest.mark.parametrize(
    ("markup", "text", "titles"),
    [
        ("<h4>Aim</h4>Zinc.<h4>Results</h4>None.", "Zinc.\n\nNone.", ["Aim", "Results"]),
        ("<jats:title>Abstract</jats:title><jats:p>One.</jats:p><jats:p>Two.</jats:p>", "One.\n\nTwo.", []),
        ("BACKGROUND: Why. RESULTS: That.", "Why.\n\nThat.", ["BACKGROUND", "RESULTS"]),
        ("p<a and P<0.001, <i>n</i> &lt; 5 &amp;amp; x", "p<a and P<0.001, n < 5 & x", []),
        ("10<sup>-3</sup> mol of H<sub>2</sub>O, CD4<sup>+</sup>", "10^-3 mol of H2O, CD4+", []),
        ("x <jats:alternatives><jats:tex-math>\\beta</jats:tex-math><mml:math><mml:mi>β</mml:mi></mml:math>"
         "</jats:alternatives> y", "x β y", []),
        ("<p>\x00\ud800One\u00a0two.</p><p></p>", "One two.", []),
        (None, "", []),
        (["x"], "", []),
    ],
)  # fmt: skip
def test_markup(markup: object, text: str, titles: list[str]) -> None:
    document = abstract(markup).document("a")
    assert document.text == text
    assert [s.title for s in document.sections] == titles


PIECES = "<h4> </h4> <jats:p> </jats:p> <sup> <tex-math> <p < > 5 Methods: Results: a".split(" ")


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=5)))
def test_any_markup_is_read(pieces: list[str]) -> None:
    document = abstract("".join(pieces)).document("a")
    for section in document.sections:
        assert document.text[section.start : section.end].strip()
    document.text.encode()


@pytest.mark.parametrize(
    ("kinds", "study"),
    [
        (["Journal Article"], ""),
        (["research-article", "Comparative Study", "Randomized Controlled Trial"], "Randomized Controlled Trial"),
        (["review-article", "Systematic Review", "Review"], "Systematic Review"),
        (["Retracted Publication", None, "Letter"], "Letter"),
    ],
)
def test_the_kind_that_says_most(kinds: list[object], study: str) -> None:
    assert study_of(kinds) == study


def test_a_title_without_markup() -> None:
    assert (
        plain("Effect of <i>E. coli</i> on CO<sub>2</sub> &amp; <b>more</b>") == "Effect of E. coli on CO2 & more"
    )
