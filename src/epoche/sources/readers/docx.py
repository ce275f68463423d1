"""Word documents (.docx): paragraphs below their headings, and tables beside them."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

from epoche.errors import DocumentError, MissingExtra
from epoche.sources.readers.blocks import Blocks
from epoche.sources.readers.plain import Found
from epoche.sources.sections import clean, known_role, says_retracted

#: Limits on what a file may unpack to. Word's own files stay far below.
_MEMBERS, _UNPACKED, _RATIO, _SMALL = 5_000, 256 * 2**20, 200, 4 * 2**20
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
#: No part of a Word document declares a document type; one that does is there to do harm.
_DOCTYPES = tuple(m.encode(e) for m in ("<!DOCTYPE", "<!ENTITY") for e in ("utf-8", "utf-16-le", "utf-16-be"))
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
#: Elements whose text is not shown, or is shown elsewhere a second time.
_HIDDEN = frozenset(
    [f"{_W}{tag}" for tag in ("del", "moveFrom", "instrText", "delText", "pPr", "rPr", "sectPr", "tbl")]
    + ["{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"]
)
_SIGNS = {f"{_W}tab": " ", f"{_W}br": " ", f"{_W}cr": " ", f"{_W}p": " ", f"{_W}noBreakHyphen": "-"}
_HEADING = re.compile(r"(?:.*[^a-z])?heading ?([1-9])", re.I)
#: Titles that programs make up.
_NO_TITLE = re.compile(r"(?:word document|untitled|document\d*|microsoft word.*|.*\.docx?)?", re.I)
_LEVELS = frozenset("012345678")
_NO_BLOCKS = _HIDDEN - {f"{_W}tbl"} | {f"{_W}sdtPr"}
#: Styles are based on one another; longer chains are circles.
_CHAIN = 20


def read(raw: bytes, name: str) -> Found:
    """One document: what is shown in its body, tracked insertions with it, without foot- and endnotes.

    Raises:
        DocumentError: no Word document, one with a password, or one that unpacks to too much.
        MissingExtra: python-docx is not installed.
    """
    try:
        import docx
    except ImportError:
        raise MissingExtra("reading .docx", "papers") from None
    _check(raw, name)
    try:
        document = docx.Document(io.BytesIO(raw))
        kinds = _kinds(document.styles.element)
        said = clean(document.core_properties.title or "")
    # On parts that are missing it breaks each time in another way.
    except Exception as error:
        what = clean(str(error))[:150]
        raise DocumentError(
            f"{name} cannot be read as a Word document ({what}): open it in Word or LibreOffice and save it as"
            " .docx",
            source=name,
        ) from None
    blocks = Blocks()
    title = _write(document.element.body, kinds, blocks)
    if not title and not _NO_TITLE.fullmatch(said):
        title = said
    text = blocks.done()
    if text.empty():
        raise DocumentError(f"{name} holds no text: if its pages are images, give the PDF with text", source=name)
    first = next((says_retracted(line) for line in blocks.paragraphs[:1]), False)
    return [text.document(name, title=title, retracted=first)], []


def _check(raw: bytes, name: str) -> None:
    """Refuses what is no Word document, and what would unpack to more than one needs."""
    if not raw.strip():
        raise DocumentError(f"{name} is empty", source=name)
    if raw.startswith(b"%PDF"):
        raise DocumentError(f"{name} is a PDF: name it .pdf", source=name)
    if raw.startswith(_OLE):
        what = "has a password" if _ENCRYPTED in raw else "is of an older format (.doc)"
        raise DocumentError(f"{name} {what}: save it as .docx without a password", source=name)
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            _check_members(archive, name)
            _check_parts(archive, name)
    except DocumentError:
        raise
    # What a broken archive raises depends on where it is broken.
    except Exception as error:
        what = clean(str(error))[:150]
        raise DocumentError(f"{name} is no whole .docx ({what}): get the file again", source=name) from None


def _check_members(archive: zipfile.ZipFile, name: str) -> None:
    members = archive.infolist()
    if any(member.flag_bits & 1 for member in members):
        raise DocumentError(f"{name} is encrypted: save it without a password", source=name)
    size = sum(member.file_size for member in members)
    packed = (m.file_size / max(m.compress_size, 1) for m in members if m.file_size > _SMALL)
    if len(members) > _MEMBERS or size > _UNPACKED or max(packed, default=0) > _RATIO:
        raise DocumentError(
            f"{name} would unpack to {len(members)} parts of {size // 2**20} MB, more than a paper needs, and is"
            " not read: save its text as a new document",
            source=name,
        )
    names = {member.filename for member in members}
    if "[Content_Types].xml" not in names:
        inside = next((n for n in sorted(names) if n.lower().endswith((".docx", ".zip", ".pdf", ".txt"))), "")
        what = f"an archive of other files ({clean(inside)[:60]})" if inside else "an archive, but no Word document"
        raise DocumentError(f"{name} is {what}: unpack it and give what is inside", source=name)


def _check_parts(archive: zipfile.ZipFile, name: str) -> None:
    """Looks into the XML before a parser does."""
    for member in archive.infolist():
        if not member.filename.lower().endswith((".xml", ".rels")):
            continue
        part = archive.read(member)
        if any(mark in part for mark in _DOCTYPES):
            raise DocumentError(
                f"{name} declares entities, by which a file can grow without end or fetch others, and is not read:"
                " save its text as a new document",
                source=name,
            )
        if member.filename == "_rels/.rels" and b"purl.oclc.org/ooxml" in part:
            raise DocumentError(f'{name} is "Strict Open XML": save it as an ordinary Word document', source=name)


def _kinds(styles: Any) -> dict[str, str]:
    """Of each style by its id: the level of a heading, `title`, `caption`, `toc`, or nothing."""
    said: dict[str, tuple[str, str]] = {}
    for style in styles.iterchildren(f"{_W}style"):
        name = _value(style, "name").lower()
        level = _value(style, "pPr", "outlineLvl")
        match = _HEADING.fullmatch(name)
        kind = match.group(1) if match else str(int(level) + 1) if level in _LEVELS else ""
        kind = name if name in ("title", "caption") else "toc" if name.startswith("toc ") else kind
        said[style.get(f"{_W}styleId", "")] = (kind, _value(style, "basedOn"))
    found = {}
    for id in said:
        at, steps = id, 0
        while at in said and not said[at][0] and steps < _CHAIN:
            at, steps = said[at][1], steps + 1
        found[id] = said.get(at, ("", ""))[0]
    return found


def _write(body: Any, kinds: Mapping[str, str], blocks: Blocks) -> str:
    """Writes the body block by block; its title."""
    titles: list[str] = []
    todo = [body]
    while todo:
        item = todo.pop()
        if item.tag == f"{_W}tbl":
            blocks.table(list(_rows(item)))
        elif item.tag != f"{_W}p":
            todo += [
                child for child in reversed(item) if isinstance(child.tag, str) and child.tag not in _NO_BLOCKS
            ]
        else:
            boxes: list[Any] = []
            line = clean(_text(item, boxes))
            todo += reversed(boxes)
            kind = kinds.get(_value(item, "pPr", "pStyle"), "")
            level = _value(item, "pPr", "outlineLvl")
            kind = str(int(level) + 1) if level in _LEVELS else kind
            if kind == "title":
                titles.append(line)
            elif kind == "caption":
                blocks.caption(line)
            elif kind.isdigit() or _is_heading(line):
                blocks.heading(line, int(kind) if kind.isdigit() else 2)
            elif kind != "toc":
                blocks.paragraph(line)
    return clean(" ".join(titles))


def _is_heading(line: str) -> bool:
    """Whether a paragraph without a style of headings is one by its words."""
    return len(line) < 60 and not line.endswith((".", ":", ";", ",")) and known_role(line) is not None


def _value(element: Any, *path: str) -> str:
    for tag in path:
        element = None if element is None else element.find(f"{_W}{tag}")
    return "" if element is None else element.get(f"{_W}val", "")


def _text(element: Any, boxes: list[Any] | None = None) -> str:
    """What a paragraph or a cell shows; boxes of text that hang on a paragraph are put aside."""
    parts: list[str] = []
    todo = [element]
    while todo:
        item = todo.pop()
        if not isinstance(item.tag, str) or item.tag in _HIDDEN or (item.tag == f"{_W}r" and _vanishes(item)):
            continue
        if item.tag == f"{_W}txbxContent" and boxes is not None:
            boxes.append(item)
            continue
        if item.tag in (f"{_W}t", _MATH):
            parts.append(item.text or "")
        parts.append(_SIGNS.get(item.tag, ""))
        todo += reversed(item)
    return "".join(parts)


def _vanishes(run: Any) -> bool:
    hidden = run.find(f"{_W}rPr/{_W}vanish")
    return hidden is not None and hidden.get(f"{_W}val", "true") not in ("0", "false", "off")


def _rows(table: Any) -> Iterator[list[str]]:
    """Cells of each row; a table within a cell gives rows of its own."""
    for row in table.iter(f"{_W}tr"):
        yield [_text(cell) for cell in row.iterchildren(f"{_W}tc")]
