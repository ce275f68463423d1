"""Sentence encoders on real graphs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from epoche.backends.onnx_encoder import OnnxEncoder
from epoche.errors import ModelError, UnknownBackend
from tests.backends.tiny_models import Bag, bag_model, embeddings, random_head, wordpiece

TEXTS = ["mice survived", "β-catenin rose", "the naïve group fell by 3.5 µM", "", "mice survived " * 200]


def pooled(folder: Path) -> Path:
    """A graph with one vector a text."""
    inputs = ("input_ids", "attention_mask")
    return bag_model(folder, replace(Bag(), outputs=("sentence_embedding",), labels=None, inputs=inputs))


def per_token(folder: Path) -> Path:
    """A graph with one vector a token."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    pooled(folder)
    table = embeddings(wordpiece())
    names = ["input_ids", "attention_mask"]
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        "tokens",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "sequence"]) for name in names],
        [
            helper.make_tensor_value_info(
                "last_hidden_state", TensorProto.FLOAT, ["batch", "sequence", table.shape[1]]
            )
        ],
        [numpy_helper.from_array(table, "table")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    for place in ("model.onnx", "onnx/model.onnx"):
        if (folder / place).exists():
            onnx.save(model, str(folder / place))
    return folder


@pytest.mark.parametrize("kind", [pooled, per_token])
def test_a_vector_depends_on_its_text_alone(tmp_path: Path, kind: object) -> None:
    encoder = OnnxEncoder.load(str(kind(tmp_path / "m")))  # type: ignore[operator]
    together = encoder.encode(TEXTS)
    assert together.dtype == np.float32
    alone = np.concatenate([encoder.encode([text]) for text in reversed(TEXTS)])[::-1]
    assert (together == alone).all()
    assert np.allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-3)
    assert encoder.encode([]).shape[0] == 0


def test_averaged_over_tokens_by_hand(tmp_path: Path) -> None:
    encoder = OnnxEncoder.load(str(per_token(tmp_path / "m")))
    tokenizer, table = wordpiece(), embeddings(wordpiece())
    tokenizer.no_padding()
    mean = table[tokenizer.encode("mice survived").ids].mean(axis=0)
    assert np.allclose(encoder.encode(["mice survived"])[0], mean / np.linalg.norm(mean), atol=1e-4)


def test_the_component_is_name_and_hash(tmp_path: Path) -> None:
    one, other = OnnxEncoder.load(str(pooled(tmp_path / "m"))), OnnxEncoder.load(str(per_token(tmp_path / "n")))
    assert (one.component.name, len(one.component.version)) == ("m", 64)
    assert one.component.version != other.component.version


def test_what_is_no_encoder_is_refused(tmp_path: Path) -> None:
    classifier = bag_model(tmp_path / "c", replace(Bag(), head=random_head()))
    with pytest.raises(ModelError, match="sentence encoder"):
        OnnxEncoder.load(str(classifier))
    with pytest.raises(UnknownBackend):
        OnnxEncoder.load("nosuchmodel")
