"""Stage `train`: one fixed pass over the planned batches; killed runs resume exactly."""

import hashlib
import json
import shutil
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from training.nli.answers import answers
from training.nli.bags import read_bags
from training.nli.batches import Encoded, Ints, encode, order, plan
from training.nli.config import Mixture
from training.nli.interrupt import asked_to_stop
from training.nli.model import is_right, padding_id, tokenizer
from training.nli.multi_instance import Bags
from training.nli.pairs import Pair, read_pairs
from training.nli.run import Run, learning_rate, run_digest

VALIDATED_PAIRS = 1500


def finished(mixture: Mixture, work: Path) -> bool:
    """Whether ``final.pt`` is there and belongs to this mixture, pool and budget."""
    folder = work / mixture.tier
    if not (folder / "final.pt").exists() or not (folder / "checkpoint.pt").exists():
        return False
    state = torch.load(folder / "checkpoint.pt", map_location="cpu", weights_only=True, mmap=True)
    return bool(state["digest"] == run_digest(mixture, work) and state["seen"] >= mixture.train.pair_budget)


@dataclass(frozen=True)
class Material:
    """What a run sees, and what it is validated on."""

    encoded: Encoded
    batches: list[Ints]
    bags: Bags | None
    held: list[Pair]
    held_encoded: Encoded

    @property
    def pairs(self) -> int:
        """Pairs in all batches."""
        return sum(len(b) for b in self.batches)


def material(mixture: Mixture, work: Path) -> Material:
    """The pool as tokens, in the batches that the seed and the budget say."""
    config = mixture.train
    pairs, held = read_pairs(work / "train.jsonl.gz"), read_pairs(work / "validation.jsonl.gz")
    held.sort(key=lambda p: hashlib.sha256((p.hypothesis + p.premise).encode()).digest())
    tok, pad = tokenizer(config), padding_id(config)
    encoded = encode(pairs, tok, pad)
    if config.teacher:
        encoded = replace(encoded, soft=answers(pairs, work, config.teacher))
    batches = plan(order(pairs, mixture, encoded.soft), encoded.lengths(), config)
    bags = None
    if config.bags_per_step:
        found = read_bags(work / "bags.jsonl.gz")
        bags = Bags(found, tok, pad, len(batches), config.bags_per_step, config.seed)
    return Material(encoded, batches, bags, held, encode(held, tok, pad))


class Log:
    """Lines of ``train.jsonl``, and the mean loss and speed since the last one."""

    def __init__(self, path: Path, run: Run) -> None:
        self.out = path.open("a", encoding="utf-8")
        self.run = run
        self._restart()

    def _restart(self) -> None:
        self.since, self.seen, self.step = time.monotonic(), self.run.seen, self.run.step
        self.losses = torch.zeros(())

    def note(self, **values: object) -> None:
        """Write one line."""
        self.out.write(json.dumps({"step": self.run.step, "pairs": self.run.seen, **values}) + "\n")
        self.out.flush()

    def progress(self) -> None:
        """Write loss, speed and learning rate, and begin to count anew."""
        self.note(
            loss=round(self.losses.item() / (self.run.step - self.step), 4),
            pairs_per_s=round((self.run.seen - self.seen) / (time.monotonic() - self.since), 1),
            lr=learning_rate(self.run.config, self.run.seen, self.run.budget),
        )
        self._restart()


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
    found = material(mixture, work)
    run = Run(mixture, work, device, found.bags)
    if (work / "data_report.json").exists():  # the pool may be built anew for another tier
        shutil.copyfile(work / "data_report.json", folder / "data.json")
    run.resume(found.pairs)
    run.budget = found.pairs
    run.model.train()
    steps, saved = len(found.batches), time.monotonic()
    validate_every = max(200, steps // 12)
    log = Log(folder / "train.jsonl", run)
    tokens = int(sum(found.encoded.lengths()[b].sum() for b in found.batches))
    log.note(event="start", steps=steps, budget=run.budget, tokens=tokens)
    with asked_to_stop() as stop, log.out:
        while run.step < steps and not stop and (max_steps is None or run.step < max_steps):
            batch = found.batches[run.step]
            if run.about_to_fall(len(batch)):
                run.save(run.flat)
            log.losses += run.update(found.encoded.batch(batch)).cpu()
            if run.step % config.log_steps == 0:
                log.progress()
            if time.monotonic() - saved > config.checkpoint_minutes * 60:
                run.save()
                saved = time.monotonic()
            if run.step % validate_every == 0:
                log.note(event="validation", **validate(run, found.held_encoded, found.held, VALIDATED_PAIRS))
        run.save()
        if run.step < steps:
            log.note(event="stop")
            return
        log.note(event="final", **validate(run, found.held_encoded, found.held))
    torch.save(run.averaged(), folder / "final.part")
    (folder / "final.part").replace(folder / "final.pt")
