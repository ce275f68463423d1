"""From a run, or anybody's predictions, to a policy file that is used, bound and read again."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from epoche.assemble import Verifier
from epoche.backends.fake import ScriptedNli
from epoche.calibrate.checking import check
from epoche.calibrate.dial import settings
from epoche.calibrate.making import calibrate
from epoche.calibrate.promise import Wanted
from epoche.config import load_config, load_policy_file
from epoche.errors import InputError, OptionError, PolicyError
from epoche.policy import Costs, PolicyFile, Target
from epoche.types import Kind, Label
from tests.calibrate.runs import mixed, predictions, ranked, read_scores, scored_run

WANTED = Wanted(0.3, 0.05)
#: The two sentences that every item of `mixed` has beside its first.
REST = "Report 9 found 3 percent for and 2 percent against. Report 9 found 5 percent for and 1 percent against."


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    base = tmp_path_factory.mktemp("runs")
    scored_run(base / "known", mixed(400, seed=1))
    scored_run(base / "new", mixed(300, seed=2), first=5000)
    return base / "known", base / "new"


def written(file: PolicyFile, path: Path) -> Path:
    path.write_text(file.model_dump_json(), encoding="utf-8")
    return path


def test_fitted_on_one_part_promised_on_the_other(folders: tuple[Path, Path], tmp_path: Path) -> None:
    made = calibrate(folders[0], "calibrated", WANTED)
    promise, calibration = made.file.promises[0], made.file.calibration
    assert calibration is not None
    assert calibration.fitted_on + calibration.promised_on == 400
    assert promise.n == calibration.promised_on == made.items.n
    assert made.file.posterior is not None
    assert made.file.posterior.n == calibration.fitted_on
    assert made.file.kind is Kind.CLAIM
    assert load_policy_file(written(made.file, tmp_path / "p.json")) == made.file


def test_the_promise_is_that_of_the_outcome(folders: tuple[Path, Path]) -> None:
    made = calibrate(folders[0], "calibrated", WANTED)
    own = load_config({}, decomposer="whole")
    verifier = Verifier(ScriptedNli(read_scores), "whole", made.file.policy, config=own)
    sure = verifier.verify("Claim 9 holds.", ["Report 9 found 98 percent for and 1 percent against. " + REST])
    assert sure.label is Label.SUPPORTED
    assert sure.certificate.policy.promises == made.file.promises
    assert sure.certificate.proposal is not None
    assert sure.certificate.proposal.probabilities is not None
    with pytest.raises(PolicyError, match="is for claims, not for questions"):
        verifier.ask("Does claim 9 hold?", ["Report 9 found 98 percent for and 1 percent against."])


def test_case_6_a_promise_is_refused_elsewhere_and_both_hashes_are_named(folders: tuple[Path, Path]) -> None:
    policy = calibrate(folders[0], "calibrated", WANTED).file.policy
    other = ScriptedNli(read_scores, name="another")
    with pytest.raises(PolicyError) as refused:
        Verifier(other, "whole", policy, config=load_config({}, decomposer="whole"))
    assert policy.promises[0].nli_sha256 is not None
    assert policy.promises[0].nli_sha256 in str(refused.value)
    assert other.info.sha256 in str(refused.value)


def test_a_promise_is_checked_on_new_items_only(folders: tuple[Path, Path], tmp_path: Path) -> None:
    path = written(calibrate(folders[0], "calibrated", WANTED).file, tmp_path / "p.json")
    report = check(path, folders[1])
    assert [row.verdict for row in report.rows] == ["shown again"]
    assert not report.broken
    with pytest.raises(InputError, match="are among those that .* was made on"):
        check(path, folders[0])


def test_a_broken_promise_is_called_broken(folders: tuple[Path, Path], tmp_path: Path) -> None:
    path = written(calibrate(folders[0], "calibrated", WANTED).file, tmp_path / "p.json")
    # The same scores with the labels turned around.
    turned = {Label.SUPPORTED: Label.REFUTED, Label.REFUTED: Label.SUPPORTED}
    wrong = [(turned.get(gold, gold), scores) for gold, scores in mixed(300, seed=3)]
    scored_run(tmp_path / "wrong", wrong, first=9000)
    report = check(path, tmp_path / "wrong")
    assert report.broken


def test_another_mix_of_labels_is_said(folders: tuple[Path, Path], tmp_path: Path) -> None:
    path = written(calibrate(folders[0], "calibrated", WANTED).file, tmp_path / "p.json")
    only = [item for item in mixed(600, seed=4) if item[0] is Label.SUPPORTED]
    scored_run(tmp_path / "only", only, first=9000)
    report = check(path, tmp_path / "only")
    assert report.shifted
    assert not check(path, folders[1]).shifted


def test_case_34_items_fitted_on_carry_no_promise(folders: tuple[Path, Path], tmp_path: Path) -> None:
    # The policy's own posterior may be promised on other items, never on those it was fitted on.
    path = written(calibrate(folders[0], "calibrated", None).file, tmp_path / "p.json")
    with pytest.raises(InputError, match="a promise needs items of its own"):
        calibrate(folders[0], str(path), WANTED)
    again = calibrate(folders[1], str(path), WANTED).file
    assert again.promises
    assert again.promises[0].n == 300
    assert again.posterior == load_policy_file(path).posterior


def test_one_text_under_two_ids_is_not_on_both_sides(tmp_path: Path) -> None:
    scored_run(tmp_path / "run", mixed(200, seed=5))
    run = tmp_path / "run" / "items.jsonl"
    rows = [json.loads(line) for line in run.read_text(encoding="utf-8").splitlines()]
    for row in rows[100:]:
        row["statement"]["text"] = rows[int(row["id"]) - 100]["statement"]["text"]
    run.write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")
    made = calibrate(tmp_path / "run", "calibrated", WANTED)
    assert made.file.calibration is not None
    assert made.file.calibration.promised_on < 200 - made.file.calibration.fitted_on
    texts = {frozenset(m) for m in made.items.marks}
    assert texts


def test_predictions_of_any_system(tmp_path: Path) -> None:
    path = predictions(tmp_path / "items.jsonl", ranked(300, 30))
    file = calibrate(path, "calibrated", Wanted(0.1, 0.05)).file
    assert file.tau is not None
    assert file.promises[0].nli_sha256 is None
    assert file.posterior is None
    with pytest.raises(PolicyError, match="another system"):
        Verifier(ScriptedNli(read_scores), "whole", file.policy, config=load_config({}, decomposer="whole"))


def test_a_threshold_may_lie_on_any_scale(tmp_path: Path) -> None:
    path = predictions(tmp_path / "items.jsonl", [(g, p, 40 * c - 100) for g, p, c in ranked(300, 150)])
    file = calibrate(path, "calibrated", Wanted(0.1, 0.05)).file
    assert file.tau is not None
    assert -100 < file.tau < -60
    new = predictions(tmp_path / "new.jsonl", [("a", "a", -10.0), ("a", "b", -99.0)], first=900)
    assert check(written(file, tmp_path / "p.json"), new).rows[0].answered == 1


def test_labels_of_their_own_get_thresholds_of_their_own(tmp_path: Path) -> None:
    rows = [("apple", "apple", 1 - i / 300) for i in range(300)]
    path = predictions(tmp_path / "items.jsonl", rows)
    file = calibrate(path, "calibrated", Wanted(0.1, 0.05, Target.PER_LABEL)).file
    assert set(file.label_tau) == {"apple"}
    assert file.tau is None
    assert file.promises[0].label == "apple"


def test_nothing_promised_answers_nothing_and_says_why(tmp_path: Path) -> None:
    file = calibrate(predictions(tmp_path / "items.jsonl", ranked(40, 0)), "calibrated", Wanted(0.05, 0.05)).file
    assert (file.tau, file.promises) == (None, ())
    assert file.calibration is not None
    assert "59 answered items" in file.calibration.missing
    with pytest.raises(PolicyError, match="promises nothing: cannot promise 5 %"):
        check(written(file, tmp_path / "p.json"), tmp_path / "items.jsonl")


@pytest.mark.parametrize("items", [0, 1, 3])
def test_too_few_items_are_told(tmp_path: Path, items: int) -> None:
    scored_run(tmp_path / "run", mixed(items, seed=6))
    with pytest.raises(InputError, match=r"no item|at least 5 items of every label"):
        calibrate(tmp_path / "run", "calibrated", WANTED)


def test_one_class_only_is_told(tmp_path: Path) -> None:
    scored_run(tmp_path / "run", [(Label.SUPPORTED, [(90, 1)])] * 50)
    with pytest.raises(InputError, match="refuted: 0, not_enough_evidence: 0"):
        calibrate(tmp_path / "run", "calibrated", WANTED)


def test_unlabelled_and_picked_items_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text('{"id": "a", "gold": null, "pred": "x", "confidence": 0.5}\n', encoding="utf-8")
    with pytest.raises(InputError, match="line 1: no gold"):
        calibrate(path, "calibrated", WANTED)
    predictions(path, ranked(50, 0), drawn="near")
    with pytest.raises(InputError, match="needs items drawn at random"):
        calibrate(path, "calibrated", WANTED)


def test_options_that_do_not_go_together(tmp_path: Path, folders: tuple[Path, Path]) -> None:
    path = predictions(tmp_path / "items.jsonl", ranked(50, 0))
    with pytest.raises(OptionError, match="needs a run"):
        calibrate(path, "some.json", WANTED)
    with pytest.raises(OptionError, match="--fit is 1"):
        calibrate(folders[0], "calibrated", WANTED, fit_share=1.0)


def test_a_dearer_false_support_is_never_more_frequent(folders: tuple[Path, Path]) -> None:
    from epoche.bench.record import load_run

    policy = calibrate(folders[0], "calibrated", None, Costs(false_support=1.0)).file.policy
    found = settings(load_run(folders[1]), policy)
    rates = [s.false_support_rate or 0.0 for s in found]
    assert rates == sorted(rates, reverse=True)
    assert [s.supported for s in found] == sorted((s.supported for s in found), reverse=True)
    # The first by hand: P ≥ 1 − 0.5/1; a mean cost is wrong answers at 1 and no answers at 0.5.
    first = found[0]
    assert first.least == 0.5
    assert first.cost == pytest.approx((first.wrong + 0.5 * (first.n - first.answered)) / first.n, abs=1e-6)
    with pytest.raises(OptionError, match="no posterior"):
        settings(load_run(folders[1]), policy.model_copy(update={"posterior": None}))


def test_by_cost_alone_there_is_no_promise(folders: tuple[Path, Path]) -> None:
    file = calibrate(folders[0], "calibrated", None).file
    assert (file.tau, file.promises, file.abstain_on_cost) == (0.0, (), True)
    assert np.isfinite(file.calibration.confidences if file.calibration else [np.nan]).all()


def test_thresholds_of_labels_do_not_outlive_a_promise_about_all_answers(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    path = tmp_path / "labels.json"
    path.write_text('{"name": "mine", "label_tau": {"supported": 0.0}}', encoding="utf-8")
    file = calibrate(folders[0], str(path), Wanted(0.5, 0.05)).file
    assert file.promises
    assert file.label_tau == {}


@pytest.mark.parametrize("change", [{"tau": 0.123}, {"windows": [1]}, {"costs": {"false_support": 9.0}}])
def test_a_policy_changed_after_its_promise_is_refused(
    folders: tuple[Path, Path], tmp_path: Path, change: dict[str, object]
) -> None:
    written_policy = json.loads(calibrate(folders[0], "calibrated", WANTED).file.model_dump_json()) | change
    path = tmp_path / "p.json"
    path.write_text(json.dumps(written_policy), encoding="utf-8")
    with pytest.raises(PolicyError, match="not the one that its promise was made for"):
        load_policy_file(path)


def test_a_run_with_an_unlabelled_item_is_refused(tmp_path: Path) -> None:
    scored_run(tmp_path / "run", mixed(60))
    path = tmp_path / "run" / "items.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    first = json.loads(lines[0]) | {"gold": None}
    path.write_text("\n".join([json.dumps(first), *lines[1:]]) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="1 of 60 items have no gold label"):
        calibrate(tmp_path / "run", "paper", WANTED)


def test_one_label_written_in_two_ways_is_refused(tmp_path: Path) -> None:
    path = predictions(tmp_path / "items.jsonl", [("SUPPORTS", "supported", 0.9)] * 30)
    with pytest.raises(InputError, match="writes the label supported in several ways"):
        calibrate(path, "calibrated", WANTED)


def test_an_average_bound_is_never_called_broken(tmp_path: Path) -> None:
    wanted = Wanted(0.1, 0.05, Target.GENERALIZED, "crc")
    file = calibrate(predictions(tmp_path / "known.jsonl", ranked(200, 60)), "calibrated", wanted).file
    new = predictions(tmp_path / "new.jsonl", ranked(200, 190), first=900)
    assert [row.verdict for row in check(written(file, tmp_path / "p.json"), new).rows] == ["on average"]


def shaky(n: int, seed: int) -> list[tuple[str, str, float]]:
    """Answers that are right less often than their confidence says."""
    generator = np.random.default_rng(seed)
    rows = []
    for confidence in generator.random(n).round(3).tolist():
        right = generator.random() < 0.2 + 0.7 * confidence
        rows.append(("supported" if right else "refuted", "supported", confidence))
    return rows


@pytest.mark.parametrize(("n", "method"), [(300, "logistic"), (900, "isotonic")])
def test_a_scale_is_fitted_on_items_that_carry_no_promise(tmp_path: Path, n: int, method: str) -> None:
    path = predictions(tmp_path / "known.jsonl", shaky(n, seed=4))
    made = calibrate(path, "paper", Wanted(0.5, 0.05), scale=True)
    calibration = made.file.calibration
    assert calibration is not None
    assert calibration.scale is not None
    scale = calibration.scale
    assert scale.method == method
    assert scale.n + calibration.promised_on == n
    assert made.file.promises[0].n == calibration.promised_on
    assert scale.ece is not None
    assert scale.ece < 0.2  # 15 bins of a dozen items are off by a tenth by chance
    for confidence in (0.05, 0.5, 0.95):
        assert scale.right(confidence) == pytest.approx(0.2 + 0.7 * confidence, abs=0.12)
    assert load_policy_file(written(made.file, tmp_path / "p.json")) == made.file
    with pytest.raises(InputError, match="items it has not seen"):
        check(tmp_path / "p.json", path)


def test_a_scale_needs_right_and_wrong_answers_and_a_confidence_that_is_no_probability(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    with pytest.raises(OptionError, match="a probability already"):
        calibrate(folders[0], "calibrated", WANTED, scale=True)
    for rows in (ranked(30, 5), ranked(200, 0)):
        with pytest.raises(InputError, match="--scale is fitted on"):
            calibrate(predictions(tmp_path / "p.jsonl", rows), "paper", WANTED, scale=True)
