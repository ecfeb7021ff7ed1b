"""How numbers, intervals and p-values are written wherever people read them, and what stands for none."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from rejoinder import messages
from rejoinder.document.text import P_VALUE, Cell, joined, styled
from rejoinder.messages import SIGNIFICANT

if TYPE_CHECKING:
    import polars as pl

NONE = "n/a"
"""What stands where a number is undefined."""

Show: TypeAlias = Callable[[float], str]
"""How a number is written."""


def decimals(digits: int) -> Show:
    """A number as it is, to so many decimals; halves that differ in their last bits are written alike.

    >>> decimals(1)(0.25), decimals(1)(0.25 - 1e-15), decimals(1)(4.75), decimals(1)(4.75 - 1e-14)
    ('0.2', '0.2', '4.8', '4.8')
    """

    def show(value: float) -> str:
        return NONE if math.isnan(value) else f"{round(value, digits + 9):z.{digits}f}"

    return show


LEAST_END = 1e-8
"""Less than that is what rounding leaves of 0."""


def not_as_zero(digits: int) -> Show:
    """A number to so many decimals, and to more where it would read as 0 and is not.

    >>> not_as_zero(2)(0.0042), not_as_zero(2)(-0.3), not_as_zero(2)(1e-10)
    ('0.004', '-0.30', '0.00')
    """

    def show(value: float) -> str:
        more = digits
        while abs(value) > LEAST_END and not float(f"{value:.{more}f}"):
            more += 1
        return decimals(more)(value)

    return show


def times100(value: float) -> str:
    """A share x100, as the papers print it."""
    return decimals(1)(100 * value)


def interval(
    value: float | None,
    low: float | None,
    high: float | None,
    show: Show,
    show_ends: Show | None = None,
) -> Cell:
    """A value and, where there is one, its interval behind it, dim; null is an empty cell.

    Args:
        value: The value; None: there is none.
        low: Lower end; None or NaN: there is no interval.
        high: Upper end.
        show: Writes the value.
        show_ends: Writes the ends; None: as the value.

    >>> str(interval(0.25, 0.125, 0.5, decimals(2), decimals(1)))
    '0.25 [0.1, 0.5]'
    """
    if value is None:
        return ""
    if low is None or high is None or math.isnan(value) or math.isnan(low):
        return show(value)
    return joined(show(value), " ", styled(span(low, high, show_ends or show), "dim"))


def with_interval(
    show: Show, show_ends: Show | None = None
) -> Callable[[float, float, float], Cell]:
    """How a value, low and high are written by `interval`."""
    return lambda value, low, high: interval(value, low, high, show, show_ends)


def span(low: float | None, high: float | None, show: Show) -> str:
    """An interval by itself; null is an empty cell.

    Args:
        low: Lower end; NaN: there is no interval.
        high: Upper end.
        show: Writes an end.
    """
    if low is None or high is None:
        return ""
    return NONE if math.isnan(low) else f"[{show(low)}, {show(high)}]"


def p_value(p: float | None, limit: bool = False) -> Cell:
    """A p-value to two digits, behind ``<`` where no draw was as extreme as the data; empty for null."""
    if p is None:
        return ""
    return NONE if math.isnan(p) else styled(messages.p_value(p, limit), P_VALUE)


def starred(p: float, limit: bool = False) -> Cell:
    """A p-value corrected for several tests, with a star where it is significant."""
    return joined(p_value(p, limit), "*" if p < SIGNIFICANT else " ")


def three_decimals(p: float, marked: bool = True) -> str:
    """A p-value to three decimals, with a star where it is significant and may be marked."""
    if math.isnan(p):
        return ""
    shown = "<0.001" if p < 0.0005 else messages.p_value(p, digits=3, kind="f")
    return shown + ("*" if marked and p < SIGNIFICANT else " ")


def has_intervals(frame: pl.DataFrame, low: str = "low") -> bool:
    """Whether any row has an interval; null and NaN are none."""
    return frame.get_column(low).is_not_nan().any() is True


def won(wins: int | None, ties: int | None, losses: int | None) -> str:
    """The items that the first of two systems won, tied and lost.

    Args:
        wins: Number of items won; None: unknown.
        ties: Number of ties.
        losses: Number of items lost.
    """
    return NONE if wins is None else f"{wins}/{ties}/{losses}"
