"""NLI cross-encoders on ONNX Runtime: the embedded model, local folders and the hub. No torch.

The score of a pair depends on nothing but the pair. Rows of a batch are padded to a length that
follows from the pair alone, a lone row is run twice (one row takes another path through matrix
products), a model that quantizes activations over a whole batch is run row by row, and what is
equal is scored once.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from epoche.backends.base import SCORE_DECIMALS, Progress, Scores
from epoche.backends.labels import KNOWN_PAIRS, Columns, columns_by_name, doubt, identify, label_names
from epoche.backends.model_files import (
    ModelFiles,
    describe,
    find_model,
    installed_models,
    max_tokens,
    read_json,
)
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
from epoche.errors import BackendError, ModelError, OptionError
from epoche.types import NLI_LABELS, NliInfo

__all__ = ["OnnxNli", "installed_models"]

#: Pairs that are tokenized before any of them is scored.
_CHUNK = 8192
Pair = tuple[str, str]


class OnnxNli:
    """A natural-language-inference cross-encoder; made by `OnnxNli.load`. Threads may share one."""

    def __init__(self, runner: _Runner, info: NliInfo, columns: Columns) -> None:
        self._runner = runner
        self._columns = columns
        self.info = info

    @classmethod
    def load(
        cls,
        name: str,
        *,
        threads: int = 1,
        batch_size: int = 32,
        revision: str | None = None,
        offline: bool = False,
        identify_labels: bool = False,
        endpoint: str | None = None,
        cache_dir: Path | None = None,
    ) -> OnnxNli:
        """The model called `name`: `mini`, a folder, or `org/name` of the hub (see `model_files`).

        Args:
            threads: processor threads; they change the time, never a score.
            batch_size: most pairs that are run at once; it changes time and memory, never a score.
            revision, offline, endpoint, cache_dir: see `model_files.find_model`.
            identify_labels: find out by a self-test what the outputs of a head without usable label
                names mean; the result is in `info.self_test`. Without it such a head is refused.

        Raises:
            UnknownBackend: no model of that name.
            ModelError: its files, its graph or its labels cannot be used.
            OptionError: `threads` or `batch_size` below 1.
        """
        if threads < 1 or batch_size < 1:
            raise OptionError(f"threads={threads}, batch_size={batch_size}: give whole numbers from 1")
        files = find_model(name, revision=revision, offline=offline, endpoint=endpoint, cache_dir=cache_dir)
        config = read_json(files.config, files.name)
        names = label_names(config)
        if len(names) not in (0, len(NLI_LABELS)):
            columns_by_name(names, files.name)  # says what is wrong with them
        unclear = doubt(config)
        if unclear and not identify_labels:
            raise ModelError(
                f"{files.name}: {unclear}: write id2label (entailment, neutral, contradiction, in the "
                "order of its outputs) into config.json, or load with identify_labels=True (a self-test)"
            )
        runner = _Runner(files, config, threads=threads, batch_size=batch_size)
        if not unclear:
            return cls(runner, describe(files), columns_by_name(names, files.name))
        found = identify(runner.probabilities([(p, h) for p, h, _ in KNOWN_PAIRS]), files.name)
        return cls(runner, describe(files, self_test=found.report), found.columns)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """See `NliModel.token_spans`. Surrounding blanks are left out, combining marks are kept together."""
        return _tidy(text, self._runner.encode(text).offsets)

    def score(self, pairs: Sequence[Pair], progress: Progress | None = None) -> Scores:
        """See `NliModel.score`.

        Raises:
            BackendError: a pair is too long, has an empty side or is no valid Unicode, or the model
                fails or gives something that is no number. Nothing is scored by default.
        """
        return np.round(self.raw(pairs, progress), SCORE_DECIMALS)

    def raw(self, pairs: Sequence[Pair], progress: Progress | None = None) -> Scores:
        """`score` before rounding, for tests of what rounding might hide."""
        return self._runner.probabilities(pairs, progress)[:, list(self._columns)]


class _Runner:
    """Tokenizer and session: pairs in, probabilities in the head's own order out."""

    def __init__(self, files: ModelFiles, config: dict[str, Any], *, threads: int, batch_size: int) -> None:
        self._name = files.name
        self._limit = max_tokens(files)
        self._tokenizer, self._pad = open_tokenizer(files, config)
        self._session = open_session(files, threads)
        self._inputs = graph_inputs(self._session, self._name)
        self._output = _output(self._session, self._name)
        self._alone = has_dynamic_quantization(files.model)
        self._batch_size = batch_size

    def encode(self, text: str, other: str | None = None) -> Any:
        """The tokenizer's encoding of a text without, or of a pair with, special tokens."""
        try:
            return self._tokenizer.encode(text, other, add_special_tokens=other is not None)
        except Exception as error:
            for part in (text, other or ""):
                if any("\ud800" <= c <= "\udfff" for c in part):
                    raise BackendError(
                        f"{self._name}: {_short(part)} holds half of a surrogate pair, so it is no valid "
                        "text: repair the source it comes from"
                    ) from None
            raise BackendError(f"{self._name}: the tokenizer fails on {_short(text)}: {error}") from error

    def probabilities(self, pairs: Sequence[Pair], progress: Progress | None = None) -> NDArray[np.float64]:
        """float64[n, 3] in the head's own order, not rounded."""
        places: dict[Pair, list[int]] = {}
        for i, (premise, hypothesis) in enumerate(pairs):
            places.setdefault((premise, hypothesis), []).append(i)
        unique = list(places)
        result = np.empty((len(pairs), len(NLI_LABELS)), dtype=np.float64)
        done = 0
        for start in range(0, len(unique), _CHUNK):
            chunk = unique[start : start + _CHUNK]
            rows = [self._row(i, *pair) for i, pair in enumerate(chunk)]
            for batch in batches(rows, 1 if self._alone else self._batch_size):
                for row, scored in zip(batch, self._run(batch), strict=True):
                    result[places[chunk[row.index]]] = scored
                    done += len(places[chunk[row.index]])
                if progress is not None:
                    progress(done, len(pairs))
        return result

    def _row(self, index: int, premise: str, hypothesis: str) -> Row:
        encoding = self.encode(premise, hypothesis)
        sequences = encoding.sequence_ids
        sides = (sequences.count(0), sequences.count(1))
        length = len(encoding)
        if length > self._limit:
            special = length - sum(sides)
            raise BackendError(
                f"a pair of {length} tokens (premise {sides[0]}, hypothesis {sides[1]}, special {special}) "
                f"is longer than the {self._limit} that {self._name} reads: cut the premise into windows; "
                f"premise {_short(premise)}, hypothesis {_short(hypothesis)}"
            )
        if 0 in sides:
            which, other = ("premise", hypothesis) if sides[0] == 0 else ("hypothesis", premise)
            raise BackendError(
                f"{self._name} sees no token in the {which} of a pair (the other side is {_short(other)}): "
                "leave out texts without letters, digits or marks"
            )
        width = padded_width(length, self._limit)
        ids = np.array(encoding.ids, dtype=np.int64)
        return Row(index, ids, np.array(encoding.type_ids, dtype=np.int64), width)

    def _run(self, batch: Sequence[Row]) -> NDArray[np.float64]:
        given = padded(batch, self._pad, double=len(batch) == 1 and not self._alone)
        shape = given["input_ids"].shape
        try:
            (output,) = self._session.run(
                [self._output], {name: given[name].astype(kind) for name, kind in self._inputs.items()}
            )
        except Exception as error:  # whatever ONNX Runtime raises
            raise BackendError(
                f"{self._name}: ONNX Runtime fails on {shape[0]} pairs of {shape[1]} tokens: {first_line(error)}"
            ) from error
        return _softmax(np.asarray(output), shape[0], self._name)[: len(batch)]


def _softmax(logits: NDArray[Any], rows: int, name: str) -> NDArray[np.float64]:
    """float64[rows, 3]: exp(x_j) / Σ_k exp(x_k), computed with the largest x at 0.

    Raises:
        BackendError: another shape than [rows, 3], or a logit that is no finite number.
    """
    if logits.shape != (rows, len(NLI_LABELS)):
        raise BackendError(
            f"{name} gives an output of shape {list(logits.shape)} for {rows} pairs, "
            f"not [{rows}, {len(NLI_LABELS)}]: choose a sequence classifier with three labels"
        )
    x = logits.astype(np.float64)
    if not np.isfinite(x).all():
        raise BackendError(f"{name} gives logits that are no finite numbers: choose another file of this model")
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def _output(session: ort.InferenceSession, name: str) -> str:
    """The output `logits`, or the only one."""
    outputs = {o.name: o for o in session.get_outputs()}
    chosen = "logits" if "logits" in outputs else next(iter(outputs))
    if chosen != "logits" and len(outputs) > 1:
        raise ModelError(f"{name}: none of its outputs ({', '.join(outputs)}) is called logits: export it again")
    width = outputs[chosen].shape[-1] if outputs[chosen].shape else None
    if isinstance(width, int) and width != len(NLI_LABELS):
        raise ModelError(
            f"{name}: its head has {width} outputs, not {len(NLI_LABELS)} (entailment, neutral, "
            "contradiction): choose a three-class NLI model"
        )
    return chosen


def _tidy(text: str, offsets: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Token offsets without surrounding blanks, and with the combining marks that a normalizer dropped."""
    spans = []
    for i, (start, end) in enumerate(offsets):
        following = offsets[i + 1][0] if i + 1 < len(offsets) else len(text)
        while end < following and unicodedata.combining(text[end]):
            end += 1
        token = text[start:end]
        if token.strip():
            start, end = start + len(token) - len(token.lstrip()), end - len(token) + len(token.rstrip())
        spans.append((start, end))
    return spans


def _short(text: str) -> str:
    shown = repr(text[:60])
    return f"{shown}… ({len(text)} characters)" if len(text) > 60 else shown
