"""A policy: every number that turns scores into an outcome, and what was promised when it was chosen."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from epoche.types import KIND_LABELS, REFUTING, SUPPORTING, Kind, Label, Probability, Role, Sha256, Value

#: What a posterior may look at; `steps/posterior.py` computes them.
FEATURE_NAMES = (
    "support",
    "contradiction",
    "second_support",
    "second_contradiction",
    "relevance",
    "second_relevance",
    "conflict",
    "sentences",
    "conditions",
    "covered",
)
#: Far beyond what a fit gives; larger ones would overflow.
Weight = Annotated[float, Field(ge=-1e6, le=1e6)]


class Costs(Value):
    """What each mistake costs, relative to a right answer at 0; only ratios matter."""

    false_support: float = Field(default=2.0, ge=0.0)
    false_refutation: float = Field(default=1.0, ge=0.0)
    #: An unsettled label where the evidence settles the statement.
    false_unsettled: float = Field(default=1.0, ge=0.0)
    abstain: float = Field(default=0.5, ge=0.0)


class Posterior(Value):
    """P(label) from what was read: a multinomial logistic model, small enough to be read.

    P(label) ∝ exp(intercept + Σ weight · (feature − centre) / scale), each quotient cut at ±3; the features are
    defined in `steps/posterior.py`.
    """

    features: tuple[str, ...] = Field(min_length=1)
    labels: tuple[Label, ...] = Field(min_length=2)
    centre: tuple[float, ...]
    scale: tuple[Annotated[float, Field(gt=0.0)], ...]
    #: One row per label: the intercept, then one weight per feature.
    weights: tuple[tuple[Weight, ...], ...]
    #: How many labelled items it was fitted on.
    n: int = Field(ge=1)

    @model_validator(mode="after")
    def _shapes(self) -> Posterior:
        k, d = len(self.labels), len(self.features)
        if unknown := sorted(set(self.features) - set(FEATURE_NAMES)):
            raise ValueError(f"no feature is called {unknown[0]!r}: give some of {', '.join(FEATURE_NAMES)}")
        if set(self.labels) not in map(set, KIND_LABELS.values()):
            raise ValueError("the labels are not those of claims or of questions")
        if len(set(self.labels)) != k or len(set(self.features)) != d:
            raise ValueError("a label or feature occurs twice")
        if len(self.centre) != d or len(self.scale) != d:
            raise ValueError(f"{d} features need {d} centres and scales")
        if len(self.weights) != k or any(len(row) != d + 1 for row in self.weights):
            raise ValueError(f"{k} labels and {d} features need {k} rows of {d + 1} weights")
        return self


class Target(StrEnum):
    """Which answers a promised risk is about: wrong among …"""

    #: … all that is answered.
    RISK = "risk"
    #: … answered supported, refuted, yes and no; an unsettled gold label counts as wrong.
    DECISIVE = "decisive"
    #: … answered supported or yes.
    FALSE_SUPPORT = "false-support"
    #: … each label's answers, a threshold for each.
    PER_LABEL = "per-label"
    #: Wrong and answered, among all items: what conformal risk control bounds, on average and without a δ.
    GENERALIZED = "generalized"


class Promise(Value):
    """ "risk ≤ alpha with probability ≥ 1 − delta", what it was made for and what was counted."""

    method: str
    target: Target
    #: The label that the answers have, where the target is per label; another system may have labels of its own.
    label: str | None = None
    alpha: Annotated[float, Field(gt=0.0, lt=1.0)]
    #: Of this promise alone; promises made together share one δ. None: a bound on average (generalized risk).
    delta: Annotated[float, Field(gt=0.0, lt=1.0)] | None
    #: Labelled items that it was made on.
    n: int = Field(ge=1)
    #: How many of them would have been answered, and how many of these wrongly.
    answered: int = Field(ge=1)
    errors: int = Field(ge=0)
    #: Clopper–Pearson, 95 %, of the risk at the threshold.
    interval: tuple[Probability, Probability]
    #: None: made on the answers of another system, so no model of ours may use it.
    nli_sha256: Sha256 | None
    decomposer: str
    splitter: str
    data_sha256: Sha256
    #: Of the policy that it was made for: `Policy.digest`.
    policy_sha256: Sha256

    @model_validator(mode="after")
    def _counts(self) -> Promise:
        if not self.errors <= self.answered <= self.n:
            raise ValueError(
                f"{self.errors} errors, {self.answered} answers, {self.n} items: each is part of the next"
            )
        if self.interval[0] > self.interval[1]:
            raise ValueError("the interval ends before it begins")
        if (self.label is None) == (self.target is Target.PER_LABEL):
            raise ValueError("a promise per label names its label, and no other does")
        if (self.delta is None) != (self.target is Target.GENERALIZED):
            raise ValueError("a promise about the generalized risk has no delta, and every other has one")
        return self

    @property
    def risk(self) -> float:
        """The share of wrong answers that was counted."""
        return self.errors / self.answered

    @property
    def coverage(self) -> float:
        """The share of all items that would have been answered."""
        return self.answered / self.n


def _every_sentence(sizes: tuple[Literal[1, 2], ...]) -> tuple[Literal[1, 2], ...]:
    if 1 not in sizes or len(set(sizes)) != len(sizes):
        raise ValueError("give [1] or [1, 2]: without single sentences some would never be read")
    return sizes


Windows = Annotated[tuple[Literal[1, 2], ...], AfterValidator(_every_sentence)]


class Policy(Value):
    """Every number that turns scores into an outcome. The defaults are the paper's (`paper`)."""

    name: str = "custom"
    #: Least P(entailment) for SUP. Below 0.5 neutral could outweigh support, so it is refused.
    support_threshold: Annotated[float, Field(ge=0.5, le=1.0)] = 0.55
    #: Least P(contradiction) for CON.
    contradiction_threshold: Annotated[float, Field(ge=0.5, le=1.0)] = 0.55
    #: Sizes, in sentences, of the premises that are read: (1,) or (1, 2).
    windows: Windows = (1,)
    #: Sentences of these roles are no findings: alone they neither support nor contradict.
    silent: tuple[Role, ...] = ()
    #: What a critical condition with strong support and strong contradiction leads to.
    on_conflict: Literal["refute", "abstain"] = "refute"
    #: Which critical conditions must be SUP for a "yes".
    yes_needs: Literal["any", "all"] = "any"
    #: `max_margin`: max |s − c| over the critical conditions (paper); `min_margin`: the least; `posterior`:
    #: P(the label is right), which then also chooses between a decisive label and an unsettled one, by cost.
    confidence: Literal["max_margin", "min_margin", "posterior"] = "max_margin"
    posterior: Posterior | None = None
    #: Which statements it is for; None: both kinds.
    kind: Kind | None = None
    #: Answer only if confidence ≥ tau, on the scale of that confidence. None: no threshold keeps the promise, so
    #: nothing is answered.
    tau: float | None = 0.0
    #: Thresholds of single labels, in place of `tau`.
    label_tau: dict[str, float | None] = Field(default_factory=dict)
    costs: Costs = Costs()
    #: Also answer nothing that is expected to cost more than no answer (Chow 1970); needs a posterior.
    abstain_on_cost: bool = False
    promises: tuple[Promise, ...] = ()

    @model_validator(mode="after")
    def _fits_together(self) -> Policy:
        if (self.posterior is None) == (self.confidence == "posterior"):
            raise ValueError('confidence "posterior" and a posterior go together')
        if self.posterior is not None and self.kind is None:
            raise ValueError("a policy with a posterior is for one kind of statement: give kind")
        if self.posterior is not None and set(self.posterior.labels) != set(KIND_LABELS[self.kind or Kind.CLAIM]):
            raise ValueError(f"the posterior's labels are not those of a {self.kind}")
        if self.label_tau and any(promise.label is None for promise in self.promises):
            raise ValueError(
                "a promise about all answers was made for one tau: thresholds of labels would break it"
            )
        foreign = any(promise.nli_sha256 is None for promise in self.promises)
        taus = [t for t in (self.tau, *self.label_tau.values()) if t is not None]
        if not foreign and (unknown := sorted(set(self.label_tau) - set(Label))):
            raise ValueError(f"label_tau names {unknown[0]!r}, which is no label: give some of {', '.join(Label)}")
        if not foreign and not all(0.0 <= t <= 1.0 for t in taus):
            raise ValueError("tau lies between 0 and 1, as our confidences do")
        if self.abstain_on_cost and self.posterior is None:
            raise ValueError("abstain_on_cost needs a posterior to expect costs from")
        return self

    @model_validator(mode="after")
    def _as_promised(self) -> Policy:
        if any(promise.policy_sha256 != self.digest for promise in self.promises):
            raise ValueError(
                "the policy is not the one that its promise was made for: calibrate anew, or remove the promises"
            )
        return self

    @property
    def digest(self) -> str:
        """sha256 over every number that can change an answer; names and promises apart."""
        left_out = {"name", "promises", "calibration"}
        fields = self.model_dump(mode="json", exclude=left_out)
        return hashlib.sha256(json.dumps(fields, sort_keys=True).encode("utf-8")).hexdigest()

    def tau_for(self, label: Label) -> float | None:
        """The threshold that a proposal of this label has to reach."""
        return self.label_tau.get(label, self.tau)

    def cost_of(self, label: Label) -> float:
        """What a wrong answer of this label costs."""
        if label in SUPPORTING:
            return self.costs.false_support
        return self.costs.false_refutation if label in REFUTING else self.costs.false_unsettled


def promising(policy: Policy, promises: Sequence[Promise]) -> Policy:
    """The policy with promises, bound to it as it is now."""
    bound = tuple(promise.model_copy(update={"policy_sha256": policy.digest}) for promise in promises)
    return type(policy).model_validate(policy.model_dump() | {"promises": bound})


class Scale(Value):
    """How often answers of a confidence were right: linear between these corners, constant beyond them."""

    method: Literal["isotonic", "logistic"]
    confidence: tuple[float, ...] = Field(min_length=1)
    probability: tuple[Probability, ...] = Field(min_length=1)
    #: Items that it was fitted on; no promise was made on them.
    n: int = Field(ge=1)
    #: Expected calibration error on the items promised on (15 bins of equal mass); None: none of them is answered.
    ece: Probability | None

    @model_validator(mode="after")
    def _rises(self) -> Scale:
        if len(self.confidence) != len(self.probability):
            raise ValueError("one probability for each confidence")
        if any(a >= b for a, b in pairwise(self.confidence)) or any(a > b for a, b in pairwise(self.probability)):
            raise ValueError("confidences have to ascend, and probabilities must not fall")
        return self

    def right(self, confidence: float) -> float:
        """P(right) of an answer of this confidence."""
        at = bisect_right(self.confidence, confidence)
        if at == 0 or at == len(self.confidence):
            return self.probability[min(at, len(self.probability) - 1)]
        (x0, x1), (y0, y1) = self.confidence[at - 1 : at + 1], self.probability[at - 1 : at + 1]
        return y0 + (y1 - y0) * (confidence - x0) / (x1 - x0)


class Calibration(Value):
    """What a policy file keeps of the labelled items it was made on; no outcome depends on it."""

    source: str
    #: What made the items; None and empty for another system's answers.
    nli_sha256: Sha256 | None = None
    decomposer: str = ""
    splitter: str = ""
    #: Items that the posterior was fitted on, and those that the promise was made on; never the same.
    fitted_on: int = Field(ge=0)
    promised_on: int = Field(ge=0)
    #: The first half of sha256 of each item's name and of its text: nothing is checked on what it was made on.
    fingerprints: tuple[str, ...] = ()
    #: Gold label → how many of the items promised on.
    labels: dict[str, Annotated[int, Field(ge=0)]]
    #: Confidences of the items promised on, ascending: what later ones are compared with.
    confidences: tuple[float, ...]
    scale: Scale | None = None
    #: What is missing, where nothing can be promised.
    missing: str = ""


class PolicyFile(Policy):
    """A policy as it lies in a file: with what it was made on, if `epoche calibrate` made it."""

    calibration: Calibration | None = None

    @property
    def policy(self) -> Policy:
        """The policy alone, as it stands in certificates."""
        return Policy.model_validate(self.model_dump(exclude={"calibration"}))
