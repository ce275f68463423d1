"""Certificate → the parts of its report; the formats only escape and arrange them, so all say the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from epoche.certificate import Certificate
from epoche.errors import CertificateError
from epoche.report import source_words, words
from epoche.report.blocks import ConditionView, Direction, Meter, Quote, Quotes, Section, Tone, View
from epoche.steps.certify import as_array, as_rows
from epoche.steps.roles import heard
from epoche.steps.sides import disagreeing, sides
from epoche.types import Cited, ConditionAudit, DocumentRecord, Label, Sentence, Status, Window

#: Sentences shown per direction; the rest are counted.
MOST_SHOWN = 3

_TONES: dict[Label, Tone] = {
    Label.SUPPORTED: "support",
    Label.YES: "support",
    Label.REFUTED: "contradict",
    Label.NO: "contradict",
    Label.NOT_ENOUGH_EVIDENCE: "unsettled",
    Label.MAYBE: "unsettled",
}
STATUS_TONES: dict[Status, Tone] = {
    Status.SUP: "support",
    Status.CON: "contradict",
    Status.MIS: "unsettled",
}
T = TypeVar("T")


class _Shown:
    """What the report has quoted so far: a sentence is not quoted twice, nor a title."""

    def __init__(self) -> None:
        self.sentences: set[int] = set()
        self._titles: set[str] = set()

    def first_time(self, record: DocumentRecord) -> bool:
        """Whether a document has a title that was not shown yet."""
        new = bool(record.title.strip()) and record.id not in self._titles
        self._titles.add(record.id)
        return new


def view(certificate: Certificate) -> View:
    """The report of a certificate.

    Raises:
        CertificateError: an index in it points at nothing, or its scores do not fit its windows.
    """
    outcome, proposal, tau = certificate.outcome, certificate.proposal, _tau(certificate)
    tone: Tone
    if outcome.type == "verdict" and outcome.label is not None:
        tone = _TONES[outcome.label]
        label, said = words.LABELS[outcome.label]
        if any(a.conflict for a in certificate.conditions):
            said = words.despite(said)
    else:
        tone = "failed" if outcome.type == "failure" else "abstained"
        label = words.FAILED if outcome.type == "failure" else words.ABSTAINED
        said = words.closed(outcome.detail)
    answered = outcome.type == "verdict"
    shown = _Shown()
    conditions = _conditions(certificate, shown)
    return View(
        tone=tone,
        label=label,
        said=said,
        confidence=_confidence(certificate) if answered else "",
        leaning=words.leaning(proposal.label, proposal.confidence, tau) if proposal and not answered else "",
        kind=words.KINDS[certificate.statement.kind],
        statement=words.shortened(words.plain(certificate.statement.text)),
        conditions=conditions,
        meter=_meter(certificate, tone),
        why=_why(certificate),
        sections=tuple(
            s
            for s in (_minimal(certificate, shown), _sides(certificate), _unread(certificate), _notes(certificate))
            if s
        ),
        method=_method(certificate),
        provenance=_provenance(certificate),
        documents=tuple(
            words.document(d.id, d.title, d.characters, d.sha256) for d in certificate.evidence.documents
        ),
    )


def _tau(certificate: Certificate) -> float | None:
    """The threshold that the proposal had to reach."""
    proposal, policy = certificate.proposal, certificate.policy
    return policy.tau if proposal is None else policy.tau_for(proposal.label)


def _confidence(certificate: Certificate) -> str:
    value = certificate.outcome.confidence
    return "" if value is None else words.confidence(value, _tau(certificate))


def _meter(certificate: Certificate, tone: Tone) -> Meter | None:
    proposal, tau = certificate.proposal, _tau(certificate)
    if proposal is None:
        return None
    value = proposal.confidence
    return Meter("Confidence", words.against_tau(value, tau), value, tau, tone)


def _conditions(certificate: Certificate, shown: _Shown) -> tuple[ConditionView, ...]:
    """The audited conditions; where nothing was scored, those that would have been."""
    if certificate.conditions:
        return tuple(_condition(certificate, i, shown) for i in range(len(certificate.conditions)))
    return tuple(
        ConditionView(
            number=i,
            text=words.shortened(words.plain(c.text)),
            critical=c.critical,
            role=words.role(c.critical, c.why),
            tone="abstained",
            code="",
            status=words.NOT_AUDITED,
            conflict=False,
            meters=(),
            quotes=(),
        )
        for i, c in enumerate(certificate.decomposition.conditions, start=1)
    )


def _condition(certificate: Certificate, index: int, shown: _Shown) -> ConditionView:
    audit, policy = certificate.conditions[index], certificate.policy
    s, c = (audit.support, policy.support_threshold), (audit.contradiction, policy.contradiction_threshold)
    return ConditionView(
        number=index + 1,
        text=words.shortened(words.plain(audit.text)),
        critical=audit.critical,
        role=words.role(audit.critical, audit.why),
        tone=STATUS_TONES[audit.status],
        code=audit.status.value,
        status=words.STATUSES[audit.status],
        conflict=audit.conflict,
        meters=(
            Meter("Support", words.needs("s", *s), *s, tone="support"),
            Meter("Contradiction", words.needs("c", *c), *c, tone="contradict"),
        ),
        quotes=_evidence(certificate, index, audit, shown),
    )


def _evidence(certificate: Certificate, index: int, audit: ConditionAudit, shown: _Shown) -> tuple[Quotes, ...]:
    """Contradicting windows, then supporting ones; where there are none, the nearest."""
    directions: tuple[tuple[Direction, Sequence[Cited]], ...] = (
        ("contradict", audit.contradicting),
        ("support", audit.supporting),
    )
    found = tuple(
        Quotes(
            direction=direction,
            heading=words.quotes_heading(direction, nearest=False),
            items=tuple(_quote(certificate, cited, direction, shown) for cited in windows[:MOST_SHOWN]),
            more=max(0, len(windows) - MOST_SHOWN),
            tone=direction,
        )
        for direction, windows in directions
        if windows
    )
    if found or audit.status is not Status.MIS:
        return found
    nearest = _nearest(certificate, index)
    if nearest is None:
        return ()
    direction, cited = nearest
    heading = words.quotes_heading(direction, nearest=True)
    return (Quotes(direction, heading, (_quote(certificate, cited, direction, shown),), 0, "unsettled"),)


def _nearest(certificate: Certificate, index: int) -> tuple[Direction, Cited] | None:
    """Among the windows that the policy reads, the one that is closest to either threshold."""
    policy, windows = certificate.policy, certificate.evidence.windows
    if not certificate.scores:
        return None
    counted = as_rows(heard(as_array(certificate), certificate.evidence, policy.silent))
    row = _at(counted, index, "scores", "row")
    candidates: list[tuple[float, int, Direction, float]] = []
    for w, window in enumerate(windows):
        if len(window.sentences) in policy.windows:
            entailment, _, contradiction = _at(row, w, f"scores[{index}]", "entry")
            candidates.append((policy.support_threshold - entailment, w, "support", entailment))
            candidates.append((policy.contradiction_threshold - contradiction, w, "contradict", contradiction))
    if not candidates:
        return None
    _, w, direction, probability = min(candidates, key=lambda candidate: candidate[:2])
    return direction, Cited(window=w, probability=probability)


def _quote(certificate: Certificate, cited: Cited, direction: Direction, shown: _Shown) -> Quote:
    evidence, policy = certificate.evidence, certificate.policy
    window = _at(evidence.windows, cited.window, "a cited window", "window")
    members = [
        _at(evidence.sentences, i, f"evidence.windows[{cited.window}]", "sentence") for i in window.sentences
    ]
    shown.sentences.update(window.sentences)
    threshold = policy.support_threshold if direction == "support" else policy.contradiction_threshold
    said = words.probability(direction, cited.probability, threshold)
    return _passage(certificate, window, members, said, shown)


def _passage(
    certificate: Certificate, window: Window, members: Sequence[Sentence], probability: str, shown: _Shown
) -> Quote:
    first = members[0]
    text = words.plain(" ".join(s.text for s in members))
    if window.parts > 1:
        text = words.plain(first.text[window.start - first.start : window.end - first.start])
        text = ("[…] " if window.start > first.start else "") + text + (" […]" if window.end < first.end else "")
    text = words.shortened(text)
    record = next((d for d in certificate.evidence.documents if d.id == first.document), None)
    return Quote(
        text=text,
        document=words.plain(first.document),
        title=words.plain(record.title) if record and shown.first_time(record) else "",
        place=words.place(window, [s.index + 1 for s in members], members[0].page),
        probability=probability,
        retracted=record is not None and record.retracted,
    )


def _why(certificate: Certificate) -> Section:
    outcome, proposal = certificate.outcome, certificate.proposal
    answered = outcome.type == "verdict"
    # Where nothing is answered, the detail is what the report opens with.
    lines = [words.sentence(outcome.detail)] if answered else []
    if outcome.type == "abstention" and outcome.reason is not None:
        lines.append(words.reason_line(outcome.reason))
    if outcome.type == "failure" and outcome.reason is not None:
        lines.append(words.error_kind(outcome.reason))
    lines += [words.sentence(o.detail) for o in certificate.obstacles if o.detail != outcome.detail]
    if proposal is not None:
        if proposal.deciding:
            lines.append(words.decided_by([i + 1 for i in proposal.deciding], proposal.label, answered))
        if proposal.probabilities is not None:
            lines.append(words.sentence(words.probabilities(proposal.probabilities)))
        lines.append(words.confidence_rule(certificate.policy, proposal.label))
    return Section(words.why_heading(answered), tuple(lines))


def _minimal(certificate: Certificate, shown: _Shown) -> Section | None:
    minimal = certificate.minimal_evidence
    if not certificate.scores:
        return None
    lines: list[str] = []
    used: list[int] = []
    if minimal.sufficient is not None:
        used += minimal.sufficient.sentences
        places = _places(certificate, minimal.sufficient.sentences)
        lines.append(words.rests_on(places, minimal.sufficient.search == "exact"))
    if minimal.removal is not None and minimal.without_removal is not None:
        used += minimal.removal.sentences
        places = _places(certificate, minimal.removal.sentences)
        lines.append(words.without(places, minimal.without_removal, minimal.removal.search == "exact"))
    if minimal.note.strip():
        lines.append(words.sentence(minimal.note))
    # Sentences named here but not quoted under a condition are quoted here, so that they can be read.
    fresh = [i for i in dict.fromkeys(used) if i not in shown.sentences]
    quotes = []
    for i in fresh[:MOST_SHOWN]:
        s = _at(certificate.evidence.sentences, i, "minimal_evidence", "sentence")
        quotes.append(_passage(certificate, Window(sentences=(i,), start=s.start, end=s.end), [s], "", shown))
    more = max(0, len(fresh) - MOST_SHOWN)
    return Section(words.MINIMAL, tuple(lines), tuple(quotes), more) if lines else None


def _places(certificate: Certificate, sentences: Sequence[int]) -> str:
    numbers: dict[str, list[int]] = {}
    for i in sentences:
        s = _at(certificate.evidence.sentences, i, "minimal_evidence", "sentence")
        numbers.setdefault(s.document, []).append(s.index + 1)
    return words.listing([words.sentences_of(found, document) for document, found in numbers.items()])


def _sides(certificate: Certificate) -> Section | None:
    """The documents that disagree, side by side, and what the policy does about it."""
    if not certificate.scores or len(certificate.evidence.documents) < 2:
        return None
    found = sides(certificate.evidence, as_array(certificate), certificate.policy)
    disputed = disagreeing(found)
    if not disputed:
        return None
    lines = [source_words.side(one, disputed) for one in found]
    return Section(source_words.SIDES, (*lines, source_words.settled(certificate.policy)))


def _unread(certificate: Certificate) -> Section | None:
    unread = certificate.evidence.unread
    retrieval = certificate.evidence.retrieval
    missing = retrieval.unread if retrieval else ()
    if missing and not unread:
        return Section(words.UNREAD, words.not_searched(missing))
    if not unread:
        return None
    lines = [words.unread(u.document, u.sentences, u.why) for u in unread]
    return Section(words.UNREAD, (*lines, words.not_read_enough(), *words.not_searched(missing)))


def _notes(certificate: Certificate) -> Section | None:
    """Long sentences, retracted documents, what became of the decomposition."""
    evidence, decomposition = certificate.evidence, certificate.decomposition
    long: dict[str, dict[int, int]] = {}
    for i, window in enumerate(evidence.windows):
        if window.parts > 1:
            s = _at(evidence.sentences, window.sentences[0], f"evidence.windows[{i}]", "sentence")
            long.setdefault(s.document, {})[s.index + 1] = window.parts
    lines = [words.retracted(d.id, d.title) for d in evidence.documents if d.retracted]
    lines += [words.long_sentences(document, list(parts.items())) for document, parts in long.items()]
    lines += [words.dropped(text) for text in decomposition.dropped]
    if decomposition.note.strip():
        lines.append(words.sentence(decomposition.note))
    return Section(words.NOTES, tuple(lines)) if lines else None


def _method(certificate: Certificate) -> tuple[tuple[str, str], ...]:
    evidence, policy, made_by = certificate.evidence, certificate.policy, certificate.provenance
    second = certificate.second
    return (
        *(() if evidence.retrieval is None else (("Found", source_words.found(evidence.retrieval)),)),
        ("Read", words.read(len(evidence.sentences), len(evidence.documents))),
        ("Policy", words.policy_rule(policy)),
        ("τ", words.threshold_rule(policy)),
        ("Promise", words.promise_rule(policy.promises)),
        ("Model", words.model(made_by.nli.name, made_by.nli.sha256)),
        *(() if second is None else (("Second reader", words.second_reader(second.nli.name, second.nli.sha256)),)),
        ("Made by", words.made_by(made_by)),
    )


def _provenance(certificate: Certificate) -> tuple[tuple[str, str], ...]:
    made_by, policy = certificate.provenance, certificate.policy
    nli = made_by.nli
    rows = [
        ("Costs", words.costs_rule(policy.costs)),
        ("Model sha256", nli.sha256),
        ("Model labels", ", ".join(words.plain(name) for name in nli.label_order)),
        ("Model self-test", words.plain(nli.self_test) if nli.self_test.strip() else ""),
        ("Model licence", words.plain(nli.license) if nli.license.strip() else ""),
        ("Model domain", words.plain(nli.domain) if nli.domain.strip() else ""),
        ("Settings", f"sha256 {made_by.config_digest}"),
        ("Certificate", f"{certificate.format}, sha256 {certificate.digest}"),
    ]
    return tuple((name, value) for name, value in rows if value)


def _at(items: Sequence[T], index: int, where: str, what: str) -> T:
    """`items[index]`, or an error that says what the certificate lacks."""
    if 0 <= index < len(items):
        return items[index]
    raise CertificateError(
        f"{where} names {what} {index}, but the certificate holds {len(items)}: it was changed by hand "
        "or cut; make it again with epoche verify"
    )
