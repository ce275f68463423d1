"""What an ONNX file says of itself, read from its bytes: other files it needs, and operators it has.

The `onnx` package would read this too, but is large and not needed to run a model. An ONNX file is a
protocol-buffer message (field numbers: onnx.proto of ONNX, IR version 3 and later).
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from epoche.errors import ModelError

#: Which fields of a message lead to tensors: message → field number → message inside.
_INSIDE = {
    "model": {7: "graph", 25: "function"},
    "function": {7: "node"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "tensor": {13: "entry"},
}
_KEY, _VALUE = 1, 2


def external_files(model: Path, name: str) -> tuple[str, ...]:
    """The weight files that the ONNX file refers to, relative to its folder, sorted.

    Raises:
        ModelError: the file is cut off or no ONNX file, or refers to a place outside its folder.
    """
    if model.stat().st_size == 0:
        raise ModelError(f"{name}: {model.name} is empty: get the file again")
    found = set()
    with model.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if b"git-lfs" in data[:64]:
            raise ModelError(f"{name}: {model.name} is only a Git LFS pointer: fetch the file (git lfs pull)")
        try:
            for start, end in _entries(data, 0, len(data), "model"):
                entry = {number: bytes(data[a:b]) for number, a, b in _fields(data, start, end)}
                if entry.get(_KEY) == b"location":
                    found.add(entry[_VALUE].decode("utf-8"))
        except (IndexError, KeyError, ValueError, RecursionError):
            raise ModelError(f"{name}: {model.name} is cut off or is no ONNX file: get the file again") from None
    for part in found:
        path = PurePosixPath(part)
        if path.is_absolute() or ".." in path.parts or "\\" in part or ":" in part:
            raise ModelError(f"{name}: {model.name} refers to {part!r} outside its folder: do not use this model")
    return tuple(sorted(found))


def has_dynamic_quantization(model: Path) -> bool:
    """Whether activations are quantized over a whole batch, so that a row's score depends on its neighbours.

    All such operators (DynamicQuantizeLinear of ONNX, DynamicQuantizeMatMul of ONNX Runtime, …) carry
    the word in their names.
    """
    with model.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return data.find(b"DynamicQuantize") >= 0


def _entries(data: mmap.mmap, start: int, end: int, message: str) -> Iterator[tuple[int, int]]:
    """(start, end) of every key-value entry about external data."""
    for number, a, b in _fields(data, start, end):
        inside = _INSIDE[message].get(number)
        if inside == "entry":
            yield a, b
        elif inside is not None:
            yield from _entries(data, a, b, inside)


def _fields(data: mmap.mmap, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """(field number, start, end) of the length-delimited fields of a message; others are skipped."""
    while at < end:
        tag, at = _varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            _, at = _varint(data, at)
        elif kind == 1:
            at += 8
        elif kind == 5:
            at += 4
        elif kind == 2:
            length, at = _varint(data, at)
            if at + length > end:
                raise ValueError("a field ends after its message")
            yield number, at, at + length
            at += length
        else:
            raise ValueError("no such wire type")
    if at != end:
        raise ValueError("a field ends after its message")


def _varint(data: mmap.mmap, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number without an end")
