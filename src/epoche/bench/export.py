"""Runs in the format that SciFact's official evaluator reads.

One line per claim: {"id", "evidence": {doc_id: {"sentences": […], "label": "SUPPORT" | "CONTRADICT"}}}. A document
gets a label from its own windows, under the run's policy; a claim that is not answered has no evidence. The
evaluator counts only the first three sentences of a document at abstract level, so the strongest come first.
"""

from __future__ import annotations

import json

import numpy as np

from epoche.bench.record import ItemRecord, Run
from epoche.errors import InputError
from epoche.policy import Policy
from epoche.steps.abstain import reason_to_withhold
from epoche.steps.audit import CONTRADICTION, ENTAILMENT, FloatArray, best_of
from epoche.steps.decide import propose
from epoche.steps.roles import heard
from epoche.types import UNSETTLED, Kind, Label

_OFFICIAL = {Label.SUPPORTED: "SUPPORT", Label.REFUTED: "CONTRADICT"}
_COLUMN = {Label.SUPPORTED: ENTAILMENT, Label.REFUTED: CONTRADICTION}


def export_scifact(run: Run, policy: Policy) -> str:
    """JSON lines for the official evaluator, in the order of the run.

    Raises:
        InputError: the run is not one of SciFact claims with whole abstracts.
    """
    if run.meta["identity"]["dataset"] != "scifact":
        raise InputError(f"{run.folder} is a run of {run.meta['identity']['dataset']}, not of scifact")
    if run.meta["identity"]["protocol"] == "rationale":
        raise InputError(
            f"{run.folder} has read the gold sentences alone, whose numbers are not those of the abstracts: "
            "export a run with --protocol abstract"
        )
    if len(run.items) != run.meta.get("items"):
        raise InputError(
            f"{run.folder} holds {len(run.items)} of {run.meta.get('items')} items: start its `epoche bench` "
            "command again, which goes on where it stopped"
        )
    lines = []
    for item in run.items:
        evidence = _evidence(item, run.scores(item), policy) if item.conditions else {}
        lines.append(json.dumps({"id": int(item.id), "evidence": evidence}) + "\n")
    return "".join(lines)


def _evidence(item: ItemRecord, scores: FloatArray, policy: Policy) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    scores = heard(scores, item.evidence, policy.silent)
    for document in item.evidence.documents:
        chosen = [
            i
            for i, window in enumerate(item.evidence.windows)
            if item.evidence.sentences[window.sentences[0]].document == document.id
            and len(window.sentences) in policy.windows
        ]
        if not chosen:
            continue
        windows = [item.evidence.windows[i] for i in chosen]
        critical = np.array([c.critical for c in item.decomposition.conditions], dtype=np.bool_)
        own = scores[:, chosen][critical]
        sentences = {s for window in windows for s in window.sentences}
        proposal = propose(Kind.CLAIM, best_of(own, np.ones(len(chosen), dtype=np.bool_)), len(sentences), policy)
        reason = reason_to_withhold(proposal, policy, sound=proposal, unread=False)
        if proposal.label in UNSETTLED or reason is not None:
            continue
        column = own[:, :, _COLUMN[proposal.label]].max(axis=0)
        threshold = (
            policy.support_threshold if proposal.label is Label.SUPPORTED else policy.contradiction_threshold
        )
        order = [i for i in np.argsort(-column, kind="stable") if column[i] >= threshold]
        cited = dict.fromkeys(item.evidence.sentences[s].index for i in order for s in windows[i].sentences)
        found[document.id] = {"sentences": list(cited), "label": _OFFICIAL[proposal.label]}
    return found
