"""Start-up, a first verify and throughput, measured as whole processes; writes benchmarks/speed.json.

    python benchmarks/speed.py [--runs 5]

Quote the medians and say which machine; compare only figures of one run.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
EVIDENCE = " ".join(
    f"In cohort {i}, daily dosing lowered the mean score from {40 + i} to {30 + i} points after {i + 2} weeks."
    for i in range(10)
)
CLAIM = "Daily dosing lowered the mean score."


def measured(arguments: list[str]) -> dict[str, float]:
    """Wall seconds and peak resident megabytes of one child process, from the kernel's accounting."""
    start = time.perf_counter()
    child = os.posix_spawn(
        sys.executable,
        [sys.executable, *arguments],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, usage = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"failed: {' '.join(arguments)}")
    return {"seconds": time.perf_counter() - start, "peak_mb": usage.ru_maxrss / 1024}


def row(name: str, arguments: list[str], runs: int) -> dict[str, object]:
    """Median, minimum and maximum over `runs` after one warm-up."""
    measured(arguments)
    results = [measured(arguments) for _ in range(runs)]
    figures: dict[str, object] = {"name": name}
    for key in ("seconds", "peak_mb"):
        values = [r[key] for r in results]
        figures[key] = {
            "median": round(statistics.median(values), 3),
            "min": round(min(values), 3),
            "max": round(max(values), 3),
        }
    return figures


def throughput(nli: str, pairs: int) -> dict[str, object]:
    """Distinct pairs per second in one process, the model loaded, one thread."""
    from epoche.assemble import make_nli
    from epoche.config import load_config

    config = load_config()
    model = make_nli(nli, config)
    texts = [
        (f"In cohort {i}, daily dosing lowered the mean score from {i} to {i - 7} points in older adults.", CLAIM)
        for i in range(pairs)
    ]
    model.score(texts[:64])
    start = time.perf_counter()
    model.score(texts)
    return {"name": f"pairs per second, 1 thread, {nli}", "value": round(pairs / (time.perf_counter() - start), 1)}


def from_the_record(run: Path) -> list[dict[str, object]]:
    """The ablation grid and a sweep of 1,000 thresholds, from a run record, loading it included; no model."""
    from epoche.bench.compare import ablations_of
    from epoche.bench.readings import Setup, Table
    from epoche.bench.record import load_run
    from epoche.config import load_policy

    start = time.perf_counter()
    policy, record = load_policy(), load_run(run)
    ablations_of(record, policy)
    grid = time.perf_counter() - start
    table = Table(record, Setup(policy))
    for i in range(1000):
        threshold = 0.5 + i / 2000
        varied = {"support_threshold": threshold, "contradiction_threshold": threshold}
        table.read(Setup(policy.model_copy(update=varied)))
    both = time.perf_counter() - start
    return [
        {"name": "ablation grid from the record of SciFact dev", "seconds": {"median": round(grid, 3)}},
        {"name": "ablation grid and 1,000 thresholds", "seconds": {"median": round(both, 3)}},
    ]


def million_rows() -> dict[str, object]:
    """`epoche curve` on 1,000,000 predictions of three labels."""
    import random

    generator = random.Random(1)
    path = HERE / "speed-rows.jsonl"
    labels = ("supported", "refuted", "not_enough_evidence")
    with path.open("w", encoding="utf-8") as lines:
        for i in range(1_000_000):
            gold, confidence = generator.choice(labels), round(generator.random(), 6)
            predicted = gold if generator.random() < 0.5 + confidence / 2 else generator.choice(labels)
            lines.write(json.dumps({"id": i, "gold": gold, "pred": predicted, "confidence": confidence}) + "\n")
    try:
        return row("epoche curve, 1,000,000 rows", ["-m", "epoche", "curve", str(path), "--format", "json"], 3)
    finally:
        path.unlink()


def main() -> None:
    """Runs everything and writes the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    evidence = HERE / "speed-evidence.txt"
    evidence.write_text(EVIDENCE, encoding="utf-8")
    try:
        rows = [
            row("python, nothing imported", ["-c", "pass"], runs),
            row("epoche --help", ["-m", "epoche", "--help"], runs),
            row(
                "epoche verify, 1 claim, 10 sentences, cold",
                ["-m", "epoche", "verify", CLAIM, "-e", str(evidence)],
                runs,
            ),
            row(
                "epoche verify --nli base, 1 claim, 10 sentences, cold",
                ["-m", "epoche", "verify", CLAIM, "-e", str(evidence), "--nli", "base"],
                runs,
            ),
            million_rows(),
            # Last: a child's peak memory is counted from that of its parent, which loads the models now.
            throughput("mini", 2000),
            throughput("base", 200),
        ]
        run = HERE / "work" / "scifact-abstract" / "rules--mini"
        rows += from_the_record(run) if run.exists() else []
    finally:
        evidence.unlink()
    record = {
        "machine": {"cpus": os.cpu_count(), "system": platform.system(), "python": platform.python_version()},
        "runs": runs,
        "rows": rows,
    }
    (HERE / "speed.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(record, indent=2))


if __name__ == "__main__":
    main()
