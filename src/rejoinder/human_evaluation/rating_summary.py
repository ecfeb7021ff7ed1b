"""People's ratings at a glance: how many, how far the raters agree, what they say of each system."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from rejoinder.human_evaluation.by_people.compare import (
    PAIRS,
    VERDICTS,
    ByPeople,
    ComparisonOptions,
)
from rejoinder.human_evaluation.by_people.estimates import missed
from rejoinder.human_evaluation.by_people.rater_notes import scope_notes, severity_notes
from rejoinder.human_evaluation.grades import Scale, check_scale, grade_notes
from rejoinder.human_evaluation.rater_exclusion import THRESHOLD, SummaryOptions
from rejoinder.human_evaluation.rating_criterion import RatingCriterion
from rejoinder.human_evaluation.rating_result import RatingSummary
from rejoinder.human_evaluation.summary import AGREEMENT, each_criterion, signature
from rejoinder.statistics.aggregation import AGGREGATIONS
from rejoinder.statistics.conventions import check_choice
from rejoinder.statistics.raters import LEAST_SHARED
from rejoinder.tables.checks.arguments import strings
from rejoinder.tables.frames import Frame
from rejoinder.tables.in_memory import taken
from rejoinder.tables.item_clusters import cluster_columns, item_clusters
from rejoinder.tables.schemas import PROBABILITY
from rejoinder.tables.selection import criterion_notes, without_systems
from rejoinder.tables.types import Ratings

_TEXT, _COUNT, _NUMBER = pl.String, pl.Int64, pl.Float64
_RATERS = {
    "criterion": _TEXT, "rater": _TEXT, "ratings": _COUNT, "mean": _NUMBER, "kappa": _NUMBER,
    "shared": _COUNT, "constant": pl.Boolean, "verdict": _TEXT, "reason": _TEXT,
}  # fmt: skip
_HUMAN = {
    "criterion": _TEXT, "correlation": _TEXT, "average": _NUMBER, "maximum": _NUMBER,
    "best": _TEXT, "raters": _COUNT, "reason": _TEXT,
}  # fmt: skip
_SYSTEMS = {
    "criterion": _TEXT, "system": _TEXT, "mean": _NUMBER, "low": _NUMBER, "high": _NUMBER,
    "sd": _NUMBER, "median": _NUMBER, "n": _COUNT, "ratings": _COUNT, "reason": _TEXT,
}  # fmt: skip


DIFFERENCES = (
    "criterion", "a", "b", "kind", "shared", "difference", "low", "high", "p", "p_holm", "reason",
)  # fmt: skip
"""The columns of the table of differences."""

_CLUSTERING = {"clusters": _COUNT, "design_effect": _NUMBER}


def ratings(
    ratings: Frame | Ratings,
    *,
    criterion: str | None = None,
    without: Sequence[str] = (),
    raters: str = "mean",
    threshold: float = THRESHOLD,
    drop: bool = False,
    least: int = LEAST_SHARED,
    scale: Scale | None = None,
    resamples: int = 1000,
    seed: int = 12345,
    cluster: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> RatingSummary:
    """Counts ratings, measures how far raters agree, and sums up each system, criterion by criterion.

    A rater is judged by `pooled_kappa`, for each criterion alone, once: nobody is judged again after
    others went. The rater ``mean`` (means of people whose single ratings are not known) agrees with
    nobody, is never dropped, and counts in the systems' means.

    Args:
        ratings: ``schemas.RATINGS``: what ``read_ratings`` returns. Where ratings belong to pairs of
            systems (column ``against``), a rater's ratings of one reply are averaged first.
        criterion: One of them; None takes all, each by itself.
        without: Systems to leave out, people for instance.
        raters: How the ratings of a reply become one number: ``mean``, ``median``, or ``z`` (each
            rater's ratings standardised over all systems, then averaged).
        threshold: Raters whose kappa is below are named, and dropped if so wished.
        drop: Drop them.
        least: The fewest replies shared with others to be judged by.
        scale: The worst and the best grade that could be given; None: outliers are noted.
        resamples: 0 for no intervals; any other number gives the same ones, as nothing is drawn.
        seed: Random seed.
        cluster: A column of ``ratings`` whose equal values are not independent (conversation, user):
            intervals leave out and resample whole clusters. ``none``: every item is independent;
            None: ``conversation`` where there is such a column.
        progress: Called with how many criteria are done, and of how many.

    Raises:
        InputError: The table breaks its rules, a rating is off the scale, or the filter leaves
            nobody.
        ParameterError: A parameter is unknown or has a value outside its range.

    >>> from rejoinder.tables.schemas import RATINGS
    >>> rows = [(f"c{i}", "bot", r, "overall", float(i % 3)) for i in range(12) for r in ("ann", "ben")]
    >>> summary = ratings(pl.DataFrame(rows, schema=RATINGS, orient="row"), resamples=0)
    >>> summary.agreement.select("measure", "value").row(0), summary.systems.item(0, "mean")
    (('alpha nominal', 1.0), 1.0)
    """
    check_choice(AGGREGATIONS, raters=raters)
    without = strings(without, "without", "systems")
    given = taken(Ratings, ratings, keep=cluster_columns(cluster))
    clusters, faults = item_clusters(given.frame, cluster, "ratings")
    options = SummaryOptions(threshold, drop, least, resamples, seed, raters, clusters)
    weighted = given.of_criterion(criterion).table(probability=True)
    faults = [*criterion_notes(weighted, criterion), *faults]
    weighted = without_systems(weighted, without)
    table = weighted.drop(PROBABILITY, strict=False)
    if scale is not None:
        check_scale(table, scale)

    def summarised(name: str, table_of_name: pl.DataFrame) -> RatingCriterion:
        part = RatingCriterion(name, table_of_name, options, scale)
        part.notes += grade_notes(part.single.get_column("score").to_numpy(), scale)
        return part

    parts, notes = each_criterion(table, summarised, progress)
    differing = {part.name: part.different_items() for part in parts}
    by_people = [each for part in parts if (each := _by_people(part, weighted, scale))]
    differences = [part.pairs for part in by_people if differing.get(part.name)]
    verdicts = [(part.name, part.verdict) for part in by_people]
    rules = {_for_whom(part, raters) for part in by_people}
    beside = [
        f"{part.name}: {each}" if len(parts) > 1 else each
        for part in by_people
        for each in (*missed(part.pairs, part.p), *severity_notes(part.replies))
    ]
    clustering = _CLUSTERING if clusters else {}
    return RatingSummary(
        pl.DataFrame([part.counts() for part in parts]),
        pl.DataFrame([row for part in parts for row in part.agreement], schema=AGREEMENT),
        pl.DataFrame([row for part in parts for row in part.raters], schema=_RATERS),
        pl.DataFrame([row for part in parts for row in part.human()], schema=_HUMAN),
        pl.DataFrame(
            [row for part in parts for row in part.systems()], schema=_SYSTEMS | clustering
        ),
        pl.concat([part.distribution() for part in parts]),
        pl.concat([part.selected_single for part in parts]),
        pl.concat([part.aggregated() for part in parts]),
        (*faults, *notes, *sorted(rules), *beside),
        signature("ratings", table, without, options, f"raters:{raters}", options.signature()),
        pl.concat([pl.DataFrame(schema=PAIRS), *differences])
        .rename({"rated": "shared"})
        .select(DIFFERENCES),
        pl.DataFrame(verdicts, schema=VERDICTS, orient="row"),
    )


def _for_whom(part: ByPeople, raters: str) -> str:
    """For which raters the sentence on the best system holds; why it cannot be tested, where it cannot."""
    untested = part.pairs.get_column("reason").drop_nulls().unique(maintain_order=True).to_list()
    if part.pairs.get_column("p").is_nan().all() and untested:
        return f"which system is best: no test ({'; '.join(untested)})"
    if raters != "mean":
        why = f"fixed rater effects: the {raters} of their ratings is taken first"
        return f"which system is best: intervals hold for these raters only ({why})"
    also = "; the intervals of single systems hold for these raters only"
    holds, rule = scope_notes(part.replies, part.places), part.replies.rule
    return f"which system is best: {'; '.join(holds)}{also * (rule.random and rule.note in holds)}"


def _by_people(part: RatingCriterion, table: pl.DataFrame, scale: Scale | None) -> ByPeople | None:
    """The systems compared by the raters that count; None for one system, or without intervals.

    Args:
        part: The criterion.
        table: All ratings, with ``probability`` where there is one.
        scale: The worst and the best grade that could be given, where that is known.
    """
    options, selected = part.options, part.selected_single
    if not options.resamples or selected.get_column("system").n_unique() < 2:
        return None
    replies = part.aggregated()
    if options.raters == "mean":
        usable = pl.col("rater").is_in(selected.get_column("rater").unique().implode())
        replies = table.filter(usable, pl.col("criterion") == part.name)
    return ByPeople(part.name, replies, ComparisonOptions(clusters=options.clusters, scale=scale))
