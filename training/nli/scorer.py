"""Probabilities from an exported folder, with ONNX Runtime only. Labels are read by name."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

from training.nli.pairs import LABELS, Probabilities

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
        self.pad = int(config.get("pad_token_id", 0))
        self.session = ort.InferenceSession(
            model or (folder / "model.onnx").read_bytes(), options, providers=["CPUExecutionProvider"]
        )
        self.inputs = [i.name for i in self.session.get_inputs()]
        self.tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(EVALUATION_LENGTH, strategy="longest_first")
        self.cut = self.scored = 0

    def score(self, pairs: Sequence[tuple[str, str]], batch: int = 32) -> Probabilities:
        """P(entailment), P(neutral), P(contradiction) of every (premise, hypothesis)."""
        encoded = self.tokenizer.encode_batch(list(pairs))
        self.scored += len(pairs)
        self.cut += sum(bool(e.overflowing) for e in encoded)
        out = np.zeros((len(pairs), len(LABELS)))
        rows = sorted(range(len(pairs)), key=lambda i: len(encoded[i].ids))
        for i in range(0, len(rows), batch):
            chunk = rows[i : i + batch]
            width = max(len(encoded[r].ids) for r in chunk)
            ids, mask, types = (np.full((len(chunk), width), v, dtype=np.int64) for v in (self.pad, 0, 0))
            for k, row in enumerate(chunk):
                e = encoded[row]
                ids[k, : len(e.ids)] = e.ids
                mask[k, : len(e.ids)] = 1
                types[k, : len(e.ids)] = e.type_ids
            given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
            logits = self.session.run(["logits"], {name: given[name] for name in self.inputs})[0][
                :, self.columns
            ].astype(np.float64)
            logits -= logits.max(axis=1, keepdims=True)
            share = np.exp(logits)
            out[chunk] = share / share.sum(axis=1, keepdims=True)
        return out
