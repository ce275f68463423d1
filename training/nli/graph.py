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
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Floats = NDArray[np.float32]
_MASKED = -1e4  # exp(-1e4) is exactly 0 in float32, so padding cannot leak into a score


@dataclass(frozen=True)
class Names:
    """What a family of encoders calls its weights; `{i}` is the layer."""

    words: str
    positions: str
    #: First position of a text: MPNet counts from the id of its padding token plus one.
    first_position: int
    embedding_norm: str
    query: str
    key: str
    value: str
    attended: str
    attention_norm: str
    inner: str
    outer: str
    outer_norm: str
    pooled: str
    classifier: str
    types: str | None = None
    relative: str | None = None


def _names(
    prefix: str, attention: str, parts: tuple[str, str, str], attended: str, norm: str, **more: Any
) -> Names:
    layer = f"{prefix}.encoder.layer.{{i}}"
    query, key, value = (f"{layer}.attention.{attention}.{part}" for part in parts)
    return Names(
        words=f"{prefix}.embeddings.word_embeddings",
        positions=f"{prefix}.embeddings.position_embeddings.weight",
        embedding_norm=f"{prefix}.embeddings.LayerNorm",
        query=query,
        key=key,
        value=value,
        attended=f"{layer}.attention.{attended}",
        attention_norm=f"{layer}.attention.{norm}",
        inner=f"{layer}.intermediate.dense",
        outer=f"{layer}.output.dense",
        outer_norm=f"{layer}.output.LayerNorm",
        **more,
    )


FAMILIES: dict[str, Names] = {
    "bert": _names(
        "bert",
        "self",
        ("query", "key", "value"),
        "output.dense",
        "output.LayerNorm",
        first_position=0,
        pooled="bert.pooler.dense",
        classifier="classifier",
        types="bert.embeddings.token_type_embeddings.weight",
    ),
    "mpnet": _names(
        "mpnet",
        "attn",
        ("q", "k", "v"),
        "attn.o",
        "LayerNorm",
        first_position=2,
        pooled="classifier.dense",
        classifier="classifier.out_proj",
        relative="mpnet.encoder.relative_attention_bias.weight",
    ),
}


def buckets(reach: int, count: int, farthest: int = 128) -> NDArray[np.int64]:
    """The bucket of each distance −reach … reach between a query and a key (key minus query).

    Half of the buckets for keys behind, half for keys ahead; in each, the first half for single distances,
    the rest growing with the logarithm up to `farthest` (Raffel et al. 2020, as MPNet uses them).
    """
    distance = np.arange(-reach, reach + 1)
    half = count // 2
    exact = half // 2
    size = np.abs(distance)
    far = np.log(np.maximum(size, 1).astype(np.float32) / exact) / np.log(farthest / exact) * (half - exact)
    place = np.where(size < exact, size, np.minimum(exact + far.astype(np.int64), half - 1))
    return (np.where(distance > 0, half, 0) + place).astype(np.int64)


def quantise(weight: Floats, axis: int) -> tuple[NDArray[np.int8], Floats]:
    """Symmetric int8 with one scale per slice: ``weight ≈ q · scale``, the scale constant along ``axis``."""
    scale = np.maximum(np.abs(weight).max(axis=axis, keepdims=True), 1e-12) / 127.0
    q = np.clip(np.rint(weight / scale), -127, 127).astype(np.int8)
    return q, scale.astype(np.float32)


class GraphBuilder:
    """Nodes and initialisers of one graph; every method returns the name of its output."""

    def __init__(self, weights: Mapping[str, Floats], names: Names, int8: bool) -> None:
        self.weights = weights
        self.of = names
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
        name = f"{self.of.words}.weight"
        if not self.int8:
            return self.op("Gather", self.plain(name), ids)
        q, scale = quantise(self.weights[name], axis=1)
        rows = self.op("Cast", self.op("Gather", self.constant(f"{name}.int8", q), ids), to=TensorProto.FLOAT)
        return self.op("Mul", rows, self.op("Gather", self.constant(f"{name}.scale", scale), ids))

    def positions(self, length: str) -> str:
        """Position embeddings of a text of `length` tokens. Padding stands behind, so its rows do not matter."""
        start = self.constant("first_position", np.array([self.of.first_position], dtype=np.int64))
        axis = self.constant("zero", np.array([0], dtype=np.int64))
        return self.op("Slice", self.plain(self.of.positions), start, self.op("Add", length, start), axis)

    def bias(self, length: str, reach: int) -> str:
        """What is added to the attention scores for the distance of two tokens: 1 × heads × length × length."""
        table = self.weights[self.of.relative or ""]
        by_distance = self.constant("bias_by_distance", table[buckets(reach, len(table))])
        zero, one = (self.constant(f"number_{n}", np.array(n, dtype=np.int64)) for n in (0, 1))
        scalar = self.op("Squeeze", length)
        place = self.op("Range", zero, scalar, one)
        row = self.op("Unsqueeze", place, self.constant("row", np.array([0], dtype=np.int64)))
        column = self.op("Unsqueeze", place, self.constant("column", np.array([1], dtype=np.int64)))
        middle = self.constant("reach", np.array(reach, dtype=np.int64))
        distance = self.op("Add", self.op("Sub", row, column), middle)
        shared = self.op("Transpose", self.op("Gather", by_distance, distance), perm=[2, 0, 1])
        return self.op("Unsqueeze", shared, self.constant("row", np.array([0], dtype=np.int64)))

    def attention(self, x: str, mask: str, layer: int, heads: int, size: int) -> str:
        """Self-attention with its output projection."""
        shape = self.constant("heads_shape", np.array([0, 0, heads, size], dtype=np.int64))
        flat = self.constant("flat_shape", np.array([0, 0, heads * size], dtype=np.int64))
        parts = {}
        for part, perm in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])):
            projected = self.linear(x, getattr(self.of, part).format(i=layer), self.int8)
            parts[part] = self.op("Transpose", self.op("Reshape", projected, shape), perm=perm)
        root = self.constant("root", np.array(np.sqrt(size), dtype=np.float32))
        scores = self.op("Div", self.op("MatMul", parts["query"], parts["key"]), root)
        shares = self.op("Softmax", self.op("Add", scores, mask), axis=-1)
        mixed = self.op("Transpose", self.op("MatMul", shares, parts["value"]), perm=[0, 2, 1, 3])
        return self.linear(self.op("Reshape", mixed, flat), self.of.attended.format(i=layer), self.int8)

    def gelu(self, x: str) -> str:
        """The exact GELU, in the form ONNX Runtime fuses."""
        root = self.constant("sqrt2", np.array(np.sqrt(2.0), dtype=np.float32))
        one = self.constant("one", np.array(1.0, dtype=np.float32))
        half = self.constant("half", np.array(0.5, dtype=np.float32))
        return self.op("Mul", self.op("Mul", x, self.op("Add", self.op("Erf", self.op("Div", x, root)), one)), half)


def read_weights(model: bytes, family: str) -> dict[str, Floats]:
    """The weights in a file that `build` made, under the network's own names; int8 ones as they are unfolded."""
    names = FAMILIES[family]
    stored = {t.name: numpy_helper.to_array(t) for t in onnx.load_from_string(model).graph.initializer}
    words = f"{names.words}.weight"
    tables = {words, names.positions, names.types, names.relative}
    found: dict[str, Floats] = {}
    for key, value in stored.items():
        name = key.removesuffix(".int8")
        if name != key:
            value = value * stored[f"{name}.scale"]
        if name.endswith((".weight", ".bias")):
            value = np.array(value)
            # Linear weights are stored the other way round.
            found[name] = np.ascontiguousarray(value if value.ndim == 1 or name in tables else value.T)
    if names.relative is not None:
        by_distance = stored["bias_by_distance"]
        count = 2 * len(set(buckets(len(by_distance) // 2, 32)[: len(by_distance) // 2 + 1].tolist()))
        place = buckets(len(by_distance) // 2, count)
        # No distance is both ahead and 0, so the row of that bucket is not in the file, nor ever read.
        rows = [
            by_distance[np.argmax(place == b)] if (place == b).any() else 0 * by_distance[0] for b in range(count)
        ]
        found[names.relative] = np.stack(rows)
    return found


def build(weights: Mapping[str, Floats], config: Mapping[str, Any], int8: bool) -> onnx.ModelProto:
    """The whole model: ``input_ids, attention_mask`` and, for BERT, ``token_type_ids`` → ``logits``.

    Inputs are batch × sequence.
    """
    names = FAMILIES[config["model_type"]]
    g = GraphBuilder(weights, names, int8)
    epsilon = float(config["layer_norm_eps"])
    heads = int(config["num_attention_heads"])
    size = int(config["hidden_size"]) // heads
    inputs = ["input_ids", "attention_mask"]
    length = g.op("Shape", "input_ids", start=1, end=2)
    x = g.words("input_ids")
    if names.types is not None:
        inputs.append("token_type_ids")
        x = g.op("Add", x, g.op("Gather", g.plain(names.types), "token_type_ids"))
    x = g.norm(g.op("Add", x, g.positions(length)), names.embedding_norm, epsilon)
    absent = g.op(
        "Sub",
        g.constant("one", np.array(1.0, dtype=np.float32)),
        g.op("Cast", "attention_mask", to=TensorProto.FLOAT),
    )
    axes = g.constant("mask_axes", np.array([1, 2], dtype=np.int64))
    mask = g.op("Mul", g.op("Unsqueeze", absent, axes), g.constant("masked", np.array(_MASKED, dtype=np.float32)))
    if names.relative is not None:
        mask = g.op("Add", mask, g.bias(length, int(config["max_position_embeddings"])))
    for i in range(int(config["num_hidden_layers"])):
        x = g.norm(g.op("Add", g.attention(x, mask, i, heads, size), x), names.attention_norm.format(i=i), epsilon)
        inner = g.gelu(g.linear(x, names.inner.format(i=i), int8))
        x = g.norm(
            g.op("Add", g.linear(inner, names.outer.format(i=i), int8), x), names.outer_norm.format(i=i), epsilon
        )
    first = g.op("Gather", x, g.constant("first", np.array(0, dtype=np.int64)), axis=1)
    pooled = g.op("Tanh", g.linear(first, names.pooled, False))
    g.nodes.append(
        helper.make_node("Identity", [g.linear(pooled, names.classifier, False)], ["logits"], name="logits")
    )

    def value(name: str, kind: int, shape: list[str | int]) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, kind, shape)

    labels = int(weights[f"{names.classifier}.bias"].shape[0])
    graph = helper.make_graph(
        g.nodes,
        "nli",
        [value(n, TensorProto.INT64, ["batch", "sequence"]) for n in inputs],
        [value("logits", TensorProto.FLOAT, ["batch", labels])],
        g.initialisers,
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="epoche", ir_version=8
    )
    onnx.checker.check_model(model)
    return model
