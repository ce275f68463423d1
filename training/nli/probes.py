"""What else moves a score: one side alone, where a sentence stands, and how many sentences are read."""

from typing import Any

import numpy as np

from training.nli.pairs import CLAIM_LABELS, LABELS, read_jsonl, stable_hash
from training.nli.paths import data_dir
from training.nli.science import corpus
from training.nli.scorer import Scorer

NOISE_COUNTS = (1, 2, 5, 10, 20, 50, 100)
NOISE_CLAIMS = 100
THRESHOLD = 0.55


def one_sided(scorer: Scorer, rows: list[tuple[str, str, str]]) -> dict[str, float]:
    """Accuracy with both sides, and with one of them hidden, which should be chance."""
    gold = np.array([LABELS.index(label) for _, _, label in rows])
    views = {
        "both": [(p, h) for p, h, _ in rows],
        "hypothesis_only": [("This is a sentence.", h) for _, h, _ in rows],
        "premise_only": [(p, "This is a sentence.") for p, _, _ in rows],
    }
    return {
        name: round(float((scorer.score(pairs).argmax(axis=1) == gold).mean()), 4) for name, pairs in views.items()
    }


def with_distance(scorer: Scorer) -> dict[str, Any]:
    """Mean P(gold) of single-sentence rationales of SciFact dev: alone, and first or last among neighbours.

    The neighbours are the sentences of the abstract that follow or precede it, so windows are real text.
    """
    abstracts = corpus(data_dir())
    views: dict[str, list[tuple[str, str]]] = {}
    golds: dict[str, list[int]] = {}
    for row in read_jsonl(data_dir() / "scifact" / "claims_dev.jsonl"):
        for doc, sets in row["evidence"].items():
            text = abstracts[doc]
            for found in sets:
                if len(found["sentences"]) != 1:
                    continue
                at = found["sentences"][0]
                for extra in (0, 1, 2, 4):
                    for name, part in (
                        ("first", text[at : at + extra + 1]),
                        ("last", text[max(0, at - extra) : at + 1]),
                    ):
                        if len(part) == extra + 1:
                            key = f"{name} of {extra + 1}" if extra else "alone"
                            views.setdefault(key, []).append((" ".join(part), row["claim"]))
                            golds.setdefault(key, []).append(LABELS.index(CLAIM_LABELS[found["label"]]))
    return {
        key: {
            "pairs": len(pairs),
            "mean_p_gold": round(float(scorer.score(pairs)[range(len(pairs)), golds[key]].mean()), 4),
        }
        for key, pairs in views.items()
    }


def with_noise(scorer: Scorer, most_claims: int = NOISE_CLAIMS) -> dict[str, Any]:
    """Share of dev claims that n sentences of unrelated abstracts contradict or support, by n."""
    abstracts = corpus(data_dir())
    sentences = sorted((s for text in abstracts.values() for s in text), key=stable_hash)
    claims = sorted(read_jsonl(data_dir() / "scifact" / "claims_dev.jsonl"), key=lambda r: stable_hash(r["claim"]))
    claims = claims[:most_claims]
    most = max(NOISE_COUNTS)
    pairs = []
    for i, row in enumerate(claims):
        own = {s for doc in map(str, row["cited_doc_ids"]) for s in abstracts[doc]}
        drawn = [s for s in sentences[i * 2 * most : (i + 1) * 2 * most] if s not in own][:most]
        pairs += [(s, row["claim"]) for s in drawn]
    scores = scorer.score(pairs).reshape(len(claims), most, len(LABELS))
    return {
        str(n): {
            f"false_{LABELS[k]}": round(float((scores[:, :n, k].max(axis=1) >= THRESHOLD).mean()), 4)
            for k in (2, 0)
        }
        for n in NOISE_COUNTS
    }
