"""Plain texts and Markdown: every character is kept where it is."""

from __future__ import annotations

import re

from epoche.errors import DocumentError
from epoche.sources.sections import known_role, says_retracted
from epoche.types import Document, Role, Section, Unread

#: Documents of a file, and what it names or holds that could not be read.
Found = tuple[list[Document], list[Unread]]

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_UNDERLINE = re.compile(r" {0,3}(?:={3,}|-{3,})[ \t]*")
_BOLD = re.compile(r"(?:\*\*|__)([^*_]{2,60}?):?(?:\*\*|__):?")
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
    text = decoded(raw, name)
    return [Document(id=name, text=text, sections=tuple(_references(text)), retracted=_says_retracted(text))], []


def read_markdown(raw: bytes, name: str) -> Found:
    """One document, as it stands; the parts below its headings are sections.

    Raises:
        DocumentError: bytes that are not a text in UTF-8.
    """
    text = decoded(raw, name)
    return [Document(id=name, text=text, sections=tuple(_sections(text)), retracted=_says_retracted(text))], []


def _sections(text: str) -> list[Section]:
    """From each heading, its line included, to the next."""
    found: list[tuple[int, str, Role]] = []
    above: list[tuple[int, Role]] = []
    position, fence = 0, ""
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        plain = line.rstrip("\r\n").lstrip("\ufeff")
        heading = None if fence else _heading(plain, lines[number + 1] if number + 1 < len(lines) else "")
        if mark and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark.group(1)
        elif heading:
            level, title = heading
            above = [(at, role) for at, role in above if at < level]
            role = known_role(title)
            if role is None:
                role = above[-1][1] if above else Role.OTHER
            above.append((level, role))
            found.append((position, title, role))
        position += len(line)
    ends = [*(start for start, _, _ in found[1:]), len(text)]
    return [Section(start=s, end=e, title=t, role=r) for (s, t, r), e in zip(found, ends, strict=False)]


def _heading(line: str, following: str) -> tuple[int, str] | None:
    """Level and title of a heading: marked with #, underlined, or a known one in bold."""
    marked = _HEADING.match(line)
    if marked:
        return len(marked.group(1)), marked.group(2)
    if line.strip() and _UNDERLINE.fullmatch(following.rstrip("\r\n")):
        return (1 if following.strip()[0] == "=" else 2), line.strip()
    bold = _BOLD.fullmatch(line.strip())
    return (3, bold.group(1)) if bold and known_role(bold.group(1)) is not None else None


def _references(text: str) -> list[Section]:
    """Reference lists of a text without marked headings: from a line that says so to the next known heading."""
    found: list[Section] = []
    open_at, title, position = -1, "", 0
    for line in text.splitlines(keepends=True):
        bare = line.strip("\ufeff \t\r\n")
        role = known_role(bare) if 0 < len(bare) <= 60 and not bare.endswith((".", ",", ";")) else None
        if role is not None and open_at >= 0 and role is not Role.REFERENCES:
            found.append(Section(start=open_at, end=position, title=title, role=Role.REFERENCES))
            open_at = -1
        elif role is Role.REFERENCES and open_at < 0:
            open_at, title = position, bare
        position += len(line)
    if open_at >= 0:
        found.append(Section(start=open_at, end=len(text), title=title, role=Role.REFERENCES))
    return found


def _says_retracted(text: str) -> bool:
    """Whether its first line that says something has the mark of a retracted paper."""
    first = next((line for line in text.splitlines() if any(c.isalnum() for c in line)), "")
    return says_retracted(first[:600].rstrip("*_# "))
