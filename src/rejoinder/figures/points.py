"""A value with its interval, as a point with a whisker beside its name."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rejoinder.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def point(axes: Axes, place: int, value: float, low: float, high: float) -> None:
    """Draws a value and its interval on a line; "n/a" where the value is undefined.

    Args:
        axes: Where to draw.
        place: The height of the line.
        value: NaN where it is undefined.
        low: The lower end of the interval; NaN where there is none.
        high: The upper end.
    """
    if math.isnan(value):
        where = axes.get_yaxis_transform()
        axes.text(0.01, place, "n/a", transform=where, va="center", fontsize=7.5, color=style.QUIET)
        return
    if not math.isnan(low):
        whisker(axes, place, low, high)
    axes.plot([value], [place], color=style.COLOURS[0], marker="o", markersize=5, zorder=3)


def whisker(axes: Axes, place: int, low: float, high: float, zorder: int = 2) -> None:
    """Draws an interval on a line.

    Args:
        axes: The axes.
        place: The line, counted from 0.
        low: Lower end.
        high: Upper end.
        zorder: Order of drawing; higher numbers are drawn above lower ones.
    """
    ends, places = [low, high], [place, place]
    axes.plot(ends, places, color=style.INK, linewidth=1.3, marker="|", markersize=5, zorder=zorder)
