"""Figure 2 of Galley et al. (2015): the threshold on references, the unit size, the order."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from rejoinder.errors import InputError
from rejoinder.metrics.base import Metric
from rejoinder.recipes.galley2015 import METRICS, weight_share
from rejoinder.scoring.correlate import correlate
from rejoinder.scoring.evidence import Rated
from rejoinder.scoring.matching import match
from rejoinder.scoring.protocols import Unit
from rejoinder.scoring.score import score
from rejoinder.scoring.scores import Scores
from rejoinder.tables.responses import Missing
from rejoinder.tables.testset import TestSet
from rejoinder.tables.write import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

THRESHOLDS = tuple(tenths / 10 for tenths in range(10, -11, -2))
SIZES = (1, 10, 25, 50, 100)
ORDERS = (1, 2, 3, 4)

# A coefficient of fewer observations says nothing.
LEAST_UNITS = 10

# Small units are many, and their assignments much alike: fewer of these do.
LEAST_ASSIGNMENTS = 20

PANELS = {
    "threshold": "(A) references with w \N{GREATER-THAN OR EQUAL TO} threshold",
    "size": "(B) items in a unit, M",
    "order": "(C) longest n-gram, N",
}
"""The panels, and what their axes say."""


class Look(NamedTuple):
    """How a metric is drawn: each is told by its line and marker alone, without colour."""

    colour: str
    line: str
    marker: str
    size: float
    width: float


# Where the references carry no weights, deltaBLEU is BLEU: it is drawn first and larger, to be seen
# behind it.
LOOKS = {
    "deltaBLEU": Look("#0b2f5b", "-", "o", 8.0, 2.2),
    "BLEU": Look("#d55e00", "--", "s", 4.0, 1.4),
    "sBLEU": Look("#3f94c4", ":", "^", 5.0, 1.6),
}


@dataclass(frozen=True)
class Figure2:
    """Spearman's rho of BLEU, sBLEU and deltaBLEU along three dimensions.

    Attributes:
        points: ``panel`` (``threshold``, ``size``, ``order``), ``metric``, ``x``, ``value``, ``low``
            and ``high`` (95%), ``n`` (units of one assignment), ``items`` (that can be scored),
            ``assignments``, ``reason`` (why one of these is NaN, else null).
        notes: Which points are missing, and why.
        weighted: Whether any reference carries a weight.
    """

    points: pl.DataFrame
    notes: tuple[str, ...]
    weighted: bool


def figure2(
    testset: TestSet,
    responses: pl.DataFrame,
    ratings: pl.DataFrame,
    *,
    criterion: str | None = None,
    unit_size: int = 100,
    assignments: int = 1000,
    order: int = 2,
    without: Sequence[str] = (),
    missing: Missing = "error",
    seed: int = 12345,
    progress: Callable[[int, int], None] | None = None,
) -> Figure2:
    """Sweeps the threshold on weights, the unit size and the order, one at a time.

    Each point of the threshold is measured on the items that have such references (of positive
    weight), so its items differ from those of the next; the other panels take all references. An
    item that cannot be scored is left out of a point, whatever the table does with it. Points of
    fewer than 10 units are left out. Units smaller than ``unit_size`` are given proportionately
    fewer assignments, at least 20.

    Args:
        testset: Contexts and references.
        responses: The table of ``read_responses``.
        ratings: The table of ``read_ratings``.
        criterion: Which criterion of the ratings, where there are several.
        unit_size: Items of one observation in the panels A and C; B has it besides its own.
        assignments: Random assignments of items to units.
        order: The longest n-gram in the panels A and B.
        without: Systems to leave out.
        missing: An item that a system did not answer: ``error``, ``drop`` or ``empty``.
        seed: Of every draw.
        progress: Called with how many points are done, and of how many.

    Raises:
        InputError: The tables do not fit.
        ParameterError: A parameter is unknown.
    """
    whole = Unit(unit_size, assignments)
    rules = _rules(testset)
    points = [
        *(_Point("threshold", t, unit_size, order, rule) for t, rule in rules.items()),
        *(_Point("size", m, m, order, "all") for m in sorted({*SIZES, unit_size})),
        *(_Point("order", n, unit_size, n, "all") for n in ORDERS),
    ]
    metrics = {each.label: each for point in points if point.rule for each in point.metrics}
    scores = score(
        testset,
        responses,
        list(metrics.values()),
        missing=missing,
        drop_unusable=True,
        resamples=0,
        seed=seed,
    )
    # An item that some references serve is served by all of them: no point has items but these.
    widest = _held(scores, _Point("order", order, unit_size, order, "all"))
    rated, _, _ = match(widest, ratings, criterion, "mean", without, seed)
    measured: dict[tuple[int, int, str], list[dict[str, Any]]] = {}
    rows: list[dict[str, Any]] = []
    left: list[_Point] = []
    for number, point in enumerate(points):
        if point.rule is None or _units(rated, scores, point) < LEAST_UNITS:
            left.append(point)
        else:
            key = (point.size, point.order, point.rule)
            if key not in measured:
                protocol = _protocol(whole, point.size)
                measured[key] = _measure(scores, point, ratings, protocol, criterion, without, seed)
            rows += [{"panel": point.panel, "x": float(point.x), **each} for each in measured[key]]
        if progress is not None:
            progress(number + 1, len(points))
    return Figure2(_table(rows), _notes(left), bool(weight_share(testset)))


class _Point(NamedTuple):
    """One place on the x axis of a panel; ``rule`` is None where no reference is left."""

    panel: str
    x: float
    size: int
    order: int
    rule: str | None

    @property
    def metrics(self) -> list[Metric]:
        return [make(order=self.order, references=self.rule) for make in METRICS.values()]


def _protocol(whole: Unit, size: int) -> Unit:
    drawn = max(LEAST_ASSIGNMENTS, round(whole.assignments * size / whole.size))
    return Unit(size, min(whole.assignments, drawn))


def _rules(testset: TestSet) -> dict[float, str | None]:
    """The rule of each threshold; those that keep the same references share one."""
    weights = testset.references.get_column("weight").fill_null(1.0).to_numpy()
    rules: dict[float, str | None] = {}
    known: dict[int, str | None] = {0: None, len(weights): "all"}
    for t in THRESHOLDS:
        # References of a lower threshold hold those of a higher one: their number tells them apart.
        rules[t] = known.setdefault(int((weights >= t).sum()), f"w>={t:g}")
    return rules


def _held(scores: Scores, point: _Point) -> Scores:
    """The scores of the point's three metrics alone."""
    labels = [each.label for each in point.metrics]
    return replace(scores, measured={each: scores.measured[each] for each in labels}, notes=())


def _usable(held: Scores) -> np.ndarray:
    """The items that all metrics can score: bool [n]."""
    return np.logical_and.reduce([each.usable for each in held.measured.values()])


def _units(rated: Rated, scores: Scores, point: _Point) -> int:
    """How many units one assignment has."""
    usable = scores.items.get_column("id").filter(pl.Series(_usable(_held(scores, point))))
    picked = pl.Series(rated.ids).is_in(usable.implode()).to_numpy()
    present = ~np.isnan(rated.grid[:, picked])
    return sum(int((a & b).sum()) // point.size for a, b in combinations(present, 2))


def _measure(
    scores: Scores,
    point: _Point,
    ratings: pl.DataFrame,
    protocol: Unit,
    criterion: str | None,
    without: Sequence[str],
    seed: int,
) -> list[dict[str, Any]]:
    names = {each.label: name for name, each in zip(METRICS, point.metrics, strict=True)}
    held = _held(scores, point)
    told = correlate(
        held,
        ratings,
        protocol,
        correlations=["spearman"],
        criterion=criterion,
        without=without,
        permutations=0,
        resamples=0,
        seed=seed,
    )
    return [
        {
            "metric": names[row["metric"]],
            **{key: row[key] for key in ("value", "low", "high", "n")},
            "items": int(_usable(held).sum()),
            "assignments": protocol.assignments,
            "reason": row["reason"],
        }
        for row in told.table().iter_rows(named=True)
        if row["metric"] in names
    ]


def _table(rows: list[dict[str, Any]]) -> pl.DataFrame:
    schema = {
        "panel": pl.String,
        "x": pl.Float64,
        "metric": pl.String,
        **dict.fromkeys(("value", "low", "high"), pl.Float64),
        **dict.fromkeys(("n", "items", "assignments"), pl.Int64),
        "reason": pl.String,
    }
    return pl.DataFrame(rows, schema=schema)


def _notes(left: Sequence[_Point]) -> tuple[str, ...]:
    """Which points are left out, by panel."""
    places: dict[str, list[str]] = {}
    for point in left:
        places.setdefault(point.panel, []).append(f"{point.x:g}")
    return tuple(
        f"figure: {panel} {', '.join(xs)} left out: fewer than {LEAST_UNITS} units"
        for panel, xs in places.items()
    )


def draw(figure: Figure2, unit_size: int, order: int) -> Figure:
    """Draws the three panels, side by side.

    Args:
        figure: What was measured.
        unit_size: M of the panels A and C.
        order: N of the panels A and B.
    """
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(10.5, 3.9), layout="constrained")
    fixed = {"threshold": f"M = {unit_size}, N = {order}", "size": f"N = {order}, all references"}
    fixed["order"] = f"M = {unit_size}, all references"
    panels = canvas.subplots(1, len(PANELS), sharey=True)
    for axes, (panel, name) in zip(panels, PANELS.items(), strict=True):
        _panel(axes, figure.points.filter(figure.points["panel"] == panel))
        axes.set_xlabel(name)
        axes.set_title(fixed[panel], fontsize=9, color="0.35")
    _axes(panels, figure)
    handles, labels = panels[-1].get_legend_handles_labels()
    if handles:
        canvas.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False)
    return canvas


def _panel(axes: Axes, points: pl.DataFrame) -> None:
    for name, look in LOOKS.items():
        of = points.filter(points["metric"] == name).sort("x")
        x, value, low, high = (of[key].to_numpy() for key in ("x", "value", "low", "high"))
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
            label=name.replace("delta", "\N{GREEK CAPITAL LETTER DELTA}"),
        )


def _axes(panels: Sequence[Axes], figure: Figure2) -> None:
    thresholds, sizes, orders = panels
    thresholds.set_ylabel("Spearman's \N{GREEK SMALL LETTER RHO}, 95% interval")
    thresholds.set_xlim(1.08, -1.08)  # fewer references on the left, as in the paper
    thresholds.set_xticks(
        [1, 0.5, 0, -0.5, -1], ["1", "0.5", "0", "\N{MINUS SIGN}0.5", "\N{MINUS SIGN}1"]
    )
    if not figure.weighted:
        words = "no weights: every threshold\nkeeps all references"
        thresholds.text(
            0.5,
            0.04,
            words,
            transform=thresholds.transAxes,
            ha="center",
            fontsize=8,
            color="0.35",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 2},
        )
    sizes.set_xscale("log")
    ticks = sorted(set(figure.points.filter(figure.points["panel"] == "size")["x"]))
    spaced = [x for x, after in zip(ticks, [*ticks[1:], np.inf], strict=True) if after > 1.25 * x]
    sizes.set_xticks(spaced, [f"{x:g}" for x in spaced])
    sizes.set_xticks([], minor=True)
    orders.set_xticks(ORDERS)
    orders.set_xlim(0.8, 4.2)
    for axes in panels:
        axes.axhline(0, color="0.5", linewidth=0.8, zorder=0)
        axes.grid(axis="y", color="0.92")
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)


def save(figure: Figure, folder: str | os.PathLike[str], name: str) -> tuple[Path, ...]:
    """Writes PNG and SVG, each whole or not at all, and returns their paths.

    Raises:
        InputError: The folder cannot be made, or not be written to.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure)
    paths = tuple(prepared(folder) / f"{name}.{suffix}" for suffix in ("png", "svg"))
    for path in paths:
        metadata = {"Date": None} if path.suffix == ".svg" else {}
        # The same figure is the same file.
        with replacing(path) as temporary, mpl.rc_context({"svg.hashsalt": name}):
            figure.savefig(temporary, format=path.suffix[1:], dpi=200, metadata=metadata)
    return paths


def prepared(folder: str | os.PathLike[str]) -> Path:
    """Makes a folder where there is none.

    Raises:
        InputError: It cannot be made.
    """
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError(f"{folder}: no folder to draw into: {why}; name another one") from error
    return Path(folder)
