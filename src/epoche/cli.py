"""The command: parse, call, print, exit code. Heavy imports wait until a command runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from epoche import __version__
from epoche.errors import EpocheError, InputError

if TYPE_CHECKING:
    from epoche.backends.base import Progress
    from epoche.verify import Outcome

FORMATS = ("text", "json", "md", "html")
#: Exit codes of `--exit-code`; an abstention is 30.
LABEL_CODES = {
    "supported": 0,
    "yes": 0,
    "refuted": 10,
    "no": 10,
    "not_enough_evidence": 20,
    "maybe": 20,
}
ABSTAINED = 30

F = TypeVar("F", bound=Callable[..., Any])


class _Group(click.Group):
    """Turns epoche's errors into one line on stderr and the error's exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except EpocheError as error:
            click.echo(f"epoche: {error}", err=True)
            ctx.exit(error.exit_code)
        except BrokenPipeError:
            # The reader of our output went away (`| head`): there is nobody left to tell.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(1)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="epoche")
def main() -> None:
    """Checks scientific claims against evidence, and knows when not to answer."""


def _judging(command: F) -> F:
    """Options shared by `verify` and `ask`."""
    options = [
        click.option(
            "--evidence",
            "-e",
            multiple=True,
            required=True,
            metavar="PATH",
            help="A .txt, .md or .jsonl file, or a folder of them. Repeatable.",
        ),
        click.option("--format", "-f", "fmt", type=click.Choice(FORMATS), default="text", show_default=True),
        click.option("--output", "-o", metavar="FILE", help="Write the report here instead of to stdout."),
        click.option(
            "--policy", default="paper", show_default=True, metavar="NAME|FILE", help="Thresholds and τ."
        ),
        click.option("--tau", type=float, help="Answer only if confidence ≥ τ, in [0, 1]. Voids a promise."),
        click.option("--nli", metavar="NAME", help="NLI model: mini, a local folder, or a hub id org/name."),
        click.option("--decomposer", metavar="NAME", help="rules (default) or whole."),
        click.option("--max-sentences", type=int, help="Most sentences read; others are listed as unread."),
        click.option("--threads", type=int, help="Threads of the NLI model.  [default: 1]"),
        click.option(
            "--on-error",
            type=click.Choice(["stop", "skip"]),
            default="stop",
            show_default=True,
            help="Evidence that cannot be read: stop, or go on and list it (it then cannot support).",
        ),
        click.option(
            "--exit-code",
            is_flag=True,
            help="0 supported/yes, 10 refuted/no, 20 not enough evidence/maybe, 30 abstained.",
        ),
        click.option("--quiet", "-q", is_flag=True, help="No progress; of a text report only the first line."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@main.command()
@click.argument("claim")
@_judging
def verify(claim: str, **options: Any) -> None:
    """Checks CLAIM ("-": read from stdin) against evidence."""
    _run("verify", claim, **options)


@main.command()
@click.argument("question")
@_judging
def ask(question: str, **options: Any) -> None:
    """Answers the yes/no QUESTION ("-": read from stdin) from evidence."""
    _run("ask", question, **options)


def _run(
    verb: str,
    statement: str,
    *,
    evidence: tuple[str, ...],
    fmt: str,
    output: str | None,
    policy: str,
    tau: float | None,
    on_error: str,
    exit_code: bool,
    quiet: bool,
    **settings: Any,
) -> None:
    from epoche.assemble import Verifier
    from epoche.config import load_config
    from epoche.sources.files import read_evidence

    _require_writable(output)
    text = _statement(statement)
    config = load_config(**settings)
    documents, unread = read_evidence([Path(p) for p in evidence], on_error=on_error)
    verifier = Verifier(config=config, policy=policy, tau=tau)
    with _progress(quiet) as progress:
        outcome = getattr(verifier, verb)(text, documents, unread=unread, progress=progress)
    _print(outcome, fmt, output, quiet)
    sys.exit(_code(outcome, exit_code))


def _code(outcome: Outcome, by_label: bool) -> int:
    if outcome.type == "failure":
        return 1
    if not by_label:
        return 0
    return ABSTAINED if outcome.label is None else LABEL_CODES[outcome.label]


def _print(outcome: Outcome, fmt: str, output: str | None, quiet: bool) -> None:
    from epoche.report import render

    colour = output is None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    text = render(outcome.certificate, fmt, colour=colour)  # type: ignore[arg-type]
    if quiet and fmt == "text":
        text = text.partition("\n")[0] + "\n"
    _write(text, output)


@main.command()
@click.argument("certificate", type=click.Path())
def replay(certificate: str) -> None:
    """Derives the outcome in CERTIFICATE again from its stored scores, without the model."""
    from epoche.steps.certify import parse_certificate
    from epoche.verify import replay as derive_again

    stored = parse_certificate(_read(certificate))
    problems = derive_again(stored)
    if problems:
        for problem in problems:
            click.echo(f"differs: {problem}", err=True)
        click.echo(f"epoche: {certificate} does not hold: {len(problems)} difference(s)", err=True)
        sys.exit(1)
    outcome = stored.outcome
    _write(f"holds: {outcome.label or outcome.type} ({outcome.detail})\n", None)


@main.command()
@click.argument("pairs", type=click.Path())
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

    _require_writable(out)
    text = _read(pairs)
    config = load_config(**settings)
    with _progress(quiet) as progress:
        lines, failed = score_lines(text, make_nli(config.nli, config), pairs, on_error == "skip", progress)
    _write("".join(lines), out)
    if failed:
        raise InputError(f"{failed} of {len(lines)} lines were not scored; each says why under `error`")


@main.command()
def models() -> None:
    """Lists the NLI models that are installed; the default is marked with *."""
    from epoche.backends.onnx_nli import installed_models
    from epoche.config import load_config
    from epoche.report.models import render_models

    _write(render_models(installed_models(), load_config().nli), None)


def _statement(given: str) -> str:
    """The statement as text, from the argument's own bytes or from stdin, whatever the locale."""
    raw = click.get_binary_stream("stdin").read() if given == "-" else os.fsencode(given)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"the statement is not UTF-8 (byte {error.start}): save or type it as UTF-8") from None


def _read(path: str) -> str:
    try:
        return Path(path).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 (byte {error.start}): save it as UTF-8") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None


def _require_writable(output: str | None) -> None:
    """Fails before the work, not after it, where the report could not be written."""
    if output is None:
        return
    path = Path(output)
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise InputError(f"cannot write {output}: its folder is missing or not writable, or it is a folder")


def _write(text: str, output: str | None) -> None:
    """UTF-8 whatever the locale; a file appears whole or not at all."""
    if output is None:
        stream = click.get_binary_stream("stdout")
        stream.write(text.encode("utf-8"))
        stream.flush()
        return
    path = Path(output)
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        partial.write_bytes(text.encode("utf-8"))
        partial.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {output}: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def _progress(quiet: bool) -> Iterator[Progress | None]:
    """A bar on a terminal once the work has taken a second."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(desc="NLI", unit="pair", delay=1.0, leave=False) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show
