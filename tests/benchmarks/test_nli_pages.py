"""docs/nli.md says what the committed results say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.nli_pages import (
    ABLATED,
    PUBLISHED,
    RESULTS,
    SETS,
    TIERS,
    ablations,
    cases,
    figures,
    phenomena,
    published,
    stability,
)


@pytest.mark.parametrize("tier", TIERS)
def test_every_set_of_the_page_is_in_the_results(tier: str) -> None:
    evaluation = json.loads((RESULTS / f"{tier}.json").read_text(encoding="utf-8"))["evaluation"]
    assert set(SETS) <= set(evaluation)
    header, _, *rows = figures().splitlines()
    column = [cell.strip() for cell in header.split("|")].index(tier)
    table = [[cell.strip() for cell in row.split("|")] for row in rows if row.startswith("|")]
    for (name, title), row in zip(SETS.items(), table, strict=False):
        assert row[1] == f"accuracy, {title}"
        assert row[column].startswith(f"{evaluation[name]['accuracy']:.3f}")


@pytest.mark.parametrize("tier", TIERS)
def test_a_sample_is_called_one(tier: str) -> None:
    evaluation = json.loads((RESULTS / f"{tier}.json").read_text(encoding="utf-8"))["evaluation"]
    note = f"{tier}: at most {evaluation.get('at_most', 0):,} pairs of a set were drawn."
    assert (note in figures()) == ("at_most" in evaluation)


def test_published_models_stand_beside_ours() -> None:
    rows = published().splitlines()[2:]
    assert len(rows) == len(PUBLISHED) + len(TIERS)
    assert "| units |" in phenomena()


def test_an_ablation_stands_under_the_spread_of_the_whole(tmp_path: Path) -> None:
    path = tmp_path / "ablations.json"
    runs = {"whole-1": 0.5, "whole-2": 0.7, "without-bm25-neutrals": 0.4}
    path.write_text(json.dumps({name: dict.fromkeys(ABLATED, value) for name, value in runs.items()}))
    whole, without = ablations(path).splitlines()[2:4]
    assert whole.startswith("| all of it | 0.600 [0.500–0.700] |")
    assert without.startswith("| bm25 neutrals | 0.400 |")


def test_cases_have_a_before_and_an_after() -> None:
    runs = json.loads((RESULTS / "ablations.json").read_text(encoding="utf-8"))
    mini = json.loads((RESULTS / "mini.json").read_text(encoding="utf-8"))["evaluation"]["probes"]
    header, _, *rows = ([c.strip() for c in line.split("|")[1:-1]] for line in cases().splitlines() if line)
    units = dict(zip(header, next(r for r in rows if r[0].startswith("23")), strict=True))
    assert (
        units["without contrast pairs"]
        == f"{runs['without-contrast-pairs']['cases']['case_23']['contradiction']:.3f}"
    )
    assert units["mini"] == f"{mini['cases']['case_23']['contradiction']:.3f}"
    assert {row[0].partition(":")[0] for row in rows} == {"5", "7", "8", "23"}


def test_runs_that_are_not_measured_yet_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "stability.json"
    again = {"threads": 1, "float32": dict.fromkeys(ABLATED, 0.5), "int8": dict.fromkeys(ABLATED, 0.75)}
    runs = {"again-1": again, "shipped": {"int8": dict.fromkeys(ABLATED, 0.25)}}
    path.write_text(json.dumps({"shipped_sha256": "0", "runs": runs}))
    shipped, float32, int8 = stability(path).splitlines()[2:]
    assert shipped.startswith("| as shipped, int8 | 0.250 |")
    assert float32.startswith("| one run on from it, float32 | 0.500 |")
    assert int8.startswith("| the same weights in int8 | 0.750 |")
