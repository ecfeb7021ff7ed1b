"""How many items, raters and references would be enough, by what a pilot shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import polars as pl

from rejoinder._version import __version__
from rejoinder.document.parts import AS_USUAL, Document, View
from rejoinder.human_evaluation.grades import Scale
from rejoinder.meta_evaluation.matching import match
from rejoinder.metrics.base import Metric
from rejoinder.planning.assumptions import assumptions_of, cluster_notes, pilot_notes
from rejoinder.planning.components import Components
from rejoinder.planning.correlations import Correlations
from rejoinder.planning.criterion import PlanningCriterion
from rejoinder.planning.differences import SystemDifferences
from rejoinder.planning.labels_saved import LabelsSaved
from rejoinder.planning.pilot import MEANS, Pilot
from rejoinder.planning.reference_subsets import with_fewer
from rejoinder.planning.requested import check_draws_of, numbers_of, pairs_of
from rejoinder.planning.samples import SamplesOfPrompts
from rejoinder.progress import Progress, share, steps, watched
from rejoinder.result import TableResult
from rejoinder.scoring.clusters import clustered
from rejoinder.scoring.external import scores_of
from rejoinder.scoring.of_judgements import of_judgements
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.holm import SIGNIFICANT
from rejoinder.statistics.power import POWER
from rejoinder.tables.checks.arguments import strings
from rejoinder.tables.frames import Frame
from rejoinder.tables.in_memory import ResponsesLike, taken
from rejoinder.tables.responses import MissingOrPairwise
from rejoinder.tables.testset import TestSet, TestSetLike
from rejoinder.tables.types import Ratings, Responses

MEASURING = 0.3
"""The share of a plan's time that measuring with fewer references takes, about."""


@dataclass(frozen=True, repr=False)
class Plan(TableResult):
    """What more items, raters and references would bring.

    A row of every table is of a ``subject`` (``people``, or a metric's label), of ``raters`` to a
    reply and of at most so many ``references`` to an item (null: all there are, or not concerned).
    ``beyond``: more than 4 times the pilot. ``reason``: why a number is missing. Where items lie in
    clusters, all tables but ``components`` and ``labels_saved`` have ``clusters``: how many of them so
    many items make.

    Attributes:
        comparisons: For each pair ``a``, ``b`` and number of ``items``: the pilot's ``difference``
            a - b; its standard ``error`` on so many items; ``detectable``, the smallest difference
            shown with the power wanted, with its 95% range ``detectable_low``, ``detectable_high``;
            and the ``power`` to show the ``target`` (the difference named, else the pilot's own).
        comparison_needs: The smallest number of ``items`` that shows the ``target`` with the power
            wanted, with its range; ``given``: whether the target was named; ``closed_form``: the number
            by the formula of textbooks, which takes the pilot's variance for the true one.
            ``least_planned``: the smallest number of items that a plan may name; ``or_fewer``: whether
            the answer is that number, so that fewer may be enough.
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
        samples: Where systems gave several samples of a prompt, for each pair, metric (``subject``) and
            number of ``samples``: how many ``items`` the pilot's cost buys, the ``error`` of the difference,
            its ``ratio`` to the pilot's, and whether it is the ``best``; see `samples.SamplesOfPrompts`.
        items: The pilot's items.
        references: The fewest and the most references of an item.
        assumptions: What every number rests on.
        notes: What was left out, and what is odd about this pilot.
        parameters: Of the plan.
        metrics: By label, those planned for.
        signatures: Of the metrics.
    """

    tables: dict[str, pl.DataFrame]
    items: int
    references: tuple[int, int]
    assumptions: tuple[str, ...]
    notes: tuple[str, ...]
    parameters: dict[str, Any]
    metrics: dict[str, Metric]
    signatures: dict[str, str]

    def __getattr__(self, name: str) -> pl.DataFrame:
        """A table by its name."""
        tables = self.__dict__.get("tables", {})  # a copy has none while it is made
        if name not in tables:
            raise AttributeError(f"a plan has no {name!r}; its tables are {', '.join(tables)}")
        return tables[name]

    def document(self, view: View = AS_USUAL) -> Document:
        """Who would tell the systems apart, how well agreement would be known, and how many are needed."""
        from rejoinder.planning.plan_sentences import Planned
        from rejoinder.planning.plan_tables import plan

        return plan(Planned(*(getattr(self, name) for name in Planned._fields)))

    def as_json(self) -> dict[str, Any]:
        """The object that ``rejoinder plan --json`` prints."""
        names = (each.name for each in fields(self) if each.name not in ("tables", "metrics"))
        return self.json_of(*self.tables, *names)


def plan(
    scores: Scores | Frame | None = None,
    ratings: Frame | Ratings | None = None,
    *,
    testset: TestSetLike | None = None,
    responses: ResponsesLike | None = None,
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
    costs: tuple[float, float] | None = None,
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
            are left out. None plans for people alone.
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
        cluster: A column of the contexts (of ratings alone a column of these): items with the same value
            are not independent. None takes what the scores were measured with; ``none`` takes every item
            as independent.
        costs: What one prompt costs and one sample of it, where systems gave several samples of a prompt;
            None: as much as each other.
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
    criteria = (
        SystemDifferences(power, alpha, difference),
        Correlations(correlation, width),
        Components(alpha),
        LabelsSaved(),
        SamplesOfPrompts(costs),
    )
    if scores is None and ratings is not None:
        table = taken(Ratings, ratings).frame
        scores = of_judgements(table, cluster=cluster, resamples=resamples, seed=seed)
    scores = scores_of(scores, Scores, "rejoinder.plan(scores, ratings)")
    if cluster is not None:
        scores = clustered(scores, cluster)
    without = strings(without, "without", "systems")
    if testset is not None:
        testset = TestSet.of(testset)
    check_draws_of(scores, resamples, seed)
    sizes = numbers_of("items", items), numbers_of("raters", raters)
    notes, given, rated = scores.notes, None, None
    if ratings is not None:
        given = taken(Ratings, ratings).of_criterion(criterion, one=True)
        rated, notes, criterion = match(scores, given, criterion, "mean", without, seed, scale)
    pairs = pairs_of(scores, without, rated, a, b, every_pair)
    pilot = Pilot(
        scores, given, rated, pairs, *sizes, resamples, seed, criterion, without, scale, notes,
        testset is not None,
    )  # fmt: skip
    if testset is not None and responses is not None:
        replies = taken(Responses, responses, testset.ids)
        with watched(progress), share(0, MEASURING):
            pilot = with_fewer(pilot, testset, replies, missing)
    with watched(progress), share(MEASURING if pilot.with_fewer else 0, 1):
        return plan_of(pilot, criteria)


def plan_of(pilot: Pilot, criteria: Sequence[PlanningCriterion]) -> Plan:
    """What a pilot says of each criterion.

    Raises:
        ParameterError: A setting of a criterion does not fit the pilot.
    """
    criteria = [each.of(pilot) for each in criteria]
    tables: dict[str, pl.DataFrame] = {}
    notes = [*cluster_notes(pilot), *pilot.notes, *pilot_notes(pilot)]
    for each in steps(criteria, len(criteria)):
        answer = each.answer(pilot)
        tables |= each.frames(answer, bool(pilot.scores.cluster))
        notes += answer.notes
    measured = {label: pilot.scores.measured[label] for label in pilot.labels}
    return Plan(
        tables,
        pilot.items,
        pilot.scores.references,
        assumptions_of(pilot, criteria),
        tuple(dict.fromkeys(notes)),
        _parameters(pilot, criteria),
        {label: each.metric for label, each in measured.items()},
        {label: each.signature for label, each in measured.items()},
    )


def _parameters(pilot: Pilot, criteria: Sequence[PlanningCriterion]) -> dict[str, Any]:
    """Everything that the numbers of a plan follow from, besides the pilot itself."""
    cluster = pilot.scores.cluster
    return {
        **{name: value for each in criteria for name, value in each.parameters().items()},
        "criterion": pilot.criterion,
        "without": list(pilot.without),
        "items": pilot.sizes,
        "raters": pilot.raters,
        "pilot_raters": pilot.pilot_raters,
        "resamples": pilot.resamples,
        "seed": pilot.seed,
        "version": __version__,
        **({"ratings": MEANS} if pilot.raters_are == MEANS else {}),
        **({"cluster": cluster} if cluster else {}),
    }
