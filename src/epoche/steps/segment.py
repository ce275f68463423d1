"""Segment: documents → sentences with exact offsets into the original text.

A text is first cut into blocks (paragraphs, headings, list items), so that a sentence never runs
over a heading. Inside a block `nupunkt` finds the boundaries, and what it gets wrong in scientific prose
is mended: abbreviations, strains and genes after a stop ("NF-kappa B. was"), citations ("et al. [2004]"),
reference numbers glued to the stop ("mortality.12 However").
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from epoche.errors import DocumentError
from epoche.types import Component, Document, DocumentRecord, Role, Sentence

SPLITTER = Component(name="nupunkt+mended", version="1")

_SPACE = re.compile(r"[\s\u200b\u2060\ufeff]+")
_BREAK = re.compile(r"\r\n|[\n\r\v\f\x85\u2028]")
_BLANK = re.compile(r"[^\S\n]*(?:\n[^\S\n]*){2,}|\u2029|\f")
#: A line that begins a block of its own: heading, list item, table row, quotation.
_MARKER = re.compile(r"[ \t]*(#{1,6}(?=[ \t])|[-*+•–](?=[ \t])|\(?\d{1,3}[.)](?=[ \t])|\||>)[ \t]*")
_RULE = re.compile(r"[ \t]*([-=*_|: \t])\1*[-=*_|: \t]*$")

#: Never the last word of a sentence (without their final stop).
_NEVER_LAST = frozenset(
    "fig figs eq eqs ref refs tab vs cf e.g i.e approx ca pv subsp ssp var str cv dr prof mr mrs ms st nr vol "
    "resp incl excl esp viz al.e dept".split()
)
#: May end a sentence; does so before a word that opens one.
_MAYBE_LAST = frozenset("i.v i.p s.c i.m p.o b.i.d t.i.d q.d a.m p.m u.s u.k sp spp inc ltd co etc".split())
#: "no. 5", "p. 12", "ch. 3": abbreviations before a number only.
_BEFORE_NUMBER = frozenset("no nos p pp ch sec art app suppl vol fig".split())
_OPENERS = frozenset(
    "a after all although an and as at both but by compared conversely during each finally for furthermore "
    "hence here however if in interestingly it its moreover most no none notably of on one only our overall "
    "participants patients results similarly since some such than that the their then there therefore these "
    "they this those three thus to together two under we when whereas while with".split()
)
_LAST_WORD = re.compile(r"([^\s()\[\]\"“”]+)\.[\"”')\]]*$")
_FIRST_WORD = re.compile(r"[\"“‘'(\[]*([^\s,;:()\[\]\"”]+)")
_GLUED_REFERENCE = re.compile(r"(?<=[a-z)\]%])[.!?]\d{1,3}(?:[,–-]\d{1,3})*(?=\s+[A-Z])")
#: "… type A and B. Group A …": a letter that is a name of something, not somebody's initial.
_LETTERED = re.compile(
    r"(?<=[\s-])(?i:and|or|group|type|vitamin|hepatitis|class|grade|arm|factor|influenza|compound|phase)"
    r"\s[A-Z]\.(?=\s+[A-Z])"
)
#: "… lacking HR. Treatment …": an acronym, and a capitalised word.
_ACRONYM = re.compile(r"\b[A-Z][A-Z0-9-]{1,7}\.(?=\s+[A-Z][A-Za-z]{2})")
#: A plain word of some length: nupunkt takes a few of them ("cancer.") for abbreviations of journals.
_PLAIN_WORD = re.compile(r"\b[a-z]{5,}\.(?=\s+[A-Z])")
#: "n = 6 per group." may begin a sentence.
_STATISTIC = re.compile(r"[a-zA-Z]\s?[=<>≤≥]")
_ABBREVIATED = re.compile(r"(?<![\w.])((?:[A-Za-z]\.){2,}|[a-z]{2,4}\.)(?=\s+[A-Z])")


def scored_text(text: str) -> str:
    """What the model is given of a slice: NFC, every run of white space one space.

    Nothing is transliterated: "5 µM" is not "5 mM".
    """
    return _SPACE.sub(" ", unicodedata.normalize("NFC", text)).strip()


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """(start, end) of each sentence in `text`, in code points, without surrounding white space.

    Spans are in order, disjoint and not empty; only white space and the marks that begin a heading,
    a list item or a table row lie outside them.
    """
    flat = _BREAK.sub(lambda m: "\n".rjust(len(m.group())), text)
    spans = []
    for start, end in _blocks(flat):
        # One character for one, so that offsets stay those of the original.
        block = re.sub(r"[\s\u200b\u2060\ufeff]", " ", flat[start:end])
        spans += [(start + a, start + b) for a, b in _mended(block)]
    return spans


def segment(documents: Sequence[Document]) -> tuple[tuple[DocumentRecord, ...], tuple[Sentence, ...]]:
    """Records and sentences of documents, in the natural order of their ids ("d2" before "d10").

    Given spans are used as they are. The order in which documents are given does not matter.

    Raises:
        DocumentError: two documents of one id, a lone surrogate, spans that do not fit the text.
    """
    records: list[DocumentRecord] = []
    sentences: list[Sentence] = []
    seen: set[str] = set()
    for document in sorted(documents, key=lambda d: _natural(d.id)):
        if document.id in seen:
            raise DocumentError(
                f"two documents have the id {document.id!r}: rename one of them", source=document.id
            )
        seen.add(document.id)
        _require_unicode(document)
        spans = sentence_spans(document.text) if document.spans is None else _given(document)
        records.append(
            DocumentRecord(
                id=document.id,
                title=document.title,
                retracted=document.retracted,
                year=document.year,
                study=document.study,
                characters=len(document.text),
                sha256=_sha256(document.text),
            )
        )
        sentences += _sentences(document, spans)
    return tuple(records), tuple(sentences)


def _sentences(document: Document, spans: Sequence[tuple[int, int]]) -> Iterator[Sentence]:
    """Sentences with their role and page; a reference list is no evidence, so it is left out."""
    starts = [section.start for section in document.sections]
    for index, (start, end) in enumerate(spans):
        at = bisect_right(starts, start) - 1
        inside = at >= 0 and start < document.sections[at].end
        role = document.sections[at].role if inside else Role.OTHER
        if role is Role.REFERENCES:
            continue
        text = document.text[start:end]
        page = bisect_right(document.pages, start) or None
        yield Sentence(
            document=document.id,
            index=index,
            start=start,
            end=end,
            text=text,
            sha256=_sha256(text),
            role=role,
            page=page,
        )


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _natural(key: str) -> tuple[list[tuple[int, int | str]], str]:
    parts = re.split(r"([0-9]+)", key)
    return [(0, int(p)) if p.isdecimal() and p.isascii() else (1, p) for p in parts], key


def _require_unicode(document: Document) -> None:
    for name, text in (("id", document.id), ("title", document.title), ("text", document.text)):
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise DocumentError(
                f"document {document.id!a}: its {name} is not valid Unicode (a lone surrogate at character "
                f"{error.start}): read it again with its right encoding",
                source=ascii(document.id),
            ) from None


def _given(document: Document) -> Sequence[tuple[int, int]]:
    last = 0
    for start, end in document.spans or ():
        if not last <= start < end <= len(document.text):
            raise DocumentError(
                f"document {document.id!r}: sentence span ({start}, {end}) is empty, overlaps the one before "
                f"or leaves the text of {len(document.text)} characters",
                source=document.id,
            )
        last = end
    return document.spans or ()


def _blocks(flat: str) -> Iterator[tuple[int, int]]:
    """(start, end) of paragraphs, headings, list items and table rows, their markers left out."""
    start = 0
    for gap in [*_BLANK.finditer(flat), None]:
        end = len(flat) if gap is None else gap.start()
        yield from _lines(flat, start, end)
        start = len(flat) if gap is None else gap.end()


def _lines(flat: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Blocks inside a paragraph: a marked line begins one, a heading and a table row end with their line."""
    begin, position, alone = start, start, False
    while position < end:
        line_end = flat.find("\n", position, end)
        line_end = end if line_end < 0 else line_end
        line = flat[position:line_end]
        marker = _MARKER.match(line)
        rule = bool(_RULE.match(line)) and any(c in "-=*_|" for c in line)
        if marker or rule or alone:
            yield (begin, position)
            begin = position + (len(line) if rule else marker.end() if marker else 0)
        alone = rule or bool(marker and marker.group(1)[0] in "#|")
        position = line_end + 1
    yield (begin, end)


def _mended(block: str) -> list[tuple[int, int]]:
    """Sentence spans of one block, white space trimmed."""
    if not block.strip():
        return []
    # Loading its model takes longer than importing it, so this waits for the first block.
    from nupunkt import sent_spans

    cuts = {b for _, b in sent_spans(block)[:-1]}
    cuts |= {m.end() for m in _GLUED_REFERENCE.finditer(block) if not _ends_in_number_word(block, m)}
    cuts |= {m.end() for m in _ABBREVIATED.finditer(block) if _opens(block[m.end() :])}
    cuts |= {m.end() for pattern in (_LETTERED, _ACRONYM, _PLAIN_WORD) for m in pattern.finditer(block)}
    spans, start = [], 0
    for cut in [*sorted(cuts), len(block)]:
        if cut < len(block) and not _is_boundary(block[start:cut], block[cut:]):
            continue
        trimmed = block[start:cut]
        left = start + len(trimmed) - len(trimmed.lstrip())
        right = cut - (len(trimmed) - len(trimmed.rstrip()))
        if left < right:
            spans.append((left, right))
        start = cut
    return spans


def _ends_in_number_word(block: str, reference: re.Match[str]) -> bool:
    """Whether the digits belong to the word before the stop ("Fig.2", "no.12")."""
    word = re.search(r"(\w+)$", block[max(0, reference.start() - 12) : reference.start()])
    return word is not None and word.group(1).casefold() in _BEFORE_NUMBER | _NEVER_LAST


def _opens(rest: str) -> bool:
    word = _FIRST_WORD.match(rest.lstrip())
    return word is not None and word.group(1).casefold() in _OPENERS


def _is_boundary(left: str, right: str) -> bool:
    """Whether a sentence ends between the two, in scientific prose."""
    left, right = left.rstrip(), right.lstrip()
    first = _FIRST_WORD.match(right)
    if first is None or not left:
        return False
    if _open_bracket(left, right):
        return False
    last = _LAST_WORD.search(left)
    word = last.group(1).casefold().strip("([\"'“") if last else ""
    opener = first.group(1)
    if word in _NEVER_LAST:
        return False
    if word in _BEFORE_NUMBER and opener[:1].isdigit():
        return False
    if word == "al" and left.endswith("al."):
        return right[0].isupper() and opener.casefold() in _OPENERS
    if _STATISTIC.match(right) or _LETTERED.search(f" {left[-40:]} {right[:1]}"):
        return True
    if word in _MAYBE_LAST or re.fullmatch(r"[A-Za-z]|(?:[a-z]\.)+[a-z]", last.group(1) if last else ""):
        return opener.casefold() in _OPENERS and opener[:1].isupper()
    # A plain lower-case word goes on; a gene or RNA name such as p53, mTOR or miR-21 may begin a sentence.
    return not (opener[:1].islower() and opener.strip(".").isalpha() and opener.islower())


def _open_bracket(left: str, right: str) -> bool:
    """Whether a bracket opened before is closed after, with none opened in between."""
    for opening, closing in ("()", "[]"):
        if left.count(opening) > left.count(closing):
            close, again = right.find(closing), right.find(opening)
            if 0 <= close < 200 and not 0 <= again < close:
                return True
    return False
