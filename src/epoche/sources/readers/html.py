"""Saved web pages: their main text, without what stands around it."""

from __future__ import annotations

import codecs
import logging
import re
from collections.abc import Iterator
from typing import Any

from epoche.errors import DocumentError, MissingExtra
from epoche.sources.readers.blocks import Blocks
from epoche.sources.readers.plain import Found
from epoche.sources.readers.xml_text import year_in
from epoche.sources.sections import clean, says_retracted

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_CHARSET = re.compile(rb"""<(?:meta|\?xml)\s[^>]{0,200}?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]{2,30})""", re.I)
_ENCODINGS = re.compile(
    r"utf-?(?:8|16(?:[lb]e|-[lb]e)?)|iso-?8859-\d{1,2}|latin-?1|windows-\d{3,4}|cp125\d|us-ascii|ascii|gb2312|gbk"
    r"|gb18030|big5(?:-hkscs)?|euc-(?:jp|kr)|shift[_-]jis|iso-2022-jp|koi8-[ru]|macintosh",
    re.I,
)
_WALL = re.compile(
    r"(?:sign|log)[ -]?in (?:to (?:continue|read|access|view|see|your)|with your|via your|through your|required)"
    r"|access denied|access to this (?:page|site|resource) (?:is|has been) (?:denied|blocked)|just a moment"
    r"|(?:enable|requires?|turn on) (?:javascript|cookies|js\b)"
    r"|javascript (?:is|must be) (?:disabled|enabled|required)"
    r"|checking (?:your browser|if the site connection)|verify(?:ing)? (?:that )?you are (?:a )?human|captcha"
    r"|(?:are you|not) a robot|unusual traffic|(?:purchase|buy|get|rent) (?:full |instant )?access"
    r"|subscribe to (?:continue|read|view)|subscription (?:is )?required|institutional (?:login|access)"
    r"|create (?:a free|an) account|uses? cookies|accept (?:all )?cookies|cookie (?:policy|preferences|settings)"
    r"|403 forbidden|401 unauthorized|request (?:blocked|rejected)|session (?:has )?(?:expired|timed out)"
    r"|you (?:do not|don.t) have (?:access|permission)",
    re.I,
)
_WALL_TITLE = re.compile(
    r"(?:sign|log)[ -]?in(?: to .{0,60}| ?[|–—-].{0,60})?|just a moment\W*|access denied.{0,40}"
    r"|attention required.{0,30}|robot check"
    r"|(?:error )?40[134]\W*(?:(?:error|forbidden|unauthori[sz]ed|not found|page).{0,30})?"
    r"|security check.{0,30}|page not found.{0,40}",
    re.I,
)
_RETRACTED = re.compile(
    r"\b[Tt]his (?:article|paper) (?:has been|was|is) retracted\b|\bRETRACTED (?:ARTICLE|PAPER)\b"
)
_LISTED = re.compile(
    r"(?:^|[\s_-])(?:references?(?:-?list)?|ref-?list|bibliography|reflist|citation-?list)(?:$|[\s_-])", re.I
)
#: With fewer characters of other text a page is a wall: by its title, by its text, by what stands around that.
_TITLED, _INSIDE, _AROUND = 1500, 250, 100
#: Of more elements no second extraction is made for comparison: its time grows with their square.
_MANY = 10_000
_NUMBERING = frozenset("0123456789[]() \t\r\n\u00a0,;–—‒-")
#: Around the numbers of references until a paragraph is whole, for an extraction drops what cannot be printed.
_OPEN, _SHUT = "⁅", "⁆"
_CITATION = re.compile(r" ?\[(?:[ ,;–—‒-]*⁅[^⁅⁆]{1,20}⁆)+[ ,;–—‒-]*\]| ?⁅\[[^⁅⁆]{1,20}\]⁆")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_TITLES = ("citation_title", "dc.title", "dcterms.title", "og:title")
_DATES = """citation_publication_date citation_date citation_year citation_online_date dc.date dcterms.issued
    dc.date.issued prism.publicationdate article:published_time""".split()


def read(raw: bytes, name: str) -> Found:
    """The main text of a page; numbers that only point to references are left out.

    Raises:
        DocumentError: no page, no main text, or a page that asks for a login.
        MissingExtra: trafilatura is not installed.
    """
    try:
        import trafilatura
        from lxml import etree, html
    except ImportError:
        raise MissingExtra("reading .html", "papers") from None
    logger = logging.getLogger("trafilatura")
    if not logger.handlers:
        # It reports pages without text to stderr; here they are errors.
        logger.addHandler(logging.NullHandler())

    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        tree = html.document_fromstring(_decoded(raw, name).encode("utf-8", "replace"), parser=parser)
    except etree.ParserError:
        raise DocumentError(f"{name} holds no page: save the page again, or give the PDF", source=name) from None
    if any("xcessive depth" in entry.message for entry in parser.error_log):
        raise DocumentError(f"{name} nests its elements too deep to be read: give the PDF", source=name)
    etree.strip_elements(tree, "style", "template", with_tail=False)
    _without_controls(tree)
    facts, page = _facts(tree), _page(tree)
    captions = _prepared(tree)
    # As links, many references would make a paragraph look like a menu.
    etree.strip_tags(tree, "citation")
    fast = sum(1 for _ in tree.iter()) > _MANY
    found = trafilatura.bare_extraction(tree, include_comments=False, fast=fast)
    blocks = Blocks()
    if found is not None and not isinstance(found, dict):
        _write(found.body, blocks)
    _check(blocks, facts, page, name)
    for caption in captions:
        blocks.caption(caption)
    document = blocks.done().document(
        name,
        title=next((t for t in facts["titles"] if t), ""),
        year=next((y for y in map(year_in, facts["dates"]) if y), None),
        study=next(iter(facts["types"]), ""),
        retracted=any(map(says_retracted, facts["titles"]))
        or any("retract" in kind.lower() for kind in facts["types"])
        or _RETRACTED.search(page) is not None,
    )
    return [document], []


def _decoded(raw: bytes, name: str) -> str:
    """By byte order mark, by what the page declares, as UTF-8, as Windows-1252: the first that fits."""
    if raw.startswith(b"%PDF"):
        raise DocumentError(f"{name} is a PDF: name it .pdf", source=name)
    tried = [encoding for mark, encoding in _MARKS if raw.startswith(mark)]
    declared = _CHARSET.search(raw[:4096])
    label = declared.group(1).decode("ascii", "replace").lower() if declared else ""
    if _ENCODINGS.fullmatch(label):
        # What is called Latin 1 on the web is Windows-1252, and what a meta element in ASCII calls UTF-16 is not.
        tried.append(re.sub(r"^(?:iso-?8859-1|latin-?1|us-ascii|ascii)$", "cp1252", label))
    for encoding in [e for e in tried if not (e.startswith("utf-16") and declared)] + ["utf-8"]:
        try:
            text = raw.decode(encoding)
            break
        except (UnicodeDecodeError, LookupError):
            continue
    else:
        text = raw.decode("cp1252", "replace")
    if "\x00" in text:
        raise DocumentError(f"{name} is not a web page (it holds zero bytes): save it as .html", source=name)
    if not text.strip("\ufeff \t\r\n\v\f"):
        raise DocumentError(f"{name} is empty", source=name)
    return text


def _without_controls(tree: Any) -> None:
    """Takes out what lxml reads and does not write: an extraction would break off at it."""
    for element in tree.iter():
        if _CONTROLS.search(element.text or ""):
            element.text = _CONTROLS.sub(" ", element.text)
        if _CONTROLS.search(element.tail or ""):
            element.tail = _CONTROLS.sub(" ", element.tail)
        for key, value in element.items():
            if _CONTROLS.search(value):
                element.set(key, _CONTROLS.sub(" ", value))


def _facts(tree: Any) -> dict[str, list[str]]:
    """What the page says of itself, the best first."""
    meta: dict[str, str] = {}
    for element in tree.iter("meta"):
        key = (element.get("name") or element.get("property") or "").lower()
        meta.setdefault(key, clean(element.get("content") or ""))
    shown = [clean(e.text_content()) for tag in ("h1", "title") for e in list(tree.iter(tag))[:1]]
    return {
        "titles": [meta[k] for k in _TITLES if k in meta] + shown,
        "dates": [meta[k] for k in _DATES if k in meta],
        "types": [meta[k] for k in ("citation_article_type",) if meta.get(k)],
        "forms": ["password" for e in tree.iter("input") if (e.get("type") or "").lower() == "password"][:1],
    }


def _page(tree: Any) -> str:
    """All that is shown, in one line."""
    parts: list[str] = []
    for element in tree.iter():
        if isinstance(element.tag, str) and element.tag not in ("script", "title") and element.text:
            parts.append(element.text)
        parts.append(element.tail or "")
    return clean(" ".join(parts))


def _prepared(tree: Any) -> list[str]:
    """Takes captions of figures out, which would get lost, and marks numbers that point to references."""
    captions = []
    length = len(tree.text_content())
    for element in list(tree.iter("ol", "ul", "section", "div")):
        names = f"{element.get('class') or ''} {element.get('id') or ''}"
        # A wrapper around the whole page may be called anything.
        if _LISTED.search(names) and element.getparent() is not None and len(element.text_content()) < length / 2:
            element.drop_tree()
    for element in list(tree.iter("figcaption")):
        captions.append(clean(element.text_content()))
        element.drop_tree()
    for element in list(tree.iter("sup")):
        links = any("#" in (a.get("href") or "") for a in element.iter("a"))
        if links and _NUMBERING.issuperset(element.text_content()) and element.getparent() is not None:
            element.drop_tree()
    for element in tree.iter("a"):
        text = element.text_content() if "#" in (element.get("href") or "") else ""
        if 0 < len(text) <= 20 and _NUMBERING.issuperset(text):
            for child in list(element):
                element.remove(child)
            element.text = f"{_OPEN}{text.strip()}{_SHUT}"
            element.tag = "citation"
    return captions


def _check(blocks: Blocks, facts: dict[str, list[str]], page: str, name: str) -> None:
    """No text, or only what stands before a text: an error."""
    told = sum(len(p) for p in blocks.paragraphs if len(p) >= 40 and not _WALL.search(p))
    titled = any(_WALL_TITLE.fullmatch(title) for title in facts["titles"])
    inside = any(map(_WALL.search, blocks.paragraphs))
    around = facts["forms"] or _WALL.search(page)
    if (titled and told < _TITLED) or (inside and told < _INSIDE) or (around and told < _AROUND):
        raise DocumentError(
            f"{name} looks like a login or access page, not the paper: save the page that shows the text,"
            " or give the PDF",
            source=name,
        )
    if not blocks.paragraphs:
        raise DocumentError(f"{name} holds no main text: save the page that shows it, or give the PDF", source=name)


def _write(body: Any, blocks: Blocks) -> None:
    """What trafilatura found, block by block."""
    todo: list[Any] = [body]
    line: list[str] = []
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            line.append(item)
            continue
        tag = None if item is None else item.tag
        if tag in (None, "head", "table", "p", "item", "list", "quote", "code", "body"):
            blocks.paragraph(_tidy("".join(line)))
            line = []
        if tag == "head":
            level = (item.get("rend") or "")[1:]
            blocks.heading(_tidy("".join(item.itertext())), int(level) if level in set("123456") else 2)
        elif tag == "table":
            blocks.table(list(_rows(item)))
        elif tag == "lb":
            line.append(" ")
        elif item is not None and isinstance(tag, str):
            if tag in ("p", "item", "list", "quote", "code", "body"):
                todo.append(None)
            for child in reversed(item):
                todo += [child.tail or "", child]
            todo.append(item.text or "")


def _rows(table: Any) -> Iterator[list[str]]:
    for row in table.iterchildren("row"):
        yield [_tidy(" ".join(cell.itertext())) for cell in row.iterchildren("cell")]


def _tidy(line: str) -> str:
    return _CITATION.sub("", " ".join(line.split())).replace(_OPEN, "").replace(_SHUT, "")
