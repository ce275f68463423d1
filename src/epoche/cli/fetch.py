"""`bench fetch`: the official data."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from epoche.cli.io import write_text

if TYPE_CHECKING:
    from epoche.bench.download import ByteProgress


@click.command()
@click.argument("name", type=click.Choice(["scifact", "pubmedqa"]))
@click.option("--data", required=True, metavar="DIR", help="Files go to DIR/NAME, or to DIR if some lie there.")
@click.option("--url", metavar="URL", help="Another address: of SciFact's archive, of PubMedQA's folder.")
@click.option("--quiet", "-q", is_flag=True, help="No progress, and no output but errors.")
def fetch(name: str, data: str, url: str | None, quiet: bool) -> None:
    """Downloads the official files of scifact or pubmedqa, resumed and checked by their hashes."""
    from epoche.bench import download
    from epoche.bench.catalogue import SOURCES, release_folder
    from epoche.bench.datasets import sha256_of

    source = SOURCES[name]
    known = {file.path: file.sha256 for d in source.downloads for file in d.files}
    with _bytes_bar(quiet) as progress:
        paths = download.fetch(source, release_folder(source, Path(data)), url=url, progress=progress)
    if quiet:
        return
    lines = [f"licence: {source.licence}", f"cite: {source.citation}"]
    for path in paths:
        note = "as released" if known[path.name] else "hash of the release not known to epoche"
        lines.append(f"{sha256_of(path)}  {path}  ({note})")
    write_text("\n".join(lines) + "\n", None)


@contextmanager
def _bytes_bar(quiet: bool) -> Iterator[ByteProgress | None]:
    """A bar on a terminal once the download has taken a second."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(unit="B", unit_scale=True, unit_divisor=1024, delay=1.0, leave=False) as bar:

        def show(name: str, done: int, total: int | None) -> None:
            if done < bar.n:  # the next file, or this one from its start again
                bar.reset()
            bar.set_description(name, refresh=False)
            bar.total = total
            bar.update(done - bar.n)

        yield show
