"""Plain texts and Markdown: every character is kept where it is."""

from __future__ import annotations

import re

from epoche.errors import DocumentError
from epoche.sources.sections import known_role
from epoche.types import Document, Role, Section, Unread

#: Documents of a file, and what it names or holds that could not be read.
Found = tuple[list[Document], list[Unread]]

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$")


def decoded(raw: bytes, name: str, kind: str = "text") -> str:
    """UTF-8 bytes as text.

    Raises:
        DocumentError: another encoding, zero bytes, nothing but white space.
    """
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DocumentError(f"{name} is UTF-16: save it as UTF-8", source=name)
    if b"\x00" in raw:
        raise DocumentError(f"{name} is not {kind} (it holds zero bytes): save it as {kind}", source=name)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DocumentError(f"{name} is not UTF-8 (byte {error.start}): save it as UTF-8", source=name) from None
    if not text.strip("\ufeff \t\r\n\v\f"):
        raise DocumentError(f"{name} is empty", source=name)
    return text


def read_text(raw: bytes, name: str) -> Found:
    """One document, as it stands.

    Raises:
        DocumentError: bytes that are not a text in UTF-8.
    """
    # A byte order mark stays where it is, for offsets are into the file as it was given.
    return [Document(id=name, text=decoded(raw, name))], []


def read_markdown(raw: bytes, name: str) -> Found:
    """One document, as it stands; the parts below its headings are sections.

    Raises:
        DocumentError: bytes that are not a text in UTF-8.
    """
    text = decoded(raw, name)
    return [Document(id=name, text=text, sections=tuple(_sections(text)))], []


def _sections(text: str) -> list[Section]:
    """From each heading, its line included, to the next."""
    found: list[tuple[int, str, Role]] = []
    above: list[tuple[int, Role]] = []
    position, fence = 0, ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        heading = None if fence else _HEADING.match(line.rstrip("\r\n").lstrip("\ufeff"))
        if mark and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark.group(1)
        elif heading:
            level, title = len(heading.group(1)), heading.group(2)
            above = [(at, role) for at, role in above if at < level]
            role = known_role(title)
            if role is None:
                inherited = above[-1][1] if above else Role.OTHER
                role = Role.OTHER if inherited is Role.REFERENCES else inherited
            above.append((level, role))
            found.append((position, title, role))
        position += len(line)
    ends = [*(start for start, _, _ in found[1:]), len(text)]
    return [Section(start=s, end=e, title=t, role=r) for (s, t, r), e in zip(found, ends, strict=False)]
