"""Numbers → a threshold with a promise: which answers a target is about, and what each method says."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

import numpy as np

from epoche.bench.labels import label_name
from epoche.bench.predictions import DECISIVE
from epoche.calibrate.labelled import BoolArray, Labelled
from epoche.errors import InputError, OptionError
from epoche.guarantee.binomial import lower_bound, needed, p_value, upper_bound
from epoche.guarantee.choice import Choice, chosen
from epoche.guarantee.conformal import generalized_risk
from epoche.guarantee.lowest import lowest_risk
from epoche.guarantee.ltt import fixed_sequence
from epoche.guarantee.sgr import guaranteed_risk
from epoche.metrics.selective import Groups, group
from epoche.policy import Promise, Target
from epoche.types import SUPPORTING

Method = Literal["ltt", "sgr", "fixed", "crc"]
#: What each method is called in a policy.
METHODS: Mapping[str, str] = MappingProxyType(
    {
        "ltt": "learn then test, fixed sequence",
        "sgr": "selection with guaranteed risk",
        "fixed": "exact binomial at a given threshold",
        "crc": "conformal risk control",
        "lowest": "least of eight exact binomial bounds",
    }
)


@dataclass(frozen=True)
class Wanted:
    """What is to be promised. `alpha` None: the lowest risk that can be."""

    alpha: float | None
    delta: float
    target: Target = Target.RISK
    method: Method = "ltt"
    tau: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("risk", self.alpha), ("delta", self.delta)):
            if value is not None and not 0.0 < value < 1.0:
                raise OptionError(f"--{name} is {value:g}: give a number between 0 and 1, both excluded")
        if (self.method == "fixed") != (self.tau is not None):
            raise OptionError("--method fixed and --tau go together: the threshold has to be chosen beforehand")
        if (self.method == "crc") != (self.target is Target.GENERALIZED):
            raise OptionError("--method crc and --target generalized go together: give both, or neither")
        if self.tau is not None and not math.isfinite(self.tau):
            raise OptionError(f"--tau is {self.tau}: give a number")
        if self.alpha is None and self.method != "ltt":
            raise OptionError("--risk lowest has a method of its own: leave --method out")


@dataclass(frozen=True)
class Found:
    """One threshold: the promise if there is one, and what was counted."""

    label: str | None
    choice: Choice
    promise: Promise | None


def subject(items: Labelled, target: Target, label: str | None = None) -> BoolArray:
    """bool[n]: open proposals that a target is about."""
    predictions = items.predictions
    if target is Target.PER_LABEL and label is not None:
        own: BoolArray = items.open & (predictions.predicted == predictions.labels.index(label))
        return own
    if target in (Target.RISK, Target.PER_LABEL, Target.GENERALIZED):
        return items.open
    names = DECISIVE if target is Target.DECISIVE else SUPPORTING
    known = [name for name in predictions.labels if label_name(name) in names]
    if not known:
        raise InputError(
            f"{items.source.name}: no label is one of {', '.join(sorted(names))} under any name epoche knows "
            f"({', '.join(predictions.labels)}): choose the target risk, or per-label"
        )
    mask: BoolArray = items.open & predictions.predicts(names)
    return mask


def promise(items: Labelled, wanted: Wanted) -> list[Found]:
    """One threshold, or one per label of the vocabulary, δ shared equally.

    Raises:
        InputError: no item, or no proposal that the target is about.
    """
    if items.n == 0:
        raise InputError(f"{items.source.name}: no item is left to promise on")
    if wanted.target is not Target.PER_LABEL:
        return [_one(items, wanted, wanted.delta, None)]
    labels = items.predictions.labels
    return [_one(items, wanted, wanted.delta / len(labels), label) for label in labels]


def _one(items: Labelled, wanted: Wanted, delta: float, label: str | None) -> Found:
    mask = subject(items, wanted.target, label)
    if not mask.any():
        if label is None:
            raise InputError(f"{items.source.name}: nothing is proposed that the target {wanted.target} is about")
        return Found(label, Choice(None, 0, 0, 0, None, 0), None)
    groups = group(items.predictions.confidence[mask], items.predictions.error[mask])
    alpha, method = wanted.alpha, wanted.method
    if alpha is None:
        alpha, choice = lowest_risk(groups, delta)
        named = METHODS["lowest"]
    else:
        choice = _METHODS[method](items, groups, alpha, delta, wanted.tau)
        named = METHODS[method]
    if choice.threshold is None:
        return Found(label, choice, None)
    source = items.source
    return Found(
        label,
        choice,
        Promise(
            method=named,
            target=wanted.target,
            label=None if label is None else label_name(label),
            alpha=alpha,
            delta=None if method == "crc" else delta,
            n=items.n,
            answered=choice.answered,
            errors=choice.errors,
            interval=(
                round(lower_bound(choice.errors, choice.answered, 0.025), 6),
                round(upper_bound(choice.errors, choice.answered, 0.025), 6),
            ),
            nli_sha256=source.nli_sha256,
            decomposer=source.decomposer,
            splitter=source.splitter,
            data_sha256=source.data_sha256,
            policy_sha256="0" * 64,  # of a policy that does not exist yet
        ),
    )


def _fixed(items: Labelled, groups: Groups, alpha: float, delta: float, tau: float | None) -> Choice:
    """The given threshold, if its exact bound keeps α."""
    kept = np.flatnonzero(groups.confidence >= (0.0 if tau is None else tau))
    last = int(kept[-1]) if kept.size else -1
    found = chosen(groups, last, delta, 1)
    if tau is None or last < 0 or p_value(found.errors, found.answered, alpha) > delta:
        return Choice(None, int(groups.n), found.answered, found.errors, None, 1)
    return Choice(tau, found.items, found.answered, found.errors, delta, 1)


_METHODS: Mapping[str, Callable[[Labelled, Groups, float, float, float | None], Choice]] = MappingProxyType(
    {
        "ltt": lambda items, groups, alpha, delta, tau: fixed_sequence(groups, alpha, delta),
        "sgr": lambda items, groups, alpha, delta, tau: guaranteed_risk(groups, alpha, delta),
        "fixed": _fixed,
        # Items that are never answered count as right: they belong to the n of the generalized risk.
        "crc": lambda items, groups, alpha, delta, tau: generalized_risk(groups, alpha, items.n),
    }
)


def what_is_missing(items: Labelled, wanted: Wanted) -> str:
    """Why nothing can be promised, and what would be needed."""
    if wanted.target is Target.PER_LABEL:
        labels = items.predictions.labels
        own = replace(wanted, delta=wanted.delta / len(labels))
        return "; ".join(
            f"“{label}”: {_missing(items, own, subject(items, wanted.target, label))}" for label in labels
        )
    return _missing(items, wanted, subject(items, wanted.target))


def _missing(items: Labelled, wanted: Wanted, mask: BoolArray) -> str:
    have, wrong = int(mask.sum()), int(items.predictions.error[mask].sum())
    if have == 0:
        return "never answered"
    if wanted.alpha is None:
        return (
            f"{have} answers, {wrong} of them wrong, show no risk below 100 %: label more items, or better answers"
        )
    sure = f"{(1 - wanted.delta) * 100:g} %"
    none, one = (needed(k, wanted.alpha, wanted.delta) for k in (0, 1))
    text = (
        f"cannot promise {wanted.alpha * 100:g} % with {sure} certainty on {have} answers, {wrong} of them wrong: "
        f"{none} answered items without an error are needed in all, {one} with one"
    )
    groups = group(items.predictions.confidence[mask], items.predictions.error[mask])
    lowest, choice = lowest_risk(groups, wanted.delta)
    if choice.threshold is not None and lowest > wanted.alpha:
        text += (
            f"; the lowest risk that these items show is {lowest * 100:g} %, on the {choice.answered} most "
            f"confident answers with {choice.errors} wrong (--risk lowest)"
        )
    return text
