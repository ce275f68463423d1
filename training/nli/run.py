"""One training run: model, average, optimiser and position, and how they are saved and found again."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from training.nli.config import Mixture, TrainConfig
from training.nli.model import forward, has_bfloat16, new_model, nli_loss, starting_weights
from training.nli.multi_instance import Bags


def learning_rate(config: TrainConfig, seen: int, budget: int) -> float:
    """Linear warm-up, a flat part, then linear decay to ``min_lr_ratio``; of pairs seen, not of time."""
    if seen < config.warmup_pairs:
        return config.lr * seen / config.warmup_pairs
    left = (budget - seen) / max(1.0, config.decay_share * (budget - config.warmup_pairs))
    return config.lr * min(1.0, max(config.min_lr_ratio, left))


def run_digest(mixture: Mixture, work: Path) -> str:
    """What a checkpoint belongs to: hyper-parameters, passes and the bytes of the pool.

    Not the budget: a larger one begins with the same batches, so that a run can be made longer.
    """
    # Fields that a run without them need not know.
    later = ("start", "teacher", "teacher_weight", "bags_per_step", "bag_weight")
    settings = {k: v for k, v in asdict(mixture.train).items() if k != "pair_budget" and (v or k not in later)}
    text = json.dumps([settings, [(s.name, s.passes) for s in mixture.sets]])
    content = (work / "train.jsonl.gz").read_bytes()
    if mixture.train.bags_per_step:
        content += (work / "bags.jsonl.gz").read_bytes()
    return hashlib.sha256(text.encode() + content).hexdigest()


class Run:
    """Model, average, optimiser and position of one training run."""

    def __init__(self, mixture: Mixture, work: Path, device: str, bags: Bags | None = None) -> None:
        self.config = mixture.train
        self.bags = bags
        self.device = device
        self.path = work / mixture.tier / "checkpoint.pt"
        self.path.parent.mkdir(exist_ok=True)
        self.digest = run_digest(mixture, work)
        torch.manual_seed(self.config.seed)
        self.model = new_model(self.config)
        if self.config.start:
            self.model.load_state_dict(starting_weights(self.config.start, self.model.config.model_type))
        self.model.to(device)
        named = [(n, p) for n, p in self.model.named_parameters() if p.requires_grad]
        self.params = [p for _, p in named]
        decayed = [p for n, p in named if p.ndim > 1 and "embeddings" not in n]
        plain = [p for n, p in named if not (p.ndim > 1 and "embeddings" not in n)]
        self.optimiser = torch.optim.AdamW(
            [
                {"params": decayed, "weight_decay": self.config.weight_decay},
                {"params": plain, "weight_decay": 0.0},
            ],
            lr=self.config.lr,
            fused=True,
        )
        self.average = [p.detach().clone() for p in self.params]
        self.step = 0
        self.seen = 0
        self.budget = 0
        self.flat = self.path.with_name("flat.pt")

    def save(self, path: Path | None = None) -> None:
        """Write the checkpoint beside the old one, then replace it: a kill leaves one or the other."""
        path = path or self.path
        state: dict[str, Any] = {
            "digest": self.digest,
            "model": self.model.state_dict(),
            "average": self.average,
            "optimiser": self.optimiser.state_dict(),
            "step": self.step,
            "seen": self.seen,
            "budget": self.budget,
            "rng": torch.get_rng_state(),
            "cuda_rng": torch.cuda.get_rng_state_all() if self.device == "cuda" else [],
        }
        part = path.with_suffix(".part")
        torch.save(state, part)
        part.replace(path)

    def resume(self, budget: int) -> bool:
        """Load the checkpoint, if there is one of this very run; for another budget, the one before the fall."""
        if not self.path.exists():
            return False
        state = torch.load(self.path, map_location="cpu", weights_only=True)
        if state["digest"] != self.digest:
            raise RuntimeError(f"{self.path} belongs to another mixture or pool; move it away to start afresh")
        fell = learning_rate(self.config, state["seen"], state["budget"]) < self.config.lr
        if state["budget"] != budget and fell and state["seen"] > self.config.warmup_pairs:
            state = torch.load(self.flat, map_location="cpu", weights_only=True)
        self.model.load_state_dict(state["model"])
        self.average = [a.to(self.device) for a in state["average"]]
        self.optimiser.load_state_dict(state["optimiser"])
        self.step, self.seen = state["step"], state["seen"]
        torch.set_rng_state(state["rng"])
        if self.device == "cuda":
            torch.cuda.set_rng_state_all(state["cuda_rng"])
        return True

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        """Logits; under bfloat16 autocast where the processor has it."""
        with torch.autocast(self.device, dtype=torch.bfloat16, enabled=has_bfloat16(self.device)):
            return forward(self.model, ids, mask, types)

    def update(self, batch: Sequence[Tensor]) -> Tensor:
        """One optimiser step on a batch of pairs and the step's bags; returns the loss."""
        *inputs, labels, soft = (t.to(self.device) for t in batch)
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate(self.config, self.seen, self.budget)
        loss = nli_loss(
            self.forward(*inputs), labels, self.config.label_smoothing, soft, self.config.teacher_weight
        )
        if self.bags is not None:
            own = self.config.bag_weight * self.config.bags_per_step
            both = len(labels) * loss + own * self.bags.loss(self.step, self.forward, self.device)
            loss = both / (len(labels) + own)
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(self.params, self.config.clip)
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.step += 1
        self.seen += len(labels)
        if self.step % self.config.ema_steps == 0:
            # Short memory at first, so that the random head does not linger in the average.
            keep = min(self.config.ema, (1 + self.step) / (10 + self.step)) ** self.config.ema_steps
            with torch.no_grad():
                torch._foreach_lerp_(self.average, list[Tensor](self.params), 1 - keep)
        return loss.detach()

    def about_to_fall(self, pairs: int) -> bool:
        """Whether the flat part of the schedule ends with the next batch."""
        now, then = (learning_rate(self.config, seen, self.budget) for seen in (self.seen, self.seen + pairs))
        return self.seen >= self.config.warmup_pairs and then < now == self.config.lr

    def averaged(self) -> dict[str, Tensor]:
        """The state dict with averaged weights: what is validated and exported."""
        state = {k: v.clone() for k, v in self.model.state_dict().items()}
        names = [n for n, p in self.model.named_parameters() if p.requires_grad]
        state.update(zip(names, (a.clone() for a in self.average), strict=True))
        return state
