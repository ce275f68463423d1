"""`mixture.toml` as frozen values, for one tier."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from training.nli.paths import MIXTURE


@dataclass(frozen=True, slots=True)
class SetConfig:
    """One entry of the mixture."""

    name: str
    kind: str
    files: tuple[str, ...]
    family: str
    passes: float
    licence: str
    words: int
    cap: int | None = None
    contradiction_as: str = "contradiction"


@dataclass(frozen=True, slots=True)
class PoolConfig:
    """How the pool is sampled and split."""

    seed: int
    words: int
    validation_per_mille: int


@dataclass(frozen=True, slots=True)
class BagConfig:
    """Which abstract-level labels are trained on, beside SciFact's own."""

    files: tuple[str, ...]
    words: int
    most_rows: int


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """Hyper-parameters: those of `[train]`, then those of the tier; comments are in the file."""

    encoder: str
    layers: int
    frozen_layers: int
    seed: int
    max_length: int
    pair_budget: int
    batch_pairs: int
    bucket_batches: int
    lr: float
    min_lr_ratio: float
    warmup_pairs: int
    decay_share: float
    weight_decay: float
    clip: float
    label_smoothing: float
    dropout: float
    ema: float
    ema_steps: int
    checkpoint_minutes: float
    log_steps: int
    start: str = ""
    teacher: str = ""
    teacher_weight: float = 0.0
    bags_per_step: int = 0
    bag_weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Mixture:
    """Everything `mixture.toml` says."""

    tier: str
    pool: PoolConfig
    bags: BagConfig
    train: TrainConfig
    sets: tuple[SetConfig, ...]


def runs(path: Path = MIXTURE) -> tuple[str, ...]:
    """The names under ``[tier.…]``."""
    return tuple(tomllib.loads(path.read_text(encoding="utf-8"))["tier"])


def load_mixture(tier: str, path: Path = MIXTURE) -> Mixture:
    """Read the mixture as it is for one tier; unknown keys, tiers and doubled names are errors."""
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    if tier not in raw["tier"]:
        raise ValueError(f"no tier {tier!r} in {path}: choose one of {', '.join(raw['tier'])}")
    pool = PoolConfig(**raw["pool"])
    bags = BagConfig(**{**raw["bags"], "files": tuple(raw["bags"]["files"])})
    own = dict(raw["tier"][tier])
    passes = own.pop("passes", {})
    if isinstance(passes, str):
        passes = raw["tier"][passes]["passes"]
    if unknown := set(passes) - {entry["name"] for entry in raw["set"]}:
        raise ValueError(f"[tier.{tier}.passes] of {path} names no set: {', '.join(sorted(unknown))}")
    family = tier.partition("-")[0]
    sets = tuple(
        SetConfig(
            **{
                "words": pool.words,
                **entry,
                "files": tuple(entry["files"]),
                "passes": passes.get(entry["name"], entry["passes"][family]),
            }
        )
        for entry in raw["set"]
    )
    names = [s.name for s in sets]
    if len(set(names)) != len(names):
        raise ValueError(f"a set is listed twice in {path}")
    return Mixture(tier, pool, bags, TrainConfig(**{**raw["train"], **own}), sets)
