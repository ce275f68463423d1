"""Stage `teach`: the larger model's probabilities of the pairs that the smaller one will see."""

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from training.nli.answers import RECORD, answers_file, read_answers
from training.nli.batches import encode, order
from training.nli.config import Mixture, load_mixture
from training.nli.interrupt import asked_to_stop
from training.nli.model import forward, has_bfloat16, new_model, padding_id, shipped_weights, tokenizer
from training.nli.pairs import LABELS, Pair, pair_key, read_pairs

_CHUNK = 512


class Teacher:
    """The shipped weights of a tier in the training library: its GPU and its bfloat16 units are of use here.

    On a processor that has them, this is twice as fast as the int8 file, and nearer to the weights as trained.
    """

    def __init__(self, tier: str, device: str = "cpu") -> None:
        config = load_mixture(tier).train
        self.device = device
        self.tokenizer, self.pad = tokenizer(config), padding_id(config)
        self.model = new_model(config)
        self.model.load_state_dict(shipped_weights(tier, self.model.config.model_type))
        self.model.train(False)
        self.model.to(device, torch.bfloat16 if has_bfloat16(device) else torch.float32)

    def __call__(self, pairs: Sequence[Pair], batch: int = 32) -> NDArray[np.float32]:
        """float32[n, 3]: P(entailment), P(neutral), P(contradiction) of each pair."""
        encoded = encode(pairs, self.tokenizer, self.pad)
        out = np.zeros((len(pairs), len(LABELS)), np.float32)
        rows = np.argsort(encoded.lengths(), kind="stable")
        for i in range(0, len(rows), batch):
            chunk = rows[i : i + batch]
            ids, mask, types, *_ = (t.to(self.device) for t in encoded.batch(chunk))
            with torch.inference_mode():
                logits = forward(self.model, ids, mask, types)
            out[chunk] = torch.softmax(logits.float(), dim=-1).cpu().numpy()
        return out


def teach(mixture: Mixture, work: Path, device: str = "cpu", threads: int = 2, most: int | None = None) -> None:
    """Ask the teacher about the pairs of the mixture in the order the run will see them, each once.

    Args:
        most: stop after so many answers in all.
    """
    path = answers_file(work, mixture.train.teacher)
    path.parent.mkdir(parents=True, exist_ok=True)
    known = read_answers(path)
    pairs = read_pairs(work / "train.jsonl.gz")
    # As if it had answered everything, so that unlabelled pairs are asked about too.
    sequence = order(pairs, mixture, np.zeros((len(pairs), len(LABELS)), np.float32))
    wanted = {pair_key(pairs[i]): pairs[i] for i in dict.fromkeys(sequence.tolist())}
    left = [pair for key, pair in wanted.items() if key not in known]
    if most is not None:
        left = left[: max(0, most - len(known))]
    torch.set_num_threads(threads)
    teacher = Teacher(mixture.train.teacher, device)
    began = time.monotonic()
    with asked_to_stop() as stop, path.open("r+b" if path.exists() else "wb") as out:
        out.truncate(len(known) * RECORD.itemsize)
        out.seek(0, 2)
        for i in range(0, len(left), _CHUNK):
            if stop:
                break
            chunk = left[i : i + _CHUNK]
            records = np.zeros(len(chunk), dtype=RECORD)
            records["key"] = [pair_key(p) for p in chunk]
            records["p"] = teacher(chunk)
            out.write(records.tobytes())
            out.flush()
            done = i + len(chunk)
            rate = done / (time.monotonic() - began)
            print(f"{len(known) + done} of {len(known) + len(left)} answers, {rate:.1f} pairs/s", flush=True)
