"""Open-domain figures as Markdown, for the page on evidence: retrieval, official scores, a large index."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.tables import body
from epoche.report.bench_tables import Cell, Table

RESULTS = Path(__file__).parent / "results"
RUN = "scifact-corpus"
#: Abstracts by label alone, F1 on dev, as their authors publish them.
PUBLISHED = {"VeriSci (Wadden et al. 2020)": 0.521, "RerrFact (Rana et al. 2022)": 0.646}


def _load(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((RESULTS / name).read_text(encoding="utf-8"))
    return loaded


def retrieval() -> str:
    """How well the cited documents of all dev claims are found."""
    found = _load(f"{RUN}/whole--mini.summary.json")
    depths = found["recall_at"]
    headers = ("claims", "nDCG@10", *(f"recall@{k}" for k in depths), "claims with evidence", "evidence missed")
    row = (
        Cell(found["retrieval_items"]),
        Cell(found["ndcg_at_10"]),
        *(Cell(value) for value in depths.values()),
        Cell(found["items_with_evidence"]),
        Cell(found["items_whose_evidence_was_missed"]),
    )
    return body(Table("", headers, (row,)))


def verdicts() -> str:
    """Given the cited abstracts, and given nothing but the corpus: the same model and rule."""
    rows = []
    for title, folder in (("cited abstracts", "scifact-abstract"), ("ten of the corpus", RUN)):
        summary, official = (_load(f"{folder}/whole--mini.{kind}.json") for kind in ("summary", "official"))
        scores = [Cell(official[task]["f1"]) for task in ("abstract_label_only", "sentence_selection")]
        risk = summary["risk_at_coverage"]["0.8"]
        figures = [
            Cell(summary[key], *(summary["intervals"].get(key) or (None, None)))
            for key in ("accuracy", "macro_f1", "aurc")
        ]
        rows.append((Cell(title), *scores, *figures, Cell(risk)))
    rows += [(Cell(name), Cell(value), *[Cell("")] * 5) for name, value in PUBLISHED.items()]
    headers = ("read", "abstract F1", "sentence F1", "accuracy", "macro-F1", "AURC", "risk@80")
    return body(Table("", headers, tuple(rows)))


def scale() -> str:
    """A sentence about the index of many documents."""
    found = _load("index-scale.json")
    peaks = [value for part in ("killed", "resumed") for value in found[part]["peak_mb_by_documents"].values()]
    seconds = found["killed"]["seconds"] + found["resumed"]["seconds"]
    cores, size, query = found["cores"], found["index_mb"], found["query"]["median_ms"]
    return (
        f"{found['documents']:,} made-up abstracts ({found['corpus_mb']} MB), killed in the middle and resumed, on "
        f"{cores} cores: {seconds:.0f} s,\nat most {max(peaks)} MB of memory, {size} MB on disk; a query of twelve "
        f"words takes {query} ms (median)."
    )


def irrelevant() -> str:
    """What evidence of other topics does to the outcomes."""
    found = _load("irrelevant.json")
    rows = []
    for how, n in (("sentences", found["claims"]), ("abstracts", found["abstracts_added_to"])):
        for policy, row in found[how].items():
            kept = row["decided_before"]
            lost = kept - row["same"] - row["turned_round"]
            figures = (row["turned_round"], row["proposals_turned_round"], lost, row["newly_decided"])
            rows.append((Cell(f"{found['added']} {how}"), Cell(policy), Cell(n), Cell(kept), *map(Cell, figures)))
    headers = (
        "added",
        "policy",
        "claims",
        "decided before",
        "turned round",
        "turned round before any threshold",
        "no longer decided",
        "newly decided",
    )
    changed = found["changed_scores"]
    scores = "never changed" if changed == 0 else f"changed {changed} times"
    return body(Table("", headers, tuple(rows))) + f"\n\nThe scores of the sentences that were there {scores}."


def methods() -> str:
    """By words, by meaning, by both."""
    found = _load("retrieval.json")
    headers = ("searched", "nDCG@10", "recall@5", "recall@10", "recall@50", "evidence missed")
    rows = [
        (
            Cell(name),
            Cell(row["ndcg_at_10"]),
            *(Cell(row["recall_at"][k]) for k in ("5", "10", "50")),
            Cell(row["items_whose_evidence_was_missed"]),
        )
        for name, row in found["methods"].items()
    ]
    gain = found["fusion_minus_bm25"]
    return (
        body(Table("", headers, tuple(rows)))
        + f"\n\nFusion less bm25, nDCG@10: {gain['value']:.3f} [{gain['low']:.3f}, {gain['high']:.3f}]."
    )


PARTS = {
    "corpus retrieval": retrieval,
    "corpus verdicts": verdicts,
    "index scale": scale,
    "irrelevant": irrelevant,
    "retrieval methods": methods,
}
