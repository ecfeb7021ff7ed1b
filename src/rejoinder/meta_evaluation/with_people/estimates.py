"""The tables of pairs of systems: their differences, a judge's errors, and ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from rejoinder.human_evaluation.grades import SCALE, Scale
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import counted, listed, quoted
from rejoinder.meta_evaluation.with_people.families import Correction, Families
from rejoinder.meta_evaluation.with_people.replies import RepliesWithRatings
from rejoinder.scoring.ranks import ranges
from rejoinder.statistics.combined_predictions import FOLDS, combined_predictions, folds_of
from rejoinder.statistics.confidence_sequence import FIRST_LOOK, at_any_time, quantile_at
from rejoinder.statistics.conventions import LEVEL, NO_SPREAD
from rejoinder.statistics.holm import SIGNIFICANT
from rejoinder.statistics.intervals import Interval
from rejoinder.statistics.mean_difference import paired_difference
from rejoinder.statistics.prediction_powered import (
    FEWEST_CORRECTED,
    FEWEST_LABELLED,
    CorrectedMean,
    corrected_mean,
    labels_saved,
)
from rejoinder.statistics.student import t_quantile

PEOPLE, CORRECTED = "people", "corrected"
"""What a difference rests on, beside the names of judges."""

PAIRS = {
    "a": pl.String, "b": pl.String, "by": pl.String, "difference": pl.Float64, "low": pl.Float64,
    "high": pl.Float64, "p": pl.Float64, "p_holm": pl.Float64, "rated": pl.Int64,
    "items": pl.Int64, "weight": pl.Float64, "saved": pl.Float64, "reason": pl.String,
}  # fmt: skip
"""The table of pairs."""

ERRORS = {
    "a": pl.String, "b": pl.String, "judge": pl.String, "error": pl.Float64, "low": pl.Float64,
    "high": pl.Float64, "p": pl.Float64, "p_holm": pl.Float64, "rated": pl.Int64,
    "reason": pl.String,
}  # fmt: skip
"""The table of a judge's errors."""

LEAST_SPAN = 0.5
"""A judge whose scores span less than this share of the ratings' scale is on another scale."""

RARE, MANY = 0.05, 60
"""Failures in such a share of the replies are seen in nearly every sample of so many items."""

BEYOND = 0.25
"""So far beyond the ratings given, as a share of their span, a scale that is not known may reach."""

ALL_SCORED = "a judge has scores of every item, so that its difference on these items is known"
"""Why a judge alone has no interval over a fixed set of items."""

RANKS = {
    "by": pl.String, "system": pl.String, "difference": pl.Float64, "best_rank": pl.Int64,
    "worst_rank": pl.Int64, "group": pl.Int64, "letters": pl.String,
}  # fmt: skip
"""The table of ranks."""


def estimates(
    replies: RepliesWithRatings,
    pairs: Sequence[tuple[int, int]],
    seed: int,
    anytime: bool = False,
    correction: Correction = "holm",
    fixed: bool = False,
) -> tuple[pl.DataFrame, list[str]]:
    """The table of pairs, and notes on intervals that are more than Student's t.

    Args:
        replies: The replies.
        pairs: The pairs of systems, by their places.
        seed: Of the folds.
        anytime: Whether the intervals that ratings come into hold at every look.
        correction: ``max``: with the column ``p_max`` too.
        fixed: Whether the intervals are of these items, and not of new ones.
    """
    families = Families(replies, correction, seed)
    corrected = combined_differences(replies, pairs, seed)
    rows: list[dict[str, Any]] = []
    means: list[tuple[str, CorrectedMean, CorrectedMean]] = []
    for (a, b), prediction in zip(pairs, corrected, strict=True):
        items = replies.items_of(a, b)
        labels = replies.labels_of(a, b)[items]
        names = {"a": replies.systems[a], "b": replies.systems[b]}
        facts = names | {"rated": int(np.isfinite(labels).sum()), "items": items.size}
        if facts["rated"]:
            probabilities = replies.probabilities_of(a, b)
            given = (
                replies.group[items],
                None if probabilities is None else probabilities[items],
                replies.single_of(a, b),
            )
            more = {"fixed": fixed, "room": replies.room(a, b)}
            alone = corrected_mean(labels, prediction[items], *given, weight=0.0, **more)
            ours = corrected_mean(labels, prediction[items], *given, **more)
            means.append((f"'{replies.systems[a]}' and '{replies.systems[b]}'", alone, ours))
        else:
            alone = ours = _NOT_RATED
        if anytime:
            alone, ours = at_any_time(alone), at_any_time(ours)
        fewest = FIRST_LOOK if anytime else FEWEST_LABELLED
        rows.append(facts | {"by": PEOPLE} | _of_mean(alone, replies.groups_are, fewest))
        families.add(items, alone)
        for place, label in enumerate(replies.labels):
            rows.append(facts | {"by": label} | _judge_alone(replies, a, b, place, items, fixed))
            families.add_judge(items, replies.predictions_of(a, b)[place, items])
        more = {"weight": ours.weight, "saved": labels_saved(ours, alone)}
        rows.append(facts | {"by": CORRECTED} | _of_mean(ours, replies.groups_are, fewest) | more)
        families.add(items, ours)
    table = families.corrected(pl.DataFrame(rows, schema=PAIRS, orient="row"), "by")
    return table, _notes(replies, means, anytime)


def _notes(
    replies: RepliesWithRatings,
    means: Sequence[tuple[str, CorrectedMean, CorrectedMean]],
    anytime: bool,
) -> list[str]:
    """What intervals allow for beside Student's t, and where the judge or its scores are not used."""
    items, ends = replies.groups_are, _ends(replies)
    kinds = {
        f"with fewer than {FEWEST_CORRECTED} rated {items}: the judge is not used there, and the corrected "
        "difference is people's": lambda alone, _: alone.groups < FEWEST_CORRECTED,
        "whose ratings follow the ranks of the judge's differences more closely than these: the ranks are "
        f"used. With 20 rated {items} that leaves out the truth in up to 9 of 100 studies": lambda _, ours: (
            ours.ranked and ours.weight != 0
        ),
    }
    notes = [
        f"{counted(len(these), 'pair')} of {len(means)}, such as {these[0]}, {text}"
        for text, holds in kinds.items()
        if (these := [name for name, *both in means if holds(*both)])
    ]
    notes += _beyond_t(replies, means, anytime, "pair")
    fewest = min((alone.groups for _, alone, _ in means), default=MANY)
    if fewest < MANY and not replies.scale:
        allowed = (
            f"intervals allow for failures within the grades given, {ends}"
            if replies.ends
            else "the grades are no whole numbers, so that their ends are not known, and intervals do not "
            "allow for such failures"
        )
        notes.append(
            f"{fewest} rated {items} show no failure in {100 * (1 - RARE) ** fewest:.0f} of 100 studies of a "
            f"system that fails in 1 of 20 replies; {allowed} ({SCALE} names the ends)"
        )
    return notes


def _ends(replies: RepliesWithRatings) -> str:
    return "{:g} to {:g}".format(*replies.ends) if replies.ends else "no known end"


def _beyond_t(
    replies: RepliesWithRatings,
    means: Sequence[tuple[str, *tuple[CorrectedMean, ...]]],
    anytime: bool,
    noun: str,
) -> list[str]:
    """Which of the named estimates reach further than Student's t, and why."""
    items = replies.groups_are

    def unseen(mean: CorrectedMean) -> bool:
        t = quantile_at(mean.groups, mean.df) if anytime else t_quantile(LEVEL, mean.df)
        return mean.interval.reason is None and mean.tails.unseen(mean.error, t)

    kinds: dict[str, Callable[[CorrectedMean], object]] = {
        "with strongly skewed differences: the interval reaches further to that side. With 10 rated "
        f"{items} it still leaves out the truth in up to 19 of 100 studies, with 20 in up to 14 (lognormal "
        "differences, or a judge that follows their exponential)": lambda mean: mean.tails.skewness,
        f"whose differences vary little beside the scale from {_ends(replies)}: the interval allows for "
        f"failures that none of the rated {items} shows": unseen,
    }
    return [
        f"{counted(len(these), noun)} of {len(means)}, such as {these[0]}, {text}"
        for text, holds in kinds.items()
        if (these := [name for name, *each in means if any(map(holds, each))])
    ]


def combined_differences(
    replies: RepliesWithRatings, pairs: Sequence[tuple[int, int]], seed: int
) -> Floats:
    """One prediction of each pair's differences, of all judges: float64 [P, n]."""
    labels = np.stack([replies.labels_of(a, b) for a, b in pairs])
    predictions = np.stack([replies.predictions_of(a, b).T for a, b in pairs])
    clusters = int(replies.group.max()) + 1
    rated = np.unique(replies.group[np.isfinite(labels).any(axis=0)])
    folds = np.zeros(clusters, dtype=np.int64)
    folds[rated] = folds_of(rated.size, FOLDS, np.random.default_rng([seed, 1]))
    systems = len({place for pair in pairs for place in pair})
    return combined_predictions(labels, predictions, replies.group, folds, systems)


def _judge_alone(
    replies: RepliesWithRatings, a: int, b: int, place: int, items: np.ndarray, fixed: bool
) -> dict[str, Any]:
    """What a judge says of a pair by itself."""
    if not items.size:
        return {"difference": np.nan, "low": np.nan, "high": np.nan, "p": np.nan,
                "reason": "no item has scores of both"}  # fmt: skip
    clusters = replies.group[items] if replies.groups_are == "clusters" else None
    differences = replies.predictions_of(a, b)[place, items]
    value, interval, p = paired_difference(differences, clusters)
    if fixed:
        interval, p = Interval.none(ALL_SCORED), np.nan
    ends = {"low": interval.low, "high": interval.high, "reason": interval.reason}
    return {"difference": value, "p": p} | ends


def errors(
    replies: RepliesWithRatings,
    pairs: Sequence[tuple[int, int]],
    table: pl.DataFrame,
    scale: Scale | None,
    seed: int,
    anytime: bool = False,
    correction: Correction = "holm",
    fixed: bool = False,
) -> tuple[pl.DataFrame, list[str]]:
    """The table of errors, and a note on judges that have none."""
    rows, others, equal, means = [], [], [], []
    families = Families(replies, correction, seed)
    for place, label in enumerate(replies.labels):
        values = replies.values[place][replies.rated]
        if np.ptp(values) <= NO_SPREAD:
            equal.append(label)
            continue
        if not on_scale(values, table, scale):
            others.append(label)
            continue
        for a, b in pairs:
            labels = replies.labels_of(a, b) - replies.predictions_of(a, b)[place]
            items = replies.items_of(a, b)
            row: dict[str, Any] = {"a": replies.systems[a], "b": replies.systems[b], "judge": label}
            row["rated"] = int(np.isfinite(labels).sum())
            mean = _NOT_RATED
            if row["rated"]:
                probabilities = replies.probabilities_of(a, b)
                mean = corrected_mean(
                    labels[items],
                    np.zeros(items.size),
                    replies.group[items],
                    None if probabilities is None else probabilities[items],
                    replies.single_of(a, b),
                    weight=0.0,
                    fixed=fixed,
                    room=replies.room(a, b),
                )
                names = f"{quoted(label)} in {quoted(row['a'])} and {quoted(row['b'])}"
                means.append((names, mean))
            if anytime:
                mean = at_any_time(mean)
            fewest = FIRST_LOOK if anytime else FEWEST_LABELLED
            of_mean = _of_mean(mean, replies.groups_are, fewest)
            value, low, high = (0.0 - of_mean.pop(name) for name in ("difference", "high", "low"))
            rows.append(row | {"error": value, "low": low, "high": high} | of_mean)
            families.add(items, mean)
    notes = _beyond_t(replies, means, anytime, "error of a judge")
    if equal:
        notes.append(
            f"no test of the error of {listed(equal)}: all its scores of rated replies are equal, so that "
            "they tell no reply from another"
        )
    if others:
        notes.append(
            f"no test of the error of {listed(others)}: its scores are not on the scale of the ratings "
            f"({SCALE} names that scale)"
        )
    return families.corrected(pl.DataFrame(rows, schema=ERRORS, orient="row"), "judge"), notes


def on_scale(values: Floats, table: pl.DataFrame, scale: Scale | None) -> bool:
    """Whether the scores of a judge can be subtracted from ratings."""
    grades = table.get_column("score").to_numpy()
    low, high = scale or (float(grades.min()), float(grades.max()))
    more = 0.0 if scale else BEYOND * (high - low)
    inside = values.min() >= low - more and values.max() <= high + more
    return bool(inside and np.ptp(values) >= LEAST_SPAN * (high - low))


_NOT_RATED = replace(corrected_mean(np.zeros(1), np.zeros(1)), value=np.nan, labelled=0, groups=0)
"""Of a pair that is rated on no common item."""


def _of_mean(mean: CorrectedMean, groups_are: str, fewest: int) -> dict[str, Any]:
    """The columns of an estimate, which has an interval from the fewest rated clusters on."""
    reason = mean.interval.reason
    if mean.groups < fewest:
        reason = f"{mean.groups} rated {groups_are}; expected {fewest} or more"
    return {
        "difference": mean.value,
        "low": mean.interval.low,
        "high": mean.interval.high,
        "p": mean.p,
        "reason": reason,
    }


def system_ranks(systems: Sequence[str], pairs: pl.DataFrame, p: str = "p_holm") -> pl.DataFrame:
    """The range of ranks of every system, by people and corrected, from the p-values of a column."""
    tables = []
    place = {name: i for i, name in enumerate(systems)}
    for by in (PEOPLE, CORRECTED):
        better = np.zeros((len(systems), len(systems)), dtype=np.bool_)
        apart = np.full(better.shape, np.nan)
        for row in pairs.filter(pl.col("by") == by).iter_rows(named=True):
            a, b = place[row["a"]], place[row["b"]]
            apart[a, b], apart[b, a] = row["difference"], -row["difference"]
            if row[p] < SIGNIFICANT:
                winner, loser = (a, b) if row["difference"] > 0 else (b, a)
                better[winner, loser] = True
        known = np.isfinite(apart)
        number = np.maximum(1, known.sum(axis=1))
        values = np.where(
            known.any(axis=1), np.where(known, apart, 0.0).sum(axis=1) / number, np.nan
        )
        order = np.argsort(np.where(np.isnan(values), np.inf, -values), kind="stable")
        columns = {"by": [by] * len(systems), "system": [systems[s] for s in order]}
        columns |= {"difference": values[order], **ranges(better, order)}
        tables.append(pl.DataFrame(columns, schema=RANKS))
    return pl.concat(tables)
