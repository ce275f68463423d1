"""Stage `evaluate`: figures of an exported folder on development sets. Needs ONNX Runtime, not torch."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.nli.pairs import CLAIM_LABELS, LABELS, NOT_ENTAILMENT, read_jsonl, stable_hash
from training.nli.paths import cases_dir, data_dir
from training.nli.science import corpus, windows
from training.nli.scorer import Scorer

Triple = tuple[str, str, str]
PAIR_SETS: dict[str, int | None] = {
    "mnli.dev": 4000,
    "neg_mnli.test": None,
    "rte.dev": None,
    "check_covid.dev": None,
    "healthver_snippet.dev": None,
    "covidfact_rte.dev": None,
    "evidence_inference.validation": None,
    "nli4ct_evidence.dev": None,
}
"""Pair files that are reported, and how many pairs are drawn from a large one."""
THRESHOLD = 0.55


def macro_f1(gold: Sequence[str], guess: Sequence[str], labels: Iterable[str]) -> float:
    """Mean over labels of F1 = 2·TP / (2·TP + FP + FN); a label absent from both counts as 0."""
    scores = []
    for label in labels:
        hits = sum(g == p == label for g, p in zip(gold, guess, strict=True))
        either = sum(g == label for g in gold) + sum(p == label for p in guess)
        scores.append(2 * hits / either if either else 0.0)
    return sum(scores) / len(scores)


def pair_figures(gold: Sequence[str], scores: NDArray[np.float64]) -> dict[str, Any]:
    """Accuracy of the best label (two classes where the set has only two), macro-F1 and recall per label."""
    guess = [LABELS[i] for i in scores.argmax(axis=1)]
    if NOT_ENTAILMENT in gold:
        guess = [g if g == "entailment" else NOT_ENTAILMENT for g in guess]
    labels = sorted(set(gold))
    right: defaultdict[str, list[bool]] = defaultdict(list)
    for g, p in zip(gold, guess, strict=True):
        right[g].append(g == p)
    return {
        "pairs": len(gold),
        "accuracy": round(sum(g == p for g, p in zip(gold, guess, strict=True)) / len(gold), 4),
        "macro_f1": round(macro_f1(gold, guess, labels), 4),
        "recall": {label: round(sum(oks) / len(oks), 4) for label, oks in sorted(right.items())},
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


def decide(scores: NDArray[np.float64], threshold: float = THRESHOLD) -> str:
    """Policy `paper` on one condition: contradiction first, then support, else neutral."""
    if scores[:, LABELS.index("contradiction")].max() >= threshold:
        return "contradiction"
    if scores[:, LABELS.index("entailment")].max() >= threshold:
        return "entailment"
    return "neutral"


def scifact_figures(scorer: Scorer) -> dict[str, Any]:
    """SciFact dev: gold sentences one by one, and whole claims over their cited abstracts.

    Sentence level: every sentence of a cited abstract; a sentence that is a rationale by itself has the
    rationale's label, a part of a longer rationale is left out, every other sentence is neutral.
    Rationale level: joined gold sentences. Claim level: protocol `abstract`, maximum over sentences and
    two-sentence windows. NEI claims have no evidence in the file; their cited abstracts are read all the
    same, so that the label cannot leak through missing evidence.
    """
    abstracts = corpus(data_dir())
    claims = list(read_jsonl(data_dir() / "scifact" / "claims_dev.jsonl"))
    pairs: list[tuple[str, str]] = []
    golds: dict[str, list[tuple[int, str]]] = {"rationale": [], "sentence": []}
    spans: list[tuple[str, list[int], list[int]]] = []
    for row in claims:
        singles: list[int] = []
        every: list[int] = []
        found = [r for sets in row["evidence"].values() for r in sets]
        for doc in map(str, row["cited_doc_ids"]):
            sets = {frozenset(r["sentences"]): CLAIM_LABELS[r["label"]] for r in row["evidence"].get(doc, [])}
            touched = frozenset().union(*sets)
            for held, text in windows(abstracts[doc]):
                every.append(len(pairs))
                if len(held) == 1:
                    singles.append(len(pairs))
                    if held in sets or not held & touched:
                        golds["sentence"].append((len(pairs), sets.get(held, "neutral")))
                pairs.append((text, row["claim"]))
            for indices, label in sets.items():
                golds["rationale"].append((len(pairs), label))
                pairs.append((" ".join(abstracts[doc][i] for i in sorted(indices)), row["claim"]))
        spans.append((CLAIM_LABELS[found[0]["label"]] if found else "neutral", singles, every))
    scores = scorer.score(pairs)
    report: dict[str, Any] = {}
    for level, gold in golds.items():
        report[level] = pair_figures([label for _, label in gold], scores[[i for i, _ in gold]])
    neutral = [i for i, label in golds["sentence"] if label == "neutral"]
    for k in (0, 2):
        report["sentence"][f"neutral_with_{LABELS[k]}_over_threshold"] = round(
            float((scores[neutral, k] >= THRESHOLD).mean()), 4
        )
    truth = [gold for gold, _, _ in spans]
    read = {
        "claim_sentences": [singles for _, singles, _ in spans],
        "claim": [every for _, _, every in spans],
    }
    for name, rows in read.items():
        guess = [decide(scores[indices]) for indices in rows]
        table = Counter(zip(truth, guess, strict=True))
        report[name] = {
            "claims": len(truth),
            "accuracy": round(sum(g == p for g, p in zip(truth, guess, strict=True)) / len(truth), 4),
            "macro_f1": round(macro_f1(truth, guess, LABELS), 4),
            "confusion_gold_to_guess": {g: {p: table[g, p] for p in LABELS} for g in LABELS},
        }
    return report


def evaluate(folder: Path, say: Callable[[str], None] = print, threads: int = 2) -> dict[str, Any]:
    """All figures of one exported folder; prints them as a table."""
    scorer = Scorer(folder, threads=threads)
    report: dict[str, Any] = {}
    for name, limit in PAIR_SETS.items():
        rows = read_set(name, limit)
        report[name] = pair_figures([r[2] for r in rows], scorer.score([r[:2] for r in rows]))
    report["contrast_dev"] = contrast_figures(scorer)
    report.update({f"scifact.dev {level}": figures for level, figures in scifact_figures(scorer).items()})
    report["pairs_cut"] = scorer.cut
    for name, figures in report.items():
        if isinstance(figures, dict):
            n = figures.get("pairs", figures.get("claims"))
            say(f"{name:32} n={n:<6} accuracy {figures['accuracy']:.4f}  macro-F1 {figures['macro_f1']:.4f}")
    return report


def write_results(path: Path, report: dict[str, Any]) -> None:
    """Write the results file the card is made from."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
