from __future__ import annotations

import time

import pytest

from epoche.errors import DocumentError
from epoche.types import Document, Role, Unread

pytest.importorskip("bibtexparser")

from epoche.sources.readers.references import read_bibtex, read_ris

BIB = r"""
% From a reference manager
@string{jr = "Journal of Rivers"}
@article{pike1999,
  title = {{Bark} cools \emph{Salmo} trout},
  abstract = {METHODS: We fed {\'E}tretat trout; 50% had TNF-$\alpha$ {\textless} 5. RESULTS: Fever fell -- by
              $p < 0.05$ \cite{brook} \& H$_2$O.},
  year = 1999, journal = jr, doi = {https://doi.org/10.1234/ABC.5}}
@phdthesis{brook2000, title = "Eels", abstract = "Eels swim. They rest.", date = {2000-03-01}, pmid = {77}}
@misc{carp, title = {RETRACTED: Carp}, abstract = {Carp dive.}, note = {A note}, doi = {10.1234/carp}}
@misc{roach, title = {Roach}, abstract = {Roach dive.}, note = {Retracted in 2012}}
@article{perch, title = {Perch}, doi = {10.1234/PERCH}}
@article{ruffe, title = {Ruffe}}
@comment{nothing}
"""


def parts(document: Document) -> list[tuple[str, str, Role]]:
    return [(s.title, document.text[s.start : s.end], s.role) for s in document.sections]


def reasons(unread: list[Unread]) -> list[tuple[str, str]]:
    assert all(u.sentences is None for u in unread)
    return [(u.document, u.why) for u in unread]


def test_bibtex() -> None:
    documents, unread = read_bibtex(BIB.encode(), "r.bib")
    assert [(d.id, d.title, d.year, d.study, d.retracted) for d in documents] == [
        ("doi:10.1234/abc.5", "Bark cools Salmo trout", 1999, "", False),
        ("pmid:77", "Eels", 2000, "doctoral thesis", False),
        ("doi:10.1234/carp", "RETRACTED: Carp", None, "", True),
        ("r.bib#roach", "Roach", None, "", True),
    ]
    assert parts(documents[0]) == [
        ("METHODS", "We fed Étretat trout; 50% had TNF-α < 5.", Role.METHODS),
        ("RESULTS", "Fever fell – by p < 0.05 & H2O.", Role.RESULTS),
    ]
    assert (documents[1].text, documents[1].sections) == ("Eels swim. They rest.", ())
    assert reasons(unread) == [
        (
            "doi:10.1234/perch",
            "the entry perch has no abstract: give the paper itself, or --evidence doi:10.1234/perch",
        ),
        ("r.bib#ruffe", "the entry ruffe has no abstract: give the paper itself, or --evidence doi:…"),
    ]


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"It cost $5 million.", "It cost $5 million."),
        (r"It cost \$5 and 50\%.", "It cost $5 and 50%."),
        ("About 5% fell\nand 6% rose.", "About 5% fell and 6% rose."),
        (r"``Bark'' \textgreater{} bread~here.", "“Bark” > bread here."),
        (r"Between 10$^{5}$ and $\geq 3 \pm 1$.", "Between 10^5 and ≥ 3 ± 1."),
        (r"{TNF} {\ss} {\o}.", "TNF ß ø."),
        (r"A \unknown{word} stays.", "A word stays."),
        (r"No file is read: \input{/etc/hostname}.", "No file is read: ."),
        (r"A & B.", "A & B."),
        (r"It {\frac 1 broke \begin{x}}.", "broke"),
    ],
)
def test_latex(latex: str, text: str) -> None:
    raw = '@article{a, title={A}, abstract="' + latex + '"}'
    (document,), unread = read_bibtex(raw.encode(), "r.bib")
    assert unread == []
    assert text in document.text


def test_broken_entries_are_named_and_the_rest_is_read() -> None:
    raw = """@article{a, title={A}, abstract={A rose.}}
@article{a, title={Other}, abstract={B rose.}}
@article{b, title={B}, title={C}, abstract={C rose.}}
@misc{nothing title={x}}
@article{, title={No key}, abstract={D rose.}}
@article{cut, title={Eels}, abstract={Eels swim and
"""
    documents, unread = read_bibtex(raw.encode(), "r.bib")
    assert [(d.id, d.text) for d in documents] == [("r.bib#a", "A rose."), ("r.bib#line 5", "D rose.")]
    assert [document for document, _ in reasons(unread)] == [
        "r.bib#a, line 2",
        "r.bib#b, line 3",
        "r.bib#line 4",
        "r.bib#line 6",
    ]
    whys = [why for _, why in reasons(unread)]
    assert (
        whys[0] == "the entry a at line 2 has a key used before, and is not read: mend it, or give the paper itself"
    )
    assert whys[1].startswith("the entry b at line 3 has a field twice")
    assert whys[3] == (
        "the entry at line 6 is broken or cut off (Unexpectedly reached end of file): mend it, or give the paper"
        " itself"
    )


def test_two_entries_of_one_paper() -> None:
    raw = "@article{a, abstract={A.}, doi={10.1234/X}}\n@article{b, abstract={B.}, doi={10.1234/x}}"
    documents, unread = read_bibtex(raw.encode(), "r.bib")
    assert [(d.id, d.text) for d in documents] == [("doi:10.1234/x", "A.")]
    assert reasons(unread) == [("doi:10.1234/x", "it stands twice in r.bib, and the first is read: remove one")]


RIS = """\ufeffTY  - JOUR\r
ID  - pike\r
TI  - Bark cools <i>trout</i>\r
AU  - Pike, A\r
PY  - 1999/03/02/\r
DO  - 10.1234/ABC\r
AB  - <p>Methods: We fed trout\r
on bark.</p>\r
AB  - Results: Fever fell; p &lt; 0.05.\r
M3  - Randomized Controlled Trial\r
ER  - \r
\r
TY  - THES\r
T1  - Eels\r
Y1  - 2000\r
N2  - Abstract: Eels swim. They rest.\r
DB  - PubMed\r
AN  - 77\r
N1  - Retraction published in 2003\r
ER  -\r
TY  - JOUR\r
TI  - Carp\r
UR  - https://doi.org/10.1234/CARP\r
ER  - \r
AB  - Without a beginning.\r
TI  - Still without\r
ER  - \r
TY  - JOUR\r
TI  - Roach\r
AB  - Roach dive and
"""


def test_ris() -> None:
    documents, unread = read_ris(RIS.encode(), "r.ris")
    assert [(d.id, d.title, d.year, d.study, d.retracted) for d in documents] == [
        ("doi:10.1234/abc", "Bark cools trout", 1999, "Randomized Controlled Trial", False),
        ("pmid:77", "Eels", 2000, "thesis", True),
    ]
    assert parts(documents[0]) == [
        ("Methods", "We fed trout on bark.", Role.METHODS),
        ("Results", "Fever fell; p < 0.05.", Role.RESULTS),
    ]
    assert documents[1].text == "Eels swim. They rest."
    assert reasons(unread) == [
        ("doi:10.1234/carp", "the entry 3 has no abstract: give the paper itself, or --evidence doi:10.1234/carp"),
        ("r.ris#line 25", 'the lines from 25 on belong to no entry (no "TY  - " before them): export them again'),
        ("r.ris#4", 'it is cut off (no line "ER  - " after it), and is not read: export it again'),
    ]


def test_an_entry_that_the_next_one_ends() -> None:
    documents, unread = read_ris(b"TY  - JOUR\nAB  - A rose.\nTY  - JOUR\nAB  - B fell.\nER  - \n", "r.ris")
    assert [(d.id, d.text) for d in documents] == [("r.ris#1", "A rose."), ("r.ris#2", "B fell.")]
    assert unread == []


def test_headings_that_publishers_leave_in_abstracts() -> None:
    sections = (
        "<jats:title>Aims</jats:title><jats:p>To cool.</jats:p><jats:title>Results</jats:title><jats:p>It did."
    )
    (document,), _ = read_ris(f"TY  - JOUR\nAB  - {sections}\nER  - ".encode(), "r.ris")
    assert parts(document) == [("Aims", "To cool.", Role.AIM), ("Results", "It did.", Role.RESULTS)]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf\n", "is empty"),
        ("@article{a, abstract={é}}\nTY  - JOUR\nAB  - é\nER  -".encode("cp1252"), "is not UTF-8 .byte 22."),
        ("TY  - JOUR".encode("utf-16"), "is UTF-16: save it as UTF-8"),
        (b"%PDF-1.7\x00", "holds zero bytes"),
        (b"Only words.\n", "holds no entry"),
        (b"AB  - Without TY.\nER  - \n", "holds no entry"),
        (b"@comment{x}\n", "holds no entry"),
    ],
)
def test_what_cannot_be_read_says_so(raw: bytes, message: str) -> None:
    for read in (read_bibtex, read_ris):
        with pytest.raises(DocumentError, match=message) as caught:
            read(raw, "r")
        assert caught.value.source == "r"


@pytest.mark.parametrize(
    "raw",
    [
        "@" * 200_000 + "\n@article{a, abstract={A rose.}}",
        "@article{a, abstract={" + "{" * 100_000 + "A rose." + "}" * 100_000 + "}}",
        r"@article{a, abstract={\'e " + "{" * 100_000 + "A rose." + "}" * 100_000 + "}}",
        r"@article{a, abstract={A rose." + r"\begin{x}" * 20_000 + "}}",
        r"@article{a, abstract={A rose." + r"\cite[" * 50_000 + "}}",
        r"@article{a, abstract={A rose." + r"\emph" * 20_000 + "}}",
        "@article{a, abstract={A rose." + "<title>" * 50_000 + "<p " * 50_000 + "}}",
        "TY  - JOUR\nAB  - A rose.\n" + "x\n" * 300_000 + "ER  - ",
        "TY  - JOUR\nAB  - A rose.\n" + "AB  - x\n" * 100_000 + "ER  - ",
    ],
)
def test_hostile_lists_end(raw: str) -> None:
    started = time.monotonic()
    read = read_ris if raw.startswith("TY") else read_bibtex
    (document,), _ = read(raw.encode(), "r")
    assert "A rose." in document.text
    assert time.monotonic() - started < 20
