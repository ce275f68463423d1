"""Report: a certificate → terminal text, JSON, Markdown or HTML. It computes nothing, it only words.

words      every word for people
view       certificate → parts of a report (`blocks`), the same for every format
text, markdown, html, canonical   one format each
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

from epoche.errors import OptionError

if TYPE_CHECKING:
    from epoche.certificate import Certificate

Format = Literal["text", "json", "md", "html"]


def render(certificate: Certificate, fmt: Format, *, colour: bool = False, width: int = 100) -> str:
    """The report of a certificate, with a newline at its end.

    Args:
        fmt: `text` (its first line is the outcome), `json` (the certificate itself), `md`
            (GitHub Markdown) or `html` (one page without scripts, nothing is loaded from elsewhere).
        colour: ANSI colours; `text` only.
        width: columns to wrap at; `text` only. Words are never cut.

    Raises:
        OptionError: an unknown format.
        CertificateError: the certificate refers to something that it does not hold.
    """
    if fmt == "json":
        from epoche.report.canonical import render_json

        return render_json(certificate)
    if fmt not in get_args(Format):
        raise OptionError(f"no report format {fmt!r}: give one of {', '.join(get_args(Format))}")

    from epoche.report.view import view

    parts = view(certificate)
    if fmt == "text":
        from epoche.report.text import render_text

        return render_text(parts, colour=colour, width=width)
    if fmt == "md":
        from epoche.report.markdown import render_markdown

        return render_markdown(parts)
    from epoche.report.html import render_html

    return render_html(parts)


def certificate_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of what `render(certificate, "json")` writes."""
    from epoche.report.canonical import certificate_schema as make

    return make()
