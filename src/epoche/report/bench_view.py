"""What the benchmark page shows of a run, worked out from its record; the template only words it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from epoche.bench.predictions import Predictions
from epoche.bench.readings import Reading, Setup, Table, leaking, predictions_of
from epoche.bench.record import ItemRecord, Run
from epoche.metrics import selective
from epoche.metrics.resample import wilson
from epoche.metrics.scores import Bin, reliability
from epoche.policy import Policy
from epoche.report.words import plain
from epoche.steps.audit import CONTRADICTION, ENTAILMENT
from epoche.steps.roles import heard
from epoche.types import Label

#: Confident errors shown per run, and the longest statement in the list of what a τ withholds.
ERRORS = 20
_SHOWN = 200
#: Which scores a label rests on; unsettled labels rest on neither being high enough, so both are shown.
_COLUMNS = {
    Label.SUPPORTED: (ENTAILMENT,),
    Label.YES: (ENTAILMENT,),
    Label.REFUTED: (CONTRADICTION,),
    Label.NO: (CONTRADICTION,),
}
_DIRECTIONS = {ENTAILMENT: "support", CONTRADICTION: "contradiction"}


@dataclass(frozen=True)
class Point:
    """One deployable threshold of a run: answer what has at least the confidence `tau`."""

    tau: float
    coverage: float
    risk: float
    answered: int
    wrong: int
    #: 95 % Wilson interval of the risk at this one threshold.
    low: float
    high: float


@dataclass(frozen=True)
class Passage:
    """The window with the largest probability in one direction, for the condition it was scored against."""

    condition: str
    #: "support" or "contradiction".
    direction: str
    probability: float
    document: str
    #: Sentence numbers in the document, from 1.
    numbers: tuple[int, ...]
    text: str


@dataclass(frozen=True)
class ItemView:
    """One item as judged; `evidence` only where it is shown."""

    id: str
    statement: str
    gold: str
    predicted: str | None
    confidence: float | None
    #: None for an answer under the run's policy; else a reason, or "failure".
    withheld: str | None
    evidence: tuple[Passage, ...] = ()

    @property
    def right(self) -> bool:
        """Whether the proposal is the gold label."""
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
    def data(self) -> str:
        """Data set, split and protocol: only runs of the same three compare."""
        return f"{self.summary['dataset']} {self.summary['split']}, protocol {self.summary['protocol']}"


def view_of(
    record: Run, summary: Mapping[str, Any], ablations: Mapping[str, Any] | None, name: str, policy: Policy
) -> RunView:
    """A run under a policy. Items whose label the missing evidence gives away are left out, as in every figure."""
    setup = Setup(policy)
    readings = Table(record, setup).read(setup)
    leak = leaking(record)
    predictions = predictions_of(record, readings).subset(~leak)
    rows = [(record.items[i], readings[i]) for i in np.flatnonzero(~leak).tolist()]
    wrong = [r for r in rows if r[1].label is not None and r[1].label is not r[0].gold]
    # Ties in the order of the record, so that the page is the same every time.
    wrong.sort(key=lambda row: -(row[1].confidence or 0.0))
    there = predictions.proposed
    bins = reliability(predictions.confidence[there], 1.0 - predictions.error[there]) if there.any() else []
    return RunView(
        name=name,
        summary=summary,
        ablations=ablations,
        points=points_of(predictions),
        items=tuple(_item(item, reading, _SHOWN, ()) for item, reading in rows),
        errors=tuple(_item(i, r, None, _evidence(record, i, r, policy)) for i, r in wrong[:ERRORS]),
        bins=tuple(bins),
    )


def points_of(predictions: Predictions) -> tuple[Point, ...]:
    """The exact curve over all items, highest τ first; what has no proposal is never answered."""
    there = predictions.proposed
    if not there.any():
        return ()
    groups = selective.group(predictions.confidence[there], predictions.error[there])
    answered = groups.items.cumsum().astype(int).tolist()
    wrong = groups.errors.cumsum().astype(int).tolist()
    return tuple(
        Point(tau, a / predictions.n, w / a, a, w, *wilson(w, a))
        for tau, a, w in zip(groups.confidence.tolist(), answered, wrong, strict=True)
    )


def _item(item: ItemRecord, reading: Reading, most: int | None, evidence: Sequence[Passage]) -> ItemView:
    text = plain(item.statement.text)
    return ItemView(
        id=plain(item.id),
        statement=text if most is None or len(text) <= most else text[: most - 1] + "…",
        gold=str(item.gold),
        predicted=None if reading.label is None else str(reading.label),
        confidence=reading.confidence,
        withheld=reading.withheld,
        evidence=tuple(evidence),
    )


def _evidence(record: Run, item: ItemRecord, reading: Reading, policy: Policy) -> list[Passage]:
    """The windows that speak loudest for the proposal; both directions where it says that neither is enough."""
    critical = [i for i, c in enumerate(item.decomposition.conditions) if c.critical]
    read = [i for i, w in enumerate(item.evidence.windows) if len(w.sentences) in policy.windows]
    if reading.label is None or not critical or not read:
        return []
    scores = heard(record.scores(item), item.evidence, policy.silent)[np.ix_(critical, read)]
    found = []
    for column in _COLUMNS.get(reading.label, (ENTAILMENT, CONTRADICTION)):
        k, m = np.unravel_index(int(scores[:, :, column].argmax()), scores.shape[:2])
        window = item.evidence.windows[read[int(m)]]
        sentences = [item.evidence.sentences[s] for s in window.sentences]
        found.append(
            Passage(
                condition=plain(item.decomposition.conditions[critical[int(k)]].text),
                direction=_DIRECTIONS[column],
                probability=float(scores[k, m, column]),
                document=plain(sentences[0].document),
                numbers=tuple(s.index + 1 for s in sentences),
                text=plain(" ".join(s.text for s in sentences)),
            )
        )
    return found
