from __future__ import annotations

import io

import pytest

pytest.importorskip("pypdfium2", reason="needs the extra papers")
pytest.importorskip("reportlab", reason="typesets the PDFs")

from PIL import Image

from epoche.errors import DocumentError
from epoche.sources.readers import pdf
from epoche.steps.segment import segment
from epoche.types import Document, Role
from tests.sources.readers import typeset


def one(raw: bytes) -> Document:
    (document,), unread = pdf.read(raw, "paper.pdf")
    assert unread == []
    return document


def sentences(document: Document) -> list[str]:
    return [s.text for s in segment([document])[1]]


@pytest.mark.parametrize("interleaved", [False, True])
def test_two_columns_with_hyphens_heads_and_references(interleaved: bool) -> None:
    """However the rows of both columns follow each other in the file."""
    document = one(typeset.two_columns(interleaved))
    assert document.title == "Statins and dementia: a randomised trial"
    assert sentences(document) == typeset.TWO_COLUMNS
    assert [(s.title, s.role) for s in document.sections] == [
        ("Abstract", Role.OTHER),
        ("Introduction", Role.BACKGROUND),
        ("Results", Role.RESULTS),
        ("Discussion", Role.CONCLUSION),
        ("References", Role.REFERENCES),
    ]
    assert "Statins prevent dementia" in document.text, "set apart, not lost"


def test_justified_text_that_flows_through_columns_and_pages() -> None:
    raw, expected = typeset.flowing()
    document = one(raw)
    found = [s for s in segment([document])[1] if s.text in set(expected)]
    assert [s.text for s in found] == expected
    assert ({s.page for s in found}, len(document.pages)) == ({1, 2}, 3), "the last one holds references"
    assert "prevents all falls" not in " ".join(sentences(document)), "references are no evidence"


def test_three_columns() -> None:
    """Not read across; a table of three columns is."""
    found = sentences(one(typeset.three_columns()))
    assert found[:12] == [
        f"In group {k} the day {n} saw no change of weight in any rat." for k in "ABC" for n in "1234"
    ]
    assert found[12:] == ["Group | Rats | Weight", *(f"{k} | 10 | 20{k}" for k in "ABCDEFGH")]


@pytest.mark.parametrize(("step", "side"), [(1, -12.0), (5, -6.0), (1, 260.0)])
def test_numbers_of_lines_in_the_margin(step: int, side: float) -> None:
    """Of every line or of every fifth, at the left or at the right; in one column or in two."""
    expected = [f"On day {n} the rats of group {n} were weighed by a nurse in the north." for n in range(1, 25)]
    words = " ".join(expected).split()
    stream = io.BytesIO()
    c = typeset.canvas(stream)
    for x, half in ((60, words[:200]), (330, words[200:])):
        for number, at in enumerate(range(0, len(half), 8), start=1):
            y = 772 - 12 * number
            typeset.write(c, x, y, [" ".join(half[at : at + 8])])
            if number % step == 0 and (step > 1 or x == 60):
                c.drawRightString(x + side, y, str(number))
    c.save()
    assert sentences(one(stream.getvalue())) == expected


def test_a_column_of_years_is_no_numbering() -> None:
    stream = io.BytesIO()
    c = typeset.canvas(stream)
    for number in range(8):
        typeset.write(c, 60, 760 - 12 * number, [str(2001 + number)])
        typeset.write(c, 100, 760 - 12 * number, ["Rats were given vitamin C."])
    c.save()
    assert "2003 | Rats were given vitamin C." in one(stream.getvalue()).text


@pytest.mark.parametrize(("letter", "first"), [("H", "ypertension"), ("A", "trial")])
@pytest.mark.parametrize("order", [1, -1])
def test_a_large_first_letter(letter: str, first: str, order: int) -> None:
    """Belongs to the first word, wherever it stands in the file; it is no title."""
    stream = io.BytesIO()
    c = typeset.canvas(stream)
    typeset.write(c, 60, 790, ["High pressure in adults"], "Times-Bold", 18)
    initial = (60, 736, [letter], "Times-Roman", 36)
    beside = (88, 750, [f"{first} is common in adults and its treatment", "with aspirin has been studied."])
    for part in (initial, beside)[::order]:
        typeset.write(c, *part)
    typeset.write(c, 60, 726, ["This trial was one of many, and it was small."])
    c.save()
    document = one(stream.getvalue())
    assert document.title == "High pressure in adults"
    word = "Hypertension" if letter == "H" else "A trial"
    assert sentences(document) == [
        f"{word} is common in adults and its treatment with aspirin has been studied.",
        "This trial was one of many, and it was small.",
    ]


def test_more_references_than_text() -> None:
    """Their small type does not make headings of the lines of text, nor does larger type of a first paragraph."""
    stream = io.BytesIO()
    c = typeset.canvas(stream)
    lead = [
        "In our cohort of many adults the drug did not lower",
        "the number of deaths, and the p-",
        "value was 0.4.",
    ]
    y = typeset.write(c, 60, 790, ["A letter on a drug"], "Times-Bold", 18)
    y = typeset.write(c, 60, y, lead, size=13)
    text = [
        "The rate of stroke was the same in those who took the drug and",
        "in those who did not take it at all.",
    ]
    y = typeset.write(c, 60, y - 12, text)
    y = typeset.write(c, 60, y - 12, ["References"], "Times-Bold")
    typeset.write(
        c, 60, y, [f"{n}. Abel A. Drugs lower all deaths in mice. J Inv. 2001." for n in range(50)], size=7
    )
    c.save()
    document = one(stream.getvalue())
    assert sentences(document) == [" ".join(lead).replace("p- ", "p-"), " ".join(text)]
    assert [s.role for s in document.sections] == [Role.REFERENCES]


@pytest.mark.parametrize("mark", ["aslant", "over", "head", "title", "small title", "none"])
def test_marks_of_a_retracted_paper(mark: str) -> None:
    stream = io.BytesIO()
    c = typeset.canvas(stream)
    said = "title" in mark
    typeset.write(c, 60, 800, ["RETRACTED ARTICLE"] if mark == "head" else ["J Inv Res"], "Times-Bold", 24)
    title = "A drug and deaths of adults"
    typeset.write(c, 60, 770, [f"RETRACTED: {title}" if said else title], size=10 if mark == "small title" else 16)
    text = ["The drug did not lower deaths in adults of any", "age. Retracted papers were left out."]
    if mark == "aslant":
        c.saveState()
        c.translate(40, 600)
        c.rotate(45)
        typeset.write(c, 0, 0, ["RETRACTED"], "Times-Bold", 70)
        c.restoreState()
    typeset.write(c, 60, 740, text[:1])
    typeset.write(c, 60, 731, ["RETRACTED"] if mark == "over" else [], size=60)
    typeset.write(c, 60, 728, text[1:])
    c.save()
    document = one(stream.getvalue())
    assert document.retracted is (mark != "none")
    assert sentences(document)[-2:] == [f"{text[0]} age.", "Retracted papers were left out."]


def test_running_heads_that_change_with_the_page() -> None:
    found = sentences(one(typeset.changing_heads()))
    assert found == [
        f"On day {n} the rats of group {n} were weighed by a nurse in the north." for n in range(1, 121)
    ]


def test_ligatures_units_and_hyphens_that_stay() -> None:
    assert sentences(one(typeset.ligatures())) == typeset.LIGATURES


def test_sentences_go_on_over_footnotes_and_pages() -> None:
    found = segment([one(typeset.footnotes())])[1]
    assert [(s.page, s.text) for s in found] == typeset.FOOTNOTES


def test_a_table_does_not_cut_a_sentence() -> None:
    found = segment([one(typeset.table())])[1]
    texts = [(s.role.value, s.text) for s in found]
    assert [t for t in texts if "|" not in t[1]] == typeset.TABLE
    assert [t for _, t in texts if "|" in t] == ["Fracture | Drug | Placebo", "Hip | 10 | 20", "Spine | 31 | 55"]


def test_turned_pages() -> None:
    found = segment([one(typeset.rotated())])[1]
    assert [(s.page, s.text) for s in found] == typeset.ROTATED


def test_a_scanned_paper_is_said_to_be_one() -> None:
    with pytest.raises(DocumentError, match=r"paper\.pdf is scanned: 1 page .*OCR"):
        pdf.read(typeset.scanned(), "paper.pdf")


def test_a_scanned_page_among_others_is_listed() -> None:
    (document,), unread = pdf.read(typeset.scanned(with_text=True), "paper.pdf")
    assert sentences(document) == ["Vitamin C did not prevent colds."]
    assert [(u.document, u.kind) for u in unread] == [("paper.pdf, page 2", "unread")]
    assert "picture" in unread[0].why


def test_pages_that_are_hardly_text_are_listed() -> None:
    """A picture with a stamp, one in strips, and letters drawn as outlines; not a figure with its caption."""
    text = ["Vitamin C did not prevent colds in any of the seven winters that we looked at."] * 3
    stream = io.BytesIO()
    c = typeset.canvas(stream)
    picture = Image.new("L", (60, 85), 128)
    for shown in ("text", "stamp", "strips", "outlines", "caption", "figure", "small"):
        typeset.write(c, 60, 30, ["Downloaded by a guest"], size=7)
        if shown in ("stamp", "caption"):
            c.drawInlineImage(picture, 40, 80, 500, 650)
        for k in range(10 if shown == "strips" else 0):
            c.drawInlineImage(picture, 40, 80 + 65 * k, 500, 65)
        for k in range(800 if shown == "outlines" else 0):
            c.line(50 + k % 60 * 8, 700 - k // 60 * 10, 54 + k % 60 * 8, 705 - k // 60 * 10)
        if shown in ("figure", "small"):
            c.drawInlineImage(picture, 40, 80, 500, 200)
        typeset.write(c, 60, 60, ["Figure 1. Colds over the years."] if shown == "caption" else [])
        typeset.write(c, 60, 760, text if shown in ("text", "figure") else [])
        c.showPage()
    c.save()
    (document,), unread = pdf.read(stream.getvalue(), "paper.pdf")
    assert [(u.document[-1], u.why[:19]) for u in unread] == [
        ("2", "the page is a pictu"),
        ("3", "the page is a pictu"),
        ("4", "the page is drawn, "),
    ]
    assert len(document.pages) == 7


def test_three_hundred_pages() -> None:
    document = one(typeset.long())
    assert len(document.pages) == 300
    found = segment([document])[1]
    firsts = [s for s in found if s.text.startswith("On page")]
    assert [s.page for s in firsts] == list(range(1, 301))
    assert firsts[41].text == "On page 42 the level of substance 42 rose."
    assert not any("Annual report" in s.text or "of 300" in s.text for s in found)


def test_locked_with_a_password() -> None:
    with pytest.raises(DocumentError, match="locked with a password: save it without one"):
        pdf.read(typeset.encrypted("secret"), "paper.pdf")


def test_locked_for_changes_only() -> None:
    assert sentences(one(typeset.encrypted(""))) == ["Selenium did not prevent cancer."]


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (typeset.broken(), "broken PDF|holds no text"),
        (b"%PDF-1.7\n", "broken PDF"),
        (b"<html>not a PDF</html>", "is no PDF"),
        (b"", "is no PDF"),
    ],
)
def test_broken(raw: bytes, words: str) -> None:
    with pytest.raises(DocumentError, match=words):
        pdf.read(raw, "paper.pdf")
