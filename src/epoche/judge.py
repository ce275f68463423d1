"""Everything after the scores: audit, decide, abstain, certify; and the same again from a certificate.

No model is called here, so `replay` derives an outcome from what a certificate holds.
"""

from __future__ import annotations

from dataclasses import dataclass

from epoche.certificate import Certificate
from epoche.errors import BackendError, PolicyError
from epoche.policy import Policy
from epoche.steps.abstain import Judge, abstain, blocked
from epoche.steps.audit import FloatArray, audit
from epoche.steps.certify import as_array, as_rows, broken_facts, certify, differences, rows_as_array
from epoche.steps.decide import decide
from epoche.steps.minimise import minimise
from epoche.steps.retrieve import premise
from epoche.steps.roles import heard
from epoche.types import (
    Condition,
    Decomposition,
    Evidence,
    MinimalEvidence,
    Obstacle,
    OutcomeRecord,
    Provenance,
    Reason,
    SecondReading,
    Statement,
)

_NO_MINIMUM = MinimalEvidence(sufficient=None, removal=None, without_removal=None, note="nothing was scored")


@dataclass(frozen=True)
class Case:
    """All that is known of a statement before its scores."""

    statement: Statement
    decomposition: Decomposition
    evidence: Evidence
    obstacles: tuple[Obstacle, ...]

    @property
    def conditions(self) -> tuple[Condition, ...]:
        return self.decomposition.conditions

    def pairs(self) -> list[tuple[str, str]]:
        """(premise, hypothesis) of every condition with every window, conditions first; none with an obstacle."""
        if self.obstacles:
            return []
        premises = [premise(w, self.evidence.sentences) for w in self.evidence.windows]
        return [(p, c.text) for c in self.conditions for p in premises]


def judge(
    case: Case, scores: FloatArray, policy: Policy, provenance: Provenance, second: SecondReading | None = None
) -> Certificate:
    """Phases 2 to 4 on stored scores: audit, decide, abstain; then minimal evidence and certificate.

    Args:
        second: another model's scores; an answer needs its proposal, by the paper's rule, to be the same.
    """
    if case.obstacles:
        return certify(
            statement=case.statement,
            outcome=blocked(case.obstacles),
            proposal=None,
            conditions=(),
            decomposition=case.decomposition,
            evidence=case.evidence,
            scores=(),
            obstacles=case.obstacles,
            minimal_evidence=_NO_MINIMUM,
            policy=policy,
            provenance=provenance,
        )
    counted = heard(scores, case.evidence, policy.silent)
    audits = audit(case.conditions, case.evidence.windows, counted, policy)
    subset_judge = Judge(case.statement.kind, [c.critical for c in case.conditions], case.evidence, counted, policy)
    proposal = decide(audits, subset_judge.whole)
    outcome = abstain(proposal, subset_judge, case.evidence)
    if second is not None:
        outcome = _agreed(outcome, case, second)
    return certify(
        statement=case.statement,
        outcome=outcome,
        proposal=proposal,
        conditions=audits,
        decomposition=case.decomposition,
        evidence=case.evidence,
        scores=as_rows(scores),
        second=second,
        obstacles=(),
        minimal_evidence=minimise(subset_judge, proposal, audits, case.evidence),
        policy=policy,
        provenance=provenance,
    )


def _agreed(outcome: OutcomeRecord, case: Case, second: SecondReading) -> OutcomeRecord:
    """The outcome, or an abstention where the second model proposes something else."""
    if outcome.type != "verdict":
        return outcome
    scores, rule = rows_as_array(second.scores, len(case.evidence.windows)), Policy()
    judge_too = Judge(case.statement.kind, [c.critical for c in case.conditions], case.evidence, scores, rule)
    proposal = decide(audit(case.conditions, case.evidence.windows, scores, rule), judge_too.whole)
    if proposal.label == outcome.label:
        return outcome
    detail = (
        f"the language model answers {outcome.label}, but {second.nli.name} reads the same evidence as "
        f"{proposal.label}: what a document says may have told the language model what to answer"
    )
    reason = Reason.MODELS_DISAGREE.value
    return outcome.model_copy(update={"type": "abstention", "label": None, "reason": reason, "detail": detail})


def replay(certificate: Certificate) -> list[str]:
    """Derives the outcome again from the stored scores; every difference by name, none if it holds.

    No model is loaded. A failure has no scores: only what it states of itself is checked.
    """
    problems = list(broken_facts(certificate))
    if problems:
        return problems
    try:
        require_promise_for(certificate.policy, certificate.provenance)
    except PolicyError as error:
        return [f"policy: {error}"]
    if certificate.policy.kind not in (None, certificate.statement.kind):
        return [f"policy: it is for {certificate.policy.kind}s, and this is a {certificate.statement.kind.value}"]
    if certificate.outcome.type == "failure":
        return ["outcome: a failure has no scores to derive an outcome from"]
    case = Case(certificate.statement, certificate.decomposition, certificate.evidence, certificate.obstacles)
    derived = judge(case, as_array(certificate), certificate.policy, certificate.provenance, certificate.second)
    return differences(certificate, derived)


def require_promise_for(policy: Policy, provenance: Provenance) -> None:
    """Refuses a policy whose promise was made for something else.

    Raises:
        PolicyError: naming both sides.
    """
    for promise in policy.promises:
        made_for = {
            "NLI model": (promise.nli_sha256, provenance.nli.sha256),
            "decomposer": (promise.decomposer, _named(provenance.decomposer.name, provenance.decomposer.version)),
            "splitter": (promise.splitter, _named(provenance.splitter.name, provenance.splitter.version)),
        }
        for part, (theirs, ours) in made_for.items():
            if theirs is None:
                raise PolicyError(
                    f"policy {policy.name!r} promises for the answers of another system, whose confidences are "
                    "not ours: calibrate on a run of `epoche bench`"
                )
            if theirs != ours:
                raise PolicyError(
                    f"policy {policy.name!r} promises for the {part} {theirs}, but this one is {ours}: "
                    "use what it was made for, calibrate anew, or drop the promise with a τ of your own"
                )


def _named(name: str, version: str) -> str:
    return f"{name} {version}"


def failed(case: Case, error: BackendError, policy: Policy, provenance: Provenance) -> Certificate:
    """The certificate of a case on which a model broke."""
    return certify(
        statement=case.statement,
        outcome=OutcomeRecord(
            type="failure", label=None, confidence=None, reason=type(error).__name__, detail=str(error)
        ),
        proposal=None,
        conditions=(),
        decomposition=case.decomposition,
        evidence=case.evidence,
        scores=(),
        obstacles=(),
        minimal_evidence=_NO_MINIMUM,
        policy=policy,
        provenance=provenance,
    )
