"""The pipeline with scripted scores: what the model says is given, everything else is real."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from epoche.assemble import Verifier
from epoche.backends.fake import ScriptedNli, Triple
from epoche.config import load_config
from epoche.errors import CertificateError, InputError, PolicyError
from epoche.judge import replay
from epoche.outcome import Abstention, Failure, Verdict
from epoche.policy import Policy, promising
from epoche.report import render
from epoche.steps.certify import parse_certificate, sealed
from epoche.types import Document, Kind, Label, Unread
from tests.test_config import PROMISE

NEUTRAL = (0.0, 1.0, 0.0)
SUPPORTS = (0.9, 0.08, 0.02)
REFUTES = (0.02, 0.04, 0.94)


def model(premise: str, hypothesis: str) -> Triple:
    """Reads two words: a premise with "confirmed" supports everything, one with "disproved" refutes."""
    if "confirmed" in premise:
        return SUPPORTS
    return REFUTES if "disproved" in premise else NEUTRAL


def verifier(policy: Policy | str = "paper", nli: ScriptedNli | None = None, **settings: Any) -> Verifier:
    return Verifier(nli or ScriptedNli(model), policy=policy, config=load_config({}, **settings))


CLAIM = "Aspirin reduces pain."
YES = "The effect was confirmed in a second trial."
NO = "The effect was disproved in a second trial."
OTHER = "Participants were recruited in two hospitals."


def test_the_four_phases_end_in_a_verdict() -> None:
    outcome = verifier().verify(CLAIM, [f"{OTHER} {YES}"])
    assert isinstance(outcome, Verdict)
    assert (outcome.type, outcome.label, outcome.confidence, outcome.reason) == (
        "verdict",
        Label.SUPPORTED,
        0.88,
        None,
    )
    certificate = outcome.certificate
    assert [s.text for s in certificate.evidence.sentences] == [OTHER, YES]
    assert certificate.minimal_evidence.sufficient is not None
    assert certificate.minimal_evidence.sufficient.sentences == (1,)


def test_the_other_outcomes() -> None:
    assert verifier().verify(CLAIM, [NO]).label is Label.REFUTED
    assert verifier().verify(CLAIM, [OTHER]).label is Label.NOT_ENOUGH_EVIDENCE
    assert verifier().ask("Does aspirin reduce pain?", [YES]).label is Label.YES
    assert verifier().ask("Does aspirin reduce pain?", [NO]).label is Label.NO
    assert verifier().ask("Does aspirin reduce pain?", [OTHER]).label is Label.MAYBE


def test_case_17_a_simple_claim_stays_one_condition() -> None:
    (condition,) = verifier().verify(CLAIM, [YES]).certificate.conditions
    assert (condition.text, condition.critical, condition.origin) == (CLAIM, True, "whole")


def test_every_pair_is_scored_once() -> None:
    nli = ScriptedNli(model)
    verifier(Policy(windows=(1, 2)), nli).verify(CLAIM, [f"{OTHER} {YES} {NO}"])
    assert len(nli.asked) == len(set(nli.asked)) == 3 + 2


def test_case_9_silence_is_never_support() -> None:
    outcome = verifier().verify(CLAIM, [OTHER] * 3)
    assert outcome.label is Label.NOT_ENOUGH_EVIDENCE
    assert outcome.confidence == 0.0


def test_case_10_the_last_sentence_of_a_long_abstract_is_found() -> None:
    filler = " ".join(f"Measurement number {i} was taken in the morning by two nurses." for i in range(270))
    assert len(filler.split()) > 2900
    certificate = verifier().verify(CLAIM, [f"{filler} {YES}"]).certificate
    assert certificate.outcome.label is Label.SUPPORTED
    (cited,) = certificate.conditions[0].supporting
    window = certificate.evidence.windows[cited.window]
    assert certificate.evidence.sentences[window.sentences[0]].text == YES


def test_case_10_a_sentence_of_900_tokens_is_windowed_and_the_audit_says_so() -> None:
    text = " ".join(["alpha"] * 880) + " confirmed " + " ".join(["omega"] * 19) + "."
    certificate = verifier().verify(CLAIM, [text]).certificate
    windows = certificate.evidence.windows
    assert len(windows) > 1
    assert [(w.part, w.parts) for w in windows] == [(i, len(windows)) for i in range(len(windows))]
    assert windows[0].start == 0
    assert windows[-1].end == len(text)
    assert all(b.start < a.end for a, b in itertools.pairwise(windows)), "parts overlap"
    assert certificate.outcome.label is Label.SUPPORTED
    assert "part" in render(certificate, "text")


def test_case_11_a_blob_of_4000_tokens_is_read_in_windows() -> None:
    blob = "{" + ", ".join(f'"key{i}": {i}' for i in range(700)) + "}"
    nli = ScriptedNli(model)
    assert len(nli.token_spans(blob)) > 4000
    certificate = verifier(nli=nli).verify(CLAIM, [blob]).certificate
    assert len(certificate.evidence.windows) >= 4000 // 256
    assert certificate.outcome.label is Label.NOT_ENOUGH_EVIDENCE
    assert certificate.outcome.confidence == 0.0


def test_case_12_what_the_budget_leaves_out_is_listed_and_cannot_support() -> None:
    text = " ".join(f"Sample {i} was frozen." for i in range(199)) + f" Aspirin and pain: {YES}"
    certificate = verifier(max_sentences=100).verify(CLAIM, [text]).certificate
    (unread,) = certificate.evidence.unread
    assert (unread.document, unread.sentences) == ("doc-1", 100)
    assert "share most words" in unread.why
    assert len(certificate.evidence.sentences) == 100
    assert certificate.proposal is not None
    assert certificate.proposal.label is Label.SUPPORTED
    assert (certificate.outcome.label, certificate.outcome.reason) == (None, "evidence_truncated")


def test_unread_sources_forbid_support_and_not_refutation() -> None:
    unread = [Unread(document="scan.pdf", sentences=None, why="not readable")]
    assert verifier().verify(CLAIM, [YES], unread=unread).reason == "evidence_truncated"
    assert verifier().verify(CLAIM, [NO], unread=unread).label is Label.REFUTED


def test_case_6_a_promise_for_another_model_is_refused_and_both_hashes_are_named() -> None:
    nli = ScriptedNli(model)
    with pytest.raises(PolicyError) as refused:
        verifier(promising(Policy(), [PROMISE]), nli)
    assert PROMISE.nli_sha256 in str(refused.value)
    assert nli.info.sha256 in str(refused.value)
    verifier(Policy(tau=0.3), nli)  # no promise, nothing to break


def test_case_6_a_promise_holds_for_what_it_was_made_for() -> None:
    made = verifier().provenance
    promise = PROMISE.model_copy(
        update={
            "nli_sha256": made.nli.sha256,
            "decomposer": f"{made.decomposer.name} {made.decomposer.version}",
            "splitter": f"{made.splitter.name} {made.splitter.version}",
        }
    )
    assert verifier(promising(Policy(), [promise])).verify(CLAIM, [YES]).label is Label.SUPPORTED
    with pytest.raises(PolicyError, match="decomposer"):
        Verifier(
            ScriptedNli(model), "whole", promising(Policy(), [promise]), config=load_config({}, decomposer="whole")
        )


def test_case_22_line_ends_bom_and_normal_forms_give_the_same_verdict() -> None:
    plain = "The β-catenin dose was ≤ 5 µM in São Paulo.\nThe effect was confirmed."
    outcomes = set()
    for text in (
        plain,
        plain.replace("\n", "\r\n"),
        "\ufeff" + plain,
        plain.replace("\n", "\u2028"),
        plain.replace("ã", "a\u0303"),
    ):
        certificate = verifier().verify(CLAIM, [text]).certificate
        outcomes.add((certificate.outcome.label, certificate.outcome.confidence))
        for sentence in certificate.evidence.sentences:
            assert text[sentence.start : sentence.end] == sentence.text
        assert len(certificate.evidence.sentences) == 2
    assert outcomes == {(Label.SUPPORTED, 0.88)}


def test_case_24_a_french_question_is_not_guessed() -> None:
    question = "Est-ce que la vitamine D prévient les infections respiratoires aiguës chez les enfants ?"
    outcome = verifier().ask(question, [YES])
    assert isinstance(outcome, Abstention)
    assert outcome.reason == "unsupported_language"
    assert outcome.confidence is None


def test_case_24_gene_names_are_not_another_language() -> None:
    assert verifier().verify("PTEN regulates AKT1 via PIP3.", [YES]).label is Label.SUPPORTED


def test_a_document_in_another_language_is_unread() -> None:
    german = (
        "Die Behandlung mit Vitamin D hatte keinen Einfluss auf die Häufigkeit von Infektionen der Atemwege. "
        "Die Teilnehmer wurden über zwei Winter beobachtet und regelmäßig befragt."
    )
    mixed = verifier().verify(CLAIM, [Document(id="de", text=german), Document(id="en", text=YES)])
    assert mixed.reason == "evidence_truncated"
    assert [u.document for u in mixed.certificate.evidence.unread] == ["de"]
    assert verifier().verify(CLAIM, [german]).reason == "unsupported_language"


@pytest.mark.parametrize(
    ("statement", "word"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("?!…", "empty"),
        ("a " * 50_000, "characters"),
        ("word " * 400, "tokens"),
        ("Does aspirin reduce pain?", "question"),
    ],
)
def test_a_statement_that_cannot_be_checked_abstains(statement: str, word: str) -> None:
    outcome = verifier().verify(statement, [YES])
    assert isinstance(outcome, Abstention)
    assert outcome.reason == "not_decomposable"
    assert word in outcome.detail


def test_a_wh_question_abstains() -> None:
    outcome = verifier().ask("Which drug reduces pain?", [YES])
    assert outcome.reason == "not_decomposable"


@pytest.mark.parametrize("documents", [[], [""], ["  \n "]])
def test_no_evidence_abstains(documents: list[str]) -> None:
    outcome = verifier().verify(CLAIM, documents)
    assert (outcome.type, outcome.reason, outcome.confidence) == ("abstention", "no_evidence", None)


def test_a_model_that_breaks_is_a_failure_and_never_a_verdict() -> None:
    outcome = verifier(nli=ScriptedNli({})).verify(CLAIM, [YES])
    assert isinstance(outcome, Failure)
    assert (outcome.label, outcome.confidence, outcome.reason) == (None, None, "BackendError")
    assert "not in the script" in outcome.detail
    assert replay(outcome.certificate) == ["outcome: a failure has no scores to derive an outcome from"]


def test_case_18_a_bare_string_or_a_nested_list_is_a_type_error() -> None:
    with pytest.raises(InputError, match="list of texts"):
        verifier().verify(CLAIM, YES)
    with pytest.raises(InputError, match="document 1 is a list"):
        verifier().verify(CLAIM, [[YES]])  # type: ignore[list-item]
    with pytest.raises(InputError, match="a statement is text"):
        verifier().verify(None, [YES])  # type: ignore[arg-type]


@pytest.mark.parametrize("place", ["statement", "document"])
def test_lone_surrogates_are_refused_with_their_place(place: str) -> None:
    with pytest.raises(InputError, match="surrogate"):
        verifier().verify(
            "Aspirin \ud800 reduces pain." if place == "statement" else CLAIM,
            ["Pain \udc80 fell." if place == "document" else YES],
        )


def test_case_36_the_order_of_documents_changes_no_byte() -> None:
    documents = [Document(id=f"d{i}", text=t) for i, t in enumerate([YES, NO, OTHER, f"{OTHER} {YES}"] * 4)]
    generator = random.Random(3)
    reports = set()
    for _ in range(5):
        generator.shuffle(documents)
        reports.add(render(verifier().verify(CLAIM, documents).certificate, "json"))
    assert len(reports) == 1


def certificate_json(policy: Policy | str = "paper") -> dict[str, Any]:
    text = f"{OTHER} {YES}"
    loaded: dict[str, Any] = json.loads(render(verifier(policy).verify(CLAIM, [text]).certificate, "json"))
    return loaded


def test_replay_reproduces_every_kind_of_certificate() -> None:
    for documents in ([YES], [NO], [OTHER], [f"{YES} {NO}"], [], [" ".join(["w"] * 900)]):
        for policy in (Policy(), Policy(tau=0.95), Policy(windows=(1, 2), on_conflict="abstain")):
            certificate = verifier(policy).verify(CLAIM, documents).certificate
            again = parse_certificate(render(certificate, "json"))
            assert again == certificate
            assert replay(again) == []


EDITS: list[tuple[str, Any, str]] = [
    ("conditions.0.status", "CON", "conditions[0].status"),
    ("conditions.0.support", 0.91, "conditions[0].support"),
    ("conditions.0.critical", False, "conditions[0].critical"),
    ("conditions.0.text", "Aspirin cures pain.", "conditions[0].text"),
    ("outcome.label", "refuted", "outcome.label"),
    ("outcome.confidence", 0.99, "outcome.confidence"),
    ("outcome.detail", "fine", "outcome.detail"),
    ("proposal.label", "refuted", "proposal.label"),
    ("evidence.sentences.1.text", "The effect was Confirmed in a second trial.", "sentences[1].text"),
    ("evidence.sentences.0.start", 1, "sentences[0]"),
    ("evidence.windows.1.sentences", [7], "windows[1].sentences"),
    ("scores.0.1", [0.1, 0.8, 0.1], "conditions[0].status"),
    ("scores.0.1", [0.9, 0.9, 0.9], "scores[0][1]"),
    ("scores.0", [], "scores[0]"),
    ("policy.support_threshold", 0.95, "conditions[0].status"),
    ("policy.tau", 0.9, "outcome.type"),
    ("minimal_evidence.sufficient.sentences", [0], "minimal_evidence.sufficient.sentences[0]"),
    ("statement.text", "Aspirin reduces fever.", "digest"),
    ("provenance.nli.sha256", "0" * 64, "digest"),
    ("digest", "0" * 64, "digest"),
]


@pytest.mark.parametrize(("path", "value", "named"), EDITS)
def test_replay_names_every_edit(path: str, value: Any, named: str) -> None:
    edited = certificate_json()
    place: Any = edited
    *parents, last = [int(p) if p.isdigit() else p for p in path.split(".")]
    for key in parents:
        place = place[key]
    assert place[last] != value
    place[last] = value
    problems = replay(parse_certificate(json.dumps(edited)))
    assert any(named in problem for problem in problems), problems


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key)
            yield from _leaves(inner, (*path, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from _leaves(inner, (*path, i))


def test_no_field_can_be_taken_out_unseen() -> None:
    whole = certificate_json()
    for path in _leaves(whole):
        edited = json.loads(json.dumps(whole))
        place: Any = edited
        for key in path[:-1]:
            place = place[key]
        if not isinstance(place, dict):
            continue
        del place[path[-1]]
        try:
            problems = replay(parse_certificate(json.dumps(edited)))
        except CertificateError:
            continue
        assert problems, f"{path} can be taken out unseen"


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        ("decomposition.conditions.0.critical", False, "none is critical"),
        ("provenance.nli.label_order", ["a", "a", "a"], "label_order"),
        ("evidence.windows.0.end", 5000, "not in its sentences"),
        ("evidence.windows.0.part", 7, "part: 7"),
        ("evidence.sentences.1.index", 0, "two sentences of one number"),
    ],
)
def test_what_cannot_be_true_is_named_even_when_resealed(path: str, value: Any, named: str) -> None:
    edited = certificate_json()
    place: Any = edited
    *parents, last = [int(p) if p.isdigit() else p for p in path.split(".")]
    for key in parents:
        place = place[key]
    place[last] = value
    if named == "none is critical":
        for condition in edited["decomposition"]["conditions"]:
            condition["critical"] = False
    problems = replay(sealed(parse_certificate(json.dumps(edited))))
    assert any(named in p for p in problems), problems


def test_a_field_given_twice_is_refused() -> None:
    text = json.dumps(certificate_json())
    doubled = text.replace('"outcome":', '"outcome": null, "outcome":', 1)
    with pytest.raises(CertificateError, match=r"outcome: the field is given twice"):
        parse_certificate(doubled)


def test_a_resealed_edit_is_still_found() -> None:
    edited = certificate_json()
    edited["conditions"][0]["status"] = "MIS"
    certificate = sealed(parse_certificate(json.dumps(edited)))
    assert any(p.startswith("conditions[0].status") for p in replay(certificate))


@pytest.mark.parametrize("text", ["", "[]", "{", '{"format": "epoche-certificate/2"}', "null"])
def test_what_is_not_a_certificate_is_refused(text: str) -> None:
    with pytest.raises(CertificateError, match="not a certificate"):
        parse_certificate(text)


def test_a_certificate_with_a_promise_for_another_model_does_not_hold() -> None:
    certificate = verifier(Policy()).verify(CLAIM, [YES]).certificate
    foreign = certificate.model_copy(update={"policy": promising(certificate.policy, [PROMISE])})
    assert "promises for the NLI model" in replay(sealed(foreign))[0]
    question = certificate.model_copy(update={"policy": Policy(kind=Kind.QUESTION)})
    assert "it is for questions, and this is a claim" in replay(sealed(question))[0]
