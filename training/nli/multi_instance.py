"""Multi-instance training: of all sentences of an abstract, the two that would decide are trained on.

Inference takes the largest support and the largest contradiction over the sentences and windows of an
abstract; those two are what the abstract's label is compared with.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor

from training.nli.bags import Bag
from training.nli.batches import encode
from training.nli.pairs import LABELS, Pair, Probabilities

ENTAILMENT, CONTRADICTION = LABELS.index("entailment"), LABELS.index("contradiction")
SIDES = (("entailment", ENTAILMENT), ("contradiction", CONTRADICTION))
_CHUNK = 16


def bag_order(bags: Sequence[Bag], count: int, seed: int) -> list[int]:
    """`count` bags, every source in turn, each source shuffled anew whenever it has been seen once."""
    rng = np.random.default_rng(seed)
    by_source: defaultdict[str, list[int]] = defaultdict(list)
    for i, bag in enumerate(bags):
        by_source[bag.source].append(i)
    left: dict[str, list[int]] = {source: [] for source in sorted(by_source)}
    chosen: list[int] = []
    while len(chosen) < count:
        for source, rows in left.items():
            if not rows:
                rows.extend(rng.permutation(by_source[source]).tolist())
            chosen.append(rows.pop())
    return chosen[:count]


def decisive(p: Probabilities, evidence: Sequence[bool], label: str) -> tuple[int, int]:
    """The rows with the largest support and the largest contradiction.

    Where rationales are known, the gold label's is sought among them alone: another sentence that happens to
    score higher is not what should be learned.

    Args:
        p: n × 3.
    """
    best: list[int] = []
    for name, column in SIDES:
        score = p[:, column]
        if name == label and any(evidence):
            score = np.where(evidence, score, -1.0)
        best.append(int(score.argmax()))
    return best[0], best[1]


def bag_loss(support: Tensor, contradiction: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy of "this column, or another" in the two rows of each bag, mean over rows.

    The largest support shall be P(entailment) where that is the label and 1 − P(entailment) elsewhere; the
    largest contradiction likewise.

    Args:
        support: logits (m × 3) of the rows with the largest support.
        contradiction: logits (m × 3) of the rows with the largest contradiction.
        labels: m labels of whole bags.
    """
    terms = []
    for logits, (_, column) in zip((support, contradiction), SIDES, strict=True):
        logp = torch.log_softmax(logits.float(), dim=-1)
        rest = torch.logsumexp(logp[:, [k for k in range(len(LABELS)) if k != column]], dim=-1)
        terms.append(-torch.where(labels == column, logp[:, column], rest))
    return torch.cat(terms).mean()


class Bags:
    """Token ids of every row of every bag, and which bags each step sees."""

    def __init__(self, bags: Sequence[Bag], tok: Tokenizer, pad: int, steps: int, per_step: int, seed: int) -> None:
        self.bags = bags
        rows = [Pair(p, bag.hypothesis, bag.label, bag.source) for bag in bags for p in bag.premises]
        self.encoded = encode(rows, tok, pad)
        self.starts = np.concatenate([[0], np.cumsum([len(b.premises) for b in bags])]).astype(np.int64)
        self.per_step = per_step
        self.order = bag_order(bags, steps * per_step, seed)

    def loss(self, step: int, forward: Callable[..., Tensor], device: str) -> Tensor:
        """The loss of one step's bags: all rows without a gradient, then two rows of each with it."""
        chosen = self.order[step * self.per_step : (step + 1) * self.per_step]
        spans = [np.arange(self.starts[bag], self.starts[bag + 1]) for bag in chosen]
        scores = self._scores(np.concatenate(spans), forward, device)
        tops: list[tuple[int, int]] = []
        for bag, span in zip(chosen, spans, strict=True):
            found = self.bags[bag]
            support, contradiction = decisive(
                np.stack([scores[int(row)] for row in span]), found.evidence, found.label
            )
            tops.append((int(span[support]), int(span[contradiction])))
        *inputs, labels, _ = (t.to(device) for t in self.encoded.batch([t[0] for t in tops] + [t[1] for t in tops]))
        logits, half = forward(*inputs), len(chosen)
        return bag_loss(logits[:half], logits[half:], labels[:half])

    def _scores(
        self, rows: NDArray[np.int64], forward: Callable[..., Tensor], device: str
    ) -> dict[int, NDArray[np.float64]]:
        ordered = rows[np.argsort(self.encoded.lengths()[rows], kind="stable")]
        scores: dict[int, NDArray[np.float64]] = {}
        with torch.no_grad():
            for i in range(0, len(ordered), _CHUNK):
                part = ordered[i : i + _CHUNK]
                *inputs, _, _ = (t.to(device) for t in self.encoded.batch(part))
                p = torch.softmax(forward(*inputs).double(), dim=-1).cpu().numpy()
                scores.update(zip(part.tolist(), p, strict=True))
        return scores
