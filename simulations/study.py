"""What a simulation hands over: how often an interval holds the truth, or a test errs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

COVERAGE = 0.95
LEVEL = 0.05


class Row(NamedTuple):
    """One interval or test in one setting.

    Args:
        what: The interval or the test, by the name that the product gives it.
        setting: How the data were made, in a few words.
        size: How many items, systems or raters.
        aim: What it promises: 0.95 for an interval, 0.05 for a test without an effect, 0.8 for power.
        hits: In how many runs the interval held the truth, or the test said "significant".
        runs: How many runs there were. A run without an interval or a p is none.
        refused: In how many further runs there was no interval, where that is counted.
    """

    what: str
    setting: str
    size: str
    aim: float
    hits: int
    runs: int
    refused: int = 0

    @property
    def share(self) -> float:
        """``hits / runs``; NaN without a run."""
        return self.hits / self.runs if self.runs else math.nan

    @property
    def error(self) -> float:
        """The Monte-Carlo standard error of `share`: ``sqrt(p (1 - p) / runs)``."""
        share = self.share
        return math.sqrt(share * (1 - share) / self.runs) if self.runs else math.nan


@dataclass(frozen=True)
class SimulationStudy:
    """One part of docs/studies/coverage.md.

    Attributes:
        title: Its heading.
        text: What was simulated and what the figures mean, in whole sentences (Markdown).
        rows: Called with the number of runs of each setting and a seed.
        wide: Whether the table has a column for each interval or test, and a row for each setting.
    """

    title: str
    text: str
    rows: Callable[[int, int], Iterator[Row]]
    wide: bool = False
