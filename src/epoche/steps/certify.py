"""Certify: everything an outcome rests on in one value with a digest, and how two of them differ."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from pydantic import ValidationError

from epoche import strict_json
from epoche.certificate import Certificate
from epoche.errors import CertificateError
from epoche.steps.audit import FloatArray
from epoche.types import NLI_LABELS, Value

_DIGEST_PLACE = "0" * 64


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces: the same value gives the same text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def sealed(certificate: Certificate) -> Certificate:
    """The certificate with its digest: sha256 over all other fields in canonical JSON."""
    fields = certificate.model_dump(mode="json", exclude={"digest"})
    digest = hashlib.sha256(canonical_json(fields).encode("utf-8")).hexdigest()
    return certificate.model_copy(update={"digest": digest})


def certify(**fields: Any) -> Certificate:
    """A sealed certificate of the given fields (all of `types.Certificate` but the digest)."""
    return sealed(Certificate(digest=_DIGEST_PLACE, **fields))


def as_rows(scores: FloatArray) -> tuple[tuple[tuple[float, float, float], ...], ...]:
    """float64[k, m, 3] as nested tuples."""
    return tuple(tuple((float(e), float(n), float(c)) for e, n, c in row) for row in scores)


def as_array(certificate: Certificate) -> FloatArray:
    """The stored scores as float64[k, m, 3]."""
    return rows_as_array(certificate.scores, len(certificate.evidence.windows))


def rows_as_array(rows: tuple[tuple[tuple[float, float, float], ...], ...], windows: int) -> FloatArray:
    """Nested tuples as float64[k, m, 3]."""
    return np.array(rows, dtype=np.float64).reshape((len(rows), windows, 3))


def parse_certificate(text: str) -> Certificate:
    """A certificate from its JSON.

    Raises:
        CertificateError: not JSON, or not of this form; a field that is missing or given twice, even
            where a default would do: what is written is read back whole. The message names the field.
    """
    try:
        certificate = Certificate.model_validate_json(text)
        given = strict_json.loads(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise CertificateError(f"not a certificate of epoche: {where}: {first['msg']}") from None
    except ValueError as error:
        raise CertificateError(f"not a certificate of epoche: {error}") from None
    lacking = next(_lacking(certificate.model_dump(mode="json"), given), None)
    if lacking is not None:
        raise CertificateError(f"not a certificate of epoche: {lacking}: the field is missing")
    return certificate


def _lacking(whole: Any, given: Any, where: str = "") -> Iterator[str]:
    """Fields of `whole` that `given` does not have."""
    if isinstance(whole, dict):
        for name, value in whole.items():
            if name in given:
                yield from _lacking(value, given[name], f"{where}.{name}".lstrip("."))
            else:
                yield f"{where}.{name}".lstrip(".")
    elif isinstance(whole, list):
        for i, (value, there) in enumerate(zip(whole, given, strict=True)):
            yield from _lacking(value, there, f"{where}[{i}]")


def broken_facts(certificate: Certificate) -> Iterator[str]:
    """What a certificate states that cannot be true of itself: hashes, indices, offsets, shapes."""
    evidence = certificate.evidence
    documents = {d.id: d for d in evidence.documents}
    for i, sentence in enumerate(evidence.sentences):
        where = f"evidence.sentences[{i}]"
        if hashlib.sha256(sentence.text.encode("utf-8", "surrogatepass")).hexdigest() != sentence.sha256:
            yield f"{where}.text: does not have the sha256 that is stored with it"
        if sentence.document not in documents:
            yield f"{where}.document: {sentence.document!r} is not among the documents"
        elif not sentence.start < sentence.end <= documents[sentence.document].characters:
            yield f"{where}: offsets {sentence.start}–{sentence.end} are not in its document"
        if sentence.end - sentence.start != len(sentence.text):
            yield f"{where}: offsets and text have different lengths"
    if len(documents) < len(evidence.documents):
        yield "evidence.documents: an id occurs twice"
    places = [(s.document, s.index) for s in evidence.sentences]
    if len(set(places)) < len(places):
        yield "evidence.sentences: a document has two sentences of one number"
    for i, window in enumerate(evidence.windows):
        where = f"evidence.windows[{i}]"
        if not window.sentences or not all(0 <= s < len(evidence.sentences) for s in window.sentences):
            yield f"{where}.sentences: no such sentence"
            continue
        sentences = [evidence.sentences[s] for s in window.sentences]
        if not min(s.start for s in sentences) <= window.start < window.end <= max(s.end for s in sentences):
            yield f"{where}: offsets {window.start}–{window.end} are not in its sentences"
        if window.part >= window.parts:
            yield f"{where}.part: {window.part}, of {window.parts} counted from 0"
    if sorted(certificate.provenance.nli.label_order) != sorted(NLI_LABELS):
        yield f"provenance.nli.label_order: not {', '.join(NLI_LABELS)} in some order"
    yield from _broken_scores(certificate)


def _broken_scores(certificate: Certificate) -> Iterator[str]:
    conditions, windows = len(certificate.conditions), len(certificate.evidence.windows)
    scored = not certificate.obstacles and certificate.outcome.type != "failure"
    if len(certificate.scores) != (conditions if scored else 0):
        yield f"scores: {len(certificate.scores)} rows for {conditions} conditions"
    if scored and not any(c.critical for c in certificate.decomposition.conditions):
        yield "decomposition.conditions: none is critical, so nothing decides"
    if scored and len(certificate.decomposition.conditions) != conditions:
        yield "conditions: not as many as the decomposition has"
    if certificate.second is not None and len(certificate.second.scores) != len(certificate.scores):
        yield f"second.scores: {len(certificate.second.scores)} rows, and scores has {len(certificate.scores)}"
    parts = {"scores": certificate.scores} | (
        {} if certificate.second is None else {"second.scores": certificate.second.scores}
    )
    for name, rows in parts.items():
        for i, row in enumerate(rows):
            if len(row) != windows:
                yield f"{name}[{i}]: {len(row)} entries for {windows} windows"
            for j, cell in enumerate(row):
                if abs(sum(cell) - 1.0) > 1e-4:
                    yield f"{name}[{i}][{j}]: probabilities sum to {sum(cell):.4f}"


def differences(stored: Value, derived: Value) -> list[str]:
    """Each field whose value differs, as `path: stored …, derived …`, in order of the fields."""
    return list(_walk("", stored.model_dump(mode="json"), derived.model_dump(mode="json")))


def _walk(path: str, a: Any, b: Any) -> Iterator[str]:
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        for key in a:
            yield from _walk(f"{path}.{key}" if path else key, a[key], b[key])
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            yield from _walk(f"{path}[{i}]", x, y)
    elif a != b:
        yield f"{path}: stored {_short(a)}, derived {_short(b)}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."
