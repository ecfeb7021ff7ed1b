"""How many items, raters and references would be enough, by what a pilot shows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from rejoinder._version import __version__
from rejoinder.errors import ParameterError, one_of
from rejoinder.human_evaluation.grades import Scale, check_difference
from rejoinder.human_evaluation.rating_criterion import MEAN, are_places
from rejoinder.meta_evaluation.evidence import Rated
from rejoinder.meta_evaluation.matching import match
from rejoinder.metrics.base import Metric
from rejoinder.planning.assumptions import assumptions_of, cluster_notes
from rejoinder.planning.extrapolation import FACTORS, NORMAL, PEOPLE, Extrapolation
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
from rejoinder.planning.rater_notes import MEANS, PLACES
from rejoinder.planning.reference_subsets import with_fewer
from rejoinder.progress import Progress
from rejoinder.scoring.clusters import clustered
from rejoinder.scoring.measurements import check_scores
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.draws import MOST_DRAWS, check_draws
from rejoinder.statistics.holm import SIGNIFICANT
from rejoinder.statistics.power import MOST_ITEMS, POWER
from rejoinder.tables.checks.arguments import TESTSET, expect, strings
from rejoinder.tables.frames import Frame
from rejoinder.tables.ratings import rating_table
from rejoinder.tables.responses import MissingOrPairwise
from rejoinder.tables.selection import of_criterion
from rejoinder.tables.testset import TestSet


@dataclass(frozen=True)
class Plan:
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
    items: int
    references: tuple[int, int]
    assumptions: tuple[str, ...]
    notes: tuple[str, ...]
    parameters: dict[str, Any]
    metrics: dict[str, Metric]
    signatures: dict[str, str]

    def as_json(self) -> dict[str, Any]:
        """The object that ``rejoinder plan --json`` prints."""
        return {
            "comparisons": self.comparisons.to_dicts(),
            "comparison_needs": self.comparison_needs.to_dicts(),
            "correlations": self.correlations.to_dicts(),
            "correlation_needs": self.correlation_needs.to_dicts(),
            "components": self.components.to_dicts(),
            "items": self.items,
            "references": self.references,
            "assumptions": self.assumptions,
            "notes": self.notes,
            "parameters": self.parameters,
            "signatures": self.signatures,
        }


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
    >>> told = plan(score(testset, replies, ["rougeL"]), difference=0.25)
    >>> told.comparison_needs.select("target", "items").row(0)
    (0.25, 12)
    """
    check_scores(scores, "rejoinder.plan(scores, ratings)")
    if cluster is not None:
        scores = clustered(scores, cluster)
    without = strings(without, "without", "systems")
    if testset is not None:
        expect(testset, TestSet, "testset", TESTSET)
    _check(scores, power, alpha, width, correlation, resamples, seed)
    sizes, grades = _numbers("items", items), _numbers("raters", raters)
    labels = [label for label, each in scores.measured.items() if each.metric.ranks]
    described = [label for label in scores.measured if label not in labels]
    notes, rated, raters_are = list(scores.notes), None, ""
    if ratings is not None:
        rated, notes, criterion = match(scores, ratings, criterion, "mean", without, seed, scale)
        raters_are = _raters_are(ratings, criterion)
    if described:
        does = "it describes" if len(described) == 1 else "they describe"
        ranks = "does not" if len(described) == 1 else "do not"
        notes.append(f"{', '.join(described)} left out: {does} replies and {ranks} rank systems")
    names = [name for name in scores.names if name not in without]
    pairs = _pairs(scores, names, labels, rated, a, b, every_pair)
    if not pairs:
        notes.append(f"one system alone, {one_of(names)}: there is no other to compare it with")
    n = len(rated.ids) if rated is not None else scores.items.height
    wanted = Targets(power, alpha, _differences(difference, scores, labels, rated, scale), width)
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
        drawn = with_fewer(
            pilot, ratings, testset, responses, criterion, without, missing, progress
        )
        whole, known = list(forecasts), list(expected)
        for few, several in drawn.items():
            compared, correlated = pilot.fewer(few, several, whole, known)
            forecasts += compared
            expected += correlated
    forecasts = of_people + _in_order(forecasts, labels, pairs)
    expected = _in_order(expected, labels, pairs)
    needed = [each.need(width) for each in expected] if width is not None else []
    table = _table if scores.cluster else _without_clusters
    return Plan(
        table([row for each in forecasts for row in each.rows(sizes, wanted)], COMPARISONS),
        table([each.need(wanted) for each in forecasts], COMPARISON_NEEDS),
        table([row for each in expected for row in each.rows(sizes)], CORRELATIONS),
        table(needed, CORRELATION_NEEDS),
        _table(components, COMPONENTS),
        n,
        scores.references,
        tuple(assumptions_of(wanted, pilot, scores, testset)),
        tuple(dict.fromkeys(notes)),
        {
            "power": power,
            "alpha": alpha,
            "difference": dict(wanted.differences),
            "width": width,
            "correlation": correlation,
            "criterion": criterion,
            "without": list(without),
            "items": sizes,
            "raters": grades,
            "pilot_raters": pilot.pilot_raters,
            "resamples": resamples,
            "seed": seed,
            "version": __version__,
            **({"ratings": MEANS} if raters_are == MEANS else {}),
            **({"cluster": scores.cluster} if scores.cluster else {}),
        },
        {label: scores.measured[label].metric for label in labels},
        {label: scores.measured[label].signature for label in labels},
    )


def _raters_are(ratings: Frame, criterion: str) -> str:
    """Whether all ratings are means, or their raters may be places in a list: see `Extrapolation`."""
    table = of_criterion(rating_table(ratings), criterion, one=True)
    names = table.get_column("rater").unique().to_list()
    return MEANS if names == [MEAN] else PLACES if are_places(names) else ""


def _check(
    scores: Scores,
    power: float,
    alpha: float,
    width: float | None,
    correlation: str,
    resamples: int,
    seed: int,
) -> None:
    if not 0.5 <= power < 1:
        raise ParameterError(f"power={power!r} must be from 0.5 to below 1; 0.8 is usual")
    if not 1e-6 <= alpha <= 0.5:
        raise ParameterError(f"alpha={alpha!r} must be from 0.000001 to 0.5; 0.05 is usual")
    if width is not None and not 0 < width < 2:
        raise ParameterError(f"width={width!r} must lie between 0 and 2: a correlation's interval")
    if correlation not in NORMAL:
        raise ParameterError(f"correlation={correlation!r} is unknown; choose {one_of(NORMAL)}")
    check_draws(resamples, seed)
    if not 100 <= resamples <= MOST_DRAWS:
        raise ParameterError(f"resamples={resamples}: a plan is drawn; give 100 or more")
    scores.need_items()


def _numbers(name: str, given: Sequence[int]) -> list[int]:
    for each in given:
        if not isinstance(each, (int, np.integer)) or not 1 <= each <= MOST_ITEMS:
            raise ParameterError(f"{name}={each!r} must be a whole number from 1 to {MOST_ITEMS:,}")
    return sorted({int(each) for each in given})


def _differences(
    given: float | Mapping[str, float] | None,
    scores: Scores,
    labels: Sequence[str],
    rated: Rated | None,
    scale: Scale | None,
) -> dict[str, float]:
    """By subject the difference that is to show."""
    if given is None:
        return {}
    known = [*([PEOPLE] if rated is not None else []), *labels]
    if not isinstance(given, Mapping):
        given = dict.fromkeys(known[:1] if rated is not None else known, given)
    for subject, value in given.items():
        if subject not in known:
            raise ParameterError(f"difference: '{subject}' is unknown here; choose {one_of(known)}")
        if not 0 < value < math.inf:
            raise ParameterError(f"difference={value!r} ({subject}) must be above 0")
        if subject == PEOPLE and rated is not None:
            check_difference(value, rated.matrix, scale)
        if subject != PEOPLE:
            low, high = scores.measured[subject].metric.bounds
            if value > high - low:
                raise ParameterError(
                    f"difference={value!r}: {subject} lies from {low:g} to {high:g}; tables show it "
                    "x100, so give 0.02 for a difference of 2.0"
                )
    return dict(given)


def _pairs(
    scores: Scores,
    names: Sequence[str],
    labels: Sequence[str],
    rated: Rated | None,
    a: str | None,
    b: str | None,
    every_pair: bool,
) -> list[tuple[str, str]]:
    for name in (a, b):
        if name is not None:
            scores.place(name)
            if name not in names:
                raise ParameterError(
                    f"'{name}' is to be compared and to be left out; do one of them"
                )
    if a is not None and a == b:
        raise ParameterError(f"'{a}' cannot be compared with itself; name two systems")
    if every_pair and (a or b):
        raise ParameterError("every pair, or the systems named: give one of them")
    if rated is None and not labels:
        raise ParameterError(
            "no metric here ranks systems, and there are no ratings: nothing to plan"
        )
    if len(names) < 2 and rated is None:
        raise ParameterError(
            f"there is one system alone, {one_of(names)}, and no ratings: nothing to plan"
        )
    if len(names) < 2 or every_pair:
        return list(combinations(names, 2))
    one = a or b
    if a and b:
        return [(a, b)]
    if one:
        return [(one, name) for name in names if name != one]
    best = _best_first(scores, names, labels, rated)
    return [(best[0], best[1])]


def _best_first(
    scores: Scores, names: Sequence[str], labels: Sequence[str], rated: Rated | None
) -> list[str]:
    """By people's mean rating; else by the first metric."""
    values = dict.fromkeys(names, -math.inf)
    if rated is not None:
        number = np.bincount(rated.system, minlength=len(rated.systems))
        means = np.bincount(rated.system, rated.human, len(rated.systems)) / number
        values |= dict(zip(rated.systems, means.tolist(), strict=True))
    else:
        measured = scores.measured[labels[0]]
        sign = 1 if measured.metric.higher_is_better else -1
        scored = dict(zip(scores.names, (sign * measured.scores()).tolist(), strict=True))
        values = {name: scored[name] for name in names}
    return sorted(names, key=lambda name: -values[name])


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
