"""What models of text on ONNX Runtime share: tokenizer, session, batches whose rows do not disturb each other."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from tokenizers import Tokenizer

from epoche.backends.model_files import ModelFiles
from epoche.errors import ModelError

#: Rows are padded to a multiple of this many tokens.
_LENGTH_STEP = 8
#: Most tokens of a batch with its padding, so that memory is bounded whatever the batch size.
_BATCH_TOKENS = 4096
_PAD_TOKENS = ("[PAD]", "<pad>")
_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_TYPES: dict[str, type[np.int64] | type[np.int32]] = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


@dataclass(frozen=True)
class Row:
    """A tokenized text or pair: token ids, and the segment (0 premise, 1 hypothesis) of each."""

    index: int
    ids: NDArray[np.int64]
    segments: NDArray[np.int64]
    #: Tokens it is padded to.
    width: int


def padded_width(length: int, limit: int) -> int:
    """Tokens that a row is padded to: they follow from the row alone."""
    return min(-(-length // _LENGTH_STEP) * _LENGTH_STEP, limit)


def padded(batch: Sequence[Row], pad: int, *, double: bool) -> dict[str, NDArray[np.int64]]:
    """The inputs of a graph for rows of one width.

    Args:
        double: a lone row is given twice, for one row takes another path through matrix products.
    """
    rows = [*batch, *batch] if double else list(batch)
    shape = (len(rows), rows[0].width)
    ids, mask, segments = np.full(shape, pad), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for i, row in enumerate(rows):
        ids[i, : len(row.ids)] = row.ids
        mask[i, : len(row.ids)] = 1
        segments[i, : len(row.ids)] = row.segments
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": segments}


def batches(rows: Sequence[Row], size: int) -> Iterator[list[Row]]:
    """Rows of one width together, at most `size` of them and at most `_BATCH_TOKENS` tokens."""
    ordered = sorted(rows, key=lambda row: (row.width, row.ids.tobytes(), row.segments.tobytes()))
    for width, group in groupby(ordered, key=lambda row: row.width):
        same = list(group)
        most = max(1, min(size, _BATCH_TOKENS // width))
        yield from (same[i : i + most] for i in range(0, len(same), most))


def open_tokenizer(files: ModelFiles, config: dict[str, Any]) -> tuple[Tokenizer, int]:
    """The tokenizer, which cuts and pads nothing, and the id of the padding token."""
    try:
        tokenizer = Tokenizer.from_file(str(files.tokenizer))
    except Exception as error:  # tokenizers raises plain Exception
        raise ModelError(
            f"{files.name}: {files.tokenizer.name} cannot be read ({first_line(error)}): get the file again"
        ) from error
    stored = tokenizer.padding or {}
    tokenizer.no_truncation()
    tokenizer.no_padding()
    # A "[SEP]" in someone's text is text, not the border between premise and hypothesis.
    tokenizer.encode_special_tokens = True
    if tokenizer.num_special_tokens_to_add(True) == 0:
        raise ModelError(
            f"{files.name}: {files.tokenizer.name} has no post-processor for pairs, so premise and "
            "hypothesis would run into each other: save it again with its pair template"
        )
    known = [tokenizer.token_to_id(token) for token in _PAD_TOKENS]
    for pad in (config.get("pad_token_id"), stored.get("pad_id"), *known):
        if isinstance(pad, int):
            return tokenizer, pad
    raise ModelError(f"{files.name}: no padding token is known: write pad_token_id into config.json")


def open_session(files: ModelFiles, threads: int) -> ort.InferenceSession:
    """A session on the processor.

    Raises:
        ModelError: ONNX Runtime cannot load the file.
    """
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Batches come in many shapes, and a remembered plan for each of them only costs memory.
    options.enable_mem_pattern = False
    try:
        return ort.InferenceSession(str(files.model), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime has no common base of its errors
        reason = first_line(error).replace(str(files.model.parent) + os.sep, "")
        raise ModelError(
            f"{files.name}: ONNX Runtime cannot load {files.model.name} ({reason}): "
            "get the file again, or choose another ONNX file of this model"
        ) from error


def graph_inputs(session: ort.InferenceSession, name: str) -> dict[str, type[np.int64] | type[np.int32]]:
    """The graph's inputs and their types.

    Raises:
        ModelError: an input that we do not know, no input_ids or attention_mask, a fixed shape.
    """
    inputs = {i.name: i for i in session.get_inputs()}
    unknown = sorted(set(inputs) - _INPUTS)
    missing = sorted({"input_ids", "attention_mask"} - set(inputs))
    if unknown or missing:
        what = f"asks for {', '.join(unknown)}" if unknown else f"does not ask for {', '.join(missing)}"
        raise ModelError(
            f"{name}: its graph {what}; an encoder of text takes input_ids, attention_mask and perhaps "
            "token_type_ids: export it again"
        )
    for i in inputs.values():
        if i.type not in _TYPES or len(i.shape) != 2 or any(isinstance(size, int) for size in i.shape):
            raise ModelError(
                f"{name}: input {i.name} is {i.type}{list(i.shape)}, not integers of free size "
                "[batch, sequence]: export it again with dynamic axes"
            )
    return {key: _TYPES[i.type] for key, i in inputs.items()}


def first_line(error: Exception) -> str:
    """The first line of what an error says."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
