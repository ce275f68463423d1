"""`verify`, `ask` and `replay`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from epoche.cli.io import (
    MODEL_OPTIONS,
    progress_bar,
    read_text,
    require_apart,
    require_writable,
    say,
    statement_text,
    write_text,
)
from epoche.errors import OptionError

if TYPE_CHECKING:
    from epoche.backends.base import Retriever
    from epoche.outcome import Outcome
    from epoche.sources.corpus.retriever import CorpusRetriever
    from epoche.sources.literature.http import Client
    from epoche.types import Unread

DECOMPOSER_HELP = "rules (default), whole, openai:MODEL, hf:NAME, hf-chat:NAME or gguf:FILE."
SERVICES = ("pubmed", "europepmc", "openalex")
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


def _judging(command: F) -> F:
    """Options shared by `verify` and `ask`."""
    options = [
        click.option(
            "--evidence",
            "-e",
            multiple=True,
            metavar="SOURCE",
            help="A file (.pdf, .html, .xml, .docx, .bib, .ris, .txt, .md, .jsonl), a folder of them, or the name "
            "of a paper (pmid:…, pmcid:…, doi:…, title:…) that is looked up. Repeatable.",
        ),
        click.option("--corpus", metavar="DIR", help="An index (`epoche index`) to search for evidence."),
        click.option(
            "--retrieval",
            type=click.Choice(["bm25", "dense", "fusion"]),
            help="How an index is searched: by words, by meaning, or both.  [default: bm25; fusion with --encoder]",
        ),
        click.option("--encoder", metavar="NAME", help="The sentence encoder that the index was made with."),
        click.option(
            "--search", type=click.Choice(SERVICES), help="A literature service to search for evidence (abstracts)."
        ),
        click.option(
            "--top",
            "--max-docs",
            "top",
            type=click.IntRange(1, 1000),
            default=20,
            show_default=True,
            help="Most documents read of those found.",
        ),
        click.option("--format", "-f", "fmt", type=click.Choice(FORMATS), default="text", show_default=True),
        click.option("--output", "-o", metavar="FILE", help="Write the report here instead of to stdout."),
        click.option("--policy", default="default", show_default=True, metavar="NAME|FILE"),
        click.option("--tau", type=float, help="Answer only if confidence ≥ τ, in [0, 1]. Voids a promise."),
        click.option("--nli", metavar="NAME", help="NLI model: mini, a local folder, or a hub id org/name."),
        click.option("--decomposer", metavar="NAME", help=DECOMPOSER_HELP),
        *MODEL_OPTIONS,
        click.option("--no-cache", "cache", flag_value=False, default=None, help="Ask language models anew."),
        click.option("--max-sentences", type=int, help="Most sentences read; others are listed as unread."),
        click.option("--threads", type=int, help="Threads of the NLI model.  [default: 1]"),
        click.option(
            "--on-error",
            type=click.Choice(["stop", "skip"]),
            default="skip",
            show_default=True,
            help="Evidence that cannot be read: stop, or go on and list it (nothing is then supported).",
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


@click.command()
@click.argument("claim")
@_judging
def verify(claim: str, **options: Any) -> None:
    """Checks CLAIM ("-": read from stdin) against evidence."""
    _run("verify", claim, **options)


@click.command()
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
    on_error: Literal["stop", "skip"],
    exit_code: bool,
    quiet: bool,
    corpus: str | None,
    search: str | None,
    retrieval: str | None,
    encoder: str | None,
    top: int,
    **settings: Any,
) -> None:
    from epoche.assemble import Verifier
    from epoche.config import load_config
    from epoche.sources.evidence import gather
    from epoche.sources.files import READ, READABLE, passed_over

    require_writable(output)
    require_apart(output, [*evidence, policy], sorted(READABLE))
    text = statement_text(statement)
    config = load_config(**settings)
    if not evidence and corpus is None and search is None:
        raise OptionError("nothing to read: give --evidence, --corpus or --search")
    if corpus is not None and search is not None:
        raise OptionError("--corpus and --search cannot be given together: index what you found, or run both")
    retriever = _searched(search) if corpus is None else opened_index(corpus, retrieval, encoder, config.threads)
    documents, unread = (
        gather(evidence, _services, on_error=on_error, others=retriever is not None) if evidence else ((), ())
    )
    if not quiet:
        _say_unread(unread)
    skipped = passed_over([Path(p) for p in evidence])
    if skipped and not quiet:
        more = f" and {len(skipped) - 3} more" if len(skipped) > 3 else ""
        say(f"not read: {', '.join(skipped[:3])}{more}; {READ}")
    verifier = Verifier(config=config, policy=policy, tau=tau)
    for notice in verifier.notices if not quiet else ():
        if notice.startswith("claim" if verb == "verify" else "question"):
            say(notice)
    with progress_bar(quiet) as progress:
        outcome = getattr(verifier, verb)(
            text, documents, unread=unread, retriever=retriever, top=top, progress=progress
        )
    if retriever is not None and not quiet:
        later = outcome.certificate.evidence.unread
        _say_unread([part for part in later if part.sentences is None and part not in unread])
    _print(outcome, fmt, output, quiet)
    sys.exit(_code(outcome, exit_code))


def _say_unread(unread: Sequence[Unread]) -> None:
    for part in unread[:20]:
        say(f"not read: {part.document}: {part.why}")
    if len(unread) > 20:
        say(f"not read: {len(unread) - 20} more")


def opened_index(corpus: str, retrieval: str | None, encoder: str | None, threads: int) -> CorpusRetriever:
    """An index to search, with its encoder if it is searched by meaning."""
    from epoche.assemble import make_encoder
    from epoche.sources.corpus.index import CorpusIndex
    from epoche.sources.corpus.retriever import CorpusRetriever

    if encoder is None and retrieval not in (None, "bm25"):
        raise OptionError(f"--retrieval {retrieval} needs --encoder: the one that the index was made with")
    method: Any = retrieval or ("bm25" if encoder is None else "fusion")
    model = None if encoder is None else make_encoder(encoder, threads)
    return CorpusRetriever(CorpusIndex(Path(corpus)), method=method, encoder=model)


def _searched(service: str | None) -> Retriever | None:
    if service is None:
        return None
    from epoche.sources.literature.search import LiteratureRetriever

    return LiteratureRetriever(service, _services())  # type: ignore[arg-type]


def _services() -> Client:
    from epoche.config import literature
    from epoche.sources.literature.http import Client

    how = literature()
    return Client(how.hosts, email=how.email, api_keys=how.keys, cache=how.cache)


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
    write_text(text, output)


@click.command()
@click.argument("certificate", type=click.Path(readable=False))
def replay(certificate: str) -> None:
    """Derives the outcome in CERTIFICATE again from its stored scores, without the model."""
    from epoche.judge import replay as derive_again
    from epoche.steps.certify import parse_certificate

    stored = parse_certificate(read_text(certificate))
    problems = derive_again(stored)
    if problems:
        for problem in problems:
            say(problem, head="differs")
        say(
            f"{certificate} does not hold: {len(problems)} difference(s); do not rely on it, and check the "
            "statement again from its documents"
        )
        sys.exit(1)
    outcome = stored.outcome
    write_text(f"holds: {outcome.label or outcome.type} ({outcome.detail})\n", None)
