"""Stage `card`: the model card, from `card.md`, the mixture and the results file alone."""

from typing import Any

from training.nli.config import Mixture
from training.nli.data import licence_table
from training.nli.paths import HERE


def figures_table(evaluation: dict[str, Any]) -> str:
    """Accuracy and macro-F1 of every set as a Markdown table."""
    rows = ["| set | n | accuracy | macro-F1 |", "|---|---|---|---|"]
    for name, f in evaluation.items():
        if isinstance(f, dict):
            n = f.get("pairs", f.get("claims"))
            rows.append(f"| {name} | {n} | {f['accuracy']:.3f} | {f['macro_f1']:.3f} |")
    return "\n".join(rows)


def render(mixture: Mixture, results: dict[str, Any]) -> str:
    """The card as Markdown."""
    data, export, evaluation = results["data"], results["export"], results["evaluation"]
    sentence = evaluation["scifact.dev sentence"]
    phenomena = evaluation["contrast_dev"]["by_phenomenon"]
    return (
        (HERE / "card.md")
        .read_text(encoding="utf-8")
        .format(
            interim="**Interim weights from an unfinished run.** " if export["interim"] else "",
            figures=figures_table(evaluation),
            false_contradiction=sentence["neutral_with_contradiction_over_threshold"],
            false_support=sentence["neutral_with_entailment_over_threshold"],
            phenomena=", ".join(f"{name} {score}" for name, score in phenomena.items()),
            same=export["int8_vs_float32"],
            model_sha256=export["model_sha256"],
            pairs_seen=results["training"]["pairs"],
            pool=data["train"],
            share=", ".join(f"{family} {part:.0%}" for family, part in data["share_seen"].items()),
            train=mixture.train,
            licences=licence_table(mixture),
        )
    )
