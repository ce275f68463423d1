"""Stage `train`: one fixed pass over the planned batches; killed runs resume exactly."""

import hashlib
import json
import shutil
import signal
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from training.nli.bags import read_bags
from training.nli.batches import Encoded, encode, order, plan
from training.nli.config import Mixture, TrainConfig
from training.nli.model import is_right, new_model, nli_loss, padding_id, starting_weights, tokenizer
from training.nli.multi_instance import Bags
from training.nli.pairs import Pair, read_pairs
from training.nli.teacher import answers


def learning_rate(config: TrainConfig, seen: int, budget: int) -> float:
    """Linear warm-up, a flat part, then linear decay to ``min_lr_ratio``; of pairs seen, not of time."""
    if seen < config.warmup_pairs:
        return config.lr * seen / config.warmup_pairs
    left = (budget - seen) / max(1.0, config.decay_share * (budget - config.warmup_pairs))
    return config.lr * min(1.0, max(config.min_lr_ratio, left))


def has_bfloat16(device: str) -> bool:
    """Whether bfloat16 pays: twice as fast as float32 with units for it, many times slower without."""
    if device == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    able = torch.cpu.get_capabilities()
    return bool(able.get("avx512_bf16") or able.get("amx_bf16") or able.get("bf16"))


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


def finished(mixture: Mixture, work: Path) -> bool:
    """Whether ``final.pt`` is there and belongs to this mixture, pool and budget."""
    folder = work / mixture.tier
    if not (folder / "final.pt").exists() or not (folder / "checkpoint.pt").exists():
        return False
    state = torch.load(folder / "checkpoint.pt", map_location="cpu", weights_only=True, mmap=True)
    return bool(state["digest"] == run_digest(mixture, work) and state["seen"] >= mixture.train.pair_budget)


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
        more = {"token_type_ids": types} if hasattr(self.model.config, "type_vocab_size") else {}
        with torch.autocast(self.device, dtype=torch.bfloat16, enabled=has_bfloat16(self.device)):
            out = self.model(input_ids=ids, attention_mask=mask, **more)
        logits: Tensor = out.logits
        return logits

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


def validate(run: Run, encoded: Encoded, pairs: Sequence[Pair], limit: int | None = None) -> dict[str, float]:
    """Accuracy of the averaged weights on held-out pairs, over all and per set."""
    own = {k: v.clone() for k, v in run.model.state_dict().items()}
    run.model.load_state_dict(run.averaged())
    run.model.train(False)
    rows = sorted(range(min(limit or len(pairs), len(pairs))), key=lambda i: int(encoded.lengths()[i]))
    right: defaultdict[str, list[bool]] = defaultdict(list)
    for i in range(0, len(rows), 64):
        chunk = rows[i : i + 64]
        *inputs, labels, _ = (t.to(run.device) for t in encoded.batch(chunk))
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
    config, folder = mixture.train, work / mixture.tier
    pairs, held = read_pairs(work / "train.jsonl.gz"), read_pairs(work / "validation.jsonl.gz")
    held.sort(key=lambda p: hashlib.sha256((p.hypothesis + p.premise).encode()).digest())
    tok, pad = tokenizer(config), padding_id(config)
    encoded, held_encoded = encode(pairs, tok, pad), encode(held, tok, pad)
    if config.teacher:
        encoded = replace(encoded, soft=answers(pairs, work, config.teacher))
    batches = plan(order(pairs, mixture, encoded.soft), encoded.lengths(), config)
    budget = sum(len(b) for b in batches)
    bags = None
    if config.bags_per_step:
        found = read_bags(work / "bags.jsonl.gz")
        bags = Bags(found, tok, pad, len(batches), config.bags_per_step, config.seed)
    run = Run(mixture, work, device, bags)
    if (work / "data_report.json").exists():  # the pool may be built anew for another tier
        shutil.copyfile(work / "data_report.json", folder / "data.json")
    run.resume(budget)
    run.budget = budget
    run.model.train()
    stop: list[int] = []
    previous = signal.signal(signal.SIGTERM, lambda number, frame: stop.append(number))
    log = (folder / "train.jsonl").open("a", encoding="utf-8")

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
    base, first, losses = run.seen, run.step, torch.zeros(())
    validate_every = max(200, len(batches) // 12)
    while run.step < len(batches) and not stop and (max_steps is None or run.step < max_steps):
        if run.about_to_fall(len(batches[run.step])):
            run.save(run.flat)
        losses += run.update(encoded.batch(batches[run.step])).cpu()
        now = time.monotonic()
        if run.step % config.log_steps == 0:
            rate = (run.seen - base) / (now - since)
            note(
                loss=round(losses.item() / (run.step - first), 4),
                pairs_per_s=round(rate, 1),
                lr=learning_rate(config, run.seen, budget),
            )
            since, base, first, losses = now, run.seen, run.step, torch.zeros(())
        if now - saved > config.checkpoint_minutes * 60:
            run.save()
            saved = now
        if run.step % validate_every == 0:
            note(event="validation", **validate(run, held_encoded, held, 1500))
    run.save()
    if run.step == len(batches):
        note(event="final", **validate(run, held_encoded, held))
        torch.save(run.averaged(), folder / "final.part")
        (folder / "final.part").replace(folder / "final.pt")
    else:
        note(event="stop")
    log.close()
    signal.signal(signal.SIGTERM, previous)
