from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from epoche.errors import DocumentError
from epoche.sources.files import MAX_BYTES, passed_over, read_evidence
from epoche.steps.segment import segment


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path


def test_texts_keep_every_character(tmp_path: Path) -> None:
    content = "\ufeffA rose.\r\nB fell \u2028 slowly."
    ((document,), unread) = read_evidence([write(tmp_path / "a.txt", content)])
    assert document.text == content
    assert document.id.endswith("a.txt")
    assert unread == ()


def test_lines_in_both_forms_and_scifacts(tmp_path: Path) -> None:
    records = [
        {"id": "a", "title": "T", "text": "A rose. It fell."},
        {"id": 7, "sentences": ["A rose.", " It fell. "], "retracted": True},
        {"doc_id": 8, "title": "T", "abstract": ["A rose.", "It fell."], "structured": False},
    ]
    path = write(tmp_path / "d.jsonl", "\n".join(json.dumps(r) for r in records) + "\n\n")
    documents, _ = read_evidence([path])
    assert [d.id for d in documents] == ["a", "7", "8"]
    assert [d.retracted for d in documents] == [False, True, False]
    assert [s.text for s in segment(documents)[1]] == ["A rose.", "It fell."] * 3


def test_case_25_lines_that_begin_with_a_brace_and_hold_u2028_are_lines(tmp_path: Path) -> None:
    path = write(tmp_path / "d.jsonl", '{"id": "a", "text": "A\u2028 rose."}\n{"id": "b", "text": "B fell."}')
    assert len(read_evidence([path])[0]) == 2


def test_a_folder_is_walked_in_order_without_hidden_and_other_files(tmp_path: Path) -> None:
    for name in ("b.txt", "a.md", "sub/c.txt", ".hidden.txt", ".git/d.txt", "e.csv"):
        write(tmp_path / name, "A rose.")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    documents, _ = read_evidence([tmp_path])
    assert [Path(d.id).name for d in documents] == ["a.md", "b.txt", "c.txt"]


def test_linked_folders_are_read_once_and_loops_end(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "c.txt").write_text("Zinc rose.", encoding="utf-8")
    given = tmp_path / "given"
    given.mkdir()
    (given / "linked").symlink_to(tmp_path / "real")
    (given / "loop").symlink_to(given)
    documents, unread = read_evidence([given])
    assert [d.text for d in documents] == ["Zinc rose."]
    assert unread == ()


def test_files_of_other_types_in_a_folder_are_named(tmp_path: Path) -> None:
    for name in ("a.txt", "b.csv", ".hidden", "c.png"):
        (tmp_path / name).write_text("Zinc rose.", encoding="utf-8")
    assert [Path(p).name for p in passed_over([tmp_path, tmp_path / "a.txt"])] == ["b.csv", "c.png"]


def test_a_folder_that_cannot_be_listed_stops_or_is_unread(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may list every folder")
    (tmp_path / "a.txt").write_text("Zinc rose.", encoding="utf-8")
    (tmp_path / "closed").mkdir(mode=0)
    with pytest.raises(DocumentError, match="cannot be read"):
        read_evidence([tmp_path])
    _, unread = read_evidence([tmp_path], on_error="skip")
    assert len(unread) == 1


def test_a_file_given_twice_is_read_once(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "A rose.")
    assert len(read_evidence([path, tmp_path, path])[0]) == 1


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.txt", b"\x00\x01binary", ["a.txt", "not text"]),
        ("a.txt", "Präparat".encode("latin-1"), ["UTF-8", "byte 2"]),
        ("a.txt", "A rose.".encode("utf-16"), ["UTF-16"]),
        ("a.txt", b"", ["empty"]),
        ("a.txt", "\ufeff \r\n", ["empty"]),
        ("a.csv", b"a,b", [".csv", ".txt"]),
        ("a", b"text", ["suffix"]),
        ("a.jsonl", '{"id": "a", "text": "A."}\n{"id": "b"', ["line 2", "broken JSON"]),
        ("a.jsonl", '["a"]', ["line 1", "object"]),
        ("a.jsonl", '{"text": "A."}', ["line 1", '"id"']),
        ("a.jsonl", '{"id": true, "text": "A."}', ["line 1", '"id"']),
        ("a.jsonl", '{"id": "a"}', ["line 1", '"text"']),
        ("a.jsonl", '{"id": "a", "text": " "}', ["line 1", "empty"]),
        ("a.jsonl", '{"id": "a", "sentences": "A."}', ["line 1", "sentences"]),
        ("a.jsonl", '{"id": "a", "sentences": ["A.", 3]}', ["line 1", "sentences"]),
        ("a.jsonl", '{"id": "a", "sentences": []}', ["line 1", "empty"]),
        ("a.jsonl", '{"id": "a", "text": "A.", "title": 3}', ["line 1", "title"]),
        ("a.jsonl", '{"id": "a", "text": "A.", "retracted": "no"}', ["line 1", "retracted"]),
        ("a.jsonl", '{"id": "a", "text": "A \\ud800"}', ["line 1", "surrogate"]),
        ("a.jsonl", "[" * 100_000, ["line 1", "nested|JSON"]),
        ("a.jsonl", '{"id": "a", "text": "A."}\n{"id": "a", "text": "B."}', ["'a'", "line 1", "line 2"]),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str, content: str | bytes, words: list[str]) -> None:
    with pytest.raises(DocumentError) as refused:
        read_evidence([write(tmp_path / name, content)])
    for word in words:
        assert any(w in str(refused.value) for w in word.split("|"))


def test_missing_empty_folder_and_url(tmp_path: Path) -> None:
    for path, word in (
        (tmp_path / "none.txt", "no file"),
        (tmp_path, "no file to read in the folder"),
        (Path("https://example.org/a.txt"), "URL"),
    ):
        with pytest.raises(DocumentError, match=word):
            read_evidence([path])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_permission(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "A rose.")
    path.chmod(0)
    with pytest.raises(DocumentError, match="cannot be read"):
        read_evidence([path])


def test_a_file_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with path.open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)
    with pytest.raises(DocumentError, match="at most 64"):
        read_evidence([path])


def test_skip_goes_on_and_lists_what_was_not_read(tmp_path: Path) -> None:
    lines = write(tmp_path / "d.jsonl", '{"id": "a", "text": "A rose."}\n{"id"\n{"id": "c", "text": "C fell."}')
    binary = write(tmp_path / "b.txt", b"\x00")
    documents, unread = read_evidence([lines, binary, tmp_path / "none.txt"], on_error="skip")
    assert [d.id for d in documents] == ["a", "c"]
    assert [u.why.split(":")[0] for u in unread] == [
        "line 2",
        "is not text (it holds zero bytes)",
        f"there is no file {tmp_path}/none.txt",
    ]
    with pytest.raises(DocumentError, match="no evidence could be read .*zero bytes"):
        read_evidence([binary], on_error="skip")
