"""Runs whose scores are written into the evidence, and predictions in lines."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from epoche.assemble import Verifier
from epoche.backends.fake import ScriptedNli, Triple
from epoche.bench.datasets import Dataset, Item
from epoche.bench.record import Run
from epoche.bench.run import run
from epoche.config import load_config
from epoche.types import Document, Kind, Label, Statement

_SCORES = re.compile(r"(\d+) percent for and (\d+) percent against")


def read_scores(premise: str, hypothesis: str) -> Triple:
    """The largest of the percentages that a premise states, for and against."""
    found = [(int(e), int(c)) for e, c in _SCORES.findall(premise)]
    e, c = max(x for x, _ in found) / 100, max(x for _, x in found) / 100
    total = max(1.0, e + c)
    return e / total, max(0.0, 1.0 - (e + c) / total), c / total


def scored_run(
    folder: Path, items: Sequence[tuple[Label, Sequence[tuple[int, int]]]], kind: Kind = Kind.CLAIM, first: int = 0
) -> Run:
    """One item per (gold label, percentages for and against of each sentence)."""
    made = []
    for i, (gold, sentences) in enumerate(items, start=first):
        text = " ".join(f"Report {i} found {e} percent for and {c} percent against." for e, c in sentences)
        statement = f"Claim {i} holds." if kind is Kind.CLAIM else f"Does claim {i} hold?"
        document = Document(id="d", text=text)
        made.append(
            Item(id=str(i), statement=Statement(text=statement, kind=kind), documents=(document,), gold=gold)
        )
    dataset = Dataset("made", "given", "given", tuple(made), {"made.jsonl": "0" * 64})
    pipeline = Verifier(ScriptedNli(read_scores), "whole", "paper", config=load_config({}, decomposer="whole"))
    return run(dataset, pipeline, folder)


def mixed(n: int, seed: int = 0, noise: float = 0.15) -> list[tuple[Label, list[tuple[int, int]]]]:
    """N items whose scores usually, not always, say what their label is."""
    generator = np.random.default_rng(seed)
    items: list[tuple[Label, list[tuple[int, int]]]] = []
    for _ in range(n):
        gold = (Label.SUPPORTED, Label.REFUTED, Label.NOT_ENOUGH_EVIDENCE)[generator.integers(3)]
        told = gold if generator.random() > noise else Label.NOT_ENOUGH_EVIDENCE
        high = int(generator.integers(55, 99))
        best = {Label.SUPPORTED: (high, 1), Label.REFUTED: (1, high)}.get(told, (int(generator.integers(1, 40)), 2))
        items.append((gold, [best, (3, 2), (5, 1)]))
    return items


def predictions(path: Path, rows: Sequence[tuple[str, str, float]], first: int = 0, **more: object) -> Path:
    """Lines of gold label, predicted label, confidence."""
    lines = [
        json.dumps({"id": f"i{i}", "gold": gold, "pred": pred, "confidence": confidence} | more)
        for i, (gold, pred, confidence) in enumerate(rows, start=first)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def ranked(n: int, wrong: int) -> list[tuple[str, str, float]]:
    """N answers "supported", confidence falling, the last `wrong` of them wrong."""
    return [("supported" if i < n - wrong else "refuted", "supported", 1 - i / n) for i in range(n)]
