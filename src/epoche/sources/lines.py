"""One line of a .jsonl file → a document."""

from __future__ import annotations

from typing import Any

from epoche import strict_json
from epoche.sources.sections import Text, says_retracted
from epoche.types import Document

#: What a line may hold its text as.
_BODIES = ("text", "sentences", "abstract", "sections")


def document_from(line: str) -> Document:
    """{"id", "title", "text"}, or "sentences", or "sections", or SciFact's {"doc_id", "abstract"}.

    Also "year", "study" (its kind) and "retracted".

    Raises:
        ValueError: what is wrong with it.
    """
    record = strict_json.loads(line)
    if not isinstance(record, dict):
        raise ValueError('an object is needed, like {"id": "…", "title": "…", "text": "…"}')
    bodies = [name for name in _BODIES if record.get(name) is not None]
    if len(bodies) > 1:
        raise ValueError(f'it has both "{bodies[0]}" and "{bodies[1]}": give one of them')
    key = record.get("id", record.get("doc_id"))
    if isinstance(key, bool) or not isinstance(key, str | int) or not str(key).strip():
        raise ValueError('no "id": a text or a number')
    retracted, year = record.get("retracted", False), record.get("year")
    if not isinstance(retracted, bool):
        raise ValueError('"retracted" must be true or false')
    retracted = retracted or says_retracted(_text(record, "title"))
    if year is not None and (isinstance(year, bool) or not isinstance(year, int)):
        raise ValueError('"year" must be a whole number')
    about: dict[str, Any] = {
        "title": _text(record, "title"),
        "study": _text(record, "study"),
        "year": year,
        "retracted": retracted,
    }
    if bodies == ["sections"]:
        document = _from_sections(str(key), record["sections"], about)
    else:
        text, spans = _body(record)
        document = Document(id=str(key), text=text, spans=spans, **about)
    every = f"{document.id}{document.title}{document.study}{document.text}"
    try:
        every.encode()
    except UnicodeEncodeError:
        raise ValueError("it holds a lone surrogate, which is no character") from None
    if "\0" in every:
        raise ValueError("it holds a zero character, so it is not text")
    return document


def _text(record: dict[str, Any], name: str) -> str:
    given = record.get(name)
    if given is not None and not isinstance(given, str):
        raise ValueError(f'"{name}" must be a text')
    return given or ""


def _from_sections(key: str, sections: object, about: dict[str, Any]) -> Document:
    wanted = '"sections" must be a list of {"title": "…", "text": "…"}'
    if not isinstance(sections, list):
        raise ValueError(wanted)
    text = Text()
    for section in sections:
        if not isinstance(section, dict) or not all(isinstance(section.get(n, ""), str) for n in ("title", "text")):
            raise ValueError(wanted)
        text.heading(section.get("title", ""))
        text.paragraph(section.get("text", ""))
    if text.empty():
        raise ValueError('"sections" is empty')
    document = text.document(key)
    return document.model_copy(update=about)


def _body(record: dict[str, Any]) -> tuple[str, tuple[tuple[int, int], ...] | None]:
    """Text, and spans where the sentences are given."""
    if isinstance(record.get("text"), str):
        if not record["text"].strip():
            raise ValueError('"text" is empty')
        return record["text"], None
    sentences = record.get("sentences", record.get("abstract"))
    if not isinstance(sentences, list) or not all(isinstance(s, str) for s in sentences):
        raise ValueError('"text" (a text) or "sentences" (a list of texts) is needed')
    parts = [s.strip() for s in sentences if s.strip()]
    if not parts:
        raise ValueError('"sentences" is empty')
    spans, start = [], 0
    for part in parts:
        spans.append((start, start + len(part)))
        start += len(part) + 1
    return " ".join(parts), tuple(spans)
