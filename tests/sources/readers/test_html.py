from __future__ import annotations

import time

import pytest

from epoche.errors import DocumentError
from epoche.types import Document, Role

pytest.importorskip("trafilatura")

from epoche.sources.readers import html

HEAD = """<meta charset="utf-8"><title>Bark cools trout | Journal of Rivers</title>
<meta name="citation_title" content="Bark cools trout"><meta name="citation_article_type" content="Original Paper">
<meta name="citation_publication_date" content="2019/03/02">"""
FEVER = (
    "Fever fell by 2 °C in treated fish. It did not fall in the others, which were fed on plain bread all along."
)
PAGE = """<!DOCTYPE html><html lang="en"><head>%s</head><body>
<nav><a href="/">Home</a> <a href="/login">Sign in</a></nav>
<article><h1>Bark cools trout</h1><p>Anna Pike, Bo Brook</p>
<section><h2>Abstract</h2>
<p><b>Methods:</b> We fed willow bark to forty trout in two warm rivers for eight weeks.</p>
<p><b>Results:</b> Fever fell by two degrees in treated fish and not in the others.</p></section>
<section><h2>1. Introduction</h2><p>Trout fall ill in warm rivers<sup><a href="#r1">1</a>,<a href="#r2">2</a></sup>.
Nobody knows what helps them [<a href="#r1">1</a>, <a href="#r2">2</a>], and bark <a href="#r1">[1]</a> may
(Fig. <a href="#f1">1</a>). It has been used by people for a long time, in doses of 10<sup>3</sup> mg.</p></section>
<section><h2>2. Methods</h2><h3>2.1 Fish</h3><p>We caught forty trout by hand. They weighed 300 g on average.</p>
<figure><img src="a.png" alt=""><figcaption>Figure 1. Fever by week.</figcaption></figure>
<table><tr><th>Group</th><th>Dose</th></tr><tr><td>Bark</td><td>9 mg</td></tr></table>
<ul><li>The first river was warm.</li><li>The second river was cold.</li></ul></section>
<section><h2>Results</h2><p>%s</p></section>
<section><h2>References</h2><ol><li id="r1">Pike A. Bark. River J. 1999;1:2-3.</li>
<li id="r2">Brook B. Eels. 2000.</li></ol></section>
</article><footer>© River Press. We use cookies.</footer></body></html>"""


def page(head: str = HEAD, text: str = FEVER) -> bytes:
    return (PAGE % (head, text)).encode()


def one(raw: bytes) -> Document:
    ((document,), unread) = html.read(raw, "p.html")
    assert unread == []
    return document


def parts(document: Document) -> list[tuple[str, str, Role]]:
    return [(s.title, document.text[s.start : s.end], s.role) for s in document.sections]


def test_a_page_with_its_parts() -> None:
    document = one(page())
    facts = (document.id, document.title, document.year, document.study, document.retracted)
    assert facts == ("p.html", "Bark cools trout", 2019, "Original Paper", False)
    assert parts(document) == [
        ("Bark cools trout", "Anna Pike, Bo Brook", Role.OTHER),
        ("Methods", "We fed willow bark to forty trout in two warm rivers for eight weeks.", Role.METHODS),
        ("Results", "Fever fell by two degrees in treated fish and not in the others.", Role.RESULTS),
        (
            "1. Introduction",
            "Trout fall ill in warm rivers. Nobody knows what helps them, and bark may (Fig. 1). It has been used"
            " by people for a long time, in doses of 103 mg.",
            Role.BACKGROUND,
        ),
        ("2.1 Fish", "We caught forty trout by hand. They weighed 300 g on average.", Role.METHODS),
        ("Table", "Group | Dose\n\nBark | 9 mg", Role.CAPTION),
        ("2.1 Fish", "The first river was warm.\n\nThe second river was cold.", Role.METHODS),
        ("Results", FEVER, Role.RESULTS),
        ("References", "Pike A. Bark. River J. 1999;1:2-3.\n\nBrook B. Eels. 2000.", Role.REFERENCES),
        ("", "Figure 1. Fever by week.", Role.CAPTION),
    ]
    assert "cookies" not in document.text


@pytest.mark.parametrize(
    ("head", "text"),
    [
        ('<meta name="citation_title" content="RETRACTED: Bark cools trout">', FEVER),
        ("<title>Retracted Article: Bark cools trout</title>", FEVER),
        ('<meta name="citation_article_type" content="Retracted Article">', FEVER),
        ("", f"{FEVER} This article has been retracted at the wish of the trout."),
    ],
)
def test_retractions(head: str, text: str) -> None:
    assert one(page(head, text)).retracted
    assert not one(page("", FEVER)).retracted


def test_the_title_without_metadata_is_the_first_heading() -> None:
    document = one(page(""))
    assert (document.title, document.year, document.study) == ("Bark cools trout", None, "")


@pytest.mark.parametrize(
    ("encoding", "head"),
    [
        ("utf-8", ""),
        ("utf-8-sig", ""),
        ("utf-16", ""),
        ("cp1252", '<meta charset="iso-8859-1">'),
        ("cp1252", ""),
        ("cp1252", '<meta charset="utf-8">'),
        ("cp1252", '<meta charset="klingon">'),
        ("cp1252", '<meta charset="punycode">'),
        ("utf-8", '<meta charset="utf-16">'),
        ("koi8-r", '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">'),
    ],
)
def test_encodings(encoding: str, head: str) -> None:
    text = FEVER.replace("°", "Ж" if encoding == "koi8-r" else "ö")
    raw = (PAGE.replace("©", "") % (head, text)).encode(encoding)
    assert text in one(raw).text


def test_controls_are_blanks() -> None:
    text = FEVER.replace("fell", "fell&#1;").replace("others", "others\x0b\x1f&#xFFFF;")
    text += "<sup><a href='#r'>1</a></sup>\x02<img alt='\x01&#2;'>"
    assert "Fever fell by 2 °C in treated fish. It did not fall in the others , which" in one(page(text=text)).text


def test_an_xhtml_declaration_is_no_obstacle() -> None:
    assert FEVER in one(b'<?xml version="1.0" encoding="utf-8"?>\n' + page()).text


def test_words_across_line_breaks_and_in_layout_tables() -> None:
    prose = "Trout that were fed on bark for eight weeks had less fever than trout that were fed on bread. " * 4
    raw = f"<html><body><table><tr><td>Menu</td><td><p>{prose}</p></td></tr></table></body></html>"
    assert prose.strip() in one(raw.encode()).text
    assert f"It was warm. {FEVER}" in one(page(text=f"It was<br>warm. {FEVER}")).text


WALLS = [
    "<title>Sign in to River Press</title><body><form><input name=u><input type=password></form><p>Forgot it?</p>",
    "<title>River Press</title><body><p>Sign in to continue to the article that you asked for.</p>",
    "<title>Just a moment...</title><body><noscript>Enable JavaScript and cookies to continue</noscript>",
    "<title>Access Denied</title><body><h1>Access Denied</h1><p>You don't have permission to access this page.</p>",
    "<title>River</title><body><div id=app></div><noscript>You need to enable JavaScript to run it.</noscript>",
    "<title>River</title><body><p>Please confirm that you are not a robot by ticking the box below.</p>",
    "<title>Bark</title><body><p>We and our partners use cookies to measure how our pages are read.</p>"
    "<button>Accept all cookies</button>",
    "<title>Bark</title><body><h1>Bark</h1><p>Purchase access to this article for 39 dollars, or rent it.</p>",
    "<title>404 Not Found</title><body><p>The paper that you asked for is not on this server any more.</p>",
    "<title>Bark</title><body><p>Trout.</p><form><input type='Password'></form>",
]


@pytest.mark.parametrize("raw", WALLS)
def test_walls_are_no_evidence(raw: str) -> None:
    with pytest.raises(DocumentError, match="looks like a login or access page") as caught:
        html.read(f"<!DOCTYPE html><html><head>{raw}</body></html>".encode(), "p.html")
    assert "or give the PDF" in str(caught.value)
    assert caught.value.source == "p.html"


def test_an_abstract_on_a_page_with_a_wall_is_read() -> None:
    abstract = f"<h2>Abstract</h2><p>{FEVER} {FEVER} {FEVER}</p><p>Sign in to read the whole article.</p>"
    raw = f"<html><head><title>Bark</title></head><body><article>{abstract}</article></body></html>"
    assert FEVER in one(raw.encode()).text


@pytest.mark.parametrize("title", ["Bark", "404 trout", "Signs in trout"])
def test_a_short_page_is_read(title: str) -> None:
    around = "<form><input type=password></form><footer>We use cookies. Sign in to continue.</footer>"
    body = f"<article><h1>{title}</h1><p>{FEVER}</p></article>{around}"
    assert one(f"<html><head><title>{title}</title></head><body>{body}</body></html>".encode()).text == FEVER


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "p.html is empty"),
        (b"\xef\xbb\xbf \n", "p.html is empty"),
        (b"%PDF-1.7 ...", "is a PDF: name it .pdf"),
        (b"PK\x03\x04\x00\x00", "holds zero bytes"),
        (b"<html><script>let x = 'Fever fell.';</script></html>", "holds no main text"),
        (b"<html><body></body></html>", "holds no main text"),
        (b"<!-- nothing -->", "holds no"),
        (b"<div>" * 50_000 + b"<p>Fever fell.</p>" + b"</div>" * 50_000, "nests its elements too deep"),
        (b"<p>" + b"<b>" * 50_000 + b"Fever fell.", "nests its elements too deep"),
    ],
)
def test_what_cannot_be_read_says_so(raw: bytes, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        html.read(raw, "p.html")


def test_a_page_cut_off_gives_what_is_there() -> None:
    raw = page()
    assert "We caught forty trout by hand." in one(raw[: raw.index(b"300 g")]).text


def test_nothing_on_the_machine_is_looked_at() -> None:
    raw = b'<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/hostname">]>' + page(text=f"&x; {FEVER}")
    assert "&x;" in one(raw).text


@pytest.mark.parametrize(
    "piece",
    ["<div>Fever fell by two degrees.</div>", "<a href='#x'>1</a> ", "[<sup>", "<li>Fever.</li>", "<meta x="],
)
def test_long_pages_end(piece: str) -> None:
    started = time.monotonic()
    raw = page(text=FEVER + piece * (200 if piece == "[<sup>" else 20_000))
    assert FEVER in one(raw).text
    assert time.monotonic() - started < 20
