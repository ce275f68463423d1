"""Ten PDFs, typeset here: what a reader of papers meets."""

from __future__ import annotations

import io
import re
from pathlib import Path
from random import Random
from typing import Any

import matplotlib
from PIL import Image, ImageDraw
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT = A4
pdfmetrics.registerFont(TTFont("Sans", str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf")))


def canvas(stream: io.BytesIO, **options: object) -> Canvas:
    return Canvas(stream, pagesize=A4, invariant=1, **options)


def write(c: Canvas, x: float, y: float, rows: list[str], font: str = "Times-Roman", size: float = 10) -> float:
    """Rows below each other from a baseline on; where the next would stand."""
    for row in rows:
        c.setFont(font, size)
        c.drawString(x, y, row)
        y -= 1.2 * size
    return y


LEFT = [
    "Introduction",
    "    Statins lower the level of cholesterol in blood. Whether they",
    "also protect against dementia is not known. Here we report a ran-",
    "domised trial in adults over sixty, with a follow-up of five years",
    "and a double-",
    "blind design.",
    "Results",
    "    Dementia occurred in 40 of 500 adults given a statin and in 42",
    "of 500 given placebo. The difference was not significant (p = 0.8).",
    "    Muscle pain was more frequent with a statin. It led to with-",
]
RIGHT = [
    "drawal in 6% of the patients. No patient died of rhabdo-",
    "myolysis, and creatine kinase stayed below 5 times the upper limit",
    "in all others.",
    "Discussion",
    "    In this trial statins did not prevent dementia. Our follow-up was",
    "short and our patients were well. Longer trials are needed.",
    "References",
    "1. Abel A. Statins prevent dementia in all adults. J Inv. 2001.",
    "2. Berg B. Statins cause dementia in mice. J Inv. 2002.",
]
HEADINGS = {"Introduction", "Results", "Discussion", "References"}


def column(c: Canvas, x: float, y: float, rows: list[str]) -> None:
    for row in rows:
        if row in HEADINGS:
            y -= 6
            c.setFont("Times-Bold", 10)
            c.drawString(x, y, row)
        else:
            c.setFont("Times-Roman", 9)
            c.drawString(x + (12 if row.startswith(" ") else 0), y, row.strip())
        y -= 12


def two_columns(interleaved: bool = False) -> bytes:
    """Title and abstract over both columns, running head, page number; rows of both columns in turn or not."""
    stream = io.BytesIO()
    c = canvas(stream)
    write(c, 60, 800, ["J Inv Res 2026; 12: 100-102"], size=8)
    write(c, 60, 770, ["Statins and dementia: a randomised trial"], "Times-Bold", 16)
    write(c, 60, 745, ["Ada Abel and Bo Berg"])
    y = write(c, 60, 725, ["Abstract"], "Times-Bold")
    y = write(
        c,
        60,
        y,
        [
            "We gave 1000 adults over sixty a statin or placebo and followed them for five years in two towns.",
            "Statins did not prevent dementia. They caused muscle pain.",
        ],
        size=9,
    )  # fmt: skip
    if interleaved:
        yl, yr = y - 20, y - 20
        for left, right in zip(LEFT, [*RIGHT, ""], strict=True):
            column(c, 40, yl, [left])
            column(c, 310, yr, [right] if right else [])
            yl -= 12 + (6 if left in HEADINGS else 0)
            yr -= 12 + (6 if right in HEADINGS else 0)
    else:
        column(c, 40, y - 20, LEFT)
        column(c, 310, y - 20, RIGHT)
    write(c, 290, 40, ["100"], size=8)
    c.save()
    return stream.getvalue()


TWO_COLUMNS = [
    "J Inv Res 2026; 12: 100-102",
    "Ada Abel and Bo Berg",
    "We gave 1000 adults over sixty a statin or placebo and followed them for five years in two towns.",
    "Statins did not prevent dementia.",
    "They caused muscle pain.",
    "Statins lower the level of cholesterol in blood.",
    "Whether they also protect against dementia is not known.",
    "Here we report a randomised trial in adults over sixty, with a follow-up of five years and a double-blind "
    "design.",
    "Dementia occurred in 40 of 500 adults given a statin and in 42 of 500 given placebo.",
    "The difference was not significant (p = 0.8).",
    "Muscle pain was more frequent with a statin.",
    "It led to withdrawal in 6% of the patients.",
    "No patient died of rhabdomyolysis, and creatine kinase stayed below 5 times the upper limit in all others.",
    "In this trial statins did not prevent dementia.",
    "Our follow-up was short and our patients were well.",
    "Longer trials are needed.",
]  # fmt: skip


def ligatures() -> bytes:
    """fi, fl, ffi as one character, and a hyphen that only a line's end asks for."""
    stream = io.BytesIO()
    c = canvas(stream)
    rows = [
        "The \ufb01rst trial found no e\ufb00ect. In\ufb02ammation was di\ufb03cult to mea-",
        "sure, and \ufb01brosis did not change. The dose was 5 µM, not 5 mM, and IL-",
        "6 fell from 3.5 ± 0.2 to 1.1 ng/mL.",
    ]
    write(c, 60, 760, rows, "Sans", 11)
    c.save()
    return stream.getvalue()


LIGATURES = [
    "The first trial found no effect.",
    "Inflammation was difficult to measure, and fibrosis did not change.",
    "The dose was 5 µM, not 5 mM, and IL-6 fell from 3.5 ± 0.2 to 1.1 ng/mL.",
]


def footnotes() -> bytes:
    """Sentences that go on over a footnote and a page's end, with raised marks."""
    stream = io.BytesIO()
    c = canvas(stream)
    for page, rows, note in (
        (1, ["Zinc shortened colds by one day", "in adults", "who took it early, and more so in those"],
         "* Funded by a maker of zinc."),
        (2, ["who took more. Children did not benefit. The trial was stopped", "after two winters."],
         "1 Two children were lost to follow-up."),
    ):  # fmt: skip
        write(c, 60, 800, [f"Zinc and colds {page}"], size=8)
        text = c.beginText(60, 760)
        text.setFont("Times-Roman", 11)
        for number, row in enumerate(rows):
            text.textOut(row)
            if (page, number) in ((1, 1), (2, 0)):
                text.setFont("Times-Roman", 7)
                text.setRise(4)
                text.textOut("*" if page == 1 else "1,2")
                text.setRise(0)
                text.setFont("Times-Roman", 11)
            if (page, number) != (1, 0):
                text.textLine()
            else:
                text.textOut(" ")
        c.drawText(text)
        write(c, 60, 90, [note], size=8)
        write(c, 295, 40, [str(page)], size=8)
        c.showPage()
    c.save()
    return stream.getvalue()


FOOTNOTES = [
    (1, "Funded by a maker of zinc."),
    (1, "Zinc shortened colds by one day in adults who took it early, and more so in those who took more."),
    (2, "Children did not benefit."),
    (2, "The trial was stopped after two winters."),
    (2, "1 Two children were lost to follow-up."),
]  # fmt: skip


def table() -> bytes:
    """A table with its caption in the middle of a paragraph."""
    stream = io.BytesIO()
    c = canvas(stream)
    write(c, 60, 760, ["Results"], "Times-Bold", 13)
    y = write(c, 60, 738, ["Fractures were less frequent with the drug, as Table 1 shows, and the number with a",
                           "fracture of the hip was halved in those who"])  # fmt: skip
    y = write(c, 60, y - 14, ["Table 1. Fractures in both groups of women."], size=9)
    for row in (("Fracture", "Drug", "Placebo"), ("Hip", "10", "20"), ("Spine", "31", "55")):
        for x, cell in zip((60, 200, 300), row, strict=True):
            write(c, x, y, [cell], size=9)
        y -= 12
    write(c, 60, y - 14, ["took it for three years. Falls did not change."])
    c.save()
    return stream.getvalue()


TABLE = [
    ("caption", "Table 1."),
    ("caption", "Fractures in both groups of women."),
    ("results", "Fractures were less frequent with the drug, as Table 1 shows, and the number with a fracture of "
     "the hip was halved in those who took it for three years."),
    ("results", "Falls did not change."),
]  # fmt: skip


def rotated() -> bytes:
    """A page that is turned by its dictionary, and one whose text is."""
    stream = io.BytesIO()
    c = canvas(stream)
    write(c, 60, 760, ["The first page stands upright."])
    c.showPage()
    c.setPageRotation(90)
    write(c, 60, 760, ["The second page is turned as a whole. It reads", "like any other."])
    c.showPage()
    c.translate(WIDTH, 0)
    c.rotate(90)
    write(c, 60, 400, ["The third page holds turned text. It reads", "like any other."])
    c.save()
    return stream.getvalue()


ROTATED = [
    (1, "The first page stands upright."),
    (2, "The second page is turned as a whole."),
    (2, "It reads like any other."),
    (3, "The third page holds turned text."),
    (3, "It reads like any other."),
]


def scanned(with_text: bool = False) -> bytes:
    """A page that is a picture; another with text, or none."""
    stream = io.BytesIO()
    c = canvas(stream)
    if with_text:
        write(c, 60, 760, ["Vitamin C did not prevent colds."])
        c.showPage()
    picture = Image.new("L", (600, 850), 255)
    ImageDraw.Draw(picture).text((60, 60), "Vitamin C prevented colds.", fill=0)
    c.drawInlineImage(picture, 0, 0, WIDTH, HEIGHT)
    c.save()
    return stream.getvalue()


def long(pages: int = 300) -> bytes:
    """A report: running heads on both sides, one finding a page."""
    stream = io.BytesIO()
    c = canvas(stream)
    for page in range(1, pages + 1):
        write(c, 60, 800, ["Annual report" if page % 2 else "Department of things"], size=8)
        y = write(c, 60, 760, [f"On page {page} the level of substance {page} rose. It had been measured in mice",
                               "and in rats, by two methods, in one laboratory. "])  # fmt: skip
        write(c, 60, y, ["Nothing else changed in any of the animals that were looked at."] * 38)
        write(c, 295, 40, [f"Page {page} of {pages}"], size=8)
        c.showPage()
    c.save()
    return stream.getvalue()


def encrypted(user: str) -> bytes:
    """Locked with a user's password, or (empty) with an owner's only, which everybody may read."""
    stream = io.BytesIO()
    c = canvas(stream, encrypt=StandardEncryption(user, ownerPassword="owner", canCopy=0))
    write(c, 60, 760, ["Selenium did not prevent cancer."])
    c.save()
    return stream.getvalue()


def broken() -> bytes:
    """Cut in the middle."""
    whole = two_columns()
    return whole[: len(whole) // 3]


def bomb() -> bytes:
    """A small file whose one page unfolds to more than a machine holds."""
    import zlib

    content = b"BT /F1 12 Tf 72 712 Td (x) Tj ET\n" + b" " * (400 * 2**20)
    inner = zlib.compress(content, 9)
    body = zlib.compress(inner, 9)
    head = b"%PDF-1.4\n"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[" + b"3 0 R " * 60 + b"]/Count 60>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Filter[/FlateDecode/FlateDecode]/Length %d>>stream\n" % len(body) + body + b"\nendstream",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    out, places = bytearray(head), []
    for number, one in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj" % number + one + b"endobj\n"
    start = len(out)
    out += b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % p for p in places)
    out += b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % start
    return bytes(out)


def flowing() -> tuple[bytes, list[str]]:
    """Justified text that flows through columns and pages, with a table and a list of references; its sentences."""
    from reportlab.lib.enums import TA_JUSTIFY
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, Table

    body = ParagraphStyle("body", fontName="Times-Roman", fontSize=9.5, leading=11.4, alignment=TA_JUSTIFY,
                          firstLineIndent=10)  # fmt: skip
    head = ParagraphStyle("head", fontName="Times-Bold", fontSize=11, leading=13, spaceBefore=8, spaceAfter=3)
    small = ParagraphStyle("small", fontName="Times-Roman", fontSize=8, leading=9.5)
    listed = ParagraphStyle("listed", small, leftIndent=12, firstLineIndent=-12)

    def edges(c: Canvas, document: BaseDocTemplate) -> None:
        write(c, 50, HEIGHT - 40, ["Calcium and falls" if document.page % 2 else "J Inv Res"], "Times-Italic", 8)
        c.drawRightString(WIDTH - 50, HEIGHT - 40, str(document.page))

    random = Random(1)
    things = ["The rate of falls", "Bone density", "The risk of fracture", "Serum calcium", "Gait speed"]
    ends = ["rose by {}% in the treated group", "fell by {}% in women older than 70 years", "was 0.{} lower"]
    expected: list[str] = []
    story: list[Any] = []
    for title in ("1. Introduction", "2. Methods", "3. Results", "4. Discussion"):
        story.append(Paragraph(title, head))
        for number in range(5):
            found = [
                f"{random.choice(things)} {random.choice(ends).format(random.randint(2, 60))}, as two blinded "
                f"raters in the {random.choice(['north', 'south'])} sites measured"
                f"<super>{random.randint(1, 30)}</super>."
                for _ in range(random.randint(3, 9))
            ]
            expected += [re.sub("<super>.*</super>", "", sentence) for sentence in found]
            story.append(Paragraph(" ".join(found), body))
            if (title, number) == ("3. Results", 1):
                story.append(Paragraph("<b>Table 1.</b> Participants.", small))
                story.append(Table([["", "Drug", "Placebo"], ["Age", "71", "72"]]))
    story.append(Paragraph("References", head))
    for number in range(40):
        story.append(
            Paragraph(f"{number + 1}. Abel A, Berg B. Calcium prevents all falls. J Inv. 2001;1:1-9.", listed)
        )
    stream = io.BytesIO()
    document = BaseDocTemplate(stream, pagesize=A4, invariant=1)
    frames = [Frame(x, 60, 240, HEIGHT - 130, leftPadding=0, rightPadding=0) for x in (50, 305)]
    document.addPageTemplates([PageTemplate(id="two", frames=frames, onPage=edges)])
    document.build(story)
    return stream.getvalue(), expected


def changing_heads() -> bytes:
    """Another head on every page, beside the number of the journal's page; sentences go on over the pages."""
    stream = io.BytesIO()
    c = canvas(stream)
    days = (
        f"On day {n} the rats of group {n} were weighed by a nurse in the north.".split() for n in range(1, 121)
    )
    words = [word for day in days for word in day]
    heads = ["Abel et al.", "Weighing rats", "Methods", "Results of the trial", "Discussion of it"]
    for page, head in enumerate(heads):
        write(c, 60, 800, [head], size=8)
        write(c, 500, 800, [str(417 + page)], size=8)
        part = words[page * 450 : (page + 1) * 450]
        write(c, 60, 775, [" ".join(part[at : at + 15]) for at in range(0, len(part), 15)])
        c.showPage()
    c.save()
    return stream.getvalue()


def three_columns() -> bytes:
    stream = io.BytesIO()
    c = canvas(stream)
    for x, k in zip((50, 220, 390), "ABC", strict=True):
        words = [f"In group {k} the day {n} saw no change of weight in any rat." for n in range(1, 5)]
        row = " ".join(words).split()
        write(c, x, 760, [" ".join(row[at : at + 6]) for at in range(0, len(row), 6)])
    c.showPage()
    rows = [("Group", "Rats", "Weight"), *((k, "10", f"20{k}") for k in "ABCDEFGH")]
    for at, cells in enumerate(rows):
        for x, cell in zip((50, 220, 390), cells, strict=True):
            write(c, x, 700 - 12 * at, [cell])
    c.save()
    return stream.getvalue()
