"""Where MAPIE does the same: p-values and fixed-sequence testing agree exactly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("mapie.risk_control", reason="needs MAPIE (extra `test`)")

from mapie.risk_control.fwer_control import control_fwer
from mapie.risk_control.methods import compute_hoeffding_bentkus_p_value

from epoche.guarantee.binomial import p_value
from epoche.guarantee.ltt import fixed_sequence, ranks, starting_ranks
from epoche.metrics.selective import group


def theirs(errors: int, n: int, alpha: float) -> float:
    return float(compute_hoeffding_bentkus_p_value(np.array([errors / n]), n, alpha, binary=True)[0, 0])


@settings(deadline=None)
@given(n=st.integers(1, 400), share=st.floats(0, 1), alpha=st.floats(0.01, 0.6))
def test_our_p_value_is_the_bentkus_one_for_errors(n: int, share: float, alpha: float) -> None:
    errors = int(share * n)
    if math.ceil(n * (errors / n)) != errors:
        return  # MAPIE counts the errors back from a rate, and rounding then adds one
    if errors / n <= alpha:
        # Below α the exact p-value is never above Hoeffding's bound, so the least of both is the exact one.
        assert theirs(errors, n, alpha) == pytest.approx(p_value(errors, n, alpha), abs=1e-12)


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 10_000), alpha=st.sampled_from([0.05, 0.1, 0.2]), delta=st.sampled_from([0.05, 0.1]))
def test_one_chain_is_their_fixed_sequence(seed: int, alpha: float, delta: float) -> None:
    generator = np.random.default_rng(seed)
    confidence = generator.random(300)
    groups = group(confidence, (generator.random(300) < 0.3 * (1 - confidence)).astype(float))
    tested = ranks(300, starting_ranks(300, alpha, delta, 1))
    wrong = groups.errors.cumsum().astype(int)
    p_values = np.array([p_value(int(wrong[rank - 1]), rank, alpha) for rank in tested])
    rejected = control_fwer(p_values, delta, "fixed_sequence")
    ours = fixed_sequence(groups, alpha, delta, chains=1)
    assert ours.answered == (tested[int(max(rejected))] if len(rejected) else 0)
