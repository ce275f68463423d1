"""SciFact by sentence, by rationale and by claim (protocol `abstract`), and the fit of two thresholds.

Thresholds are fitted on the 266 calibration claims, which are training claims that no model was trained
on, and reported on dev. Nothing here is fitted on dev.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epoche.metrics.resample import bootstrap, bootstrap_counts
from epoche.metrics.scores import accuracy, confusion, ece, macro_f1, per_class
from epoche.metrics.selective import auroc_failure, group
from training.nli.pairs import CLAIM_LABELS, LABELS, Probabilities, read_jsonl
from training.nli.paths import data_dir
from training.nli.science import corpus, windows
from training.nli.scorer import Scorer

THRESHOLD = 0.55
_GRID = np.round(np.arange(0.2, 0.96, 0.025), 3)


@dataclass
class ClaimSet:
    """Pairs of a set of claims, and which of them belong to what."""

    pairs: list[tuple[str, str]]
    #: (row, label) of single sentences of the cited abstracts, and of joined rationales.
    sentences: list[tuple[int, str]]
    rationales: list[tuple[int, str]]
    #: Gold label, rows of single sentences, rows of all windows, of each claim.
    claims: list[tuple[str, list[int], list[int]]]


def claim_set(rows: Sequence[dict[str, Any]]) -> ClaimSet:
    """Every sentence and two-sentence window of the cited abstracts, against its claim.

    A sentence that is a rationale by itself has the rationale's label, a part of a longer rationale is left
    out, every other sentence is neutral. NEI claims have no evidence in the file; their cited abstracts are
    read all the same, so that the label cannot leak through missing evidence.
    """
    abstracts = corpus(data_dir())
    found = ClaimSet([], [], [], [])
    for row in rows:
        singles: list[int] = []
        every: list[int] = []
        labels = [r["label"] for sets in row["evidence"].values() for r in sets]
        for doc in map(str, row["cited_doc_ids"]):
            sets = {frozenset(r["sentences"]): CLAIM_LABELS[r["label"]] for r in row["evidence"].get(doc, [])}
            touched = frozenset().union(*sets)
            for held, text in windows(abstracts[doc]):
                every.append(len(found.pairs))
                if len(held) == 1:
                    singles.append(len(found.pairs))
                    if held in sets or not held & touched:
                        found.sentences.append((len(found.pairs), sets.get(held, "neutral")))
                found.pairs.append((text, row["claim"]))
            for indices, label in sets.items():
                found.rationales.append((len(found.pairs), label))
                found.pairs.append((" ".join(abstracts[doc][i] for i in sorted(indices)), row["claim"]))
        found.claims.append((CLAIM_LABELS[labels[0]] if labels else "neutral", singles, every))
    return found


@dataclass(frozen=True)
class Peaks:
    """Largest support and contradiction of each claim (float64[n]), and its gold label."""

    support: NDArray[np.float64]
    contradiction: NDArray[np.float64]
    gold: list[str]

    def decide(self, support: float, contradiction: float) -> list[str]:
        """Policy `paper` on one condition: contradiction first, then support, else neutral."""
        refuted, supported = self.contradiction >= contradiction, self.support >= support
        chosen: list[str] = np.where(
            refuted, "contradiction", np.where(supported, "entailment", "neutral")
        ).tolist()
        return chosen


def peaks(found: ClaimSet, scores: Probabilities, singles: bool) -> Peaks:
    """Maxima over single sentences, or over all windows."""
    rows = [c[1] if singles else c[2] for c in found.claims]
    largest = np.array([scores[r].max(axis=0) if r else np.zeros(3) for r in rows])
    return Peaks(
        largest[:, LABELS.index("entailment")],
        largest[:, LABELS.index("contradiction")],
        [c[0] for c in found.claims],
    )


def fit(found: Peaks) -> tuple[float, float]:
    """The pair of thresholds with the best macro-F1; of equals, the middle one of the grid's order."""
    scored = [
        (float(macro_f1(confusion(found.gold, found.decide(s, c), LABELS))), s, c) for s in _GRID for c in _GRID
    ]
    best = max(f for f, _, _ in scored)
    ties = [(float(s), float(c)) for f, s, c in scored if f > best - 1e-9]
    return ties[len(ties) // 2]


def claim_figures(found: Peaks, thresholds: tuple[float, float]) -> dict[str, Any]:
    """Accuracy, macro-F1 and AUROC of failure of whole claims, with bootstrap intervals."""
    guess = found.decide(*thresholds)
    matrix = confusion(found.gold, guess, LABELS)
    wrong = np.array([g != p for g, p in zip(found.gold, guess, strict=True)], dtype=np.float64)
    groups = group(np.abs(found.support - found.contradiction), wrong)
    f1, ranked = bootstrap_counts(macro_f1, matrix, stratified=True), bootstrap(auroc_failure, groups)
    # Undefined where all claims are right, or all wrong.
    ranking: dict[str, Any] = {"auroc_failure": None, "auroc_failure_interval": None}
    if np.isfinite(ranked.value):
        ranking["auroc_failure"] = round(ranked.value, 4)
        ranking["auroc_failure_interval"] = [round(ranked.low, 4), round(ranked.high, 4)]
    return {
        "claims": len(guess),
        "thresholds": [float(x) for x in thresholds],
        "accuracy": round(float(accuracy(matrix)), 4),
        "macro_f1": round(f1.value, 4),
        "macro_f1_interval": [round(f1.low, 4), round(f1.high, 4)],
        **ranking,
        "confusion_gold_to_guess": {
            g: {p: int(matrix[i, k]) for k, p in enumerate(LABELS)} for i, g in enumerate(LABELS)
        },
    }


def sentence_figures(rows: list[tuple[int, str]], scores: Probabilities) -> dict[str, Any]:
    """Accuracy, F1, recall and calibration of pairs with three labels."""
    own = scores[[i for i, _ in rows]]
    gold = [label for _, label in rows]
    guess = [LABELS[i] for i in own.argmax(axis=1)]
    matrix = confusion(gold, guess, LABELS)
    neutral = own[[g == "neutral" for g in gold]]
    figures: dict[str, Any] = {
        "pairs": len(gold),
        "accuracy": round(float(accuracy(matrix)), 4),
        "macro_f1": round(float(macro_f1(matrix)), 4),
        "recall": {k: round(v.recall, 4) for k, v in per_class(matrix, LABELS).items() if v.support},
        "ece": round(ece(own.max(axis=1), np.array(gold) == np.array(guess)), 4),
    }
    for k in (0, 2) if len(neutral) else ():
        figures[f"neutral_with_{LABELS[k]}_over_threshold"] = round(float((neutral[:, k] >= THRESHOLD).mean()), 4)
    return figures


def scifact_figures(scorer: Scorer) -> dict[str, Any]:
    """All levels of dev; `calibration sentence` has the calibration error of the calibration pairs."""
    folder = data_dir() / "scifact"
    held = set((folder / "calibration_ids.txt").read_text().split())
    train = [r for r in read_jsonl(folder / "claims_train.jsonl") if str(r["id"]) in held]
    fitted, dev = claim_set(train), claim_set(list(read_jsonl(folder / "claims_dev.jsonl")))
    fitted_scores, scores = scorer.score(fitted.pairs), scorer.score(dev.pairs)
    report: dict[str, Any] = {
        "calibration sentence": sentence_figures(fitted.sentences, fitted_scores),
        "sentence": sentence_figures(dev.sentences, scores),
        "rationale": sentence_figures(dev.rationales, scores),
    }
    for name, singles in (("claim_sentences", True), ("claim", False)):
        there, here = peaks(fitted, fitted_scores, singles), peaks(dev, scores, singles)
        report[name] = claim_figures(here, fit(there))
        report[f"{name} at {THRESHOLD}"] = claim_figures(here, (THRESHOLD, THRESHOLD))
    return report
