"""Agreement by units along one dimension: the threshold on references, the unit size, the order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rejoinder.meta_evaluation.correlate import correlate
from rejoinder.meta_evaluation.evidence import Rated
from rejoinder.meta_evaluation.matching import match
from rejoinder.meta_evaluation.protocols import Unit
from rejoinder.meta_evaluation.unit_assignments import places
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.progress import Progress, advance
from rejoinder.scoring.score import score
from rejoinder.scoring.scores import Scores
from rejoinder.tables.frames import Frame
from rejoinder.tables.responses import Missing
from rejoinder.tables.testset import TestSet
from rejoinder.tables.types import Ratings, Responses

THRESHOLDS = tuple(tenths / 10 for tenths in range(10, -11, -2))
SIZES = (1, 10, 25, 50, 100)
ORDERS = (1, 2, 3, 4)

# A coefficient of fewer observations says nothing.
LEAST_UNITS = 10

# Small units are many, and their assignments much alike: fewer of these do.
LEAST_ASSIGNMENTS = 20

# A metric that counts every unit's words anew would take minutes for units smaller than this.
LEAST_BAG = 10


class Point(NamedTuple):
    """One place on the x axis of a panel.

    Args:
        panel: ``threshold``, ``size`` or ``order``.
        x: Where.
        size: Items of a unit.
        metrics: By the name of its line; None where no reference is left.
    """

    panel: str
    x: float
    size: int
    metrics: Mapping[str, Metric] | None


class SweepSettings(NamedTuple):
    """What is the same at every point: the arguments of `correlate`.

    Args:
        ratings: The table of ``read_ratings``.
        unit: The largest unit, and its assignments; smaller ones get proportionately fewer.
        correlation: The coefficient.
        criterion: Which criterion, where there are several.
        raters: How ratings become one number.
        without: Systems to leave out.
        seed: Of every draw.
    """

    ratings: Frame | Ratings
    unit: Unit
    correlation: str = "spearman"
    criterion: str | None = None
    raters: str = "mean"
    without: Sequence[str] = ()
    seed: int = 12345


@dataclass(frozen=True)
class Sweep:
    """What was measured.

    Attributes:
        points: ``panel``, ``x``, ``metric``, ``value``, ``low`` and ``high`` (95%), ``n`` (units of
            one assignment), ``items`` (that can be scored), ``assignments``, ``reason`` (why one of
            these is NaN, else null).
        notes: Which points are missing, and why.
    """

    points: pl.DataFrame
    notes: tuple[str, ...]


def sweep_sizes(scores: Scores, settings: SweepSettings, progress: Progress | None = None) -> Sweep:
    """Sweeps the unit size, for every metric of some scores: no text is needed.

    Args:
        scores: Fresh or loaded.
        settings: What is the same at every point.
        progress: Called with how many points are done, and of how many.

    Raises:
        InputError: Scores and ratings do not fit.
        ParameterError: A parameter is unknown.
    """
    metrics = {label: each.metric for label, each in scores.measured.items()}
    points = size_points(metrics, settings.unit.size)
    swept = sweep(scores, [point for point in points if point.metrics], settings, progress)
    bags = ", ".join(name for name, each in metrics.items() if not each.summable)
    note = f"figure: {bags}: no units of fewer than {LEAST_BAG} items, which would take minutes"
    return Sweep(swept.points, (*swept.notes, *([note] if bags else [])))


def sweep_parameters(
    testset: TestSet,
    responses: Frame | Responses,
    metrics: Sequence[Metric],
    settings: SweepSettings,
    missing: Missing = "error",
    progress: Progress | None = None,
) -> Sweep:
    """Sweeps the threshold on weights and the order, of those metrics that have such a parameter.

    A metric's other parameters stay what they are. There is no panel ``threshold`` where no
    reference carries a weight, and no panel ``order`` where no metric has one.

    Args:
        testset: Contexts and references.
        responses: The table of ``read_responses``.
        metrics: The metrics.
        settings: What is the same at every point.
        missing: An item that a system did not answer: ``error``, ``drop`` or ``empty``.
        progress: Called with how many points are done, and of how many.

    Raises:
        InputError: The tables do not fit.
        ParameterError: A parameter is unknown.
    """
    points: list[Point] = []
    if testset.references.get_column("weight").is_not_null().any():
        points += threshold_points(testset, _base(metrics, references="all"), settings.unit.size)
    points += order_points(_base(metrics, order=2), settings.unit.size)
    if not points:
        return Sweep(_table([]), ())
    scores = measure(testset, responses, points, missing, settings.seed)
    return sweep(scores, points, settings, progress)


def threshold_points(
    testset: TestSet, metrics: Mapping[str, Metric], size: int, **more: Any
) -> list[Point]:
    """A point for each threshold; those that keep the same references share their metrics.

    Args:
        testset: Whose references.
        metrics: By name; their rule for references is replaced.
        size: Items of a unit.
        more: Further parameters to be replaced.
    """
    if not metrics:
        return []
    return [
        Point("threshold", t, size, _each(metrics, references=rule, **more) if rule else None)
        for t, rule in _rules(testset).items()
    ]


def size_points(metrics: Mapping[str, Metric], largest: int) -> list[Point]:
    """A point for each of the paper's sizes, and for the largest of the user's.

    Metrics that cannot be summed (distinct-n) have no point below 10 items.
    """
    short = {name: each for name, each in metrics.items() if each.summable}
    return [
        Point("size", m, m, metrics if m >= LEAST_BAG else short) for m in sorted({*SIZES, largest})
    ]


def order_points(metrics: Mapping[str, Metric], size: int) -> list[Point]:
    """A point for each order; the metrics' own order is replaced."""
    return [Point("order", n, size, _each(metrics, order=n)) for n in ORDERS if metrics]


def measure(
    testset: TestSet,
    responses: Frame | Responses,
    points: Sequence[Point],
    missing: Missing,
    seed: int,
) -> Scores:
    """The scores of every metric of some points; an item that one cannot score is left out of it.

    Args:
        testset: The test set.
        responses: The replies of the systems.
        points: The points of the sweep, each with its metrics.
        missing: How an item that a system did not answer is handled.
        seed: Random seed.
    """
    metrics = dict.fromkeys(each for point in points for each in (point.metrics or {}).values())
    return score(
        testset,
        responses,
        list(metrics),
        missing=missing,
        drop_unusable=True,
        resamples=0,
        seed=seed,
    )


def sweep(
    scores: Scores,
    points: Sequence[Point],
    settings: SweepSettings,
    progress: Progress | None = None,
) -> Sweep:
    """Measures every point that has at least 10 units.

    Args:
        scores: Of every metric of the points.
        points: Where to measure.
        settings: What is the same at every point.
        progress: Called with how many points are done, and of how many.

    Raises:
        InputError: Scores and ratings do not fit.
        ParameterError: A parameter is unknown.
    """
    labels = {each.metric: label for label, each in scores.measured.items()}
    # An item that some references serve is served by all of them: no point has items but these.
    most = max(scores.labels, key=lambda label: int(scores.measured[label].usable.sum()))
    choices = settings.criterion, settings.raters, settings.without, settings.seed
    rated, _, _ = match(_of(scores, [most]), settings.ratings, *choices, in_pairs=True)
    measured: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    rows: list[dict[str, Any]] = []
    left: list[Point] = []
    for number, point in enumerate(points):
        names = {labels[metric]: name for name, metric in (point.metrics or {}).items()}
        of_point = _of(scores, list(names))
        if not names or _units(rated, of_point, settings.unit, point.size) < LEAST_UNITS:
            left.append(point)
        else:
            key = (point.size, *names.items())
            if key not in measured:
                measured[key] = _measured(of_point, names, point.size, settings)
            rows += [{"panel": point.panel, "x": float(point.x), **each} for each in measured[key]]
        advance(progress, number + 1, len(points))
    return Sweep(_table(rows), (*_notes(left), *_without_interval(rows)))


def _base(metrics: Sequence[Metric], **shared: Any) -> dict[str, Metric]:
    """Those metrics that have these parameters, with these values, each under its label.

    Two that differ in nothing else are one.
    """
    having = [each for each in metrics if shared.keys() <= {field.name for field in fields(each)}]
    alike = list(dict.fromkeys(replace(each, **shared) for each in having))
    named = registry.metrics(alike) if alike else {}
    if "order" in shared:
        return {_any_order(label, shared["order"]): each for label, each in named.items()}
    return named


def _any_order(label: str, order: int) -> str:
    """``BLEU-2`` becomes ``BLEU-N``.

    >>> _any_order("BLEU-2 w>=0.6", 2)
    'BLEU-N w>=0.6'
    """
    return label.replace(f"-{order}", "-N", 1)


def _each(metrics: Mapping[str, Metric], **changed: Any) -> dict[str, Metric]:
    return {name: replace(each, **changed) for name, each in metrics.items()}


def _rules(testset: TestSet) -> dict[float, str | None]:
    """The rule of each threshold; those that keep the same references share one."""
    weights = testset.references.get_column("weight").fill_null(1.0).to_numpy()
    rules: dict[float, str | None] = {}
    known: dict[int, str | None] = {0: None, len(weights): "all"}
    for t in THRESHOLDS:
        # References of a lower threshold hold those of a higher one: their number tells them apart.
        rules[t] = known.setdefault(int((weights >= t).sum()), f"w>={t:g}")
    return rules


def _of(scores: Scores, labels: Sequence[str]) -> Scores:
    """The scores of some metrics alone."""
    return replace(scores, measured={each: scores.measured[each] for each in labels}, notes=())


def _usable(scores: Scores) -> np.ndarray:
    """The items that all metrics can score: bool [n]."""
    return np.logical_and.reduce([each.usable for each in scores.measured.values()])


def _units(rated: Rated, scores: Scores, unit: Unit, size: int) -> int:
    """How many units of a size one assignment has."""
    usable = scores.items.get_column("id").filter(pl.Series(_usable(scores)))
    picked = pl.Series(rated.ids).is_in(usable.implode()).to_numpy()
    pairs = places(rated.systems, unit.pairs)
    if rated.paired is None:
        present = ~np.isnan(rated.grid[:, picked])
        return sum(int((present[a] & present[b]).sum()) // size for a, b in pairs)
    of_pair = ~np.isnan(rated.paired[:, :, picked])
    return sum(int((of_pair[a, b] & of_pair[b, a]).sum()) // size for a, b in pairs)


def _measured(
    scores: Scores, names: Mapping[str, str], size: int, settings: SweepSettings
) -> list[dict[str, Any]]:
    whole = settings.unit
    assignments = max(LEAST_ASSIGNMENTS, round(whole.assignments * size / whole.size))
    protocol = replace(whole, size=size, assignments=min(whole.assignments, assignments))
    agreement = correlate(
        scores,
        settings.ratings,
        protocol,
        correlations=[settings.correlation],
        criterion=settings.criterion,
        raters=settings.raters,
        without=settings.without,
        permutations=0,
        resamples=0,
        seed=settings.seed,
    )
    return [
        {
            "metric": names[row["metric"]],
            **{key: row[key] for key in ("value", "low", "high", "n")},
            "items": int(_usable(scores).sum()),
            "assignments": protocol.assignments,
            "reason": row["reason"],
        }
        for row in agreement.table().iter_rows(named=True)
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


def _without_interval(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Why points that have a value have no interval, each reason once."""
    bare = [row for row in rows if np.isnan(row["low"]) and not np.isnan(row["value"])]
    return [f"figure: {reason}" for reason in dict.fromkeys(row["reason"] for row in bare)]


def _notes(left: Sequence[Point]) -> tuple[str, ...]:
    """Which points are left out, by panel."""
    places: dict[str, list[str]] = {}
    for point in left:
        places.setdefault(point.panel, []).append(f"{point.x:g}")
    return tuple(
        f"figure: {panel} {', '.join(xs)} left out: fewer than {LEAST_UNITS} units"
        for panel, xs in places.items()
    )
