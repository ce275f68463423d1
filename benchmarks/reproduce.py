"""Every benchmark figure of README and docs, from the data sets on: runs, report, and the committed summaries.

    python benchmarks/reproduce.py [--threads 2] [--work benchmarks/work]

Goes on where an interrupted run stopped. The records stay in the work folder (they hold texts of the data sets and
are not committed); `benchmarks/results/` gets the summaries, `docs/figures/` the curves. Then `make docs`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

from epoche.bench.catalogue import corpus_file
from epoche.config import data_folder

HERE = Path(__file__).parent
RESULTS = HERE / "results"
FIGURES = HERE.parent / "docs" / "figures"
RUNS = {
    "scifact-abstract": ["scifact", "--split", "dev", "--protocol", "abstract", "--decomposer", "whole,rules"],
    "scifact-rationale": ["scifact", "--split", "dev", "--protocol", "rationale", "--decomposer", "whole,rules"],
    "pubmedqa-train": ["pubmedqa", "--split", "train", "--decomposer", "whole,rules"],
}


#: SciFact with nothing given but the corpus.
CORPUS = "scifact-corpus"


def epoche(*arguments: str) -> None:
    """The command as a user gives it; its errors are this script's."""
    print("$ epoche", *arguments, flush=True)
    done = subprocess.run([sys.executable, "-m", "epoche", *arguments], check=False)
    if done.returncode:
        sys.exit(done.returncode)


def keep(run: Path, name: str) -> None:
    """The summary and the ablations of a run, without its items."""
    for kind in ("summary", "ablations", "official"):
        if not (run / f"{kind}.json").exists():
            continue
        content = json.loads((run / f"{kind}.json").read_text(encoding="utf-8"))
        path = RESULTS / name / f"{run.name}.{kind}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Runs what is not there yet and writes the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", default="2")
    parser.add_argument("--work", type=Path, default=HERE / "work")
    options = parser.parse_args()
    work: Path = options.work
    work.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    for name, arguments in RUNS.items():
        epoche("bench", *arguments, "--out", str(work / name), "--ablate", "--threads", options.threads)
        for run in sorted(p.parent for p in (work / name).glob("*/summary.json")):
            keep(run, name)
    index = work / "scifact.index"
    epoche("index", str(corpus_file(data_folder())), "--out", str(index))
    arguments = [*RUNS["scifact-abstract"][:3], "--protocol", "corpus", "--corpus-index", str(index)]
    epoche(
        "bench", *arguments, "--decomposer", "whole", "--out", str(work / CORPUS / "whole--mini"), "--ablate",
        "--threads", options.threads,
    )  # fmt: skip
    keep(work / CORPUS / "whole--mini", CORPUS)
    length = work / "evidence-length.json"
    if not length.exists():
        epoche("bench", "evidence-length", "--out", str(length), "--threads", options.threads)
    shutil.copy(length, RESULTS / length.name)
    report = work / "report"
    epoche("bench", "report", *(str(work / name) for name in RUNS), "--out", str(report))
    FIGURES.mkdir(exist_ok=True)
    for figure in sorted(report.glob("risk-coverage-*.svg")):
        shutil.copy(figure, FIGURES / figure.name)
    print(f"done in {time.monotonic() - start:.0f} s; the page is {report / 'index.html'}")


if __name__ == "__main__":
    main()
