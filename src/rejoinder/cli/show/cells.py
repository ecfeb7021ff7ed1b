"""What stands in a cell of a table: numbers, intervals and p-values, as people read them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from rejoinder import messages
from rejoinder.messages import counted
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.jackknife import LEAST_ITEMS
from rejoinder.statistics.conventions import is_least_p
from rejoinder.statistics.holm import SIGNIFICANT
from rejoinder.text.visible import visible

if TYPE_CHECKING:
    from rich.text import Text

    from rejoinder.scoring.measurements import Measurements

NONE = "n/a"
"""What stands where a number is undefined."""

Show: TypeAlias = Callable[[float], str]
"""How a number is written."""


Cell: TypeAlias = "str | Text"
"""What stands in a cell: a text, or one with a style."""


def styled(text: str, style: str) -> Text:
    r"""A text in a style (``dim``, ``bold``, ``green``), each control character written out.

    Emphasis is never written as markup into a string, because a name from a file may hold such
    markup too.

    >>> styled("a\x1b[31mb", "dim").plain
    'a\\x1b[31mb'
    """
    from rich.text import Text

    return Text.assemble((visible(text), style))


def joined(*parts: Cell) -> Text:
    """A line of several texts, of which some have a style."""
    from rich.text import Text

    return Text.assemble(*(visible(part) if isinstance(part, str) else part for part in parts))


def stacked(*lines: Cell) -> Text:
    """Several lines in one cell."""
    from rich.text import Text

    return Text("\n").join(joined(line) for line in lines)


def interval(value: float, low: float, high: float, show: Show) -> Cell:
    """A value and, where there is one, its interval behind it, dim."""
    if math.isnan(value):
        return NONE
    if math.isnan(low):
        return show(value)
    return joined(show(value), " ", styled(span(low, high, show), "dim"))


def span(low: float, high: float, show: Show) -> str:
    """An interval by itself."""
    return NONE if math.isnan(low) else f"[{show(low)}, {show(high)}]"


def p_value(p: float, limit: bool = False) -> str:
    """A p-value to two digits, behind ``<`` where no random draw was as extreme as the data."""
    return NONE if math.isnan(p) else messages.p_value(p, limit)


def p_of(p: float, draws: int) -> str:
    """The p-value of a test of random draws.

    >>> p_of(0.001, 999), p_of(0.002, 999)
    ('<0.001', '0.002')
    """
    return p_value(p, is_least_p(p, draws))


def three_decimals(p: float, marked: bool = True) -> str:
    """A p-value to three decimals, with a star where it is significant and may be marked."""
    if math.isnan(p):
        return ""
    shown = "<0.001" if p < 0.0005 else messages.p_value(p, digits=3, kind="f")
    return shown + ("*" if marked and p < SIGNIFICANT else " ")


def starred(p: float, limit: bool = False) -> str:
    """A p-value corrected for several tests, with a star where it is significant."""
    return p_value(p, limit) + ("*" if p < SIGNIFICANT else " ")


def decimals(digits: int) -> Show:
    """A number as it is, to so many decimals."""
    return lambda value: NONE if math.isnan(value) else f"{value:z.{digits}f}"


def times100(value: float) -> str:
    """A share x100, as the papers print it."""
    return NONE if math.isnan(value) else f"{100 * value:z.1f}"


def percent(metric: Metric) -> bool:
    """Whether tables show a metric x100."""
    return metric.times100


def number_of(metric: Metric, digits: int | None = None) -> Show:
    """A value of a metric as tables show it, to so many decimals (None: 1 if x100, otherwise 2)."""
    if not percent(metric):
        return decimals(2 if digits is None else digits)
    show = decimals(1 if digits is None else digits)
    return lambda value: show(100 * value)


def heading(scores: Measurements, label: str) -> str:
    """The label of a metric, and whether lower values are better."""
    higher = scores.measured[label].metric.higher_is_better
    return label if higher else f"{label} (lower is better)"


def score(metric: Metric, row: Mapping[str, Any], digits: int | None = None) -> Cell:
    """A score of a metric, a row with ``value``, ``low`` and ``high``."""
    return interval(row["value"], row["low"], row["high"], number_of(metric, digits))


def won(row: Mapping[str, Any]) -> str:
    """The items that the first of two systems won, tied and lost."""
    return NONE if row["wins"] is None else f"{row['wins']}/{row['ties']}/{row['losses']}"


def scale(scores: Measurements, table: pl.DataFrame, systems: Collection[str] | None = None) -> str:
    """What values are shown of these scores: items, references, x100 or not, which interval.

    Args:
        scores: The scores.
        table: What is shown of them, with the ends of intervals in ``low``, undefined where there
            are none.
        systems: The systems that are shown; None for all.
    """
    shown = [systems is None or name in systems for name in scores.names]
    ns = sorted({n for each in scores.measured.values() for n in each.counts[shown].tolist()})
    pairwise = any(each.answered is not None for each in scores.measured.values())
    by = "by system" if pairwise else "by metric"
    items = counted(ns[0], "item") if len(ns) == 1 else f"{ns[0]} to {ns[-1]} items ({by})"
    fewest, most = scores.references
    references = counted(most, "reference") if fewest == most else f"{fewest} to {most} references"
    references = f" with {references} each" if most else ""
    plain = [label for label, each in scores.measured.items() if not percent(each.metric)]
    values = "x100" + (f" (not {', '.join(plain)})" if plain else "")
    if len(plain) == len(scores.measured):
        values = "not multiplied by 100"
    legend = f"; [low, high]: 95% interval ({_method(scores)})"
    return f"{items}{references}; values {values}{legend if has_intervals(table) else ''}"


def _method(scores: Measurements) -> str:
    """How the intervals of these scores are made: those of shares are Wilson's."""
    shares = [label for label, each in scores.measured.items() if each.metric.share]
    if len(shares) == len(scores.measured):
        return f"Wilson's, over {_units(scores)}"
    return f"jackknife over {_units(scores)}" + (
        f"; {', '.join(shares)}: Wilson's" if shares else ""
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


def has_intervals(table: pl.DataFrame, low: str = "low") -> bool:
    """Whether any row has an interval; null and NaN are none."""
    return table.select(pl.col(low).is_not_nan().any()).item() is True


def no_spread(table: pl.DataFrame, value: str, scores: Measurements) -> list[str]:
    """A note on values that have no interval because they do not depend on any one item."""
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
