"""A heat map of every metric, and people, against every other: what measures the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from rejoinder.figures import style
from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.correlation import correlation_named

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

PEOPLE = "human"

# From one end to the other it grows darker throughout, so it is read in grey as well; orange tells
# what runs against, blue what goes along.
SHADES = (
    (0.0, "#fff0d4"),
    (0.25, "#f3dbb8"),
    (0.5, "#c7d0da"),
    (0.75, "#7ba7d1"),
    (1.0, "#0b3c6f"),
)

# Where the shade is darker than this, the number on it is white.
DARK = 0.45


def heatmap(columns: Mapping[str, Floats], correlation: str = "spearman") -> Figure:
    """Draws the correlation of every two columns, people first and then the metrics nearest them.

    Args:
        columns: By name the scores of the same observations, float64 [n]; where people's are not among
            them, metrics are ordered by their mean correlation with all others.
        correlation: A name of ``CORRELATIONS``.

    Raises:
        ParameterError: There is no such correlation.
        InputError: The columns differ in length.

    >>> up = np.arange(9.0)
    >>> with style.drawing():
    ...     made = heatmap({"human": up, "BLEU-2": up[::-1], "length": up**2})
    >>> [each.get_text() for each in made.axes[0].get_yticklabels()]
    ['human', 'length', 'BLEU-2']
    """
    names, matrix = ordered(*matrix_of(columns, correlation))
    side = 0.52 * len(names)
    figure = style.canvas(max(3.4, side + 2.6), max(2.6, side + 1.9))
    axes = figure.add_subplot()
    shades = _shades()
    shown = np.where(np.eye(len(names), dtype=bool), np.nan, matrix)
    image = axes.imshow(np.ma.masked_invalid(shown), cmap=shades, vmin=-1, vmax=1)
    _cells(axes, matrix, shades)
    _frame(axes, names)
    n = len(next(iter(columns.values()))) if columns else 0
    noun = "observation" if n == 1 else "observations"
    axes.set_title(f"{NAMES.get(correlation, correlation)}, {n:,} {noun}", pad=8)
    bar = figure.colorbar(image, ax=axes, shrink=0.75, aspect=22, ticks=(-1, -0.5, 0, 0.5, 1))
    bar.set_ticklabels([style.told(t, 1) for t in (-1, -0.5, 0, 0.5, 1)])
    bar.outline.set_visible(False)  # pyright: ignore[reportCallIssue]
    return figure


NAMES = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's \N{GREEK SMALL LETTER RHO}",
    "kendall-b": "Kendall's \N{GREEK SMALL LETTER TAU}-b",
    "kendall-c": "Kendall's \N{GREEK SMALL LETTER TAU}-c",
}
"""The coefficients as figures spell them."""


def matrix_of(columns: Mapping[str, Floats], correlation: str) -> tuple[list[str], Floats]:
    """The correlation of every two columns: their names, float64 [k, k]; NaN where undefined."""
    measure = correlation_named(correlation)
    names = list(columns)
    matrix = np.full((len(names), len(names)), np.nan)
    for i, one in enumerate(names):
        for j in range(i, len(names)):
            matrix[i, j] = matrix[j, i] = float(measure(columns[one], columns[names[j]]))
    return names, matrix


def ordered(
    names: list[str], matrix: Floats, people: str | None = PEOPLE
) -> tuple[list[str], Floats]:
    """People first, then by agreement with them, undefined last.

    Args:
        names: [k].
        matrix: float64 [k, k].
        people: Whom to order by; None, or one who is not there, orders by the mean of all others.
    """
    if people in names:
        key = matrix[names.index(people)].copy()
        key[names.index(people)] = np.inf
    else:
        others = np.where(np.eye(len(names), dtype=bool), np.nan, matrix)
        number = np.isfinite(others).sum(axis=1)
        key = np.where(number > 0, np.nansum(others, axis=1) / np.maximum(number, 1), np.nan)
    order = np.argsort(np.where(np.isnan(key), np.inf, -key), kind="stable")
    return [names[i] for i in order], matrix[np.ix_(order, order)]


def _cells(axes: Axes, matrix: Floats, shades: Colormap) -> None:
    """The number in every cell, hatched where there is none."""
    from matplotlib.patches import Rectangle

    for i, j in np.ndindex(matrix.shape):
        value = float(matrix[i, j])
        if i == j or np.isnan(value):
            corner = (j - 0.5, i - 0.5)
            hatch = None if i == j else "////"
            axes.add_patch(
                Rectangle(corner, 1, 1, facecolor="white", edgecolor=style.FAINT, hatch=hatch)
            )
        if i == j:
            continue
        dark = not np.isnan(value) and _luminance(*shades((value + 1) / 2)[:3]) < DARK
        colour = "white" if dark else style.INK
        axes.text(j, i, style.told(value), ha="center", va="center", color=colour, fontsize=8)


def _frame(axes: Axes, names: list[str]) -> None:
    """The names, and lines that set people apart."""
    short = [style.shortened(name) for name in names]
    places = range(len(names))
    axes.set_yticks(places, short)
    axes.set_xticks(places, short, rotation=40, ha="right", rotation_mode="anchor")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xticks([p - 0.5 for p in places[1:]], minor=True)
    axes.set_yticks([p - 0.5 for p in places[1:]], minor=True)
    axes.grid(which="minor", color="white", linewidth=1.5)
    axes.tick_params(which="minor", length=0)
    if names and names[0] == PEOPLE:
        for line in (axes.axhline, axes.axvline):
            line(0.5, color=style.INK, linewidth=1.2)
        axes.get_yticklabels()[0].set_fontweight("bold")
        axes.get_xticklabels()[0].set_fontweight("bold")


def _shades() -> Colormap:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("agreement", list(SHADES))


def _luminance(red: float, green: float, blue: float) -> float:
    """How light a colour is, 0 to 1 (ITU-R BT.601): what a printer without colour makes of it."""
    return 0.299 * red + 0.587 * green + 0.114 * blue
