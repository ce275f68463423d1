"""SciFact with nothing given but the corpus: what retrieval finds is read, and what it misses is counted apart."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from epoche.bench.datasets import Dataset
from epoche.errors import InputError
from epoche.metrics.ranking import ndcg, recall
from epoche.sources.corpus.retriever import CorpusRetriever
from epoche.steps.declarative import hypothesis_of
from epoche.types import Document

#: How deep rankings are measured, and searched at least.
DEPTHS = (1, 3, 5, 10, 20, 50)


@dataclass(frozen=True)
class Searched:
    """A data set with what was found for each item.

    Attributes:
        dataset: each item with the first `top` documents found.
        ranked: item id → ids of the documents found, the best first, each once.
        cited: item id → ids of the documents that it cites.
    """

    dataset: Dataset
    ranked: Mapping[str, tuple[str, ...]]
    cited: Mapping[str, tuple[str, ...]]


def search_all(cited: Dataset, corpus: Mapping[str, Document], retriever: CorpusRetriever, top: int) -> Searched:
    """Searches the index for every statement of a data set whose items have the documents that they cite.

    Raises:
        InputError: the index holds a document that the corpus does not have, or not all of the corpus.
    """
    index = retriever.index
    if index.meta["documents"] != len(corpus):
        raise InputError(
            f"{index.folder} holds {index.meta['documents']} documents and the corpus {len(corpus)}: index the "
            "corpus file alone"
        )
    items, ranked = [], {}
    for item in cited.items:
        hits = retriever.search(hypothesis_of(item.statement), 2 * max(top, *DEPTHS))
        found = tuple(dict.fromkeys(hit.document for hit in hits))
        unknown = [key for key in found if key not in corpus]
        if unknown:
            raise InputError(f"{index.folder} holds document {unknown[0]}, which the corpus does not have")
        ranked[item.id] = found
        items.append(dataclasses.replace(item, documents=tuple(corpus[key] for key in found[:top])))
    how = "" if retriever.method == "bm25" else f" ({retriever.method})"
    dataset = dataclasses.replace(
        cited,
        protocol="corpus",
        items=tuple(items),
        files={**cited.files, "index": index.sha256},
        notes=(f"corpus: the {top} best documents of an index, found by the whole statement{how}",),
    )
    own = {item.id: tuple(document.id for document in item.documents) for item in cited.items}
    return Searched(dataset, ranked, own)


def retrieval_figures(searched: Searched, top: int) -> dict[str, Any]:
    """nDCG@10 and recall against the documents cited, and how many claims lost their evidence on the way."""
    asked = [item for item in searched.dataset.items if searched.cited[item.id]]
    n = len(asked)
    if n == 0:
        raise InputError("no item cites a document, so retrieval cannot be measured")
    with_evidence = [item for item in searched.dataset.items if item.rationales]
    missed = [i for i in with_evidence if not set(i.rationales) & set(searched.ranked[i.id][:top])]
    return {
        "ndcg_at_10": round(sum(ndcg(searched.ranked[i.id], searched.cited[i.id], 10) for i in asked) / n, 6),
        "recall_at": {
            str(k): round(sum(recall(searched.ranked[i.id], searched.cited[i.id], k) for i in asked) / n, 6)
            for k in DEPTHS
        },
        "retrieval_items": n,
        "documents_read": top,
        "items_with_evidence": len(with_evidence),
        "items_whose_evidence_was_missed": len(missed),
        "missed": sorted((i.id for i in missed), key=lambda key: (len(key), key)),
    }
