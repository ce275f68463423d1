"""SciFact by sentence, by rationale and by claim (protocol `abstract`), and the fit of two thresholds.

Thresholds are fitted on the 266 calibration claims, which are training claims that no model was trained
on, and reported on dev. Nothing here is fitted on dev.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epoche.bench import posterior
from epoche.metrics.resample import bootstrap, bootstrap_counts
from epoche.metrics.scores import accuracy, confusion, ece_of, macro_f1, per_class, reliability
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

    def features(self, guess: Sequence[str]) -> NDArray[np.float64]:
        """float64[n, d]: what a posterior may look at."""
        return np.array(
            [
                posterior.features(label == "entailment", label == "contradiction", s, c)
                for label, s, c in zip(guess, self.support.tolist(), self.contradiction.tolist(), strict=True)
            ]
        )

    def right(self, guess: Sequence[str]) -> NDArray[np.bool_]:
        """bool[n]: the guess is the gold label."""
        return np.array([g == p for g, p in zip(self.gold, guess, strict=True)], dtype=np.bool_)


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


def claim_figures(there: Peaks, here: Peaks, thresholds: tuple[float, float]) -> dict[str, Any]:
    """Accuracy, macro-F1 and AUROC of failure of whole claims, with bootstrap intervals.

    The AUROC twice: of the paper's confidence, and of a posterior fitted on the claims `there`.
    """
    guess, before = here.decide(*thresholds), there.decide(*thresholds)
    matrix, right = confusion(here.gold, guess, LABELS), here.right(guess)
    f1 = bootstrap_counts(macro_f1, matrix, stratified=True)
    fitted = posterior.fitted_elsewhere(there.features(before), there.right(before), here.features(guess))
    return {
        "claims": len(guess),
        "thresholds": [float(x) for x in thresholds],
        "accuracy": round(float(accuracy(matrix)), 4),
        "macro_f1": round(f1.value, 4),
        "macro_f1_interval": [round(f1.low, 4), round(f1.high, 4)],
        **_ranking("auroc_failure", np.abs(here.support - here.contradiction), right),
        **_ranking("auroc_failure_posterior", fitted, right),
        "confusion_gold_to_guess": {
            g: {p: int(matrix[i, k]) for k, p in enumerate(LABELS)} for i, g in enumerate(LABELS)
        },
    }


def _ranking(name: str, confidence: NDArray[np.float64], right: NDArray[np.bool_]) -> dict[str, Any]:
    """AUROC of failure; None where all claims are right, or all wrong."""
    ranked = bootstrap(auroc_failure, group(confidence, (~right).astype(np.float64)))
    if not np.isfinite(ranked.value):
        return {name: None, f"{name}_interval": None}
    return {name: round(ranked.value, 4), f"{name}_interval": [round(ranked.low, 4), round(ranked.high, 4)]}


def sentence_figures(rows: list[tuple[int, str]], scores: Probabilities) -> dict[str, Any]:
    """Accuracy, F1, recall and calibration of pairs with three labels.

    ``reliability``: mean confidence, accuracy and number of pairs of each of 15 equal-mass bins.
    """
    own = scores[[i for i, _ in rows]]
    gold = [label for _, label in rows]
    guess = [LABELS[i] for i in own.argmax(axis=1)]
    matrix = confusion(gold, guess, LABELS)
    neutral = own[[g == "neutral" for g in gold]]
    bins = reliability(own.max(axis=1), np.array(gold) == np.array(guess))
    figures: dict[str, Any] = {
        "pairs": len(gold),
        "accuracy": round(float(accuracy(matrix)), 4),
        "macro_f1": round(float(macro_f1(matrix)), 4),
        "recall": {k: round(v.recall, 4) for k, v in per_class(matrix, LABELS).items() if v.support},
        "ece": round(ece_of(bins), 4),
        "reliability": [[round(b.confidence, 4), round(b.accuracy, 4), b.items] for b in bins],
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
        report[name] = claim_figures(there, here, fit(there))
        report[f"{name} at {THRESHOLD}"] = claim_figures(there, here, (THRESHOLD, THRESHOLD))
    return report
