"""``python -m training.nli STAGE``: stages skip what is done and resume what was interrupted."""

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

from training.nli.config import load_mixture
from training.nli.paths import RESULTS, WEIGHTS, work_dir

STAGES = ("data", "train", "export", "evaluate", "card", "install")
FILES = ("model.onnx", "tokenizer.json", "config.json", "README.md")


def _load(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def run_data(work: Path, args: argparse.Namespace) -> None:
    """Build the pool, unless it was built from this very mixture."""
    from training.nli.data import build_pool, pool_digest

    mixture = load_mixture()
    report = _load(work / "data_report.json")
    if report.get("digest") != pool_digest(mixture) or not (work / "train.jsonl.gz").exists():
        report = build_pool(mixture, work)
    print(json.dumps({k: v for k, v in report.items() if k != "sets"}))


def run_train(work: Path, args: argparse.Namespace) -> None:
    """Train or resume, unless the run is finished."""
    from training.nli.train import finished, train

    mixture = load_mixture()
    if not finished(mixture, work):
        train(mixture, work, args.device, args.threads, args.max_steps)


def run_export(work: Path, args: argparse.Namespace) -> None:
    """Export, unless these weights were exported before."""
    from training.nli.export import export, sha256

    done = _load(work / "export.json").get("final_sha256")
    if args.interim or done is None or done != sha256(work / "final.pt"):
        export(work, load_mixture().train.max_length, args.interim, args.threads)


def run_evaluate(work: Path, args: argparse.Namespace) -> None:
    """Measure the exported folder, unless the results file is about this very file."""
    from training.nli.evaluate import evaluate, write_results

    exported, data = _load(work / "export.json"), _load(work / "data_report.json")
    path = work / "interim.json" if exported["interim"] else RESULTS
    if _load(path).get("export", {}).get("model_sha256") == exported["model_sha256"]:
        return
    log = [json.loads(line) for line in (work / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    rates = sorted(r["pairs_per_s"] for r in log if "pairs_per_s" in r)
    checks = [{k: r[k] for k in ("step", "pairs", "all")} for r in log if r.get("event") in ("validation", "final")]
    training = {
        "pairs": log[-1]["pairs"],
        "steps": log[-1]["step"],
        "median_pairs_per_s": rates[len(rates) // 2],
        "held_out_accuracy": checks,
    }
    report = {
        "evaluation": evaluate(work / "mini", threads=args.threads),
        "export": exported,
        "training": training,
        "data": data,
    }
    write_results(path, report)


def run_card(work: Path, args: argparse.Namespace) -> None:
    """Write the card into the exported folder."""
    from training.nli.card import render

    path = work / "interim.json" if _load(work / "export.json")["interim"] else RESULTS
    (work / "mini" / "README.md").write_text(render(load_mixture(), _load(path)), encoding="utf-8")


def run_install(work: Path, args: argparse.Namespace) -> None:
    """Copy the exported folder into the package."""
    WEIGHTS.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        part = WEIGHTS / f"{name}.part"
        shutil.copyfile(work / "mini" / name, part)
        part.replace(WEIGHTS / name)


def main() -> None:
    """Run one stage or all of them."""
    parser = argparse.ArgumentParser(prog="python -m training.nli", description=__doc__)
    parser.add_argument("stage", choices=[*STAGES, "all"])
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--max-steps", type=int, help="stop training early (it resumes later)")
    parser.add_argument("--interim", action="store_true", help="export the latest checkpoint of an unfinished run")
    args = parser.parse_args()
    work = work_dir()
    for stage in STAGES if args.stage == "all" else [args.stage]:
        globals()[f"run_{stage}"](work, args)


if __name__ == "__main__":
    main()
