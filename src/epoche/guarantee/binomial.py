"""Exact binomial bounds: what an error count says about an error rate. Numbers in, numbers out.

One fixed threshold answers n items, each wrong with the same unknown probability, the selective risk; the number
of errors is binomial. Everything here inverts that distribution (Clopper and Pearson 1934), nothing is approximate.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, binom


def upper_bound(errors: int, n: int, delta: float) -> float:
    """The risk that is exceeded with probability at most `delta`: b with P(Bin(n, b) ≤ errors) = δ; 1 if n is 0.

    Raises:
        ValueError: errors outside 0…n, or delta outside (0, 1).
    """
    _check(errors, n, delta)
    return 1.0 if errors == n else float(beta.ppf(1.0 - delta, errors + 1, n - errors))


def lower_bound(errors: int, n: int, delta: float) -> float:
    """The risk that is undercut with probability at most `delta`: b with P(Bin(n, b) ≥ errors) = δ.

    Raises: as `upper_bound`.
    """
    _check(errors, n, delta)
    return 0.0 if errors == 0 else float(beta.ppf(delta, errors, n - errors + 1))


def p_value(errors: int, n: int, alpha: float) -> float:
    """P(Bin(n, α) ≤ errors): how likely so few errors are where the risk is α or more.

    Raises:
        ValueError: errors outside 0…n, or alpha outside (0, 1).
    """
    _check(errors, n, alpha)
    return float(binom.cdf(errors, n, alpha))


@lru_cache(maxsize=256)
def allowed(n: int, alpha: float, delta: float) -> NDArray[np.int64]:
    """int64[n + 1]: the most errors among 0, 1 … n answered items that still show a risk of at most α; −1 for none.

    Raises:
        ValueError: alpha or delta outside (0, 1).
    """
    _check(0, n, alpha)
    _check(0, n, delta)
    counts = np.arange(n + 1)
    most = binom.ppf(delta, counts, alpha)
    most = np.where(binom.cdf(most, counts, alpha) <= delta, most, most - 1)
    result: NDArray[np.int64] = most.astype(np.int64)
    result[0] = -1
    result.flags.writeable = False
    return result


def needed(errors: int, alpha: float, delta: float) -> int:
    """The fewest answered items that show a risk of at most α with so many errors among them: 59 for none at 5 %.

    (1 − 0.05)⁵⁹ = 0.0485 ≤ 0.05 < 0.0511 = (1 − 0.05)⁵⁸.

    Raises:
        ValueError: negative errors, or alpha or delta outside (0, 1).
    """
    _check(errors, errors, alpha)
    _check(errors, errors, delta)
    high = errors + 1
    while binom.cdf(errors, high, alpha) > delta:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if binom.cdf(errors, middle, alpha) <= delta else (middle, high)
    return high


def require_probability(name: str, value: float) -> None:
    """Raises ValueError where a value is not between 0 and 1."""
    if not 0.0 < value < 1.0:
        raise ValueError(f"{name} must be between 0 and 1 (both excluded), not {value}")


def _check(errors: int, n: int, share: float) -> None:
    if not 0 <= errors <= n:
        raise ValueError(
            f"{errors} errors among {n} items: an error count must be between 0 and the number of items"
        )
    require_probability("a risk or failure probability", share)
