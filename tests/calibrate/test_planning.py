"""How many items a promise takes, by hand; which to label next, and that they can be read back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from epoche.calibrate.labelled import read_labelled
from epoche.calibrate.planning import answers_needed, expected, read_unlabelled, table, to_label
from epoche.errors import DocumentError, InputError
from epoche.policy import Policy, Target
from tests.calibrate.runs import predictions, ranked


def test_the_table_by_hand() -> None:
    # 0.95^59 = 0.0485; with one error 93 are needed (FIELD: 59 and 93 at 5 %).
    assert table(0.05, 0.05, 1) == [(0, 59), (1, 93)]


def test_case_33_the_plan_says_59_and_93() -> None:
    assert dict(table(0.05, 0.05)) | {0: 59, 1: 93} == dict(table(0.05, 0.05))


@settings(deadline=None, max_examples=60)
@given(risk=st.floats(0.0, 0.2), alpha=st.floats(0.02, 0.4), delta=st.sampled_from([0.05, 0.1]))
def test_what_is_needed_is_enough(risk: float, alpha: float, delta: float) -> None:
    found = answers_needed(risk, alpha, delta)
    if risk >= alpha:
        assert found is None
    elif found is not None:
        import math

        assert binom.cdf(math.ceil(risk * found - 1e-9), found, alpha) <= delta


def test_a_pilot_says_where_a_promise_is_cheapest(tmp_path: Path) -> None:
    pilot = read_labelled(predictions(tmp_path / "p.jsonl", ranked(100, 20)), Policy())
    found = expected(pilot, 0.1, 0.05, Target.RISK)
    assert found
    assert all(e.risk < 0.1 for e in found)
    assert all(e.items >= e.answered for e in found)
    assert not expected(
        read_labelled(predictions(tmp_path / "w.jsonl", ranked(50, 50)), Policy()), 0.1, 0.05, Target.RISK
    )


def unlabelled(path: Path) -> Path:
    rows = [{"id": f"i{i}", "pred": "supported", "confidence": i / 20, "document": f"d{i // 5}"} for i in range(20)]
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    return path


def test_items_near_a_threshold_are_spread_over_documents(tmp_path: Path) -> None:
    rows = read_unlabelled(unlabelled(tmp_path / "u.jsonl"))
    chosen = [json.loads(line) for line in to_label(rows, 4, near=0.5).splitlines()]
    assert {row["document"] for row in chosen} == {"d0", "d1", "d2", "d3"}, "one of each before a second of one"
    assert chosen[0]["confidence"] == 0.5
    assert {row["drawn"] for row in chosen} == {"near"}


def test_drawn_items_are_filled_in_and_read_back(tmp_path: Path) -> None:
    rows = read_unlabelled(unlabelled(tmp_path / "u.jsonl"))
    text = to_label(rows, 10, near=None)
    assert text == to_label(rows, 10, near=None), "the same draw again"
    filled = [json.loads(line) | {"gold": "supported"} for line in text.splitlines()]
    path = tmp_path / "filled.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in filled), encoding="utf-8")
    assert read_labelled(path, Policy()).n == 10


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("[]", "an object"),
        ("{", "line 1"),
        ('{"id": 1, "pred": "a"}', "no confidence"),
        ('{"id": 1, "pred": "a", "confidence": NaN}', "line 1"),
        ('{"id": 1, "pred": "a", "confidence": "0.5"}', "finite number"),
        ('{"id": 1, "pred": "a", "confidence": 1}\n{"id": 1, "pred": "a", "confidence": 1}', "occurs twice"),
    ],
)
def test_lines_that_are_none(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "u.jsonl"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(DocumentError, match=said):
        read_unlabelled(path)


def test_nothing_to_read_or_to_label(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_unlabelled(tmp_path / "none.jsonl")
    (tmp_path / "empty.jsonl").write_text("\n", encoding="utf-8")
    with pytest.raises(InputError, match="no line"):
        read_unlabelled(tmp_path / "empty.jsonl")
    with pytest.raises(InputError, match="nothing left to label"):
        to_label([{"id": 1, "gold": "a", "confidence": 1.0}], 3, None)
