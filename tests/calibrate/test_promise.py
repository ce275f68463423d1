"""What each target and method promises, by hand; what cannot be promised, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from epoche.calibrate.labelled import Labelled, read_labelled
from epoche.calibrate.promise import Wanted, promise, subject, what_is_missing
from epoche.errors import InputError, OptionError
from epoche.policy import Policy, Target
from tests.calibrate.runs import predictions, ranked


def items(path: Path, rows: list[tuple[str, str, float]]) -> Labelled:
    return read_labelled(predictions(path / "items.jsonl", rows), Policy())


def test_59_right_answers_promise_five_percent_and_58_do_not(tmp_path: Path) -> None:
    # (1 − 0.05)^59 = 0.0485 ≤ 0.05 < 0.0511 = (1 − 0.05)^58, one threshold chosen beforehand.
    fixed = Wanted(0.05, 0.05, method="fixed", tau=0.0)
    enough = promise(items(tmp_path, ranked(59, 0)), fixed)[0]
    assert enough.promise is not None
    assert (enough.promise.answered, enough.promise.errors, enough.promise.coverage) == (59, 0, 1.0)
    assert promise(items(tmp_path, ranked(58, 0)), fixed)[0].promise is None


def test_case_33_what_cannot_be_promised_says_what_would_be_needed(tmp_path: Path) -> None:
    found = items(tmp_path, ranked(40, 0))
    wanted = Wanted(0.05, 0.05)
    assert promise(found, wanted)[0].promise is None
    said = what_is_missing(found, wanted)
    assert "cannot promise 5 % with 95 % certainty on 40 answers, 0 of them wrong" in said
    assert "59 answered items without an error are needed in all, 93 with one" in said


@pytest.mark.parametrize("method", ["ltt", "sgr"])
def test_the_wrong_half_is_not_answered(tmp_path: Path, method: str) -> None:
    found = promise(items(tmp_path, ranked(400, 200)), Wanted(0.1, 0.05, method=method))[0]  # type: ignore[arg-type]
    assert found.promise is not None
    assert found.choice.threshold is not None
    assert 0.4 < found.choice.threshold < 0.7
    assert found.promise.risk <= 0.1
    low, high = found.promise.interval
    assert low <= found.promise.risk <= high


def test_crc_bounds_wrong_and_answered_among_all_by_hand(tmp_path: Path) -> None:
    # n = 99, α = 0.1: (errors + 1)/100 ≤ 0.1 allows 9 errors; the last 20 of 99 are wrong, so 79 + 9 are answered.
    wanted = Wanted(0.1, 0.05, Target.GENERALIZED, "crc")
    found = promise(items(tmp_path, ranked(99, 20)), wanted)[0]
    assert found.promise is not None
    assert (found.promise.answered, found.promise.errors, found.promise.delta) == (88, 9, None)


def test_targets_are_about_different_answers(tmp_path: Path) -> None:
    rows = [("supported", "supported", 0.9), ("refuted", "refuted", 0.8), ("nei", "nei", 0.7), ("yes", "yes", 0.6)]
    found = items(tmp_path, rows)
    assert subject(found, Target.RISK).sum() == 4
    assert subject(found, Target.DECISIVE).tolist() == [True, True, False, True]
    assert subject(found, Target.FALSE_SUPPORT).tolist() == [True, False, False, True]
    assert subject(found, Target.PER_LABEL, "refuted").tolist() == [False, True, False, False]


def test_labels_share_delta_and_get_a_threshold_each(tmp_path: Path) -> None:
    right = [(label, label, 1 - i / 300) for i in range(300) for label in ("supported", "refuted")]
    wrong = [("refuted", "nei", 1 - i / 300) for i in range(300)]
    found = promise(items(tmp_path, right + wrong), Wanted(0.1, 0.06, Target.PER_LABEL))
    by_label = {f.label: f for f in found}
    assert set(by_label) == {"supported", "refuted", "nei"}
    assert by_label["nei"].promise is None
    for name in ("supported", "refuted"):
        made = by_label[name].promise
        assert made is not None
        assert (made.label, made.delta) == (name, pytest.approx(0.02))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"alpha": 0.0}, "--risk is 0"),
        ({"alpha": 1.0}, "--risk is 1"),
        ({"alpha": float("nan")}, "--risk is nan"),
        ({"delta": 0.0}, "--delta is 0"),
        ({"delta": 1.5}, r"--delta is 1\.5"),
        ({"method": "fixed"}, "--tau go together"),
        ({"tau": 0.5}, "--tau go together"),
        ({"method": "crc"}, "generalized"),
        ({"target": Target.GENERALIZED}, "generalized"),
        ({"alpha": None, "method": "sgr"}, "lowest"),
    ],
)
def test_options_that_promise_nothing_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        Wanted(**{"alpha": 0.1, "delta": 0.05, **options})  # type: ignore[arg-type]


def test_all_right_all_wrong_and_one_confidence(tmp_path: Path) -> None:
    wanted = Wanted(0.1, 0.05)
    right = promise(items(tmp_path, ranked(200, 0)), wanted)[0]
    assert right.promise is not None
    assert right.promise.coverage == 1.0
    assert promise(items(tmp_path, ranked(200, 200)), wanted)[0].promise is None
    constant = [("supported", "supported", 0.7)] * 195 + [("refuted", "supported", 0.7)] * 5
    tied = promise(items(tmp_path, constant), wanted)[0]
    assert tied.promise is not None
    assert (tied.promise.answered, tied.promise.errors) == (200, 5), "ties are answered together"
    worse = [("supported", "supported", 0.7)] * 150 + [("refuted", "supported", 0.7)] * 50
    assert promise(items(tmp_path, worse), wanted)[0].promise is None


def test_labels_that_are_not_ours_have_no_decisive_ones(tmp_path: Path) -> None:
    found = items(tmp_path, [("a", "b", 0.5), ("a", "a", 0.9)])
    with pytest.raises(InputError, match="no label is one of no, refuted, supported, yes"):
        promise(found, Wanted(0.1, 0.05, Target.DECISIVE))


def test_what_is_missing_for_each_label_is_said_for_each(tmp_path: Path) -> None:
    rows = [("supported", "supported", 0.9)] * 40 + [("refuted", "refuted", 0.8)] * 20
    wanted = Wanted(0.05, 0.05, Target.PER_LABEL)
    said = what_is_missing(read_labelled(predictions(tmp_path / "p.jsonl", rows), Policy()), wanted)
    # Each label has half of δ: 97.5 %.
    assert "“supported”: cannot promise 5 % with 97.5 % certainty on 40 answers" in said
    assert "“refuted”: cannot promise 5 % with 97.5 % certainty on 20 answers" in said
