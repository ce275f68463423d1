"""The certificate as JSON, and the JSON Schema it follows."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any, Final

from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

from epoche.certificate import Certificate

SCHEMA_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
SCHEMA_ID: Final = "urn:epoche:certificate:1"

_INDENT: Final = "  "
_NOT_ASCII: Final = re.compile(r"[^\x00-\x7e]")


def render_json(certificate: Certificate) -> str:
    """Indented JSON in the order of the fields in `types`; the same certificate gives the same bytes.

    A list of numbers or words stands on one line, so that a row of scores can be read as one.
    Characters that a terminal would act on or hide are written as escapes: the same value.
    """
    text = _dump(certificate.model_dump(mode="json"), "\n")
    return _NOT_ASCII.sub(_escaped, text) + "\n"


def _dump(value: Any, newline: str) -> str:
    inner = newline + _INDENT
    if isinstance(value, dict) and value:
        fields = (f"{_scalar(key)}: {_dump(item, inner)}" for key, item in value.items())
        return f"{{{inner}{f',{inner}'.join(fields)}{newline}}}"
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return f"[{inner}{f',{inner}'.join(_dump(item, inner) for item in value)}{newline}]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _escaped(match: re.Match[str]) -> str:
    # Outside ASCII, JSON has characters only inside strings, where an escape says the same.
    character = match[0]
    if unicodedata.category(character) not in {"Cc", "Cf", "Zl", "Zp"}:
        return character
    return json.dumps(character)[1:-1] if character != "\x7f" else "\\u007f"


class _WrittenFields(GenerateJsonSchema):
    """A certificate is written with every field, so the schema requires those with defaults too."""

    def field_is_required(
        self,
        field: core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField,
        total: bool,
    ) -> bool:
        return True


def certificate_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of what `render(certificate, "json")` writes."""
    schema = Certificate.model_json_schema(mode="serialization", schema_generator=_WrittenFields)
    return {"$schema": SCHEMA_DIALECT, "$id": SCHEMA_ID, **schema, "title": "epoche certificate, format 1"}


def render_schema() -> str:
    """The schema as indented JSON with a newline at its end."""
    return json.dumps(certificate_schema(), indent=2, ensure_ascii=False) + "\n"
