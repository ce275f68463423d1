"""Are promises kept? Random halves of a run, promised on one and counted on the other; and the cost dial."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import binom

from epoche.bench.readings import Setup, Table
from epoche.bench.record import ItemRecord, Run
from epoche.calibrate.dial import settings
from epoche.calibrate.fitting import calibrated_rule, fitted, share
from epoche.calibrate.labelled import Labelled, of_run, require_labelled
from epoche.calibrate.making import FIT_SHARE
from epoche.calibrate.promise import Wanted, promise
from epoche.errors import InputError
from epoche.policy import Costs

SPLITS = 200
SEED = 20260727
DELTA = 0.05
#: None: the lowest that can be promised.
RISKS: tuple[float | None, ...] = (None, 0.2, 0.3)


def promises_of(run: Run, risks: Sequence[float | None] = RISKS, splits: int = SPLITS) -> dict[str, Any]:
    """What `promises.json` in a run's folder holds.

    Raises:
        InputError: the run has no item, or too few of a label for a posterior.
    """
    require_labelled(run)
    used = [share(item.id) < FIT_SHARE for item in run.items]
    policy = fitted(run, used, Costs())
    rest = [item.id for item, known in zip(run.items, used, strict=True) if not known]
    return {
        "items": len(run.items),
        "delta": DELTA,
        "splits": [random_halves(run, risk, splits) for risk in risks],
        "dial": {
            "fitted_on": sum(used),
            "costs": policy.costs.model_dump(),
            "settings": [dataclasses.asdict(s) for s in settings(run, policy, only=rest)],
        },
    }


def random_halves(run: Run, risk: float | None, splits: int = SPLITS) -> dict[str, Any]:
    """Means over random halves; a split in which nothing can be promised breaks nothing.

    `share_above` are the splits in which the risk counted on the other half is above the promise;
    `share_above_expected` is how often a half as large would be, by chance, at the risk of both halves together.
    """
    generator = np.random.default_rng(SEED)
    kind = run.items[0].statement.kind
    table = Table(run, Setup(calibrated_rule(kind, Costs())))
    ids = np.array([item.id for item in run.items])
    rows: list[tuple[float, float, float, bool, float]] = []
    for _ in range(splits):
        half = generator.permutation(len(ids)) < len(ids) // 2
        salt = str(generator.integers(2**31))
        for_fit = half & np.array([share(salt + i) < FIT_SHARE for i in ids])
        try:
            items = of_run(run, fitted(run, for_fit.tolist(), Costs(), table=table), table)
            own = items.subset(np.isin(items.predictions.ids, ids[half & ~for_fit]))
            found = promise(own, Wanted(risk, DELTA))[0]
        except InputError:
            continue  # too few items of a label, or nothing that the target is about
        if found.promise is None or found.choice.threshold is None:
            continue
        rest = items.subset(np.isin(items.predictions.ids, ids[~half]))
        alpha, tau = found.promise.alpha, found.choice.threshold
        (answered, wrong), (all_answered, all_wrong) = above(rest, tau), above(items, tau)
        most = np.floor(alpha * answered + 1e-9)
        expected = 1.0 - float(binom.cdf(most, answered, all_wrong / all_answered))
        rows.append((alpha, answered / rest.n, wrong / max(answered, 1), wrong > most, expected))
    asked: dict[str, Any] = {"asked": "lowest" if risk is None else risk, "splits": splits, "promised": len(rows)}
    if not rows:
        return asked
    alphas, coverages, risks, broken, chance = (np.array(c, dtype=np.float64) for c in zip(*rows, strict=True))
    return asked | {
        "alpha": round(float(alphas.mean()), 4),
        "coverage": round(float(coverages.mean()), 4),
        "risk": round(float(risks.mean()), 4),
        "share_above": round(float(broken.sum()) / splits, 4),
        "share_above_expected": round(float(chance.sum()) / splits, 4),
    }


def above(items: Labelled, tau: float) -> tuple[int, int]:
    """How many are answered from τ on, and how many of these wrongly."""
    mask = items.open & (items.predictions.confidence >= tau)
    return int(mask.sum()), int(items.predictions.error[mask].sum())


def joined(runs: Sequence[Run]) -> Run:
    """Records of one kind, as one: items that occur in several count once.

    Raises:
        InputError: no record, or records of different models, decomposers or splitters.
    """
    if not runs:
        raise InputError("no run is given")
    items: list[ItemRecord] = []
    cells: list[np.ndarray] = []
    offset, seen = 0, set[str]()
    first = runs[0]
    for run in runs:
        for part in ("dataset", "protocol", "nli_sha256", "decomposer", "splitter"):
            a, b = first.meta["identity"].get(part), run.meta["identity"].get(part)
            if a != b:
                raise InputError(f"{first.folder} and {run.folder} differ in {part}: {a}, {b}")
        new = [item for item in run.items if item.id not in seen]
        seen.update(item.id for item in new)
        items += [item.model_copy(update={"offset": item.offset + offset}) for item in new]
        cells.append(run.cells)
        offset += len(run.cells)
    return Run(first.folder, first.meta, tuple(items), np.concatenate(cells))
