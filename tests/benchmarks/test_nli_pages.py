"""docs/nli.md says what the committed results say."""

from __future__ import annotations

import json

import pytest

from benchmarks.nli_pages import PUBLISHED, RESULTS, SETS, TIERS, figures, phenomena, published


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
