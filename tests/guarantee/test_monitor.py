"""The evidence against a promise, by hand and under the promise itself."""

from __future__ import annotations

import numpy as np
import pytest

from epoche.guarantee.monitor import STAKES, evidence_against


def test_two_items_by_hand() -> None:
    # At α = 0.5 a stake b pays 1 + b on an error and 1 − b on a right answer.
    by_hand = [np.mean([1 + b for b in STAKES]), np.mean([(1 + b) * (1 - b) for b in STAKES])]
    assert evidence_against([True, False], 0.5).tolist() == pytest.approx(by_hand)


@pytest.mark.parametrize("alpha", [0.05, 0.2, 0.6])
def test_a_kept_promise_is_rarely_called_broken(alpha: float) -> None:
    generator = np.random.default_rng(1)
    peaks = [evidence_against(generator.random(400) < alpha, alpha).max() for _ in range(1000)]
    assert np.mean(np.array(peaks) >= 20) <= 0.05


def test_a_broken_promise_is_found() -> None:
    generator = np.random.default_rng(2)
    found = [evidence_against(generator.random(300) < 0.2, 0.05).max() >= 20 for _ in range(200)]
    assert np.mean(found) > 0.95


def test_nothing_seen_is_no_evidence() -> None:
    assert evidence_against([], 0.1).size == 0
    with pytest.raises(ValueError, match="between 0 and 1"):
        evidence_against([True], 1.0)
