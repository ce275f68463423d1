"""`epoche bench report`: run records → tables, figures and one page. No model; nothing is scored again."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from epoche.bench.compare import summary_of
from epoche.bench.predictions import Predictions
from epoche.bench.readings import Setup, Table, leaking, predictions_of
from epoche.bench.record import Run, load_run, read_json
from epoche.errors import InputError
from epoche.metrics import selective
from epoche.metrics.resample import Interval, paired_difference
from epoche.metrics.scores import reliability
from epoche.policy import Policy
from epoche.report.bench_page import render_bench_page
from epoche.report.bench_tables import (
    ablation_table,
    comparison_table,
    main_table,
    to_csv,
    to_html,
    to_latex,
    to_markdown,
)
from epoche.report.bench_view import view_of
from epoche.report.figures import NamedCurve, reliability_figure, risk_coverage_figure
from epoche.report.promise_tables import promise_tables

_COMPARED = {
    "risk": lambda groups: selective.curve(groups).risk[..., -1],
    "AURC": selective.aurc,
    "AUROC of failure": selective.auroc_failure,
}


#: What tells a report of ours from a page of others.
GENERATOR = 'content="epoche bench report"'


@dataclass(frozen=True)
class _Loaded:
    name: str
    record: Run
    summary: dict[str, Any]
    ablations: dict[str, Any] | None
    policy: Policy
    predictions: Predictions
    promises: dict[str, Any] | None


def run_folders(paths: Sequence[Path]) -> dict[str, Path]:
    """Name → folder of every run record at or below the paths; the name is the shortest that tells them apart.

    Raises:
        InputError: a path that is not there, or no run anywhere.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            raise InputError(f"{path} is not there: give the --out folders of `epoche bench`")
        found.update((meta.parent, None) for meta in sorted(path.rglob("meta.json")))
    if not found:
        raise InputError(f"no run in {', '.join(map(str, paths))}: give the --out folders of `epoche bench`")
    for depth in itertools.count(1):
        names = ["/".join(folder.resolve().parts[-depth:]) for folder in found]
        if len(set(names)) == len(names):
            return dict(zip(names, found, strict=True))
    raise AssertionError("paths of different folders differ somewhere")


def write_report(paths: Sequence[Path], out: Path) -> list[Path]:
    """Tables (md, csv, tex), figures (svg, png) and `index.html` in `out`; what was written.

    Raises:
        InputError: see `run_folders`; a run that is not finished; a folder that cannot be written.
    """
    runs = [_load(name, folder) for name, folder in run_folders(paths).items()]
    tables = [main_table({run.name: run.summary for run in runs})]
    compared = compare(runs)
    if compared:
        tables.append(comparison_table(compared))
    tables += [ablation_table(run.name, run.ablations) for run in runs if run.ablations]
    promised = [table for run in runs if run.promises for table in promise_tables(run.name, run.promises)]
    tables += promised
    views = [view_of(r.record, r.summary, r.ablations, r.name, r.policy) for r in runs]
    page = render_bench_page(views, "".join(map(to_html, [*tables[: 2 if compared else 1], *promised])))
    files = {
        "index.html": page,
        "tables.md": "\n".join(to_markdown(t) for t in tables),
        "runs.csv": to_csv(tables[0]),
        "runs.tex": to_latex(tables[0]),
    }
    files |= {
        f"ablations-{_slug(r.name)}.csv": to_csv(ablation_table(r.name, r.ablations)) for r in runs if r.ablations
    }
    try:
        _own(out)
        for name, text in files.items():
            _write(out / name, text)
        return [out / name for name in files] + _figures(runs, out)
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error.strerror}; give another --out") from None


def _own(out: Path) -> None:
    """Makes the folder, or empties one that holds a report of ours; nobody else's file is touched."""
    out.mkdir(parents=True, exist_ok=True)
    page = out / "index.html"
    others = [p.name for p in out.iterdir() if p.name != ".DS_Store"]
    if others and not (page.is_file() and GENERATOR in page.read_text(encoding="utf-8", errors="replace")[:2000]):
        raise InputError(f"{out} holds other files ({sorted(others)[0]}): give an empty folder for the report")
    for pattern in ("ablations-*.csv", "reliability-*.[ps][nv]g", "risk-coverage-*.[ps][nv]g"):
        for stale in out.glob(pattern):
            stale.unlink()


def _write(path: Path, text: str) -> None:
    """Whole or not at all."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _load(name: str, folder: Path) -> _Loaded:
    record = load_run(folder)
    if len(record.items) != record.meta.get("items"):
        raise InputError(
            f"{folder} holds {len(record.items)} of {record.meta.get('items')} items: start its `epoche bench` "
            "command again, which goes on where it stopped"
        )
    stored = read_json(folder / "summary.json")
    try:
        policy = Policy.model_validate_json(json.dumps(stored.get("policy")))
    except ValueError:
        raise InputError(f"{folder / 'summary.json'} has no policy: start the run's command again") from None
    setup = Setup(policy)
    # Computed again: a summary written by an older version would not compare with the others.
    summary = summary_of(record, setup)
    path = folder / "ablations.json"
    predictions = predictions_of(record, Table(record, setup).read(setup))
    return _Loaded(
        name,
        record,
        summary,
        _ablations(path) if path.exists() else None,
        policy,
        predictions.subset(~leaking(record)),
        _promises(folder / "promises.json"),
    )


def _promises(path: Path) -> dict[str, Any] | None:
    if not path.exists():
        return None
    found = read_json(path)
    if not isinstance(found.get("splits"), list) or not isinstance(found.get("dial"), dict):
        raise InputError(f"{path} is damaged: run `epoche bench promises` again, or remove the file")
    return found


def _ablations(path: Path) -> dict[str, Any]:
    found = read_json(path)
    rows = found.get("rows")
    whole = isinstance(rows, dict) and all(isinstance(r, dict) and "intervals" in r for r in rows.values())
    if not whole or not isinstance(found.get("n"), int) or not isinstance(found.get("identity"), dict):
        raise InputError(f"{path} is damaged: start the run's command again with --ablate, or remove the file")
    return found


def compare(runs: Sequence[_Loaded]) -> list[tuple[str, str, int, Mapping[str, Sequence[float]]]]:
    """Paired differences of runs of the same data, split and protocol, over the items both propose a label for."""
    rows: list[tuple[str, str, int, Mapping[str, Sequence[float]]]] = []
    for first, second in itertools.combinations(runs, 2):
        same = ("dataset", "split", "protocol")
        if any(first.summary[k] != second.summary[k] for k in same):
            continue
        shared = sorted(_proposed(first) & _proposed(second))
        if len(shared) < 2:
            continue
        a, b = _columns(first, shared), _columns(second, shared)
        found = {name: _triple(paired_difference(metric, a, b)) for name, metric in _COMPARED.items()}
        rows.append((first.name, second.name, len(shared), found))
    return rows


def _proposed(run: _Loaded) -> set[str]:
    return {i for i, there in zip(run.predictions.ids, run.predictions.proposed.tolist(), strict=True) if there}


def _columns(run: _Loaded, ids: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    place = {i: n for n, i in enumerate(run.predictions.ids)}
    rows = [place[i] for i in ids]
    return run.predictions.confidence[rows], run.predictions.error[rows]


def _triple(found: Interval) -> tuple[float, float, float]:
    return found.value, found.low, found.high


def _figures(runs: Sequence[_Loaded], out: Path) -> list[Path]:
    """One figure of curves per data set, split and protocol; one reliability figure per run."""
    written = []
    by_data: dict[str, list[NamedCurve]] = {}
    for run in runs:
        p = run.predictions
        if not p.proposed.any():
            continue
        groups = selective.group(p.confidence[p.proposed], p.error[p.proposed])
        line = selective.curve(groups)
        title = f"{run.summary['dataset']} {run.summary['split']} ({run.summary['protocol']})"
        # Coverage of all items: what has no proposal is never answered.
        share = float(groups.n) / p.n
        by_data.setdefault(title, []).append(NamedCurve(run.name, line.coverage * share, line.risk))
        bins = reliability(p.confidence[p.proposed], 1.0 - p.error[p.proposed])
        for suffix in ("svg", "png"):
            path = out / f"reliability-{_slug(run.name)}.{suffix}"
            reliability_figure(bins, path, title=f"{run.name}: {title}")
            written.append(path)
    for title, curves in by_data.items():
        for suffix in ("svg", "png"):
            path = out / f"risk-coverage-{_slug(title)}.{suffix}"
            risk_coverage_figure(curves, path, title=title)
            written.append(path)
    return written


def _slug(text: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())
