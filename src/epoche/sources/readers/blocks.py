"""A text written block by block, as pages and word processors give it."""

from __future__ import annotations

from collections.abc import Sequence

from epoche.sources.sections import Text, add_labelled, clean
from epoche.types import Role

#: A row with a longer cell is no row of data: tables are used for layout too.
_CELL = 300


class Blocks:
    """Headings, paragraphs and tables in order; an abstract is split at its labels."""

    def __init__(self) -> None:
        self._text = Text()
        self._abstract: list[str] | None = None
        self._level = 1
        #: Every paragraph, without headings and tables.
        self.paragraphs: list[str] = []

    def heading(self, title: str, level: int) -> None:
        """Begin a section."""
        title = clean(title)
        if title:
            self._end_abstract()
            self._text.heading(title, level)
            self._level = level
            self._abstract = [] if title.casefold().strip(" .:") == "abstract" else None

    def paragraph(self, text: str) -> None:
        """Append a paragraph."""
        text = clean(text)
        if text:
            self.paragraphs.append(text)
            if self._abstract is None:
                self._text.paragraph(text)
            else:
                self._abstract.append(text)

    def caption(self, text: str, title: str = "") -> None:
        """Append the text of a figure or a table, beside the section."""
        text = clean(text)
        if text:
            self._write_abstract()
            self._text.aside(title, Role.CAPTION, [text])

    def table(self, rows: Sequence[Sequence[str]]) -> None:
        """Append a table beside the section, each row a paragraph; cells of prose go into the section."""
        lines: list[str] = []
        for row in rows:
            cells = [cell for cell in map(clean, row) if cell]
            if len(cells) == 1 or any(len(cell) > _CELL for cell in cells):
                self._beside(lines)
                lines = []
                for cell in cells:
                    self.paragraph(cell)
            elif cells:
                lines.append(" | ".join(cells))
        self._beside(lines)

    def done(self) -> Text:
        """All of it."""
        self._end_abstract()
        return self._text

    def _beside(self, lines: list[str]) -> None:
        if lines:
            self._write_abstract()
            self._text.aside("Table", Role.CAPTION, lines)

    def _write_abstract(self) -> None:
        if self._abstract:
            add_labelled(self._text, "\n\n".join(self._abstract), self._level + 1)
            self._abstract = []

    def _end_abstract(self) -> None:
        self._write_abstract()
        self._abstract = None
