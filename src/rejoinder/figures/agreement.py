"""Bars of how far each metric agrees with people, between chance and the human ceiling."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from rejoinder.errors import InputError, one_of
from rejoinder.figures import style
from rejoinder.figures.heatmap import NAMES
from rejoinder.figures.points import whisker

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RANDOM = "random"
CEILING, BEST = "human (avg)", "human (max)"
PEOPLE = (CEILING, BEST)

CAPTION_LETTERS = 15.5
"""Letters of a caption that one inch holds."""

CAPTION_LINE = 0.25
"""Height of a line of the caption, in inches."""

NUMBER = 0.17
"""Width of a number with its distance, as a share of a panel's width."""

_NEEDED = ("metric", "correlation", "value", "low", "high")


def bars(table: pl.DataFrame, title: str = "") -> Figure:
    """Draws each metric's coefficient and interval, one panel for each coefficient.

    The metrics are ordered by the first coefficient. The row ``random`` is hatched, people are
    black and their mean is a dashed line through the panel. A coefficient that is undefined is
    ``n/a``. Where the table has a column ``chance``, a hatched bar behind each bar reaches from 0 to
    that metric's own chance level.

    Args:
        table: ``metric``, ``correlation``, ``value``, ``low``, ``high`` (NaN for none) and perhaps
            ``chance``, as ``Agreement.table`` has them.
        title: Caption above the panels; a long one is broken into lines that fit the figure.

    Raises:
        InputError: A column is missing.

    >>> rows = {"metric": ["BLEU-2"], "correlation": ["pearson"], "value": [0.3]}
    >>> with style.drawing():
    ...     made = bars(pl.DataFrame(rows | {"low": [0.1], "high": [0.5]}))
    >>> len(made.axes)
    1
    """
    lacking = [name for name in _NEEDED if name not in table.columns]
    if lacking:
        raise InputError(f"bars: no column {one_of(lacking)}; give the table of an agreement")
    correlations = table["correlation"].unique(maintain_order=True).to_list()
    names = _ordered(table, correlations)
    width = 1.9 + 2.6 * max(1, len(correlations))
    lines = textwrap.wrap(title, int(width * CAPTION_LETTERS))
    figure = style.canvas(width, 0.95 + 0.27 * max(2, len(names)) + CAPTION_LINE * len(lines))
    panels = figure.subplots(1, max(1, len(correlations)), sharey=True, squeeze=False)[0]
    for axes, correlation in zip(panels, correlations, strict=False):
        rows = {
            row["metric"]: row
            for row in table.filter(table["correlation"] == correlation).iter_rows(named=True)
        }
        _panel(axes, names, rows)
        axes.set_title(NAMES.get(correlation, correlation))
    _names(panels[0], names)
    if title:
        caption = "\n".join(lines)
        figure.suptitle(caption, fontsize=8.5, color=style.QUIET, x=0.01, ha="left")
    return figure


def _ordered(table: pl.DataFrame, correlations: Sequence[str]) -> list[str]:
    """From the top: people, the metrics by the first coefficient (undefined last), chance."""
    names = table["metric"].unique(maintain_order=True).to_list()
    first = table.filter(table["correlation"] == correlations[0]) if correlations else table
    value = dict(first.select("metric", "value").iter_rows())
    people = [name for name in reversed(PEOPLE) if name in names]
    metrics = [name for name in names if name not in (*PEOPLE, RANDOM)]
    metrics.sort(key=lambda name: -value[name] if not math.isnan(value[name]) else math.inf)
    return [*people, *metrics, *([RANDOM] if RANDOM in names else [])]


def _panel(axes: Axes, names: Sequence[str], rows: Mapping[str, Mapping[str, Any]]) -> None:
    style.tidy(axes, "x")
    axes.spines["left"].set_visible(False)
    axes.axvline(0, color=style.QUIET, linewidth=0.9)
    ceiling = rows.get(CEILING, {}).get("value", math.nan)
    if not math.isnan(ceiling):
        axes.axvline(ceiling, color=style.INK, linewidth=0.9, linestyle=(0, (4, 3)), zorder=0.5)
    low, high = _ends(rows)
    for place, name in enumerate(names):
        _bar(axes, place, name, rows[name], (ceiling, ceiling - NUMBER * (high - low)))
    axes.set_ylim(len(names) - 0.4, -0.6)
    ticks = [tick for tick in axes.get_xticks() if low <= tick <= min(high, 1.0)]
    axes.set_xticks(ticks)
    axes.set_xlim(low, high)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", labelsize=7.5)


def _bar(
    axes: Axes, place: int, name: str, row: Mapping[str, Any], line: tuple[float, float]
) -> None:
    """A bar from 0, its interval, and the number at its end.

    Args:
        axes: The panel.
        place: The row.
        name: The metric.
        row: Its value, interval and perhaps chance level.
        line: Where the dashed line is (NaN for none), and from where on a number would lie under it.
    """
    value, low, high = (row[key] for key in ("value", "low", "high"))
    if math.isnan(value):
        axes.text(0, place, " n/a", va="center", fontsize=7.5, color=style.QUIET)
        return
    fills: dict[str, dict[str, Any]] = {
        RANDOM: {"color": "white", "edgecolor": style.QUIET, "hatch": "////"}
    }
    fills |= {key: {"color": style.INK} for key in PEOPLE}
    chance = row.get("chance", math.nan)
    if not math.isnan(chance):
        axes.barh(place, chance, height=0.8, zorder=1.5, **fills[RANDOM])
        fills[RANDOM] = {"color": "#b8b8b8"}  # plain: its own chance is what is hatched
    height = 0.62 if math.isnan(chance) else 0.36
    axes.barh(place, value, height=height, zorder=2, **fills.get(name, {"color": "#7ba7d1"}))
    end = value if math.isnan(chance) else max(value, chance)
    if not math.isnan(low):
        whisker(axes, place, low, high, zorder=3)
        end = max(end, high)
    end = max(end, 0.0)
    if line[1] < end < line[0]:
        end = line[0]
    axes.annotate(
        style.told(value),
        (end, place),
        xytext=(5, 0),
        textcoords="offset points",
        va="center",
        fontsize=7.5,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
    )


def _ends(rows: Mapping[str, Mapping[str, Any]]) -> tuple[float, float]:
    """Ends of the axis that leave room for the numbers."""
    keys = ("value", "low", "high", "chance")
    ends = [row.get(key, math.nan) for row in rows.values() for key in keys]
    ends = [0.0, *(value for value in ends if not math.isnan(value))]
    low, high = min(ends), max(ends)
    width = max(high - low, 0.1)
    return (low - 0.05 * width if low < 0 else 0.0), high + 0.25 * width


def _names(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), [style.shortened(name, 34) for name in names])
    for label, name in zip(axes.get_yticklabels(), names, strict=True):
        if name in PEOPLE:
            label.set_fontweight("bold")
        elif name == RANDOM:
            label.set_color(style.QUIET)
