"""The ratings of one criterion: who is judged how, who counts, and what follows for each system."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rejoinder.errors import InputError
from rejoinder.human_evaluation.rater_exclusion import (
    DROPPED,
    KEPT,
    Wish,
    nobody_left,
    verdict_notes,
)
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import counted, listed
from rejoinder.statistics.aggregation import aggregate
from rejoinder.statistics.alpha import (
    DIFFERENCES,
    alpha_interval,
    krippendorff_alpha,
    reason_no_alpha,
)
from rejoinder.statistics.conventions import too_few_groups
from rejoinder.statistics.intervals import Interval, few_groups
from rejoinder.statistics.kappa import (
    AgainstOthers,
    mean_kappa,
    pooled_kappa,
    reason_unjudged,
)
from rejoinder.statistics.raters import human_correlations
from rejoinder.statistics.standard_error import mean_half_width
from rejoinder.tables.pair_ratings import over_pairs

MEAN = "mean"

# Mean ratings this close together are equal but for rounding.
SAME = 1e-12
CORRELATIONS = ("pearson", "spearman")
SHARED = "replies"
"""What raters share, in words."""

ONLY_MEANS = "the single ratings behind the means are not known"
PLACES = (
    "the raters are called 1, 2, ...: if these are places in a list, and other people from item to "
    "item, kappa, Human (Avg), Human (Max), the filter and z-scores say nothing; alpha holds"
)


class Grid:
    """Ratings of one criterion as a matrix: replies in rows, raters in columns."""

    def __init__(self, table: pl.DataFrame) -> None:
        self.replies = table.select("system", "id").unique(maintain_order=True)
        self.raters = table.get_column("rater").unique(maintain_order=True).to_list()
        keyed = table.join(self.replies.with_row_index("row"), on=["system", "id"]).join(
            pl.DataFrame({"rater": self.raters}, schema={"rater": pl.String}).with_row_index(
                "column"
            ),
            on="rater",
        )
        self.values = np.full((self.replies.height, len(self.raters)), np.nan)
        rows, columns = (keyed.get_column(name).to_numpy() for name in ("row", "column"))
        self.values[rows, columns] = keyed.get_column("score").to_numpy()
        self.items = self.replies.get_column("id").to_numpy()
        self.given = table.height

    @cached_property
    def against(self) -> AgainstOthers:
        """Every rater's kappa against the others."""
        return pooled_kappa(self.values)


class Criterion:
    """One criterion: who is judged how, what is kept, and what follows.

    A rater's ratings of one reply in several pairs of systems are averaged first; ``single``,
    ``kept_single`` and the distribution of grades have them one by one.
    """

    def __init__(self, name: str, table: pl.DataFrame, wish: Wish) -> None:
        self.name, self.single, self.wish = name, table, wish
        self.table, self.notes = over_pairs(table)
        people = self.table.filter(pl.col("rater") != MEAN)
        self.only_means = not people.height
        self.people = Grid(people)
        self._note_means(people)
        self.judged = self._judge()
        dropped = [row["rater"] for row in self.judged if row["verdict"] == DROPPED]
        self.kept = self.table.filter(~pl.col("rater").is_in(dropped))
        self.kept_single = table.filter(~pl.col("rater").is_in(dropped))
        self.notes += verdict_notes(self.judged, wish, "rating")
        self.kept_people = self.people
        if dropped:
            self.kept_people = Grid(people.filter(~pl.col("rater").is_in(dropped)))
        self.grid = Grid(self.kept)
        self.reduced = aggregate(self.grid.values, wish.raters)
        self.agreement = self._agreement("all", self.people)
        if wish.drop:
            self.agreement += self._agreement(KEPT, self.kept_people)
        self._note_rest()

    def counts(self) -> dict[str, Any]:
        """How many of everything, before the filter."""
        table, grid = self.table, Grid(self.table)
        each = (~np.isnan(grid.values)).sum(axis=1)
        items, systems = (table.get_column(name).n_unique() for name in ("id", "system"))
        return {
            "criterion": self.name,
            "items": items,
            "systems": systems,
            "replies": each.size,
            "unrated": items * systems - each.size,
            "raters": len(self.people.raters),
            "ratings": table.height,
            "means": table.height - self.people.given,
            "missing": self.people.values.size - self.people.given,
            "fewest": int(each.min()),
            "most": int(each.max()),
            "low": self.single.get_column("score").min(),
            "high": self.single.get_column("score").max(),
        }

    def human(self) -> list[dict[str, Any]]:
        """Human (Avg) and Human (Max) of the raters that count."""
        rows = []
        for correlation in CORRELATIONS:
            told = human_correlations(self.kept_people.values, correlation, self.wish.least, SHARED)
            defined = ~np.isnan(told.each)
            best = self.kept_people.raters[int(np.nanargmax(told.each))] if defined.any() else None
            rows.append(
                {
                    "criterion": self.name,
                    "correlation": correlation,
                    "average": told.average,
                    "maximum": told.maximum,
                    "best": best,
                    "raters": int(defined.sum()),
                    "reason": ONLY_MEANS if self.only_means else told.reason,
                }
            )
        return rows

    def systems(self) -> list[dict[str, Any]]:
        """Mean, interval and spread of every system's aggregated ratings."""
        names = self.table.get_column("system").unique(maintain_order=True).to_list()
        of_reply = self.grid.replies.get_column("system").to_numpy()
        number = (~np.isnan(self.grid.values)).sum(axis=1)
        rows = []
        for name in names:
            own = of_reply == name
            values = self.reduced.values[own]
            interval = _mean_interval(values, self.wish)
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
                    "ratings": int(number[own].sum()),
                    "reason": interval.reason,
                }
            )
        return rows

    def distribution(self) -> pl.DataFrame:
        """How often each system got each grade."""
        counts = self.kept_single.group_by("system", "score", maintain_order=True).len("count")
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
        return self.grid.replies.select(
            "id",
            "system",
            pl.lit(self.wish.raters).alias("rater"),
            pl.lit(self.name).alias("criterion"),
            pl.Series("score", self.reduced.values, dtype=pl.Float64),
        )

    def _judge(self) -> list[dict[str, Any]]:
        against = self.people.against
        rows = []
        for place, rater in enumerate(self.people.raters):
            given = self.people.values[:, place]
            given = given[~np.isnan(given)]
            reason = reason_unjudged(against, place, self.wish.least, SHARED)
            rows.append(
                {
                    "criterion": self.name,
                    "rater": rater,
                    "ratings": given.size,
                    "mean": float(given.mean()),
                    "kappa": float(against.kappa[place]),
                    "shared": int(against.shared[place]),
                    "constant": bool(given.min() == given.max()),
                    "verdict": self.wish.verdict(float(against.kappa[place]), reason),
                    "reason": reason,
                }
            )
        if rows and all(row["verdict"] == DROPPED for row in rows):
            raise InputError(nobody_left("ratings", len(rows), self.name, self.wish))
        return rows

    def _agreement(self, which: str, grid: Grid) -> list[dict[str, Any]]:
        values = grid.values
        no_alpha = ONLY_MEANS if self.only_means else reason_no_alpha(values)
        n = int(((~np.isnan(values)).sum(axis=1) > 1).sum())
        rows = []
        for kind in DIFFERENCES:
            alpha, interval = math.nan, Interval.none(no_alpha)
            if not no_alpha:
                alpha = krippendorff_alpha(values, kind)
                interval = self._alpha_interval(grid, kind)
            row = {"criterion": self.name, "raters": which, "measure": f"alpha {kind}"}
            rows.append(
                row
                | {"value": alpha, "low": interval.low, "high": interval.high, "n": n}
                | {"reason": interval.reason}
            )
        mean = mean_kappa(grid.against, self.wish.least, SHARED)
        row = {"criterion": self.name, "raters": which, "measure": "kappa"}
        reason = ONLY_MEANS if self.only_means else mean.reason
        ends = {"low": math.nan, "high": math.nan, "n": mean.judged, "reason": reason}
        return [*rows, row | {"value": mean.value} | ends]

    def _alpha_interval(self, grid: Grid, kind: str) -> Interval:
        if not self.wish.resamples:
            return Interval.none()
        return alpha_interval(grid.values, kind, grid.items)

    def _note_means(self, people: pl.DataFrame) -> None:
        means = self.table.height - people.height
        if means and people.height:
            self.notes.append(
                f"{counted(means, 'mean')} of raters whose single ratings are not known: left out of "
                "agreement, kept in the systems' means"
            )
        numbers = [str(place + 1) for place in range(len(self.people.raters))]
        if len(numbers) > 1 and sorted(self.people.raters, key=_number) == numbers:
            self.notes.append(PLACES)

    def _note_rest(self) -> None:
        if self.wish.resamples:
            self.notes += few_groups(self.table.get_column("id").n_unique(), "items")
        if self.wish.raters == "z" and self.reduced.constant_raters:
            self.notes.append(
                f"{counted(self.reduced.constant_raters, 'rater')} with one value throughout: 0 each "
                "time under 'z'"
            )
        constant = [row["rater"] for row in self.judged if row["constant"] and row["ratings"] > 1]
        if constant:
            self.notes.append(
                f"{counted(len(constant), 'rater')} with one value throughout: {listed(constant)}"
            )
        lost = self.people.replies.height - self.kept_people.replies.height
        if lost:
            self.notes.append(
                f"{counted(lost, 'reply', 'replies')} with no rating left after the filter"
            )
        systems = self.table.get_column("system").n_unique()
        if self.grid.replies.height < systems * self.grid.replies.get_column("id").n_unique():
            self.notes.append(
                "systems are rated on different items, which may be harder or easier: their means "
                "are not strictly comparable"
            )


def _mean_interval(values: Floats, wish: Wish) -> Interval:
    """The interval of a mean over items, of which a system has each once: ``mean +- t s / sqrt(n)``.

    t has n - 1 degrees of freedom.
    """
    if reason := too_few_groups(values.size, "items"):
        return Interval.none(reason)
    if not wish.resamples:
        return Interval.none()
    if np.ptp(values) <= SAME:
        reason = "all items have the same rating, which is no certainty"
        return Interval.none(reason)
    mean, reach = float(values.mean()), mean_half_width(values)
    return Interval(mean - reach, mean + reach)


def _number(text: str) -> tuple[int, str]:
    return (int(text), text) if text.isdecimal() else (0, text)
