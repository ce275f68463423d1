"""Figures as files: what is drawn, the same bytes for the same numbers, and what is refused."""

from __future__ import annotations

import builtins
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from epoche.errors import InputError, MissingExtra, OptionError
from epoche.metrics.scores import Bin
from epoche.report.figures import NamedCurve, reliability_figure, risk_coverage_figure

CURVES = [
    NamedCurve("rules", np.array([0.25, 0.5, 1.0]), np.array([0.0, 0.5, 0.25])),
    NamedCurve("whole", np.array([0.8]), np.array([0.2])),
]
BINS = [Bin(0.1, 0.4, 5, 0.3, 0.2), Bin(0.5, 0.9, 4, 0.7, 0.75)]


def coordinates(svg: str, colour: str) -> list[tuple[float, float]]:
    """Points of the first line of a colour, in the file's units."""
    found = re.search(rf'<path d="(M[^"]*)"[^>]*style="fill: none; stroke: {colour}', svg)
    assert found
    return [(float(x), float(y)) for x, y in re.findall(r"[ML] ([\d.]+) ([\d.]+)", found[1])]


def test_a_curve_begins_at_the_lowest_coverage_it_reaches(tmp_path: Path) -> None:
    risk_coverage_figure(CURVES[:1], tmp_path / "a.svg")
    (x0, y0), (x1, y1), (x2, y2) = coordinates((tmp_path / "a.svg").read_text("utf-8"), "#0072b2")
    # Coverages .25, .5, 1 and risks 0, .5, .25 on straight axes; y grows downwards.
    assert (x2 - x1) / (x1 - x0) == pytest.approx(2.0, abs=1e-3)
    assert (y0 - y1) / (y0 - y2) == pytest.approx(2.0, abs=1e-3)


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_the_same_numbers_give_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    import matplotlib as mpl

    once, again = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    risk_coverage_figure(CURVES, once, title="scifact dev")
    before = dict(mpl.rcParams)
    with mpl.rc_context({"font.size": 20.0, "lines.markersize": 20.0, "axes.facecolor": "red"}):
        risk_coverage_figure(CURVES, again, title="scifact dev")  # whatever style the user has set
    assert once.read_bytes() == again.read_bytes()
    assert dict(mpl.rcParams) == before, "the user's own settings stay"
    assert b"<dc:date>" not in once.read_bytes()


def test_names_are_drawn_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.axes import Axes

    texts: list[str] = []
    legend = Axes.legend

    def spy(self: Axes, *args: Any, **kwargs: Any) -> Any:
        made = legend(self, *args, **kwargs)
        texts.extend(text.get_text() for text in made.get_texts())
        return made

    monkeypatch.setattr(Axes, "legend", spy)
    curves = [NamedCurve(name, np.array([1.0]), np.array([0.5])) for name in ("_hidden", "$x$", "a_b^{")]
    risk_coverage_figure(curves, tmp_path / "a.svg", title="$\\frac{")
    assert texts == ["_hidden", "$x$", "a_b^{"]


def test_nothing_to_draw_is_an_empty_plot(tmp_path: Path) -> None:
    risk_coverage_figure([], tmp_path / "a.svg")
    reliability_figure([], tmp_path / "b.png")
    assert {p.name for p in tmp_path.iterdir()} == {"a.svg", "b.png"}, "nothing half written is left"


@pytest.mark.parametrize("name", ["a.pdf", "a", "a.svgz"])
def test_other_formats_are_refused(tmp_path: Path, name: str) -> None:
    for draw in (lambda p: risk_coverage_figure(CURVES, p), lambda p: reliability_figure(BINS, p)):
        with pytest.raises(OptionError, match=r"a figure is \.svg or \.png"):
            draw(tmp_path / name)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"missing/a\.svg cannot be written"):
        reliability_figure(BINS, tmp_path / "missing" / "a.svg")


def test_without_matplotlib_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r'pip install "epoche\[report\]"'):
        risk_coverage_figure(CURVES, tmp_path / "a.svg")
