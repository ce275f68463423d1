"""Lists of references, BibTeX and RIS: each entry with an abstract is a document."""

from __future__ import annotations

import html
import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from epoche.errors import DocumentError, MissingExtra
from epoche.sources.readers.plain import Found, decoded
from epoche.sources.readers.xml_text import distinct, year_in
from epoche.sources.sections import Text, add_labelled, clean
from epoche.types import Document, Unread

if TYPE_CHECKING:
    from bibtexparser.model import ParsingFailedBlock

#: Kinds of entries that say something of the study, as BibTeX and RIS name them.
_KINDS = {
    "phdthesis": "doctoral thesis",
    "mastersthesis": "master's thesis",
    "thesis": "thesis",
    "thes": "thesis",
    "techreport": "report",
    "report": "report",
    "rprt": "report",
    "inproceedings": "conference paper",
    "conference": "conference paper",
    "cpaper": "conference paper",
    "conf": "conference proceedings",
    "proceedings": "conference proceedings",
    "book": "book",
    "inbook": "book chapter",
    "incollection": "book chapter",
    "chap": "book chapter",
    "unpublished": "unpublished work",
    "unpb": "unpublished work",
    "patent": "patent",
    "pat": "patent",
    "news": "newspaper article",
    "blog": "blog post",
}
_DOI = re.compile(r"10\.\d{4,9}/\S{1,200}")
_PMID = re.compile(r"\d{1,9}")
_RETRACTED = re.compile(
    r"^\W*(?:retract(?:ed|ion)|withdrawn)\b|\b(?:has been|was) (?:retracted|withdrawn)\b|retracted publication",
    re.I,
)
_TITLED = re.compile(r"<(?:jats:)?title>\s*([^<>]{1,60}?)\s*</(?:jats:)?title>", re.I)
_BLOCK = re.compile(r"</?(?:jats:)?(?:p|sec|title|div|br|list|list-item|ul|li)\b[^<>]{0,100}>", re.I)
_INLINE = re.compile(r"</?(?:jats:)?(?:i|b|em|strong|sup|sub|italic|bold|span|sc|u)\b[^<>]{0,100}>", re.I)
_ABSTRACT = re.compile(r"\s*abstract\s*[:.\n]\s*", re.I)
_LINE = re.compile(r"\r\n|\r|\n")
_TAG = re.compile(r"([A-Z][A-Z0-9]) {1,2}-(?: +|$)")
_SAY_NOTHING = frozenset(["article", "journal article", "journal", "original article", "doi"])

#: LaTeX that its decoder drops although it is text in most files, and what stands for it.
_BARE = re.compile(r"(?<!\\)([%&#])")
_SIGNS = re.compile(r"\\text(less|greater)(?![a-zA-Z])(?:\{\})?")
_LOWERED = re.compile(r"\$_\{?(\w{1,9})\}?\$")
_DOLLAR = re.compile(r"(?<!\\)\$")
_MARKUP = re.compile(r"[\\{}$~]|--|``")
_NESTING = re.compile(r"\\(?:begin|end|left|right)\b|(?<!\\)[{}\[\]]")
_CITE = re.compile(r"\\cite[a-z]{0,6}\*?(?:\[[^\[\]]{0,80}\])?\{[^{}]{0,300}\}")
#: Deeper braces are taken off without looking at what they mean.
_DEEPEST = 40


@dataclass
class _Entry:
    key: str
    kind: str
    #: By names in lower case.
    fields: dict[str, str]

    def get(self, *names: str) -> str:
        return next((self.fields[n] for n in names if self.fields.get(n)), "")


def read_bibtex(raw: bytes, name: str) -> Found:
    """Abstracts of the entries, and the entries without one or broken.

    Raises:
        DocumentError: bytes that are not UTF-8, or no entry at all.
        MissingExtra: bibtexparser is not installed.
    """
    text = decoded(raw, name, "BibTeX").lstrip("\ufeff")
    try:
        from bibtexparser.entrypoint import parse_string
        from pylatexenc.latex2text import LatexNodes2Text
    except ImportError:
        raise MissingExtra("reading .bib", "papers") from None
    for package in ("bibtexparser", "pylatexenc"):
        logger = logging.getLogger(package)
        if not logger.handlers:
            # What they would report to stderr is among what is unread.
            logger.addHandler(logging.NullHandler())
    library = parse_string(text)
    if not library.entries and not library.failed_blocks:
        raise DocumentError(f"{name} holds no entry: export the references again, as BibTeX", source=name)
    latex = LatexNodes2Text(math_mode="text").latex_to_text
    found: list[Document | Unread] = []
    for block in library.entries:
        fields = {key.lower(): _plain(str(value.value), latex) for key, value in block.fields_dict.items()}
        key = clean(block.key) or f"line {(block.start_line or 0) + 1}"
        found.append(_read(_Entry(key, block.entry_type.lower(), fields), name))
    return distinct([*found, *(_broken(block, name) for block in library.failed_blocks)], name)


def read_ris(raw: bytes, name: str) -> Found:
    """Abstracts of the entries, and the entries without one or cut off.

    Raises:
        DocumentError: bytes that are not UTF-8, or no entry at all.
    """
    lines = _LINE.split(decoded(raw, name, "RIS").lstrip("\ufeff"))
    if not any((match := _TAG.match(line)) and match.group(1) == "TY" for line in lines):
        raise DocumentError(
            f'{name} holds no entry (no line begins with "TY  - "): export the references again, as RIS',
            source=name,
        )
    return distinct(_ris(lines, name), name)


def _read(entry: _Entry, name: str) -> Document | Unread:
    id = _id(entry, name)
    text = Text()
    add_labelled(text, _abstract(entry), 1)
    if text.empty():
        given = id if id.startswith(("doi:", "pmid:")) else "doi:…"
        why = f"the entry {entry.key} has no abstract: give the paper itself, or --evidence {given}"
        return Unread(document=id, sentences=None, why=why)
    told = ("note", "annote", "annotation", "n1", "pubstate", "m3", "c8", "kw", "keywords", "type", "keyword")
    notes = (entry.get(tag) for tag in told)
    return text.document(
        id,
        title=clean(_INLINE.sub("", entry.get("title", "ti", "t1"))),
        year=next((y for tag in ("year", "date", "py", "y1", "da") if (y := year_in(entry.get(tag)))), None),
        study=_study(entry),
        retracted=any(_RETRACTED.search(note) for note in notes),
    )


def _id(entry: _Entry, name: str) -> str:
    """A DOI before a number of PubMed, before the key in this file."""
    for tag in ("doi", "do", "m3", "url", "ur", "l3"):
        if match := _DOI.search(entry.get(tag)):
            return f"doi:{match.group().rstrip('.,;)]}>').lower()}"
    source = entry.get("eprinttype", "archiveprefix", "db", "dp").lower()
    number = entry.get("pmid") or (entry.get("eprint", "an") if "pubmed" in source or "medline" in source else "")
    number = number.lower().removeprefix("pmid").strip(" :")
    return f"pmid:{number}" if _PMID.fullmatch(number) else f"{name}#{entry.key}"


def _abstract(entry: _Entry) -> str:
    """Without the markup that publishers leave in it."""
    text = max((entry.get(tag) for tag in ("abstract", "ab", "n2")), key=len)
    text = _INLINE.sub("", _BLOCK.sub("\n\n", _TITLED.sub(r"\n\n\1: ", text)))
    text = html.unescape(text).strip()
    return _ABSTRACT.sub("", text, count=1) if _ABSTRACT.match(text) else text


def _study(entry: _Entry) -> str:
    """The kind of work, where the entry says more than that it is an article."""
    said = clean(entry.get("m3"))
    if said and len(said) < 60 and not any(c.isdigit() for c in said) and said.lower() not in _SAY_NOTHING:
        return said
    return _KINDS.get(entry.kind, "")


# --- BibTeX


def _plain(value: str, latex: Callable[[str], str]) -> str:
    """A value without LaTeX."""
    if not _MARKUP.search(value):
        return value
    if "\\" not in value and "$" not in value and "``" not in value:
        return value.replace("{", "").replace("}", "").replace("~", " ").replace("---", "—").replace("--", "–")
    value = _CITE.sub("", _SIGNS.sub(lambda m: "<" if m.group(1) == "less" else ">", value))
    value = _BARE.sub(r"\\\1", _LOWERED.sub(r"\1", value))
    if len(_DOLLAR.findall(value)) % 2:
        # An amount of money, for formulas come between two of them.
        value = _DOLLAR.sub(r"\\$", value)
    try:
        return latex(value) if _depth(value) <= _DEEPEST else _without_braces(value)
    # Its decoder breaks on what is no LaTeX, each time in another way.
    except Exception:
        return _without_braces(value)


def _without_braces(value: str) -> str:
    return value.replace("{", "").replace("}", "")


def _depth(value: str) -> int:
    """How deep braces and environments nest, at most."""
    deepest = depth = 0
    for match in _NESTING.finditer(value):
        depth = max(0, depth + (1 if match.group() in ("{", "[", "\\begin", "\\left") else -1))
        deepest = max(deepest, depth)
    return deepest


def _broken(block: ParsingFailedBlock, name: str) -> Unread:
    """A part of the file that could not be read."""
    line = (block.start_line or 0) + 1
    key = clean(str(getattr(block.ignore_error_block, "key", None) or ""))
    if key:
        what = "has a field twice" if type(block).__name__.startswith("DuplicateField") else "has a key used before"
        why = f"the entry {key} at line {line} {what}, and is not read: mend it, or give the paper itself"
        return Unread(document=f"{name}#{key}, line {line}", sentences=None, why=why)
    error: object = block.error
    reason = clean(str(getattr(error, "abort_reason", error))).rstrip(".")[:120]
    why = f"the entry at line {line} is broken or cut off ({reason}): mend it, or give the paper itself"
    return Unread(document=f"{name}#line {line}", sentences=None, why=why)


# --- RIS


def _ris(lines: list[str], name: str) -> Iterator[Document | Unread]:
    entry: dict[str, list[str]] | None = None
    value: list[str] = []
    count, stray = 0, False
    for number, line in enumerate(lines, start=1):
        match = _TAG.match(line)
        tag = match.group(1) if match else ""
        if entry is not None and tag in ("TY", "ER"):
            yield _read(_ris_entry(entry, count), name)
            entry = None
        if tag == "TY":
            count, stray = count + 1, False
            entry = {}
        elif entry is None:
            if tag not in ("", "ER") and not stray:
                stray = True
                why = f'the lines from {number} on belong to no entry (no "TY  - " before them): export them again'
                yield Unread(document=f"{name}#line {number}", sentences=None, why=why)
            continue
        if match:
            # Of tags that come once the first counts.
            again = tag in entry and tag not in ("AB", "N2", "N1")
            value = [] if again else entry.setdefault(tag, [])
        value.append(line[match.end() :] if match else line.strip())
    if entry is not None:
        why = 'it is cut off (no line "ER  - " after it), and is not read: export it again'
        yield Unread(document=f"{name}#{count}", sentences=None, why=why)


def _ris_entry(entry: dict[str, list[str]], count: int) -> _Entry:
    fields = {tag.lower(): "\n".join(lines).strip() for tag, lines in entry.items()}
    return _Entry(clean(fields.get("id", "")) or str(count), fields.get("ty", "").lower(), fields)
