"""Runs a data set through a pipeline once and writes the record; resumes where it stopped."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from epoche import __version__
from epoche.bench.datasets import Dataset, Item
from epoche.bench.record import ItemRecord, Run, Writer, load_run
from epoche.errors import BackendError, InputError
from epoche.judge import Case
from epoche.types import Decomposition, Evidence
from epoche.verify import Pipeline

#: Every run scores single sentences and pairs of neighbours, so that ablations need no model.
SIZES = (1, 2)
#: Items scored and written together: enough to sort pairs by length, few to lose in a kill.
_CHUNK = 16


#: Called with (items done, items in all, pairs scored since the start).
RunProgress = Callable[[int, int, int], None]


def run(
    dataset: Dataset,
    pipeline: Pipeline,
    out: Path,
    progress: RunProgress | None = None,
    saved: Callable[[], object] = lambda: None,
) -> Run:
    """Scores every item that the record in `out` does not have yet.

    Args:
        saved: called whenever items were written.

    Raises:
        InputError: an item has no gold label (nothing can be scored against it), or `out` holds the
            record of another configuration.
    """
    require_gold(dataset)
    writer = Writer(out, meta_of(dataset, pipeline))
    try:
        todo = [item for item in dataset.items if item.id not in writer.done]
        pairs = 0
        for start in range(0, len(todo), _CHUNK):
            pairs += _chunk(todo[start : start + _CHUNK], pipeline, writer)
            saved()
            if progress is not None:
                progress(len(writer.done), len(dataset.items), pairs)
    finally:
        writer.close()
    return load_run(out)


def require_gold(dataset: Dataset) -> None:
    """Refuses a data set that has no gold labels.

    Raises:
        InputError: naming how many items lack one, and the first.
    """
    missing = [item.id for item in dataset.items if item.gold is None]
    if missing:
        raise InputError(
            f"{dataset.name} {dataset.split}: {len(missing)} of {len(dataset.items)} items have no gold label "
            f"(first: {missing[0]}); nothing can be scored against them. A test file is released without labels"
        )


def meta_of(dataset: Dataset, pipeline: Pipeline) -> dict[str, Any]:
    """What made a record. `identity` must be equal for a record to be continued."""
    made = pipeline.provenance
    return {
        "identity": {
            "dataset": dataset.name,
            "split": dataset.split,
            "protocol": dataset.protocol,
            "data_sha256": dataset.digest,
            "files": dict(dataset.files),
            "nli": made.nli.name,
            "nli_sha256": made.nli.sha256,
            "decomposer": f"{made.decomposer.name} {made.decomposer.version}",
            "splitter": f"{made.splitter.name} {made.splitter.version}",
            "config_digest": made.config_digest,
            "epoche": __version__,
        },
        "items": len(dataset.items),
        "notes": list(dataset.notes),
        "machine": {
            "system": platform.system(),
            "processor": platform.machine(),
            "python": platform.python_version(),
            "numpy": np.__version__,
        },
    }


def _chunk(items: Sequence[Item], pipeline: Pipeline, writer: Writer) -> int:
    """Scores and writes some items; how many pairs they have."""
    start = time.perf_counter()
    cases: list[tuple[Item, Case | None, str | None]] = []
    for item, proposed in zip(items, _proposed(items, pipeline), strict=True):
        try:
            if isinstance(proposed, BackendError):
                raise proposed
            ready = pipeline.prepare(item.statement, item.documents, sizes=SIZES, proposed=proposed)
            cases.append((item, ready, None))
        except BackendError as error:
            cases.append((item, None, f"{type(error).__name__}: {error}"))
    scored = _scores([case for _, case, _ in cases if case is not None], pipeline)
    seconds = (time.perf_counter() - start) / len(items)
    for item, case, failure in cases:
        empty = np.zeros((0, 0, 3))
        if case is None:
            case = Case(item.statement, Decomposition(conditions=(), covers=False), Evidence(), ())
            result: np.ndarray | str = empty
        else:
            result = next(scored)
        if isinstance(result, str):
            failure, result = result, empty
        writer.add(_record(item, case, failure, seconds), result)
    return sum(len(case.pairs()) for _, case, _ in cases if case is not None)


def _proposed(items: Sequence[Item], pipeline: Pipeline) -> list[Decomposition | BackendError | None]:
    """What the decomposer says of each statement, several at once where it can; one that fails stops no other."""

    def asked(item: Item) -> Decomposition | BackendError | None:
        try:
            return pipeline.propose(item.statement)
        except BackendError as error:
            return error

    parallel = getattr(pipeline.decomposer, "parallel", 1)
    if parallel == 1:
        return [asked(item) for item in items]
    with ThreadPoolExecutor(parallel) as pool:
        return list(pool.map(asked, items))


def _scores(cases: Sequence[Case], pipeline: Pipeline) -> Any:
    """Scores per case in one call; where that breaks, case by case, a failure as its message."""
    pairs = [case.pairs() for case in cases]
    try:
        flat = pipeline.nli.score([pair for part in pairs for pair in part])
    except BackendError:
        return iter([_score_alone(case, pipeline) for case in cases])
    results, start = [], 0
    for case, part in zip(cases, pairs, strict=True):
        windows = len(case.evidence.windows)
        rows = len(part) // windows if windows else 0
        results.append(flat[start : start + len(part)].reshape(rows, windows, 3))
        start += len(part)
    return iter(results)


def _score_alone(case: Case, pipeline: Pipeline) -> np.ndarray | str:
    try:
        return pipeline.score(case)
    except BackendError as error:
        return f"{type(error).__name__}: {error}"


def _record(item: Item, case: Case, failure: str | None, seconds: float) -> ItemRecord:
    return ItemRecord(
        id=item.id,
        gold=item.gold,
        statement=case.statement,
        decomposition=case.decomposition,
        evidence=case.evidence,
        obstacles=case.obstacles,
        offset=0,
        conditions=0,
        windows=0,
        failure=failure,
        seconds=round(seconds, 4),
    )
