"""Short runs of the small model, each without one part of what it is trained on: `python -m training.nli.ablate`.

Each run begins with the encoder, sees as many pairs as the others and is measured in float32. Three runs of the
whole, with other seeds, say how much a figure moves by itself. What is done is skipped; nothing is fitted on dev.
"""

import argparse
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from training.nli.bags import Bag, read_bags, write_bags
from training.nli.compared import compared_figures, weights_scorer
from training.nli.config import load_mixture
from training.nli.evaluate import write_results
from training.nli.pairs import Pair, read_pairs, write_pairs
from training.nli.paths import results, work_dir
from training.nli.train import finished, train

TIER = "mini-short"
SEEDS = (7, 8, 9)

_WINDOWED = ("scifact_evidence", "scifact_neutral", "healthver_neutral", "check_covid_neutral", "covidfact_neutral")
_SAME_ABSTRACT = tuple(name for name in _WINDOWED if name.endswith("_neutral"))
_TWO_SENTENCES = re.compile(r"[a-z0-9)%][.!?]\s+(?=[A-Z])")
_AIM = re.compile(
    r"\b(?:whether|aim(?:s|ed)?|sought|hypothes\w+|we (?:investigated|examined|tested|studied|assessed|evaluated)|"
    r"unclear|unknown|poorly understood|objective|purpose|to (?:determine|investigate|examine|assess|evaluate))\b",
    re.IGNORECASE,
)


def is_window(text: str) -> bool:
    """Whether a premise holds more than one sentence."""
    return _TWO_SENTENCES.search(text) is not None


def is_aim(text: str) -> bool:
    """Whether a premise reads like a question, an aim or what is not known."""
    return _AIM.search(text) is not None


@dataclass(frozen=True)
class Ablation:
    """What one run does without."""

    pair: Callable[[Pair], bool] = lambda pair: False
    premise: Callable[[str], bool] = lambda text: False
    bags: bool = True


WITHOUT: dict[str, Ablation] = {
    "same-abstract-neutrals": Ablation(pair=lambda p: p.source in _SAME_ABSTRACT),
    "bm25-neutrals": Ablation(pair=lambda p: p.source == "bm25_neutral"),
    "windows": Ablation(pair=lambda p: p.source in _WINDOWED and is_window(p.premise), premise=is_window),
    "aims": Ablation(
        pair=lambda p: p.source in (*_SAME_ABSTRACT, "contrast") and p.label == "neutral" and is_aim(p.premise)
    ),
    "contrast-pairs": Ablation(pair=lambda p: p.source == "contrast"),
    "whole-abstracts": Ablation(bags=False),
}


def without(bag: Bag, leave_out: Callable[[str], bool]) -> Bag | None:
    """The bag without some premises; None if nothing is left."""
    kept = [(p, e) for p, e in zip(bag.premises, bag.evidence, strict=True) if not leave_out(p)]
    if not kept:
        return None
    return replace(bag, premises=tuple(p for p, _ in kept), evidence=tuple(e for _, e in kept))


def runs() -> dict[str, tuple[Ablation, int]]:
    """Every run by name: what it does without, and its seed."""
    whole = {f"whole-{seed}": (Ablation(), seed) for seed in SEEDS}
    return {**whole, **{f"without-{name}": (a, SEEDS[0]) for name, a in WITHOUT.items()}}


def prepare(work: Path, folder: Path, ablation: Ablation) -> int:
    """Write the pool of one run; returns how many pairs were left out of it."""
    folder.mkdir(parents=True, exist_ok=True)
    pairs = read_pairs(work / "train.jsonl.gz")
    kept = [p for p in pairs if not ablation.pair(p)]
    write_pairs(folder / "train.jsonl.gz", kept)
    (folder / "validation.jsonl.gz").write_bytes((work / "validation.jsonl.gz").read_bytes())
    bags = (without(bag, ablation.premise) for bag in read_bags(work / "bags.jsonl.gz"))
    write_bags(folder / "bags.jsonl.gz", [bag for bag in bags if bag is not None])
    return len(pairs) - len(kept)


def main() -> None:
    """Every run that is not in the results yet."""
    parser = argparse.ArgumentParser(prog="python -m training.nli.ablate", description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", choices=runs(), help="one run")
    args = parser.parse_args()
    work, path = work_dir(), results("ablations")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for name, (ablation, seed) in runs().items():
        if name in found or args.only not in (None, name):
            continue
        mixture = load_mixture(TIER)
        per_step = mixture.train.bags_per_step if ablation.bags else 0
        mixture = replace(mixture, train=replace(mixture.train, seed=seed, bags_per_step=per_step))
        folder = work / "ablations" / name
        left_out = prepare(work, folder, ablation)
        if not finished(mixture, folder):
            train(mixture, folder, threads=args.threads)
        scorer = weights_scorer(folder / TIER, mixture, args.threads)
        found[name] = {"pairs_left_out": left_out, "seed": seed, **compared_figures(scorer)}
        write_results(path, found)
        print(name, json.dumps(found[name]), flush=True)


if __name__ == "__main__":
    main()
