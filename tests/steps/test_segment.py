from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epoche.errors import DocumentError
from epoche.steps.segment import scored_text, segment, sentence_spans
from epoche.types import Document


def split(text: str) -> list[str]:
    return [text[a:b] for a, b in sentence_spans(text)]


#: Sentences as they should be found when joined by a space.
CASES: list[list[str]] = [
    [
        "Yan et al. [2004] saw 3.5 ± 0.2 mg (P < .001; Fig. 2B) vs. controls.",
        "NF-kappa B. was unchanged in E. coli.",
    ],
    ["The drug was given i.v. at noon.", "It was well tolerated."],
    ["The drug was given i.v.", "The patients recovered."],
    ["Doses were approx. 5 mg.", "They were halved later."],
    ["Leaves were infected with P. syringae pv. tabaci at dawn.", "They wilted."],
    ["The p50.c-rel dimer bound DNA.", "It was stable."],
    ["It was 3.2 +/- 0.24 versus 4.1.", "This differed."],
    ["P = .03.", "We conclude that it works."],
    ["The ratio was .05 in men.", "In women it was .07."],
    ["See Figs. 1–3 and Eq. 4.", "Then no. 5 was used."],
    ["S. aureus grew.", "C. elegans died."],
    ["Growth was seen in vitro etc.", "The cells died."],
    ["Was it safe?", "Yes.", "It was."],
    ["This was shown before (Smith et al., 2004).", "Then it was repeated."],
    ["This was shown by Smith et al.", "We repeated it."],
    ["This was shown by Moreau et al. (2011) in mice.", "We repeated it."],
    ["Dr. Lind gave lemons, i.e. vitamin C, to two sailors.", "They recovered."],
    ["Several agents (e.g. Metformin and insulin) were used.", "None failed."],
    ["The mean was 4.5 (cf. Table 2).", "The median was 4."],
    ["Samples were kept at −80 °C.", "They were thawed once."],
    ["Expression rose 2.5-fold.", "p53 was unchanged."],
    ["Cells were starved.", "mTOR was inhibited."],
    ["Levels of miR-21 fell.", "miR-155 rose."],
    ["Patients took 5 mg b.i.d. for a week.", "No one withdrew."],
    ["The cut-off was 0.5 mg/dl.", "Values above were repeated."],
    ["Staphylococcus spp. were common.", "Candida spp. were rare."],
    ["We thank St. Mary's Hospital.", "No funds were received."],
    ["The U.S. population was studied.", "It is large."],
    ["Mortality fell by 12%.", "Costs rose by 3%."],
    ["The trial (NCT0123; see ref. 4) ended early.", "Nobody was harmed."],
    ["“It works.”", "So they said."],
    ["Rates were 1.2, 3.4 and 5.6, respectively.", "None was significant (P > .05)."],
    ["The group of 40 (vs. 38) was larger.", "It aged 5 vs. 4 years."],
    ["The pH was 7.4.", "Then 0.1 M HCl was added."],
    ["Vitamin D. supplementation was free."],
    ["Hepatitis B and C were excluded.", "Hepatitis E. was not tested."],
    ["Interleukin 2 (IL-2) rose.", "IL-6 fell."],
    ["The 95% CI was 0.7 to 1.1.", "Thus no effect was shown."],
    ["Does it work?", "We asked 30 nurses."],
    ["It failed!", "Nobody knew why."],
    ["The value (see p. 12) was low.", "It rose in vol. 3."],
    ["We used ca. 20 mice.", "All survived."],
    ["Titers were high (1:640).", "They declined."],
    ["Bacillus subtilis subsp. niger was used.", "It grew."],
    ["This is Sec. 2.", "It follows Sec. 1."],
    ["The strain E. coli K-12 was grown.", "O157:H7 was not."],
    ["Two groups were formed: A and B.", "Group A was older."],
    ["The agent (given s.c.) was safe.", "It was cheap."],
    ["Bleeding occurred in 3 of 40 (7.5%; 95% CI, 1.6 to 20.4).", "None died."],
    ["Data are means ± SD.", "n = 6 per group."],
    ["Compound 3a.HCl was dissolved.", "It was filtered."],
    ["TNF-α. levels rose in mice.", "They fell in rats."],
    ["It acts via the Wnt/β-catenin pathway.", "β-Catenin was knocked down."],
    ["We measured O2 at 37 °C.", "CO2 was 5%."],
    ["The odds ratio was 1.9 (P = 0.02).", "However, it was not adjusted."],
    ["A prior study [12] was small.", "[13] was larger."],
    ["Mean age was 54.2 yr.", "Most were women."],
    ["It was tested by Student's t test.", "Significance was set at P < 0.05."],
    ["Lee and co. were first.", "They published in 1999."],
    ["Infection was due to Plasmodium sp. in three.", "All were treated."],
]


@pytest.mark.parametrize("sentences", CASES, ids=lambda s: s[0][:30])
def test_case_21_hard_sentences(sentences: list[str]) -> None:
    assert split(" ".join(sentences)) == sentences


def test_reference_numbers_glued_to_the_stop_end_a_sentence() -> None:
    assert split("It reduced mortality.12 However, it failed.") == [
        "It reduced mortality.12",
        "However, it failed.",
    ]


def test_blocks_end_sentences_and_hard_wraps_do_not() -> None:
    text = "# A trial of iron\n\nWe gave\niron daily\nfor a week.\n\n- It was safe\n- It was cheap\n\n"
    text += "| a | b |\n|---|---|\n| 1 | 2 |\n"
    found = split(text)
    assert found[:4] == ["A trial of iron", "We gave\niron daily\nfor a week.", "It was safe", "It was cheap"]
    assert found[4:] == ["a | b |", "1 | 2 |"]


PLAIN = "The β-catenin dose was ≤ 5 µM in São Paulo. It rose.\nThen it fell.\n\nAll survived."


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace("\n", "\r\n"),
        lambda t: "\ufeff" + t,
        lambda t: t.replace("\n\n", "\u2029").replace("\n", "\u2028"),
        lambda t: t.replace("ã", "a\u0303"),
        lambda t: t.replace(" ", "\u00a0"),
    ],
    ids=["crlf", "bom", "u2028", "nfd", "nbsp"],
)
def test_case_22_the_form_of_the_text_does_not_change_the_split(change: Any) -> None:
    text = change(PLAIN)
    assert [scored_text(s) for s in split(text)] == [scored_text(s) for s in split(PLAIN)]
    assert len(split(text)) == 4


def test_case_23_units_are_not_transliterated() -> None:
    assert scored_text("5 µM") == "5 µM" != scored_text("5 mM")
    assert scored_text("10³ cells") == "10³ cells"


@given(st.text(st.sampled_from('aB1. \n\r\u2028#-|>()[]é\u0301µ?!"\ufeff'), max_size=120))
def test_spans_are_ordered_disjoint_and_cover_all_but_space_and_markers(text: str) -> None:
    spans = sentence_spans(text)
    assert spans == sorted(spans)
    assert all(a < b for a, b in spans)
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans))
    inside = {i for a, b in spans for i in range(a, b)}
    outside = {c for i, c in enumerate(text) if i not in inside}
    assert outside <= set(" \n\r\u2028\ufeff#-|>()1.")
    assert all(text[a:b].strip("\ufeff \n\r\u2028") for a, b in spans)


@given(st.text(max_size=80))
def test_any_text_is_split_without_an_error(text: str) -> None:
    for a, b in sentence_spans(text):
        assert text[a:b].strip()


def test_a_megabyte_is_split_in_linear_time() -> None:
    text = "It was given at 5 mg/kg (see Fig. 2) to 40 mice. " * 21_000
    assert len(text) > 1_000_000
    assert len(sentence_spans(text)) == 21_000
    assert len(sentence_spans("(" * 100_000 + " a. B." * 1000)) >= 1


def test_documents_come_in_the_natural_order_of_their_ids() -> None:
    documents = [Document(id=f"d{i}", text=f"Text {i}.") for i in (10, 9, 2, 1)]
    records, sentences = segment(documents)
    assert [r.id for r in records] == ["d1", "d2", "d9", "d10"]
    assert segment(documents[::-1]) == (records, sentences)
    assert [s.text for s in sentences] == ["Text 1.", "Text 2.", "Text 9.", "Text 10."]


def test_given_spans_are_used_and_checked() -> None:
    document = Document(id="d", text="One. Two.", spans=((0, 4), (5, 9)))
    assert [s.text for s in segment([document])[1]] == ["One.", "Two."]
    for spans in (((0, 10),), ((3, 3),), ((0, 5), (4, 9)), ((5, 9), (0, 4))):
        with pytest.raises(DocumentError, match="'d': sentence span"):
            segment([document.model_copy(update={"spans": spans})])


def test_bad_documents_are_named() -> None:
    with pytest.raises(DocumentError, match="two documents have the id 'd'"):
        segment([Document(id="d", text="a"), Document(id="d", text="b")])
    with pytest.raises(DocumentError, match="its text is not valid Unicode .* character 2"):
        segment([Document(id="d", text="ab\ud800")])
