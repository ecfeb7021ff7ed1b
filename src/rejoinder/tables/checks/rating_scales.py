"""Columns of a wide table that cannot be raters of one scale: their average would mean nothing.

Raters differ, and that is no fault: one gives nothing but 4 and 5, another nothing but 1. So a
column is refused only where its numbers are of another order than those of the others, are
fractions beside grades, lie far from all others throughout, or count the rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import listed, quoted
from rejoinder.tables.schemas import RATINGS

SMALL = 10.0
"""Grades seldom go higher, but for scales up to 20 or 100."""

TIMES_SMALL, TIMES = 3.0, 10.0
"""So many times the highest grade of the others is another scale: above grades up to 10, or higher."""

ROWS = 8
"""A column that counts so many rows is no rater's; so many ratings must lie apart from all others."""


@dataclass(frozen=True)
class _Column:
    name: str
    values: Floats

    @property
    def low(self) -> float:
        return float(self.values.min())

    @property
    def high(self) -> float:
        return float(self.values.max())

    @property
    def size(self) -> float:
        """The largest number, whatever its sign."""
        return float(np.abs(self.values).max())


def refuse_other_scales(columns: Mapping[str, pl.Series], name: str) -> None:
    """Raises where the columns of a table cannot all be raters of one scale.

    Args:
        columns: The numbers of each column, null where there is none.
        name: The file, for the message.

    Raises:
        InputError: A column counts the rows, or some are on another scale than the others.
    """
    numeric = [_Column(each, values.drop_nulls().to_numpy()) for each, values in columns.items()]
    numeric = [each for each in numeric if each.values.size and np.isfinite(each.values).all()]
    for each in numeric:
        if _counts_rows(each):
            raise InputError(
                f"{name}: column {quoted(each.name)} counts the rows ({each.low:g} to "
                f"{each.high:g}), and without a column 'rater' each column of numbers is a rater; "
                "take it out"
            )
    if clash := _clash(numeric, "column"):
        raise InputError(
            f"{name}: {clash}, and without a column 'rater' each column of numbers is a rater; keep "
            f"the columns of one scale, or write one row per rating ({listed(RATINGS)}) with a "
            "criterion for each scale"
        )


def scale_clash(raters: Mapping[str, pl.Series]) -> str:
    """Says which raters cannot be on the scale of the others; empty where all may be on one.

    >>> scale_clash({"a": pl.Series([1.0, 5.0, 3.0]), "b": pl.Series([50.0, 95.0, 70.0])})
    "rater 'b' (50 to 95) cannot be on the scale of rater 'a' (1 to 5)"
    """
    columns = [_Column(name, values.drop_nulls().to_numpy()) for name, values in raters.items()]
    return _clash([each for each in columns if each.values.size], "rater")


def _clash(columns: list[_Column], noun: str) -> str:
    others, apart = _apart(columns)
    if not apart:
        return ""
    return (
        f"{_named(apart, noun)} ({_scale(apart)}) cannot be on the scale of {_named(others, noun)} "
        f"({_scale(others)})"
    )


def _apart(columns: list[_Column]) -> tuple[list[_Column], list[_Column]]:
    """The columns of one scale, and those of another; none of the latter where all may be of one."""
    for split in (_by_order, _fractions, _far):
        others, apart = split(columns)
        if others and apart:
            return others, apart
    return columns, []


def _by_order(columns: list[_Column]) -> tuple[list[_Column], list[_Column]]:
    """Grades, and numbers many times as high: marks of 0 to 100, lengths, ids.

    A few high numbers are slips of the pen, not a scale: a quarter of the column must lie above.
    """
    # A rater who always says the same tells no scale.
    varied = [each for each in columns if each.low < each.high]
    ranked = sorted(varied, key=lambda each: each.size)
    for i in range(1, len(ranked)):
        top = ranked[i - 1].size
        times = TIMES_SMALL if top <= SMALL else TIMES
        upper = [each for each in ranked[i:] if _mostly_above(each, top)]
        if top > 0 and ranked[i].size >= times * top and ranked[i].size > SMALL and upper:
            return ranked[:i], upper
    return columns, []


def _mostly_above(column: _Column, top: float) -> bool:
    sizes = np.abs(column.values)
    if sizes.size < ROWS:  # so few tell a scale only where they lie far apart
        return bool(sizes.min() >= TIMES * top)
    return int((sizes > top).sum()) >= sizes.size / 4


def _fractions(columns: list[_Column]) -> tuple[list[_Column], list[_Column]]:
    """Grades from 1 on, and numbers up to 1 that are no whole ones: probabilities, cosines."""
    small = [each for each in columns if each.high <= 1 and (each.values % 1 != 0).any()]
    rest = [each for each in columns if each not in small]
    grades = rest and min(each.low for each in rest) >= 1 and max(each.high for each in rest) >= 2
    return (rest, small) if grades else (columns, [])


def _far(columns: list[_Column]) -> tuple[list[_Column], list[_Column]]:
    """A column all of whose many numbers lie two or more above, or below, all others."""
    if len(columns) < 3 or min(each.values.size for each in columns) < ROWS:
        return columns, []
    for each in columns:
        rest = [other for other in columns if other is not each]
        low, high = min(other.low for other in rest), max(other.high for other in rest)
        width = max(2.0, high - low)
        if each.low >= high + width or each.high <= low - width:
            return rest, [each]
    return columns, []


def _counts_rows(column: _Column) -> bool:
    first = column.values[0]
    counted = first + np.arange(column.values.size)
    return column.values.size >= ROWS and first in (0, 1) and np.array_equal(column.values, counted)


def _scale(columns: list[_Column]) -> str:
    return f"{min(each.low for each in columns):g} to {max(each.high for each in columns):g}"


def _named(columns: list[_Column], noun: str) -> str:
    word = f"{noun}s" if len(columns) > 1 else noun
    return f"{word} {', '.join(quoted(each.name) for each in columns)}"
