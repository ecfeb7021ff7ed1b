"""How tables show values of metrics, and what they say of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import polars as pl

from rejoinder.document.numbers import Show, decimals, has_intervals
from rejoinder.messages import counted
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.jackknife import LEAST_ITEMS
from rejoinder.scoring.measurements import Measurements


def times_of(metric: Metric | None) -> int:
    """What tables and figures multiply values of a metric by: 100 or 1; None is no metric."""
    return 100 if metric is not None and metric.times100 else 1


def times100_of(metrics: Mapping[str, Metric]) -> list[str]:
    """Those of some metrics whose values are shown x100."""
    return [label for label, each in metrics.items() if times_of(each) > 1]


def number_of(
    metric: Metric | None,
    digits: int | None = None,
    plain: int = 2,
    written: Callable[[int], Show] = decimals,
) -> Show:
    """A value of a metric as tables show it.

    Args:
        metric: The metric; None is a value that is not multiplied.
        digits: Decimals; None is 1 where values are shown x100, otherwise ``plain``.
        plain: Decimals of values that are not multiplied.
        written: Writes a number to so many decimals.
    """
    times = times_of(metric)
    usual = 1 if times > 1 else plain
    show = written(usual if digits is None else digits)
    return lambda value: show(times * value)


def times_in_words(metrics: Mapping[str, Metric]) -> str:
    """Which values are multiplied: those of all metrics, of some, or none."""
    shown = times100_of(metrics)
    plain = [label for label in metrics if label not in shown]
    return (
        "x100" + f" but for {', '.join(plain)}" * bool(plain) if shown else "not multiplied by 100"
    )


def heading(scores: Measurements, label: str) -> str:
    """The label of a metric, and whether lower values are better."""
    higher = scores.measured[label].metric.higher_is_better
    return label if higher else f"{label} (lower is better)"


def scale(
    scores: Measurements,
    table: pl.DataFrame,
    systems: Collection[str] | None = None,
    of_rates: str = "",
) -> str:
    """What values are shown of these scores: items, references, x100 or not, which interval.

    Args:
        scores: The scores.
        table: What is shown of them, with the ends of intervals in ``low``, undefined where there
            are none.
        systems: The systems that are shown; None for all.
        of_rates: The interval of shares of items; empty for that of a single one.
    """
    shown = [systems is None or name in systems for name in scores.names]
    ns = sorted({n for each in scores.measured.values() for n in each.counts[shown].tolist()})
    pairwise = any(each.answered is not None for each in scores.measured.values())
    by = "by system" if pairwise else "by metric"
    items = counted(ns[0], "item") if len(ns) == 1 else f"{ns[0]} to {ns[-1]} items ({by})"
    fewest, most = scores.references
    references = counted(most, "reference") if fewest == most else f"{fewest} to {most} references"
    references = f" with {references} each" if most else ""
    values = times_in_words({label: each.metric for label, each in scores.measured.items()})
    legend = f"; [low, high]: 95% interval ({_method(scores, of_rates)})"
    return f"{items}{references}; values {values}{legend if has_intervals(table) else ''}"


def _method(scores: Measurements, of_rates: str) -> str:
    """How the intervals of these scores are made."""
    of_rates = of_rates or ("Clopper and Pearson's" if scores.exact else "Wilson's")
    shares = [label for label, each in scores.measured.items() if each.metric.share]
    if len(shares) == len(scores.measured):
        return f"{of_rates}, over {_units(scores)}"
    return f"jackknife over {_units(scores)}" + (
        f"; {', '.join(shares)}: {of_rates}" if shares else ""
    )


def _units(scores: Measurements) -> str:
    """What intervals leave out one at a time: items, or clusters of a column."""
    if not scores.cluster:
        return "items"
    sizes = sorted({each.size for each in scores.measured.values()})
    number = (
        counted(sizes[0], "cluster") if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} clusters"
    )
    return f"{number} of '{scores.cluster}'"


def no_spread(table: pl.DataFrame, value: str, scores: Measurements) -> list[str]:
    """A note on values that have no interval because they do not depend on any one item.

    Args:
        table: The table of values with ``low`` and the number of items.
        value: The column of the values.
        scores: What was measured.
    """
    size = "clusters" if scores.cluster else "n"
    still = table.filter(
        pl.col(value).is_not_nan() & pl.col("low").is_nan() & (pl.col(size) >= LEAST_ITEMS)
    ).height
    if not still or not scores.resamples:
        return []
    words = (
        "the value stays the same whichever item is left out"
        if value == "value"
        else "whichever item is left out, the difference stays the same or one of the scores is 0"
    )
    return [
        f"{still} of {counted(table.height, 'value')} without an interval: {words}, so its "
        "uncertainty cannot be estimated; this does not mean that it is certain"
    ]
