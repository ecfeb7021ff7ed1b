"""A figure of systems with estimates and intervals, as shares of its width: it grows with the page."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rejoinder.figures.style import limits

TICKS = 6
"""About so many numbers stand below."""


class Mark(NamedTuple):
    """An estimate of a system.

    Args:
        kind: What it rests on: its place in the legend, which is its lane.
        value: The estimate.
        low: The lower end of its interval; NaN for none.
        high: The upper end.
    """

    kind: int
    value: float
    low: float = math.nan
    high: float = math.nan


class ChartRow(NamedTuple):
    """A system.

    Args:
        rank: Its range of ranks; may be empty.
        system: Its name.
        value: Its mean or score, as it is shown.
        words: What its mark says, in words.
        marks: What is drawn.
    """

    rank: str
    system: str
    value: str
    words: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Chart:
    """The figure.

    Attributes:
        heading: What the values of the systems are.
        caption: What is drawn.
        legend: The kinds of marks, each with how it is drawn: 0 people, 1 corrected, from 2 on metrics.
        rows: The systems, from the top.
        zero: The value of the line that systems are compared with; None for none.
        drawn: What the marks are.

    >>> row = ChartRow("", "a", "2.0", "", (Mark(0, -1, -2, 0),))
    >>> made = Chart("mean", "", ((0, "people"),), (row,), 0.0)
    >>> made.at(-1), [word for _, word in made.ticks]
    (50.0, ['-2', '-1.5', '-1', '-0.5', '0'])
    """

    heading: str
    caption: str
    legend: tuple[tuple[int, str], ...]
    rows: tuple[ChartRow, ...]
    zero: float | None = None
    drawn: str = "95% interval"

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The ends of the axis."""
        every = [end for row in self.rows for mark in row.marks for end in mark[1:]]
        return limits(np.array(every if self.zero is None else [self.zero, *every]))

    def at(self, value: float) -> float:
        """Where a value stands, in percent of the width."""
        low, high = self.ends
        return round(100 * (value - low) / (high - low), 2)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Round numbers between the ends, and where they stand."""
        low, high = self.ends
        rough = (high - low) / TICKS
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(each * power for each in (1, 2, 5, 10) if each * power >= rough)
        places = range(math.ceil(low / step), math.floor(high / step) + 1)
        return [(self.at(place * step), f"{round(place * step, 12):g}") for place in places]
