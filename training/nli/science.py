"""Sentence-level pairs from claim sets with rationales.

At inference the audit takes a maximum over every sentence of an abstract, so what matters most is that an
irrelevant sentence of the *right* abstract scores as neutral. Hence the many hard neutrals here.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from training.nli.config import SetConfig
from training.nli.pairs import CLAIM_LABELS, Pair, read_jsonl, stable_hash

Row = dict[str, Any]


def windows(sentences: list[str]) -> Iterator[tuple[frozenset[int], str]]:
    """Single sentences, then neighbouring two-sentence windows, with the indices they hold."""
    for i, sentence in enumerate(sentences):
        yield frozenset({i}), sentence
    for i in range(len(sentences) - 1):
        yield frozenset({i, i + 1}), f"{sentences[i]} {sentences[i + 1]}"


def training_claims(data: Path) -> list[Row]:
    """SciFact training claims without the calibration ids, which no training may touch."""
    held = set((data / "scifact" / "calibration_ids.txt").read_text().split())
    return [row for row in read_jsonl(data / "scifact" / "claims_train.jsonl") if str(row["id"]) not in held]


def corpus(data: Path) -> dict[str, list[str]]:
    """SciFact abstracts by document id."""
    return {str(r["doc_id"]): r["abstract"] for r in read_jsonl(data / "scifact" / "corpus.jsonl")}


def scifact_pairs(data: Path, evidence: bool) -> Iterator[tuple[str, str, str]]:
    """(premise, claim, label) from SciFact: the rationales, or everything around them as neutral.

    A window that holds a complete rationale set keeps its label. One that overlaps a rationale without
    holding a complete set is ambiguous and left out.
    """
    abstracts = corpus(data)
    for row in training_claims(data):
        for doc in map(str, row["cited_doc_ids"]):
            sentences = abstracts[doc]
            sets = [(frozenset(r["sentences"]), CLAIM_LABELS[r["label"]]) for r in row["evidence"].get(doc, [])]
            touched = frozenset().union(*(s for s, _ in sets))
            if evidence:
                for indices, label in sets:
                    yield " ".join(sentences[i] for i in sorted(indices)), row["claim"], label
            for held, text in windows(sentences):
                labels = {label for s, label in sets if s <= held}
                if labels and evidence and len(held) == 2:
                    yield text, row["claim"], min(labels)
                elif not evidence and not held & touched:
                    yield text, row["claim"], "neutral"


def clean_claim(text: str) -> str:
    """A citing sentence without its citation markers."""
    text = re.sub(r"\s*\[?(?:[\d\s,;–-]*<\|(?:multi_)?cit\|>[\d\s,;–-]*)+\]?", "", text)
    return re.sub(r"\s+([.,;])", r"\1", re.sub(r"\s+", " ", text)).strip()


def claims_neutral(data: Path, name: str) -> Iterator[tuple[str, str, str]]:
    """Sentences of a claim's documents that are no rationale, as neutral; windows for a third of them."""
    for row in read_jsonl(data / "claims" / f"{name}.jsonl.gz"):
        for doc in row["evidence"]:
            touched = set(doc["rationale"])
            for held, text in windows(doc["sentences"]):
                if held & touched or (len(held) == 2 and stable_hash(text + row["claim"]) % 3):
                    continue
                yield text, row["claim"], "neutral"


def claims_evidence(data: Path, name: str) -> Iterator[tuple[str, str, str]]:
    """Rationales joined as one premise; documents of NEI claims sentence by sentence, as neutral."""
    for row in read_jsonl(data / "claims" / f"{name}.jsonl.gz"):
        claim = clean_claim(row["claim"])
        for doc in row["evidence"]:
            label = CLAIM_LABELS[doc.get("label") or row["label"]]
            if label == "neutral":
                yield from ((s, claim, label) for s in doc["sentences"])
            elif doc["rationale"]:
                yield " ".join(doc["sentences"][i] for i in doc["rationale"]), claim, label


def unrelated(data: Path) -> Iterator[tuple[str, str, str]]:
    """Claims against sentences of abstracts they do not cite: the easy neutrals of open retrieval."""
    abstracts = corpus(data)
    ids = sorted(abstracts)
    for row in training_claims(data):
        for k in range(6):
            draw = stable_hash(f"{row['id']}:{k}")
            doc = ids[draw % len(ids)]
            if doc not in map(str, row["cited_doc_ids"]):
                yield abstracts[doc][draw // len(ids) % len(abstracts[doc])], row["claim"], "neutral"


def build(config: SetConfig, data: Path) -> Iterator[Pair]:
    """Pairs of one science entry of the mixture."""
    match config.kind:
        case "scifact_evidence" | "scifact_neutral":
            triples = scifact_pairs(data, config.kind == "scifact_evidence")
        case "claims_neutral":
            triples = (t for name in config.files for t in claims_neutral(data, name))
        case "claims_evidence":
            triples = (t for name in config.files for t in claims_evidence(data, name))
        case "unrelated":
            triples = unrelated(data)
        case "bm25_neutral" | "unlabelled":
            from training.nli import neighbours  # which needs this module

            triples = getattr(neighbours, config.kind)(data)
        case "questions":
            from training.nli.questions import questions  # likewise

            triples = questions(data, config.files)
        case _:
            raise ValueError(f"unknown kind {config.kind!r} of set {config.name!r}")
    for premise, hypothesis, label in triples:
        yield Pair(premise, hypothesis, label, config.name)
