"""``python -m training.nli STAGE``: stages skip what is done and resume what was interrupted."""

import argparse
import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

from training.nli.answers import answers_file, read_answers
from training.nli.config import load_mixture, runs
from training.nli.paths import TIERS, results, work_dir

STAGES = ("data", "teach", "train", "export", "evaluate", "card", "install")
FILES = ("model.onnx", "tokenizer.json", "config.json", "README.md")


def _load(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def run_data(work: Path, args: argparse.Namespace) -> None:
    """Build the pool, unless it was built from this very mixture."""
    from training.nli.data import build_pool, pool_digest

    mixture = load_mixture(args.tier)
    report = _load(work / "data_report.json")
    if report.get("digest") != pool_digest(mixture) or not (work / "train.jsonl.gz").exists():
        report = build_pool(mixture, work)
    print(json.dumps({k: v for k, v in report.items() if k != "sets"}))


def run_teach(work: Path, args: argparse.Namespace) -> None:
    """Ask the teacher, if the tier has one."""
    from training.nli.teacher import teach

    mixture = load_mixture(args.tier)
    if mixture.train.teacher:
        teach(mixture, work, args.device, args.threads, args.most)


def run_train(work: Path, args: argparse.Namespace) -> None:
    """Train or resume, unless the run is finished; before it the run it starts from."""
    from training.nli.train import finished, train

    mixture = load_mixture(args.tier)
    first = mixture.train.start
    if first and first not in TIERS and not (work / first / "final.pt").exists():
        train(load_mixture(first), work, args.device, args.threads, args.max_steps)
    if not finished(mixture, work):
        train(mixture, work, args.device, args.threads, args.max_steps)


def _history(work: Path, name: str, shipped: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What each run saw, from the one that began with the encoder to the one called `name`.

    Args:
        shipped: the same of the weights shipped so far, for a run whose log is no longer there.
    """
    home = work / name
    known = [run["run"] for run in shipped]
    if not (home / "train.jsonl").exists() and name in known:
        return shipped[: known.index(name) + 1]
    log = [json.loads(line) for line in (home / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    rates = sorted(r["pairs_per_s"] for r in log if "pairs_per_s" in r)
    data = _load(home / "data.json")
    own = {
        "run": name,
        "pairs": log[-1]["pairs"],
        "steps": log[-1]["step"],
        "median_pairs_per_s": rates[len(rates) // 2],
        "held_out_accuracy": [
            {k: r[k] for k in ("step", "pairs", "all")} for r in log if r.get("event") in ("validation", "final")
        ],
        "pool": {k: data.get(k) for k in ("digest", "train", "share_seen")},
    }
    settings = load_mixture(name).train
    if settings.teacher:
        given = len(read_answers(answers_file(work, settings.teacher)))
        own["teacher"] = {"tier": settings.teacher, "answers": given}
    if settings.bags_per_step:
        own["bags"] = settings.bags_per_step * log[-1]["step"]
    start = settings.start
    return [*(_history(work, start, shipped) if start else []), own]


def run_export(work: Path, args: argparse.Namespace) -> None:
    """Export, unless these weights were exported before."""
    from training.nli.export import export, sha256

    home = work / args.tier
    done = _load(home / "export.json").get("final_sha256")
    if args.interim or done is None or done != sha256(home / "final.pt"):
        export(work, load_mixture(args.tier), args.interim, args.threads)


def _results(home: Path) -> Path:
    """The committed results, or a file beside the weights for those of an unfinished run."""
    return home / "interim.json" if _load(home / "export.json")["interim"] else results(home.name)


def run_evaluate(work: Path, args: argparse.Namespace) -> None:
    """Measure the exported folder, unless the results file is about this very file."""
    from training.nli.evaluate import evaluate, write_results

    home = work / args.tier
    exported, data = _load(home / "export.json"), _load(work / "data_report.json")
    path = _results(home)
    if _load(path).get("export", {}).get("model_sha256") == exported["model_sha256"]:
        return
    report = {
        "evaluation": evaluate(home / "model", threads=args.threads, limit=args.limit),
        "export": exported,
        "training": _history(work, args.tier, _load(results(args.tier)).get("training", [])),
        "data": data,
    }
    write_results(path, report)


def run_measure(work: Path, args: argparse.Namespace) -> None:
    """Measure the shipped weights anew; everything else in the results file stays."""
    from training.nli.evaluate import evaluate, write_results

    path, folder = results(args.tier), TIERS[args.tier]
    report = _load(path)
    shipped = hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest()
    if report["export"]["model_sha256"] != shipped:
        raise SystemExit(f"{folder} is not the model that {path.name} is about")
    write_results(path, report | {"evaluation": evaluate(folder, threads=args.threads, limit=args.limit)})


def run_card(work: Path, args: argparse.Namespace) -> None:
    """Write the card into the exported folder."""
    from training.nli.card import render

    home = work / args.tier
    card = render(load_mixture(args.tier), _load(_results(home)))
    (home / "model" / "README.md").write_text(card, encoding="utf-8")


def run_install(work: Path, args: argparse.Namespace) -> None:
    """Copy the exported folder into the package that ships it."""
    target = TIERS[args.tier]
    target.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        part = target / f"{name}.part"
        shutil.copyfile(work / args.tier / "model" / name, part)
        part.replace(target / name)


def main() -> None:
    """Run one stage or all of them."""
    parser = argparse.ArgumentParser(prog="python -m training.nli", description=__doc__)
    parser.add_argument("stage", choices=[*STAGES, "all", "measure"])
    parser.add_argument("--tier", choices=runs(), default="mini")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--max-steps", type=int, help="stop training early (it resumes later)")
    parser.add_argument("--most", type=int, help="stop `teach` after this many answers in all (it resumes later)")
    parser.add_argument("--limit", type=int, help="measure at most so many pairs of a set; the card says it")
    parser.add_argument("--interim", action="store_true", help="export the latest checkpoint of an unfinished run")
    args = parser.parse_args()
    work = work_dir()
    leads = args.tier not in TIERS  # to another tier: there is nothing to export
    for stage in STAGES[: STAGES.index("export") if leads else None] if args.stage == "all" else [args.stage]:
        globals()[f"run_{stage}"](work, args)


if __name__ == "__main__":
    main()
