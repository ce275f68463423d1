"""One run per decomposer and NLI model, scored: `summary.json` and, if asked, `ablations.json`.

SciFact runs over whole abstracts also get `official.json`: the official evaluator's four scores.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from epoche.assemble import Meter, make_decomposer, make_nli, open_store, require_decomposer
from epoche.backends.base import Decomposer
from epoche.bench.datasets import Dataset
from epoche.bench.export import export_scifact
from epoche.bench.official import official_scores, read_export
from epoche.bench.readings import Setup, Table, grid, key_of, leaking, predictions_of
from epoche.bench.record import Run, read_json, write_json
from epoche.bench.run import RunProgress, run
from epoche.bench.score import summarise
from epoche.config import Config
from epoche.errors import InputError, OptionError
from epoche.policy import Policy
from epoche.types import UNSETTLED
from epoche.verify import Pipeline

#: Beside the runs, so that runs below one folder share it; hidden, so that `runs/*` names runs only.
CACHE = ".pairs.sqlite"


@dataclass(frozen=True)
class Plan:
    """One configuration and where its record goes."""

    out: Path
    decomposer: str
    nli: str
    cache: Path


def configurations(out: Path, decomposers: Sequence[str], models: Sequence[str]) -> list[Plan]:
    """Every decomposer with every NLI model: in `out` itself if it is one, else in folders below it.

    Raises:
        UnknownBackend: no such decomposer; before anything is scored.
        OptionError: an empty name.
    """
    wanted, asked = ([n.strip() for n in names] for names in (decomposers, models))
    for option, names in (("--decomposer", wanted), ("--nli", asked)):
        if not all(names):
            raise OptionError(f"{option} has an empty name: give names with single commas between them")
    for name in wanted:
        require_decomposer(name)
    pairs = list(dict.fromkeys(itertools.product(wanted, asked)))
    if len(pairs) == 1:
        beside = out.parent if os.access(out.parent, os.W_OK) or not out.parent.exists() else out
        return [Plan(out, *pairs[0], cache=beside / CACHE)]
    leaves = Counter(Path(nli).name for nli in dict.fromkeys(asked))
    return [
        Plan(out / f"{folder_name(decomposer)}--{_folder(nli, leaves)}", decomposer, nli, cache=out / CACHE)
        for decomposer, nli in pairs
    ]


def folder_name(decomposer: str) -> str:
    """A decomposer's name as the name of a folder."""
    return re.sub(r"[^\w.-]+", "-", decomposer).strip("-.") or "model"


def _folder(nli: str, leaves: Counter[str]) -> str:
    """The last part of a model's name, or all of it where two end alike."""
    leaf = Path(nli).name
    return leaf if leaves[leaf] == 1 else nli.strip("/").replace("/", "--")


def run_and_score(
    dataset: Dataset,
    plan: Plan,
    policy: Policy,
    config: Config,
    *,
    limit: int | None = None,
    ablate: bool = False,
    progress: RunProgress | None = None,
    meter: Meter | None = None,
    decomposer: Decomposer | None = None,
    retrieval: Mapping[str, Any] | None = None,
) -> str:
    """Runs or resumes one plan and writes its summary; the summary's main line for people.

    Args:
        meter: what its language model costs, and may cost.
        decomposer: the plan's, if it is loaded already.
        retrieval: figures of how the evidence was found, for the summary.

    Raises:
        InputError: see `run`, and `summary_of`.
    """
    if limit is not None and limit < len(dataset.items):
        dataset = dataclasses.replace(
            dataset, items=dataset.items[:limit], split=f"{dataset.split} (first {limit})"
        )
    try:
        plan.cache.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{plan.out} cannot be written: {error.strerror}; give another --out") from None
    config = config.model_copy(update={"nli": plan.nli, "decomposer": plan.decomposer})
    store = open_store(plan.cache)
    meter = meter or Meter()
    try:
        decomposer = decomposer or make_decomposer(plan.decomposer, config, meter.keeping(store, config.base_url))
        pipeline = Pipeline(make_nli(plan.nli, config, store), decomposer, policy, config)
        counted = UsageFile(plan.out, meter)
        try:
            record = run(dataset, pipeline, plan.out, progress, counted.write)
        finally:
            counted.write()
    finally:
        store.close()
    summary = summary_of(record, Setup(policy)) | dict(retrieval or {})
    write_json(plan.out / "summary.json", summary)
    if (
        dataset.name == "scifact"
        and dataset.protocol in ("abstract", "corpus")
        and any(i.rationales for i in dataset.items)
    ):
        found = official_scores(read_export(export_scifact(record, policy)), dataset.items)
        write_json(plan.out / "official.json", found)
    if ablate:
        write_json(plan.out / "ablations.json", ablations_of(record, policy))
    return main_line(summary, plan)


class UsageFile:
    """`usage.json` of a run: what its language model used, all starts together."""

    def __init__(self, folder: Path, meter: Meter) -> None:
        self._path = folder / "usage.json"
        self._meter = meter
        self._before: dict[str, float] = read_json(self._path) if self._path.exists() else {}

    def write(self) -> None:
        """Brings the file up to date; there is none where no language model was asked."""
        now = asdict(self._meter.usage)
        if any(now.values()) and self._path.parent.is_dir():
            write_json(self._path, {k: round(self._before.get(k, 0) + v, 6) for k, v in now.items()})


def decomposition_of(record: Run) -> dict[str, Any]:
    """What became of the statements: how many were split, what was dropped, which replies could not be used."""
    asked = [item.decomposition for item in record.items if item.failure is None]
    n = max(1, len(asked))
    replies = [d.replies for d in asked if d.replies]
    return {
        "failures": len(record.items) - len(asked),
        "conditions_mean": round(sum(len(d.conditions) for d in asked) / n, 4),
        "split": sum(len(d.conditions) > 1 for d in asked),
        "whole_critical": sum(len(d.conditions) > 1 and d.conditions[-1].critical for d in asked),
        "dropped_conditions": sum(len(d.dropped) for d in asked),
        "asked": len(replies),
        "asked_twice": sum(len(r) > 1 for r in replies),
        "unusable": sum(bool(r[-1].problem) for r in replies),
    }


def summary_of(
    record: Run, setup: Setup, table: Table | None = None, resamples: int | None = None, brief: bool = False
) -> dict[str, Any]:
    """Every metric of one reading of a record, with what the record is.

    Where unsettled items have nothing to read and others do, the missing evidence gives their label
    away: they are left out of every figure and counted under `leaking_items`.

    Raises:
        InputError: no item is left to score.
    """
    readings = (table or Table(record, setup)).read(setup)
    predictions = predictions_of(record, readings)
    leak = leaking(record)
    if leak.all():
        raise InputError(f"{record.folder}: no item has evidence to read, so nothing can be scored")
    summary: dict[str, Any] = {
        **{k: record.meta["identity"][k] for k in ("dataset", "split", "protocol", "nli", "decomposer")},
        "policy": setup.policy.model_dump(mode="json"),
        "leaking_items": int(leak.sum()),
    }
    if leak.any():
        predictions = predictions.subset(~leak)
        summary["note"] = (
            f"{int(leak.sum())} unsettled items have no evidence, which gives their label away: they are in "
            "no figure here, and a three-label figure is not reported"
        )
    kept = [item for item, out in zip(record.items, leak.tolist(), strict=True) if not out]
    conditions = [sum(c.critical for c in i.decomposition.conditions) for i in kept]
    summary["decomposition"] = decomposition_of(record)
    summary["critical_conditions_mean"] = round(sum(conditions) / len(conditions), 4)
    summary |= summarise(predictions, cost=setup.policy.costs.false_support, resamples=resamples, brief=brief)
    if leak.any():
        _settled_only(summary)
    summary["identity"] = record.meta["identity"]
    return summary


def _settled_only(summary: dict[str, Any]) -> None:
    """No figure over three labels: the mean F1 of the labels whose items are scored stands apart."""
    unsettled = {str(label) for label in UNSETTLED}
    scores = [c["f1"] or 0.0 for label, c in summary["per_class"].items() if label not in unsettled]
    summary["macro_f1"] = None
    summary["intervals"].pop("macro_f1", None)
    summary["macro_f1_settled"] = round(sum(scores) / len(scores), 6)


def ablations_of(record: Run, policy: Policy) -> dict[str, Any]:
    """The grid of `readings.grid`, each with its main figures; no model is called."""
    tables: dict[Any, Table] = {}
    rows = {}
    for name, setup in grid(policy).items():
        key = key_of(setup)
        if key not in tables:
            tables[key] = Table(record, setup)
        summary = summary_of(record, setup, tables[key], ABLATION_RESAMPLES, brief=True)
        rows[name] = {k: summary.get(k) for k in ABLATION_KEYS} | {
            "intervals": {k: summary["intervals"].get(k) for k in ABLATION_KEYS if k in summary["intervals"]}
        }
    return {
        "identity": record.meta["identity"],
        "n": len(record.items),
        "resamples": ABLATION_RESAMPLES,
        "rows": rows,
    }


#: Fewer than behind a summary: many rows, to be compared at a glance.
ABLATION_RESAMPLES = 500
ABLATION_KEYS = (
    "accuracy",
    "macro_f1",
    "risk_at_coverage",
    "aurc",
    "e_aurc",
    "augrc",
    "auroc_failure",
    "coverage",
    "risk",
    "decisive_risk",
    "false_support_rate",
    "ece",
)


def main_line(summary: dict[str, Any], plan: Plan) -> str:
    """One line for people."""

    def shown(name: str) -> str:
        value = summary.get(name)
        return "undefined" if value is None else f"{value:.3f}"

    head = f"{summary['dataset']} {summary['split']} ({summary['protocol']}), {plan.decomposer}, {plan.nli}"
    return (
        f"{head}: n = {summary['n']}, accuracy {shown('accuracy')}, macro-F1 {shown('macro_f1')}, "
        f"AURC {shown('aurc')}, AUROC of failure {shown('auroc_failure')}, false-support rate "
        f"{shown('false_support_rate')}; written to {plan.out}\n"
    )
