"""A figure of systems with estimates and intervals, as shares of its width: it grows with the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rejoinder.figures.style import limits

TICKS = 5
"""About so many numbers stand below."""


LOOKS = {"people": 0, "corrected": 1}
"""How estimates of people are drawn."""


class Estimate(NamedTuple):
    """An estimate of a system.

    Args:
        kind: What it rests on: a key of the legend.
        value: The estimate.
        low: The lower end of its interval; NaN for none.
        high: The upper end.
    """

    kind: str
    value: float
    low: float = math.nan
    high: float = math.nan


class Row(NamedTuple):
    """A system.

    Args:
        rank: Its range of ranks; may be empty.
        system: Its name.
        value: Its mean or score, as it is shown; may be empty.
        words: What the marks say, in words.
        estimates: What is drawn.
    """

    rank: str
    system: str
    value: str
    words: str
    estimates: tuple[Estimate, ...] = ()


class Mark(NamedTuple):
    """An estimate in the figure; all numbers are percentages of its width, but for the lane.

    Args:
        kind: The number of its kind, from 0: its lane.
        x: The estimate.
        low: The lower end of its interval; None without one.
        high: The upper end.
    """

    kind: int
    x: float
    low: float | None
    high: float | None


class Chart(NamedTuple):
    """The figure.

    Args:
        heading: What the values of the systems are.
        caption: What is drawn.
        kinds: The legend, by the number of the kind.
        looks: How each kind is drawn: 0 people, 1 corrected, from 2 on metrics.
        rows: Each system with its marks.
        ticks: Where numbers stand below, and which.
        zero: Where the line is that systems are compared with; None for none.
    """

    heading: str
    caption: str
    kinds: tuple[str, ...]
    looks: tuple[int, ...]
    rows: tuple[tuple[Row, tuple[Mark, ...]], ...]
    ticks: tuple[tuple[float, str], ...]
    zero: float | None


def chart(
    rows: Sequence[Row],
    kinds: Mapping[str, str],
    heading: str,
    caption: str,
    zero: float | None,
    show: Callable[[float], str],
) -> Chart:
    """The figure of some systems.

    Args:
        rows: The systems, from the top.
        kinds: What each kind of estimate is called in the legend, in the order of their lanes.
        heading: What the values of the systems are.
        caption: What is drawn.
        zero: The value of the line that systems are compared with; None for none.
        show: How a number below is written.

    >>> rows = [Row("1", "a", "3.0", ""), Row("2", "b", "2.0", "", (Estimate("people", -1, -2, 0),))]
    >>> made = chart(rows, {"people": "people"}, "mean", "", 0.0, str)
    >>> made.zero, made.rows[1][1]
    (95.45, (Mark(kind=0, x=50.0, low=4.55, high=95.45),))
    """
    ends = [end for row in rows for each in row.estimates for end in each[1:]]
    low, high = limits(np.array(ends if zero is None else [*ends, zero]))

    def at(value: float) -> float:
        return round(100 * (value - low) / (high - low), 2)

    def mark(each: Estimate) -> Mark:
        own = [None, None] if math.isnan(each.low) else [at(each.low), at(each.high)]
        return Mark([*kinds].index(each.kind), at(each.value), *own)

    drawn = ((row, tuple(map(mark, row.estimates))) for row in rows)
    ticks = ((at(value), show(value)) for value in _round_numbers(low, high))
    line = None if zero is None else at(zero)
    others = (kind for kind in kinds if kind not in LOOKS)
    looks = LOOKS | {kind: len(LOOKS) + place for place, kind in enumerate(others)}
    names = tuple(kinds.values()), tuple(looks[kind] for kind in kinds)
    return Chart(heading, caption, *names, tuple(drawn), tuple(ticks), line)


def _round_numbers(low: float, high: float) -> list[float]:
    """About `TICKS` round numbers between two ends."""
    rough = (high - low) / TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(each * power for each in (1, 2, 5, 10) if each * power >= rough)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [round(place * step, 12) for place in range(first, last + 1)]
