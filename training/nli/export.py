"""Stage `export`: trained weights → a folder for ONNX Runtime, refused if int8 changes the answers."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from torch import Tensor

from training.nli.config import Mixture, TrainConfig
from training.nli.graph import FAMILIES, Floats, build
from training.nli.model import new_model, tokenizer
from training.nli.pairs import LABELS, Pair, Probabilities, read_pairs
from training.nli.scorer import Scorer

MIN_AGREEMENT = 0.99
COMPARED_PAIRS = 5000


class ExportRefused(RuntimeError):
    """The int8 model disagrees too often with the float32 one."""


def sha256(path: Path) -> str:
    """Hash of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def trained_state(folder: Path, config: TrainConfig, interim: bool) -> dict[str, Tensor]:
    """The averaged weights: of the finished run, or of the latest checkpoint."""
    if not interim:
        final: dict[str, Tensor] = torch.load(folder / "final.pt", map_location="cpu", weights_only=True)
        return final
    checkpoint = torch.load(folder / "checkpoint.pt", map_location="cpu", weights_only=True)
    state: dict[str, Tensor] = checkpoint["model"]
    names = [n for n, p in new_model(config).named_parameters() if p.requires_grad]
    state.update(zip(names, checkpoint["average"], strict=True))
    return state


def write_config(folder: Path, settings: TrainConfig) -> dict[str, Any]:
    """Write ``config.json`` (labels by name) and the tokeniser without padding or truncation."""
    model = new_model(settings)
    base = model.config.to_dict()
    keys = (
        "model_type", "vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads",
        "intermediate_size", "hidden_act", "max_position_embeddings", "type_vocab_size", "layer_norm_eps",
        "relative_attention_num_buckets", "pad_token_id",
    )  # fmt: skip
    config = {
        "architectures": [type(model).__name__],
        **{key: base[key] for key in keys if key in base},
        "id2label": {str(i): name for i, name in enumerate(LABELS)},
        "label2id": {name: i for i, name in enumerate(LABELS)},
        "trained_max_length": settings.max_length,
    }
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    tok = tokenizer(settings)
    tok.no_truncation()
    tok.save(str(folder / "tokenizer.json"))
    return config


def torch_gap(
    config: TrainConfig, state: Mapping[str, Tensor], scorer: Scorer, pairs: list[tuple[str, str]]
) -> float:
    """Largest probability difference between torch and the float32 graph: is the hand-written graph right?"""
    model = new_model(config).train(False)
    model.load_state_dict(dict(state))
    rows = []
    with torch.no_grad():
        for pair in pairs:
            e = scorer.tokenizer.encode(*pair)
            more = {"token_type_ids": torch.tensor([e.type_ids])} if "token_type_ids" in scorer.inputs else {}
            logits = model(input_ids=torch.tensor([e.ids]), **more).logits
            rows.append(torch.softmax(logits[0].double(), dim=-1).numpy())
    return float(np.abs(np.stack(rows) - scorer.score(pairs)).max())


def fitted_temperature(logits: NDArray[np.float64], gold: NDArray[np.int64]) -> float:
    """The T that minimises the mean −log softmax(logits / T)[gold] (Guo et al. 2017)."""

    def loss(log_t: float) -> float:
        scaled = logits / np.exp(log_t)
        scaled -= scaled.max(axis=1, keepdims=True)
        return float((np.log(np.exp(scaled).sum(axis=1)) - scaled[np.arange(len(gold)), gold]).mean())

    return float(np.exp(minimize_scalar(loss, bounds=(-2.5, 2.5), method="bounded").x))


def at_temperature(weights: Mapping[str, Floats], family: str, temperature: float) -> dict[str, Floats]:
    """The weights with every logit divided by T: in the last layer, so that nobody can forget it."""
    last = FAMILIES[family].classifier
    scaled = {name: (weights[name] / temperature).astype(np.float32) for name in (f"{last}.weight", f"{last}.bias")}
    return {**weights, **scaled}


def compare(a: Probabilities, b: Probabilities) -> dict[str, float]:
    """Label agreement and probability differences of two models on the same pairs."""
    gap = np.abs(a - b)
    return {
        "pairs": len(a),
        "label_agreement": round(float((a.argmax(1) == b.argmax(1)).mean()), 5),
        "mean_abs_dp": round(float(gap.mean()), 6),
        "p99_abs_dp": round(float(np.quantile(gap, 0.99)), 6),
        "max_abs_dp": round(float(gap.max()), 6),
    }


def _held_out(work: Path) -> list[Pair]:
    def place(pair: Pair) -> bytes:
        return hashlib.sha256((pair.premise + pair.hypothesis).encode()).digest()

    return sorted(read_pairs(work / "validation.jsonl.gz"), key=place)[:COMPARED_PAIRS]


def export(work: Path, mixture: Mixture, interim: bool = False, threads: int = 2) -> dict[str, Any]:
    """Write ``work/TIER/model``, unless the comparison it returns would be too bad (:class:`ExportRefused`)."""
    home, settings = work / mixture.tier, mixture.train
    state = trained_state(home, settings, interim)
    weights: dict[str, Floats] = {k: v.float().numpy() for k, v in state.items()}
    draft = home / "draft"
    draft.mkdir(exist_ok=True)
    config = write_config(draft, settings)
    full = build(weights, config, int8=False).SerializeToString()
    held = _held_out(work)
    pairs = [(p.premise, p.hypothesis) for p in held]
    scorer = Scorer(draft, full, threads)
    gap = torch_gap(settings, state, scorer, pairs[:48])
    logits = np.log(np.maximum(scorer.score(pairs), 1e-12))
    known = [i for i, p in enumerate(held) if p.label in LABELS]
    temperature = fitted_temperature(logits[known], np.array([LABELS.index(held[i].label) for i in known]))
    weights = at_temperature(weights, config["model_type"], temperature)
    small = build(weights, config, int8=True).SerializeToString()
    exact = np.exp(logits / temperature)
    exact /= exact.sum(axis=1, keepdims=True)
    report: dict[str, Any] = {
        "interim": interim,
        "bytes_float32": len(full),
        "bytes_int8": len(small),
        "torch_vs_onnx_max_abs_dp": gap,
        "temperature": round(temperature, 4),
        "int8_vs_float32": compare(exact, Scorer(draft, small, threads).score(pairs)),
    }
    print(json.dumps(report, indent=1))
    if report["torch_vs_onnx_max_abs_dp"] > 1e-3:
        raise ExportRefused("the ONNX graph does not compute what torch computes")
    if report["int8_vs_float32"]["label_agreement"] < MIN_AGREEMENT:
        raise ExportRefused(f"int8 and float32 agree on fewer than {MIN_AGREEMENT:.0%} of the labels")
    folder = home / "model"
    folder.mkdir(exist_ok=True)
    (folder / "model.onnx").write_bytes(small)
    for name in ("config.json", "tokenizer.json"):
        (draft / name).replace(folder / name)
    draft.rmdir()
    if not interim:
        report["final_sha256"] = sha256(home / "final.pt")
    report["model_sha256"] = sha256(folder / "model.onnx")
    (home / "export.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return report
