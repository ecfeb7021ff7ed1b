"""How many items, raters and references would be enough, by what a pilot shows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import polars as pl

from rejoinder._version import __version__
from rejoinder.errors import one_of
from rejoinder.human_evaluation.grades import Scale
from rejoinder.human_evaluation.rating_criterion import MEAN, are_places
from rejoinder.meta_evaluation.matching import match
from rejoinder.metrics.base import Metric
from rejoinder.planning.assumptions import assumptions_of, cluster_notes
from rejoinder.planning.extrapolation import FACTORS, Extrapolation
from rejoinder.planning.forecast import (
    COMPARISON_NEEDS,
    COMPARISONS,
    COMPONENTS,
    CORRELATION_NEEDS,
    CORRELATIONS,
    ExpectedCorrelation,
    Forecast,
    Targets,
)
from rejoinder.planning.labels_saved import LABELS_SAVED, labels_saved
from rejoinder.planning.rater_notes import MEANS, PLACES, drawn_notes
from rejoinder.planning.reference_subsets import with_fewer
from rejoinder.planning.requested import check_parameters, differences_of, numbers_of, pairs_of
from rejoinder.progress import Progress
from rejoinder.result import TableResult
from rejoinder.scoring.clusters import clustered
from rejoinder.scoring.measurements import check_scores
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.holm import SIGNIFICANT
from rejoinder.statistics.power import POWER
from rejoinder.tables.checks.arguments import TESTSET, expect, strings
from rejoinder.tables.frames import Frame
from rejoinder.tables.responses import MissingOrPairwise
from rejoinder.tables.testset import TestSet
from rejoinder.tables.types import Ratings


@dataclass(frozen=True, repr=False)
class Plan(TableResult):
    """What more items, raters and references would bring.

    A row of every table is of a ``subject`` (``people``, or a metric's label), of ``raters`` to a
    reply and of at most so many ``references`` to an item (null: all there are, or not concerned).
    ``beyond``: more than 4 times the pilot. ``reason``: why a number is missing. Where items lie in
    clusters, all tables but ``components`` have ``clusters``: how many of them so many items make.

    Attributes:
        comparisons: For each pair ``a``, ``b`` and number of ``items``: the pilot's ``difference``
            a - b; its standard ``error`` on so many items; ``detectable``, the smallest difference
            shown with the power wanted, with its 95% range ``detectable_low``, ``detectable_high``;
            and the ``power`` to show the ``target`` (the difference named, else the pilot's own).
        comparison_needs: The smallest number of ``items`` that shows the ``target`` with the power
            wanted, with its range; ``given``: whether the target was named. ``least_planned``: the
            smallest number of items that a plan may name; ``or_fewer``: whether the answer is that
            number, so that fewer may be enough.
        correlations: The correlation of each metric with people expected at so many items and
            raters (``value``), and the ``width`` of its 95% interval, with a range.
        correlation_needs: The smallest number of ``items`` for the width wanted, likewise.
        components: For each pair the variances of one rater's difference between its two systems:
            between ``items``, ``raters`` (persistent leanings), the ``rest`` (see
            `variance_components.People`); ``shared``, from 0 (other raters for each item) to 1 (one
            panel for all); how many raters that ``panel`` has; ``floor``, how far other raters'
            difference may lie from theirs.
        labels_saved: For each pair and metric as a judge (and all ``combined``): ``rated`` items of
            ``scored``; the ``correlation`` of its differences with people's, with its 95% interval;
            the share of ratings ``saved`` by ``compare_with_people`` on as many items, with its range,
            and the ``most`` that it could save if many more items were scored than rated; see
            `statistics.labels_saved.forecast_saved`. Empty without ratings.
        items: The pilot's items.
        references: The fewest and the most references of an item.
        assumptions: What every number rests on.
        notes: What was left out, and what is odd about this pilot.
        parameters: Of the plan.
        metrics: By label, those planned for.
        signatures: Of the metrics.
    """

    comparisons: pl.DataFrame
    comparison_needs: pl.DataFrame
    correlations: pl.DataFrame
    correlation_needs: pl.DataFrame
    components: pl.DataFrame
    labels_saved: pl.DataFrame
    items: int
    references: tuple[int, int]
    assumptions: tuple[str, ...]
    notes: tuple[str, ...]
    parameters: dict[str, Any]
    metrics: dict[str, Metric]
    signatures: dict[str, str]

    def as_json(self) -> dict[str, Any]:
        """The object that ``rejoinder plan --json`` prints."""
        return self.json_of(*(each.name for each in fields(self) if each.name != "metrics"))


def plan(
    scores: Scores,
    ratings: Frame | None = None,
    *,
    testset: TestSet | None = None,
    responses: pl.DataFrame | None = None,
    a: str | None = None,
    b: str | None = None,
    every_pair: bool = False,
    items: Sequence[int] = (),
    raters: Sequence[int] = (),
    power: float = POWER,
    alpha: float = SIGNIFICANT,
    difference: float | Mapping[str, float] | None = None,
    width: float | None = None,
    correlation: str = "spearman",
    criterion: str | None = None,
    without: Sequence[str] = (),
    scale: Scale | None = None,
    missing: MissingOrPairwise = "error",
    cluster: str | None = None,
    resamples: int = 1000,
    seed: int = 12345,
    progress: Progress | None = None,
) -> Plan:
    """Says how many items, raters and references would be enough, by what a pilot shows.

    Further items, raters and references are taken to be like the pilot's. Two systems are compared
    by a two-sided paired test over items, on those that both answered. People's spread is taken
    apart into items and raters (see `variance_components.People`); a metric's is the jackknife's at
    the pilot's size, and moves with it as the bootstrap's does. Where items lie in clusters, spread
    and tests (t with one degree of freedom less than there are clusters) are over clusters, and more
    items are more clusters of the pilot's mean size. Fewer references are drawn from the pilot's (the
    best-weighted stays), more cannot be known from it. The interval of a correlation with people
    keeps its width on Fisher's scale but for 1 / sqrt(items); with other raters the correlation
    itself moves by the attenuation formula (Spearman 1904).

    Args:
        scores: What was measured on the pilot. Metrics of the replies alone, which rank no system,
            are left out.
        ratings: People's ratings of these replies; None plans for metrics alone.
        testset: With ``responses``, what was scored: to draw fewer references from.
        responses: Likewise.
        a: A system to compare; with ``b`` None, with every other. Where neither is named, the two
            that people rate best (without ratings: that the first metric scores best).
        b: The other.
        every_pair: Compare every two systems.
        items: The numbers of items to tell of; else 1/2, 1, 2, 4 and 8 times the pilot.
        raters: The numbers of raters to tell of; else 1, 2, 3, 5, 10 and the pilot's.
        power: Wanted power of a comparison; from 0.5.
        alpha: The level of its test.
        difference: The true difference that is to be found, in the ratings' own scale; without
            ratings in the metrics' own ranges, where 0.3 is 30 points of the tables; or by subject:
            ``{"people": 0.3, "BLEU-2": 0.02}``. Else the pilot's.
        width: Wanted width of the 95% interval of a correlation.
        correlation: ``pearson``, ``spearman`` or ``kendall-b``, over single replies.
        criterion: Which criterion of the ratings, where there are several.
        without: Systems to leave out.
        scale: The worst and the best grade that could be given; None: outliers are noted.
        missing: As for ``score``.
        cluster: A column of the contexts: items with the same value are not independent. None takes
            what the scores were measured with; ``none`` takes every item as independent.
        resamples: Of every bootstrap.
        seed: Of every draw.
        progress: Called with how much is done, and of how much.

    Raises:
        InputError: Ratings and scores do not fit, or a rating is off the scale.
        ParameterError: A parameter is out of range, or there is nothing to plan.

    >>> from rejoinder import TestSet, score
    >>> testset = TestSet.from_lists([["yes please"], ["at nine"]] * 10)
    >>> texts = {"a": ["yes please", "at ten"] * 10, "b": ["no"] * 20}
    >>> rows = [(s, str(i + 1), text) for s in texts for i, text in enumerate(texts[s])]
    >>> replies = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    >>> result = plan(score(testset, replies, ["rougeL"]), difference=0.25)
    >>> result.comparison_needs.select("target", "items").row(0)
    (0.25, 12)
    """
    check_scores(scores, "rejoinder.plan(scores, ratings)")
    if cluster is not None:
        scores = clustered(scores, cluster)
    without = strings(without, "without", "systems")
    if testset is not None:
        expect(testset, TestSet, "testset", TESTSET)
    check_parameters(scores, power, alpha, width, correlation, resamples, seed)
    sizes, grades = numbers_of("items", items), numbers_of("raters", raters)
    labels = [label for label, each in scores.measured.items() if each.metric.ranks]
    notes, given, rated, raters_are = list(scores.notes), None, None, ""
    if ratings is not None:
        given = Ratings.of(ratings).of_criterion(criterion, one=True)
        rated, notes, criterion = match(scores, given, criterion, "mean", without, seed, scale)
        raters_are = _raters_are(given.frame)
        notes = [*notes, *drawn_notes(given.frame)]
    notes += _described_note([label for label in scores.measured if label not in labels])
    names = [name for name in scores.names if name not in without]
    pairs = pairs_of(scores, names, labels, rated, a, b, every_pair)
    if not pairs:
        notes.append(f"one system alone, {one_of(names)}: there is no other to compare it with")
    n = len(rated.ids) if rated is not None else scores.items.height
    wanted = Targets(power, alpha, differences_of(difference, scores, labels, rated, scale), width)
    sizes = sizes or sorted({max(1, math.ceil(n * factor)) for factor in FACTORS})
    pilot = Extrapolation(
        scores,
        rated,
        labels,
        pairs,
        sizes,
        grades,
        correlation,
        alpha,
        resamples,
        seed,
        raters_are,
    )
    of_people, components, more = pilot.people()
    forecasts, expected = pilot.metrics(), pilot.correlations()
    notes = [*cluster_notes(pilot), *notes, *more]
    if testset is not None and responses is not None:
        by_number = with_fewer(
            pilot, given, testset, responses, criterion, without, missing, progress
        )
        parts = [
            pilot.fewer(number, sampled, forecasts, expected)
            for number, sampled in by_number.items()
        ]
        forecasts = [*forecasts, *(each for compared, _ in parts for each in compared)]
        expected = [*expected, *(each for _, correlated in parts for each in correlated)]
    forecasts = of_people + _in_order(forecasts, labels, pairs)
    expected = _in_order(expected, labels, pairs)
    needed = [each.need(width) for each in expected] if width is not None else []
    as_table = _table if scores.cluster else _without_clusters
    return Plan(
        as_table([row for each in forecasts for row in each.rows(sizes, wanted)], COMPARISONS),
        as_table([each.need(wanted) for each in forecasts], COMPARISON_NEEDS),
        as_table([row for each in expected for row in each.rows(sizes, wanted)], CORRELATIONS),
        as_table(needed, CORRELATION_NEEDS),
        _table(components, COMPONENTS),
        _saved(pilot, given),
        n,
        scores.references,
        tuple(assumptions_of(wanted, pilot, scores, testset)),
        tuple(dict.fromkeys(notes)),
        _parameters(pilot, wanted, criterion, without),
        {label: scores.measured[label].metric for label in labels},
        {label: scores.measured[label].signature for label in labels},
    )


def _described_note(described: Sequence[str]) -> list[str]:
    """A note on metrics that describe replies and rank no system; none where there are none."""
    if not described:
        return []
    does = "it describes" if len(described) == 1 else "they describe"
    ranks = "does not" if len(described) == 1 else "do not"
    return [f"{', '.join(described)} left out: {does} replies and {ranks} rank systems"]


def _parameters(
    pilot: Extrapolation, wanted: Targets, criterion: str | None, without: Sequence[str]
) -> dict[str, Any]:
    """Everything that the numbers of a plan follow from, besides the pilot itself."""
    cluster = pilot.scores.cluster
    return {
        "power": wanted.power,
        "alpha": wanted.alpha,
        "difference": dict(wanted.differences),
        "width": wanted.width,
        "correlation": pilot.correlation,
        "criterion": criterion,
        "without": list(without),
        "items": pilot.sizes,
        "raters": pilot.raters,
        "pilot_raters": pilot.pilot_raters,
        "resamples": pilot.resamples,
        "seed": pilot.seed,
        "version": __version__,
        **({"ratings": MEANS} if pilot.raters_are == MEANS else {}),
        **({"cluster": cluster} if cluster else {}),
    }


def _saved(pilot: Extrapolation, ratings: Ratings | None) -> pl.DataFrame:
    """The table of ratings that judges would save; empty without ratings."""
    if pilot.rated is None or ratings is None:
        return pl.DataFrame(schema=LABELS_SAVED)
    return labels_saved(pilot.scores, pilot.rated, ratings, pilot.pairs, pilot.labels, pilot.seed)


def _raters_are(table: pl.DataFrame) -> str:
    """Whether all ratings are means, or their raters may be places in a list: see `Extrapolation`."""
    names = table.get_column("rater").unique().to_list()
    return MEANS if names == [MEAN] else PLACES if are_places(names) else ""


def _in_order(
    rows: list[Any], labels: Sequence[str], pairs: Sequence[tuple[str, str]]
) -> list[Any]:
    """By metric, pair, and references: all there are first, then the most."""

    def place(row: Forecast | ExpectedCorrelation) -> tuple[int, int, float]:
        pair = pairs.index((row.a, row.b)) if isinstance(row, Forecast) else 0
        return labels.index(row.subject), pair, -(row.references or math.inf)

    return sorted(rows, key=place)


def _table(rows: list[dict[str, Any]], schema: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=schema, orient="row")


def _without_clusters(rows: list[dict[str, Any]], schema: dict[str, Any]) -> pl.DataFrame:
    return _table(rows, schema).drop("clusters")
