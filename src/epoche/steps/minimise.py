"""Minimal evidence: the least that keeps an outcome, and the least whose removal changes it.

Computed from stored scores through `Judge`; the NLI model is never called. Removing a sentence
drops every window that contains it. Both sets are verified: what is returned was decided again.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from epoche.steps.abstain import Judge
from epoche.steps.audit import BoolArray
from epoche.types import UNSETTLED, ConditionAudit, Evidence, Label, MinimalEvidence, MinimalSet, Proposal, Reason

#: Subsets decided before a search settles for a verified set that may not be the smallest.
MAX_TRIALS = 4096


def minimise(
    judge: Judge, proposal: Proposal, audits: Sequence[ConditionAudit], evidence: Evidence
) -> MinimalEvidence:
    """Smallest sufficient set, and smallest set whose removal changes the outcome.

    An outcome is kept if the proposed label and the reason for withholding it, if any, are. A proposal
    that the evidence does not settle the statement rests on what was *not* found, so both sets are None.
    """
    if proposal.label in UNSETTLED:
        return MinimalEvidence(
            sufficient=None,
            removal=None,
            without_removal=None,
            note="an unsettled statement rests on what was not found, not on single sentences",
        )
    search = _Search(judge, evidence)
    removal = search.removal()
    return MinimalEvidence(
        sufficient=search.sufficient(audits),
        removal=removal,
        without_removal=search.change(removal.sentences),
    )


class _Search:
    def __init__(self, judge: Judge, evidence: Evidence) -> None:
        self.judge = judge
        self.windows = evidence.windows
        # Sentences of a window are adjacent, so its first and last say whether all are kept.
        self._first = np.array([w.sentences[0] for w in evidence.windows])
        self._last = np.array([w.sentences[-1] for w in evidence.windows])
        self.everything = np.ones(len(evidence.sentences), dtype=np.bool_)
        self.whole = self.outcome(self.everything)

    def outcome(self, kept: BoolArray) -> tuple[Label | None, Reason | None]:
        """Label and reason if only the kept sentences (bool[n]) had been read."""
        mask = self.mask(kept)
        return self.judge.label(mask), self.judge.reason(mask)

    def change(self, removed: Sequence[int]) -> str:
        """What the outcome becomes without `removed`: the new reason, or the new label where that changed."""
        label, reason = self.outcome(self.all_but(removed))
        return str(label if reason is None or reason is self.whole[1] else reason)

    def mask(self, kept: BoolArray) -> BoolArray:
        whole: BoolArray = kept[self._first] & kept[self._last]
        return whole

    def all_but(self, removed: Sequence[int]) -> BoolArray:
        kept = self.everything.copy()
        kept[list(removed)] = False
        return kept

    def only(self, sentences: Sequence[int]) -> BoolArray:
        return ~self.all_but(sentences)

    def sufficient(self, audits: Sequence[ConditionAudit]) -> MinimalSet:
        """Smallest subset of the sentences that are cited or hold an extreme score."""
        critical = [audit for audit in audits if audit.critical]
        cited = {c.window for a in critical for c in (*a.supporting, *a.contradicting)}
        pool = {i for w in cited for i in self.windows[w].sentences} | self._extreme(self.everything)
        trials = 0
        for size in range(1, len(pool) + 1):
            for subset in combinations(sorted(pool), size):
                if self.outcome(self.only(subset)) == self.whole:
                    return MinimalSet(sentences=subset, search="exact")
                trials += 1
                if trials >= MAX_TRIALS:
                    return MinimalSet(sentences=self._shrunk(), search="greedy")
        return MinimalSet(sentences=self._shrunk(), search="greedy")

    def _shrunk(self) -> tuple[int, ...]:
        """All sentences less those that can be left out one after the other."""
        kept = self.everything.copy()
        for sentence in range(len(kept)):
            kept[sentence] = False
            if self.outcome(kept) != self.whole:
                kept[sentence] = True
        return tuple(np.flatnonzero(kept).tolist())

    def removal(self) -> MinimalSet:
        """Smallest set without which the outcome is another one (all of them, at the latest)."""
        frontier: list[frozenset[int]] = [frozenset()]
        trials = 0
        while frontier:
            following: dict[frozenset[int], None] = {}
            for removed in frontier:
                # While the windows that hold the extreme scores stay, no score changes.
                for sentence in sorted(self._extreme(self.all_but(sorted(removed)))):
                    candidate = removed | {sentence}
                    if candidate in following:
                        continue
                    if self.outcome(self.all_but(sorted(candidate))) != self.whole:
                        return MinimalSet(sentences=tuple(sorted(candidate)), search="exact")
                    following[candidate] = None
                    trials += 1
                    if trials >= MAX_TRIALS:
                        return MinimalSet(sentences=self._greedy_removal(), search="greedy")
            frontier = list(following)
        return MinimalSet(sentences=self._greedy_removal(), search="greedy")

    def _greedy_removal(self) -> tuple[int, ...]:
        """Removes what holds the extreme scores until the outcome changes, then puts back what it can."""
        removed: set[int] = set()
        while self.outcome(self.all_but(sorted(removed))) == self.whole:
            removed |= self._extreme(self.all_but(sorted(removed)))
        for sentence in sorted(removed):
            if self.outcome(self.all_but(sorted(removed - {sentence}))) != self.whole:
                removed.discard(sentence)
        return tuple(sorted(removed))

    def _extreme(self, kept: BoolArray) -> set[int]:
        """Sentences of the windows that hold an extreme score when only `kept` are read."""
        windows = self.judge.extreme_windows(self.mask(kept))
        return {i for w in windows for i in self.windows[w].sentences}
