"""Eleven faults of the paper's public code, R1 to R11: what code with the fault computes, beside epoche.

    python benchmarks/reference_faults.py

The faulty side is a minimal model of the behaviour, written here from a description of it; no code of the
authors is used. The data are ours and tiny. `docs/reproduction.md` shows the table.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from epoche.assemble import Verifier
from epoche.backends.base import Decomposer
from epoche.backends.fake import ScriptedNli, Triple
from epoche.backends.labels import KNOWN_PAIRS, identify
from epoche.bench.compare import summary_of
from epoche.bench.datasets import Dataset, Item, given_sentences, load_scifact
from epoche.bench.labels import label_of
from epoche.bench.readings import Setup
from epoche.bench.record import load_run
from epoche.bench.run import run
from epoche.config import load_config, load_policy
from epoche.errors import DocumentError
from epoche.judge import judge
from epoche.metrics.scores import accuracy, confusion
from epoche.metrics.selective import aurc, group
from epoche.policy import Policy
from epoche.steps.audit import audit, best_of
from epoche.steps.decide import decide, propose
from epoche.steps.decompose import WholeDecomposer, with_whole
from epoche.steps.guard import Part
from epoche.steps.retrieve import make_windows
from epoche.steps.segment import segment
from epoche.types import (
    NLI_LABELS,
    Component,
    Condition,
    Decomposition,
    Document,
    Kind,
    Label,
    Proposal,
    Statement,
    Window,
)

PAPER = load_policy("paper")
SCIFACT_LABELS = [str(x) for x in (Label.SUPPORTED, Label.REFUTED, Label.NOT_ENOUGH_EVIDENCE)]
#: The paper's threshold, and the reference code's second one for "missing".
THRESHOLD, MISSING_ABOVE = 0.55, 0.50

ABSTRACTS = {
    1: ["Zinc lowered fever in 40 adults.", "No harm was seen in the zinc group."],
    2: ["Copper did not change fever in 40 adults.", "The dose was 2 mg per day."],
}
#: (claim, cited abstract, rationale sentence and label, if any), written to files as SciFact is released.
CLAIMS = (
    ("Zinc lowers fever.", 1, (0, "SUPPORT")),
    ("Zinc is harmless in adults.", 1, (1, "SUPPORT")),
    ("Copper lowers fever.", 2, (0, "CONTRADICT")),
    ("Zinc cures colds.", 1, None),
    ("Copper cures colds.", 2, None),
)


@dataclass(frozen=True)
class Fault:
    """One fault: its number, what is computed, by code that has it and by epoche."""

    number: int
    what: str
    faulty: str | float
    ours: str | float


def r1() -> Fault:
    """Gold labels from a key that the official lines do not have."""
    right = ["supported", "supported", "refuted", "not_enough_evidence", "not_enough_evidence"]
    with tempfile.TemporaryDirectory() as name:
        claims, corpus = _official_files(Path(name))
        lines = [json.loads(line) for line in claims.read_text(encoding="utf-8").splitlines()]
        default = [line.get("label", "not_enough_evidence") for line in lines]
        dataset = load_scifact(claims, corpus, split="own", protocol="abstract")
    derived = [str(item.gold) for item in dataset.items]
    faulty, ours = (float(accuracy(confusion(gold, right, SCIFACT_LABELS))) for gold in (default, derived))
    return Fault(1, "accuracy of five right predictions on lines as officially released", faulty, ours)


def r2() -> Fault:
    """Gold rationales as evidence: unsettled claims have none, and that gives their label away."""
    yes_sayer = ScriptedNli(lambda premise, hypothesis: (0.9, 0.08, 0.02))
    with tempfile.TemporaryDirectory() as name:
        dataset = load_scifact(*_official_files(Path(name)), split="own", protocol="rationale")
        predicted = ["supported" if item.documents else "not_enough_evidence" for item in dataset.items]
        record = run(dataset, _pipeline(yes_sayer, WholeDecomposer()), Path(name) / "run")
        summary = summary_of(record, Setup(PAPER))
    right = [p == str(item.gold) for p, item in zip(predicted, dataset.items, strict=True)]
    what = "accuracy of a model that calls everything it can read supported, on gold rationales"
    kept = f"{summary['accuracy']:.4f} (n = {summary['n']}; {summary['leaking_items']} unsettled kept apart)"
    return Fault(2, what, f"{np.mean(right):.4f} (n = {len(right)})", kept)


def r3() -> Fault:
    """A status between "missing" and "supported" that the decision does not look at."""
    e, c = 0.02, 0.01
    missing = MISSING_ABOVE < max(e, c) < THRESHOLD
    status = "contradicted" if c >= THRESHOLD else "supported" if e >= THRESHOLD else "uncertain"
    status = "missing" if missing else status
    supports = [e] if status == "supported" else []
    label = {"contradicted": Label.REFUTED, "missing": Label.NOT_ENOUGH_EVIDENCE}.get(status, Label.SUPPORTED)
    faulty = f"{label} ({sum(supports) / max(len(supports), 1):.2f})"
    what = "label (and confidence) of a claim that one sentence neither supports nor contradicts"
    return Fault(3, what, faulty, _told(_proposal([[(e, 0.97, c)]])))


def r4() -> Fault:
    """One best sentence per condition: contradiction has priority within it only."""
    sentences = [(0.95, 0.03, 0.02), (0.03, 0.03, 0.94)]
    e, _, c = max(sentences, key=lambda s: max(s[0], s[2]))
    label = Label.REFUTED if c >= THRESHOLD else Label.SUPPORTED if e >= THRESHOLD else Label.NOT_ENOUGH_EVIDENCE
    what = "label of a claim that one sentence supports with 0.95 and another contradicts with 0.94"
    return Fault(4, what, str(label), str(_proposal([sentences]).label))


def r5() -> Fault:
    """Three quantities, one per label, ranked on one curve."""
    # Nothing found, two sentences at odds, and one that supports; only the last proposal is right.
    claims: list[list[Triple]] = [
        [(0.02, 0.97, 0.01)],
        [(0.60, 0.38, 0.02), (0.02, 0.36, 0.62)],
        [(0.58, 0.40, 0.02)],
    ]
    wrong = [1, 1, 0]
    proposals = [_proposal([sentences]) for sentences in claims]
    mixed = []
    for sentences, proposal in zip(claims, proposals, strict=True):
        e, c = max(s[0] for s in sentences), max(s[2] for s in sentences)
        by_label = {Label.REFUTED: c, Label.NOT_ENOUGH_EVIDENCE: 1 - max(e, c), Label.SUPPORTED: e}
        mixed.append(by_label[proposal.label])
    faulty, ours = (float(aurc(group(k, wrong))) for k in (mixed, [p.confidence for p in proposals]))
    return Fault(5, "AURC of three proposals of which only the clear support is right", faulty, ours)


def r6() -> Fault:
    """51 thresholds on [0, 1], risk 0 where nothing is selected."""
    confidence, wrong = np.array([0.999, 0.995, 0.991, 0.985]), np.array([1, 0, 0, 0])
    points = []
    for threshold in np.linspace(1.0, 0.0, 51):
        chosen = wrong[confidence >= threshold]
        points.append((chosen.size / wrong.size, float(chosen.mean()) if chosen.size else 0.0))
    coverage, risk = np.array(points).T
    area = float(((risk[1:] + risk[:-1]) / 2 * np.diff(coverage)).sum())
    what = "area under the risk–coverage curve where the most confident of four is the one that is wrong"
    return Fault(6, what, area, float(aurc(group(confidence, wrong))))


def r7() -> Fault:
    """An assumed order of labels, and premises cut at the model's length without a word."""
    # The head's order is contradiction, entailment, neutral; its config does not say so.
    head = ("contradiction", "entailment", "neutral")
    output = np.array([0.05, 0.90, 0.05])
    assumed = ("contradiction", "neutral", "entailment")[int(output.argmax())]
    known = np.array([[0.9 if name == label else 0.05 for name in head] for _, _, label in KNOWN_PAIRS])
    found = NLI_LABELS[identify(known, "unnamed").columns.index(int(output.argmax()))]
    budget, text = 16, "Among " + "many " * 37 + "adults fever rose."
    spans = ScriptedNli({}).token_spans(text)
    _, sentences = segment([given_sentences("1", [text])])
    windows = make_windows(sentences, (1,), ScriptedNli({}).token_spans, budget)
    read = sum(any(w.start <= a and b <= w.end for w in windows) for a, b in spans)
    what = (
        f"how an entailment by an unnamed head is read; tokens read of {len(spans)} by a model that takes {budget}"
    )
    return Fault(7, what, f"{assumed}; {len(spans[:budget])}", f"{found}; {read}")


def r8() -> Fault:
    """Sentences cut at every full stop, and a label that is no label counted as "maybe"."""
    context, decision = "The dose was 2.5 mg (Smith et al. 2004). Pain fell in 31 of 40 adults.", "yess"
    pieces = [p for p in context.split(".") if p.strip()]
    fallback = decision if decision in ("yes", "no", "maybe") else "maybe"
    _, sentences = segment([Document(id="1", text=context)])
    try:
        read = str(label_of(decision, Kind.QUESTION, "own, item 1"))
    except DocumentError:
        read = "refused"
    what = "sentences in a context with a decimal and a citation; what a label typed “yess” becomes"
    return Fault(8, what, f"{len(pieces)}; {fallback}", f"{len(sentences)}; {read}")


def r9() -> Fault:
    """Every line of a decomposer's reply is a condition."""
    claim = Statement(text="Zinc lowers pain and fever.", kind=Kind.CLAIM)
    reply = "Here are the conditions:\n1. Zinc lowers pain.\n2. Zinc lowers fever."
    facts = {"Zinc lowers pain.", "Zinc lowers fever.", claim.text}
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    ours = [
        c.text
        for c in with_whole(claim, [Part(line) for line in lines], "reply", "proposed").conditions
        if c.critical
    ]
    faulty, kept = (f"{len(set(texts) - facts)} of {len(texts)}" for texts in (lines, ours))
    what = "critical conditions that are no fact of the claim, from a reply with a heading and numbers"
    return Fault(9, what, faulty, kept)


def r10() -> Fault:
    """Greedy removal that asks the NLI model again for every trial."""
    sentences = [f"In trial {i}, fever was measured." for i in range(19)] + ["Zinc lowered all of it."]
    nli = ScriptedNli(lambda premise, _: (0.9, 0.08, 0.02) if premise.startswith("Zinc") else (0.02, 0.96, 0.02))
    pipeline = _pipeline(nli, _FourConditions())
    claim = Statement(text="Zinc lowers fever, pain, cough and nausea.", kind=Kind.CLAIM)
    case = pipeline.prepare(claim, [given_sentences("1", sentences)])
    scores = pipeline.score(case)
    first_pass = len(nli.asked)
    judge(case, scores, PAPER, pipeline.provenance)
    ours = len(nli.asked) - first_pass
    hypotheses = [c.text for c in case.conditions]
    kept = list(sentences)
    for sentence in sentences:
        trial = [s for s in kept if s != sentence]
        # Without a sentence nothing is supported, and nothing is scored.
        entailed = nli.score([(p, h) for h in hypotheses for p in trial])[:, 0].reshape(len(hypotheses), -1)
        if trial and (entailed.max(axis=1) >= THRESHOLD).all():
            kept = trial
    faulty = len(nli.asked) - first_pass - ours
    what = f"pairs scored for minimal evidence of 20 sentences × 4 conditions, after the {first_pass} of the audit"
    return Fault(10, what, faulty, ours)


def r11() -> Fault:
    """Files written at the end: a stop in the middle loses all."""
    items = [
        Item(
            str(i),
            Statement(text=f"Zinc lowers fever {i}.", kind=Kind.CLAIM),
            (given_sentences(str(i), [f"Zinc lowered fever in trial {i}."]),),
            Label.SUPPORTED,
        )
        for i in range(40)
    ]
    dataset = Dataset("custom", "own", "given", tuple(items), {})

    def stops(premise: str, hypothesis: str) -> Triple:
        if premise.endswith("trial 20."):
            raise KeyboardInterrupt
        return (0.9, 0.08, 0.02)

    with tempfile.TemporaryDirectory() as name:
        faulty = _rows_after(
            lambda: _write_at_end(items, stops, Path(name) / "all.jsonl"), Path(name) / "all.jsonl"
        )
        out = Path(name) / "run"
        _rows_after(lambda: run(dataset, _pipeline(ScriptedNli(stops), WholeDecomposer()), out), out)
        ours = len(load_run(out).items)
    return Fault(11, "items on disk after a stop at item 21 of 40", faulty, ours)


FAULTS: tuple[Callable[[], Fault], ...] = (r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11)


def table() -> str:
    """All faults as a Markdown table."""
    rows = ["| | what is computed | with the fault | epoche |", "|---|---|---|---|"]
    for fault in (f() for f in FAULTS):
        rows.append(f"| R{fault.number} | {fault.what} | {_shown(fault.faulty)} | {_shown(fault.ours)} |")
    return "\n".join(rows)


def main() -> None:
    """Prints the table."""
    print(table())


def _shown(value: str | float) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _official_files(folder: Path) -> tuple[Path, Path]:
    """Claims and corpus in the official form: labels stand in `evidence` only."""
    claims, corpus = folder / "claims.jsonl", folder / "corpus.jsonl"
    lines = []
    for i, (claim, cited, found) in enumerate(CLAIMS):
        evidence = {str(cited): [{"sentences": [found[0]], "label": found[1]}]} if found else {}
        lines.append({"id": i, "claim": claim, "evidence": evidence, "cited_doc_ids": [cited]})
    claims.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    abstracts = [{"doc_id": d, "title": "", "abstract": a} for d, a in ABSTRACTS.items()]
    corpus.write_text("\n".join(map(json.dumps, abstracts)), encoding="utf-8")
    return claims, corpus


def _pipeline(nli: ScriptedNli, decomposer: Decomposer) -> Verifier:
    return Verifier(nli, decomposer, PAPER, config=load_config({}))


def _proposal(scores: Sequence[Sequence[Triple]], policy: Policy = PAPER) -> Proposal:
    """What epoche proposes for a claim whose critical conditions (rows) have these scores per sentence."""
    conditions = [
        Condition(text=f"Condition {i}.", critical=True, origin="own", why="own") for i in range(len(scores))
    ]
    windows = [Window(sentences=(i,), start=0, end=1) for i in range(len(scores[0]))]
    found = np.array(scores)
    draft = propose(Kind.CLAIM, best_of(found, np.ones(len(windows), dtype=np.bool_)), len(windows), policy)
    return decide(audit(conditions, windows, found, policy), draft)


def _told(proposal: Proposal) -> str:
    return f"{proposal.label} ({proposal.confidence:.2f})"


class _FourConditions:
    component = Component(name="four", version="1")

    def decompose(self, statement: Statement) -> Decomposition:
        """Three parts and the whole statement, all critical."""
        texts = ("Zinc lowers fever.", "Zinc lowers pain.", "Zinc lowers cough.", statement.text)
        conditions = tuple(Condition(text=t, critical=True, origin="own", why="own") for t in texts)
        return Decomposition(conditions=conditions, covers=False)


def _write_at_end(items: Sequence[Item], scorer: Callable[[str, str], Triple], path: Path) -> None:
    rows = [json.dumps([i.id, scorer(i.documents[0].text, i.statement.text)]) for i in items]
    path.write_text("\n".join(rows), encoding="utf-8")


def _rows_after(work: Callable[[], object], path: Path) -> int:
    """Lines in a file after work that is stopped by the user."""
    with contextlib.suppress(KeyboardInterrupt):
        work()
    return len(path.read_text(encoding="utf-8").splitlines()) if path.is_file() else 0


if __name__ == "__main__":
    main()
