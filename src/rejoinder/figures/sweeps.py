"""Agreement along one dimension: the threshold on references, the unit size, the order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import polars as pl

from rejoinder.errors import InputError, one_of
from rejoinder.figures import style
from rejoinder.figures.heatmap import NAMES

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

IN_A_ROW = 4
"""More metrics than these in one panel hide each other's bands: they get a row of their own."""

WEIGHTS = (1.0, 0.5, 0.0, -0.5, -1.0)

_NEEDED = ("panel", "metric", "x", "value", "low", "high")


class SweepPanel(NamedTuple):
    """One dimension.

    Args:
        key: Of its points, in the column ``panel``.
        name: What its axis says.
        title: What is held fixed.
        scale: ``linear``, ``log``, or ``weights``: from 1 to -1, so that fewer references are on the
            left, as in the paper.
        words: What is to be known of it, else "".
    """

    key: str
    name: str
    title: str = ""
    scale: Literal["linear", "log", "weights"] = "linear"
    words: str = ""


def sweeps(
    points: pl.DataFrame,
    panels: Sequence[SweepPanel],
    correlation: str = "spearman",
    looks: Mapping[str, style.Look] | None = None,
) -> Figure:
    """Draws a line and its band for every metric, one panel for each dimension.

    Every metric is told by line and marker; more than four of them get rows of their own.

    Args:
        points: ``panel``, ``metric``, ``x``, ``value``, ``low``, ``high`` (95%; NaN for none).
        panels: From left to right.
        correlation: What the values are.
        looks: Of each metric, which also orders them; None gives each its own.

    Raises:
        InputError: A column is missing.

    >>> rows = {"panel": ["size"] * 2, "metric": ["BLEU-2"] * 2, "x": [1.0, 10.0]}
    >>> rows |= {"value": [0.1, 0.3], "low": [0.0, 0.1], "high": [0.2, 0.5]}
    >>> with style.drawing():
    ...     made = sweeps(pl.DataFrame(rows), [SweepPanel("size", "items in a unit", scale="log")])
    >>> [label.get_text() for label in made.axes[0].get_xticklabels()]
    ['1', '10']
    """
    lacking = [name for name in _NEEDED if name not in points.columns]
    if lacking:
        raise InputError(f"sweeps: no column {one_of(lacking)} among the points")
    styles = looks or style.looks(points["metric"].unique(maintain_order=True).to_list())
    names = list(styles)
    rows = [names[i : i + IN_A_ROW] for i in range(0, len(names), IN_A_ROW)] or [[]]
    figure, grid = _grid(len(rows), len(panels))
    for across, row in zip(grid, rows, strict=True):
        for axes, panel in zip(across, panels, strict=True):
            of = points.filter(points["panel"] == panel.key)
            for name in row:
                _line(axes, of.filter(of["metric"] == name).sort("x"), styles[name])
            _axes(axes, panel, of)
        handles = {name: _handle(styles[name]) for name in row}
        (_below if len(panels) == 1 else _beside)(across[-1], handles)
    for axes in grid[:, 0] if len(panels) > 1 else grid[0]:
        shown = ", 95% interval" if points["low"].is_not_nan().any() else ""
        axes.set_ylabel(f"{NAMES.get(correlation, correlation)}{shown}")
    return figure


def _grid(rows: int, panels: int) -> tuple[Figure, np.ndarray]:
    """Axes [rows, panels]; the rows of a single panel stand side by side."""
    if panels == 1:
        figure = style.canvas(1.0 + 3.2 * rows, 4.1)
        return figure, figure.subplots(1, rows, sharey=True, squeeze=False).T
    figure = style.canvas(1.6 + 3.2 * panels, 0.3 + 3.3 * rows)
    return figure, figure.subplots(rows, panels, sharey=True, squeeze=False)


def panels(points: pl.DataFrame, size: int) -> list[SweepPanel]:
    """The panels that some points are of, by the names that the recipes give them.

    Args:
        points: As `sweeps` takes them.
        size: M of the threshold and the order.
    """
    at_least, fixed = "\N{GREATER-THAN OR EQUAL TO}", f"units of M = {size} items"
    known = (
        SweepPanel("threshold", f"references with w {at_least} threshold", fixed, "weights"),
        SweepPanel("size", "items in a unit, M", "", "log"),
        SweepPanel("order", "longest n-gram, N", fixed),
    )
    present = set(points["panel"].unique())
    return [panel for panel in known if panel.key in present]


def _line(axes: Axes, points: pl.DataFrame, look: style.Look) -> None:
    x, value, low, high = (points[key].to_numpy() for key in ("x", "value", "low", "high"))
    axes.fill_between(x, low, high, color=look.colour, alpha=0.1, linewidth=0)
    for end in (low, high):
        axes.plot(x, end, look.line, color=look.colour, linewidth=0.7, alpha=0.8)
    axes.plot(
        x,
        value,
        look.line,
        color=look.colour,
        marker=look.marker,
        markersize=look.size,
        markerfacecolor="white",
        linewidth=look.width,
    )


def _handle(look: style.Look) -> Artist:
    from matplotlib.lines import Line2D

    return Line2D(
        [],
        [],
        color=look.colour,
        linestyle=look.line,  # pyright: ignore[reportArgumentType]
        linewidth=look.width,
        marker=look.marker,
        markersize=min(look.size, 6.5),
        markerfacecolor="white",
    )


def _axes(axes: Axes, panel: SweepPanel, points: pl.DataFrame) -> None:
    style.tidy(axes)
    axes.axhline(0, color=style.QUIET, linewidth=0.8, zorder=0.7)
    axes.set_xlabel(panel.name)
    axes.set_title(panel.title, fontsize=8.5, fontweight="normal", color=style.QUIET, loc="center")
    if points["value"].is_nan().all():
        style.say(axes, "nothing to draw:\ntoo few units" if points.is_empty() else "undefined")
    xs = np.unique(points["x"].to_numpy())
    if panel.scale == "log":
        _log_scale(axes, xs)
    elif panel.scale == "weights":
        axes.set_xlim(1.08, -1.08)
        axes.set_xticks(WEIGHTS, [style.told(x, 1) for x in WEIGHTS])
    elif xs.size:
        axes.set_xlim(style.limits(xs, 0.07))
        axes.set_xticks(xs, [f"{x:g}" for x in xs])
    if panel.words:
        axes.text(
            0.5,
            0.04,
            panel.words,
            transform=axes.transAxes,
            ha="center",
            fontsize=8,
            color=style.QUIET,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 2},
        )


def _log_scale(axes: Axes, xs: np.ndarray) -> None:
    """Ticks where points are, but for those that would run into the next."""
    axes.set_xscale("log")
    if xs.size:
        room = max(1.2, float((xs[-1] / xs[0]) ** 0.05))
        axes.set_xlim(xs[0] / room, xs[-1] * room)
    after = np.append(xs[1:], np.inf)[: xs.size]
    spaced = xs[after > 1.25 * xs]
    axes.set_xticks(spaced, [f"{x:g}" for x in spaced])
    axes.set_xticks([], minor=True)


def _below(axes: Axes, handles: Mapping[str, Artist]) -> None:
    place = {"bbox_to_anchor": (0.5, -0.16), "borderaxespad": 0.0}
    style.legend(axes, handles, "upper center", ncols=2, handlelength=3.2, **place)


def _beside(axes: Axes, handles: Mapping[str, Artist]) -> None:
    place = {"bbox_to_anchor": (1.02, 1.0), "borderaxespad": 0.0}
    style.legend(axes, handles, "upper left", handlelength=3.2, labelspacing=0.9, **place)
