"""Stage `evaluate`: figures of an exported folder on development sets. Needs ONNX Runtime, not torch."""

import json
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from epoche.metrics.resample import wilson
from epoche.metrics.scores import confusion, per_class
from training.nli.case_rates import case_rates
from training.nli.evaluate_scifact import scifact_figures
from training.nli.known_failures import known_failures
from training.nli.pairs import LABELS, NOT_ENTAILMENT, Probabilities, read_jsonl, stable_hash
from training.nli.paths import cases_dir, data_dir
from training.nli.probes import NOISE_CLAIMS, one_sided, with_distance, with_noise
from training.nli.scorer import Scorer

Triple = tuple[str, str, str]
PAIR_SETS = (
    "mnli.dev",
    "neg_mnli.test",
    "rte.dev",
    "check_covid.dev",
    "healthver_snippet.dev",
    "healthver_rationale.dev",
    "covidfact_rte.dev",
    "evidence_inference.validation",
    "nli4ct_evidence.dev",
    "nli4ct_p.practice_test",
    "scitab.all",
)
"""Pair files that are reported; all of them for evaluation only (see `data.EVALUATION`)."""


def pair_figures(gold: Sequence[str], scores: Probabilities) -> dict[str, Any]:
    """Accuracy of the best label with its 95 % Wilson interval, macro-F1 and recall per label.

    Where a set has two classes, what is not entailment is one.
    """
    guess = [LABELS[i] for i in scores.argmax(axis=1)]
    if NOT_ENTAILMENT in gold:
        guess = [g if g == "entailment" else NOT_ENTAILMENT for g in guess]
    labels = sorted({*gold, *guess})
    matrix = confusion(gold, guess, labels)
    kept = [i for i, label in enumerate(labels) if label in set(gold)]
    # Over the classes of the set: a label it does not have cannot be recalled.
    f1 = [score.f1 for label, score in per_class(matrix, labels).items() if label in set(gold)]
    right = int(np.trace(matrix))
    return {
        "pairs": len(gold),
        "accuracy": round(right / len(gold), 4),
        "interval": [round(x, 4) for x in wilson(right, len(gold))],
        "macro_f1": round(float(np.mean(f1)), 4),
        "recall": {labels[i]: round(float(matrix[i, i] / matrix[i].sum()), 4) for i in kept},
    }


def read_set(name: str, limit: int | None) -> list[Triple]:
    """(premise, hypothesis, label) of an evaluation file; a limit draws a fixed sample."""
    rows = [
        (r["premise"], r["hypothesis"], r["label"]) for r in read_jsonl(data_dir() / "nli" / f"{name}.jsonl.gz")
    ]
    if limit is not None and len(rows) > limit:
        rows = sorted(rows, key=lambda r: stable_hash("\t".join(r)))[:limit]
    return rows


def contrast_figures(scorer: Scorer) -> dict[str, Any]:
    """The hand-made minimal pairs: accuracy by phenomenon, and groups answered right throughout."""
    rows = list(read_jsonl(cases_dir() / "contrast_dev.jsonl"))
    scores = scorer.score([(r["premise"], r["hypothesis"]) for r in rows])
    by_phenomenon: defaultdict[str, list[bool]] = defaultdict(list)
    by_group: defaultdict[str, list[bool]] = defaultdict(list)
    for row, best in zip(rows, scores.argmax(axis=1), strict=True):
        ok = LABELS[best] == row["label"]
        by_phenomenon[row["phenomenon"]].append(ok)
        by_group[row["group"]].append(ok)
    figures = pair_figures([r["label"] for r in rows], scores)
    figures["whole_groups"] = round(sum(map(all, by_group.values())) / len(by_group), 4)
    figures["by_phenomenon"] = {k: f"{sum(v)}/{len(v)}" for k, v in sorted(by_phenomenon.items())}
    return figures


def evaluate(
    folder: Path, say: Callable[[str], None] = print, threads: int = 2, limit: int | None = None
) -> dict[str, Any]:
    """All figures of one exported folder; prints them as a table.

    Args:
        limit: at most so many pairs of a set, for a quick look; the report says it.
    """
    scorer = Scorer(folder, threads=threads)
    began = time.monotonic()
    report: dict[str, Any] = {}
    if limit is not None:
        report["at_most"] = limit
    for name in PAIR_SETS:
        rows = read_set(name, limit)
        report[name] = pair_figures([r[2] for r in rows], scorer.score([r[:2] for r in rows]))
        say(_line(name, report[name]))
    report["contrast_dev"] = contrast_figures(scorer)
    report.update({f"scifact.dev {level}": figures for level, figures in scifact_figures(scorer).items()})
    for name in ("contrast_dev", *(k for k in report if k.startswith("scifact"))):
        say(_line(name, report[name]))
    report["probes"] = {
        "one_sided": one_sided(scorer, read_set("mnli.dev", min(2000, limit or 2000))),
        "distance": with_distance(scorer),
        "noise": with_noise(scorer, 25 if limit else NOISE_CLAIMS),
        "cases": case_rates(scorer),
    }
    say(json.dumps(report["probes"]))
    report["known_failures"] = known_failures(scorer)
    report["pairs_cut"] = scorer.cut
    report["seconds"] = round(time.monotonic() - began)
    report["pairs_scored"] = scorer.scored
    return report


_SHOWN = ("auroc_failure", "auroc_failure_posterior", "ece", "thresholds")


def _line(name: str, figures: dict[str, Any]) -> str:
    n = figures.get("pairs", figures.get("claims"))
    rest = "".join(f"  {k} {figures[k]}" for k in _SHOWN if k in figures)
    return f"{name:32} n={n:<6} accuracy {figures['accuracy']:.4f}  macro-F1 {figures['macro_f1']:.4f}{rest}"


def write_results(path: Path, report: dict[str, Any]) -> None:
    """Write the results file the card is made from."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1, allow_nan=False) + "\n", encoding="utf-8")
