"""Does a promise hold on items that it has not seen?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from scipy.stats import chi2_contingency

from epoche.bench.labels import label_name
from epoche.calibrate.labelled import BoolArray, Labelled, overlapping, read_labelled
from epoche.calibrate.promise import subject
from epoche.config import named_policy
from epoche.errors import InputError, PolicyError
from epoche.guarantee.binomial import lower_bound, upper_bound
from epoche.policy import PolicyFile, Promise, Target

Verdict = Literal["shown again", "not contradicted", "broken", "nothing answered", "on average"]
#: A mix of gold labels that differs by chance less often than this is another one.
_MIX_LEVEL = 0.01


@dataclass(frozen=True)
class Checked:
    """One promise against new items. The bounds are Clopper–Pearson, each at the promise's own δ."""

    promise: Promise
    answered: int
    errors: int
    coverage: float
    bounds: tuple[float, float]
    verdict: Verdict


@dataclass(frozen=True)
class Report:
    """All promises of a policy against new items."""

    policy: PolicyFile
    items: Labelled
    rows: list[Checked]
    #: How likely so different a mix of gold labels is by chance; None where there is nothing to compare.
    same_mix: float | None

    @property
    def broken(self) -> bool:
        return any(row.verdict == "broken" for row in self.rows)

    @property
    def shifted(self) -> bool:
        """Whether the mix of gold labels is another one, which voids a promise."""
        return self.same_mix is not None and self.same_mix < _MIX_LEVEL


def check(policy: Path, on: Path) -> Report:
    """Counts the answers to new items under a policy, and the wrong ones.

    Raises:
        PolicyError: the policy promises nothing, or was made for something else.
        InputError: the policy has seen some of the items.
    """
    file = named_policy(str(policy))
    if not file.promises:
        why = file.calibration.missing if file.calibration else ""
        raise PolicyError(f"{policy} promises nothing{': ' + why if why else ''}, so there is nothing to check")
    return check_items(file, read_labelled(on, file.policy), str(policy))


def check_items(file: PolicyFile, items: Labelled, name: str = "the policy") -> Report:
    """As `check`, of items that are already read. Raises as `check`."""
    require_same_maker(file, items)
    if file.calibration is not None:
        seen = overlapping(file.calibration.fingerprints, items)
        if seen:
            raise InputError(
                f"{len(seen)} of {items.n} items of {items.source.name} are among those that {name} was made on "
                f"(first: {seen[0]}): a promise is checked on items it has not seen"
            )
    return Report(file, items, [_checked(file, p, items) for p in file.promises], _same_mix(file, items))


def require_same_maker(file: PolicyFile, items: Labelled) -> None:
    """Refuses items that were read by another model, decomposer or splitter.

    Raises:
        PolicyError: naming both.
    """
    for promise in file.promises:
        pairs = {
            "NLI model": (promise.nli_sha256, items.source.nli_sha256),
            "decomposer": (promise.decomposer, items.source.decomposer),
            "splitter": (promise.splitter, items.source.splitter),
        }
        for part, (theirs, ours) in pairs.items():
            if theirs != ours:
                raise PolicyError(
                    f"policy {file.name!r} promises for the {part} {theirs}, but {items.source.name} was made with "
                    f"{ours}: check it on what it was made for, or calibrate anew"
                )


def _checked(file: PolicyFile, promise: Promise, items: Labelled) -> Checked:
    vocabulary = {label_name(name): name for name in items.predictions.labels}
    label = None if promise.label is None else vocabulary.get(promise.label)
    if promise.label is not None and label is None:
        return Checked(promise, 0, 0, 0.0, (0.0, 1.0), "nothing answered")
    mask = subject(items, promise.target, label) & reaching(file, items)
    answered, errors = int(mask.sum()), int(items.predictions.error[mask].sum())
    # The generalized risk is of all items: wrong and answered.
    total = items.n if promise.target is Target.GENERALIZED else answered
    if not total:
        return Checked(promise, answered, errors, 0.0, (0.0, 1.0), "nothing answered")
    delta = promise.delta or 0.05
    bounds = lower_bound(errors, total, delta), upper_bound(errors, total, delta)
    verdict: Verdict = "not contradicted"
    if promise.delta is None:
        verdict = "on average"  # over calibration sets; one set's risk may well lie above
    elif bounds[0] > promise.alpha:
        verdict = "broken"
    elif bounds[1] <= promise.alpha:
        verdict = "shown again"
    return Checked(promise, answered, errors, answered / items.n, bounds, verdict)


def reaching(file: PolicyFile, items: Labelled) -> BoolArray:
    """bool[n]: the proposal's confidence reaches its label's threshold."""
    names = [label_name(name) for name in items.predictions.labels]
    taus = [file.label_tau.get(name, file.tau) for name in names]
    least = np.array([np.inf if tau is None else tau for tau in taus] + [np.inf])
    enough: BoolArray = items.predictions.confidence >= least[items.predictions.predicted]
    return enough


def _same_mix(file: PolicyFile, items: Labelled) -> float | None:
    """P-value of a χ² test of the gold labels then and now."""
    if file.calibration is None or not file.calibration.labels:
        return None
    then, now = file.calibration.labels, items.gold_counts
    labels = [label for label in sorted({*then, *now}) if then.get(label, 0) + now.get(label, 0)]
    if len(labels) < 2 or not sum(then.values()) or not sum(now.values()):
        return None
    table = np.array([[side.get(label, 0) for label in labels] for side in (then, now)])
    return float(chi2_contingency(table).pvalue)
