"""What the benchmark page shows of a run, worked out from its record; the template only words it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from epoche.bench.readings import Reading, Setup, Table, leaking, predictions_of
from epoche.bench.record import ItemRecord, Run
from epoche.metrics import selective
from epoche.metrics.scores import Bin, reliability
from epoche.steps.audit import CONTRADICTION, ENTAILMENT
from epoche.types import Label, Policy

#: Confident errors shown per run, and the longest statement in the list of what a τ withholds.
ERRORS = 20
_SHOWN = 200
_SUPPORTING, _REFUTING = (Label.SUPPORTED, Label.YES), (Label.REFUTED, Label.NO)


@dataclass(frozen=True)
class Point:
    """One deployable threshold of a run."""

    tau: float
    coverage: float
    risk: float


@dataclass(frozen=True)
class ItemView:
    """One item as judged; `evidence` only where it is shown."""

    id: str
    statement: str
    gold: str
    predicted: str | None
    confidence: float | None
    withheld: str | None
    evidence: tuple[tuple[str, str], ...] = ()

    @property
    def right(self) -> bool:
        return self.gold == self.predicted


@dataclass(frozen=True)
class RunView:
    """A run, ready to be shown."""

    name: str
    summary: Mapping[str, Any]
    ablations: Mapping[str, Any] | None
    points: tuple[Point, ...]
    items: tuple[ItemView, ...]
    errors: tuple[ItemView, ...]
    bins: tuple[Bin, ...]

    @property
    def anchor(self) -> str:
        """Part of a page address."""
        return "run-" + "".join(c if c.isalnum() else "-" for c in self.name)


def view_of(
    record: Run, summary: Mapping[str, Any], ablations: Mapping[str, Any] | None, name: str, policy: Policy
) -> RunView:
    """A run under a policy, without the items whose gold label the missing evidence gives away."""
    setup = Setup(policy)
    readings = Table(record, setup).read(setup)
    kept = np.flatnonzero(~leaking(record)).tolist()
    predictions = predictions_of(record, readings).subset(~leaking(record))
    proposed = predictions.proposed
    points: tuple[Point, ...] = ()
    bins: tuple[Bin, ...] = ()
    if proposed.any():
        groups = selective.group(predictions.confidence[proposed], predictions.error[proposed])
        line = selective.curve(groups)
        share = float(groups.n) / predictions.n
        points = tuple(
            Point(float(t), float(c) * share, float(r))
            for t, c, r in zip(line.threshold, line.coverage, line.risk, strict=True)
        )
        bins = tuple(reliability(predictions.confidence[proposed], 1.0 - predictions.error[proposed]))
    rows = [(record.items[i], readings[i]) for i in kept]
    wrong = [r for r in rows if r[1].label is not None and r[1].label is not r[0].gold]
    wrong.sort(key=lambda row: (-(row[1].confidence or 0.0), row[0].id))
    return RunView(
        name=name,
        summary=summary,
        ablations=ablations,
        points=points,
        items=tuple(_item(item, reading, ()) for item, reading in rows),
        errors=tuple(_item(i, r, _evidence(record, i, r, policy)) for i, r in wrong[:ERRORS]),
        bins=bins,
    )


def _item(item: ItemRecord, reading: Reading, evidence: Sequence[tuple[str, str]]) -> ItemView:
    text = item.statement.text
    return ItemView(
        id=item.id,
        statement=text if len(text) <= _SHOWN or evidence else text[: _SHOWN - 1] + "…",
        gold=str(item.gold),
        predicted=None if reading.label is None else str(reading.label),
        confidence=reading.confidence,
        withheld=reading.withheld,
        evidence=tuple(evidence),
    )


def _evidence(record: Run, item: ItemRecord, reading: Reading, policy: Policy) -> list[tuple[str, str]]:
    """(document and sentence number, text) of the window that speaks loudest for the proposal."""
    critical = np.array([c.critical for c in item.decomposition.conditions], dtype=np.bool_)
    read = np.array([len(w.sentences) in policy.windows for w in item.evidence.windows], dtype=np.bool_)
    scores = record.scores(item)[critical][:, read]
    if not scores.size:
        return []
    columns = [ENTAILMENT, CONTRADICTION]
    if reading.label in _SUPPORTING:
        columns = [ENTAILMENT]
    elif reading.label in _REFUTING:
        columns = [CONTRADICTION]
    best = int(scores[:, :, columns].max(axis=(0, 2)).argmax())
    window = item.evidence.windows[int(np.flatnonzero(read)[best])]
    sentences = [item.evidence.sentences[s] for s in window.sentences]
    return [(f"{s.document}, sentence {s.index + 1}", s.text) for s in sentences]
