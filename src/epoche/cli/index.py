"""`index`: a collection that claims are checked against."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from epoche.cli.io import count_bar, say, write_text
from epoche.errors import OptionError

if TYPE_CHECKING:
    from epoche.backends.base import Encoder


def _encoder(name: str | None) -> Encoder | None:
    if name is None:
        return None
    from epoche.assemble import make_encoder
    from epoche.config import load_config

    return make_encoder(name, load_config().threads)


@click.command()
@click.argument("sources", nargs=-1, type=click.Path(readable=False))
@click.option(
    "--out", "-o", required=True, metavar="DIR", help="The index; documents are added to one that is there."
)
@click.option(
    "--on-error",
    type=click.Choice(["stop", "skip"]),
    default="stop",
    show_default=True,
    help="A file or line that cannot be read: stop, or go on and say so.",
)
@click.option(
    "--encoder", metavar="NAME", help="Search by meaning too: a sentence encoder, a folder or a hub id org/name."
)
@click.option("--check", is_flag=True, help="Compare every file of the index with its hash.")
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
def index(
    sources: tuple[str, ...],
    out: str,
    on_error: Literal["stop", "skip"],
    encoder: str | None,
    check: bool,
    quiet: bool,
) -> None:
    """Makes an index of SOURCES: files of papers, folders of them, or .jsonl files of any size.

    Killed, the same command goes on where it was; run again, it adds what is new or changed.
    """
    from epoche.sources.corpus.building import build
    from epoche.sources.corpus.index import CorpusIndex
    from epoche.sources.corpus.store import open_documents, remember_unread
    from epoche.sources.stream import documents_of
    from epoche.steps.segment import sentence_spans

    if not out.strip():
        raise OptionError("--out is empty: give a folder for the index")
    if not sources and not check:
        raise OptionError("give files or folders to index, or --check to check an index that is there")
    if sources:
        if not all(source.strip() for source in sources):
            raise OptionError("the name of a source is empty: give a file or a folder (. for this one)")
        chosen = _encoder(encoder)
        skipped: list[str] = []
        with count_bar(quiet) as counted:
            read = documents_of([Path(s) for s in sources], on_error, skipped.append)
            clash = skipped.append if on_error == "skip" else None
            made = build(read, Path(out), sentence_spans, counted, chosen, clash)
        if skipped:
            with closing(open_documents(Path(out), write=True)) as store:
                remember_unread(store, skipped)
        for why in skipped[:20]:
            say(f"not indexed: {why}")
        if len(skipped) > 20:
            say(f"not indexed: {len(skipped) - 20} more")
        write_text(
            f"{out}: {made.added} documents added, {made.replaced} replaced, {made.unchanged} there already; "
            f"{made.passages} passages\n",
            None,
        )
    if check:
        opened = CorpusIndex(Path(out), check=True)
        write_text(f"{out}: holds; {len(opened)} passages, sha256 {opened.sha256}\n", None)
        opened.close()
