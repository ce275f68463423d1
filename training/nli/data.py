"""Stage `data`: build the training pool, clean of everything that is used for evaluation."""

import hashlib
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from training.nli import contrast, science
from training.nli.bags import build_bags, write_bags
from training.nli.config import Mixture, SetConfig
from training.nli.pairs import (
    LABELS,
    NOT_ENTAILMENT,
    UNLABELLED,
    Pair,
    normalise,
    read_jsonl,
    stable_hash,
    write_pairs,
)
from training.nli.paths import cases_dir, data_dir

EVALUATION = (
    "check_covid.dev",
    "covidfact_rte.dev",
    "evidence_inference.validation",
    "healthver_abstract.dev",
    "healthver_rationale.dev",
    "healthver_snippet.dev",
    "nli4ct.dev",
    "nli4ct_evidence.dev",
    "nli4ct_p.practice_test",
    "scitab.all",
    "summedits_scitldr.all",
    "advglue_mnli.dev",
    "advglue_mnlimm.dev",
    "advglue_rte.dev",
    "ambient_disamb.dev",
    "cad_nli.dev",
    "cb.dev",
    "conjnli.dev",
    "equate_stresstest.test",
    "fever_symmetric.dev",
    "fm2.dev",
    "folio.validation",
    "fracas.dev",
    "lingnli_base.val",
    "lingnli_litl.val",
    "lingnli_lots.val",
    "med.test",
    "mnli.dev",
    "neg_mnli.test",
    "rte.dev",
    "wice_claim.dev",
    "wice_subclaim_partial.dev",
)
"""Pair files that are for evaluation only; a mixture that names one is refused."""

HYPOTHESIS_CHARACTERS = 300
"""A hypothesis longer than this is no single condition."""

_SCIENCE_EVALUATION = 10  # the first ten of EVALUATION are scientific: their hypotheses alone are protected


class Guard:
    """What the pool must not contain: evaluation pairs, and evaluation claims of the science sets."""

    def __init__(self, data: Path) -> None:
        self.pairs: set[tuple[str, str]] = set()
        self.claims: set[str] = set()
        for index, name in enumerate(EVALUATION):
            for row in read_jsonl(data / "nli" / f"{name}.jsonl.gz"):
                hypothesis = normalise(row["hypothesis"])
                self.pairs.add((normalise(row["premise"]), hypothesis))
                if index < _SCIENCE_EVALUATION:
                    self.claims.add(hypothesis)
        for path in sorted((data / "claims").glob("*.dev.jsonl.gz")):
            self.claims.update(normalise(science.clean_claim(row["claim"])) for row in read_jsonl(path))
        for name in ("claims_dev", "claims_test"):
            self.claims.update(normalise(row["claim"]) for row in read_jsonl(data / "scifact" / f"{name}.jsonl"))
        allowed = {row["id"] for row in science.training_claims(data)}
        for row in read_jsonl(data / "scifact" / "claims_train.jsonl"):
            if row["id"] not in allowed:
                self.claims.add(normalise(row["claim"]))
        for row in read_jsonl(cases_dir() / "contrast_dev.jsonl"):
            self.pairs.add((normalise(row["premise"]), normalise(row["hypothesis"])))
            self.claims.add(normalise(row["hypothesis"]))

    def claim(self, text: str) -> bool:
        """Whether a scientific hypothesis is in an evaluation file."""
        return normalise(text) in self.claims

    def blocks(self, pair: Pair, family: str) -> bool:
        """Whether the pair, or for science its hypothesis alone, is in an evaluation file."""
        known = (normalise(pair.premise), normalise(pair.hypothesis)) in self.pairs
        return known or (family == "science" and self.claim(pair.hypothesis))


def _read_set(config: SetConfig, data: Path) -> Iterator[Pair]:
    if config.kind == "nli":
        for name in config.files:
            if name in EVALUATION:
                raise ValueError(f"{name} is for evaluation only (set {config.name})")
            for row in read_jsonl(data / "nli" / f"{name}.jsonl.gz"):
                yield Pair(row["premise"].strip(), row["hypothesis"].strip(), row["label"], config.name)
    elif config.kind == "contrast":
        yield from contrast.build(data, config.name)
    else:
        yield from science.build(config, data)


def load_set(config: SetConfig, data: Path, guard: Guard, seed: int) -> tuple[list[Pair], Counter[str]]:
    """The pairs of one entry after all filters, and how many each filter removed."""
    removed: Counter[str] = Counter()
    kept: dict[tuple[str, str], Pair] = {}
    clashes: set[tuple[str, str]] = set()
    for pair in _read_set(config, data):
        if pair.label == "contradiction" and config.contradiction_as != "contradiction":
            pair = Pair(pair.premise, pair.hypothesis, config.contradiction_as, pair.source)
        if pair.label not in (*LABELS, NOT_ENTAILMENT, UNLABELLED):
            raise ValueError(f"unknown label {pair.label!r} in {config.name}")
        key = (normalise(pair.premise), normalise(pair.hypothesis))
        if not key[0] or not key[1]:
            removed["empty"] += 1
        elif len(pair.premise.split()) > config.words or len(pair.hypothesis) > HYPOTHESIS_CHARACTERS:
            removed["too long"] += 1
        elif guard.blocks(pair, config.family):
            removed["in an evaluation file"] += 1
        elif key in kept:
            removed["duplicate"] += 1
            if kept[key].label != pair.label:
                clashes.add(key)
        else:
            kept[key] = pair
    removed["two labels"] = len(clashes)
    pairs = [p for key, p in kept.items() if key not in clashes]
    random.Random(f"{seed}:{config.name}").shuffle(pairs)
    if config.cap is not None and len(pairs) > config.cap:
        removed["over the cap"] = len(pairs) - config.cap
        pairs = pairs[: config.cap]
    return pairs, removed


def split(pairs: Iterable[Pair], per_mille: int) -> tuple[list[Pair], list[Pair]]:
    """Training and validation parts, split by hypothesis."""
    parts: tuple[list[Pair], list[Pair]] = ([], [])
    for pair in pairs:
        parts[stable_hash(normalise(pair.hypothesis)) % 1000 < per_mille].append(pair)
    return parts


def build_pool(mixture: Mixture, work: Path) -> dict[str, object]:
    """Write ``train.jsonl.gz``, ``validation.jsonl.gz`` and ``data_report.json``; return the report."""
    data = data_dir()
    guard = Guard(data)
    pool: list[Pair] = []
    report: dict[str, object] = {}
    seen: defaultdict[str, float] = defaultdict(float)
    for config in mixture.sets:
        pairs, removed = load_set(config, data, guard, mixture.pool.seed)
        pool.extend(pairs)
        seen[config.family] += len(pairs) * config.passes
        report[config.name] = {
            "family": config.family,
            "pairs": len(pairs),
            "passes": config.passes,
            "labels": dict(sorted(Counter(p.label for p in pairs).items())),
            "removed": {k: v for k, v in sorted(removed.items()) if v},
        }
    train, validation = split(pool, mixture.pool.validation_per_mille)
    write_pairs(work / "train.jsonl.gz", train)
    validation = [pair for pair in validation if pair.label != UNLABELLED]
    write_pairs(work / "validation.jsonl.gz", validation)
    bags = build_bags(data, mixture.bags, guard.claim)
    write_bags(work / "bags.jsonl.gz", bags)
    total = sum(seen.values())
    summary: dict[str, object] = {
        "digest": pool_digest(mixture),
        "pairs": len(pool),
        "train": len(train),
        "validation": len(validation),
        "pairs_in_all_passes": round(total),
        "share_seen": {family: round(n / total, 3) for family, n in sorted(seen.items())},
        "labels": dict(sorted(Counter(p.label for p in pool).items())),
        "bags": dict(sorted(Counter(bag.source for bag in bags).items())),
        "sets": report,
    }
    (work / "data_report.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    return summary


def pool_digest(mixture: Mixture) -> str:
    """What a pool was built from, as far as the mixture says."""
    return hashlib.sha256(repr((mixture.pool, mixture.bags, mixture.sets)).encode()).hexdigest()


def licence_table(mixture: Mixture) -> str:
    """The sets and their licences as a Markdown table."""
    rows = [f"| {s.name} | {s.family} | {s.licence} |" for s in mixture.sets]
    return "\n".join(["| set | family | licence as stated by the source |", "|---|---|---|", *rows])
