"""What the pages of the docs share."""

from __future__ import annotations

from epoche.report.bench_tables import Table, to_markdown


def body(table: Table) -> str:
    """The table without its title: the page has its own headings."""
    return to_markdown(table).partition("\n\n")[2].strip()
