from __future__ import annotations

import socket
from pathlib import Path

import pytest

from epoche.errors import DocumentError, MissingExtra
from epoche.sources.readers import apart, by_suffix

LINES = b"# Results\nZinc rose.\n"


def test_as_in_this_process() -> None:
    here = by_suffix.read(".md", LINES, "a.md")
    child = apart.Reading()
    assert child.read(".md", LINES, "a.md") == here
    assert child.read(".md", LINES, "ä.md")[0][0].text == here[0][0].text
    child.close()


def test_errors_come_through() -> None:
    child = apart.Reading()
    with pytest.raises(DocumentError, match=r"a\.txt is empty"):
        child.read(".txt", b" ", "a.txt")
    assert child.read(".txt", b"Zinc rose.", "a.txt")[0][0].text == "Zinc rose."
    child.close()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("while True: pass", "takes more than 2 s"),
        ("import os; os._exit(3)", "breaks its reader"),
        ("import os; os.kill(os.getpid(), 11)", "breaks its reader"),
        ("x = bytearray(2**40)", "needs more than 400 MB"),
        ("import socket; socket.create_connection(('127.0.0.1', PORT))", "socket.* is refused"),
        ("import subprocess; subprocess.run(['true'])", "subprocess.Popen is refused"),
        ("import os; os.system('true')", "os.system is refused"),
        ("open(TARGET, 'w').write('x')", "open is refused"),
        ("raise RuntimeError('kaputt')", "kaputt"),
    ],
)
def test_what_a_reader_does_when_it_is_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, words: str
) -> None:
    """The reader of .txt in the process is one of the test's own: it stands for a library that a file took over."""
    server = socket.create_server(("127.0.0.1", 0))
    target = tmp_path / "written"
    code = code.replace("PORT", str(server.getsockname()[1])).replace("TARGET", repr(str(target)))
    hook = (
        "import epoche.sources.readers.plain as plain\n"
        f"def read_text(raw, name):\n    {code}\n    return [], []\n"
        "plain.read_text = read_text\n"
    )
    monkeypatch.setattr(apart, "_CHILD", apart._CHILD.replace("; serve(", "\n" + hook + "serve("))
    child = apart.Reading(seconds=2, memory=400 * 2**20)
    with pytest.raises(DocumentError, match=words):
        child.read(".txt", b"Zinc rose.", "a.txt")
    server.setblocking(False)
    with pytest.raises(BlockingIOError):
        server.accept()
    assert not target.exists()
    server.close()
    # The process that comes after it reads on.
    monkeypatch.undo()
    child.close()
    assert child.read(".txt", b"Zinc rose.", "a.txt")[0]
    child.close()


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    hook = "import sys\nsys.modules['pypdfium2'] = None\n"
    monkeypatch.setattr(apart, "_CHILD", apart._CHILD.replace("; serve(", "\n" + hook + "serve("))
    child = apart.Reading()
    with pytest.raises(MissingExtra, match=r"epoche\[papers\]"):
        child.read(".pdf", b"%PDF-1.7", "a.pdf")
    child.close()


def test_a_bomb_ends_in_time() -> None:
    pytest.importorskip("pypdfium2", reason="needs the extra papers")
    pytest.importorskip("reportlab", reason="typesets the PDFs")
    from tests.sources.readers.typeset import bomb

    child = apart.Reading(seconds=3)
    with pytest.raises(DocumentError, match=r"b\.pdf (takes more than 3 s|breaks its reader)"):
        child.read(".pdf", bomb(), "b.pdf")
    child.close()
