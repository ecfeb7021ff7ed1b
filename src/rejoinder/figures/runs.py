"""A metric through the runs of a ledger: a line for each system, broken where values cannot be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rejoinder.errors import InputError
from rejoinder.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 6
"""More panels make no figure that can be read."""
_OF = ("verb", "metric", "name", "about")
_TICKS = 6
MARKS = 40
"""A line of more points than this has no marker at every point: they would cover it."""


def through_time(series: pl.DataFrame) -> Figure:
    """Draws values over runs with their intervals, a panel for each metric.

    Args:
        series: Columns run, at, verb, metric, name, about, system, value, low, high and line, as
            ``Runs.series`` has them. Only points of one system and one line are connected.

    Raises:
        InputError: There is nothing to draw, or too much.
    """
    panels = series.partition_by(_OF, maintain_order=True)
    if not 0 < len(panels) <= MOST:
        raise InputError(
            f"plot: {len(panels)} metrics are to be drawn through time; expected 1 to {MOST}; choose others "
            "by verb, metric or system"
        )
    looks = style.looks(series["system"].unique(maintain_order=True))
    figure = style.canvas(7.6, 0.5 + 2.6 * len(panels))
    grid = figure.subplots(len(panels), 1, squeeze=False)[:, 0]
    for axes, panel in zip(grid, panels, strict=True):
        style.tidy(axes)
        handles = {}
        for (system, _), points in panel.group_by("system", "line", maintain_order=True):
            look = looks[str(system)]
            x, value, low, high = (
                points[name].to_numpy() for name in ("run", "value", "low", "high")
            )
            axes.fill_between(x, low, high, color=look.colour, alpha=0.15, linewidth=0)
            (line,) = axes.plot(
                x,
                value,
                look.line,
                color=look.colour,
                marker=look.marker,
                markersize=3,
                markevery=1 + len(x) // MARKS,
                linewidth=1.2,
            )
            handles.setdefault(str(system) or "value", line)
        first = panel.row(0, named=True)
        words = [first["metric"], first["about"]]
        axes.set_title(", ".join(filter(None, words)) + f" ({first['verb']}: {first['name']})")
        _dates(axes, panel)
        style.legend(axes, handles, "upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
    grid[-1].set_xlabel("run, and the day on which it was recorded")
    return figure


def _dates(axes: Axes, panel: pl.DataFrame) -> None:
    """A tick for some of the runs, with the run's number and its day."""
    days = panel.unique("run", keep="first", maintain_order=True).sort("run").select("run", "at")
    places = np.unique(np.linspace(0, days.height - 1, min(_TICKS, days.height)).astype(int))
    rows = [days.row(int(place)) for place in places]
    axes.set_xticks([run for run, _ in rows], [f"{run}\n{at[:10]}" for run, at in rows])
