from __future__ import annotations

import pytest

from epoche.sources.lines import document_from
from epoche.sources.readers.plain import read_markdown, read_text
from epoche.sources.sections import known_role, says_retracted
from epoche.steps.segment import segment
from epoche.types import Document, Role

LISTS = [
    "Zinc rose.\n\nReferences\n1. Iron prevents anaemia.\n",
    "Zinc rose.\n\nReferences\n==========\n1. Iron prevents anaemia.\n",
    "Zinc rose.\n\n**References**\n\n1. Iron prevents anaemia.\n",
    "# A\nZinc rose.\n## References\n### Included studies\n1. Iron prevents anaemia.\n",
    "Zinc rose.\n\n## References and notes [edit]\n\n1. Iron prevents anaemia.\n",
    "Zinc rose.\n\n## Literaturverzeichnis\n\n1. Iron prevents anaemia.\n",
]


def markdown(text: str) -> Document:
    (document,), _ = read_markdown(text.encode(), "a.md")
    assert document.text == text
    return document


@pytest.mark.parametrize("text", LISTS)
def test_references_are_no_evidence(text: str) -> None:
    (plain,), _ = read_text(text.encode(), "a.txt")
    documents = [markdown(text)] if "#" in text or "*" in text else [markdown(text), plain]
    for document in documents:
        if document.sections:
            assert not any("anaemia" in s.text for s in segment([document])[1])
    assert documents[-1].sections


def test_what_comes_after_the_references_is_read() -> None:
    (document,), _ = read_text(b"References\n1. Iron.\n\nAppendix\nTin fell.\n", "a.txt")
    assert [s.text for s in segment([document])[1]] == ["Appendix\nTin fell."]
    assert "Tin fell." in [s.text for s in segment([markdown("# References\n1. Iron.\n# Funding\nTin fell.\n")])[1]]


def test_sections_of_markdown() -> None:
    document = markdown("Intro.\n# Methods\nA.\n```\n# no heading\n```\n## Design\nB.\n# Results\nC.\n")
    assert [(s.title, s.role) for s in document.sections] == [
        ("Methods", Role.METHODS),
        ("Design", Role.METHODS),
        ("Results", Role.RESULTS),
    ]


@pytest.mark.parametrize(
    ("title", "retracted"),
    [
        ("RETRACTED: Zinc and colds", True),
        ("Retracted article: Zinc", True),
        ("RETRACTED ARTICLE", True),
        ("[Retracted] Zinc", True),
        ("WITHDRAWN: Zinc", True),
        ("Zinc and colds (Retracted article. See vol. 3, pg 4, 2020)", True),
        ("Zinc and colds (Retracted)", True),
        ("Why papers are retracted", False),
        ("Retracted papers still get cited", False),
        ("Withdrawn patients in trials of zinc", False),
        ("Citations of retracted papers (a survey)", False),
    ],
)
def test_marks_of_retraction(title: str, retracted: bool) -> None:
    assert says_retracted(title) is retracted
    assert markdown(f"# {title}\n\nZinc rose.\n").retracted is retracted
    assert read_text(f"{title}\n\nZinc rose.\n".encode(), "a.txt")[0][0].retracted is retracted
    assert document_from(f'{{"id": "a", "title": "{title}", "text": "Zinc rose."}}').retracted is retracted


def test_headings_that_are_lists_of_references() -> None:
    for heading in ("7. References", "REFERENCES AND FURTHER READING", "Literatur", "Bibliography:", "Références"):
        assert known_role(heading) is Role.REFERENCES, heading
    for heading in ("Reference values of zinc in serum of the healthy", "Preferences", "Results"):
        assert known_role(heading) is not Role.REFERENCES, heading
