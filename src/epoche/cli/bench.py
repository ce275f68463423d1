"""`bench`, `curve` and `export`."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from epoche.cli.fetch import fetch
from epoche.cli.io import MODEL_OPTIONS, progress_bar, require_apart, require_writable, run_bar, say, write_text
from epoche.errors import OptionError

if TYPE_CHECKING:
    from epoche.bench.datasets import Dataset
    from epoche.bench.predictions import Predictions
    from epoche.config import Config
    from epoche.policy import Policy

F = TypeVar("F", bound=Callable[..., Any])


@click.group()
def bench() -> None:
    """Runs a benchmark: one NLI pass, everything else from its record."""


def _running(command: F) -> F:
    """Options shared by the data sets."""
    options = [
        click.option("--out", "-o", required=True, metavar="DIR", help="Folder of the run record; resumed."),
        click.option(
            "--decomposer",
            metavar="NAMES",
            help="Comma-separated: rules, whole, openai:MODEL, hf:NAME, hf-chat:NAME, gguf:FILE.  [default: rules]",
        ),
        click.option(
            "--models", metavar="FILE", help="Many decomposers, from a models.toml; in place of --decomposer."
        ),
        click.option(
            "--budget",
            type=click.FloatRange(min=0),
            help="Most that language models may cost, in their prices' currency.",
        ),
        click.option("--resume", is_flag=True, expose_value=False, help="Go on with what is in --out: always so."),
        click.option("--parallel", type=int, help="Prompts given to a server at once.  [default: 4]"),
        *MODEL_OPTIONS,
        click.option("--nli", metavar="NAMES", help="Comma-separated NLI models.  [default: mini]"),
        click.option("--policy", default="paper", show_default=True, metavar="NAME|FILE"),
        click.option("--tau", type=float, help="Threshold of the summary's answered figures."),
        click.option("--ablate", is_flag=True, help="Also write ablations.json, from the same record."),
        click.option("--limit", type=click.IntRange(min=1), help="Only the first items, for a quick look."),
        click.option("--threads", type=int, help="Threads of the NLI model.  [default: 1]"),
        click.option("--quiet", "-q", is_flag=True, help="No progress."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


_data = click.option(
    "--data", metavar="DIR", help="Folder with the released files.  [default: $EPOCHE_DATA, else ../shared/data]"
)


@bench.command()
@_data
@click.option("--split", default="dev", show_default=True, help="train, calibration or dev.")
@click.option("--protocol", type=click.Choice(["abstract", "rationale", "corpus"]), default="abstract")
@click.option("--claims", metavar="FILE", help="A claims file in place of a split; needs --corpus.")
@click.option("--corpus", metavar="FILE", help="A corpus file; needs --claims.")
@click.option("--corpus-index", metavar="DIR", help="Index of the corpus, for --protocol corpus (`epoche index`).")
@click.option("--retrieval", type=click.Choice(["bm25", "dense", "fusion"]), help="How the index is searched.")
@click.option("--encoder", metavar="NAME", help="The sentence encoder that the index was made with.")
@click.option(
    "--top", type=click.IntRange(min=1), default=10, show_default=True, help="Abstracts read of those found."
)
@_running
def scifact(
    data: str | None,
    split: str,
    protocol: Any,
    claims: str | None,
    corpus: str | None,
    corpus_index: str | None,
    retrieval: str | None,
    encoder: str | None,
    top: int,
    **options: Any,
) -> None:
    """SciFact: claims against their cited abstracts (`abstract`, the headline), gold sentences, or the corpus."""
    from epoche.bench.catalogue import corpus_file, load
    from epoche.bench.datasets import load_scifact
    from epoche.config import data_folder

    if (claims is None) != (corpus is None):
        raise OptionError("--claims and --corpus go together: give both, or --data and --split")
    if (protocol == "corpus") != (corpus_index is not None):
        raise OptionError("--protocol corpus and --corpus-index go together: make the index with epoche index")
    given: Any = "abstract" if protocol == "corpus" else protocol
    folder = Path(data) if data else data_folder()
    if claims is not None and corpus is not None:
        dataset = load_scifact(Path(claims), Path(corpus), split=Path(claims).stem, protocol=given)
    else:
        dataset = load("scifact", split, folder, given)
    if corpus_index is None:
        _run(dataset, **options)
        return
    from epoche.bench.datasets import scifact_documents
    from epoche.bench.open_domain import retrieval_figures, search_all
    from epoche.cli.judging import opened_index

    abstracts = scifact_documents(Path(corpus) if corpus else corpus_file(folder))
    searched = search_all(dataset, abstracts, opened_index(corpus_index, retrieval, encoder, 1), top)
    _run(searched.dataset, retrieval=retrieval_figures(searched, top), **options)


@bench.command()
@_data
@click.option("--split", default="train", show_default=True, help="train, calibration or test.")
@click.option("--file", metavar="FILE", help="A file like ori_pqal.json in place of a split.")
@click.option("--ids", metavar="FILE", help="Only these items: a list, or an object of ids.")
@_running
def pubmedqa(data: str | None, split: str, file: str | None, ids: str | None, **options: Any) -> None:
    """PubMedQA: questions against their abstracts without the conclusion."""
    from epoche.bench.catalogue import load
    from epoche.bench.datasets import load_pubmedqa
    from epoche.config import data_folder

    if ids is not None and file is None:
        raise OptionError("--ids needs --file")
    if file is not None:
        name = Path(ids or file).stem
        dataset = load_pubmedqa(Path(file), split=name, ids=Path(ids) if ids else None)
    else:
        dataset = load("pubmedqa", split, Path(data) if data else data_folder())
    _run(dataset, **options)


@bench.command()
@click.option(
    "--file", required=True, metavar="FILE", help='Lines of {"id","statement","kind","documents","label"}.'
)
@_running
def custom(file: str, **options: Any) -> None:
    """A set of your own."""
    from epoche.bench.datasets import load_custom

    _run(load_custom(Path(file)), **options)


@bench.command(name="evidence-length")
@_data
@click.option("--split", default="dev", show_default=True, help="SciFact split whose claims are asked.")
@click.option("--out", "-o", required=True, metavar="FILE", help="The curve as JSON.")
@click.option("--nli", metavar="NAME", help="NLI model.  [default: mini]")
@click.option("--policy", default="paper", show_default=True, metavar="NAME|FILE")
@click.option("--threads", type=int, help="Threads of the NLI model.  [default: 1]")
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
def evidence_length(
    data: str | None, split: str, out: str, nli: str | None, policy: str, threads: int | None, quiet: bool
) -> None:
    """False alarms against the number of irrelevant sentences, 1 to 100."""
    from epoche.assemble import make_nli
    from epoche.bench.catalogue import load
    from epoche.bench.evidence_length import CLAIMS, SEED, TARGET, false_alarms, material, score_material
    from epoche.config import data_folder, load_config, load_policy

    require_writable(out)
    config = load_config(threads=threads)
    model, chosen = make_nli(nli or config.nli, config), load_policy(policy)
    dataset = load("scifact", split, Path(data) if data else data_folder())
    with progress_bar(quiet) as progress:
        scores = score_material(material(dataset), model, progress)
    found = {
        "dataset": dataset.name,
        "split": dataset.split,
        "data_sha256": dataset.digest,
        "nli": model.info.name,
        "nli_sha256": model.info.sha256,
        "policy": chosen.name,
        "claims": min(CLAIMS, len(dataset.items)),
        "seed": SEED,
        "target": TARGET,
        "rows": false_alarms(scores, chosen),
    }
    write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", out)


@bench.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(readable=False))
@click.option("--out", "-o", required=True, metavar="DIR", help="Folder for tables, figures and index.html.")
def report(runs: tuple[str, ...], out: str) -> None:
    """Tables (md, csv, LaTeX), figures (svg, png) and one page from the records in RUNS."""
    from epoche.report.bench_report import write_report

    if not out.strip():
        raise OptionError("--out is empty: give a folder for the report")
    for path in write_report([Path(run) for run in runs], Path(out)):
        write_text(f"{path}\n", None)


@bench.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(readable=False))
@click.option("--splits", type=click.IntRange(min=1), default=200, show_default=True)
def promises(runs: tuple[str, ...], splits: int) -> None:
    """Random halves of RUNS together: promised on one half, counted on the other; and the cost dial.

    Written as promises.json into the first run's folder, where `bench report` finds it.
    """
    from epoche.bench.record import load_run, write_json
    from epoche.calibrate.splits import joined, promises_of
    from epoche.report.promises import render_promises

    found = promises_of(joined([load_run(Path(run)) for run in runs]), splits=splits)
    write_json(Path(runs[0]) / "promises.json", found)
    write_text(render_promises(found), None)


bench.add_command(fetch)


def _run(
    dataset: Dataset,
    *,
    out: str,
    decomposer: str | None,
    nli: str | None,
    policy: str,
    tau: float | None,
    ablate: bool,
    limit: int | None,
    quiet: bool,
    models: str | None,
    budget: float | None,
    retrieval: dict[str, Any] | None = None,
    **settings: Any,
) -> None:
    """One run per decomposer and NLI model; more than one go to folders below `out`."""
    from epoche.assemble import Budget, Meter
    from epoche.bench.compare import configurations, run_and_score
    from epoche.config import load_config, load_policy, with_tau

    if not out.strip():
        raise OptionError("--out is empty: give a folder for the run")
    config = load_config(**settings)
    chosen = load_policy(policy, dataset.items[0].statement.kind)
    chosen = chosen if tau is None else with_tau(chosen, tau)
    if models is not None:
        if decomposer is not None:
            raise OptionError("--models and --decomposer exclude each other: give one of them")
        _run_models(dataset, Path(models), Path(out), nli or config.nli, chosen, config, budget, limit, quiet)
        return
    money = Budget(budget)
    names = (config.decomposer if decomposer is None else decomposer, config.nli if nli is None else nli)
    plans = configurations(Path(out), names[0].split(","), names[1].split(","))
    for plan in plans:
        with run_bar(quiet) as progress:
            lines = run_and_score(
                dataset,
                plan,
                chosen,
                config,
                limit=limit,
                ablate=ablate,
                progress=progress,
                meter=Meter(budget=money),
                retrieval=retrieval,
            )
        write_text(lines, None)


def _run_models(
    dataset: Dataset,
    models: Path,
    out: Path,
    nli: str,
    policy: Policy,
    config: Config,
    budget: float | None,
    limit: int | None,
    quiet: bool,
) -> None:
    """Every model of a list that can be reached, and a table of all of them."""
    from epoche.bench.models import read_models, run_models
    from epoche.report.bench_tables import to_markdown
    from epoche.report.model_tables import model_table

    def said(name: str, why: str) -> None:
        if not quiet:
            say(f"{name}: {why}")

    listed = read_models(models)
    with run_bar(quiet) as progress:
        rows = run_models(dataset, listed, out, nli, policy, config, budget, limit, progress, said)
    write_text(to_markdown(model_table(rows)), None)


@click.command()
@click.argument("predictions", type=click.Path(readable=False))
@click.option("--format", "-f", "fmt", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--cost", type=click.FloatRange(min=0), default=2.0, show_default=True, help="Of a wrong answer.")
@click.option("--figure", metavar="FILE", help="Also draw the curve: .svg or .png. Needs the extra `report`.")
def curve(predictions: str, fmt: str, cost: float, figure: str | None) -> None:
    """Risk and coverage of any system: lines of {"id","gold","pred","confidence"[,"group"]}."""
    from epoche.bench.predictions import read_predictions
    from epoche.bench.score import summarise, summarise_groups

    if not math.isfinite(cost):
        raise OptionError(f"--cost is {cost}: give a number from 0 on")
    if figure is not None:
        require_writable(figure)
        require_apart(figure, [predictions])
    columns = read_predictions(Path(predictions))
    if figure is not None:
        _draw(columns, Path(figure))
    summary = summarise(columns, cost=cost) | summarise_groups(columns, cost=cost)
    if fmt == "json":
        write_text(json.dumps(summary, indent=2, ensure_ascii=False) + "\n", None)
    else:
        from epoche.report.summary import render_summary

        write_text(render_summary(summary), None)


def _draw(columns: Predictions, path: Path) -> None:
    """The curve of all predictions, and of each group where there are some."""
    import numpy as np

    from epoche.metrics import selective
    from epoche.report.figures import NamedCurve, risk_coverage_figure

    parts = {path.stem: columns}
    if columns.groups is not None:
        names = np.array(columns.groups)
        parts |= {str(name): columns.subset(names == name) for name in np.unique(names)}
    lines = {n: selective.curve(selective.group(p.confidence, p.error)) for n, p in parts.items()}
    risk_coverage_figure([NamedCurve(n, c.coverage, c.risk) for n, c in lines.items()], path)


@click.command()
@click.argument("dataset", type=click.Choice(["scifact"]))
@click.argument("run", type=click.Path(readable=False))
@click.option("--out", "-o", required=True, metavar="FILE")
@click.option("--policy", default="paper", show_default=True, metavar="NAME|FILE")
@click.option("--tau", type=float, help="Leave out claims below this confidence.")
def export(dataset: str, run: str, out: str, policy: str, tau: float | None) -> None:
    """Writes RUN in the official evaluator's format, sentences included."""
    from epoche.bench.export import export_scifact
    from epoche.bench.record import load_run
    from epoche.config import load_policy, with_tau

    require_writable(out)
    require_apart(out, [run], None)
    chosen = load_policy(policy) if tau is None else with_tau(load_policy(policy), tau)
    write_text(export_scifact(load_run(Path(run)), chosen), out)
