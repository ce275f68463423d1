"""Report as one HTML page: no scripts, nothing loaded from elsewhere, light and dark, on screen and paper.

The template escapes every value by itself; its policy allows its own style sheet and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Final

from epoche.report import words
from epoche.report.blocks import Tone, View

if TYPE_CHECKING:
    from jinja2 import Template

#: A shape beside each colour, so that no meaning hangs on colour alone.
MARKS: Final[dict[Tone, str]] = {
    "support": "✓",
    "contradict": "✕",
    "unsettled": "?",
    "abstained": "‖",
    "failed": "!",
}


def render_html(view: View) -> str:
    """The report as a page that stands alone."""
    style = file_text("page.css")
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    return template("page.html.jinja").render(
        view=view, words=words, marks=MARKS, style=as_is(style), style_sha256=digest
    )


@cache
def template(name: str) -> Template:
    """A template of this package; it escapes every value by itself."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.from_string(file_text(name))


def as_is(text: str) -> str:
    """Text that is not escaped: our own files, and what was escaped before."""
    from markupsafe import Markup

    return Markup(text)


def file_text(name: str) -> str:
    """A file of this package."""
    return resources.files("epoche.report").joinpath(name).read_text(encoding="utf-8")
