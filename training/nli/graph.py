"""The network as an ONNX graph, written out by hand: in float32, or with int8 weights.

By hand, because then the graph is the same whatever exporter is installed, and the int8 weights can be placed
where ONNX Runtime wants them:

* linear weights are int8 initialisers behind Cast and Mul. ONNX Runtime folds the three into a float32
  constant when it loads the file, so the arithmetic is float32 and a pair's score does not depend on its
  neighbours in the batch, as it would with dynamically quantised activations;
* the word-embedding table is gathered as int8 and only the gathered rows are scaled, so it is never expanded.

Position and type embeddings, biases, layer norms, pooler and classifier stay float32.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Floats = NDArray[np.float32]
_MASKED = -1e4  # exp(-1e4) is exactly 0 in float32, so padding cannot leak into a score


def quantise(weight: Floats, axis: int) -> tuple[NDArray[np.int8], Floats]:
    """Symmetric int8 with one scale per slice: ``weight ≈ q · scale``, the scale constant along ``axis``."""
    scale = np.maximum(np.abs(weight).max(axis=axis, keepdims=True), 1e-12) / 127.0
    q = np.clip(np.rint(weight / scale), -127, 127).astype(np.int8)
    return q, scale.astype(np.float32)


class GraphBuilder:
    """Nodes and initialisers of one graph; every method returns the name of its output."""

    def __init__(self, weights: Mapping[str, Floats], int8: bool) -> None:
        self.weights = weights
        self.int8 = int8
        self.nodes: list[onnx.NodeProto] = []
        self.initialisers: list[onnx.TensorProto] = []
        self._names: set[str] = set()

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one output."""
        output = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], name=output, **attributes))
        return output

    def constant(self, name: str, value: NDArray[Any]) -> str:
        """Add an initialiser once."""
        if name not in self._names:
            self._names.add(name)
            self.initialisers.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def plain(self, name: str) -> str:
        """A weight of the model, in float32."""
        return self.constant(name, self.weights[name])

    def linear(self, x: str, name: str, int8: bool) -> str:
        """``x @ W.T + b``; int8 weights get one scale per output channel."""
        weight = self.weights[f"{name}.weight"].T
        if int8:
            q, scale = quantise(weight, axis=0)
            cast = self.op("Cast", self.constant(f"{name}.weight.int8", q), to=TensorProto.FLOAT)
            matrix = self.op("Mul", cast, self.constant(f"{name}.weight.scale", scale))
        else:
            matrix = self.constant(f"{name}.weight", weight)
        return self.op("Add", self.op("MatMul", x, matrix), self.plain(f"{name}.bias"))

    def norm(self, x: str, name: str, epsilon: float) -> str:
        """Layer normalisation over the last axis."""
        return self.op(
            "LayerNormalization",
            x,
            self.plain(f"{name}.weight"),
            self.plain(f"{name}.bias"),
            axis=-1,
            epsilon=epsilon,
        )

    def words(self, ids: str) -> str:
        """Word embeddings; in int8 the table has one scale per row."""
        name = "bert.embeddings.word_embeddings.weight"
        if not self.int8:
            return self.op("Gather", self.plain(name), ids)
        q, scale = quantise(self.weights[name], axis=1)
        rows = self.op("Cast", self.op("Gather", self.constant(f"{name}.int8", q), ids), to=TensorProto.FLOAT)
        return self.op("Mul", rows, self.op("Gather", self.constant(f"{name}.scale", scale), ids))

    def attention(self, x: str, mask: str, layer: str, heads: int, size: int) -> str:
        """Self-attention with its output projection."""
        shape = self.constant("heads_shape", np.array([0, 0, heads, size], dtype=np.int64))
        flat = self.constant("flat_shape", np.array([0, 0, heads * size], dtype=np.int64))
        parts = {}
        for part, perm in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])):
            projected = self.linear(x, f"{layer}.attention.self.{part}", self.int8)
            parts[part] = self.op("Transpose", self.op("Reshape", projected, shape), perm=perm)
        root = self.constant("root", np.array(np.sqrt(size), dtype=np.float32))
        scores = self.op("Div", self.op("MatMul", parts["query"], parts["key"]), root)
        shares = self.op("Softmax", self.op("Add", scores, mask), axis=-1)
        mixed = self.op("Transpose", self.op("MatMul", shares, parts["value"]), perm=[0, 2, 1, 3])
        return self.linear(self.op("Reshape", mixed, flat), f"{layer}.attention.output.dense", self.int8)

    def gelu(self, x: str) -> str:
        """The exact GELU, in the form ONNX Runtime fuses."""
        root = self.constant("sqrt2", np.array(np.sqrt(2.0), dtype=np.float32))
        one = self.constant("one", np.array(1.0, dtype=np.float32))
        half = self.constant("half", np.array(0.5, dtype=np.float32))
        return self.op("Mul", self.op("Mul", x, self.op("Add", self.op("Erf", self.op("Div", x, root)), one)), half)


def build(weights: Mapping[str, Floats], config: Mapping[str, Any], int8: bool) -> onnx.ModelProto:
    """The whole model: ``input_ids, attention_mask, token_type_ids`` (batch × sequence) → ``logits``."""
    g = GraphBuilder(weights, int8)
    epsilon = float(config["layer_norm_eps"])
    heads = int(config["num_attention_heads"])
    size = int(config["hidden_size"]) // heads
    length = g.op("Shape", "input_ids", start=1, end=2)
    zero = g.constant("zero", np.array([0], dtype=np.int64))
    places = g.op("Slice", g.plain("bert.embeddings.position_embeddings.weight"), zero, length, zero)
    types = g.op("Gather", g.plain("bert.embeddings.token_type_embeddings.weight"), "token_type_ids")
    x = g.op("Add", g.op("Add", g.words("input_ids"), types), places)
    x = g.norm(x, "bert.embeddings.LayerNorm", epsilon)
    absent = g.op(
        "Sub",
        g.constant("one", np.array(1.0, dtype=np.float32)),
        g.op("Cast", "attention_mask", to=TensorProto.FLOAT),
    )
    axes = g.constant("mask_axes", np.array([1, 2], dtype=np.int64))
    mask = g.op("Mul", g.op("Unsqueeze", absent, axes), g.constant("masked", np.array(_MASKED, dtype=np.float32)))
    for i in range(int(config["num_hidden_layers"])):
        layer = f"bert.encoder.layer.{i}"
        x = g.norm(
            g.op("Add", g.attention(x, mask, layer, heads, size), x),
            f"{layer}.attention.output.LayerNorm",
            epsilon,
        )
        inner = g.gelu(g.linear(x, f"{layer}.intermediate.dense", int8))
        x = g.norm(
            g.op("Add", g.linear(inner, f"{layer}.output.dense", int8), x),
            f"{layer}.output.LayerNorm",
            epsilon,
        )
    first = g.op("Gather", x, g.constant("first", np.array(0, dtype=np.int64)), axis=1)
    pooled = g.op("Tanh", g.linear(first, "bert.pooler.dense", False))
    g.nodes.append(helper.make_node("Identity", [g.linear(pooled, "classifier", False)], ["logits"], name="logits"))

    def value(name: str, kind: int, shape: list[str | int]) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, kind, shape)

    inputs = [
        value(n, TensorProto.INT64, ["batch", "sequence"])
        for n in ("input_ids", "attention_mask", "token_type_ids")
    ]
    labels = int(weights["classifier.bias"].shape[0])
    graph = helper.make_graph(
        g.nodes, "nli", inputs, [value("logits", TensorProto.FLOAT, ["batch", labels])], g.initialisers
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="epoche", ir_version=8
    )
    onnx.checker.check_model(model)
    return model
