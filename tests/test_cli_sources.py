"""Evidence as people have it, through the command: papers as files, by name, and searched for."""

from __future__ import annotations

import json
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pypdfium2", reason="needs the extras papers and search")
pytest.importorskip("reportlab", reason="needs the extras papers and search")
pytest.importorskip("trafilatura", reason="needs the extras papers and search")
pytest.importorskip("docx", reason="needs the extras papers and search")
pytest.importorskip("bibtexparser", reason="needs the extras papers and search")
pytest.importorskip("httpx", reason="needs the extras papers and search")

from epoche.backends.onnx_nli import installed_models
from tests.sources.literature.conftest import IRON, NO_ABSTRACT, ZINC
from tests.sources.literature.formats import EVERYWHERE, Paper
from tests.sources.literature.server import Library, serving
from tests.sources.readers import typeset
from tests.test_cli import epoche

pytestmark = pytest.mark.skipif(not installed_models(), reason="no embedded model in this checkout")

CLAIM = "Zinc shortens colds."
SELENIUM = Paper(
    title="Selenium and cancer",
    abstract=(("", "Selenium supplements prevented prostate cancer in men."),),
    pmid="20000009",
    doi="10.5555/selenium",
    kinds=("Journal Article", "Retracted Publication"),
    retracted_at=EVERYWHERE,
)


@pytest.fixture(scope="module")
def library() -> Iterator[Library]:
    with serving(Library(papers=[ZINC, IRON, NO_ABSTRACT, SELENIUM])) as library:
        yield library


def run(library: Library, cache: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    urls = {f"EPOCHE_{name.upper()}_URL": url for name, url in library.hosts.items()}
    return epoche("verify", *arguments, EPOCHE_CACHE=str(cache), NO_PROXY="127.0.0.1", **{**urls, **more})


def verdict(library: Library, cache: Path, *arguments: str, **more: str) -> dict[str, Any]:
    done = run(library, cache, *arguments, "--format", "json", **more)
    assert done.returncode == 0, done.stderr.decode()
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_paper_by_its_number_with_year_and_kind(library: Library, tmp_path: Path) -> None:
    found = verdict(library, tmp_path, CLAIM, "-e", "pmid:31852698", "--policy", "paper")
    assert found["outcome"]["label"] == "supported"
    (document,) = found["evidence"]["documents"]
    assert (document["id"], document["year"], document["study"]) == (
        "pmid:31852698",
        2020,
        "Randomized Controlled Trial",
    )
    assert {s["role"] for s in found["evidence"]["sentences"]} == {"background", "methods", "results", "conclusion"}
    asked = len(library.requests)
    assert verdict(library, tmp_path, CLAIM, "-e", "pmid:31852698", "--policy", "paper") == found
    assert len(library.requests) == asked, "kept for a week"


def test_case_27_no_source_another_paper_and_silence(library: Library, tmp_path: Path) -> None:
    nothing = verdict(library, tmp_path, CLAIM, "-e", "pmid:999")
    assert nothing["outcome"]["reason"] == "no_evidence"
    assert "no source found" in nothing["outcome"]["detail"]
    assert [u["kind"] for u in nothing["evidence"]["unread"]] == ["not_found"]
    title = "title:Zinc lozenges and the duration of the common cold: a systematic review"
    other = verdict(library, tmp_path, CLAIM, "-e", title)
    assert other["outcome"]["reason"] == "no_evidence"
    assert "probably another paper" in other["outcome"]["detail"]
    assert [u["kind"] for u in other["evidence"]["unread"]] == ["another_paper"]
    silent = verdict(library, tmp_path, CLAIM, "-e", "pmid:20000001", "--policy", "paper")
    assert silent["outcome"]["label"] == "not_enough_evidence"


def test_case_26_a_retracted_paper_supports_nothing(library: Library, tmp_path: Path) -> None:
    found = verdict(library, tmp_path, "Selenium prevents prostate cancer in men.", "-e", "doi:10.5555/selenium",
                    "--policy", "paper")  # fmt: skip
    assert found["outcome"]["reason"] == "retracted_only"
    assert found["evidence"]["documents"][0]["retracted"] is True


def test_a_paper_given_as_a_file_and_by_its_name_is_looked_up(library: Library, tmp_path: Path) -> None:
    bib = tmp_path / "refs.bib"
    bib.write_text("@article{s, doi={10.5555/selenium}, abstract={Selenium prevented prostate cancer in men.}}")
    claim, name = "Selenium prevents prostate cancer in men.", "doi:10.5555/selenium"
    for given in ([str(bib), name], [name, str(bib)]):
        found = verdict(
            library, tmp_path, claim, *(part for one in given for part in ("-e", one)), "--policy", "paper"
        )
        assert found["outcome"]["reason"] == "retracted_only"
        (document,) = found["evidence"]["documents"]
        assert (document["id"], document["retracted"]) == (name, True)


def test_two_texts_of_a_retracted_paper_are_both_retracted(library: Library, tmp_path: Path) -> None:
    sources = ["-e", "doi:10.5555/selenium"]
    for name, text in (
        ("p", "Selenium prevented prostate cancer in men."),
        ("q", "Selenium prevented cancer in men."),
    ):
        (tmp_path / f"{name}.bib").write_text(f"@article{{s, doi={{10.5555/selenium}}, abstract={{{text}}}}}")
        sources += ["-e", str(tmp_path / f"{name}.bib")]
    found = verdict(library, tmp_path, "Selenium prevents prostate cancer in men.", *sources, "--policy", "paper")
    assert found["outcome"]["reason"] == "retracted_only"
    assert [d["retracted"] for d in found["evidence"]["documents"]] == [True, True]


def test_a_service_that_is_down_and_a_name_that_is_none(library: Library, tmp_path: Path) -> None:
    zinc = tmp_path / "zinc.txt"
    zinc.write_text("Zinc did not shorten colds.", encoding="utf-8")
    down = {"EPOCHE_PUBMED_URL": "http://127.0.0.1:9"}
    done = run(
        library,
        tmp_path,
        CLAIM,
        "-e",
        str(zinc),
        "-e",
        "pmid:20000001",
        "--policy",
        "paper",
        **down,
    )
    assert done.returncode == 0
    assert "PubMed" in done.stderr.decode()
    assert "try again later" in done.stderr.decode()
    assert done.stdout.decode().startswith("Refuted"), "what was read may refute"
    alone = run(library, tmp_path, CLAIM, "-e", "pmid:20000001", "--format", "json", **down)
    assert json.loads(alone.stdout)["outcome"]["reason"] == "no_evidence"
    wrong = run(library, tmp_path, CLAIM, "-e", "pmid:abc")
    assert wrong.returncode == 2
    assert "write it like pmid:31852698" in wrong.stderr.decode()


@pytest.mark.parametrize("source", ["pubmed", "europepmc", "openalex"])
def test_search(library: Library, tmp_path: Path, source: str) -> None:
    found = verdict(library, tmp_path, CLAIM, "--search", source, "--max-docs", "3", "--policy", "paper")
    assert found["outcome"]["label"] == "supported"
    retrieval = found["evidence"]["retrieval"]
    assert (retrieval["source"], retrieval["sha256"], retrieval["top"]) == (source, None, 3)
    assert retrieval["found"][0]["document"] == "pmid:31852698"
    empty = verdict(library, tmp_path, "Quokkas hibernate underwater.", "--search", source)
    assert empty["outcome"]["reason"] == "no_evidence"
    assert "nothing relevant was found" in empty["outcome"]["detail"]


def test_a_key_is_nowhere_to_be_found(library: Library, tmp_path: Path) -> None:
    """Case 20."""
    done = run(library, tmp_path, CLAIM, "-e", "pmid:31852698", "-e", "pmid:999", "--format", "json",
               NCBI_API_KEY="k3y-of-mine", EPOCHE_EMAIL="me@example.org")  # fmt: skip
    assert any(r.params.get("api_key") == "k3y-of-mine" for r in library.requests)
    for text in (done.stdout, done.stderr, *(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())):
        assert b"k3y-of-mine" not in text
        assert b"me@example.org" not in text


def hostile(folder: Path) -> dict[str, str]:
    """Files that are built to do harm, or that hold no paper: name → what is said of each."""
    (folder / "bomb.xml").write_text(
        '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><article><p>&b;</p></article>'
    )
    (folder / "passwd.xml").write_text(
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><article>&x;</article>'
    )
    with zipfile.ZipFile(folder / "bomb.docx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        with archive.open("word/document.xml", "w") as member:
            for _ in range(300):
                member.write(bytes(2**20))
    (folder / "scan.pdf").write_bytes(typeset.scanned())
    (folder / "locked.pdf").write_bytes(typeset.encrypted("secret"))
    (folder / "broken.pdf").write_bytes(typeset.broken()[:200])
    (folder / "login.html").write_text(
        "<html><head><title>Sign in</title></head><body><form><input type=password>"
        "</form>Sign in to continue</body></html>"
    )
    with (folder / "large.txt").open("wb") as stream:
        stream.truncate(2**30)
    (folder / "loop.txt").symlink_to(folder / "loop.txt")
    (folder / "cut.bib").write_text("@article{a, title = {Zinc}, abstract = {Zinc")
    (folder / "none.ris").write_text("nothing of the kind")
    return {
        "bomb.xml": "entit",
        "passwd.xml": "entit",
        "bomb.docx": "MB",
        "scan.pdf": "OCR",
        "locked.pdf": "password",
        "broken.pdf": "broken|no text",
        "login.html": "login|access",
        "large.txt": "at most 64",
        "loop.txt": "no file|cannot be read",
        "cut.bib": "cut off|broken",
        "none.ris": "",
    }


def test_bad_sources_are_named_and_the_others_go_on(library: Library, tmp_path: Path) -> None:
    said = hostile(tmp_path)
    (tmp_path / "good.txt").write_text("Zinc did not shorten colds.", encoding="utf-8")
    given = [str(tmp_path / name) for name in (*said, "good.txt")]
    arguments = [part for path in [*given, "https://example.org/paper"] for part in ("-e", path)]
    done = run(library, tmp_path / "cache", CLAIM, *arguments, "--policy", "paper", "--format", "json")
    assert done.returncode == 0, done.stderr.decode()
    found = json.loads(done.stdout)
    assert found["outcome"]["label"] == "refuted"
    listed = {Path(u["document"].partition("#")[0]).name: u["why"] for u in found["evidence"]["unread"]}
    for name, words in said.items():
        assert any(word in listed[name] for word in words.split("|")), (name, listed[name])
        assert name in done.stderr.decode()
    assert "URL" in listed["paper"]
    assert b"root:" not in done.stdout + done.stderr


def test_papers_in_all_formats_say_the_same(library: Library, tmp_path: Path) -> None:
    import docx

    sentence = "Zinc shortened colds by two days in adults."
    document = docx.Document()
    document.add_heading("Results", 1)
    document.add_paragraph(sentence)
    document.save(str(tmp_path / "a.docx"))
    (tmp_path / "a.md").write_text(f"# Results\n\n{sentence}\n")
    (tmp_path / "a.html").write_text(
        f"<html><body><article><h2>Results</h2><p>{sentence} {'It was seen in both towns. ' * 8}</p>"
        "</article></body></html>"
    )
    (tmp_path / "a.xml").write_text(
        f"<article><front><article-meta><title-group><article-title>Z</article-title></title-group></article-meta>"
        f"</front><body><sec><title>Results</title><p>{sentence}</p></sec></body></article>"
    )
    (tmp_path / "a.bib").write_text(
        f"@article{{a, title={{Z}}, abstract={{Results: {sentence} Conclusion: Good.}}}}"
    )
    (tmp_path / "a.ris").write_text(f"TY  - JOUR\nTI  - Z\nAB  - {sentence}\nER  - \n")
    for path in sorted(tmp_path.glob("a.*")):
        found = verdict(library, tmp_path, CLAIM, "-e", str(path), "--policy", "paper")
        assert found["outcome"]["label"] == "supported", path.name
        cited = [s for s in found["evidence"]["sentences"] if s["text"] == sentence]
        assert cited, path.name
        assert path.name == "a.ris" or cited[0]["role"] == "results", path.name
