"""Exact bounds: by hand, against scipy's own inversion, and as laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from epoche.guarantee import binomial

SHARES = st.floats(0.001, 0.999)
COUNTS = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def test_no_error_by_hand() -> None:
    # b with (1 − b)ⁿ = δ: 1 − 0.05^(1/59) = 0.04951 and, one item fewer, 1 − 0.05^(1/58) = 0.05034.
    assert binomial.upper_bound(0, 59, 0.05) == pytest.approx(1 - 0.05 ** (1 / 59))
    assert binomial.upper_bound(0, 59, 0.05) < 0.05 < binomial.upper_bound(0, 58, 0.05)
    assert binomial.p_value(0, 2, 0.5) == pytest.approx(0.25)
    assert binomial.upper_bound(3, 3, 0.05) == 1.0
    assert binomial.upper_bound(0, 0, 0.05) == 1.0
    assert binomial.lower_bound(0, 7, 0.05) == 0.0


def test_case_33_how_many_are_needed() -> None:
    assert [binomial.needed(e, 0.05, 0.05) for e in (0, 1)] == [59, 93]
    assert [binomial.needed(0, a, 0.05) for a in (0.01, 0.02, 0.10)] == [299, 149, 29]


@given(COUNTS, SHARES)
def test_as_scipy_inverts_it(counts: tuple[int, int], delta: float) -> None:
    errors, n = counts
    for bound, side in ((binomial.upper_bound, "less"), (binomial.lower_bound, "greater")):
        interval = binomtest(errors, n, alternative=side).proportion_ci(1 - delta, method="exact")
        expected = interval.high if side == "less" else interval.low
        assert bound(errors, n, delta) == pytest.approx(expected, abs=1e-9)


@given(COUNTS, SHARES)
def test_the_bound_solves_its_equation(counts: tuple[int, int], delta: float) -> None:
    errors, n = counts
    bound = binomial.upper_bound(errors, n, delta)
    if errors < n:
        assert binom.cdf(errors, n, bound) == pytest.approx(delta, abs=1e-7)


@given(st.integers(1, 300), SHARES, SHARES)
def test_allowed_errors_are_the_most_that_pass(n: int, alpha: float, delta: float) -> None:
    most = binomial.allowed(n, alpha, delta)
    assert most.shape == (n + 1,)
    for k in {1, n // 2, n} - {0}:
        if most[k] >= 0:
            assert binomial.p_value(int(most[k]), k, alpha) <= delta
        if most[k] < k:
            assert binomial.p_value(int(most[k]) + 1, k, alpha) > delta


@given(st.integers(0, 20), st.floats(0.01, 0.9), st.floats(0.01, 0.9))
def test_needed_is_the_first_that_passes(errors: int, alpha: float, delta: float) -> None:
    n = binomial.needed(errors, alpha, delta)
    assert binomial.p_value(errors, n, alpha) <= delta
    assert n == errors + 1 or binomial.p_value(errors, n - 1, alpha) > delta


@pytest.mark.parametrize(("errors", "n", "share"), [(-1, 3, 0.1), (4, 3, 0.1), (1, 3, 0.0), (1, 3, 1.0)])
def test_what_is_no_count_or_no_probability(errors: int, n: int, share: float) -> None:
    for function in (binomial.upper_bound, binomial.lower_bound, binomial.p_value):
        with pytest.raises(ValueError, match="between 0 and"):
            function(errors, n, share)
    with pytest.raises(ValueError, match="between 0 and 1"):
        binomial.allowed(5, 0.1, np.nan)
