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
    style = _file("page.css")
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    return _template().render(view=view, words=words, marks=MARKS, style=_as_is(style), style_sha256=digest)


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.from_string(_file("page.html.jinja"))


def _as_is(style: str) -> str:
    from markupsafe import Markup

    # Our own file, and the only text that is not escaped.
    return Markup(style)


def _file(name: str) -> str:
    return resources.files("epoche.report").joinpath(name).read_text(encoding="utf-8")
