"""More evidence, of whatever kind, never turns support into refutation or back under the default for claims."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from epoche.calibrate.fitting import calibrated_rule
from epoche.policy import Costs, Policy, Posterior
from epoche.steps.abstain import Judge, abstain
from epoche.steps.audit import FloatArray, audit
from epoche.steps.decide import decide
from epoche.types import KIND_LABELS, Evidence, Kind, Label, OutcomeRecord
from tests.cases import condition, evidence

POSTERIOR = Posterior(
    features=("support", "contradiction", "relevance"),
    labels=KIND_LABELS[Kind.CLAIM],
    centre=(-2.0, -2.0, -1.0),
    scale=(1.0, 1.0, 1.0),
    weights=((0.0, 1.0, -1.0, 0.5), (0.0, -1.0, 1.0, 0.5), (0.0, 0.0, 0.0, 0.0)),
    n=100,
)
CALIBRATED = Policy.model_validate(
    calibrated_rule(Kind.CLAIM, Costs()).model_dump()
    | {"confidence": "posterior", "posterior": POSTERIOR, "tau": 0.0}
)
cell = st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 1)).map(lambda t: tuple(x / sum(t) for x in t))
FLIPPED = {Label.SUPPORTED: Label.REFUTED, Label.REFUTED: Label.SUPPORTED}


def judged(scores: FloatArray, read: Evidence) -> OutcomeRecord:
    conditions = [condition() for _ in scores]
    judge = Judge(Kind.CLAIM, [True] * len(scores), read, scores, CALIBRATED)
    return abstain(decide(audit(conditions, read.windows, scores, CALIBRATED), judge.whole), judge, read)


@given(
    st.integers(1, 3).flatmap(
        lambda k: st.tuples(
            st.lists(st.lists(cell, min_size=k, max_size=k), min_size=1, max_size=6),
            st.lists(st.lists(cell, min_size=k, max_size=k), min_size=1, max_size=30),
        )
    )
)
def test_irrelevant_or_not_it_may_only_silence(
    windows: tuple[list[list[tuple[float, ...]]], list[list[tuple[float, ...]]]],
) -> None:
    """float64[m, k, 3] of what is there, and of what is added."""
    own, more = (np.array(part).swapaxes(0, 1) for part in windows)
    before = judged(own, evidence(own.shape[1]))
    both = np.concatenate([own, more], axis=1)
    after = judged(both, evidence(both.shape[1]))
    assert before.label not in FLIPPED or after.label is not FLIPPED[before.label]
