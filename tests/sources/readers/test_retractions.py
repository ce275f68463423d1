"""Marks of retraction and lists of references, as the formats have them."""

from __future__ import annotations

import io

import pytest

pytest.importorskip("bibtexparser", reason="needs the extra papers")
pytest.importorskip("docx", reason="needs the extra papers")
pytest.importorskip("trafilatura", reason="needs the extra papers")

from epoche.sources.readers import by_suffix

TEXT = "Zinc shortened colds by two days in forty adults who took it early. It did not prevent them in anybody."


def word(first: str) -> bytes:
    import docx

    document = docx.Document()
    for line in (first, TEXT):
        document.add_paragraph(line)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def page(heading: str, more: str = "") -> bytes:
    article = f"<article><h1>{heading}</h1><p>{TEXT}</p>{more}</article>"
    return f"<html><head><title>Z</title></head><body>{article}</body></html>".encode()


def jats(subject: str) -> bytes:
    return (
        "<article><front><article-meta><article-categories><subj-group><subject>"
        f"{subject}</subject></subj-group></article-categories></article-meta></front><body><p>{TEXT}</p></body></article>"
    ).encode()


@pytest.mark.parametrize(
    ("suffix", "raw", "retracted"),
    [
        (".ris", f"TY  - JOUR\nTI  - Zinc (Retracted article. See vol. 3)\nAB  - {TEXT}\nER  - \n".encode(), True),
        (".ris", f"TY  - JOUR\nTI  - Zinc\nKW  - Retracted Publication\nAB  - {TEXT}\nER  - \n".encode(), True),
        (".ris", f"TY  - JOUR\nTI  - Zinc\nKW  - zinc\nAB  - {TEXT}\nER  - \n".encode(), False),
        (".bib", f"@article{{a, title={{Zinc (Retracted Article)}}, abstract={{{TEXT}}}}}".encode(), True),
        (".bib", f"@article{{a, keywords={{zinc; Retracted Publication}}, abstract={{{TEXT}}}}}".encode(), True),
        (".bib", f"@article{{a, keywords={{zinc}}, abstract={{{TEXT}}}}}".encode(), False),
        (".xml", jats("Retracted Article"), True),
        (".xml", jats("Research Article"), False),
        (".docx", word("RETRACTED: Zinc and colds"), True),
        (".docx", word("Zinc and colds"), False),
        (".html", page("Zinc (Retracted)"), True),
        (".html", page("Zinc", "<p>RETRACTED ARTICLE: see the notice.</p>"), True),
        (".html", page("Zinc"), False),
    ],
)
def test_marks_of_retraction(suffix: str, raw: bytes, retracted: bool) -> None:
    ((document,), _) = by_suffix.read(suffix, raw, f"a{suffix}")
    assert document.retracted is retracted


def test_a_list_that_a_page_calls_references_is_none_of_its_text() -> None:
    listed = "<div class='ref-list'><p>1. Iron prevents anaemia in every adult who was asked to take it.</p></div>"
    ((document,), _) = by_suffix.read(".html", page("Zinc", listed), "a.html")
    assert "Zinc shortened" in document.text
    assert "anaemia" not in document.text
