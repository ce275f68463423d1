"""What the shipped file's figures owe to int8 and to chance: `python -m training.nli.stability`.

Beside the shipped file stand the weights it was made from, in float32, and the tier's last run made twice again
from where it started, with nothing changed. What is done is skipped.
"""

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

from training.nli.answers import answers_file
from training.nli.compared import compared_figures, float32_scorer
from training.nli.config import load_mixture
from training.nli.evaluate import write_results
from training.nli.export import sha256
from training.nli.paths import TIERS, results, work_dir
from training.nli.scorer import Scorer
from training.nli.train import finished, train

RERUNS = ("again-1", "again-2")
NAMES = ("int8", "float32", *RERUNS)


def rerun(tier: str, work: Path, name: str, threads: int) -> Path:
    """Make the tier's last run again in a folder of its own; returns where its weights lie."""
    mixture, folder = load_mixture(tier), work / "reruns" / name
    teacher = answers_file(folder, mixture.train.teacher)
    teacher.parent.mkdir(parents=True, exist_ok=True)
    pools = [p for p in ("train.jsonl.gz", "validation.jsonl.gz", "bags.jsonl.gz") if (work / p).exists()]
    for pool in pools:
        shutil.copyfile(work / pool, folder / pool)
    if mixture.train.teacher:
        shutil.copyfile(answers_file(work, mixture.train.teacher), teacher)
    if not finished(mixture, folder):
        train(mixture, folder, threads=threads)
    return folder / tier


def main() -> None:
    """Every row that is not there yet, or is of other weights."""
    parser = argparse.ArgumentParser(prog="python -m training.nli.stability", description=__doc__)
    parser.add_argument("--tier", choices=sorted(TIERS), default="mini")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", choices=NAMES, help="one row")
    args = parser.parse_args()
    work, path = work_dir(), results("stability")
    shipped = sha256(TIERS[args.tier] / "model.onnx")
    everything: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    found = everything.get(args.tier, {})
    if found.get("model_sha256") != shipped:
        found = {"model_sha256": shipped, "rows": {}}
    exported = json.loads(results(args.tier).read_text(encoding="utf-8"))["export"]
    for name in NAMES:
        if name in found["rows"] or args.only not in (None, name):
            continue
        if name == "int8":
            scorer = Scorer(TIERS[args.tier], threads=args.threads)
        else:
            home = work / args.tier if name == "float32" else rerun(args.tier, work, name, args.threads)
            if name == "float32" and sha256(home / "final.pt") != exported["final_sha256"]:
                raise SystemExit(f"{home / 'final.pt'} is not what the shipped file was made from")
            scorer = float32_scorer(home, load_mixture(args.tier), args.threads)
        found["rows"][name] = compared_figures(scorer)
        write_results(path, everything | {args.tier: found})
        print(name, json.dumps(found["rows"][name]), flush=True)


if __name__ == "__main__":
    main()
