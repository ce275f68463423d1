"""Markdown and HTML: text of the user never becomes markup, whatever it is."""

from __future__ import annotations

import base64
import hashlib
import re
import unicodedata
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from epoche.certificate import Certificate
from epoche.policy import Policy
from epoche.report import render
from epoche.report.markdown import code, escaped
from epoche.report.words import EMPTY, plain
from epoche.types import Kind, Unread
from tests.report import samples
from tests.report.builder import Source, evidence_of, scored, whole
from tests.report.samples import HOSTILE, SAMPLES

VOID = {"meta", "rect", "line"}
SNIPPETS = (
    *HOSTILE,
    *(
        "# h",
        "- x",
        "+ x",
        "* x",
        "1. x",
        "1) x",
        "> x",
        "```",
        "~~~",
        "===",
        "---",
        "| a | b |",
        "[^1]: x",
        "[x]: y",
    ),
    *(
        "<b>",
        "</details>",
        "<!--",
        "-->",
        "<?",
        "<![CDATA[",
        "&lt;",
        "&#60;",
        "{{ x }}",
        "{% x %}",
        "\\",
        "`",
        "``",
    ),
    *(
        "https://a.example",
        "www.a.example",
        "a@b.example",
        "@me",
        "#12",
        "GH-3",
        "o/r#4",
        ":100:",
        "$x$",
        "a1b2c3d4",
    ),
    *(
        "\r\n\r\n",
        "\n\n    code",
        "\t",
        "\x1b[31m",
        "\x9b1m",
        "\u202e",
        "\u2028",
        "\ufeff",
        "\xa0",
        "\u3000",
        "😀",
    ),
)
TEXT = st.lists(st.one_of(st.sampled_from(SNIPPETS), st.text(max_size=12)), max_size=6).flatmap(
    lambda parts: st.sampled_from(["", " ", "\n"]).map(lambda glue: glue.join(parts))
)
FIELDS = st.fixed_dictionaries(
    dict.fromkeys(("statement", "condition", "why", "evidence", "title", "unread", "dropped", "policy"), TEXT)
    | {"id": TEXT.map(lambda text: text or "-")}
)


def certificate(fields: dict[str, str]) -> Certificate:
    """One certificate whose every free text is given; the sentence supports, the long one is in parts."""
    sentence = fields["evidence"].strip() or "-"
    source = Source(fields["id"], (sentence, "Two words here."), title=fields["title"], retracted=True)
    return scored(
        Kind.CLAIM,
        fields["statement"],
        [whole(fields["condition"] or "-", why=fields["why"])],
        evidence_of(
            [source],
            parts={1: 2},
            unread=[Unread(document=fields["unread"], sentences=1, why=fields["why"])],
        ),
        [{0: (0.9, 0.01)}],
        policy=Policy(name=fields["policy"]),
        dropped=[fields["dropped"]],
        note=fields["why"],
    )


def harmless(fields: dict[str, str]) -> dict[str, str]:
    """The same with letters only, empty where it was empty."""
    return {name: "word" if text.strip() else text for name, text in fields.items()}


class Shape(HTMLParser):
    """Tags with their attributes, and whether each is closed in order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data}")


def shape(page: str) -> Shape:
    parser = Shape()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    return parser


def tokens(markdown: str) -> Iterator[Token]:
    for token in MarkdownIt("gfm-like", {"linkify": False, "html": True}).parse(markdown):
        yield token
        yield from token.children or ()


def structure(markdown: str) -> list[str]:
    """Kinds of blocks in order, and what stands in headings."""
    parsed = MarkdownIt("gfm-like", {"linkify": False, "html": True}).parse(markdown)
    kinds = []
    for i, token in enumerate(parsed):
        heading = token.type == "inline" and parsed[i - 1].type == "heading_open"
        kinds.append(f"heading {token.content}" if heading else token.type)
    return kinds


INLINE = {"text", "code_inline", "strong_open", "strong_close", "softbreak"}
#: What GitHub acts on in text that is no code.
LIVE = re.compile(r"https?:|ftp:|www\.|\S@|@\S|#\d|\bGH-\d|\$\S+\$|:[a-z0-9+_-]+:", re.IGNORECASE)


def assert_markdown_is_inert(markdown: str) -> None:
    for token in tokens(markdown):
        assert "html" not in token.type
        if token.type == "inline" or token.block:
            continue
        assert token.type in INLINE, token
        if token.type == "text":
            assert not LIVE.search(token.content), token.content


@settings(max_examples=150, deadline=None)
@given(FIELDS)
def test_markup_of_a_user_never_takes_effect(fields: dict[str, str]) -> None:
    real, tame = certificate(fields), certificate(harmless(fields))
    assert shape(render(real, "html")).tags == shape(render(tame, "html")).tags
    markdown = render(real, "md")
    assert structure(markdown) == structure(render(tame, "md"))
    assert_markdown_is_inert(markdown)
    for fmt in ("text", "md", "html"):
        raw = {c for c in render(real, fmt) if unicodedata.category(c) in {"Cc", "Cf", "Zl", "Zp"}}  # type: ignore[arg-type]
        assert raw <= {"\n", "\u200c", "\u200d"}


@settings(max_examples=300, deadline=None)
@given(TEXT)
def test_escaped_markdown_reads_as_the_text_it_was(text: str) -> None:
    shown = plain(text)
    parsed = MarkdownIt("gfm-like", {"linkify": False}).parse(f"x {escaped(shown)}")
    assert [t.type for t in parsed] == ["paragraph_open", "inline", "paragraph_close"]
    # markdown-it strips a paragraph of all Unicode spaces at its ends.
    read = "".join(t.content for t in parsed[1].children or ())
    assert read.strip() == f"x {shown}".strip()


@given(st.text(alphabet="`a ", min_size=1, max_size=12).map(plain).filter(lambda t: t != EMPTY))
def test_code_span_holds_any_run_of_backticks(text: str) -> None:
    (inline,) = (t for t in MarkdownIt().parse(f"x{code(text)}x") if t.type == "inline")
    assert [(t.type, t.content) for t in inline.children or ()] == [
        ("text", "x"),
        ("code_inline", text),
        ("text", "x"),
    ]


@given(st.text())
def test_plain_text_is_one_visible_line_and_stays_as_it_is(text: str) -> None:
    shown = plain(text)
    assert shown
    assert len(shown.splitlines()) == 1
    assert shown.isprintable() or any(unicodedata.category(c) in {"Zs", "Co", "Cn", "Cf"} for c in shown)
    assert plain(shown) == shown


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_is_inert_markdown_and_closed_html(name: str) -> None:
    sample = SAMPLES[name]()
    assert_markdown_is_inert(render(sample, "md"))
    page = shape(render(sample, "html"))
    assert {"script", "iframe", "img", "a", "link", "object", "form"}.isdisjoint(tag for tag, _ in page.tags)
    attributes = [name for _, attrs in page.tags for name, _ in attrs]
    assert not [a for a in attributes if a.startswith("on") or a in {"style", "src", "href"}]


@pytest.mark.parametrize("name", SAMPLES)
def test_page_is_accessible_in_its_structure(name: str) -> None:
    page = shape(render(SAMPLES[name](), "html"))
    assert page.tags[0] == ("html", (("lang", "en"),))
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(deeper <= level + 1 for level, deeper in pairwise(levels))
    ids = [value for _, attrs in page.tags for key, value in attrs if key == "id"]
    assert len(ids) == len(set(ids))
    named = [dict(attrs) for tag, attrs in page.tags if tag == "svg"]
    assert all(attrs["aria-hidden"] == "true" for attrs in named)


def test_page_allows_its_own_style_and_nothing_else() -> None:
    page = render(samples.supported(), "html")
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in policy
    assert "url(" not in style
    assert "@import" not in style


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("fmt", ["text", "md", "html"])
def test_formats_say_the_same(name: str, fmt: str) -> None:
    """Statement, conditions and every quoted sentence of the text stand in each format."""
    sample = SAMPLES[name]()
    said = {plain(sample.statement.text), *(plain(c.text) for c in sample.conditions)}
    quoted = re.findall(r"“(.*)”", render(sample, "text", width=100_000))
    if fmt == "md":
        parsed = MarkdownIt().parse(render(sample, "md"))
        shown = "\n".join("".join(c.content for c in t.children or ()) for t in parsed)
    elif fmt == "html":
        shown = "".join(shape(render(sample, "html")).text)
    else:
        shown = render(sample, "text", width=100_000)
    for text in (*said, *quoted):
        assert text in shown
    assert ("RETRACTED" in shown) == any(d.retracted for d in sample.evidence.documents)


@pytest.mark.parametrize(
    ("name", "label"), [("supported", "Supported"), ("below_threshold", "No answer (abstained)")]
)
def test_markdown_opens_with_the_label(name: str, label: str) -> None:
    assert render(SAMPLES[name](), "md").splitlines()[0] == f"# {label}"
