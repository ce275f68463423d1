"""Code with each fault computes something else than epoche does, and epoche's value is the right one."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.reference_faults import FAULTS, Fault, table

PAGE = Path(__file__).parent.parent.parent / "docs" / "reproduction.md"
START, END = "<!-- generated: reference faults -->", "<!-- end -->"

#: Number → (with the fault, right), both worked by hand.
BY_HAND: dict[int, tuple[object, object]] = {
    # Five right predictions. With every gold label NEI only the two NEI claims agree: 2/5.
    1: (2 / 5, 1.0),
    # Gold S S C NEI NEI. "Supported" is right for 2 of the 3 claims with a rationale; the 2 others are free: 4/5.
    2: ("0.8000 (n = 5)", "0.6667 (n = 3; 2 unsettled kept apart)"),
    # max(.02, .01) is not above .50, so nothing is missing, and nothing contradicted. Margin |.02 − .01| = .01.
    3: ("supported (0.00)", "not_enough_evidence (0.01)"),
    # The best sentence has .95 for support; .94 ≥ .55 in the other refutes.
    4: ("supported", "refuted"),
    # Mixed: 1 − .02 = .98 wrong, .62 wrong, .58 right: (1 + 1 + 2/3) / 3.
    # Margins: .01 wrong, .62 − .60 = .02 wrong, .58 − .02 = .56 right, which comes first: (0 + 1/2 + 2/3) / 3.
    5: ((1 + 1 + 2 / 3) / 3, (0 + 1 / 2 + 2 / 3) / 3),
    # The grid has .98 (all four: risk 1/4) and 1.0 (none: "risk 0"): one trapezoid, (0 + 1/4) / 2.
    # Each item at its own threshold: (1 + 1/2 + 1/3 + 1/4) / 4.
    6: (1 / 8, (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4),
    # 1 + 37 + 3 words and a full stop are 42 tokens.
    7: ("neutral; 16", "entailment; 42"),
    # "2.|5 mg (… et al.| 2004).| Pain …": four pieces of two sentences.
    8: ("4; maybe", "2; refused"),
    # The heading and both numbered lines; what is not a fact of the claim is dropped and the claim stays whole.
    9: ("3 of 3", "0 of 1"),
    # Sentences go one by one: trials of 19, 18, …, 1 and 0 sentences: 190 · 4 conditions.
    10: (760, 0),
    # Items are written in sixteens: one such block before item 21.
    11: (0, 16),
}


@pytest.fixture(scope="module")
def faults() -> dict[int, Fault]:
    return {fault.number: fault for fault in (f() for f in FAULTS)}


def test_all_eleven_in_order(faults: dict[int, Fault]) -> None:
    assert list(faults) == list(range(1, 12))
    assert [f.__name__ for f in FAULTS] == [f"r{n}" for n in faults]


@pytest.mark.parametrize("number", BY_HAND)
def test_by_hand(number: int, faults: dict[int, Fault]) -> None:
    faulty, right = BY_HAND[number]
    fault = faults[number]
    assert fault.faulty != fault.ours
    if isinstance(right, str):
        assert (fault.faulty, fault.ours) == (faulty, right)
    else:
        assert (fault.faulty, fault.ours) == pytest.approx((faulty, right))


def test_the_page_shows_this_table() -> None:
    shown = PAGE.read_text(encoding="utf-8").partition(START)[2].partition(END)[0]
    assert shown.strip() == table(), "run `make docs`"
