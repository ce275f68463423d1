"""Tokenised pairs, and the fixed sequence of batches a run consists of."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor

from training.nli.config import Mixture, TrainConfig
from training.nli.model import LABEL_IDS
from training.nli.pairs import UNLABELLED, Pair

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Encoded:
    """Token ids of all pairs in one array, where each pair starts, and where its hypothesis starts.

    ``soft`` holds a teacher's probabilities, float32[n, 3], nan where it gave none.
    """

    ids: NDArray[np.int32]
    starts: Ints
    seconds: Ints
    labels: Ints
    pad: int = 0
    soft: NDArray[np.float32] | None = None

    def lengths(self) -> Ints:
        """Word pieces per pair."""
        return np.diff(self.starts)

    def batch(self, rows: Sequence[int] | Ints) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """``input_ids, attention_mask, token_type_ids, labels, soft`` of some pairs, padded to one width.

        Widths are multiples of eight: the matrix library compiles a kernel for every new shape.
        """
        rows = np.asarray(rows)
        lengths = self.starts[rows + 1] - self.starts[rows]
        width = -(-int(lengths.max()) // 8) * 8
        ids = np.full((len(rows), width), self.pad, dtype=np.int64)
        for k, row in enumerate(rows):
            ids[k, : lengths[k]] = self.ids[self.starts[row] : self.starts[row + 1]]
        place = np.arange(width)[None, :]
        mask = (place < lengths[:, None]).astype(np.int64)
        types = mask * (place >= self.seconds[rows][:, None])
        tensor = torch.from_numpy
        soft = np.full((len(rows), 3), np.nan, np.float32) if self.soft is None else self.soft[rows]
        return tensor(ids), tensor(mask), tensor(types), tensor(self.labels[rows]), tensor(soft)


def encode(pairs: Sequence[Pair], tok: Tokenizer, pad: int, chunk: int = 4096) -> Encoded:
    """Tokenise pairs; `pad` is the id that fills a batch."""
    parts: list[list[int]] = []
    seconds: list[int] = []
    for i in range(0, len(pairs), chunk):
        for e in tok.encode_batch([(p.premise, p.hypothesis) for p in pairs[i : i + chunk]]):
            parts.append(e.ids)
            seconds.append(e.sequence_ids.index(1))
    starts = np.concatenate([[0], np.cumsum([len(p) for p in parts])]).astype(np.int64)
    ids = np.fromiter((t for p in parts for t in p), dtype=np.int32, count=int(starts[-1]))
    return Encoded(ids, starts, np.array(seconds), np.array([LABEL_IDS[p.label] for p in pairs]), pad)


def order(pairs: Sequence[Pair], mixture: Mixture, soft: NDArray[np.float32] | None = None) -> Ints:
    """Row numbers in the order they are seen: every set ``passes`` times, shuffled, cut to the budget.

    A pair without a label is left out where the teacher has not answered, after shuffling: a teacher that was
    stopped has answered what is seen first.
    """
    rng = np.random.default_rng(mixture.train.seed)
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for i, pair in enumerate(pairs):
        if pair.label != UNLABELLED or soft is not None:
            rows[pair.source].append(i)
    parts: list[Ints] = []
    for config in mixture.sets:
        own = np.array(rows[config.name], dtype=np.int64)
        whole, rest = divmod(config.passes, 1)
        parts += [own] * int(whole)
        parts.append(rng.permutation(own)[: round(rest * len(own))])
    sequence = rng.permutation(np.concatenate(parts))
    if soft is not None:
        silent = np.isnan(soft).any(axis=1) & np.array([p.label == UNLABELLED for p in pairs])
        sequence = sequence[~silent[sequence]]
    return sequence[: mixture.train.pair_budget]


def plan(sequence: Ints, lengths: Ints, config: TrainConfig) -> list[Ints]:
    """Cut the sequence into batches of similar length, in an order fixed by the seed."""
    rng = np.random.default_rng(config.seed + 1)
    batches: list[Ints] = []
    size = config.batch_pairs * config.bucket_batches
    for i in range(0, len(sequence), size):
        chunk = sequence[i : i + size]
        chunk = chunk[np.argsort(lengths[chunk], kind="stable")]
        own = [chunk[k : k + config.batch_pairs] for k in range(0, len(chunk), config.batch_pairs)]
        batches += [own[k] for k in rng.permutation(len(own))]
    return batches
