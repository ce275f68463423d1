"""Pairs, labels and the two file formats they come in."""

import gzip
import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Probabilities = NDArray[np.float64]
"""Columns in the order of `LABELS`."""

LABELS: tuple[str, str, str] = ("entailment", "neutral", "contradiction")
NOT_ENTAILMENT = "not_entailment"
UNLABELLED = "unlabelled"
"""A pair that only a teacher has an opinion on."""
CLAIM_LABELS: dict[str, str] = {
    "SUPPORT": "entailment",
    "REFUTE": "contradiction",
    "CONTRADICT": "contradiction",
    "NEI": "neutral",
}


@dataclass(frozen=True, slots=True)
class Pair:
    """A premise, a hypothesis and their relation; ``source`` is the entry in the mixture."""

    premise: str
    hypothesis: str
    label: str
    source: str


def normalise(text: str) -> str:
    """Text as compared for decontamination: NFKC, lower case, letters and digits only."""
    return re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", text).lower()).strip()


def stable_hash(text: str) -> int:
    """A hash that is the same in every process (``hash`` is salted)."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def pair_key(pair: Pair) -> int:
    """What a teacher's answer is filed under: the two texts, not the label."""
    return stable_hash(f"{pair.premise}\0{pair.hypothesis}")


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """Rows of a ``.jsonl`` or ``.jsonl.gz`` file."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def write_pairs(path: Path, pairs: Iterable[Pair]) -> None:
    """Write pairs as gzipped JSON lines, without a time stamp so that equal pools are equal bytes."""
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
        for p in pairs:
            row = {"premise": p.premise, "hypothesis": p.hypothesis, "label": p.label, "source": p.source}
            packed.write((json.dumps(row, ensure_ascii=False) + "\n").encode())


def read_pairs(path: Path) -> list[Pair]:
    """Pairs written by :func:`write_pairs`."""
    return [Pair(r["premise"], r["hypothesis"], r["label"], r["source"]) for r in read_jsonl(path)]
