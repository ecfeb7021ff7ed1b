"""People's differences of systems: what a pair's row holds, what widens its interval, and ranks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from rejoinder.human_evaluation.by_people.replies import RatedReplies
from rejoinder.human_evaluation.grades import SCALE
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import among, counted
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.confidence_sequence import FIRST_LOOK, quantile_at
from rejoinder.statistics.conventions import LEVEL
from rejoinder.statistics.holm import SIGNIFICANT
from rejoinder.statistics.mean_difference import unpaired_influence
from rejoinder.statistics.prediction_powered import (
    FEWEST_LABELLED,
    CorrectedMean,
    corrected_mean,
)
from rejoinder.statistics.rank_ranges import ranges
from rejoinder.statistics.rater_variance import NO_RATERS, rater_variance
from rejoinder.statistics.skewed_mean import Tails, skewness_of
from rejoinder.statistics.student import t_quantile

RARE, MANY = 0.05, 60
"""Failures in such a share of the replies are seen in nearly every sample of so many items."""

FEW = 15
"""Fewer items miss a difference of 0.8 standard deviations in more than 20 of 100 studies (t test, 5%)."""

WEIGHTED = "the systems share no item, and items were drawn with probabilities of their own"
"""Why an unpaired difference has no interval."""

NOT_RATED = replace(corrected_mean(np.zeros(1), np.zeros(1)), value=np.nan, labelled=0, groups=0)
"""Of a pair that is rated on no common item."""


def mean_difference(
    replies: RatedReplies,
    a: int,
    b: int,
    predictions: Floats | None = None,
    fixed: bool = False,
    less: Floats | None = None,
) -> CorrectedMean:
    """People's mean difference of two systems, over the items of both.

    Args:
        replies: The replies.
        a: The place of the first system.
        b: That of the second.
        predictions: float64 [n], of the difference on each item, which correct the mean; None: the rated
            items alone.
        fixed: Whether the interval is of these items, and not of new ones.
        less: float64 [n], what is taken off people's difference on each item, such as a judge's; None:
            nothing.
    """
    items = replies.items_of(a, b)
    labels = (replies.labels_of(a, b) - replies.severity_of(a, b).labels)[items]
    labels = labels if less is None else labels - less[items]
    if not np.isfinite(labels).any():
        return NOT_RATED
    probabilities = replies.probabilities_of(a, b)
    return corrected_mean(
        labels,
        np.zeros(items.size) if predictions is None else predictions[items],
        replies.group[items],
        None if probabilities is None else probabilities[items],
        replies.single_of(a, b),
        weight=0.0 if predictions is None else None,
        fixed=fixed,
        room=replies.room(a, b),
    )


def unpaired_difference(replies: RatedReplies, a: int, b: int) -> CorrectedMean:
    """The difference of two systems' mean ratings over items of their own: they share none.

    Its ``groups`` are those of the system that has fewer.

    Args:
        replies: The replies.
        a: The place of the first system.
        b: That of the second.
    """
    rated = [np.flatnonzero(replies.rated[system]) for system in (a, b)]
    values = [replies.ratings[system, items] for system, items in zip((a, b), rated, strict=True)]
    if not all(each.size for each in rated):
        return NOT_RATED
    groups = [replies.group[each] for each in rated] if replies.groups_are == "clusters" else []
    influence, df, reason, counts = unpaired_influence(*values, *groups)
    if not groups:  # a's items, then b's: into the order of their numbers, as clusters are
        influence = influence[np.argsort(np.concatenate(rated))]
    if replies.probabilities is not None:
        reason = WEIGHTED
    fewer = min(np.unique(replies.group[each]).size for each in rated)
    items = replies.rated_items(a, b)
    variance = float((influence**2).sum())
    if (single := replies.single_of(a, b)) is not None and reason is None:
        share = 1 / np.where(replies.rated[a, items], rated[0].size, rated[1].size)
        clusters = Groups.of(replies.group[items], items.size)
        of_raters = rater_variance(single, clusters, share, np.zeros(items.size))
        variance, df = of_raters.beside(variance, df)
        reason = NO_RATERS if of_raters.scope == "no raters" else None
    if fewer < FEWEST_LABELLED:
        reason = f"fewer than {FEWEST_LABELLED} rated {replies.groups_are} of one of the systems"
    value, error = float(replies.means[a] - replies.means[b]), math.sqrt(variance)
    tails = Tails(skewness_of(influence, error, df + 1, counts))
    facts = error, 0.0, 0, fewer, df, influence, tails
    return CorrectedMean(*tails.inference(value, error, df, reason), *facts)


def row_of(
    mean: CorrectedMean, groups_are: str, anytime: bool, widest: float = math.inf
) -> dict[str, Any]:
    """The columns of an estimate, which has an interval from the fewest rated clusters on.

    Of an unpaired difference, of which no item has both labels, each system has as many. An interval ends
    where a given scale does: no difference of grades lies beyond.

    Args:
        mean: The estimate.
        groups_are: What the clusters are called.
        anytime: Whether its interval holds at every look.
        widest: The greatest difference that there can be.
    """
    fewest = FIRST_LOOK if anytime else FEWEST_LABELLED
    reason = mean.interval.reason
    if mean.groups < fewest:
        unpaired = mean.groups and not mean.labelled
        of_one, of_each = (" of one of the systems", " of each") if unpaired else ("", "")
        rated = counted(mean.groups, f"rated {groups_are.removesuffix('s')}")
        reason = f"{rated}{of_one}; expected {fewest} or more{of_each}"
    return {
        "difference": mean.value,
        "low": max(mean.interval.low, -widest),
        "high": min(mean.interval.high, widest),
        "p": mean.p,
        "reason": reason,
    }


def ends_of(replies: RatedReplies) -> str:
    """The ends of the scale, in words."""
    return "{:g} to {:g}".format(*replies.ends) if replies.ends else "no known end"


def beyond_t(
    replies: RatedReplies,
    means: Sequence[tuple[str, *tuple[CorrectedMean, ...]]],
    anytime: bool,
    of_errors: bool = False,
) -> list[str]:
    """Which of the named estimates reach further than Student's t, and why.

    Args:
        replies: The replies that people rated.
        means: The estimates, each behind its name, with the intervals that are printed.
        anytime: Whether the intervals hold at every look.
        of_errors: Whether these are errors of judges, and not differences of systems.
    """
    items = replies.groups_are

    def unseen(mean: CorrectedMean) -> bool:
        t = quantile_at(mean.groups, mean.df) if anytime else t_quantile(LEVEL, mean.df)
        return mean.tails.unseen(mean.error, t)

    kinds: dict[str, Callable[[CorrectedMean], object]] = {
        "the differences are strongly skewed, and the interval reaches further to that side. With 10 rated "
        f"{items} it still leaves out the truth in up to 19 of 100 studies, with 20 in up to 14 (lognormal "
        "differences, or a judge that follows their exponential)": lambda mean: mean.tails.skewness,
        f"the differences vary little beside the scale from {ends_of(replies)}, and the interval allows for "
        f"failures that none of the rated {items} shows": unseen,
    }
    if replies.ends and not of_errors:
        wide = (
            f"ends where the scale does ({ends_of(replies)})"
            if replies.scale
            else f"reaches beyond the grades given ({ends_of(replies)}), and would end where a scale does "
            f"that {SCALE} names"
        )
        span = replies.ends[1] - replies.ends[0]
        kinds[
            f"the interval {wide}. It says little about the difference; more raters, or more items, would "
            "say more"
        ] = lambda mean: max(-mean.interval.low, mean.interval.high) > span
    shown = [(name, *(m for m in each if m.interval.reason is None)) for name, *each in means]
    return [
        f"{among(these, len(means), 'errors of judges' if of_errors else 'pairs')}: {text}"
        for text, holds in kinds.items()
        if (these := [name for name, *each in shown if any(map(holds, each))])
    ]


def unseen_failures(replies: RatedReplies, fewest: int) -> list[str]:
    """A note on how often so few rated items show no failure of a system that fails now and then."""
    if fewest >= MANY or replies.scale:
        return []
    clusters = replies.groups_are == "clusters"
    rated = counted(fewest, f"rated {'cluster' if clusters else 'item'}")
    allowed = (
        f"intervals allow for failures within the grades given, {ends_of(replies)}"
        if replies.ends
        else "the grades are no whole numbers, so that their ends are not known, and intervals do not "
        "allow for such failures"
    )
    return [
        f"with {rated}, {100 * (1 - RARE) ** fewest:.0f} of 100 studies see no failure of a system that "
        f"fails in 1 of 20 {'clusters' if clusters else 'replies'}; {allowed} ({SCALE} names the ends)"
    ]


def missed(pairs: pl.DataFrame, p: str) -> list[str]:
    """What a tie of few items says: they miss a large difference, too. Claims keep a verdict, and not this.

    Args:
        pairs: A row for each pair: ``rated`` and its p-value.
        p: The column of the p-values that say which pairs differ.

    >>> missed(pl.DataFrame({"rated": [10, 40], "p": [0.2, 0.9]}), "p")[0][:45]
    '10 items are few: fewer than 15 miss even a d'
    """
    tested = pairs.filter(pl.col(p).is_not_nan())
    unclear = tested.filter((pl.col(p) >= SIGNIFICANT) & pl.col("rated").is_between(1, FEW - 1))
    rated: list[int] = sorted(unclear.get_column("rated").to_list())
    if not rated:
        return []
    return [
        f"{rated[0]} items are few: fewer than {FEW} miss even a difference of 0.8 standard deviations in "
        "more than 20 of 100 studies, so that a tie here does not say that systems are alike"
    ]


def ranks_of_pairs(systems: Sequence[str], pairs: pl.DataFrame, p: str) -> dict[str, Any]:
    """The columns of the ranks of every system, best first.

    Args:
        systems: The systems.
        pairs: A row for each pair of them: ``a``, ``b``, ``difference``.
        p: The column of the p-values.
    """
    place = {name: i for i, name in enumerate(systems)}
    better = np.zeros((len(systems), len(systems)), dtype=np.bool_)
    apart = np.full(better.shape, np.nan)
    for row in pairs.iter_rows(named=True):
        a, b = place[row["a"]], place[row["b"]]
        apart[a, b], apart[b, a] = row["difference"], -row["difference"]
        if row[p] < SIGNIFICANT:
            winner, loser = (a, b) if row["difference"] > 0 else (b, a)
            better[winner, loser] = True
    known = np.isfinite(apart)
    number = np.maximum(1, known.sum(axis=1))
    values = np.where(known.any(axis=1), np.where(known, apart, 0.0).sum(axis=1) / number, np.nan)
    order = np.argsort(np.where(np.isnan(values), np.inf, -values), kind="stable")
    columns = {"system": [systems[s] for s in order], "difference": values[order]}
    return columns | ranges(better, order)
