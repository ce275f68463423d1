"""Sentence encoders on ONNX Runtime: texts → vectors, for searching by meaning. Local folders and the hub."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from tokenizers import Tokenizer

from epoche.backends.model_files import find_model, max_tokens, read_json
from epoche.backends.onnx_refs import has_dynamic_quantization
from epoche.backends.onnx_session import (
    Row,
    batches,
    first_line,
    graph_inputs,
    open_session,
    open_tokenizer,
    padded,
    padded_width,
)
from epoche.errors import BackendError, ModelError
from epoche.types import Component

#: Outputs that are one vector a text, and those that are one a token.
_TEXT, _TOKENS = ("sentence_embedding", "pooler_embedding"), ("last_hidden_state", "token_embeddings")
#: Most tokens of a text that are encoded; the rest of a long passage is searched by its words only.
_MOST = 256
_BATCH = 32


class OnnxEncoder:
    """An `Encoder`: a graph with a vector for each text, or one for each token, which are averaged.

    Made by `OnnxEncoder.load`.
    """

    def __init__(
        self,
        session: ort.InferenceSession,
        tokenizer: Tokenizer,
        pad: int,
        limit: int,
        component: Component,
        alone: bool,
    ) -> None:
        self._session, self._tokenizer, self._pad, self._limit = session, tokenizer, pad, limit
        self._inputs = graph_inputs(session, component.name)
        self._output, self._pooled = _output(session, component.name)
        self._alone = alone
        self.component = component

    @classmethod
    def load(
        cls, name: str, *, threads: int = 1, offline: bool = False, cache_dir: Path | None = None
    ) -> OnnxEncoder:
        """The encoder called `name`: a folder, or `org/name` of the hub (see `model_files`).

        Raises:
            UnknownBackend: no model of that name.
            ModelError: its files or its graph cannot be used.
        """
        files = find_model(name, offline=offline, cache_dir=cache_dir)
        tokenizer, pad = open_tokenizer(files, read_json(files.config, files.name))
        return cls(
            open_session(files, threads),
            tokenizer,
            pad,
            min(max_tokens(files), _MOST),
            Component(name=files.name, version=files.sha256()),
            has_dynamic_quantization(files.model),
        )

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Encoder.encode`."""
        rows = [self._row(i, text) for i, text in enumerate(texts)]
        found: list[NDArray[np.float32] | None] = [None] * len(rows)
        for batch in batches(rows, 1 if self._alone else _BATCH):
            for row, vector in zip(batch, self._run(batch), strict=True):
                found[row.index] = vector
        known = [vector for vector in found if vector is not None]
        return np.stack(known) if known else np.zeros((0, 0), dtype=np.float32)

    def _row(self, index: int, text: str) -> Row:
        try:
            encoding = self._tokenizer.encode(text)
        except Exception as error:  # whatever the tokenizer raises
            raise BackendError(f"{self.component.name}: the tokenizer fails on a text ({error})") from error
        ids, kinds = list(encoding.ids), list(encoding.type_ids)
        if len(ids) > self._limit:
            # The last special token ends the text wherever it is cut.
            ids, kinds = [*ids[: self._limit - 1], ids[-1]], [*kinds[: self._limit - 1], kinds[-1]]
        return Row(index, np.array(ids, np.int64), np.array(kinds, np.int64), padded_width(len(ids), self._limit))

    def _run(self, batch: Sequence[Row]) -> NDArray[np.float32]:
        given = padded(batch, self._pad, double=len(batch) == 1 and not self._alone)
        try:
            (output,) = self._session.run(
                [self._output], {name: given[name].astype(kind) for name, kind in self._inputs.items()}
            )
        except Exception as error:  # whatever ONNX Runtime raises
            raise BackendError(f"{self.component.name}: ONNX Runtime fails: {first_line(error)}") from error
        vectors = np.asarray(output, dtype=np.float64)
        if not self._pooled:
            mask = given["attention_mask"][:, :, None]
            vectors = (vectors * mask).sum(axis=1) / np.maximum(mask.sum(axis=1), 1)
        if vectors.ndim != 2 or not np.isfinite(vectors).all():
            raise BackendError(
                f"{self.component.name} gives no finite vector for each text: choose another encoder"
            )
        lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        # Rounded, so that the last bits of a machine's arithmetic never decide an order.
        rounded: NDArray[np.float32] = np.round(vectors / lengths, 4)[: len(batch)].astype(np.float32)
        return rounded


def _output(session: ort.InferenceSession, name: str) -> tuple[str, bool]:
    """The output to read, and whether it is one vector a text."""
    outputs = {o.name: len(o.shape) for o in session.get_outputs()}
    for known, pooled in (*((n, True) for n in _TEXT), *((n, False) for n in _TOKENS)):
        if outputs.get(known) == (2 if pooled else 3):
            return known, pooled
    if len(outputs) == 1 and next(iter(outputs.values())) in (2, 3):
        only = next(iter(outputs))
        if only != "logits":
            return only, outputs[only] == 2
    raise ModelError(
        f"{name}: none of its outputs ({', '.join(outputs)}) is a vector for each text or token: give a sentence "
        "encoder, such as sentence-transformers/all-MiniLM-L6-v2"
    )
