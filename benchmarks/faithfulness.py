"""What the check of decompositions lets through and what it stops for nothing, on hand-made ones.

    python benchmarks/faithfulness.py [--nli mini]

`decompositions.jsonl` was in sight while the rules of the guard were written, `decompositions-held-out.jsonl` was
not. A bad decomposition is *let through* if its parts are used with the whole statement not critical beside them; a
good one is *stopped* if the whole has to stand beside its parts, or in their place. Writes
`results/faithfulness.json`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from epoche.assemble import make_nli
from epoche.backends.base import NliModel
from epoche.config import load_config
from epoche.steps.decompose import with_whole
from epoche.steps.faithful import faithful, pairs
from epoche.steps.guard import Part
from epoche.types import Decomposition, Kind, Statement

HERE = Path(__file__).parent
SETS = {"in sight": "decompositions.jsonl", "held out": "decompositions-held-out.jsonl"}
GOOD = "good"


def used(found: Decomposition) -> bool:
    """Whether the parts are audited in place of the whole."""
    return len(found.conditions) > 1 and not found.conditions[-1].critical


def counted(rows: list[dict[str, Any]], nli: NliModel) -> dict[str, dict[str, int]]:
    """Per kind of fault: how many, how many the words alone let through, and how many after NLI."""
    table: dict[str, dict[str, int]] = {}
    for row in rows:
        statement = Statement(text=row["statement"], kind=Kind.CLAIM)
        by_words = with_whole(statement, [Part(text) for text in row["conditions"]], "test", "test")
        asked = pairs(by_words)
        final = faithful(by_words, nli.score(asked), Kind.CLAIM) if asked else by_words
        cell = table.setdefault(row["fault"] or GOOD, {"n": 0, "words": 0, "both": 0})
        cell["n"] += 1
        cell["words"] += used(by_words)
        cell["both"] += used(final)
    return table


def read(name: str) -> list[dict[str, Any]]:
    """The lines of one of the sets."""
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


def measure(nli: NliModel, reader: Callable[[str], list[dict[str, Any]]] = read) -> dict[str, Any]:
    """Both sets."""
    return {title: counted(reader(name), nli) for title, name in SETS.items()}


def main() -> None:
    """Writes the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nli", default="mini")
    options = parser.parse_args()
    nli = make_nli(options.nli, load_config({}))
    found = {"nli": nli.info.name, "nli_sha256": nli.info.sha256, "sets": measure(nli)}
    path = HERE / "results" / "faithfulness.json"
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found["sets"], indent=1))


if __name__ == "__main__":
    main()
