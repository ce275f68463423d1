"""The pipeline, step by step: decompose, read, audit, decide, abstain, certify.

    statement ─ decompose ─ conditions ─┐
    documents ─ segment ─ retrieve ─────┴─ score once ─ audit ─ decide ─ abstain ─ minimise ─ certify

`Pipeline.verify` calls the models; `judge` is everything after the scores and calls none, so that
`replay` derives an outcome again from what a certificate holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from epoche import __version__
from epoche.backends.base import Decomposer, NliModel, Progress
from epoche.certificate import Certificate
from epoche.config import Config
from epoche.errors import BackendError, PolicyError
from epoche.outcome import Outcome, as_outcome
from epoche.policy import Policy
from epoche.steps.abstain import Judge, abstain, blocked
from epoche.steps.audit import FloatArray, audit
from epoche.steps.certify import as_array, as_rows, broken_facts, certify, differences, rows_as_array
from epoche.steps.decide import decide
from epoche.steps.decompose import whole_alone
from epoche.steps.faithful import faithful
from epoche.steps.faithful import pairs as both_ways
from epoche.steps.intake import as_documents, statement_text
from epoche.steps.minimise import minimise
from epoche.steps.obstacles import foreign_documents, statement_obstacle, too_long
from epoche.steps.retrieve import make_windows, premise, select
from epoche.steps.segment import SPLITTER, segment
from epoche.types import (
    Condition,
    Decomposition,
    Document,
    Evidence,
    Kind,
    MinimalEvidence,
    Obstacle,
    OutcomeRecord,
    Provenance,
    Reason,
    SecondReading,
    Statement,
    Unread,
)

#: Special tokens of a pair in the widest case (RoBERTa: four).
_SPECIAL_TOKENS = 4
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


class Pipeline:
    """Statements and documents in, outcomes with certificates out.

    Args:
        nli: scores premise–hypothesis pairs.
        decomposer: splits statements into conditions.
        policy: every number that turns scores into an outcome; one for both kinds of statement, or one for each.
        config: how evidence is read.
        second: reads the same pairs, and an answer needs both to agree: for a language model as `nli`, which a
            document may tell what to say.

    Raises:
        PolicyError: the policy's promise was made for another model, decomposer or splitter.
    """

    def __init__(
        self,
        nli: NliModel,
        decomposer: Decomposer,
        policy: Policy | Mapping[Kind, Policy],
        config: Config,
        second: NliModel | None = None,
    ) -> None:
        self.nli = nli
        self.second = second
        self.decomposer = decomposer
        self.policies = dict.fromkeys(Kind, policy) if isinstance(policy, Policy) else dict(policy)
        self.config = config
        self.provenance = Provenance(
            epoche=__version__,
            nli=nli.info,
            decomposer=decomposer.component,
            splitter=SPLITTER,
            config_digest=config.digest,
        )
        for chosen in self.policies.values():
            require_promise_for(chosen, self.provenance)

    def policy_for(self, kind: Kind) -> Policy:
        """The policy for statements of a kind.

        Raises:
            PolicyError: the one that was given is for the other kind.
        """
        policy = self.policies[kind]
        if policy.kind not in (None, kind):
            raise PolicyError(
                f"policy {policy.name!r} is for {policy.kind}s, not for {kind.value}s: choose another with --policy"
            )
        return policy

    def verify(
        self,
        claim: str,
        documents: Sequence[str | Document],
        *,
        unread: Sequence[Unread] = (),
        progress: Progress | None = None,
    ) -> Outcome:
        """Checks a claim: supported, refuted, not enough evidence, or an abstention.

        Args:
            documents: texts or `Document`s; a text is given the id `doc-1`, `doc-2`, … by position.
            unread: evidence that could not be read; it forbids every answer but a refutation.
            progress: called with (pairs scored, pairs to score).

        Raises:
            InputError: a document is not text, two have one id, or a text cannot be encoded.
        """
        return self._run(Statement(text=statement_text(claim), kind=Kind.CLAIM), documents, unread, progress)

    def ask(
        self,
        question: str,
        documents: Sequence[str | Document],
        *,
        unread: Sequence[Unread] = (),
        progress: Progress | None = None,
    ) -> Outcome:
        """Answers a yes/no question: yes, no, maybe, or an abstention. Arguments as in `verify`."""
        return self._run(Statement(text=statement_text(question), kind=Kind.QUESTION), documents, unread, progress)

    def _run(
        self,
        statement: Statement,
        documents: Sequence[str | Document],
        unread: Sequence[Unread],
        progress: Progress | None,
    ) -> Outcome:
        given, policy = as_documents(documents), self.policy_for(statement.kind)
        case = Case(statement, Decomposition(conditions=(), covers=False), Evidence(), ())
        try:
            case = self.prepare(statement, given, tuple(unread))
            scores = self.score(case, progress)
            second = self._second(case)
        except BackendError as error:
            return as_outcome(_failed(case, error, policy, self.provenance))
        return as_outcome(judge(case, scores, policy, self.provenance, second))

    def prepare(
        self,
        statement: Statement,
        documents: Sequence[Document],
        unread: tuple[Unread, ...] = (),
        sizes: Sequence[int] | None = None,
        proposed: Decomposition | None = None,
    ) -> Case:
        """Phase 1 and the reading of the evidence; stops at the first obstacle.

        Args:
            sizes: window sizes to make, in sentences; default: those that the policy reads.
            proposed: what the decomposer says of this statement, if it was asked already.
        """
        nothing = Decomposition(conditions=(), covers=False)
        obstacle = statement_obstacle(statement, self.config.languages)
        if obstacle is not None:
            return Case(statement, nothing, Evidence(unread=unread), (obstacle,))

        decomposition = self.faithful(proposed or self.decomposer.decompose(statement))
        hypotheses = [c.text for c in decomposition.conditions]
        tokens = max(len(self.nli.token_spans(h)) for h in hypotheses)
        obstacle = too_long(tokens, self.nli.info.max_tokens)
        if obstacle is not None:
            return Case(statement, decomposition, Evidence(unread=unread), (obstacle,))

        readable, foreign = foreign_documents(documents, self.config.languages)
        records, sentences = segment(readable)
        kept, left_out = select(sentences, hypotheses, self.config.max_sentences)
        sizes = sizes or self.policy_for(statement.kind).windows
        budget = min(self.config.premise_tokens, self.nli.info.max_tokens - tokens - _SPECIAL_TOKENS)
        evidence = Evidence(
            documents=records,
            sentences=kept,
            windows=make_windows(kept, sizes, self.nli.token_spans, budget),
            unread=(*unread, *foreign, *left_out),
        )
        obstacles: tuple[Obstacle, ...] = ()
        if not kept:
            obstacles = (_nothing_to_read(foreign),)
        return Case(statement, decomposition, evidence, obstacles)

    def propose(self, statement: Statement) -> Decomposition | None:
        """What the decomposer says of a statement; None if it is not asked, because nothing could be answered.

        Safe for as many threads as the decomposer's `parallel` says.
        """
        blocked = statement_obstacle(statement, self.config.languages)
        return None if blocked is not None else self.decomposer.decompose(statement)

    def faithful(self, decomposition: Decomposition) -> Decomposition:
        """Without the parts that do not follow from the whole statement."""
        pairs, nli = both_ways(decomposition), self.second or self.nli
        limit = nli.info.max_tokens - _SPECIAL_TOKENS
        if any(len(nli.token_spans(p)) + len(nli.token_spans(h)) > limit for p, h in pairs):
            note = "its parts are too long to be compared with the whole"
            return whole_alone(decomposition.conditions[-1].text, decomposition.dropped, note)
        return faithful(decomposition, nli.score(pairs)) if pairs else decomposition

    def score(self, case: Case, progress: Progress | None = None) -> FloatArray:
        """One NLI pass: every condition with every window, float64[k, m, 3]; k = 0 with an obstacle."""
        return self._scored(self.nli, case, progress)

    def _second(self, case: Case) -> SecondReading | None:
        if self.second is None or case.obstacles:
            return None
        return SecondReading(nli=self.second.info, scores=as_rows(self._scored(self.second, case, None)))

    def _scored(self, nli: NliModel, case: Case, progress: Progress | None) -> FloatArray:
        pairs = case.pairs()
        windows = len(case.evidence.windows)
        return nli.score(pairs, progress).reshape(len(pairs) // windows if windows else 0, windows, 3)


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
    audits = audit(case.conditions, case.evidence.windows, scores, policy)
    subset_judge = Judge(case.statement.kind, [c.critical for c in case.conditions], case.evidence, scores, policy)
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


def _failed(case: Case, error: BackendError, policy: Policy, provenance: Provenance) -> Certificate:
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


def _nothing_to_read(foreign: Sequence[Unread]) -> Obstacle:
    if foreign:
        return Obstacle(reason=Reason.UNSUPPORTED_LANGUAGE, detail=foreign[0].why)
    return Obstacle(reason=Reason.NO_EVIDENCE, detail="the evidence holds no sentence to read")
