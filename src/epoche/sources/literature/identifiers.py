"""Names of papers: a PubMed or PMC number, a DOI, a title, or the URL of one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote, urlsplit

from epoche.errors import OptionError
from epoche.sources.sections import clean

Scheme = Literal["pmid", "pmcid", "doi", "title"]

_SCHEME = re.compile(r"(pmid|pmcid|doi|title)\s*:(.*)", re.IGNORECASE | re.DOTALL)
_PMID = re.compile(r"0*([1-9][0-9]{0,8})")
_PMCID = re.compile(r"(?:PMC)?0*([1-9][0-9]{0,8})(?:\.[0-9]+)?", re.IGNORECASE)
_DOI = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]+)*/[^\s\x00-\x1f\x7f\ud800-\udfff]{1,400}")
#: Host and path of an article's page → its scheme.
_PAGES: tuple[tuple[str, str, Scheme], ...] = (
    (r"(?:www\.)?pubmed\.ncbi\.nlm\.nih\.gov", r"/([0-9]+)", "pmid"),
    (r"(?:www\.)?ncbi\.nlm\.nih\.gov", r"/pubmed/([0-9]+)", "pmid"),
    (r"(?:www\.)?europepmc\.org", r"/(?:article|abstract)/MED/([0-9]+)", "pmid"),
    (r"(?:www\.)?ncbi\.nlm\.nih\.gov", r"/pmc/articles/(PMC[0-9]+)", "pmcid"),
    (r"pmc\.ncbi\.nlm\.nih\.gov", r"/articles/(PMC[0-9]+)", "pmcid"),
    (r"(?:www\.)?europepmc\.org", r"/(?:articles|article/PMC)/(PMC[0-9]+)", "pmcid"),
)
_EXAMPLES: dict[Scheme, str] = {
    "pmid": "pmid:31852698 (a PubMed number)",
    "pmcid": "pmcid:PMC7049905 (a PMC number)",
    "doi": "doi:10.1056/NEJMoa2034577",
    "title": "title:Safety and Efficacy of the BNT162b2 mRNA Covid-19 Vaccine",
}


@dataclass(frozen=True)
class Identifier:
    """A paper's name; `str()` is its canonical form, and the id of the document it names."""

    scheme: Scheme
    value: str

    def __str__(self) -> str:
        return f"{self.scheme}:{self.value}"


def parse(text: str) -> Identifier | None:
    """The paper that a text names; None where it names none, so that it is a path or another URL.

    Raises:
        OptionError: it begins like a paper's name and is none.
    """
    text = text.strip()
    page = _page(text)
    if page is not None:
        return page
    match = _SCHEME.fullmatch(text)
    if match is None:
        return None
    scheme, value = _scheme(match.group(1)), match.group(2).strip()
    # "doi:https://doi.org/10…" is how reference managers export it.
    inner = _page(value)
    if inner is not None and inner.scheme == scheme:
        return inner
    return _named(scheme, value, text)


def _scheme(word: str) -> Scheme:
    return next(scheme for scheme in _EXAMPLES if scheme == word.lower())


def _named(scheme: Scheme, value: str, text: str) -> Identifier:
    found = _canonical(scheme, value)
    if found is None:
        shown = text if len(text) <= 80 else f"{text[:79]}…"
        raise OptionError(f"{clean(shown)!r} names no paper: write it like {_EXAMPLES[scheme]}")
    return Identifier(scheme, found)


def _canonical(scheme: Scheme, value: str) -> str | None:
    if scheme == "title":
        title = clean(value)
        return title if re.search(r"[^\W_]", title) else None
    if scheme == "doi":
        return value.lower() if _DOI.fullmatch(value) else None
    match = (_PMID if scheme == "pmid" else _PMCID).fullmatch(value)
    if match is None:
        return None
    return match.group(1) if scheme == "pmid" else f"PMC{match.group(1)}"


def _page(text: str) -> Identifier | None:
    """The paper that a URL is the page of."""
    if not re.match(r"https?://", text, re.IGNORECASE):
        return None
    try:
        url = urlsplit(text)
        host, path = (url.hostname or "").lower(), unquote(url.path)
    except ValueError:
        return None
    if host in ("doi.org", "dx.doi.org", "www.doi.org"):
        return _named("doi", path.lstrip("/"), text)
    for hosts, paths, scheme in _PAGES:
        match = re.fullmatch(paths + r"(?:/.*)?", path, re.IGNORECASE)
        if match and re.fullmatch(hosts, host):
            return _named(scheme, match.group(1), text)
    return None
