"""A hundred thousand made-up abstracts: indexed, killed in the middle, resumed, searched; memory all the while.

    python benchmarks/index_scale.py [--documents 100000]

Writes `results/index-scale.json`: seconds, peak memory by documents read, query times. The texts are drawn from a
seeded vocabulary whose word frequencies fall like those of English.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "index-scale.json"
SEED = 20260727
LENGTH, VOCABULARY = 180, 60_000
QUERIES = 200


def write_corpus(path: Path, n: int) -> None:
    """Lines of {"id", "title", "text"}; about 180 words each."""
    generator = np.random.default_rng(SEED)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = ["".join(generator.choice(letters, size=generator.integers(3, 11))) for _ in range(VOCABULARY)]
    weights = 1.0 / np.arange(1, VOCABULARY + 1) ** 1.05
    weights /= weights.sum()
    with path.open("w", encoding="utf-8") as out:
        for start in range(0, n, 1000):
            drawn = generator.choice(VOCABULARY, size=(min(1000, n - start), LENGTH), p=weights)
            for i, row in enumerate(drawn, start=start):
                text = " ".join(words[k] for k in row)
                sentences = ". ".join(text[j : j + 120].strip().capitalize() for j in range(0, len(text), 120))
                out.write(json.dumps({"id": f"d{i}", "title": text[:60], "text": f"{sentences}."}) + "\n")


def resident(pid: int) -> float:
    """Memory of a process in MB; 0 once it is gone."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[1])
    except (OSError, IndexError, ValueError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def indexed(corpus: Path, folder: Path) -> int:
    """Documents that are committed so far."""
    import sqlite3

    path = folder / "documents.sqlite"
    if not path.exists():
        return 0
    store = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return int(store.execute("SELECT COALESCE(MAX(row), 0) FROM documents").fetchone()[0])
    except sqlite3.Error:
        return 0
    finally:
        store.close()


def run(corpus: Path, folder: Path, kill_at: int | None) -> dict[str, Any]:
    """One start of `epoche index`: its seconds, and the most memory by quarter of the documents."""
    command = [sys.executable, "-m", "epoche", "index", str(corpus), "--out", str(folder), "--quiet"]
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    peaks: dict[int, float] = {}
    while process.poll() is None:
        done = indexed(corpus, folder)
        peaks[done // 10_000 * 10_000] = max(peaks.get(done // 10_000 * 10_000, 0.0), resident(process.pid))
        if kill_at is not None and done >= kill_at:
            process.send_signal(signal.SIGKILL)
        time.sleep(0.2)
    return {
        "exit": process.returncode,
        "seconds": round(time.monotonic() - start, 1),
        "peak_mb_by_documents": {str(k): round(v) for k, v in sorted(peaks.items())},
    }


def queries(folder: Path) -> dict[str, float]:
    """Milliseconds of a query of twelve words, opened cold; and the memory that searching takes."""
    from epoche.sources.corpus.index import CorpusIndex

    before = resident(os.getpid())
    opened = CorpusIndex(folder)
    generator = np.random.default_rng(SEED)
    vocabulary = list(opened.document(1).text.split())
    taken = []
    for _ in range(QUERIES):
        query = " ".join(generator.choice(vocabulary, size=12))
        start = time.perf_counter()
        opened.search(query, 20)
        taken.append((time.perf_counter() - start) * 1000)
    return {
        "median_ms": round(float(np.median(taken)), 2),
        "p95_ms": round(float(np.quantile(taken, 0.95)), 2),
        "memory_mb": round(resident(os.getpid()) - before),
    }


def main() -> None:
    """Writes the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--work", type=Path, default=HERE / "work" / "index-scale")
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    corpus, folder = options.work / "corpus.jsonl", options.work / "index"
    write_corpus(corpus, options.documents)
    killed = run(corpus, folder, options.documents // 2)
    resumed = run(corpus, folder, None)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    found = {
        "documents": options.documents,
        "corpus_mb": round(corpus.stat().st_size / 2**20),
        "index_mb": round(size / 2**20),
        "killed": killed,
        "resumed": resumed,
        "query": queries(folder),
        "cores": os.cpu_count(),
        "machine": platform.machine(),
    }
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))
    shutil.rmtree(options.work)


if __name__ == "__main__":
    main()
