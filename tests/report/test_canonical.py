"""JSON: the certificate itself, and its schema."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from epoche.certificate import Certificate
from epoche.report import certificate_schema, render
from epoche.report.schema import main
from epoche.steps.certify import parse_certificate, sealed
from tests.report.samples import SAMPLES, hostile, supported

EVERY = pytest.mark.parametrize("name", SAMPLES)


@EVERY
def test_json_follows_the_schema(name: str) -> None:
    schema = certificate_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(render(SAMPLES[name](), "json")), schema)


@EVERY
def test_json_gives_back_the_same_certificate_and_the_same_bytes(name: str) -> None:
    certificate = SAMPLES[name]()
    text = render(certificate, "json")
    again = parse_certificate(text)
    assert again == certificate
    assert sealed(again).digest == certificate.digest
    assert render(again, "json") == text
    assert text.endswith("}\n")
    assert "\r" not in text


def test_json_keeps_the_order_of_the_fields() -> None:
    loaded = json.loads(render(supported(), "json"))
    assert list(loaded) == list(Certificate.model_fields)


def test_json_writes_letters_as_they_are_and_a_row_of_scores_on_a_line() -> None:
    text = render(hostile(), "json")
    assert "β-caténin at 5 µM" in text
    assert "\n      [0.9, 0.09, 0.01],\n" in text


def test_json_cannot_paint_a_terminal_and_still_says_the_same() -> None:
    text = render(hostile(), "json")
    categories = {unicodedata.category(c) for c in text if c != "\n"}
    assert not categories & {"Cc", "Cf", "Zl", "Zp"}
    assert json.loads(text)["evidence"]["sentences"][2]["text"] == hostile().evidence.sentences[2].text


@pytest.mark.parametrize("code", [0x7F, 0x85, 0x9B, 0x202E, 0x2028, 0xFEFF, 0xE0001])
def test_json_escapes_are_the_characters_they_stand_for(code: int) -> None:
    certificate = supported()
    text = f"\\{chr(code)}\\u{chr(code)}"
    odd = certificate.model_copy(update={"statement": certificate.statement.model_copy(update={"text": text})})
    written = render(odd, "json")
    assert chr(code) not in written
    assert json.loads(written)["statement"]["text"] == text


Edit = tuple[tuple[str | int, ...], Any]
EDITS: list[Edit] = [
    (("outcome", "type"), "guess"),
    (("outcome", "label"), "likely"),
    (("outcome", "confidence"), 1.2),
    (("scores", 0, 0), [0.1, 0.9]),
    (("digest",), "abc"),
    (("evidence", "windows", 0, "part"), -1),
    (("extra",), 1),
]


@pytest.mark.parametrize(("path", "value"), EDITS)
def test_schema_refuses_what_is_no_certificate(path: tuple[str | int, ...], value: Any) -> None:
    loaded = json.loads(render(supported(), "json"))
    place = loaded
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(loaded, certificate_schema())


@pytest.mark.parametrize("field", ["format", "proposal", "minimal_evidence", "digest"])
def test_schema_requires_every_field(field: str) -> None:
    loaded = json.loads(render(supported(), "json"))
    del loaded[field]
    with pytest.raises(jsonschema.ValidationError, match=field):
        jsonschema.validate(loaded, certificate_schema())


def test_schema_command_prints_writes_and_checks(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    path = tmp_path / "certificate.schema.json"
    assert main(["--check", str(path)]) == 1
    assert b"not up to date" in capfdbinary.readouterr().err
    assert main([str(path)]) == 0
    assert main(["--check", str(path)]) == 0
    assert json.loads(path.read_bytes()) == certificate_schema()
    path.write_bytes(path.read_bytes() + b" ")
    assert main(["--check", str(path)]) == 1
    capfdbinary.readouterr()
    assert main([]) == 0
    assert capfdbinary.readouterr().out == path.read_bytes()[:-1]
    with pytest.raises(SystemExit):
        main(["--check"])
