"""Small NLI models made on the spot: real ONNX graphs with random weights, and real tokenizers.

`bag_model` needs only `onnx`: it averages word vectors of the premise and of the hypothesis and has
one linear layer on top. `tiny_bert` and `tiny_deberta` are made and exported by torch and transformers.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from epoche.backends.labels import KNOWN_PAIRS
from epoche.types import NLI_LABELS

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
CORPUS = [text for premise, hypothesis, _ in KNOWN_PAIRS for text in (premise, hypothesis)] + [
    "β-catenin rose from 3.5 ± 0.2 to 7 mg in cells of the naïve group.",
    "Der Anstieg war nicht significant; p < 0.05 for 細胞 and 混合物 only.",
    "abcdefghijklmnopqrstuvwxyz 0123456789 _ - . , ; ( ) %",
]
WIDTH = 64


def wordpiece() -> Tokenizer:
    """BERT's kind, with a stored truncation and padding that a loader must switch off."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=400, special_tokens=SPECIAL, show_progress=False)
    return _with_template(tokenizer, trainer)


def unigram() -> Tokenizer:
    """DeBERTa-v3's kind: SentencePiece with blanks as part of tokens."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=250, special_tokens=SPECIAL, unk_token="[UNK]", show_progress=False
    )
    return _with_template(tokenizer, trainer)


def byte_level() -> Tokenizer:
    """RoBERTa's kind: byte pairs, so that one character may be several tokens."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    trainer = trainers.BpeTrainer(
        vocab_size=500,
        special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    return _with_template(tokenizer, trainer)


def _with_template(tokenizer: Tokenizer, trainer: Any) -> Tokenizer:
    tokenizer.train_from_iterator(CORPUS * 3, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(t, tokenizer.token_to_id(t)) for t in ("[CLS]", "[SEP]")],
    )
    tokenizer.enable_truncation(16)
    tokenizer.enable_padding(length=16)
    return tokenizer


@dataclass
class Bag:
    """What a bag model is made of; the defaults make one that loads."""

    tokenizer: Tokenizer = field(default_factory=wordpiece)
    labels: Sequence[str] | None = NLI_LABELS
    #: float32[2 · WIDTH, outputs]; by default random, with its columns in the order of `labels`.
    head: NDArray[np.float32] | None = None
    bias: NDArray[np.float32] | None = None
    inputs: Sequence[str] = ("input_ids", "attention_mask", "token_type_ids")
    outputs: Sequence[str] = ("logits",)
    shape: Sequence[str | int] = ("batch", "sequence")
    integer: str = "int64"
    external: str = ""
    config: dict[str, Any] = field(default_factory=dict)
    place: str = "model.onnx"


def embeddings(tokenizer: Tokenizer) -> NDArray[np.float32]:
    rng = np.random.default_rng(7)
    return rng.normal(size=(tokenizer.get_vocab_size(), WIDTH)).astype(np.float32)


def random_head(seed: int = 3, columns: int = 3) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(scale=0.2, size=(2 * WIDTH, columns)).astype(np.float32)


def knowing_head(tokenizer: Tokenizer) -> NDArray[np.float32]:
    """A head that gets every known pair right: 12 equations in 128 unknowns, solved by least squares."""
    table = embeddings(tokenizer)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    features, targets = [], []
    for premise, hypothesis, label in KNOWN_PAIRS:
        encoding = tokenizer.encode(premise, hypothesis)
        vectors, side = table[encoding.ids], np.array(encoding.type_ids)
        features.append(np.concatenate([vectors[side == 0].mean(axis=0), vectors[side == 1].mean(axis=0)]))
        targets.append([4.0 if label == name else 0.0 for name in NLI_LABELS])
    solution = np.linalg.lstsq(np.array(features), np.array(targets), rcond=None)[0]
    return solution.astype(np.float32)


def bag_model(folder: Path, bag: Bag | None = None) -> Path:
    """Write model, tokenizer and config into `folder`, and give it back."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    bag = bag or Bag()
    folder.mkdir(parents=True, exist_ok=True)
    head = random_head() if bag.head is None else bag.head
    bias = np.zeros(head.shape[1], np.float32) if bag.bias is None else bag.bias
    kind = {"int64": TensorProto.INT64, "int32": TensorProto.INT32, "float": TensorProto.FLOAT}[bag.integer]
    constants = {
        "table": embeddings(bag.tokenizer),
        "head": head,
        "bias": bias,
        "one": np.array(1, np.float32),
        "last": np.array([-1], np.int64),
        "sequence": np.array([1], np.int64),
    }
    sides = [("premise", "is_premise"), ("hypothesis", "is_hypothesis")]
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["vectors"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
    ]
    # Without segments both halves of the features are the mean over all tokens.
    segments = "token_type_ids" in bag.inputs
    if segments:
        nodes.append(helper.make_node("Cast", ["token_type_ids"], ["segment"], to=TensorProto.FLOAT))
    else:
        nodes.append(helper.make_node("Mul", ["mask", "one"], ["segment"]))
    nodes += [
        helper.make_node("Mul", ["mask", "segment"], ["is_hypothesis"]),
        helper.make_node("Sub", ["mask", "is_hypothesis"], ["rest"]),
        helper.make_node("Max", ["rest"] if segments else ["mask"], ["is_premise"]),
    ]
    for name, selected in sides:
        nodes += [
            helper.make_node("Unsqueeze", [selected, "last"], [f"{name}_column"]),
            helper.make_node("Mul", ["vectors", f"{name}_column"], [f"{name}_vectors"]),
            helper.make_node("ReduceSum", [f"{name}_vectors", "sequence"], [f"{name}_sum"], keepdims=0),
            helper.make_node("ReduceSum", [selected, "sequence"], [f"{name}_count"], keepdims=1),
            helper.make_node("Div", [f"{name}_sum", f"{name}_count"], [f"{name}_mean"]),
        ]
    nodes += [
        helper.make_node("Concat", ["premise_mean", "hypothesis_mean"], ["both"], axis=1),
        helper.make_node("MatMul", ["both", "head"], ["product"]),
        helper.make_node("Add", ["product", "bias"], [bag.outputs[0]]),
        *(helper.make_node("Identity", ["both"], [name]) for name in bag.outputs[1:]),
    ]
    graph = helper.make_graph(
        nodes,
        "bag",
        [helper.make_tensor_value_info(name, kind, list(bag.shape)) for name in bag.inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", None]) for name in bag.outputs],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path = folder / bag.place
    path.parent.mkdir(parents=True, exist_ok=True)
    if bag.external:
        onnx.save(model, str(path), save_as_external_data=True, location=bag.external, size_threshold=1024)
    else:
        onnx.save(model, str(path))
    _beside(folder, bag.tokenizer, bag.labels, {"max_position_embeddings": 64, "pad_token_id": 0} | bag.config)
    return folder


def _beside(folder: Path, tokenizer: Tokenizer, labels: Sequence[str] | None, config: dict[str, Any]) -> None:
    tokenizer.save(str(folder / "tokenizer.json"))
    if labels is not None:
        config = config | {"id2label": {str(i): name for i, name in enumerate(labels)}}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")


def tiny_bert(folder: Path) -> Path:
    """Two layers of BERT, wide enough for ONNX Runtime's blocked kernels; random weights."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    tokenizer = wordpiece()
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=192,
        max_position_embeddings=128,
        num_labels=3,
        initializer_range=0.2,
    )
    names = ("input_ids", "attention_mask", "token_type_ids")
    _export(BertForSequenceClassification(config), names, folder)
    labels = ("contradiction", "entailment", "neutral")
    _beside(folder, tokenizer, labels, {"model_type": "bert", "max_position_embeddings": 128, "pad_token_id": 0})
    return folder


def tiny_deberta(folder: Path) -> Path:
    """Two layers of DeBERTa-v2 as version 3 has it (relative positions, no segments); random weights."""
    import torch
    from transformers import DebertaV2Config, DebertaV2ForSequenceClassification

    tokenizer = unigram()
    torch.manual_seed(2)
    config = DebertaV2Config(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=192,
        max_position_embeddings=128,
        relative_attention=True,
        position_buckets=32,
        pos_att_type=["p2c", "c2p"],
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        position_biased_input=False,
        type_vocab_size=0,
        num_labels=3,
        initializer_range=0.2,
    )
    _export(DebertaV2ForSequenceClassification(config), ("input_ids", "attention_mask"), folder)
    labels = ("ENTAILMENT", "NEUTRAL", "CONTRADICTION")
    _beside(
        folder,
        tokenizer,
        labels,
        {"model_type": "deberta-v2", "max_position_embeddings": 128, "pad_token_id": 0},
    )
    return folder


def _export(classifier: Any, names: Sequence[str], folder: Path) -> None:
    import torch

    class Logits(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = classifier.eval()

        def forward(self, *tensors: torch.Tensor) -> torch.Tensor:
            return self.inner(**dict(zip(names, tensors, strict=True))).logits

    folder.mkdir(parents=True, exist_ok=True)
    example = torch.ones((2, 16), dtype=torch.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Logits(),
            (example,) * len(names),
            str(folder / "model.onnx"),
            input_names=list(names),
            output_names=["logits"],
            dynamic_axes={name: {0: "batch", 1: "sequence"} for name in names} | {"logits": {0: "batch"}},
            opset_version=18,
            dynamo=False,
        )
