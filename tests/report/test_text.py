"""Terminal text: what the first line says, what is quoted, how it wraps."""

from __future__ import annotations

import re
import unicodedata

import pytest

from epoche.errors import CertificateError, OptionError
from epoche.report import render
from epoche.report.text import columns
from epoche.types import Cited
from tests.report import samples
from tests.report.samples import HOSTILE, SAMPLES

ANSI = re.compile(r"\x1b\[[0-9;]*m")

FIRST_LINES = {
    "supported": "Supported: the evidence supports the claim. (confidence 0.902)",
    "refuted_with_conflict": (
        "Refuted: the evidence contradicts the claim, but it conflicts with itself. (confidence 0.010)"
    ),
    "not_enough_evidence": "Not enough evidence: the evidence does not settle the claim. (confidence 0.871)",
    "yes": "Yes: the evidence says so. (confidence 0.962)",
    # c = 0.9996, s = 0.02: |s − c| = 0.9796
    "no": "No: the evidence says otherwise. (confidence 0.980)",
    "maybe": "Maybe: the evidence does not settle the question. (confidence 0.360)",
    "below_threshold": "No answer (abstained): confidence 0.691 is 0.109 below τ = 0.800.",
    "failure": "Failed: pair 3 could not be scored: the model returned 2 columns, not 3.",
    "no_evidence": "No answer (abstained): the evidence holds no sentence to read.",
    "not_decomposable": "No answer (abstained): the statement is empty: write the claim or question to check.",
}


@pytest.mark.parametrize("name", FIRST_LINES)
def test_first_line_is_the_outcome(name: str) -> None:
    assert render(SAMPLES[name](), "text").splitlines()[0] == FIRST_LINES[name]


@pytest.mark.parametrize("name", SAMPLES)
def test_first_line_is_whole_at_any_width(name: str) -> None:
    certificate = SAMPLES[name]()
    first = {render(certificate, "text", width=w).partition("\n")[0] for w in (1, 40, 100, 1000)}
    assert len(first) == 1


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("width", [30, 72, 100])
def test_lines_keep_to_the_width_unless_one_word_is_longer(name: str, width: int) -> None:
    for line in render(SAMPLES[name](), "text", width=width).splitlines()[1:]:
        # A name or number before a word that does not fit stays in front of it.
        lead = re.match(r" *(?:- )?(?:(?:Claim|Question|Condition \d/\d|[A-Zτ][a-z ]*): )?", line)
        assert lead is not None
        assert columns(line) <= width or " " not in line[lead.end() :].strip()


@pytest.mark.parametrize("name", SAMPLES)
def test_wrapping_loses_no_word(name: str) -> None:
    certificate = SAMPLES[name]()
    wide, narrow = (render(certificate, "text", width=w).split() for w in (10_000, 20))
    assert wide == narrow


@pytest.mark.parametrize("name", SAMPLES)
def test_colour_changes_no_word_and_is_off_unless_asked(name: str) -> None:
    certificate = SAMPLES[name]()
    plain, coloured = (render(certificate, "text", colour=c) for c in (False, True))
    assert "\x1b" not in plain
    assert coloured != plain
    assert ANSI.sub("", coloured) == plain


def test_evidence_is_quoted_with_document_number_and_probability() -> None:
    text = render(samples.supported(), "text", width=200)
    assert "trial-1 (Daily vitamin D3 and infection: a randomised trial), sentence 3, P(entailment) 0.912" in text
    assert "“Supplementation with vitamin D prevented acute respiratory infection.”" in text
    assert text.index("sentence 3, P(entailment) 0.912") < text.index("sentence 2, P(entailment) 0.714")
    assert "critical (the whole statement)" in text


def test_case_04_a_conflict_is_visible_and_names_both_sentences() -> None:
    text = render(samples.refuted_with_conflict(), "text", width=200)
    assert "CON, contradicted" in text
    assert "conflict: the evidence both supports and contradicts it" in text
    assert re.search(r"Contradicted by:\n.*review-2 .*, sentence 2, P\(contradiction\) 0\.940", text)
    assert re.search(r"Supported by:\n.*trial-1 .*, sentence 3, P\(entailment\) 0\.950", text)


def test_what_is_missing_shows_the_nearest_sentence_as_not_enough() -> None:
    text = render(samples.not_enough_evidence(), "text", width=200)
    assert "MIS, missing" in text
    assert re.search(r"Nearest to support, not enough:\n.*cohort, sentence 2, P\(entailment\) 0\.312", text)
    assert "Not settled: condition 2." in text
    # c = 0.41 is nearer to 0.55 than s = 0.05.
    maybe = render(samples.maybe(), "text", width=200)
    assert re.search(r"Nearest to contradiction, not enough:\n.*sentence 2, P\(contradiction\) 0\.410", maybe)


def test_nearest_window_is_one_that_the_policy_reads() -> None:
    # A pair of sentences scores higher, but a policy of single sentences does not read it.
    evidence = samples.evidence_of([samples.TRIAL], pairs=True)
    certificate = samples.scored(
        samples.CLAIM,
        samples.VITAMIN,
        [samples.whole(samples.VITAMIN)],
        evidence,
        [{1: (0.3, 0.01), 5: (0.54, 0.01)}],
    )
    text = render(certificate, "text", width=200)
    assert "sentence 2, P(entailment) 0.300" in text
    assert "0.540" not in text


def test_a_number_never_rounds_onto_its_threshold() -> None:
    assert "s = 0.549600 (threshold 0.550)" in render(samples.not_enough_evidence(), "text")
    # 0.5512 − 0.0100 = 0.5412, τ = 0.541
    assert "(confidence 0.541200)" in render(samples.greek_and_numbers(), "text").splitlines()[0]
    no = render(samples.no(), "text", width=200)
    assert "P(contradiction) >0.999" in no
    assert "c = 1.000" not in no


def test_windows_of_two_and_parts_are_named_as_such() -> None:
    assert "trial-1 (" in (text := render(samples.yes(), "text", width=200))
    assert "sentences 2–3, P(entailment) 0.972" in text
    assert "… and 2 more" in text
    evidence = samples.evidence_of([samples.TRIAL], parts={1: 4})
    part = samples.scored(
        samples.CLAIM, samples.VITAMIN, [samples.whole(samples.VITAMIN)], evidence, [{2: (0.9, 0.01)}]
    )
    text = render(part, "text", width=200)
    assert "sentence 2, part 2 of 4, P(entailment) 0.900" in text
    # 17 words in parts of five, each reaching one word into the next.
    assert "“[…] 21% with vitamin D and in […]”" in text


def test_case_10_a_long_sentence_that_was_windowed_is_listed() -> None:
    text = render(samples.long_sentence(), "text", width=200)
    assert "trial-1: longer than the model reads, read in overlapping parts: sentence 5 in 4 parts" in text
    assert "Dropped from the conditions: Vitamin D is cheap. (the statement does not entail it)" in text
    assert "… and 2 more" in text


def test_case_12_what_was_not_read_is_listed_with_its_rule() -> None:
    text = render(samples.evidence_truncated(), "text", width=200)
    assert text.startswith("No answer (abstained): 2 sentences were not read")
    assert "review-2, 2 sentences: more than 4 sentences" in text
    assert "scan.pdf: not UTF-8" in text


def test_case_26_retracted_documents_are_flagged() -> None:
    text = render(samples.retracted_only(), "text", width=200)
    assert "sentence 3, P(entailment) 0.930, RETRACTED" in text
    assert "RETRACTED: withdrawn-3, Vitamin D3 and infection" in text
    assert "retracted_only" in text


def test_abstention_shows_what_it_leaned_to_and_how_far_from_the_threshold() -> None:
    text = render(samples.below_threshold(), "text", width=200)
    assert "Leaning: supported (confidence 0.691), not answered." in text
    assert "smallest |s − c|" in text
    assert "wrong among the decisive answers: at most 10 %, with probability at least 95 %" in text
    assert "policy has no threshold τ" in render(samples.nothing_promised(), "text", width=200)
    assert "no promise" in render(samples.supported(), "text", width=200)


def test_minimal_evidence_is_worded_and_quoted_if_it_was_not_yet() -> None:
    text = render(samples.refuted_with_conflict(), "text", width=200)
    assert "Rests on sentence 2 of review-2 (no smaller set gives the same outcome)." in text
    assert "Without sentence 2 of review-2 it would be: supported." in text
    long = render(samples.long_sentence(), "text", width=200)
    assert "Without sentences 3 and 5–8 of trial-1 it would be: not enough evidence." in long
    assert "“Outcomes by arm were as follows" in long.partition("What it rests on")[2]


def test_model_is_named_with_twelve_characters_of_its_hash() -> None:
    certificate = samples.supported()
    text = render(certificate, "text", width=200)
    assert f"mini, sha256 {certificate.provenance.nli.sha256[:12]}\n" in text


def test_a_failure_is_no_answer_and_names_the_kind_of_error() -> None:
    text = render(samples.failure(), "text", width=200)
    assert "Kind of error: BackendError. A failure says nothing about the statement." in text
    assert "not audited" in text
    assert "SUP, " not in text


def test_evidence_cannot_paint_the_terminal() -> None:
    text = render(samples.hostile(), "text", width=200)
    assert r"\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2J back\x08space" in text
    assert r"\u202egnp.exe\u202c\u2066" in text
    assert {c for c in text if unicodedata.category(c) in {"Cc", "Cf"}} <= {"\n", "\u200d"}
    assert "👩\u200d🔬" in text
    assert HOSTILE[4].split(" ")[0] in text


def test_case_22_decomposed_letters_and_units_stay_as_they_are() -> None:
    text = render(samples.greek_and_numbers(), "text", width=200)
    assert "β-catenine\u0301 fell at 5 µM (10⁻⁶ M)." in text


@pytest.mark.parametrize(("text", "wide"), [("abc", 3), ("e\u0301", 1), ("中文", 4), ("a\u200db", 2), ("µM", 2)])
def test_columns(text: str, wide: int) -> None:
    assert columns(text) == wide


def test_unknown_format_is_refused_by_name() -> None:
    with pytest.raises(OptionError, match=r"'pdf'.*text, json, md, html"):
        render(samples.supported(), "pdf")  # type: ignore[arg-type]


def test_a_certificate_that_names_what_it_does_not_hold_is_refused() -> None:
    certificate = samples.supported()
    audit = certificate.conditions[0].model_copy(update={"supporting": (Cited(window=9, probability=0.9),)})
    broken = certificate.model_copy(update={"conditions": (audit,)})
    with pytest.raises(CertificateError, match="window 9, but the certificate holds 4"):
        render(broken, "text")
