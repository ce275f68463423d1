"""A paper by its name: every result that is not another."""

from __future__ import annotations

from dataclasses import replace

import pytest

from epoche.errors import DocumentError
from epoche.sources.literature.http import Client
from epoche.sources.literature.identifiers import parse
from epoche.sources.literature.keywords import SAME, same_title, similarity
from epoche.sources.literature.lookup import fetch
from epoche.types import Document, Unread
from tests.sources.literature.conftest import IRON, NO_ABSTRACT, ZINC
from tests.sources.literature.formats import EVERYWHERE, PORTAL, Paper, Reply
from tests.sources.literature.server import Library

DOWN = [Reply(status=500)] * 99


def get(client: Client, name: str, title: str = "") -> Document | Unread:
    identifier = parse(name)
    assert identifier is not None
    return fetch(identifier, client, title)


def found(result: Document | Unread) -> Document:
    assert isinstance(result, Document), result
    return result


def unread(result: Document | Unread, kind: str) -> str:
    assert isinstance(result, Unread), result
    assert result.kind == kind
    assert result.sentences is None
    return result.why


NAMES = ["pmid:31852698", "pmcid:PMC7049905", "doi:10.5555/zinc.1", f"title:{ZINC.title}"]


@pytest.mark.parametrize("name", NAMES)
def test_a_paper_by_each_of_its_names(client: Client, name: str) -> None:
    document = found(get(client, name))
    assert document.id == name
    assert "Zinc shortened colds by 2.7 days" in document.text
    assert (document.year, document.study, document.retracted) == (2020, "Randomized Controlled Trial", False)
    assert len(document.sections) == 4


def test_case_27_not_found_another_paper_and_silence_are_three_results(client: Client) -> None:
    no = unread(get(client, "pmid:99999999"), "not_found")
    assert no == "no source found: PubMed knows no such paper: check the name"

    other = unread(get(client, "pmid:20000001", title=ZINC.title), "another_paper")
    assert other.startswith("the source found is probably another paper")
    assert f'"{IRON.title}.' in other
    assert f'"{ZINC.title}"' in other

    silent = found(get(client, "pmid:20000001", title=IRON.title))
    assert "zinc" not in silent.text.lower(), "it says nothing of zinc, which is for the verdict to say"

    empty = unread(get(client, "pmid:20000002"), "unread")
    assert empty == "PubMed gives no abstract of it: give the paper as a file"


def test_case_27_by_title(client: Client, library: Library) -> None:
    assert "no source found: Europe PMC and Crossref know" in unread(
        get(client, "title:Unicorns of the Middle Ages"), "not_found"
    )
    asked = "Zinc lozenges and the duration of the common cold: a randomised trial in children"
    library.papers = [IRON, replace(ZINC, title=asked.replace("children", "old women"))]
    why = unread(get(client, f"title:{asked}"), "another_paper")
    assert asked in why
    assert "old women" in why
    assert found(get(client, f"title:{IRON.title}")).id == f"title:{IRON.title}"


@pytest.mark.parametrize("name", NAMES)
def test_case_27_a_service_that_is_down_has_not_said_no(client: Client, library: Library, name: str) -> None:
    library.faults = {service: list(DOWN) for service in EVERYWHERE}
    with pytest.raises(DocumentError, match=r"is out of order \(500\), 4 tries: try again later"):
        get(client, name)


@pytest.mark.parametrize("name", ["pmcid:PMC1", "doi:10.5555/none", "pmid:1", "title:Nothing of the kind at all"])
def test_no_source_found(client: Client, name: str) -> None:
    assert unread(get(client, name), "not_found").startswith("no source found: ")


# --- By DOI


@pytest.mark.parametrize(
    ("abstract_at", "asked"),
    [
        (EVERYWHERE, ["europepmc", "crossref"]),
        (frozenset({"crossref"}), ["europepmc", "crossref"]),
        (frozenset({"openalex"}), ["europepmc", "crossref", "openalex"]),
    ],
)
def test_a_doi_is_asked_for_until_there_is_an_abstract(
    client: Client, library: Library, abstract_at: frozenset[str], asked: list[str]
) -> None:
    library.papers = [replace(ZINC, abstract_at=abstract_at)]
    assert "Zinc shortened" in found(get(client, "doi:10.5555/zinc.1")).text
    assert [r.service for r in library.requests] == asked


def test_no_service_has_an_abstract(client: Client, library: Library) -> None:
    why = unread(get(client, "doi:10.5555/letter"), "unread")
    assert why == "Europe PMC, Crossref and OpenAlex give no abstract of it: give the paper as a file"
    library.papers = [replace(NO_ABSTRACT, retracted_at=EVERYWHERE)]
    assert "(it is retracted)" in unread(get(client, "doi:10.5555/letter"), "unread")


@pytest.mark.parametrize("service", ["europepmc", "crossref"])
def test_one_service_that_says_retracted_is_enough(client: Client, library: Library, service: str) -> None:
    library.papers = [replace(ZINC, retracted_at=frozenset({service}))]
    assert found(get(client, "doi:10.5555/zinc.1")).retracted
    assert found(get(client, f"title:{ZINC.title}")).retracted


def test_openalex_says_retracted_where_crossref_has_not_the_paper(client: Client, library: Library) -> None:
    library.papers = [replace(ZINC, retracted_at=frozenset({"openalex"}), at=EVERYWHERE - {"crossref"})]
    assert found(get(client, "doi:10.5555/zinc.1")).retracted


def test_a_service_that_is_down_is_done_without(client: Client, library: Library) -> None:
    library.faults["europepmc"] = list(DOWN)
    assert found(get(client, "doi:10.5555/zinc.1")).text
    library.faults = {"crossref": list(DOWN)}
    assert found(get(client, "doi:10.5555/zinc.1")).text
    assert [r.service for r in library.requests][-1] == "openalex", "retractions are asked for there, then"


@pytest.mark.parametrize("down", [("crossref", "openalex"), ("crossref",)])
def test_without_a_word_on_retraction_there_is_no_paper(
    client: Client, library: Library, down: tuple[str, ...]
) -> None:
    library.papers = [replace(ZINC, at=frozenset({"europepmc"}))]
    library.faults = {service: list(DOWN) for service in down}
    with pytest.raises(DocumentError, match="Crossref"):
        get(client, "doi:10.5555/zinc.1")


def test_the_service_that_is_down_may_have_the_abstract(client: Client, library: Library) -> None:
    library.papers = [replace(ZINC, abstract_at=frozenset({"europepmc"}))]
    library.faults["europepmc"] = [Reply(body=PORTAL, kind="text/html")]
    with pytest.raises(DocumentError, match="Europe PMC"):
        get(client, "doi:10.5555/zinc.1")


def test_only_europe_pmc_knows_a_doi(client: Client, library: Library) -> None:
    library.papers = [replace(ZINC, at=frozenset({"europepmc"}))]
    assert found(get(client, "doi:10.5555/zinc.1")).text
    assert [r.service for r in library.requests] == ["europepmc", "crossref", "openalex"]


# --- By title


def test_a_title_found_at_crossref_only(client: Client, library: Library) -> None:
    library.papers = [replace(ZINC, at=frozenset({"crossref", "openalex"}), abstract_at=frozenset({"openalex"}))]
    document = found(get(client, f"title:{ZINC.title}"))
    assert "Zinc shortened" in document.text
    library.faults["europepmc"] = list(DOWN)
    assert found(get(client, f"title:{ZINC.title}")) == document


def test_a_title_without_a_doi(client: Client, library: Library) -> None:
    library.papers = [replace(ZINC, doi="", at=frozenset({"europepmc"}))]
    assert found(get(client, f"title:{ZINC.title}")).text


def test_the_journal_goes_before_the_preprint(client: Client, library: Library) -> None:
    preprint = Paper(
        ZINC.title, (("", "Early words on zinc."),), doi="10.5555/pre", source="PPR", kinds=("Preprint",)
    )
    library.papers = [preprint, ZINC]
    assert "Zinc shortened" in found(get(client, f"title:{ZINC.title}")).text


def test_a_title_is_no_query(client: Client, library: Library) -> None:
    get(client, 'title:Zinc") OR AUTH:"Doe" AND (HAS_ABSTRACT:y')
    query = library.asked("europepmc")[0].params["query"]
    assert query == "TITLE:zinc AND TITLE:auth AND TITLE:doe AND TITLE:abstract AND TITLE:y"


# --- Titles


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Zinc and colds", "ZINC AND COLDS.", True),
        ("Effects on tumour randomisation", "Effects on tumor randomization", True),
        ("TGF-β in <i>mice</i>", "TGF-beta in mice", True),
        ("COVID-19 in CO2", "COVID19 in CO<sub>2</sub>", True),
        ("RETRACTED: Zinc and colds", "Zinc and colds", True),
        ("Zinc lozenges and colds in men", "Zinc lozenges and colds in women", False),
        ("Zinc does shorten colds", "Zinc does not shorten colds", False),
        ("A long careful study of insulin and its effects on all adults who have diabetes of type 1 in the north",
         "A long careful study of insulin and its effects on all adults who have diabetes of type 2 in the north",
         False),
        ("Hypertension in children", "Hypotension in children", False),
        ("", "", False),
        ("Zinc", "", False),
    ],
)  # fmt: skip
def test_titles_that_are_one(one: str, other: str, same: bool) -> None:
    assert (similarity(one, other) >= SAME) is same
    assert similarity(one, other) == similarity(other, one)


def test_a_number_excuses_a_missing_subtitle(client: Client) -> None:
    assert found(get(client, "pmid:31852698", title="Zinc lozenges and the duration of the common cold")).text
    assert not same_title("Zinc: a review", "Zinc: a trial")
    assert not same_title("Zinc lozenges for colds: a review", "Zinc lozenges for colds: a trial")
