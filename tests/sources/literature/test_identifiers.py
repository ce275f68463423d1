"""What names a paper, what is a path, and what is neither."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epoche.errors import OptionError
from epoche.sources.literature.identifiers import Identifier, parse


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("pmid:31852698", "pmid:31852698"),
        (" PMID: 031852698 ", "pmid:31852698"),
        ("pmcid:PMC7049905", "pmcid:PMC7049905"),
        ("pmcid:pmc7049905.2", "pmcid:PMC7049905"),
        ("pmcid:7049905", "pmcid:PMC7049905"),
        ("doi:10.1056/NEJMoa2034577", "doi:10.1056/nejmoa2034577"),
        ("doi:https://doi.org/10.1056/NEJMoa2034577", "doi:10.1056/nejmoa2034577"),
        ("doi:10.1002/(SICI)1097-4636(199823)43:4<338::AID-JBM>3.0.CO;2-J",
         "doi:10.1002/(sici)1097-4636(199823)43:4<338::aid-jbm>3.0.co;2-j"),
        ("title:  Zinc\n and colds ", "title:Zinc and colds"),
        ("https://doi.org/10.1056/NEJMoa2034577", "doi:10.1056/nejmoa2034577"),
        ("http://dx.doi.org/10.5555%2Fa%3Fb?x=1#y", "doi:10.5555/a?b"),
        ("https://pubmed.ncbi.nlm.nih.gov/31852698/", "pmid:31852698"),
        ("https://pubmed.ncbi.nlm.nih.gov/31852698/?dopt=Abstract", "pmid:31852698"),
        ("https://www.ncbi.nlm.nih.gov/pubmed/31852698", "pmid:31852698"),
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC7049905/", "pmcid:PMC7049905"),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC7049905/pdf/x.pdf", "pmcid:PMC7049905"),
        ("https://europepmc.org/article/MED/31852698", "pmid:31852698"),
        ("https://europepmc.org/article/PMC/PMC7049905", "pmcid:PMC7049905"),
        ("https://europepmc.org/articles/PMC7049905", "pmcid:PMC7049905"),
    ],
)  # fmt: skip
def test_a_name_and_its_canonical_form(text: str, name: str) -> None:
    assert str(parse(text)) == name
    assert parse(name) == parse(text), "the canonical form names the same"


@pytest.mark.parametrize(
    "text",
    ["paper.txt", "papers/", "C:\\papers\\a.txt", "https://example.org/pmid:1", "", "pmid", "https://[bad",
     "https://pubmed.ncbi.nlm.nih.gov/?term=zinc", "https://notdoi.org.example/10.5555/a", "isbn:12"],
)  # fmt: skip
def test_what_has_no_such_scheme_is_a_path(text: str) -> None:
    assert parse(text) is None


@pytest.mark.parametrize(
    ("text", "example"),
    [
        ("pmid:abc", "pmid:31852698"),
        ("pmid:", "pmid:31852698"),
        ("pmid:-3", "pmid:31852698"),
        ("pmid:0", "pmid:31852698"),
        ("pmid:٣", "pmid:31852698"),
        ("pmcid:PMCX", "pmcid:PMC7049905"),
        ("doi:11.x", "doi:10.1056/NEJMoa2034577"),
        ("doi:10.1056", "doi:10.1056/NEJMoa2034577"),
        ("doi:10.1056/a\udcff", "doi:10.1056/NEJMoa2034577"),
        ("doi:10.1056/" + "a" * 500, "doi:10.1056/NEJMoa2034577"),
        ("doi:10.1056/a b", "doi:10.1056/NEJMoa2034577"),
        ("https://doi.org/nothing", "doi:10.1056/NEJMoa2034577"),
        ("title: ?!", "title:Safety"),
    ],
)
def test_a_malformed_name_is_an_error_that_shows_a_good_one(text: str, example: str) -> None:
    with pytest.raises(OptionError, match="names no paper: write it like") as caught:
        parse(text)
    assert example in str(caught.value)


@given(st.sampled_from(["", "pmid:", "pmcid:", "doi:", "title:", "doi:10.5555/", "https://doi.org/"]), st.text())
def test_any_text_is_a_name_a_path_or_an_error(start: str, rest: str) -> None:
    try:
        found = parse(start + rest)
    except OptionError:
        return
    assert found is None or isinstance(found, Identifier)
