"""The tables of pairs of systems: their differences, a judge's errors, and ranks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from rejoinder.document.numbers import p_value
from rejoinder.human_evaluation.by_people.estimates import (
    MANY,
    beyond_t,
    mean_difference,
    ranks_of_pairs,
    row_of,
    unseen_failures,
)
from rejoinder.human_evaluation.by_people.families import Correction, Families
from rejoinder.human_evaluation.grades import SCALE, Scale
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import SIGNIFICANT, among, listed, pair_name, quoted
from rejoinder.meta_evaluation.with_people.replies import RepliesWithRatings
from rejoinder.progress import steps
from rejoinder.statistics.combined_predictions import FOLDS, combined_predictions, folds_of
from rejoinder.statistics.confidence_sequence import at_any_time
from rejoinder.statistics.conventions import NO_SPREAD
from rejoinder.statistics.intervals import Interval
from rejoinder.statistics.mean_difference import paired_difference
from rejoinder.statistics.prediction_powered import (
    FEWEST_CORRECTED,
    CorrectedMean,
    labels_saved,
)

PEOPLE, CORRECTED = "people", "corrected"
"""What a difference rests on, beside the names of judges."""

PREFERS = "significantly prefers"
"""What stands behind the name of a judge that contradicts people."""

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

OFF_SCALE = "its scores are not on the scale of the ratings"
"""The words of a note, which claims keep."""

BEYOND = 0.25
"""So far beyond the ratings given, as a share of their span, a scale that is not known may reach."""

RANKS = {
    "by": pl.String, "system": pl.String, "difference": pl.Float64, "best_rank": pl.Int64,
    "worst_rank": pl.Int64, "group": pl.Int64, "letters": pl.String,
}  # fmt: skip
"""The table of ranks."""

ALL_SCORED = "a judge has scores of every item, so that its difference on these items is known"
"""Why a judge alone has no interval over a fixed set of items."""


def estimates(
    replies: RepliesWithRatings,
    pairs: Sequence[tuple[int, int]],
    seed: int,
    anytime: bool = False,
    correction: Correction = "holm",
    fixed: bool = False,
) -> tuple[pl.DataFrame, list[str], bool]:
    """The table of pairs, notes on intervals that are more than Student's t, and whether ranks are used.

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
    for (a, b), prediction in steps(zip(pairs, corrected, strict=True), len(pairs)):
        items = replies.items_of(a, b)
        alone = mean_difference(replies, a, b, fixed=fixed)
        ours = mean_difference(replies, a, b, prediction, fixed)
        names = {"a": replies.systems[a], "b": replies.systems[b]}
        facts: dict[str, Any] = names | {"rated": alone.labelled, "items": items.size}
        if anytime:
            alone, ours = at_any_time(alone), at_any_time(ours)
        if alone.labelled:
            means.append((pair_name(**names), alone, ours))
        given = replies.groups_are, anytime, replies.widest
        rows.append(facts | {"by": PEOPLE} | row_of(alone, *given))
        families.add(items, alone)
        for place, label in enumerate(replies.labels):
            rows.append(facts | {"by": label} | _judge_alone(replies, a, b, place, items, fixed))
            families.add_judge(items, replies.predictions_of(a, b)[place, items])
        more = {"weight": ours.weight, "saved": labels_saved(ours, alone)}
        rows.append(facts | {"by": CORRECTED} | row_of(ours, *given) | more)
        families.add(items, ours)
    table = families.corrected(pl.DataFrame(rows, schema=PAIRS, orient="row"), "by")
    ranked = any(ours.ranked and ours.weight != 0 for *_, ours in means)
    return table, _notes(replies, means, anytime), ranked


def _notes(
    replies: RepliesWithRatings,
    means: Sequence[tuple[str, CorrectedMean, CorrectedMean]],
    anytime: bool,
) -> list[str]:
    """What intervals allow for beside Student's t, and where the judge or its scores are not used."""
    items = replies.groups_are
    kinds = {
        f"the judge is not used with fewer than {FEWEST_CORRECTED} rated {items}, and the corrected "
        "difference is people's": lambda alone, _: alone.groups < FEWEST_CORRECTED,
        "the ranks of the judge's differences are used, since ratings follow them more closely than the "
        f"differences. With 20 rated {items} that leaves out the truth in up to 9 of 100 studies": (
            lambda _, ours: ours.ranked and ours.weight != 0
        ),
    }
    notes = [
        f"{among(these, len(means))}: {text}"
        for text, holds in kinds.items()
        if (these := [name for name, *both in means if holds(*both)])
    ]
    notes += beyond_t(replies, means, anytime)
    fewest = min((alone.groups for _, alone, _ in means), default=MANY)
    return notes + unseen_failures(replies, fewest)


def combined_differences(
    replies: RepliesWithRatings, pairs: Sequence[tuple[int, int]], seed: int
) -> Floats:
    """One prediction of each pair's differences, of all judges: float64 [P, n].

    Args:
        replies: The replies of which some are rated.
        pairs: The pairs of systems, P, by their places.
        seed: Random seed.
    """
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
    """The table of errors, and a note on judges that have none.

    Args:
        replies: The replies of which some are rated.
        pairs: The pairs of systems, by their places.
        table: The ratings.
        scale: The worst and the best grade that could be given; None: those that were given.
        seed: Random seed.
        anytime: Whether the intervals hold at every look.
        correction: How p is corrected over pairs, ``holm`` or ``max``.
        fixed: Whether raters are the only ones, and no sample.
    """
    rows, others, equal, means = [], [], [], []
    families = Families(replies, correction, seed)
    for place, label in steps(enumerate(replies.labels), len(replies.labels)):
        values = replies.values[place][replies.rated]
        if np.ptp(values) <= NO_SPREAD:
            equal.append(label)
            continue
        if not on_scale(values, table.get_column("score").to_numpy(), scale):
            others.append(label)
            continue
        for a, b in pairs:
            less = replies.predictions_of(a, b)[place]
            mean = mean_difference(replies, a, b, fixed=fixed, less=less)
            mean = at_any_time(mean) if anytime else mean
            names = {"a": replies.systems[a], "b": replies.systems[b]}
            if mean.labelled:
                means.append((f"{quoted(label)} in {pair_name(**names)}", mean))
            of_mean = row_of(mean, replies.groups_are, anytime)
            value, low, high = (0.0 - of_mean.pop(name) for name in ("difference", "high", "low"))
            row = names | {"judge": label, "rated": mean.labelled, "error": value}
            rows.append(row | {"low": low, "high": high} | of_mean)
            families.add(replies.items_of(a, b), mean)
    notes = beyond_t(replies, means, anytime, of_errors=True)
    if equal:
        notes.append(
            f"no test of the error of {listed(equal)}: all its scores of rated replies are equal, so that "
            "they do not distinguish replies"
        )
    if others:
        notes.append(
            f"no test of the error of {listed(others)}: {OFF_SCALE} ({SCALE} names that scale)"
        )
    return families.corrected(pl.DataFrame(rows, schema=ERRORS, orient="row"), "judge"), notes


def on_scale(values: Floats, grades: Floats, scale: Scale | None) -> bool:
    """Whether the scores of a judge can be subtracted from ratings.

    Args:
        values: The scores of the judge.
        grades: The single ratings.
        scale: The worst and the best grade that could be given; None: those that were given.
    """
    low, high = scale or (float(grades.min()), float(grades.max()))
    more = 0.0 if scale else BEYOND * (high - low)
    inside = values.min() >= low - more and values.max() <= high + more
    return bool(inside and np.ptp(values) >= LEAST_SPAN * (high - low))


def preferences(replies: RepliesWithRatings, seed: int) -> pl.DataFrame:
    """The rows of people alone and of each judge alone in the table of all pairs.

    Args:
        replies: The replies of which some are rated.
        seed: Random seed.
    """
    rows, families = [], Families(replies, "holm", seed)
    for a, b in combinations(range(len(replies.systems)), 2):
        items, alone = replies.items_of(a, b), mean_difference(replies, a, b)
        names = {"a": replies.systems[a], "b": replies.systems[b]}
        names |= {"rated": alone.labelled, "items": items.size}
        rows.append(names | {"by": PEOPLE} | row_of(alone, replies.groups_are, False))
        for place, label in enumerate(replies.labels):
            rows.append(names | {"by": label} | _judge_alone(replies, a, b, place, items, False))
    return families.corrected(pl.DataFrame(rows, schema=PAIRS, orient="row"), "by")


def contradictions(pairs: pl.DataFrame, judges: Sequence[str], p: str = "p_holm") -> dict[str, str]:
    """By judge what follows `PREFERS` where people significantly prefer the other system of a pair.

    Args:
        pairs: The table of pairs.
        judges: Those that rank systems.
        p: The column of the p-values that say which pairs differ.
    """
    clear, words = pairs.filter(pl.col(p) < SIGNIFICANT), {}
    people = clear.filter(by=PEOPLE)
    both = clear.join(people, on=["a", "b"], suffix="_people", maintain_order="left")
    opposed = both.filter(pl.col("difference") * pl.col("difference_people") < 0).sort(p)
    for judge in judges:
        for row in (rows := opposed.filter(by=judge)).head(1).to_dicts():
            one, other = (row["a"], row["b"])[:: 1 if row["difference"] > 0 else -1]
            p_judge, p_people = p_value(row[p]), p_value(row[f"{p}_people"])
            more = (
                f"; the same holds in {rows.height} of {people.height} pairs that people tell apart"
            )
            words[judge] = (
                f"{one} to {other} (p {p_judge}, {row['items']} items), and people {other} to {one} "
                f"(p {p_people}, {row['rated']} rated items){more * (people.height > 1)}"
            )
    return words


def system_ranks(systems: Sequence[str], pairs: pl.DataFrame, p: str = "p_holm") -> pl.DataFrame:
    """The range of ranks of every system, by people and corrected, from the p-values of a column.

    Args:
        systems: The names of the systems.
        pairs: The table of pairs, with a column ``by``.
        p: The column of the p-values.
    """
    tables = []
    for by in (PEOPLE, CORRECTED):
        columns = ranks_of_pairs(systems, pairs.filter(pl.col("by") == by), p)
        tables.append(pl.DataFrame({"by": [by] * len(systems), **columns}, schema=RANKS))
    return pl.concat(tables)
