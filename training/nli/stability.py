"""What int8 and chance change: `python -m training.nli.stability`.

The last run of the small model goes on a little from the shipped weights (`[tier.mini-again]`), and once more with
nothing changed but the number of threads, so that sums are rounded in another order. Each is measured in float32
and in int8, beside the shipped file. What is done is skipped.
"""

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

from training.nli.answers import answers_file
from training.nli.compared import compared_figures, weights_scorer
from training.nli.config import load_mixture
from training.nli.evaluate import write_results
from training.nli.export import sha256
from training.nli.paths import TIERS, results, work_dir
from training.nli.scorer import Scorer
from training.nli.teacher import teach
from training.nli.train import finished, train

SHIPPED, TIER = "mini", "mini-again"
ANSWERS = 4800
THREADS = {"again-1": 1, "again-2": 2}
"""Repetitions, and how many threads each is made with."""


def rerun(work: Path, name: str) -> Path:
    """Make the run in a folder of its own; returns where its weights lie."""
    mixture, folder = load_mixture(TIER), work / "reruns" / name
    teacher = answers_file(folder, mixture.train.teacher)
    teacher.parent.mkdir(parents=True, exist_ok=True)
    for pool in ("train.jsonl.gz", "validation.jsonl.gz", "bags.jsonl.gz"):
        shutil.copyfile(work / pool, folder / pool)
    shutil.copyfile(answers_file(work, mixture.train.teacher), teacher)
    if not finished(mixture, folder):
        train(mixture, folder, threads=THREADS[name])
    return folder / TIER


def main() -> None:
    """Every row that is not there yet, or is beside other shipped weights."""
    parser = argparse.ArgumentParser(prog="python -m training.nli.stability", description=__doc__)
    parser.add_argument("--only", choices=("shipped", *THREADS), help="one run")
    parser.add_argument("--threads", type=int, default=2, help="for teaching and measuring")
    args = parser.parse_args()
    work, path = work_dir(), results("stability")
    shipped = sha256(TIERS[SHIPPED] / "model.onnx")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if found.get("shipped_sha256") != shipped:
        found = {"shipped_sha256": shipped, "runs": {}}
    if "shipped" not in found["runs"] and args.only in (None, "shipped"):
        found["runs"]["shipped"] = {"int8": compared_figures(Scorer(TIERS[SHIPPED], threads=args.threads))}
        write_results(path, found)
    mixture = load_mixture(TIER)
    for name, threads in THREADS.items():
        if name in found["runs"] or args.only not in (None, name):
            continue
        teach(mixture, work, threads=args.threads, most=ANSWERS)
        home = rerun(work, name)
        run: dict[str, Any] = {"threads": threads, "final_sha256": sha256(home / "final.pt")}
        for kind in ("float32", "int8"):
            run[kind] = compared_figures(weights_scorer(home, mixture, args.threads, int8=kind == "int8"))
        found["runs"][name] = run
        write_results(path, found)
        print(name, json.dumps(run), flush=True)


if __name__ == "__main__":
    main()
