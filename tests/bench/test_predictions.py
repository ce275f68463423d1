from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from epoche.bench.predictions import read_predictions
from epoche.bench.score import summarise, summarise_groups
from epoche.errors import InputError

GOOD = {"id": "a", "gold": "x", "pred": "x", "confidence": 0.5}


def write(path: Path, records: list[Any]) -> Path:
    path.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in records), encoding="utf-8")
    return path


def test_any_labels_any_scale(tmp_path: Path) -> None:
    records = [
        {"id": 1, "gold": "cat", "pred": "cat", "confidence": 12},
        {"id": 2, "gold": "dog", "pred": "cat", "confidence": -3.5},
    ]
    found = read_predictions(write(tmp_path / "p.jsonl", [records[0], "", records[1]]))
    assert found.ids == ["1", "2"]
    assert found.error.tolist() == [0.0, 1.0]
    summary = summarise(found)
    assert summary["accuracy"] == 0.5
    assert summary["ece"] is None, "a confidence outside [0, 1] is no probability"


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (GOOD, "id a occurs twice, first in line 1"),
        (GOOD | {"id": "b", "confidence": None}, "no confidence"),
        ('{"id": "b", "gold": "x", "pred": "x", "confidence": NaN}', "NaN is not a number"),
        (GOOD | {"id": "b", "confidence": "0.5"}, "finite number"),
        (GOOD | {"id": "b", "confidence": True}, "finite number"),
        (GOOD | {"id": "b", "pred": 3}, "pred must be"),
        ({"id": "b", "gold": "x", "confidence": 1}, "no pred"),
        (GOOD | {"id": ["b"]}, "id must be"),
        (GOOD | {"id": "b", "confidence": 10**400}, "finite number"),
        (GOOD | {"id": "b", "group": {}}, "group must be"),
        ('{"id": "b", "gold": "x", "pred": "y", "confidence": 1, "pred": "x"}', "given twice"),
        ('{"id": "b", "gold": "x", "pred": "x", "confidence": 1}, {"id": "c"}', "broken JSON"),
        ("{", "broken JSON"),
        ("[1]", "object"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: Any, word: str) -> None:
    with pytest.raises(InputError, match=f"line 2: .*({word})"):
        read_predictions(write(tmp_path / "p.jsonl", [GOOD, line]))


def test_lines_that_are_objects_only_when_joined_are_refused(tmp_path: Path) -> None:
    halves = ['{"id": "a", "gold": "x"', '"pred": "x", "confidence": 1}']
    with pytest.raises(InputError, match="line 1: broken JSON"):
        read_predictions(write(tmp_path / "p.jsonl", halves))


def test_a_key_within_a_text_is_no_second_key(tmp_path: Path) -> None:
    record = GOOD | {"note": 'says "pred": "y" and "gold"', "id": "pred"}
    assert read_predictions(write(tmp_path / "p.jsonl", [record])).ids == ["pred"]


def test_a_label_that_first_occurs_late_in_a_large_file(tmp_path: Path) -> None:
    records = [{"id": i, "gold": "x", "pred": "yz"[i % 2], "confidence": i / 20_000} for i in range(20_000)]
    records += [{"id": "late", "gold": "new", "pred": "x", "confidence": 1}]
    path = write(tmp_path / "p.jsonl", records)
    assert path.stat().st_size > 1_000_000
    found = read_predictions(path)
    assert set(found.labels) == {"x", "y", "z", "new"}
    assert found.labels[found.gold[-1]] == "new"
    assert [found.labels[code] for code in found.predicted[:3]] == ["y", "z", "y"]
    assert found.ids[-2:] == ["19999", "late"]
    with pytest.raises(InputError, match="line 20002: gold must be a label"):
        read_predictions(write(path, [*records, {"id": "last", "gold": "", "pred": "x", "confidence": 1}]))


def test_no_line_and_half_groups(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no line"):
        read_predictions(write(tmp_path / "p.jsonl", []))
    with pytest.raises(InputError, match="only 1 of 2"):
        read_predictions(write(tmp_path / "p.jsonl", [GOOD | {"group": "g"}, GOOD | {"id": "b"}]))


def test_one_item(tmp_path: Path) -> None:
    summary = summarise(read_predictions(write(tmp_path / "p.jsonl", [GOOD])))
    assert (summary["n"], summary["accuracy"], summary["aurc"], summary["e_aurc"]) == (1, 1.0, 0.0, 0.0)
    assert summary["auroc_failure"] is None
    json.dumps(summary, allow_nan=False)


def test_case_30_and_31_in_the_summary(tmp_path: Path) -> None:
    confidence, error = (0.9, 0.9, 0.9, 0.7, 0.7, 0.5), (0, 1, 0, 0, 1, 1)
    rows = [
        {"id": i, "gold": "x", "pred": "y" if e else "x", "confidence": c}
        for i, (c, e) in enumerate(zip(confidence, error, strict=True))
    ]
    summary = summarise(read_predictions(write(tmp_path / "p.jsonl", rows)))
    assert summary["aurc"] == pytest.approx(0.38333, abs=1e-5)
    assert summary["risk_at_coverage"]["0.5"] == pytest.approx(1 / 3)
    assert summary["realised_coverage"]["0.7"] == pytest.approx(5 / 6)
    backwards = summarise(read_predictions(write(tmp_path / "p.jsonl", rows[::-1])))
    assert backwards == summary


def test_groups(tmp_path: Path) -> None:
    rows = [GOOD | {"id": i, "group": "gh"[i % 2], "pred": "xy"[i % 2]} for i in range(10)]
    groups = summarise_groups(read_predictions(write(tmp_path / "p.jsonl", rows)))["groups"]
    assert (groups["g"]["accuracy"], groups["h"]["accuracy"]) == (1.0, 0.0)


def test_decisive_risk_and_false_support_by_hand(tmp_path: Path) -> None:
    # Answered decisively: 3 supported (1 wrong: gold unsettled), 1 refuted (right). Unsettled: 1, wrong.
    rows = [("supported", "supported"), ("supported", "supported"), ("supported", "not_enough_evidence")]
    rows += [("refuted", "refuted"), ("not_enough_evidence", "refuted")]
    records = [{"id": i, "pred": p, "gold": g, "confidence": 0.9} for i, (p, g) in enumerate(rows)]
    summary = summarise(read_predictions(write(tmp_path / "p.jsonl", records)))
    assert summary["risk"] == pytest.approx(2 / 5)
    assert (summary["decisive_risk"], summary["decisive_risk_of"]) == (pytest.approx(1 / 4), 4)
    assert (summary["false_support_rate"], summary["false_support_rate_of"]) == (pytest.approx(1 / 3, abs=1e-6), 3)
    assert summary["reward"] == pytest.approx((3 - 2 * 2) / 5)
