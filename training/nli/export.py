"""Stage `export`: trained weights → a folder for ONNX Runtime, refused if int8 changes the answers."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from training.nli.graph import Floats, build
from training.nli.model import new_model, tokenizer
from training.nli.pairs import LABELS, Pair, read_pairs
from training.nli.scorer import Scorer

MIN_AGREEMENT = 0.99
COMPARED_PAIRS = 5000


class ExportRefused(RuntimeError):
    """The int8 model disagrees too often with the float32 one."""


def sha256(path: Path) -> str:
    """Hash of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def trained_state(work: Path, interim: bool) -> dict[str, Tensor]:
    """The averaged weights: of the finished run, or of the latest checkpoint."""
    if not interim:
        final: dict[str, Tensor] = torch.load(work / "final.pt", map_location="cpu", weights_only=True)
        return final
    checkpoint = torch.load(work / "checkpoint.pt", map_location="cpu", weights_only=True)
    state: dict[str, Tensor] = checkpoint["model"]
    names = [n for n, p in new_model().named_parameters() if p.requires_grad]
    state.update(zip(names, checkpoint["average"], strict=True))
    return state


def write_config(folder: Path, max_length: int) -> dict[str, Any]:
    """Write ``config.json`` (labels by name) and the tokeniser without padding or truncation."""
    base = new_model().config.to_dict()
    keys = (
        "model_type", "vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads",
        "intermediate_size", "hidden_act", "max_position_embeddings", "type_vocab_size", "layer_norm_eps",
        "pad_token_id",
    )  # fmt: skip
    config = {
        "architectures": ["BertForSequenceClassification"],
        **{key: base[key] for key in keys},
        "id2label": {str(i): name for i, name in enumerate(LABELS)},
        "label2id": {name: i for i, name in enumerate(LABELS)},
        "trained_max_length": max_length,
    }
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    tok = tokenizer(max_length)
    tok.no_truncation()
    tok.save(str(folder / "tokenizer.json"))
    return config


def torch_gap(state: Mapping[str, Tensor], scorer: Scorer, pairs: list[tuple[str, str]]) -> float:
    """Largest probability difference between torch and the float32 graph: is the hand-written graph right?"""
    model = new_model().train(False)
    model.load_state_dict(dict(state))
    rows = []
    with torch.no_grad():
        for pair in pairs:
            e = scorer.tokenizer.encode(*pair)
            logits = model(input_ids=torch.tensor([e.ids]), token_type_ids=torch.tensor([e.type_ids])).logits
            rows.append(torch.softmax(logits[0].double(), dim=-1).numpy())
    return float(np.abs(np.stack(rows) - scorer.score(pairs)).max())


def compare(left: Scorer, right: Scorer, pairs: list[tuple[str, str]]) -> dict[str, float]:
    """Label agreement and probability differences of two models on the same pairs."""
    a, b = left.score(pairs), right.score(pairs)
    gap = np.abs(a - b)
    return {
        "pairs": len(pairs),
        "label_agreement": round(float((a.argmax(1) == b.argmax(1)).mean()), 5),
        "mean_abs_dp": round(float(gap.mean()), 6),
        "p99_abs_dp": round(float(np.quantile(gap, 0.99)), 6),
        "max_abs_dp": round(float(gap.max()), 6),
    }


def _held_out(work: Path) -> list[tuple[str, str]]:
    def place(pair: Pair) -> bytes:
        return hashlib.sha256((pair.premise + pair.hypothesis).encode()).digest()

    return [(p.premise, p.hypothesis) for p in sorted(read_pairs(work / "validation.jsonl.gz"), key=place)][
        :COMPARED_PAIRS
    ]


def export(work: Path, max_length: int, interim: bool = False, threads: int = 2) -> dict[str, Any]:
    """Write ``work/mini``, unless the comparison it returns would be too bad (:class:`ExportRefused`)."""
    state = trained_state(work, interim)
    weights: dict[str, Floats] = {k: v.float().numpy() for k, v in state.items()}
    draft = work / "draft"
    draft.mkdir(exist_ok=True)
    config = write_config(draft, max_length)
    full = build(weights, config, int8=False).SerializeToString()
    small = build(weights, config, int8=True).SerializeToString()
    pairs = _held_out(work)
    reference = Scorer(draft, full, threads)
    report: dict[str, Any] = {
        "interim": interim,
        "bytes_float32": len(full),
        "bytes_int8": len(small),
        "torch_vs_onnx_max_abs_dp": torch_gap(state, reference, pairs[:48]),
        "int8_vs_float32": compare(reference, Scorer(draft, small, threads), pairs),
    }
    print(json.dumps(report, indent=1))
    if report["torch_vs_onnx_max_abs_dp"] > 1e-3:
        raise ExportRefused("the ONNX graph does not compute what torch computes")
    if report["int8_vs_float32"]["label_agreement"] < MIN_AGREEMENT:
        raise ExportRefused(f"int8 and float32 agree on fewer than {MIN_AGREEMENT:.0%} of the labels")
    folder = work / "mini"
    folder.mkdir(exist_ok=True)
    (folder / "model.onnx").write_bytes(small)
    for name in ("config.json", "tokenizer.json"):
        (draft / name).replace(folder / name)
    draft.rmdir()
    if not interim:
        report["final_sha256"] = sha256(work / "final.pt")
    report["model_sha256"] = sha256(folder / "model.onnx")
    (work / "export.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return report
