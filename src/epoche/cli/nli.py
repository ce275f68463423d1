"""`score` and `models`."""

from __future__ import annotations

from typing import Any

import click

from epoche.cli.io import progress_bar, read_text, require_apart, require_writable, write_text
from epoche.errors import InputError


@click.command()
@click.argument("pairs", type=click.Path(readable=False))
@click.option("--out", "-o", required=True, metavar="FILE", help="Where to write; the same lines with scores.")
@click.option("--nli", metavar="NAME", help="NLI model: mini, a local folder, or a hub id org/name.")
@click.option("--threads", type=int, help="Threads of the NLI model.  [default: 1]")
@click.option(
    "--on-error",
    type=click.Choice(["stop", "skip"]),
    default="stop",
    show_default=True,
    help="A line that cannot be scored: stop, or keep it with an `error` instead of scores.",
)
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
def score(pairs: str, out: str, on_error: str, quiet: bool, **settings: Any) -> None:
    """Scores PAIRS, a JSONL file of {"premise", "hypothesis", …}: raw NLI probabilities."""
    from epoche.assemble import make_nli
    from epoche.batch import score_lines
    from epoche.config import load_config

    require_writable(out)
    require_apart(out, [pairs])
    text = read_text(pairs)
    config = load_config(**settings)
    with progress_bar(quiet) as progress:
        lines, failed = score_lines(text, make_nli(config.nli, config), pairs, on_error == "skip", progress)
    write_text("".join(lines), out)
    if failed:
        raise InputError(f"{failed} of {len(lines)} lines were not scored; each says why under `error`")


@click.command()
def models() -> None:
    """Lists the NLI models that are installed; the default is marked with *."""
    from epoche.backends.onnx_nli import installed_models
    from epoche.config import load_config
    from epoche.report.models import render_models

    write_text(render_models(installed_models(), load_config().nli), None)
