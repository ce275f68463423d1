"""A claim with all sentences of a document as one example with one label, for multi-instance training."""

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from training.nli import science
from training.nli.config import BagConfig
from training.nli.pairs import CLAIM_LABELS, read_jsonl


@dataclass(frozen=True, slots=True)
class Bag:
    """A claim, its premises, which of them hold a complete rationale, and the label of the whole."""

    hypothesis: str
    premises: tuple[str, ...]
    evidence: tuple[bool, ...]
    label: str
    source: str


def _bag(claim: str, found: Iterator[tuple[str, bool]], label: str, config: BagConfig, source: str) -> Bag | None:
    rows = [(text, held) for text, held in found if len(text.split()) <= config.words][: config.most_rows]
    if not rows:
        return None
    return Bag(claim, tuple(t for t, _ in rows), tuple(e for _, e in rows), label, source)


def _windows(sentences: list[str], sets: Sequence[frozenset[int]]) -> Iterator[tuple[str, bool]]:
    for held, text in science.windows(sentences):
        yield text, any(s <= held for s in sets)


def scifact_bags(data: Path, config: BagConfig) -> Iterator[Bag | None]:
    """One bag per training claim: every window of all its cited abstracts."""
    abstracts = science.corpus(data)
    for row in science.training_claims(data):
        labels = [CLAIM_LABELS[r["label"]] for sets in row["evidence"].values() for r in sets]
        rows = (
            item
            for doc in map(str, row["cited_doc_ids"])
            for item in _windows(abstracts[doc], [frozenset(r["sentences"]) for r in row["evidence"].get(doc, [])])
        )
        yield _bag(row["claim"], rows, labels[0] if labels else "neutral", config, "scifact")


def document_bags(data: Path, name: str, config: BagConfig) -> Iterator[Bag | None]:
    """One bag per claim and document: its single sentences. A rationale counts where a row is all of it."""
    for row in read_jsonl(data / "claims" / f"{name}.jsonl.gz"):
        for doc in row["evidence"]:
            label = CLAIM_LABELS[doc.get("label") or row["label"]]
            own = set(doc["rationale"])
            rows = ((text, i in own) for i, text in enumerate(doc["sentences"]))
            yield _bag(science.clean_claim(row["claim"]), rows, label, config, name.partition(".")[0])


def build_bags(data: Path, config: BagConfig, blocked: Callable[[str], bool]) -> list[Bag]:
    """All bags whose claim is not blocked, as those of the evaluation files are."""
    found = [*scifact_bags(data, config), *(b for n in config.files for b in document_bags(data, n, config))]
    return [bag for bag in found if bag is not None and not blocked(bag.hypothesis)]


def write_bags(path: Path, bags: Sequence[Bag]) -> None:
    """Gzipped JSON lines without a time stamp."""
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
        for bag in bags:
            packed.write((json.dumps(asdict(bag), ensure_ascii=False) + "\n").encode())


def read_bags(path: Path) -> list[Bag]:
    """Bags written by :func:`write_bags`."""
    return [
        Bag(**{**row, "premises": tuple(row["premises"]), "evidence": tuple(row["evidence"])})
        for row in read_jsonl(path)
    ]
