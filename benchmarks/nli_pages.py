"""The committed figures of the NLI models as Markdown, for docs/nli.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.tables import body
from epoche.report.bench_tables import Cell, Table

RESULTS = Path(__file__).parent.parent / "training" / "nli" / "results"
TIERS = ("mini", "base")
SETS = {
    "mnli.dev": "MNLI, both parts",
    "neg_mnli.test": "MNLI with negation",
    "rte.dev": "RTE",
    "check_covid.dev": "Check-COVID",
    "healthver_snippet.dev": "HealthVer, snippets",
    "healthver_rationale.dev": "HealthVer, rationales",
    "covidfact_rte.dev": "COVID-Fact",
    "evidence_inference.validation": "Evidence Inference",
    "nli4ct_evidence.dev": "NLI4CT, evidence",
    "contrast_dev": "contrast set",
    "scifact.dev sentence": "SciFact, single sentences",
    "scifact.dev rationale": "SciFact, gold sentences",
}
PUBLISHED = {
    "cross-encoder/nli-deberta-v3-large": 0.9049,
    "cross-encoder/nli-deberta-v3-base": 0.9004,
    "cross-encoder/nli-deberta-v3-xsmall": 0.8777,
    "cross-encoder/nli-roberta-base": 0.8747,
    "cross-encoder/nli-MiniLM2-L6-H768": 0.8689,
    "cross-encoder/nli-distilroberta-base": 0.8398,
}
"""MNLI mismatched, https://sbert.net/docs/cross_encoder/pretrained_models.html"""


def _evaluations() -> dict[str, dict[str, Any]]:
    return {
        tier: json.loads((RESULTS / f"{tier}.json").read_text(encoding="utf-8"))["evaluation"] for tier in TIERS
    }


def _cell(figures: dict[str, Any], key: str, interval: str) -> Cell:
    """Blank where the figure is newer than the model's last evaluation."""
    return Cell(figures[key], *(figures.get(interval) or (None, None))) if key in figures else Cell("")


def figures() -> str:
    """Every set, one column per model."""
    found = _evaluations()
    rows = [
        (Cell(f"accuracy, {title}"), *(_cell(e[name], "accuracy", "interval") for e in found.values()))
        for name, title in SETS.items()
    ]
    for title, key in (
        ("macro-F1, SciFact claims", "macro_f1"),
        ("AUROC of failure there, margin as confidence", "auroc_failure"),
        ("AUROC of failure there, fitted posterior", "auroc_failure_posterior"),
    ):
        cells = (_cell(e["scifact.dev claim"], key, f"{key}_interval") for e in found.values())
        rows.append((Cell(title), *cells))
    rows.append(
        (
            Cell("ECE, sentences of the SciFact calibration claims"),
            *(Cell(e["scifact.dev calibration sentence"]["ece"]) for e in found.values()),
        )
    )
    notes = [
        f"{tier}: at most {e['at_most']:,} pairs of a set were drawn."
        for tier, e in found.items()
        if "at_most" in e
    ]
    return body(Table("", ("figure", *found), tuple(rows), tuple(notes)))


def phenomena() -> str:
    """Right answers on the contrast set by phenomenon."""
    found = {tier: e["contrast_dev"]["by_phenomenon"] for tier, e in _evaluations().items()}
    names = sorted(next(iter(found.values())))
    rows = tuple((Cell(name), *(Cell(f[name]) for f in found.values())) for name in names)
    return body(Table("", ("phenomenon", *found), rows))


def reliability() -> str:
    """Mean confidence and accuracy of the bins that ECE is made of."""
    found = {
        tier: e["scifact.dev calibration sentence"]["reliability"]
        for tier, e in _evaluations().items()
        if "reliability" in e["scifact.dev calibration sentence"]
    }
    titles = [f"{tier}, {what}" for tier in found for what in ("confidence", "accuracy")]
    rows = tuple(
        (Cell(str(i + 1)), *(Cell(value) for bins in found.values() for value in bins[i][:2]))
        for i in range(min((len(bins) for bins in found.values()), default=0))
    )
    return body(Table("", ("bin", *titles), rows))


def published() -> str:
    """MNLI of ours and of the heads that Sentence Transformers publishes."""
    ours = [
        (Cell(tier), _cell(e["mnli.dev"], "accuracy", "interval")) for tier, e in reversed(_evaluations().items())
    ]
    theirs = [(Cell(name), Cell(value)) for name, value in PUBLISHED.items()]
    return body(Table("", ("model", "accuracy"), (*theirs, *ours)))


ABLATED = {
    "mnli": "MNLI",
    "contrast": "contrast set",
    "rationale": "gold sentences",
    "neutral_supports": "neutral sentences that support",
    "neutral_contradicts": "… that contradict",
    "claim_macro_f1": "claims, macro-F1",
    "auroc_failure_posterior": "claims, AUROC of failure",
}


def ablations(path: Path = RESULTS / "ablations.json") -> str:
    """Short runs without one part each, under the mean and the range of those of the whole."""
    found = json.loads(path.read_text(encoding="utf-8"))
    whole = [run for name, run in found.items() if name.startswith("whole")]
    rows = [(Cell("all of it"), *(_mean([run[key] for run in whole]) for key in ABLATED))]
    rows += [
        (Cell(name.removeprefix("without-").replace("-", " ")), *(Cell(run[key]) for key in ABLATED))
        for name, run in found.items()
        if name.startswith("without")
    ]
    note = f"The first row: mean and range of {len(whole)} runs that differ in their seed."
    return body(Table("", ("without", *ABLATED.values()), tuple(rows), (note,)))


_CASES = {
    "5: falsely refuted among 20 unrelated sentences": ("noise", "20", "false_contradiction"),
    "5: falsely refuted among 100": ("noise", "100", "false_contradiction"),
    "5: falsely supported among 20": ("noise", "20", "false_entailment"),
    "5: falsely supported among 100": ("noise", "100", "false_entailment"),
    "7: another number contradicts": ("cases", "case_7", "contradiction"),
    "8: significant and not significant exclude each other": ("cases", "case_8", "contradiction"),
    "8: what cannot be excluded stays open": ("cases", "case_8_open", "neutral"),
    "23: another unit contradicts": ("cases", "case_23", "contradiction"),
}
_BEFORE = {
    "without contrast pairs": "without-contrast-pairs",
    "without same-abstract neutrals": "without-same-abstract-neutrals",
}


def cases(path: Path = RESULTS / "ablations.json") -> str:
    """Four cases as rates: short runs without what was made for them, short runs of the whole, the models."""
    runs = json.loads(path.read_text(encoding="utf-8"))
    whole = [run for name, run in runs.items() if name.startswith("whole")]
    models = [e["probes"] for e in _evaluations().values()]
    rows = []
    for title, (kind, name, key) in _CASES.items():
        before = [Cell(runs[run][kind][name][key]) for run in _BEFORE.values()]
        after = [Cell(m[kind][name][key]) for m in models]
        rows.append((Cell(title), *before, _mean([run[kind][name][key] for run in whole]), *after))
    return body(Table("", ("case", *_BEFORE, "all of it", *TIERS), tuple(rows)))


ROWS = {
    ("shipped", "int8"): "as shipped, int8",
    ("again-1", "float32"): "one run on from it, float32",
    ("again-1", "int8"): "the same weights in int8",
    ("again-2", "float32"): "that run again, float32",
    ("again-2", "int8"): "the same weights in int8",
}


def stability(path: Path = RESULTS / "stability.json") -> str:
    """The shipped small model, beside one run on from it made twice; each of those in float32 and in int8."""
    runs = json.loads(path.read_text(encoding="utf-8"))["runs"]
    rows = [
        (Cell(title), *(Cell(runs[run][kind][key]) for key in ABLATED))
        for (run, kind), title in ROWS.items()
        if run in runs
    ]
    return body(Table("", ("mini", *ABLATED.values()), tuple(rows)))


def _mean(values: list[float]) -> Cell:
    return Cell(sum(values) / len(values), min(values), max(values))


PARTS = {
    "nli ablations": ablations,
    "nli cases": cases,
    "nli figures": figures,
    "nli phenomena": phenomena,
    "nli reliability": reliability,
    "nli stability": stability,
    "nli published": published,
}
