"""Stage `train`: one fixed pass over the planned batches; killed runs resume exactly."""

import hashlib
import json
import signal
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import BertForSequenceClassification

from training.nli.batches import Encoded, encode, order, plan
from training.nli.config import Mixture, TrainConfig
from training.nli.model import is_right, new_model, nli_loss, tokenizer
from training.nli.pairs import Pair, read_pairs


def learning_rate(config: TrainConfig, seen: int, budget: int) -> float:
    """Linear warm-up, then linear decay to ``min_lr_ratio``; a function of pairs seen, not of time."""
    if seen < config.warmup_pairs:
        return config.lr * seen / config.warmup_pairs
    left = (budget - seen) / max(1, budget - config.warmup_pairs)
    return config.lr * max(config.min_lr_ratio, left)


def has_bfloat16(device: str) -> bool:
    """Whether bfloat16 pays: twice as fast as float32 with units for it, many times slower without."""
    if device == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    able = torch.cpu.get_capabilities()
    return bool(able.get("avx512_bf16") or able.get("amx_bf16") or able.get("bf16"))


def run_digest(mixture: Mixture, work: Path) -> str:
    """What a checkpoint belongs to: hyper-parameters, passes and the bytes of the pool."""
    text = json.dumps([asdict(mixture.train), [(s.name, s.passes) for s in mixture.sets]])
    return hashlib.sha256(text.encode() + (work / "train.jsonl.gz").read_bytes()).hexdigest()


def finished(mixture: Mixture, work: Path) -> bool:
    """Whether ``final.pt`` is there and belongs to this mixture and pool."""
    if not (work / "final.pt").exists() or not (work / "checkpoint.pt").exists():
        return False
    state = torch.load(work / "checkpoint.pt", map_location="cpu", weights_only=True, mmap=True)
    return bool(state["digest"] == run_digest(mixture, work))


class Run:
    """Model, average, optimiser and position of one training run."""

    def __init__(self, mixture: Mixture, work: Path, device: str) -> None:
        self.config = mixture.train
        self.device = device
        self.path = work / "checkpoint.pt"
        self.digest = run_digest(mixture, work)
        torch.manual_seed(self.config.seed)
        self.model: BertForSequenceClassification = new_model(self.config.dropout)
        torch.nn.Module.to(self.model, device)
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

    def save(self) -> None:
        """Write the checkpoint beside the old one, then replace it: a kill leaves one or the other."""
        state: dict[str, Any] = {
            "digest": self.digest,
            "model": self.model.state_dict(),
            "average": self.average,
            "optimiser": self.optimiser.state_dict(),
            "step": self.step,
            "seen": self.seen,
            "rng": torch.get_rng_state(),
            "cuda_rng": torch.cuda.get_rng_state_all() if self.device == "cuda" else [],
        }
        part = self.path.with_suffix(".part")
        torch.save(state, part)
        part.replace(self.path)

    def resume(self) -> bool:
        """Load the checkpoint, if there is one of this very run."""
        if not self.path.exists():
            return False
        state = torch.load(self.path, map_location="cpu", weights_only=True)
        if state["digest"] != self.digest:
            raise RuntimeError(f"{self.path} belongs to another mixture or pool; move it away to start afresh")
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
            out = self.model(input_ids=ids, attention_mask=mask, token_type_ids=types)
        logits: Tensor = out.logits
        return logits

    def update(self, batch: Sequence[Tensor], budget: int) -> Tensor:
        """One optimiser step; returns the loss."""
        *inputs, labels = (t.to(self.device) for t in batch)
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate(self.config, self.seen, budget)
        loss = nli_loss(self.forward(*inputs), labels, self.config.label_smoothing)
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

    def averaged(self) -> dict[str, Tensor]:
        """The state dict with averaged weights: what is validated and exported."""
        state = {k: v.clone() for k, v in self.model.state_dict().items()}
        names = [n for n, p in self.model.named_parameters() if p.requires_grad]
        state.update(zip(names, (a.clone() for a in self.average), strict=True))
        return state


def validate(run: Run, encoded: Encoded, pairs: Sequence[Pair], limit: int | None = None) -> dict[str, float]:
    """Accuracy of the averaged weights on held-out pairs, over all and per set."""
    own = {k: v.clone() for k, v in run.model.state_dict().items()}
    run.model.load_state_dict(run.averaged())
    run.model.train(False)
    rows = sorted(range(min(limit or len(pairs), len(pairs))), key=lambda i: int(encoded.lengths()[i]))
    right: defaultdict[str, list[bool]] = defaultdict(list)
    for i in range(0, len(rows), 64):
        chunk = rows[i : i + 64]
        *inputs, labels = (t.to(run.device) for t in encoded.batch(chunk))
        with torch.no_grad():
            logits = run.forward(*inputs)
        for row, ok in zip(chunk, is_right(logits, labels).tolist(), strict=True):
            right["all"].append(ok)
            right[pairs[row].source].append(ok)
    run.model.load_state_dict(own)
    run.model.train()
    return {name: round(sum(oks) / len(oks), 4) for name, oks in sorted(right.items())}


def train(
    mixture: Mixture, work: Path, device: str = "cpu", threads: int = 2, max_steps: int | None = None
) -> None:
    """Train, or go on training, until the pair budget is spent; then write ``final.pt``."""
    torch.set_num_threads(threads)
    config = mixture.train
    pairs, held = read_pairs(work / "train.jsonl.gz"), read_pairs(work / "validation.jsonl.gz")
    held.sort(key=lambda p: hashlib.sha256((p.hypothesis + p.premise).encode()).digest())
    tok = tokenizer(config.max_length)
    encoded, held_encoded = encode(pairs, tok), encode(held, tok)
    batches = plan(order(pairs, mixture), encoded.lengths(), config)
    budget = sum(len(b) for b in batches)
    run = Run(mixture, work, device)
    run.resume()
    run.model.train()
    stop: list[int] = []
    previous = signal.signal(signal.SIGTERM, lambda number, frame: stop.append(number))
    log = (work / "train.jsonl").open("a", encoding="utf-8")

    def note(**values: object) -> None:
        log.write(json.dumps({"step": run.step, "pairs": run.seen, **values}) + "\n")
        log.flush()

    note(
        event="start",
        steps=len(batches),
        budget=budget,
        tokens=int(sum(encoded.lengths()[b].sum() for b in batches)),
    )
    saved = since = time.monotonic()
    base, losses = run.seen, torch.zeros(())
    validate_every = max(1, len(batches) // 12)
    while run.step < len(batches) and not stop and (max_steps is None or run.step < max_steps):
        losses += run.update(encoded.batch(batches[run.step]), budget).cpu()
        now = time.monotonic()
        if run.step % config.log_steps == 0:
            rate = (run.seen - base) / (now - since)
            note(
                loss=round(losses.item() / config.log_steps, 4),
                pairs_per_s=round(rate, 1),
                lr=learning_rate(config, run.seen, budget),
            )
            since, base, losses = now, run.seen, torch.zeros(())
        if now - saved > config.checkpoint_minutes * 60:
            run.save()
            saved = now
        if run.step % validate_every == 0:
            note(event="validation", **validate(run, held_encoded, held, 1500))
    run.save()
    if run.step == len(batches):
        note(event="final", **validate(run, held_encoded, held))
        torch.save(run.averaged(), work / "final.part")
        (work / "final.part").replace(work / "final.pt")
    log.close()
    signal.signal(signal.SIGTERM, previous)
