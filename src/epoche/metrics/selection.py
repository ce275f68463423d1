"""A threshold chosen on some items, judged on others: what choosing and reporting on the same items hides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from epoche.metrics.resample import SEED, coarse
from epoche.metrics.selective import Groups

REPEATS = 200


@dataclass(frozen=True)
class HeldOut:
    """Over random halves: τ taken on one half for a target risk, coverage and risk counted on the other.

    Attributes:
        coverage: mean share of the other half that was answered.
        risk: wrong among all that was answered in the other halves; None where nothing was.
        share_above: share of the halves whose own risk exceeded the target.
    """

    coverage: float
    risk: float | None
    share_above: float


def held_out(groups: Groups, risk: float, *, repeats: int = REPEATS, seed: int = SEED) -> HeldOut:
    """What the largest coverage with an empirical risk of at most `risk` is worth on items it was not chosen on.

    Each repeat deals the items into two halves; either half chooses, the other is counted.

    Raises:
        ValueError: fewer than two items, or `risk` outside [0, 1].
    """
    if groups.n < 2:
        raise ValueError("two items are needed to choose on one half and count on the other")
    if not 0.0 <= risk <= 1.0:
        raise ValueError(f"risk must be in [0, 1], not {risk}")
    merged = coarse(groups)
    cells = np.stack([merged.items - merged.errors, merged.errors]).astype(np.int64)
    generator = np.random.default_rng(seed)
    half = generator.multivariate_hypergeometric(
        cells.ravel(), int(cells.sum()) // 2, size=repeats, method="marginals"
    ).reshape(repeats, *cells.shape)
    answered, wrong, sizes = [], [], []
    for chosen_on, counted_on in ((half, cells - half), (cells - half, half)):
        place = _last_within(chosen_on, risk)
        totals, errors = _counts_up_to(counted_on, place)
        answered.append(totals)
        wrong.append(errors)
        sizes.append(counted_on.sum(axis=(1, 2)))
    return _combined(np.concatenate(answered), np.concatenate(wrong), np.concatenate(sizes), risk)


def _last_within(halves: NDArray[np.int64], risk: float) -> NDArray[np.int64]:
    """Index of the lowest confidence of each half that keeps its risk; −1 for none."""
    items = halves.sum(axis=1)
    kept = (halves[:, 1].cumsum(axis=1) <= risk * items.cumsum(axis=1) + 1e-12) & (items > 0)
    last: NDArray[np.int64] = kept.shape[1] - 1 - kept[:, ::-1].argmax(axis=1)
    return np.where(kept.any(axis=1), last, -1)


def _counts_up_to(
    halves: NDArray[np.int64], place: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    inside = np.arange(halves.shape[2])[None, :] <= place[:, None]
    errors = (halves[:, 1] * inside).sum(axis=1)
    return (halves.sum(axis=1) * inside).sum(axis=1), errors


def _combined(
    answered: NDArray[np.int64], wrong: NDArray[np.int64], sizes: NDArray[np.int64], risk: float
) -> HeldOut:
    total = int(answered.sum())
    above = wrong > risk * answered + 1e-12
    return HeldOut(
        coverage=float((answered / sizes).mean()),
        risk=int(wrong.sum()) / total if total else None,
        share_above=float(above.mean()),
    )
