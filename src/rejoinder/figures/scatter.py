"""Scatter plots of a metric against people, densities along both margins (Tao et al. 2018)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rejoinder.errors import InputError
from rejoinder.figures import style
from rejoinder.figures.density import LEAST, density
from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.correlation import pearson, reason_undefined, spearman
from rejoinder.statistics.raters import human_correlations
from rejoinder.statistics.rating_matrix import checked_ratings, weighted_means

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHARE = 0.16
"""Of a margin's density, in a panel of several."""

COLUMNS = 4

# More points than these are a picture inside the SVG: as shapes they would be megabytes.
MOST_SHAPES = 2000

# Ratings on a grid are shaken by at most this share of its step, so that no two grades mix.
SHAKEN = 0.35

# More kinds of values than these are no grid: they lie apart by themselves.
MOST_STEPS = 60

MOST_SYSTEMS = 20
"""More are not told apart: there are no markers left."""


@dataclass(frozen=True)
class Cloud:
    """Points to be drawn: people along x, and along y a metric, or people again.

    Attributes:
        name: The title.
        x: People (float64 [n]).
        y: float64 [n].
        systems: [n], whose reply each is; None where that does not matter.
        x_name: What x is.
        y_name: What y is.
        people: Whether y is people's ratings too, on a grid like x.
        words: The text in place of the two coefficients of x and y; None tells these.
    """

    name: str
    x: Floats
    y: Floats
    systems: Sequence[str] | None = None
    x_name: str = "human rating"
    y_name: str = "metric score"
    people: bool = False
    words: str | None = None

    def __post_init__(self) -> None:
        for name in ("x", "y"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=np.float64))
        groups = self.x.size if self.systems is None else len(self.systems)
        if self.x.ndim != 1 or self.x.shape != self.y.shape or groups != self.x.size:
            raise InputError(
                f"scatter '{self.name}': x has shape {self.x.shape}, y {self.y.shape} and there are "
                f"{groups} systems' names; all three must be of the same observations"
            )

    @cached_property
    def seen(self) -> np.ndarray:
        """Which points can be drawn: bool [n]."""
        return np.isfinite(self.x) & np.isfinite(self.y)

    @property
    def coefficients(self) -> str:
        """Pearson, Spearman and the number of points, in words."""
        if self.words is not None:
            return self.words
        r, rho = float(pearson(self.x, self.y)), float(spearman(self.x, self.y))
        names = f"r = {style.told(r)}, \N{GREEK SMALL LETTER RHO} = {style.told(rho)}"
        return f"{names}, n = {self.x.size:,}"

    @property
    def reason(self) -> str | None:
        """Why the coefficients are undefined, or what is not drawn; None where all is well."""
        lost = int((~self.seen).sum())
        if lost:
            return f"{lost:,} of {self.x.size:,} without a number are not drawn"
        return None if self.words is not None else reason_undefined(self.y, self.x)

    @property
    def names(self) -> list[str]:
        """The systems, in the order of their first points; none where there is nothing to tell apart."""
        names = list(dict.fromkeys(self.systems or ()))
        return names if 1 < len(names) <= MOST_SYSTEMS else []


def scatter(cloud: Cloud, seed: int = 12345) -> Figure:
    """One cloud by itself, the density of x above it and that of y beside it.

    Small marks are observations; a large one is the mean of a system's. Fewer than 20 values are a
    line each in place of a density. Values that lie on a grid (ratings) are shaken by less than half
    its step, evenly and for the eye alone: coefficients and densities are those of the values
    themselves.

    Args:
        cloud: What to draw.
        seed: Of the shaking.

    >>> up = np.arange(20.0)
    >>> with style.drawing():
    ...     made = scatter(Cloud("BLEU-2", up % 5, up))
    >>> len(made.axes)
    3
    """
    looks = style.looks(cloud.names)
    figure = style.canvas(5.4 if len(looks) > 1 else 4.4, 4.2)
    grid = figure.add_gridspec(2, 2, width_ratios=(6, 1), height_ratios=(1, 6))
    axes = figure.add_subplot(grid[1, 0])
    above = figure.add_subplot(grid[0, 0], sharex=axes)
    beside = figure.add_subplot(grid[1, 1], sharey=axes)
    _points(axes, cloud, looks, seed, large=1.0)
    axes.set_xlabel(cloud.x_name)
    axes.set_ylabel(cloud.y_name)
    for margin, values, upright in ((above, cloud.x, True), (beside, cloud.y, False)):
        _margin(margin, values[cloud.seen], upright)
        margin.axis("off")
    words = "\n".join(filter(None, (cloud.coefficients, cloud.reason)))
    above.set_title(style.shortened(cloud.name, 48), pad=5 + 11 * len(words.splitlines()))
    above.text(0, 1.05, words, transform=above.transAxes, fontsize=8, color=style.QUIET)
    _legend(figure, looks, "outside right center", 1)
    return figure


def scatters(clouds: Sequence[Cloud], seed: int = 12345) -> Figure:
    """Several clouds on one page, each with its densities along its upper and right edge.

    Args:
        clouds: What to draw, in this order.
        seed: Of the shaking.
    """
    names = list(dict.fromkeys(name for cloud in clouds for name in cloud.names))
    looks = style.looks(names if len(names) <= MOST_SYSTEMS else ())
    columns = min(COLUMNS, max(1, len(clouds)))
    rows = max(1, -(-len(clouds) // columns))
    figure = style.canvas(max(3.2, 2.6 * columns), 2.6 * rows + 0.3 + 0.2 * -(-len(looks) // 5))
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, cloud in zip(panels, clouds, strict=False):
        _points(axes, cloud, looks, seed, large=0.7)
        _edges(axes, cloud)
        axes.set_title(style.shortened(cloud.name), pad=14)
        words = cloud.coefficients
        axes.text(0, 1.02, words, transform=axes.transAxes, fontsize=7.5, color=style.QUIET)
        axes.set_xlabel(cloud.x_name, fontsize=8)
        if cloud.people:
            axes.set_ylabel(cloud.y_name, fontsize=8)
    for axes in panels[len(clouds) :]:
        axes.axis("off")
    _legend(figure, looks, "outside lower center", min(5, max(1, 2 * columns - 1)))
    return figure


def one_against_rest(
    matrix: Floats, systems: Sequence[str] | None = None, name: str = "one rater against the rest"
) -> Cloud:
    """Each rating against the mean of the others' of the same reply: how well people agree.

    The coefficients told are the means over raters (`human_correlations`), which are the tables'
    ``human (avg)``; all raters' points stand in one cloud.

    Args:
        matrix: float64 [replies, raters], NaN where missing.
        systems: [replies], whose each is.
        name: The title.

    >>> cloud = one_against_rest(np.array([[1.0, 3.0, 5.0], [2.0, np.nan, np.nan]]))
    >>> cloud.x.tolist(), cloud.y.tolist()
    ([4.0, 3.0, 2.0], [1.0, 3.0, 5.0])
    """
    matrix = checked_ratings(matrix)
    others = weighted_means(matrix, 1 - np.eye(matrix.shape[1])).T
    place, rater = np.nonzero(np.isfinite(matrix) & np.isfinite(others))
    r, rho = (human_correlations(matrix, each).average for each in ("pearson", "spearman"))
    words = (
        f"mean of raters: r = {style.told(r)}, \N{GREEK SMALL LETTER RHO} = {style.told(rho)}, "
        f"n = {place.size:,}"
    )
    return Cloud(
        name,
        others[place, rater],
        matrix[place, rater],
        [systems[i] for i in place.tolist()] if systems is not None else None,
        "mean of the others' ratings",
        "one rating",
        people=True,
        words=words,
    )


def shaken(values: Floats, rng: np.random.Generator) -> Floats:
    """Values on a grid, moved by less than half its least step; others as they are.

    >>> shaken(np.array([1.0, 1.0, 2.0]), np.random.default_rng(1)).round().tolist()
    [1.0, 1.0, 2.0]
    """
    # Means and differences of grades are off their grid by rounding.
    kinds = np.unique(values[np.isfinite(values)].round(9))
    if not 1 < kinds.size <= MOST_STEPS or kinds.size == values.size:
        return values
    step = np.diff(kinds).min()
    return values + rng.uniform(-SHAKEN, SHAKEN, values.shape) * step


def _points(
    axes: Axes, cloud: Cloud, looks: Mapping[str, style.Look], seed: int, large: float
) -> None:
    """The cloud itself, and the mean of each system."""
    style.tidy(axes, "both")
    x, y = cloud.x[cloud.seen], cloud.y[cloud.seen]
    rng = np.random.default_rng(seed)
    near_x, near_y = shaken(x, rng), shaken(y, rng) if cloud.people else y
    margin = 0.04 if x.size > MOST_SYSTEMS else 0.1
    axes.set_xlim(style.limits(near_x, margin))
    axes.set_ylim(style.limits(near_y, margin))
    if not x.size:
        style.say(axes, "nothing to draw:\nno observation has both numbers")
        return
    alpha = float(np.clip(6 / np.sqrt(x.size), 0.2, 0.85))
    style_of_points = {
        "s": large * float(np.clip(300 / np.sqrt(x.size), 7, 30)),
        "linewidths": 0.6,
        "alpha": alpha,
        "rasterized": x.size > MOST_SHAPES,
    }
    if not looks or not cloud.names:
        axes.scatter(near_x, near_y, color=style.COLOURS[0], **style_of_points)
        return
    whose = np.array(cloud.systems, dtype=object)[cloud.seen]
    single = len(x) == len(set(whose.tolist()))
    for name, look in looks.items():
        of = whose == name
        if not of.any():
            continue
        if not single:
            axes.scatter(
                near_x[of],
                near_y[of],
                marker=look.marker,
                facecolors=look.face,
                edgecolors=look.colour,
                **style_of_points,
            )
        axes.scatter(
            x[of].mean(),
            y[of].mean(),
            s=large * 85,
            marker=look.marker,
            facecolors=look.face,
            edgecolors=style.INK,
            linewidths=1.1,
            zorder=4,
        )


def _margin(axes: Axes, values: Floats, upright: bool) -> None:
    """The density of one variable, on axes of its own."""
    x, f = density(values)
    if values.size < LEAST or not x.size:
        _rug(axes, values, upright, 0.0, 0.3)
        return
    fill = axes.fill_between if upright else axes.fill_betweenx
    fill(x, 0, f, color=style.COLOURS[0], alpha=0.3, linewidth=0)
    axes.plot(*((x, f) if upright else (f, x)), color=style.COLOURS[0], linewidth=1.0)
    (axes.set_ylim if upright else axes.set_xlim)(0, 1.08 * f.max())


def _edges(axes: Axes, cloud: Cloud) -> None:
    """The densities inside the panel, along its upper and right edge, which the points leave free."""
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    axes.set_xticks([tick for tick in axes.get_xticks() if left <= tick <= right])
    axes.set_yticks([tick for tick in axes.get_yticks() if low <= tick <= high])
    axes.set_xlim(left, right + SHARE * (right - left))
    axes.set_ylim(low, high + SHARE * (high - low))
    for values, upright in ((cloud.x[cloud.seen], True), (cloud.y[cloud.seen], False)):
        x, f = density(values)
        if values.size < LEAST or not x.size:
            _rug(axes, values, upright, 1 - 0.4 * SHARE, 1.0)
            continue
        transform = axes.get_xaxis_transform() if upright else axes.get_yaxis_transform()
        base = 1 - 0.9 * SHARE
        edge = base + 0.85 * SHARE * f / f.max()
        fill = axes.fill_between if upright else axes.fill_betweenx
        colour = style.COLOURS[0]
        fill(x, base, edge, color=colour, alpha=0.3, linewidth=0, transform=transform)
        line = (x, edge) if upright else (edge, x)
        axes.plot(
            *line, color=colour, linewidth=0.8, transform=transform, scalex=False, scaley=False
        )


def _rug(axes: Axes, values: Floats, upright: bool, low: float, high: float) -> None:
    """A line for each of a few values; of one value alone there is no density either."""
    transform = axes.get_xaxis_transform() if upright else axes.get_yaxis_transform()
    draw = axes.vlines if upright else axes.hlines
    kinds = np.unique(values)
    draw(kinds, low, high, color=style.COLOURS[0], linewidth=1.0, transform=transform)


def _legend(figure: Figure, looks: Mapping[str, style.Look], place: str, columns: int) -> None:
    if len(looks) < 2:
        return
    from matplotlib.lines import Line2D

    handles = {
        name: Line2D(
            [],
            [],
            linestyle="none",
            marker=look.marker,
            markersize=7,
            markerfacecolor=look.face,
            markeredgecolor=style.INK,
        )
        for name, look in looks.items()
    }
    style.legend(figure, handles, place, ncols=columns, handletextpad=0.2)
