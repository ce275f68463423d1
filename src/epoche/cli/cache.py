"""`cache info` and `cache clear`."""

from __future__ import annotations

import click

from epoche.cli.io import write_text


@click.group()
def cache() -> None:
    """What language models said, kept so that nothing is paid for twice."""


@cache.command()
def info() -> None:
    """Where the cache is, how large, and how many replies of which model."""
    from epoche.assemble import open_store
    from epoche.config import cache_file

    path = cache_file()
    if not path.exists():
        write_text(f"{path}: nothing is kept\n", None)
        return
    store = open_store(path)
    try:
        held = store.contents()
    finally:
        store.close()
    lines = [f"{held.path}: {held.bytes} bytes, {sum(held.replies.values())} replies, {held.pairs} NLI scores"]
    lines += [f"  {model}: {count}" for model, count in held.replies.items()]
    write_text("\n".join(lines) + "\n", None)


@cache.command()
def clear() -> None:
    """Forgets everything."""
    from epoche.assemble import open_store
    from epoche.config import cache_file

    path = cache_file()
    if path.exists():
        store = open_store(path)
        try:
            store.clear()
        finally:
            store.close()
    write_text(f"{path}: nothing is kept\n", None)
