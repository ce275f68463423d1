"""Every word that a report says to people, in one place; the other files only arrange them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

from epoche.policy import Costs, Policy, Promise, Target
from epoche.types import Kind, Label, Provenance, Reason, Status, Window

#: The word that opens a report, and what it says of the statement.
LABELS: Final[dict[Label, tuple[str, str]]] = {
    Label.SUPPORTED: ("Supported", "the evidence supports the claim."),
    Label.REFUTED: ("Refuted", "the evidence contradicts the claim."),
    Label.NOT_ENOUGH_EVIDENCE: ("Not enough evidence", "the evidence does not settle the claim."),
    Label.YES: ("Yes", "the evidence says so."),
    Label.NO: ("No", "the evidence says otherwise."),
    Label.MAYBE: ("Maybe", "the evidence does not settle the question."),
}
#: What a promised risk is the share of.
TARGETS: Final[dict[Target, str]] = {
    Target.RISK: "wrong among what is answered",
    Target.DECISIVE: "wrong among the decisive answers",
    Target.FALSE_SUPPORT: "wrong among what is answered supported or yes",
    Target.PER_LABEL: "wrong among the answers",
    Target.GENERALIZED: "wrong and answered, among all",
}
ABSTAINED: Final = "No answer (abstained)"
FAILED: Final = "Failed"

KINDS: Final[dict[Kind, str]] = {Kind.CLAIM: "Claim", Kind.QUESTION: "Question"}

STATUSES: Final[dict[Status, str]] = {
    Status.SUP: "supported",
    Status.CON: "contradicted",
    Status.MIS: "missing: neither supported nor contradicted",
}
CONFLICT: Final = "conflict: the evidence both supports and contradicts it"
NOT_AUDITED: Final = "not audited: nothing was scored"

#: What a reason for an abstention means, whatever the numbers.
REASONS: Final[dict[Reason, str]] = {
    Reason.NO_EVIDENCE: "there is nothing to read",
    Reason.NOT_DECOMPOSABLE: "this is not one claim or one yes/no question that can be checked",
    Reason.UNSUPPORTED_LANGUAGE: "the model does not read this language",
    Reason.RETRACTED_ONLY: "only retracted documents carry the answer",
    Reason.EVIDENCE_TRUNCATED: "a part of the evidence was not read",
    Reason.EVIDENCE_CONFLICT: "the evidence conflicts with itself",
    Reason.EXPECTED_COST: "every answer is expected to cost more than none",
    Reason.MODELS_DISAGREE: "the two models that read the evidence disagree",
    Reason.BELOW_THRESHOLD: "the confidence is too low to answer",
}

#: Headings of the parts of a report.
CONDITIONS: Final = "Conditions"
CONDITION: Final = "Condition"
MINIMAL: Final = "What it rests on"
UNREAD: Final = "Not read"
NOTES: Final = "Notes"
METHOD: Final = "How it was decided"
PROVENANCE: Final = "Provenance"
DOCUMENTS: Final = "Documents"

EMPTY: Final = "(empty)"
RETRACTED: Final = "RETRACTED"
FORMAT_NOTE: Final = "epoche replay derives this outcome again from the JSON certificate, without the model."


def why_heading(answered: bool) -> str:
    """Heading of the part that gives confidence, τ and the reason."""
    return "Why this is answered" if answered else "Why there is no answer"


def plain(text: str) -> str:
    """Text of the user for one line: white space made single spaces, what paints or hides made visible.

    Control and format characters (escape sequences, bidi overrides, zero-width marks) become
    a backslash and their code. The joiners U+200C and U+200D stay: scripts and emoji need them.
    """
    one_line = re.sub(r"[ \t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+", " ", text).strip(" ")
    return "".join(map(_visible, one_line)) or EMPTY


#: Longer texts are cut in a report; the JSON has them whole.
MOST_CHARACTERS: Final = 2000


def shortened(text: str) -> str:
    """A text that a page can hold, saying how much is left out."""
    if len(text) <= MOST_CHARACTERS:
        return text
    return f"{text[:MOST_CHARACTERS]} […] ({len(text) - MOST_CHARACTERS} more characters; the JSON has all)"


def despite(said: str) -> str:
    """What the label says, where a critical or other condition is both supported and contradicted."""
    return f"{said.rstrip('.')}, but it conflicts with itself."


def _visible(character: str) -> str:
    if unicodedata.category(character) not in {"Cc", "Cf", "Cs"} or character in "\u200c\u200d":
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def figure(value: float, beside: float | None = None) -> str:
    """A number in [0, 1] with three decimals.

    What is not 0, not 1 or not the threshold `beside` it must not read as if it were: then it is
    `<0.001`, `>0.999`, or has six decimals, as many as scores have.
    """
    if 0.0 < value < 0.0005:
        return "<0.001"
    if 0.9995 <= value < 1.0:
        return ">0.999"
    short = f"{value:.3f}"
    looks_equal = beside is not None and value != beside and short == f"{beside:.3f}"
    return f"{value:.6f}" if looks_equal else short


def count(n: int, noun: str) -> str:
    """`1 sentence`, `2 sentences`."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def listing(items: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def closed(text: str) -> str:
    """Text of the user or a fragment with a full stop at its end, if it has none."""
    text = plain(text)
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def capital(text: str) -> str:
    """A fragment with its first letter large, unless its first word has a spelling of its own (pH, p53)."""
    first = text.split(" ", 1)[0].rstrip(".,:;")
    return text[0].upper() + text[1:] if first.islower() and first.isalpha() else text


def sentence(text: str) -> str:
    """A fragment as a sentence: its first letter large, a full stop at its end."""
    return capital(closed(text))


def confidence(value: float, tau: float | None = None) -> str:
    """`confidence 0.912`."""
    return f"confidence {figure(value, tau)}"


def leaning(label: Label, value: float, tau: float | None) -> str:
    """The proposal of an abstention."""
    return f"Leaning: {LABELS[label][0].lower()} ({confidence(value, tau)}), not answered."


def role(critical: bool, why: str) -> str:
    """Whether a condition is critical, and why."""
    return f"{'critical' if critical else 'not critical'} ({plain(why)})"


def needs(name: str, value: float, threshold: float) -> str:
    """`0.912, threshold 0.550`; `name` is the letter of the number."""
    return f"{name} = {figure(value, threshold)} (threshold {figure(threshold)})"


def against_tau(value: float, tau: float | None) -> str:
    """A confidence beside τ."""
    return f"{figure(value, tau)} ({'no τ' if tau is None else f'τ = {figure(tau)}'})"


def place(window: Window, numbers: Sequence[int], page: int | None = None) -> str:
    """Where a window stands in its document: `page 2, sentence 3`, `sentences 3–4`, `sentence 3, part 2 of 4`."""
    where = f"sentence {numbers[0]}" if len(numbers) == 1 else f"sentences {numbers[0]}–{numbers[-1]}"
    if page is not None:
        where = f"page {page}, {where}"
    return where if window.parts == 1 else f"{where}, part {window.part + 1} of {window.parts}"


def quotes_heading(direction: str, nearest: bool) -> str:
    """Heading over the sentences for or against a condition."""
    if nearest:
        return f"Nearest to {'support' if direction == 'support' else 'contradiction'}, not enough"
    return "Supported by" if direction == "support" else "Contradicted by"


def probability(direction: str, value: float, threshold: float) -> str:
    """The probability that makes a sentence count, by the name of its class."""
    kind = "entailment" if direction == "support" else "contradiction"
    return f"P({kind}) {figure(value, threshold)}"


def caption(document: str, title: str, where: str, chance: str, is_retracted: bool) -> str:
    """Where a quoted text stands and what it counts; the parts are already plain."""
    named = f"{document} ({title})" if title else document
    parts = [named, where, chance, RETRACTED if is_retracted else ""]
    return ", ".join(part for part in parts if part)


def more(n: int) -> str:
    """What stands for the sentences that are not shown."""
    return f"… and {n} more"


def reason_line(reason: str) -> str:
    """Why there is no answer, whatever the numbers, and the reason's name in a certificate."""
    meaning = f": {REASONS[Reason(reason)]}" if reason in set(Reason) else ""
    return f"Reason {plain(reason)}{meaning}."


def error_kind(name: str) -> str:
    """The kind of error behind a failure."""
    return f"Kind of error: {plain(name)}. A failure says nothing about the statement."


def decided_by(numbers: Sequence[int], label: Label, answered: bool) -> str:
    """Which conditions, from 1, the label rests on."""
    which = f"{'condition' if len(numbers) == 1 else 'conditions'} {listing([str(n) for n in numbers])}"
    if label in (Label.NOT_ENOUGH_EVIDENCE, Label.MAYBE):
        return f"Not settled: {which}."
    return f"Decided by {which}." if answered else f"The proposal rests on {which}."


def sentences_of(numbers: Sequence[int], document: str) -> str:
    """Sentences, from number 1 in their document: `sentence 3 of a`, `sentences 1–4 and 7 of a`."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    spans = [str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs]
    return f"{'sentence' if len(numbers) == 1 else 'sentences'} {listing(spans)} of {plain(document)}"


def confidence_rule(policy: Policy, label: Label) -> str:
    """What the confidence is, and from where on a proposal of this label is answered."""
    tau = policy.tau_for(label)
    if policy.posterior is not None:
        rule = f"The confidence is P({LABELS[label][0].lower()}), as fitted on {policy.posterior.n} labelled items"
    else:
        which = "largest" if policy.confidence == "max_margin" else "smallest"
        rule = f"The confidence is the {which} |s − c| over the critical conditions"
    if tau is None:
        return f"{rule}; the policy has no threshold τ that keeps its promise."
    if tau == 0.0:
        return f"{rule}; τ = 0: every confidence is answered."
    return f"{rule}; answers need at least τ = {figure(tau)}."


def probabilities(found: Mapping[Label, float]) -> str:
    """P(label) of every label, the likeliest first."""
    ranked = sorted(found.items(), key=lambda item: -item[1])
    return listing([f"{LABELS[label][0].lower()} {figure(p)}" for label, p in ranked])


def rests_on(places: str, proven: bool) -> str:
    """The smallest set of sentences that keeps the outcome."""
    search = "no smaller set gives the same outcome" if proven else "a smaller set may exist"
    return f"Rests on {places} ({search})."


def without(places: str, outcome: str, proven: bool) -> str:
    """What the outcome would be if these sentences were not there."""
    search = "" if proven else " (fewer may be enough)"
    return f"Without {places}{search} it would be: {outcome_words(outcome)}."


def outcome_words(outcome: str) -> str:
    """A label or a reason, as a certificate names them, in words."""
    if outcome in set(Label):
        return LABELS[Label(outcome)][0].lower()
    return f"no answer, because {REASONS[Reason(outcome)]}" if outcome in set(Reason) else plain(outcome)


def unread(document: str, sentences: int | None, why: str) -> str:
    """Something given as evidence and not read."""
    amount = "" if sentences is None else f", {count(sentences, 'sentence')}"
    return f"{plain(document)}{amount}: {plain(why)}"


def long_sentences(document: str, parts: Sequence[tuple[int, int]]) -> str:
    """Sentences (number from 1, parts) that were longer than the model reads."""
    each = listing([f"sentence {number} in {n} parts" for number, n in parts])
    return f"{plain(document)}: longer than the model reads, read in overlapping parts: {each}"


def retracted(document: str, title: str) -> str:
    """A retracted document."""
    return f"{RETRACTED}: {plain(document)}" + (f", {plain(title)}" if title.strip() else "")


def not_read_enough() -> str:
    """What follows from unread evidence."""
    return "What was not read is never counted as support."


def not_searched(why: Sequence[str]) -> tuple[str, ...]:
    """What a search could not look into; the first few."""
    more = [f"and {len(why) - 5} more"] if len(why) > 5 else []
    return tuple(f"Not searched: {plain(part)}" for part in [*why[:5], *more])


def dropped(text: str) -> str:
    """A condition that was proposed and not used."""
    return f"Dropped from the conditions: {plain(text)}"


def read(sentences: int, documents: int) -> str:
    """How much was read."""
    return f"{count(sentences, 'sentence')} of {count(documents, 'document')}"


def policy_rule(policy: Policy) -> str:
    """The thresholds and rules of a policy."""
    sizes = listing([count(n, "sentence") for n in policy.windows])
    conflict = "refutes" if policy.on_conflict == "refute" else "is not answered"
    yes = "one supported critical condition" if policy.yes_needs == "any" else "every critical condition supported"
    silent = (
        f"; sentences of {listing([role.value for role in policy.silent])} are no findings" if policy.silent else ""
    )
    return (
        f"{plain(policy.name)}: SUP from {figure(policy.support_threshold)}, "
        f"CON from {figure(policy.contradiction_threshold)}, CON before SUP; premises of {sizes}; "
        f"a conflict {conflict}; a yes needs {yes}{silent}"
    )


def threshold_rule(policy: Policy) -> str:
    """τ for people; per label where it differs."""
    if not policy.label_tau:
        return _threshold(policy.tau)
    shown = [f"{_label(label)} {_threshold(tau)}" for label, tau in policy.label_tau.items()]
    return "; ".join([*shown, f"other labels {_threshold(policy.tau)}"])


def _label(name: str) -> str:
    return LABELS[Label(name)][0].lower() if name in set(Label) else plain(name)


def _threshold(tau: float | None) -> str:
    return "none: no threshold keeps the promise, so nothing is answered" if tau is None else figure(tau)


def costs_rule(costs: Costs) -> str:
    """What each mistake costs."""
    return (
        f"false support {costs.false_support:g}, false refutation {costs.false_refutation:g}, "
        f"false unsettled {costs.false_unsettled:g}, no answer {costs.abstain:g}, right answer 0"
    )


def promise_rule(promises: Sequence[Promise]) -> str:
    """The bounds a policy was chosen for, or that there is none."""
    if not promises:
        return "no promise (these thresholds come with no bound on the error rate)"
    return "; ".join(map(_promise, promises))


def _promise(promise: Promise) -> str:
    what = TARGETS[promise.target]
    if promise.label is not None:
        what = f"{what} “{_label(promise.label)}”"
    sure = "on average"
    if promise.delta is not None:
        sure = f"with probability at least {round((1.0 - promise.delta) * 100, 7):g} %"
    return (
        f"{what}: at most {promise.alpha * 100:g} %, {sure} ({plain(promise.method)}; of {promise.n} labelled "
        f"items {promise.answered} answered, {promise.errors} wrongly; data sha256 {promise.data_sha256[:12]})"
    )


def document(name: str, title: str, characters: int, sha256: str) -> str:
    """A document as it was given."""
    titled = f", {plain(title)}" if title.strip() else ""
    return f"{plain(name)}{titled}: {count(characters, 'character')}, sha256 {sha256}"


def made_by(provenance: Provenance) -> str:
    """The deterministic parts and their versions."""
    parts = (("decomposer", provenance.decomposer), ("splitter", provenance.splitter))
    named = [f"{role} {plain(part.name)} {plain(part.version)}" for role, part in parts]
    return ", ".join([f"epoche {plain(provenance.epoche)}", *named])


def model(name: str, sha256: str) -> str:
    """An NLI model, with the first 12 characters of its hash."""
    return f"{plain(name)}, sha256 {sha256[:12]}"


def second_reader(name: str, sha256: str) -> str:
    """The model that has to agree with a language model."""
    return f"{model(name, sha256)}; an answer needs its proposal to be the same"
