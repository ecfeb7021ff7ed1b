"""The ratings of one criterion: how far raters agree, which raters count, and each system's mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder.human_evaluation.different_raters import different_raters
from rejoinder.human_evaluation.grades import Scale
from rejoinder.human_evaluation.panel import panel
from rejoinder.human_evaluation.rater_exclusion import (
    KEPT,
    SummaryOptions,
    dropped_raters,
    verdict_notes,
)
from rejoinder.human_evaluation.summary import (
    agreement_rows,
    alpha_notes,
    constant_note,
    verdict_on,
)
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import Argument, counted, listed
from rejoinder.statistics.aggregation import aggregate
from rejoinder.statistics.agreement import Judgements
from rejoinder.statistics.clusters import Groups, effective_size, interval_variance
from rejoinder.statistics.conventions import too_few_groups
from rejoinder.statistics.intervals import Interval, few_groups, large_group
from rejoinder.statistics.mean_difference import mean_inference
from rejoinder.statistics.proportions import are_ends, mean_on_scale
from rejoinder.statistics.raters import human_correlations
from rejoinder.statistics.skewed_mean import strongly_skewed
from rejoinder.tables.item_clusters import NONE
from rejoinder.tables.pair_ratings import over_pairs

MEAN = "mean"
PASS_FAIL = (0.0, 1.0)
"""The scale of ratings that are all 0 or 1."""

FEW_SKEWED = 60
"""With fewer skewed ratings of a system the interval of their mean holds too rarely, by simulation."""

CORRELATIONS = ("pearson", "spearman")
SHARED = "replies"
"""What raters share, in words."""

ONLY_MEANS = "the single ratings behind the means are not known"
PLACES = (
    "the raters are called 1, 2, ...: if these are places in a list, and other people from item to "
    "item, kappa, human (avg), human (max), the filter and z-scores mean nothing; alpha is valid"
)


def are_places(raters: Sequence[str]) -> bool:
    """Whether several raters are called 1, 2, ...: perhaps places in a list, not people.

    >>> are_places(["2", "1"]), are_places(["1"]), are_places(["1", "3"])
    (True, False, False)
    """
    return len(raters) > 1 and set(raters) == {str(place + 1) for place in range(len(raters))}


class RatingMatrix:
    """Ratings of one criterion as a matrix: replies in rows, raters in columns."""

    def __init__(self, table: pl.DataFrame, options: SummaryOptions) -> None:
        self.replies = table.select("system", "id").unique(maintain_order=True)
        _, self.raters, self.values = panel(table, system=None, id=None)
        self.numbers = (~np.isnan(self.values)).sum(axis=1)
        self.systems = self.replies.get_column("system").to_numpy()
        self.ids = self.replies.get_column("id").to_numpy()
        groups = options.groups(self.ids)
        self.judgements = Judgements(self.values, groups, units=SHARED, least=options.least)


class RatingCriterion:
    """One criterion: its raters' agreement, the raters that count, and the systems' means.

    A rater's ratings of one reply in several pairs of systems are averaged first; ``single``,
    ``selected_single`` and the distribution of grades have them one by one.
    """

    def __init__(
        self,
        name: str,
        table: pl.DataFrame,
        options: SummaryOptions,
        scale: Scale | None = None,
    ) -> None:
        self.name, self.single, self.options = name, table, options
        self.ends = None if options.raters == "z" else scale
        if are_ends(table.get_column("score").to_numpy()) and options.raters != "z":
            self.ends = self.ends or PASS_FAIL
        self.table, self.notes = over_pairs(table)
        people = self.table.filter(pl.col("rater") != MEAN)
        self.undefined = None if people.height else ONLY_MEANS
        self.people = self._matrix(people)
        self._note_means(people)
        self.raters = self._raters()
        self.notes += verdict_notes(self.raters, options, "rating", "ratings")
        dropped = dropped_raters(self.raters, "ratings", name, options)
        usable = ~pl.col("rater").is_in(dropped)
        self.selected_single = table.filter(usable)
        self.selected_people = self._matrix(people.filter(usable)) if dropped else self.people
        self.selected = self._matrix(self.table.filter(usable))
        self.reduced = aggregate(self.selected.values, options.raters)
        self.agreement = self._agreement("all", self.people)
        if options.drop:
            self.agreement += self._agreement(KEPT, self.selected_people)
        self._note_rest()

    def counts(self) -> dict[str, Any]:
        """How many of everything, before the filter."""
        table, each = self.table, self._matrix(self.table).numbers
        items, systems = (table.get_column(name).n_unique() for name in ("id", "system"))
        clusters = {"clusters": self._group_count()} if self.options.clusters else {}
        ratings = int(self.people.numbers.sum())
        return {
            "criterion": self.name,
            "items": items,
            "systems": systems,
            "replies": each.size,
            "unrated": items * systems - each.size,
            "raters": len(self.people.raters),
            "ratings": table.height,
            "means": table.height - ratings,
            "missing": self.people.values.size - ratings,
            "fewest": int(each.min()),
            "most": int(each.max()),
            "low": self.single.get_column("score").min(),
            "high": self.single.get_column("score").max(),
            **clusters,
        }

    def human(self) -> list[dict[str, Any]]:
        """The rows human (avg) and human (max), of the raters that count."""
        raters, rows = self.selected_people.raters, []
        for correlation in CORRELATIONS:
            human = human_correlations(
                self.selected_people.values, correlation, self.options.least, SHARED
            )
            defined = ~np.isnan(human.each)
            rows.append(
                {
                    "criterion": self.name,
                    "correlation": correlation,
                    "average": human.average,
                    "maximum": human.maximum,
                    "best": raters[int(np.nanargmax(human.each))] if defined.any() else None,
                    "raters": int(defined.sum()),
                    "reason": self.undefined or human.reason,
                }
            )
        return rows

    def systems(self) -> list[dict[str, Any]]:
        """Mean, interval and spread of every system's aggregated ratings."""
        names = self.table.get_column("system").unique(maintain_order=True).to_list()
        rows = []
        for name in names:
            of_system = self.selected.systems == name
            values = self.reduced.values[of_system]
            groups = self._groups(self.selected.ids[of_system])
            interval = _mean_interval(values, groups, self.options, self.ends)
            rows.append(
                {
                    "criterion": self.name,
                    "system": name,
                    "mean": float(values.mean()) if values.size else math.nan,
                    "low": interval.low,
                    "high": interval.high,
                    "sd": float(values.std(ddof=1)) if values.size > 1 else math.nan,
                    "median": float(np.median(values)) if values.size else math.nan,
                    "n": values.size,
                    "ratings": int(self.selected.numbers[of_system].sum()),
                    "reason": interval.reason,
                    **_clustering(values, groups),
                }
            )
        return rows

    def distribution(self) -> pl.DataFrame:
        """How often each system got each grade."""
        counts = self.selected_single.group_by("system", "score", maintain_order=True).len("count")
        share = pl.col("count") / pl.col("count").sum().over("system")
        order = pl.DataFrame({"system": counts["system"].unique(maintain_order=True)})
        return (
            counts.with_columns(pl.lit(self.name).alias("criterion"), share.alias("share"))
            .join(order.with_row_index("place"), on="system")
            .sort("place", "score")
            .select("criterion", "system", "score", pl.col("count").cast(pl.Int64), "share")
        )

    def aggregated(self) -> pl.DataFrame:
        """A row for each reply, in the columns of ratings."""
        return self.selected.replies.select(
            "id",
            "system",
            pl.lit(self.options.raters).alias("rater"),
            pl.lit(self.name).alias("criterion"),
            pl.Series("score", self.reduced.values, dtype=pl.Float64),
        )

    def _groups(self, ids: NDArray[np.generic]) -> Groups | None:
        return Groups.of(self.options.groups(ids), ids.size) if self.options.clusters else None

    def _group_count(self) -> int:
        ids = self.table.get_column("id").unique().to_numpy()
        return np.unique(self.options.groups(ids)).size

    def different_items(self) -> bool:
        """Whether systems are rated on different items."""
        items = self.selected.replies.get_column("id").n_unique()
        systems = self.table.get_column("system").n_unique()
        return self.selected.replies.height < systems * items

    def _different_raters(self) -> list[str]:
        """A note where the ratings of two systems are mostly of different people."""
        people = self.selected_people
        if are_places(people.raters):
            return []
        rated = np.isfinite(people.values)
        of = {name: rated[people.systems == name] for name in dict.fromkeys(people.systems)}
        return different_raters(of, people.raters)

    def _matrix(self, table: pl.DataFrame) -> RatingMatrix:
        return RatingMatrix(table, self.options)

    def _raters(self) -> list[dict[str, Any]]:
        rows = []
        for place, rater in enumerate(self.people.raters):
            ratings = self.people.values[:, place]
            ratings = ratings[~np.isnan(ratings)]
            constant = bool(ratings.min() == ratings.max())
            row = {"criterion": self.name, "rater": rater, "ratings": ratings.size}
            row["mean"] = float(ratings.mean())
            rows.append(row | verdict_on(self.people.judgements, place, constant, self.options))
        return rows

    def _agreement(self, raters: str, ratings: RatingMatrix) -> list[dict[str, Any]]:
        return agreement_rows(self.name, raters, ratings.judgements, self.options, self.undefined)

    def _note_clusters(self) -> None:
        """How many independent items the items are worth, system by system."""
        clusters, sizes = self.options.clusters, []
        if clusters is None:
            return
        for name in dict.fromkeys(self.selected.systems):
            of_system = self.selected.systems == name
            values = self.reduced.values[of_system]
            groups = Groups.of(self.options.groups(self.selected.ids[of_system]), values.size)
            variance = interval_variance(values, groups)
            sizes.append(round(effective_size(values, groups, variance)))
        ids = self.table.get_column("id").unique().to_numpy()
        self.notes += large_group(np.unique(self.options.groups(ids), return_counts=True)[1])
        items = counted(ids.size, "item")
        worth = f"{min(sizes)}"
        if max(sizes) > min(sizes):
            worth += f" to {max(sizes)} (by system)"
        self.notes.append(
            f"{items} in {counted(self._group_count(), 'cluster')} of '{clusters.column}', worth "
            f"about {worth} independent ones; {Argument('cluster', NONE)} takes every "
            "item as independent"
        )

    def _note_skew(self) -> None:
        """Whose ratings are so skewed that the interval leaves out their mean too often."""
        of = {
            name: self.reduced.values[self.selected.systems == name]
            for name in dict.fromkeys(self.selected.systems.tolist())
        }
        skewed = [name for name, x in of.items() if 0 < x.size < FEW_SKEWED and strongly_skewed(x)]
        if skewed and self.ends != PASS_FAIL:
            self.notes.append(
                f"the ratings of {listed(skewed)} are strongly skewed, and fewer than {FEW_SKEWED}: the "
                "interval of such a mean, and of its difference from another, leaves out the truth in 5 to "
                "15 of 100 studies, and that of alpha in up to 30"
            )

    def _note_means(self, people: pl.DataFrame) -> None:
        means = self.table.height - people.height
        if means and people.height:
            self.notes.append(
                f"{counted(means, 'mean')} of raters whose single ratings are not known: left out of "
                "agreement, kept in the systems' means"
            )
        if are_places(self.people.raters):
            self.notes.append(PLACES)

    def _note_rest(self) -> None:
        if self.options.resamples:
            of = self._group_count(), self.options.group_noun
            self.notes += [*few_groups(*of), *alpha_notes(self.agreement, *of)]
            self._note_clusters()
            self._note_skew()
        if self.options.raters == "z" and self.reduced.constant_raters:
            self.notes.append(
                f"{counted(self.reduced.constant_raters, 'rater')} with one value throughout: 0 each "
                "time under 'z'"
            )
        self.notes += constant_note(self.raters, "ratings", "one value throughout")
        lost = self.people.replies.height - self.selected_people.replies.height
        if lost:
            self.notes.append(
                f"{counted(lost, 'reply', 'replies')} with no rating left after the filter"
            )
        self.notes += self._different_raters()
        if self.different_items():
            self.notes.append(
                "systems are rated on different items, which may be harder or easier: their means "
                "are not strictly comparable"
            )


def _mean_interval(
    values: Floats,
    groups: Groups | None,
    options: SummaryOptions,
    ends: tuple[float, float] | None = None,
) -> Interval:
    """The interval of a mean over items, of which a system has each once: see `mean_inference`.

    Where the ends of the scale are known, no interval leaves it, and passes and failures have Wilson's;
    see `mean_on_scale`.
    """
    number = values.size if groups is None else len(groups)
    if reason := too_few_groups(number, options.group_noun):
        return Interval.none(reason)
    if not options.resamples:
        return Interval.none()
    mean, interval, _ = mean_inference(values, groups or Groups.of(None, number))
    if not ends:
        return interval
    if interval.reason or are_ends(values, ends):
        return mean_on_scale(values, 0.0, ends, groups) or interval
    on_scale = None
    # Student's t, and where it is skewed
    for reach in sorted((mean - interval.low, interval.high - mean)):
        if not ends[0] <= interval.low <= interval.high <= ends[1]:
            on_scale = on_scale or mean_on_scale(values, reach, ends, groups)
    if on_scale is None:
        return interval
    low = interval.low if interval.low >= ends[0] else on_scale.low
    high = interval.high if interval.high <= ends[1] else on_scale.high
    return Interval(min(low, on_scale.low), max(high, on_scale.high))


def _design_effect(values: Floats, groups: Groups) -> float:
    """By how much clusters widen the variance of a mean; NaN where values do not vary."""
    plain = values.var(ddof=1) / values.size if values.size > 1 else 0.0
    return interval_variance(values, groups) / plain if plain > 0 else math.nan


def _clustering(values: Floats, groups: Groups | None) -> dict[str, Any]:
    """How many clusters a system's replies are in, and how much these widen its variance."""
    if groups is None:
        return {}
    return {"clusters": len(groups), "design_effect": _design_effect(values, groups)}
