"""Data sets as items to judge: a statement, documents, and the gold label that the annotations give.

Gold labels come from the evidence annotations of the official files, never from a default: an item
without annotations has no gold and is refused for scoring. The evidence protocol is part of a
data set's name, because it decides what the figures mean.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from epoche import strict_json
from epoche.bench.labels import label_of
from epoche.errors import DocumentError, InputError
from epoche.sources.sections import labelled
from epoche.types import Document, Kind, Label, Statement

Protocol = Literal["abstract", "rationale", "corpus", "given"]


@dataclass(frozen=True)
class Item:
    """One thing to judge. `gold` is None where the files annotate nothing."""

    id: str
    statement: Statement
    documents: tuple[Document, ...]
    gold: Label | None
    #: Gold label and rationale sentences per document, where annotated (claim–abstract view).
    rationales: Mapping[str, tuple[Label, tuple[tuple[int, ...], ...]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Dataset:
    """Items, and what they came from."""

    name: str
    split: str
    protocol: Protocol
    items: tuple[Item, ...]
    #: File name → sha256 of what was read.
    files: Mapping[str, str]
    notes: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """sha256 over name, split, protocol, files and the ids in order."""
        content = [self.name, self.split, self.protocol, dict(self.files), [i.id for i in self.items]]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode("utf-8")).hexdigest()


def load_scifact(claims: Path, corpus: Path, *, split: str, protocol: Protocol, ids: Path | None = None) -> Dataset:
    """SciFact claims with their evidence under the protocol.

    `abstract`: all sentences of the cited abstracts. `rationale`: the gold sentences only, an upper bound;
    claims without any (not enough evidence) have nothing to read, so their label would be given away.

    Raises:
        DocumentError, InputError: a file or line that is not in the official form; it is named.
    """
    if protocol not in ("abstract", "rationale"):
        raise InputError(f"protocol {protocol!r} is not available for scifact: give abstract or rationale")
    abstracts: dict[str, dict[str, Any]] = {}
    for line, record in _records(corpus, _corpus_line):
        if abstracts.setdefault(str(record["doc_id"]), record) is not record:
            where = f"{corpus.name}, line {line}"
            raise DocumentError(f"{where}: document {record['doc_id']} occurs twice", source=corpus.name, line=line)
    wanted = _read_ids(ids)
    items: list[Item] = []
    seen: dict[str, int] = {}
    for line, record in _records(claims, _claim_line):
        require_once(seen, str(record["id"]), claims, line)
        if wanted is None or str(record["id"]) in wanted:
            items.append(_scifact_item(record, abstracts, protocol, f"{claims.name}, line {line}"))
    missing = sorted((wanted or set()) - seen.keys())
    if missing:
        raise InputError(f"{claims.name} has no claim {missing[0]} (and {len(missing) - 1} more) of the id list")
    notes = []
    if protocol == "rationale":
        notes.append("rationale: gold sentences, an upper bound; items without any are reported apart")
    return _dataset("scifact", split, protocol, items, [claims, corpus, *([ids] if ids else [])], notes)


def scifact_documents(corpus: Path) -> dict[str, Document]:
    """Every abstract of a SciFact corpus by its id.

    Raises:
        DocumentError: a file or line that is not in the official form.
    """
    return {
        str(r["doc_id"]): given_sentences(str(r["doc_id"]), r["abstract"], r.get("title", ""))
        for _, r in _records(corpus, _corpus_line)
    }


def load_pubmedqa(file: Path, *, split: str, ids: Path | None = None, exclude: Path | None = None) -> Dataset:
    """PubMedQA questions with their abstracts; the conclusion (`LONG_ANSWER`) is never read.

    Args:
        ids: the items of the split, one PubMed id a line or a JSON object of them. The official test
            split is such a list, not the last 500 rows.
        exclude: a list of items to leave out, in the same form.

    Raises:
        DocumentError, InputError: a file or item that is not in the official form, an id that `file`
            lacks, or one that is both asked for and left out.
    """
    text = _text(file)
    records = _json_object(text, file)
    wanted, left_out = _read_ids(ids), _read_ids(exclude) or set()
    missing = sorted(((wanted or set()) | left_out) - records.keys())
    if missing:
        raise InputError(f"{file.name} has no item {missing[0]} (and {len(missing) - 1} more) of the id list")
    both = sorted((wanted or set()) & left_out)
    if both and ids is not None and exclude is not None:
        raise InputError(f"{ids.name} asks for item {both[0]} (and {len(both) - 1} more), which {exclude.name} has")
    items = [
        _pubmedqa_item(key, record, f"{file.name}, item {key}{_line_of(key, text)}")
        for key, record in records.items()
        if key not in left_out and (wanted is None or key in wanted)
    ]
    notes = [f"{file.name} without the items of {exclude.name}"] if exclude else []
    return _dataset("pubmedqa", split, "given", items, [f for f in (file, ids, exclude) if f], notes)


def load_custom(file: Path) -> Dataset:
    """A set of one's own: lines of {"id", "statement", "kind", "documents": [text, …], "label"}."""
    items: list[Item] = []
    seen: dict[str, int] = {}
    for line, record in _records(file, _object):
        item = _custom_item(record, f"{file.name}, line {line}")
        if items and item.statement.kind is not items[0].statement.kind:
            raise DocumentError(
                f"{file.name}, line {line}: a {item.statement.kind} among {items[0].statement.kind}s: their "
                "labels do not compare, so give each kind a file of its own",
                source=file.name,
                line=line,
            )
        require_once(seen, item.id, file, line)
        items.append(item)
    return _dataset("custom", file.stem, "given", items, [file], [])


def _scifact_item(
    record: dict[str, Any], abstracts: Mapping[str, dict[str, Any]], protocol: Protocol, where: str
) -> Item:
    evidence = record.get("evidence")
    rationales: dict[str, tuple[Label, tuple[tuple[int, ...], ...]]] = {}
    for doc_id, sets in (evidence or {}).items():
        labels = {label_of(s.get("label"), Kind.CLAIM, where) for s in sets}
        unknown = [
            i for s in sets for i in s["sentences"] if i >= len(abstracts.get(doc_id, {}).get("abstract", []))
        ]
        if doc_id in abstracts and unknown:
            raise DocumentError(f"{where}: document {doc_id} has no sentence {unknown[0]}", source=where)
        if Label.NOT_ENOUGH_EVIDENCE in labels:
            raise DocumentError(
                f"{where}: evidence supports or contradicts; without any, leave it out", source=where
            )
        if len(labels) != 1:
            raise DocumentError(f"{where}: document {doc_id} has rationales of both labels", source=where)
        rationales[doc_id] = (labels.pop(), tuple(tuple(s["sentences"]) for s in sets))
    found = {label for label, _ in rationales.values()}
    if len(found) > 1:
        raise DocumentError(f"{where}: documents of both labels; a claim has one gold label", source=where)
    cited = [str(d) for d in record.get("cited_doc_ids", [])] or list(rationales)
    uncited = [doc_id for doc_id in rationales if doc_id not in cited]
    if uncited:
        raise DocumentError(f"{where}: evidence in document {uncited[0]}, which is not cited", source=where)
    documents = []
    for doc_id in dict.fromkeys(cited):
        if doc_id not in abstracts:
            raise DocumentError(f"{where}: cited document {doc_id} is not in the corpus", source=where)
        sentences = abstracts[doc_id]["abstract"]
        if protocol == "rationale":
            marked = {i for s in rationales[doc_id][1] for i in s} if doc_id in rationales else set()
            sentences = [s for i, s in enumerate(sentences) if i in marked]
        if sentences:
            documents.append(given_sentences(doc_id, sentences, abstracts[doc_id].get("title", "")))
    gold = None if evidence is None else (found.pop() if found else Label.NOT_ENOUGH_EVIDENCE)
    return Item(
        str(record["id"]), Statement(text=record["claim"], kind=Kind.CLAIM), tuple(documents), gold, rationales
    )


def given_sentences(doc_id: str, sentences: Iterable[str], title: str = "") -> Document:
    """A document whose sentences are given: joined by a space, with their spans."""
    parts = [s.strip() for s in sentences if s.strip()]
    spans, start = [], 0
    for part in parts:
        spans.append((start, start + len(part)))
        start += len(part) + 1
    return Document(id=doc_id, title=title, text=" ".join(parts), spans=tuple(spans))


def _line_of(key: str, text: str) -> str:
    """ " (line 7)", where the key stands in a JSON text; empty if it is written in another way there."""
    found = text.find(json.dumps(key))
    return f" (line {text.count(chr(10), 0, found) + 1})" if found >= 0 else ""


def _pubmedqa_item(key: str, record: object, where: str) -> Item:
    if not isinstance(record, dict) or not isinstance(record.get("QUESTION"), str):
        raise DocumentError(f"{where}: no QUESTION", source=where)
    contexts = record.get("CONTEXTS")
    if not isinstance(contexts, list) or not all(isinstance(c, str) for c in contexts):
        raise DocumentError(f"{where}: CONTEXTS must be a list of paragraphs", source=where)
    decision, year = record.get("final_decision"), record.get("YEAR")
    document = labelled(key, contexts, record.get("LABELS"))
    if isinstance(year, str) and year.isdecimal():
        document = document.model_copy(update={"year": int(year)})
    return Item(
        id=key,
        statement=Statement(text=record["QUESTION"], kind=Kind.QUESTION),
        documents=(document,),
        gold=None if decision is None else label_of(decision, Kind.QUESTION, where),
    )


def _custom_item(record: dict[str, Any], where: str) -> Item:
    try:
        kind = Kind(record["kind"])
        statement, documents = record["statement"], record["documents"]
    except (KeyError, ValueError) as error:
        raise DocumentError(f"{where}: missing or unknown {error}", source=where) from None
    if not isinstance(statement, str) or not isinstance(documents, list):
        raise DocumentError(f"{where}: statement must be text and documents a list of texts", source=where)
    texts = [d if isinstance(d, str) else d.get("text") for d in documents if isinstance(d, str | dict)]
    if len(texts) != len(documents) or not all(isinstance(t, str) for t in texts):
        raise DocumentError(f"{where}: a document is a text, or an object with a text", source=where)
    label, key = record.get("label"), record.get("id")
    if isinstance(key, bool) or not isinstance(key, str | int) or not str(key).strip():
        raise DocumentError(f"{where}: no id: a text or a number", source=where)
    return Item(
        id=str(key),
        statement=Statement(text=statement, kind=kind),
        documents=tuple(Document(id=f"doc-{i}", text=str(t)) for i, t in enumerate(texts, start=1)),
        gold=None if label is None else label_of(label, kind, where),
    )


def _dataset(
    name: str, split: str, protocol: Protocol, items: list[Item], files: list[Path], notes: list[str]
) -> Dataset:
    if not items:
        raise InputError(f"{name}: no item in {', '.join(f.name for f in files)}")
    return Dataset(name, split, protocol, tuple(items), {f.name: sha256_of(f) for f in files}, tuple(notes))


def require_once(seen: dict[str, int], key: str, file: Path, line: int) -> None:
    """Notes the line of an id; refuses one that was there before, naming both lines.

    Raises:
        DocumentError: the id occurs twice.
    """
    if key in seen:
        raise DocumentError(
            f"{file.name}, line {line}: the id {key} occurs twice, first in line {seen[key]}",
            source=file.name,
            line=line,
        )
    seen[key] = line


def sha256_of(path: Path) -> str:
    """sha256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise DocumentError(f"{path} cannot be read: {error.strerror}", source=path.name) from None
    except UnicodeDecodeError as error:
        raise DocumentError(f"{path} is not UTF-8 (byte {error.start})", source=path.name) from None


def _records(path: Path, check: Callable[[Any], str | None]) -> list[tuple[int, dict[str, Any]]]:
    """(line number, record) of each line of a JSONL file, whatever it starts with."""
    result = []
    for number, line in enumerate(_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = strict_json.loads(line)
            problem = check(record) or _unwritable(line, record)
        except ValueError as error:
            problem = str(error)
        if problem:
            raise DocumentError(f"{path.name}, line {number}: {problem}", source=path.name, line=number)
        result.append((number, record))
    return result


def _object(record: Any) -> str | None:
    return None if isinstance(record, dict) else "an object is needed"


def _corpus_line(record: Any) -> str | None:
    if not isinstance(record, dict) or "doc_id" not in record:
        return "no doc_id: is this the official corpus.jsonl?"
    sentences = record.get("abstract")
    if not isinstance(sentences, list) or not all(isinstance(s, str) for s in sentences):
        return "abstract must be a list of sentences"
    # Without it the numbers of the sentences after it would move.
    empty = next((i for i, s in enumerate(sentences) if not s.strip()), None)
    return None if empty is None else f"sentence {empty} of the abstract is empty"


def _claim_line(record: Any) -> str | None:
    if not isinstance(record, dict) or "id" not in record or not isinstance(record.get("claim"), str):
        return "id and claim are needed: is this an official claims file?"
    if isinstance(record["id"], bool) or not isinstance(record["id"], int):
        return f"id must be a whole number, as in the official files, not {record['id']!r}"
    cited = record.get("cited_doc_ids", [])
    if not isinstance(cited, list) or not all(isinstance(d, str | int) for d in cited):
        return "cited_doc_ids must be a list of document ids"
    evidence = record.get("evidence", {})
    valid = isinstance(evidence, dict) and all(
        isinstance(sets, list) and sets and all(isinstance(s, dict) and _numbers(s.get("sentences")) for s in sets)
        for sets in evidence.values()
    )
    return None if valid else "evidence must map documents to lists, not empty, of {sentences: [numbers], label}"


def _numbers(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(i, int) and not isinstance(i, bool) and i >= 0 for i in value)
    )


def _unwritable(line: str, record: Any) -> str | None:
    """A lone surrogate is no character: what holds one cannot be read by a model or written to a record."""
    if "\\u" not in line and line.isprintable():
        return None
    try:
        json.dumps(record, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return "it holds a lone surrogate, which is no character"
    return None


def _json_object(text: str, path: Path) -> dict[str, Any]:
    try:
        loaded = strict_json.loads(text)
    except ValueError as error:
        raise DocumentError(f"{path.name}: {error}", source=path.name) from None
    if not isinstance(loaded, dict) or not loaded:
        raise DocumentError(f"{path.name}: an object of items by id is needed", source=path.name)
    return loaded


def _read_ids(path: Path | None) -> set[str] | None:
    """Ids from a list, one a line, or from the keys of a JSON object (the official test split)."""
    if path is None:
        return None
    text = _text(path).strip()
    try:
        listed = strict_json.loads(text) if text.startswith(("{", "[")) else text.split()
    except ValueError as error:
        raise DocumentError(f"{path.name}: {error}", source=path.name) from None
    if not listed:
        raise InputError(f"{path.name} lists no id")
    if not all(isinstance(i, str | int) for i in listed):
        raise InputError(f"{path.name}: ids are texts or numbers: give a list of them, or an object by id")
    return {str(i) for i in listed}
