"""Labelled items → a policy file: fit on one part, promise on the other, keep what both were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from epoche.bench.labels import label_name
from epoche.bench.readings import Setup, Table
from epoche.bench.record import Run, load_run
from epoche.calibrate.fitting import calibrated_rule, fitted, share
from epoche.calibrate.labelled import Labelled, is_run, of_run, overlapping, read_labelled, require_labelled
from epoche.calibrate.promise import Found, Wanted, promise, what_is_missing
from epoche.config import named_policy
from epoche.errors import InputError, OptionError
from epoche.metrics.scaling import curve, read_off
from epoche.metrics.scores import ece
from epoche.policy import Calibration, Costs, Policy, PolicyFile, Scale, Target

#: Part of the items that a posterior is fitted on; the others carry the promise.
FIT_SHARE = 0.4
#: Fewest items that a scale is fitted on.
FEWEST_FOR_SCALE = 20
_CONFIDENCES_KEPT = 1000


@dataclass(frozen=True)
class Made:
    """A policy file, and what was found on the way."""

    file: PolicyFile
    found: list[Found]
    items: Labelled


def calibrate(
    path: Path,
    policy: str,
    wanted: Wanted | None,
    costs: Costs | None = None,
    fit_share: float = FIT_SHARE,
    name: str = "",
    scale: bool = False,
) -> Made:
    """A policy for the source of these items.

    Args:
        path: the folder of a run, or a file of predictions.
        policy: `calibrated` (a posterior is fitted), `paper`, or a policy file, whose own posterior stays as it is.
        wanted: the promise; None: answer by expected cost alone, without one.
        costs: what mistakes cost, for a posterior that is fitted here; where they are given, or nothing is to be
            promised, nothing is answered that is expected to cost more than no answer.
        fit_share: part of the items that a posterior or a scale is fitted on.
        scale: also say how often answers of which confidence are right. The confidence of `calibrated` is a
            probability already.

    Raises:
        InputError, OptionError: items that cannot be read or are too few, options that do not go together.
    """
    if not 0.0 < fit_share < 1.0:
        raise OptionError(f"--fit is {fit_share:g}: give the part of the items to fit on, between 0 and 1")
    fitted_on: int = 0
    marks: list[str] = []
    if not is_run(path):
        if policy not in ("calibrated", "paper"):
            raise OptionError(f"{path} holds predictions: a policy of epoche's own needs a run of `epoche bench`")
        rule, items = Policy(name="external"), read_labelled(path, Policy())
    elif policy == "calibrated":
        run = load_run(path)
        by_cost = costs is not None or wanted is None
        rule, items, marks = _split(run, costs or Costs(), by_cost, fit_share)
        fitted_on = rule.posterior.n if rule.posterior else 0
    else:
        known = named_policy(policy)
        rule, items = known.policy, of_run(load_run(path), known.policy)
        if known.calibration is not None:
            seen = overlapping(known.calibration.fingerprints, items)
            if seen and rule.posterior is not None:
                raise InputError(
                    f"{len(seen)} of {items.n} items of {path} are among those that {policy} was made on (first: "
                    f"{seen[0]}): a promise needs items of its own"
                )
            fitted_on, marks = known.calibration.fitted_on, list(known.calibration.fingerprints)
    found = None
    if scale:
        if rule.posterior is not None:
            raise OptionError(f"--scale: the confidence of {rule.name} is a probability already")
        items, found, own = _scaled(items, fit_share)
        marks += own
    return _with_promise(rule, items, wanted, name or _name(rule), fitted_on, marks, found)


def _name(rule: Policy) -> str:
    return f"{rule.name}-promised" if rule.name == "paper" else rule.name


def _split(run: Run, costs: Costs, by_cost: bool, fit_share: float) -> tuple[Policy, Labelled, list[str]]:
    """A posterior from one part of a run; the other part under it; fingerprints of the first."""
    require_labelled(run)
    for_fit = np.array([share(item.id) < fit_share for item in run.items])
    table = Table(run, Setup(calibrated_rule(run.items[0].statement.kind, costs)))
    rule = fitted(run, for_fit.tolist(), costs, table=table).model_copy(update={"abstain_on_cost": by_cost})
    everything = of_run(run, rule, table)
    first = {item.id for item, used in zip(run.items, for_fit.tolist(), strict=True) if used}
    used = np.array([key in first for key in everything.predictions.ids])
    marks = [mark for own in everything.subset(used).marks for mark in own]
    items = everything.subset(~used)
    doubled = overlapping(marks, items)
    if doubled:  # one text under two ids must not be on both sides
        again = np.array([key in set(doubled) for key in items.predictions.ids])
        items = items.subset(~again)
    return rule, items, marks


def _scaled(items: Labelled, fit_share: float) -> tuple[Labelled, Scale, list[str]]:
    """The items left for a promise, a scale fitted on the others, and fingerprints of these."""
    for_fit = np.array([share(key) < fit_share for key in items.predictions.ids])
    part = items.subset(for_fit)
    marks = [mark for own in part.marks for mark in own]
    doubled = set(overlapping(marks, items))
    rest = items.subset(np.array([key not in doubled for key in items.predictions.ids]))
    part = part.subset(part.open)
    wrong = int(part.predictions.error.sum())
    if part.n < FEWEST_FOR_SCALE or wrong in (0, part.n):
        raise InputError(
            f"{items.source.name}: --scale is fitted on {part.n} items, {wrong} of them wrong; it takes "
            f"{FEWEST_FOR_SCALE}, with right and wrong ones: label more, or leave --scale out"
        )
    method, corners, probability = curve(part.predictions.confidence, 1 - part.predictions.error)
    checked = rest.subset(rest.open)
    error = None
    if checked.n:
        error = round(
            ece(read_off(checked.predictions.confidence, corners, probability), 1 - checked.predictions.error), 6
        )
    scale = Scale(
        method=method,
        confidence=tuple(corners.tolist()),
        probability=tuple(round(p, 6) for p in probability.tolist()),
        n=part.n,
        ece=error,
    )
    return rest, scale, marks


def _with_promise(
    rule: Policy,
    items: Labelled,
    wanted: Wanted | None,
    name: str,
    fitted_on: int,
    marks: Sequence[str],
    scale: Scale | None,
) -> Made:
    found = [] if wanted is None else promise(items, wanted)
    update: dict[str, object] = {"name": name, "promises": ()}
    if items.source.kind is not None:
        update["kind"] = items.source.kind
    missing = ""
    if wanted is not None and wanted.target is Target.PER_LABEL:
        update |= {"tau": None, "label_tau": {label_name(f.label or ""): _tau(f) for f in found}}
    elif wanted is not None:
        update |= {"tau": _tau(found[0]), "label_tau": {}}
    if wanted is not None and not any(f.promise for f in found):
        missing = what_is_missing(items, wanted)
    confidences = np.sort(items.predictions.confidence[items.open])
    if confidences.size > _CONFIDENCES_KEPT:
        confidences = np.quantile(confidences, np.linspace(0, 1, _CONFIDENCES_KEPT), method="inverted_cdf")
    calibration = Calibration(
        source=items.source.name,
        nli_sha256=items.source.nli_sha256,
        decomposer=items.source.decomposer,
        splitter=items.source.splitter,
        fitted_on=fitted_on,
        promised_on=items.n if found else 0,
        fingerprints=tuple(sorted({*marks, *(mark for own in items.marks for mark in own)})),
        labels=items.gold_counts,
        confidences=tuple(round(c, 6) for c in confidences.tolist()),
        scale=scale,
        missing=missing,
    )
    bare = rule.model_copy(update=update)
    made = tuple(f.promise.model_copy(update={"policy_sha256": bare.digest}) for f in found if f.promise)
    file = PolicyFile.model_validate(bare.model_dump() | {"promises": made, "calibration": calibration})
    return Made(file, found, items)


def _tau(found: Found) -> float | None:
    return found.choice.threshold if found.promise is not None else None
