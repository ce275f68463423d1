"""The pipeline, step by step: decompose, read, audit, decide, abstain, certify.

    statement ─ decompose ─ conditions ─┐
    documents ─ segment ─ retrieve ─────┴─ score once ─ audit ─ decide ─ abstain ─ minimise ─ certify

`Pipeline.verify` calls the models; `judge` is everything after the scores and calls none, so that
`replay` derives an outcome again from what a certificate holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from epoche import __version__
from epoche.backends.base import Decomposer, NliModel, Progress, Retriever
from epoche.config import Config
from epoche.errors import BackendError, DocumentError, PolicyError
from epoche.judge import Case, failed, judge, require_promise_for
from epoche.outcome import Outcome, as_outcome
from epoche.policy import Policy
from epoche.steps.audit import FloatArray
from epoche.steps.certify import as_rows
from epoche.steps.decompose import whole_alone
from epoche.steps.faithful import faithful
from epoche.steps.faithful import pairs as both_ways
from epoche.steps.intake import as_documents, statement_text
from epoche.steps.obstacles import foreign_documents, statement_obstacle, too_long
from epoche.steps.retrieve import make_windows, select
from epoche.steps.segment import SPLITTER, segment
from epoche.types import (
    Decomposition,
    Document,
    Evidence,
    Kind,
    Obstacle,
    Provenance,
    Reason,
    Retrieval,
    SecondReading,
    Statement,
    Unread,
)

#: Special tokens of a pair in the widest case (RoBERTa: four).
_SPECIAL_TOKENS = 4
#: Documents that are read where they are searched for.
TOP = 20


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
        documents: Sequence[str | Document] = (),
        *,
        unread: Sequence[Unread] = (),
        retriever: Retriever | None = None,
        top: int = TOP,
        progress: Progress | None = None,
    ) -> Outcome:
        """Checks a claim: supported, refuted, not enough evidence, or an abstention.

        Args:
            documents: texts or `Document`s; a text is given the id `doc-1`, `doc-2`, … by position.
            unread: evidence that could not be read; it forbids every answer but a refutation.
            retriever: finds further documents, at most `top`, for each condition.
            progress: called with (pairs scored, pairs to score).

        Raises:
            InputError: a document is not text, two have one id, or a text cannot be encoded.
        """
        return self._run(
            Statement(text=statement_text(claim), kind=Kind.CLAIM), documents, unread, retriever, top, progress
        )

    def ask(
        self,
        question: str,
        documents: Sequence[str | Document] = (),
        *,
        unread: Sequence[Unread] = (),
        retriever: Retriever | None = None,
        top: int = TOP,
        progress: Progress | None = None,
    ) -> Outcome:
        """Answers a yes/no question: yes, no, maybe, or an abstention. Arguments as in `verify`."""
        return self._run(
            Statement(text=statement_text(question), kind=Kind.QUESTION),
            documents,
            unread,
            retriever,
            top,
            progress,
        )

    def _run(
        self,
        statement: Statement,
        documents: Sequence[str | Document],
        unread: Sequence[Unread],
        retriever: Retriever | None,
        top: int,
        progress: Progress | None,
    ) -> Outcome:
        given, policy = as_documents(documents), self.policy_for(statement.kind)
        case = Case(statement, Decomposition(conditions=(), covers=False), Evidence(), ())
        try:
            proposed, retrieval = self.propose(statement), None
            if retriever is not None and proposed is not None:
                found, retrieval, failure = _retrieved(retriever, proposed, top, given)
                unread = (*unread, *failure)
                known = {document.id for document in given}
                given += [document for document in found if document.id not in known]
            case = self.prepare(statement, given, tuple(unread), proposed=proposed, retrieval=retrieval)
            scores = self.score(case, progress)
            second = self._second(case)
        except BackendError as error:
            return as_outcome(failed(case, error, policy, self.provenance))
        return as_outcome(judge(case, scores, policy, self.provenance, second))

    def prepare(
        self,
        statement: Statement,
        documents: Sequence[Document],
        unread: tuple[Unread, ...] = (),
        sizes: Sequence[int] | None = None,
        proposed: Decomposition | None = None,
        retrieval: Retrieval | None = None,
    ) -> Case:
        """Phase 1 and the reading of the evidence; stops at the first obstacle.

        Args:
            sizes: window sizes to make, in sentences; default: those that the policy reads.
            proposed: what the decomposer says of this statement, if it was asked already.
            retrieval: how the documents were found, if they were searched for.
        """
        nothing = Decomposition(conditions=(), covers=False)
        obstacle = statement_obstacle(statement, self.config.languages)
        if obstacle is not None:
            return Case(statement, nothing, Evidence(unread=unread), (obstacle,))

        decomposition = self.faithful(proposed or self.decomposer.decompose(statement), statement.kind)
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
            retrieval=retrieval,
        )
        obstacles: tuple[Obstacle, ...] = ()
        if not kept:
            obstacles = (_nothing_to_read(foreign, retrieval, unread),)
        return Case(statement, decomposition, evidence, obstacles)

    def propose(self, statement: Statement) -> Decomposition | None:
        """What the decomposer says of a statement; None if it is not asked, because nothing could be answered.

        Safe for as many threads as the decomposer's `parallel` says.
        """
        blocked = statement_obstacle(statement, self.config.languages)
        return None if blocked is not None else self.decomposer.decompose(statement)

    def faithful(self, decomposition: Decomposition, kind: Kind) -> Decomposition:
        """Without the parts that do not follow from the whole statement."""
        pairs, nli = both_ways(decomposition), self.second or self.nli
        limit = nli.info.max_tokens - _SPECIAL_TOKENS
        if any(len(nli.token_spans(p)) + len(nli.token_spans(h)) > limit for p, h in pairs):
            note = "its parts are too long to be compared with the whole"
            return whole_alone(decomposition.conditions[-1].text, decomposition.dropped, note)
        return faithful(decomposition, nli.score(pairs), kind) if pairs else decomposition

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


def _retrieved(
    retriever: Retriever, proposed: Decomposition, top: int, given: Sequence[Document]
) -> tuple[Sequence[Document], Retrieval | None, tuple[Unread, ...]]:
    """What a search finds; that it failed is evidence unread, if there is other evidence."""
    try:
        return *retriever.retrieve([c.text for c in proposed.conditions], top), ()
    except DocumentError as error:
        if not given:
            raise
        return (), None, (Unread(document=error.source or "search", sentences=None, why=str(error)),)


def _nothing_to_read(foreign: Sequence[Unread], retrieval: Retrieval | None, unread: Sequence[Unread]) -> Obstacle:
    reason, detail = Reason.NO_EVIDENCE, "the evidence holds no sentence to read"
    if retrieval is not None:
        best = max((found.share for found in retrieval.found), default=0.0)
        where = "the index" if retrieval.source == "index" else retrieval.source
        detail = f"nothing relevant was found in {where}: "
        detail += (
            f"the best document has {best:.0%} of the weight of what was asked" if best else "no document matches"
        )
    elif foreign:
        reason, detail = Reason.UNSUPPORTED_LANGUAGE, foreign[0].why
    elif unread:
        # One that is there and cannot be read is worse than one that is not there: there may be an answer in it.
        worst = min(unread, key=lambda u: ("unread", "another_paper", "not_found").index(u.kind))
        detail = f"{worst.document}: {worst.why}"
    return Obstacle(reason=reason, detail=detail)
