"""Figures as files: risk–coverage curves and reliability, SVG or PNG, the same bytes for the same numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from epoche.errors import InputError, MissingExtra, OptionError
from epoche.metrics.scores import Bin

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Told apart by people who do not see red and green apart (Okabe and Ito 2008), and by their dashes in print.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
_DASHES = ("-", "--", "-.", ":")
_STYLE: dict[Any, Any] = {"svg.hashsalt": "epoche", "svg.fonttype": "path", "font.size": 10.0}


@dataclass(frozen=True)
class NamedCurve:
    """An exact risk–coverage curve, one point per threshold: coverage and risk are float64[g] in [0, 1]."""

    name: str
    coverage: NDArray[np.float64]
    risk: NDArray[np.float64]


def risk_coverage_figure(curves: Sequence[NamedCurve], path: Path, title: str = "") -> None:
    """Selective risk over coverage. A curve begins at its own lowest coverage: below it there is no risk.

    Raises:
        OptionError: the file's suffix is not .svg or .png.
        MissingExtra: matplotlib is not installed.
        InputError: the file cannot be written.
    """
    with _drawing(path, title) as axes:
        lines = []
        for i, curve in enumerate(curves):
            style: dict[str, Any] = {
                "color": COLOURS[i % len(COLOURS)],
                "linestyle": _DASHES[i % len(_DASHES)],
                "linewidth": 1.6,
            }
            if curve.coverage.size == 1:
                style |= {"marker": "o"}  # one threshold is a point: a line would not show
            lines += axes.plot(curve.coverage, curve.risk, **style)
        axes.set_xlabel("coverage (share answered)")
        axes.set_ylabel("selective risk (wrong among answered)")
        axes.set_xlim(0, 1)
        top = max((float(c.risk.max()) for c in curves if c.risk.size), default=1.0)
        axes.set_ylim(0, min(1.0, max(0.1, 1.08 * top)))
        _legend(axes, lines, [curve.name for curve in curves])


def reliability_figure(bins: Sequence[Bin], path: Path, title: str = "") -> None:
    """Share right over mean confidence, per bin; the size of a mark grows with its items.

    Raises:
        OptionError, MissingExtra, InputError: as `risk_coverage_figure`.
    """
    confidence, right = [b.confidence for b in bins], [b.accuracy for b in bins]
    total = sum(b.items for b in bins) or 1
    sizes = [20 + 300 * b.items / total for b in bins]
    with _drawing(path, title) as axes:
        ideal = axes.plot([0, 1], [0, 1], color="0.6", linewidth=1, linestyle=":")
        axes.plot(confidence, right, color=COLOURS[0], linewidth=1)
        marks = axes.scatter(confidence, right, s=sizes, color=COLOURS[0])
        axes.set_xlabel("mean confidence of the bin")
        axes.set_ylabel("share right")
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
        _legend(axes, [*ideal, marks], ["calibrated", "bins"])


@contextmanager
def _drawing(path: Path, title: str) -> Iterator[Axes]:
    """Axes to draw on; afterwards they are written to `path`, whole or not at all."""
    if path.suffix not in (".svg", ".png"):
        raise OptionError(f"{path}: a figure is .svg or .png")
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("a figure", "report") from None
    with matplotlib.rc_context():
        # A style of the user's would give other bytes for the same numbers.
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        figure = Figure(figsize=(6.4, 4.2), layout="constrained")
        axes = figure.add_subplot()
        yield axes
        axes.grid(visible=True, color="0.9", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        if title:
            axes.set_title(title, fontsize=11, loc="left", parse_math=False)
        _write(figure, path)


def _legend(axes: Axes, handles: Sequence[Any], names: Sequence[str]) -> None:
    """Names as they are: a label given to a line would be left out where it begins with "_"."""
    if names:
        for text in axes.legend(handles, names, frameon=False, fontsize=9).get_texts():
            text.set_parse_math(False)


def _write(figure: Figure, path: Path) -> None:
    # No date and no version in the file: the same numbers give the same bytes.
    metadata: dict[str, Any] = {"Date": None, "Creator": None} if path.suffix == ".svg" else {"Software": None}
    partial = path.with_name(f".{path.stem}.part{path.suffix}")
    try:
        figure.savefig(partial, dpi=160, metadata=metadata)
        partial.replace(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)
