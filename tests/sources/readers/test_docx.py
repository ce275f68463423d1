from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from epoche.errors import DocumentError
from epoche.types import Document, Role

docx = pytest.importorskip("docx")

from epoche.sources.readers.docx import read  # noqa: E402

BODY = "<w:body>"
START = '<w:p><w:r><w:t xml:space="preserve">'
END = "</w:t></w:r></w:p>"


def saved(paper: Any) -> bytes:
    stream = io.BytesIO()
    paper.save(stream)
    return stream.getvalue()


def paper() -> Any:
    made = docx.Document()
    made.core_properties.title = "Microsoft Word - draft7.doc"
    made.add_paragraph("Bark cools trout", style="Title")
    made.add_heading("Abstract", 1)
    made.add_paragraph("Methods: We fed trout on bark.")
    made.add_paragraph("Results: Fever fell.")
    made.add_heading("1. Introduction", 1)
    made.add_paragraph("Trout fall ill\tin warm\nrivers.")
    made.add_heading("Methods", 1)
    made.add_heading("Fish", 2)
    made.add_paragraph("We caught forty trout.")
    table = made.add_table(rows=2, cols=2)
    for cell, text in zip(
        [c for row in table.rows for c in row.cells], ["Group", "Dose", "Bark", "9 mg"], strict=True
    ):
        cell.text = text
    made.add_paragraph("Table 1. Doses of bark.", style="Caption")
    made.add_paragraph("First river.", style="List Bullet")
    made.add_paragraph().add_run("RESULTS").bold = True
    run = made.add_paragraph("It fell by 10").add_run("5")
    run.font.superscript = True
    made.add_paragraph("References")
    made.add_paragraph("Pike A. Bark. 1999.")
    return made


def one(raw: bytes) -> Document:
    ((document,), unread) = read(raw, "a.docx")
    assert unread == []
    return document


def parts(document: Document) -> list[tuple[str, str, Role]]:
    return [(s.title, document.text[s.start : s.end], s.role) for s in document.sections]


def test_a_paper_with_its_parts() -> None:
    document = one(saved(paper()))
    assert (document.id, document.title, document.year, document.retracted) == (
        "a.docx",
        "Bark cools trout",
        None,
        False,
    )
    assert parts(document) == [
        ("Methods", "We fed trout on bark.", Role.METHODS),
        ("Results", "Fever fell.", Role.RESULTS),
        ("1. Introduction", "Trout fall ill in warm rivers.", Role.BACKGROUND),
        ("Fish", "We caught forty trout.", Role.METHODS),
        ("Table", "Group | Dose\n\nBark | 9 mg", Role.CAPTION),
        ("", "Table 1. Doses of bark.", Role.CAPTION),
        ("Fish", "First river.", Role.METHODS),
        ("RESULTS", "It fell by 105", Role.RESULTS),
        ("References", "Pike A. Bark. 1999.", Role.REFERENCES),
    ]


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Bark cools trout", "Bark cools trout"),
        ("RETRACTED: Bark", "RETRACTED: Bark"),
        ("Microsoft Word - draft.doc", ""),
        ("draft.docx", ""),
        ("Word Document", ""),
        ("", ""),
    ],
)
def test_titles_from_the_properties(said: str, title: str) -> None:
    made = docx.Document()
    made.add_paragraph("Fever fell.")
    made.core_properties.title = said
    document = one(saved(made))
    assert (document.title, document.retracted) == (title, title.startswith("RETRACTED"))
    assert (document.text, document.sections) == ("Fever fell.", ())


def changed(member: str, change: Callable[[bytes], bytes], raw: bytes | None = None) -> bytes:
    """A document in which one part is another."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw or saved(paper()))) as old, zipfile.ZipFile(stream, "w") as new:
        for info in old.infolist():
            part = old.read(info)
            new.writestr(info, change(part) if info.filename == member else part, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def with_body(xml: str) -> bytes:
    return changed("word/document.xml", lambda part: part.replace(BODY.encode(), (BODY + xml).encode(), 1))


@pytest.mark.parametrize(
    ("xml", "text"),
    [
        (f"<w:sdt><w:sdtContent>{START}A rose.{END}</w:sdtContent></w:sdt>", "A rose."),
        ("<w:p><w:ins><w:r><w:t>A rose.</w:t></w:r></w:ins><w:del><w:r><w:delText>No.</w:delText></w:r></w:del>"
         "</w:p>", "A rose."),
        ("<w:p><w:r><w:t>A </w:t></w:r><w:hyperlink><w:r><w:t>rose.</w:t></w:r></w:hyperlink></w:p>", "A rose."),
        ("<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>No.</w:t></w:r><w:r><w:t>A rose.</w:t></w:r></w:p>", "A rose."),
        ("<w:p><w:r><w:t>A</w:t><w:br/><w:t>rose.</w:t></w:r></w:p>", "A rose."),
        ("<w:p><w:r><w:instrText>ADDIN ZOTERO</w:instrText></w:r><w:r><w:t>A rose.</w:t></w:r></w:p>", "A rose."),
        (f"<w:p><w:r><w:t>A rose.</w:t></w:r><w:r><w:pict><w:txbxContent>{START}B.{END}</w:txbxContent></w:pict>"
         "</w:r></w:p>", "A rose.\n\nB."),
        (f"<w:tbl><w:tr><w:tc>{START}A rose.{END}</w:tc></w:tr></w:tbl>", "A rose."),
    ],
)  # fmt: skip
def test_what_is_shown_is_read(xml: str, text: str) -> None:
    assert one(with_body(xml)).text.startswith(f"{text}\n\n")


def test_headings_by_outline_level_and_in_a_style_that_rests_on_another() -> None:
    made = docx.Document()
    style = made.styles.add_style("River Head", 1)
    style.base_style = made.styles["Heading 2"]
    made.add_paragraph("Fish", style="River Head")
    made.add_paragraph("A rose.")
    raw = changed(
        "word/document.xml",
        lambda part: part.replace(
            BODY.encode(),
            b'<w:body><w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>Methods</w:t></w:r></w:p>',
        ),
        saved(made),
    )
    assert parts(one(raw)) == [("Fish", "A rose.", Role.METHODS)]


def test_styles_in_a_circle_end() -> None:
    made = docx.Document()
    style = made.styles.add_style("River", 1)
    style.base_style = style
    made.add_paragraph("A rose.", style="River")
    assert one(saved(made)).text == "A rose."


LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'


@pytest.mark.parametrize("member", ["word/document.xml", "word/styles.xml", "_rels/.rels", "[Content_Types].xml"])
def test_entities_are_refused(member: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("The key is 7.", encoding="utf-8")
    outside = f'<!DOCTYPE x [<!ENTITY a SYSTEM "{secret.as_uri()}">]>'
    for declared in (LAUGHS, outside):
        raw = changed(member, lambda part, d=declared: part.replace(b"?>", b"?>" + d.encode(), 1))  # type: ignore[misc]
        with pytest.raises(DocumentError, match="declares entities"):
            read(raw, "a.docx")


def test_the_parser_itself_fetches_no_entity(tmp_path: Path) -> None:
    from docx.oxml.parser import parse_xml

    secret = tmp_path / "secret.txt"
    secret.write_text("The key is 7.", encoding="utf-8")
    element = parse_xml(f'<!DOCTYPE x [<!ENTITY a SYSTEM "{secret.as_uri()}">]><x>&a;</x>')
    assert "key" not in "".join(element.itertext())


def archive(*members: tuple[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made:
        for name, content in members:
            made.writestr(name, content)
    return stream.getvalue()


def test_bombs_are_refused_before_they_unpack() -> None:
    zeros = bytes(1 << 24)
    started = time.monotonic()
    many = changed("word/document.xml", lambda part: part)
    stream = io.BytesIO(many)
    with zipfile.ZipFile(stream, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as made:
        for number in range(20):
            made.writestr(f"word/media/{number}.xml", zeros)
    one_large = archive(("[Content_Types].xml", zeros))
    parts = archive(("[Content_Types].xml", b""), *((f"word/{i}.xml", b"") for i in range(6_000)))
    for raw in (stream.getvalue(), one_large, parts):
        with pytest.raises(DocumentError, match="would unpack to .* more than a paper needs"):
            read(raw, "a.docx")
    assert time.monotonic() - started < 10


def test_a_size_that_the_header_denies() -> None:
    raw = bytearray(archive(("[Content_Types].xml", b"<x/>"), ("word/document.xml", bytes(50_000_000))))
    for mark, at in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        place = raw.rindex(mark)
        raw[place + at : place + at + 4] = (100).to_bytes(4, "little")
    with pytest.raises(DocumentError, match="is no whole .docx"):
        read(bytes(raw), "a.docx")


def encrypted() -> bytes:
    raw = bytearray(archive(("[Content_Types].xml", b"<x/>")))
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        raw[raw.index(mark) + at] |= 1
    return bytes(raw)


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "is empty"),
        (b"%PDF-1.7\n", "is a PDF: name it .pdf"),
        (b"Only words.", "is no whole .docx"),
        (saved(paper())[:5000], "is no whole .docx"),
        (OLE, "is of an older format"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "has a password: save it as .docx without a password"),
        (encrypted(), "is encrypted"),
        (archive(("papers/a.docx", b"PK")), "archive of other files .papers/a.docx.: unpack it"),
        (archive(("a.xhtml", b"<x/>")), "an archive, but no Word document"),
        (archive(("[Content_Types].xml", b"<x/>")), "cannot be read as a Word document"),
        (archive(("[Content_Types].xml", b"<x")), "cannot be read as a Word document"),
        (changed("word/document.xml", lambda part: part[:-40]), "cannot be read as a Word document"),
        (changed("word/styles.xml", lambda _: b""), "cannot be read as a Word document"),
        (changed("[Content_Types].xml", lambda part: part.replace(b"wordprocessingml", b"spreadsheetml")),
         "cannot be read as a Word document"),
        (changed("_rels/.rels", lambda part: part.replace(b"schemas.openxmlformats.org", b"purl.oclc.org/ooxml")),
         "Strict Open XML"),
        (with_body("<w:p>" * 50_000 + "</w:p>" * 50_000), "cannot be read as a Word document"),
        (saved(docx.Document()), "holds no text"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_so(raw: bytes, message: str) -> None:
    with pytest.raises(DocumentError, match=message) as caught:
        read(raw, "a.docx")
    assert caught.value.source == "a.docx"


def test_long_documents_end() -> None:
    started = time.monotonic()
    document = one(with_body(f"{START}A rose.{END}" * 20_000 + "<w:p><w:r><w:t>B</w:t></w:r></w:p>"))
    assert document.text.count("A rose.") == 20_000
    assert time.monotonic() - started < 20
