"""Stage `card`: the model card, from `card.md`, the mixture and the results file alone."""

from typing import Any

from training.nli.config import Mixture
from training.nli.data import licence_table
from training.nli.known_failures import EXAMPLES
from training.nli.paths import HERE

ROLES = {
    "mini": ("a small", "It is the embedded default of `epoche`."),
    "base": ("a larger", "It is `--nli base` of `epoche`, a package of its own."),
}
INPUTS = {
    "all-MiniLM-L6-v2": "`input_ids`, `attention_mask`, `token_type_ids`",
    "all-mpnet-base-v2": "`input_ids`, `attention_mask`",
}


def figures_table(evaluation: dict[str, Any]) -> str:
    """Accuracy with its interval and macro-F1 of every set as a Markdown table."""
    rows = ["| set | n | accuracy | 95 % | macro-F1 | 95 % |", "|---|---|---|---|---|---|"]
    for name, f in evaluation.items():
        if isinstance(f, dict) and "accuracy" in f:
            n = f.get("pairs", f.get("claims"))
            spans = (_span(f.get(key)) for key in ("interval", "macro_f1_interval"))
            rows.append(
                f"| {name} | {n} | {f['accuracy']:.3f} | {next(spans)} | {f['macro_f1']:.3f} | {next(spans)} |"
            )
    return "\n".join(rows)


def _span(bounds: list[float] | None) -> str:
    return f"{bounds[0]:.3f}–{bounds[1]:.3f}" if bounds else ""


def _ranking(claim: dict[str, Any], name: str) -> str:
    return f"{claim[name]} ({_span(claim[f'{name}_interval'])})"


def _failures(found: list[dict[str, Any]]) -> str:
    """The known failures as a list."""
    return "\n".join(
        f"* {f['phenomenon']}: *{f['premise']}* → *{f['hypothesis']}* is {f['gold']}; "
        f"it says {f['said']} ({f['p']:.2f})"
        for f in found
    )


def _run(run: dict[str, Any]) -> str:
    """What one run saw, as a sentence."""
    pool = run["pool"]
    shares = ", ".join(f"{family} {part:.0%}" for family, part in pool["share_seen"].items())
    bags = f" beside {run['bags']:,} whole abstracts" if run.get("bags") else ""
    teacher = run.get("teacher")
    taught = f", with {teacher['answers']:,} answers of `{teacher['tier']}` on that pool" if teacher else ""
    return f"{run['pairs']:,} pairs ({shares}) from a pool of {pool['train']:,}{bags}{taught}, run `{run['run']}`."


def _limit(evaluation: dict[str, Any]) -> str:
    most = evaluation.get("at_most")
    return (
        f"At most {most} pairs of a pair set were drawn, and 25 claims for the unrelated sentences. "
        if most
        else ""
    )


def render(mixture: Mixture, results: dict[str, Any]) -> str:
    """The card as Markdown."""
    export, evaluation = results["export"], results["evaluation"]
    sentence, claim = evaluation["scifact.dev sentence"], evaluation["scifact.dev claim"]
    phenomena = evaluation["contrast_dev"]["by_phenomenon"]
    probes = evaluation["probes"]
    word, role = ROLES[mixture.tier]
    frozen = mixture.train.frozen_layers
    return (
        (HERE / "card.md")
        .read_text(encoding="utf-8")
        .format(
            tier=mixture.tier,
            size_word=word,
            role=role,
            inputs=INPUTS[mixture.train.encoder],
            frozen=f" and the lowest {frozen} layers" if frozen else "",
            bytes=export["bytes_int8"] / 1e6,
            interim="**Interim weights from an unfinished run.** " if export["interim"] else "",
            figures=figures_table(evaluation),
            auroc=_ranking(claim, "auroc_failure"),
            auroc_posterior=_ranking(claim, "auroc_failure_posterior"),
            ece=evaluation["scifact.dev calibration sentence"]["ece"],
            export=export,
            one_sided=probes["one_sided"],
            noise="; ".join(
                f"n = {n}: {v['false_contradiction']:.0%}, {v['false_entailment']:.0%}"
                for n, v in probes["noise"].items()
            ),
            distance=", ".join(f"{k} {v['mean_p_gold']:.2f}" for k, v in probes["distance"].items()),
            false_contradiction=sentence["neutral_with_contradiction_over_threshold"],
            false_support=sentence["neutral_with_entailment_over_threshold"],
            phenomena=", ".join(f"{name} {score}" for name, score in phenomena.items()),
            same=export["int8_vs_float32"],
            model_sha256=export["model_sha256"],
            history=" Then ".join(_run(run) for run in results["training"]),
            limit=_limit(evaluation),
            cases=probes["cases"],
            failures=_failures(evaluation["known_failures"]),
            examples=sum(map(len, EXAMPLES.values())),
            train=mixture.train,
            licences=licence_table(mixture),
        )
    )
