"""Probabilities from an exported folder, with ONNX Runtime only. Labels are read by name."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from tokenizers import Tokenizer

from training.nli.pairs import LABELS

Probabilities = NDArray[np.float64]
EVALUATION_LENGTH = 256  # the longer part of a longer pair is cut; the share is reported


class Scorer:
    """Scores pairs; columns are entailment, neutral, contradiction, whatever the order in the head."""

    def __init__(self, folder: Path, model: bytes | None = None, threads: int = 2) -> None:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        names = [config["id2label"][str(i)].lower() for i in range(len(config["id2label"]))]
        if sorted(names) != sorted(LABELS):
            raise ValueError(f"the head in {folder} is labelled {names}")
        self.columns = [names.index(label) for label in LABELS]
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = ort.InferenceSession(
            model or (folder / "model.onnx").read_bytes(), options, providers=["CPUExecutionProvider"]
        )
        self.tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(EVALUATION_LENGTH, strategy="longest_first")
        self.cut = 0

    def score(self, pairs: Sequence[tuple[str, str]], batch: int = 32) -> Probabilities:
        """P(entailment), P(neutral), P(contradiction) of every (premise, hypothesis)."""
        encoded = self.tokenizer.encode_batch(list(pairs))
        self.cut += sum(bool(e.overflowing) for e in encoded)
        out = np.zeros((len(pairs), len(LABELS)))
        rows = sorted(range(len(pairs)), key=lambda i: len(encoded[i].ids))
        for i in range(0, len(rows), batch):
            chunk = rows[i : i + batch]
            width = max(len(encoded[r].ids) for r in chunk)
            feed = {
                name: np.zeros((len(chunk), width), dtype=np.int64)
                for name in ("input_ids", "attention_mask", "token_type_ids")
            }
            for k, row in enumerate(chunk):
                e = encoded[row]
                feed["input_ids"][k, : len(e.ids)] = e.ids
                feed["attention_mask"][k, : len(e.ids)] = 1
                feed["token_type_ids"][k, : len(e.ids)] = e.type_ids
            logits = self.session.run(["logits"], feed)[0][:, self.columns].astype(np.float64)
            logits -= logits.max(axis=1, keepdims=True)
            share = np.exp(logits)
            out[chunk] = share / share.sum(axis=1, keepdims=True)
        return out
