"""Generates the parts of the docs that the code knows better: the command's help and the import picture.

python docs/make.py            write them
python docs/make.py --check    fail if they are not up to date
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).parent.parent))
from benchmarks import corpus_pages, decomposer_pages, nli_pages, pages, policy_pages
from benchmarks.reference_faults import table as reference_faults
from epoche.cli import main as command

DOCS = Path(__file__).parent
SOURCE = DOCS.parent / "src" / "epoche"
START, END = "<!-- generated: imports -->", "<!-- end -->"


def cli_page() -> str:
    """Help of every command, as the user sees it."""
    parts = ["# The command\n\nGenerated from the command's own help by `make docs`.\n"]
    context = click.Context(command, info_name="epoche", terminal_width=100, **command.context_settings)
    parts.append(f"```\n{command.get_help(context)}\n```\n")
    return "\n".join([*parts, *_helps(command, context)])


def _helps(group: click.Group, context: click.Context) -> Iterator[str]:
    for name, sub in sorted(group.commands.items()):
        inner = click.Context(sub, info_name=name, parent=context, terminal_width=100)
        yield f"## {inner.command_path}\n\n```\n{sub.get_help(inner)}\n```\n"
        if isinstance(sub, click.Group):
            yield from _helps(sub, inner)


def part_of(path: Path) -> str:
    """Node of the picture that a file belongs to: its package, or itself at the top."""
    relative = path.relative_to(SOURCE)
    if relative.as_posix() == "backends/base.py":
        return "backends.base"
    return relative.parts[0].removesuffix(".py")


def import_picture() -> str:
    """A Mermaid graph of which part imports which, lazy imports included."""
    edges = set()
    for path in sorted(SOURCE.rglob("*.py")):
        here = part_of(path)
        if here.startswith("__"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("epoche.")):
                continue
            target = node.module.removeprefix("epoche.")
            there = "backends.base" if target == "backends.base" else target.split(".")[0]
            # Everything uses the values and the errors; arrows to them would hide the others.
            if there not in (here, "types", "errors"):
                edges.add((here, there))
    lines = [f"  {a} --> {b}" for a, b in sorted(edges)]
    return "```mermaid\ngraph LR\n" + "\n".join(lines) + "\n```"


def architecture_page(current: str) -> str:
    """The page with the picture between its markers replaced."""
    before, _, rest = current.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n{import_picture()}\n{END}{after}"


def filled(current: str) -> str:
    """A page with each generated part between its markers replaced."""
    for name, part in {
        **pages.PARTS,
        **nli_pages.PARTS,
        **policy_pages.PARTS,
        **decomposer_pages.PARTS,
        **corpus_pages.PARTS,
        "reference faults": reference_faults,
    }.items():
        start = f"<!-- generated: {name} -->"
        if start in current:
            before, _, rest = current.partition(start)
            _, _, after = rest.partition(END)
            current = f"{before}{start}\n{part()}\n{END}{after}"
    return current


def main() -> None:
    """Writes or checks the generated pages."""
    architecture = DOCS / "architecture.md"
    generated = [
        *(
            DOCS / f"{name}.md"
            for name in ("reproduction", "benchmarks", "nli", "policies", "guarantees", "decomposers", "evidence")
        ),
        DOCS.parent / "README.md",
    ]
    written = {
        DOCS / "cli.md": cli_page(),
        **{path: filled(path.read_text(encoding="utf-8")) for path in generated},
        architecture: architecture_page(architecture.read_text(encoding="utf-8")),
    }
    for path, text in written.items():
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            sys.exit(f"{path.relative_to(DOCS.parent)} is not up to date: run `make docs`")


if __name__ == "__main__":
    main()
