"""Plots of measurements, as SVG and PNG: the same numbers always give the same picture.

Needs matplotlib (``pip install 'bnc2d[experiments]'``), whose global state is left as it is.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, TypeAlias

from bnc2d.draw.text import clean
from bnc2d.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Style: TypeAlias = Literal["line", "points", "step"]

# The colours of Okabe and Ito, which colour-blind readers can tell apart; markers say the same once more.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_INCHES = (8.0, 5.0)
_DOTS_PER_INCH = 150
_MOST_MARKERS = 20  # on one line
_FONT = "DejaVu Sans"  # it comes with matplotlib
_FONT_SIZE = 12.0


@dataclass(frozen=True)
class Picture:
    """One picture in two formats."""

    svg: bytes
    png: bytes


@dataclass(frozen=True)
class Series:
    """Points to show under one name: joined by lines, on their own, or as a staircase."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    style: Style = "line"


def check_matplotlib() -> None:
    """Raise ``MissingExtraError`` where matplotlib is not installed, without loading it."""
    if find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "experiments")


def plot(
    title: str,
    x_label: str,
    y_label: str,
    series: Sequence[Series],
    *,
    log_x: bool = False,
    log_y: bool = False,
) -> Picture:
    """Draw series with a legend; numbers that an axis cannot show (0 on a logarithmic one) are left out.

    Texts are shown as they are. Raises ``MissingExtraError`` without matplotlib.
    """
    check_matplotlib()
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    svg, png = io.BytesIO(), io.BytesIO()
    with (
        warnings.catch_warnings(),
        rc_context({"svg.hashsalt": "bnc2d", "font.family": _FONT, "font.size": _FONT_SIZE}),
    ):
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        figure = Figure(figsize=_INCHES, dpi=_DOTS_PER_INCH, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        axes.set_title(clean(title), parse_math=False)
        axes.set_xlabel(clean(x_label), parse_math=False)
        axes.set_ylabel(clean(y_label), parse_math=False)
        if log_x:
            axes.set_xscale("log")
        elif all(isinstance(x, int) for one in series for x in one.x):
            axes.locator_params(axis="x", integer=True)  # there is no half problem
        if log_y:
            axes.set_yscale("log")
        axes.grid(True, which="major", color="#cccccc", linewidth=0.6)
        for number, one in enumerate(series):
            _draw(axes, number, one, log_x, log_y)
        if series:
            legend = axes.legend(axes.get_lines(), [str(number) for number in range(len(series))])
            # Names are set afterwards, as "_" and "$" mean something to a legend.
            for text, one in zip(legend.get_texts(), series, strict=True):
                text.set_parse_math(False)
                text.set_text(clean(one.name))
        figure.draw_without_rendering()  # places everything, once for both formats
        figure.set_layout_engine("none")
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
        figure.savefig(png, format="png", metadata={"Software": None})
    return Picture(svg.getvalue(), png.getvalue())


def _draw(axes: Axes, number: int, one: Series, log_x: bool, log_y: bool) -> None:
    def can_show(value: float, logarithmic: bool) -> bool:
        return math.isfinite(value) and (value > 0 or not logarithmic)

    shown = [(x, y) for x, y in zip(one.x, one.y, strict=True) if can_show(x, log_x) and can_show(y, log_y)]
    points = one.style == "points"
    axes.plot(
        [x for x, _ in shown],
        [y for _, y in shown],
        color=_COLOURS[number % len(_COLOURS)],
        marker=_MARKERS[number % len(_MARKERS)],
        markersize=5.0,
        markevery=1 if points else max(1, len(shown) // _MOST_MARKERS),
        alpha=0.6 if points else 1.0,
        linestyle="none" if points else "-",
        linewidth=1.6,
        drawstyle="steps-post" if one.style == "step" else "default",
    )
