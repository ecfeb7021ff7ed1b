"""Weights of a linear reranker that maximise a function of summed rows: Och's (2003) exact line search.

Candidate c of list i has features x_ic; weights w choose the candidate with the highest ``x_ic w``. Along
a direction the choice of a list changes only at the break points of an upper envelope of lines. Swept in
their order, each takes one row from the sum and adds another, so that all values that the function takes
on the whole line are seen, and nothing is approximated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.kernels.cores import cores
from rejoinder.kernels.envelopes import envelopes

NARROWEST = 1e-9
"""Intervals narrower than this share of their place are no larger than rounding errors: none is chosen."""

LEAST_GAIN = 1e-12
"""A step of the search raises the value by more than this."""

RANDOM_DIRECTIONS = 15
"""From each start, and in each further round."""

ROUNDS = 3
"""The most rounds of further directions from the best that was reached."""

FINALISTS = 5
"""So many starts go on until no direction helps."""


@dataclass(frozen=True)
class CandidateRows:
    """Lists of candidates, with what is known of each.

    Attributes:
        features: float64 [m, d].
        bounds: int64 [n + 1], list i has the candidates bounds[i] to bounds[i + 1].
        rows: float64 [m, k], the statistics of each candidate.
        value: What is maximised, of sums of rows: float64 [..., k] to float64 [...].
    """

    features: Floats
    bounds: Indices
    rows: Floats
    value: Callable[[Floats], Floats]

    def __len__(self) -> int:
        return self.bounds.size - 1

    @cached_property
    def spread(self) -> Floats:
        """The standard deviation of each feature within lists, float64 [d]; 0 of one that tells no
        candidates of a list apart.
        """
        sizes = np.diff(self.bounds)
        means = np.add.reduceat(self.features, self.bounds[:-1]) / sizes[:, None]
        deviations = self.features - np.repeat(means, sizes, axis=0)
        spread = np.sqrt((deviations**2).mean(axis=0))
        return np.where(spread > NARROWEST * np.abs(self.features).max(axis=0), spread, 0.0)

    def at(self, weights: Floats) -> Floats:
        """The value that weights give each candidate: float64 [m]."""
        return np.einsum("md,d->m", self.features, weights)  # `@` wakes threads in threads

    def chosen(self, weights: Floats) -> Indices:
        """The candidate of each list that weights choose, the first of equals: int64 [n]."""
        return best_of_lists(self.at(weights), self.bounds)

    def value_of(self, chosen: Indices) -> float:
        """The value of chosen candidates."""
        return float(self.value(self.rows[chosen].sum(axis=0)))


def best_of_lists(values: Floats, bounds: Indices) -> Indices:
    """The place of the highest value of each list, the first of equals: int64 [n].

    >>> best_of_lists(np.array([1.0, 3, 3, 2]), np.array([0, 3, 4])).tolist()
    [1, 3]
    """
    best = np.repeat(np.maximum.reduceat(values, bounds[:-1]), np.diff(bounds))
    places = np.flatnonzero(values == best)
    return places[np.searchsorted(places, bounds[:-1])]


@dataclass(frozen=True)
class SearchLine:
    """A direction, and the slope of each candidate along it."""

    direction: Floats
    slopes: Floats

    @classmethod
    def of(cls, rows: CandidateRows, direction: Floats) -> SearchLine:
        """The line of a direction, float64 [d]."""
        return cls(direction, rows.at(direction))


def best_on_line(
    rows: CandidateRows,
    line: SearchLine,
    values: Floats,
    lists: Indices,
    low: float = -np.inf,
    high: float = np.inf,
) -> tuple[float, float]:
    """The point of a line with the highest value, and that value.

    Args:
        rows: The candidates.
        line: The direction.
        values: float64 [m], the value of each candidate at the point 0.
        lists: int64 [p], the lists that count.
        low: The least point; may be -inf.
        high: The greatest point.

    Returns:
        The middle of the interval with the highest value, the first of equals; 1 (or as far as it is from
        0, if that is more) beyond the last break point. Where the bounds cut it off, the nearest bound.
    """
    lines = envelopes(values, line.slopes, rows.bounds, lists)
    totals = rows.rows.take(lines.candidates, axis=0)
    breaks = np.flatnonzero(lines.starts > -np.inf)
    breaks = breaks[np.argsort(lines.starts[breaks])]
    total = totals[lines.starts == -np.inf].sum(axis=0, keepdims=True)
    changes = np.diff(totals, axis=0).take(breaks - 1, axis=0)
    heights = rows.value(np.concatenate([total, changes]).cumsum(axis=0))
    ends = np.concatenate([[-np.inf], lines.starts[breaks], [np.inf]])
    heights[np.isnan(heights)] = -np.inf
    while (highest := heights.max()) > -np.inf:
        # The order in which equal points are swept, and so the last digit of a sum, may be the machine's.
        best = np.flatnonzero(heights >= highest - LEAST_GAIN)
        least, most = np.maximum(ends[best], low), np.minimum(ends[best + 1], high)
        near = np.minimum(np.abs(least), np.abs(most))
        near[np.isinf(near)] = 0.0
        wide = most - least > NARROWEST * np.maximum(1.0, near)
        if wide.any():
            place = best[wide][0]
            point = np.clip(_middle(*ends[place : place + 2].tolist()), low, high)
            return float(point), float(heights[place])
        heights[best] = -np.inf
    return 0.0, -np.inf


def _middle(low: float, high: float) -> float:
    if np.isinf(low) and np.isinf(high):
        return 0.0
    if np.isinf(low):
        return high - max(1.0, abs(high))
    return low + max(1.0, abs(low)) if np.isinf(high) else (low + high) / 2


@dataclass(frozen=True)
class WeightSearch:
    """The exact search over several starts, and over all axes and some random directions from each.

    Attributes:
        rows: The candidates.
        starts: float64 [s, d], the weights that the search starts from.
        lines: The directions.
        orders: int64 [s, t], in which order each start takes the directions.
        axes: float64 [a, d], the weights of each feature alone, up and down.
        further: float64 [r, t, d], the directions of further rounds from the best that was reached, as
            long as one helps.
        low: float64 [d], the least weights.
        high: float64 [d], the greatest.
    """

    rows: CandidateRows
    starts: Floats
    lines: list[SearchLine]
    orders: Indices
    axes: Floats
    further: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(
        cls,
        rows: CandidateRows,
        starts: int,
        rng: np.random.Generator,
        low: Floats | None = None,
        high: Floats | None = None,
    ) -> WeightSearch:
        """Draws starts and directions.

        The first start is 0, or as near to it as the bounds allow: there every list has its first
        candidate. Features that tell no candidates apart keep it as their weight.
        """
        width = rows.features.shape[1]
        low = np.full(width, -np.inf) if low is None else low
        high = np.full(width, np.inf) if high is None else high
        zero = np.clip(np.zeros(width), low, high)
        scale = np.divide(1.0, rows.spread, out=np.zeros(width), where=rows.spread > 0)
        normal = rng.standard_normal((starts, width)) * scale
        inside = (normal >= low) & (normal <= high)
        mirrored = np.where(inside, normal, zero - (normal - zero))
        points = np.where(scale > 0, np.clip(mirrored, low, high), zero)
        points[0] = zero
        axes = np.diag(scale)[scale > 0]
        random = rng.standard_normal((RANDOM_DIRECTIONS if len(axes) > 1 else 0, width)) * scale
        lines = [SearchLine.of(rows, each) for each in (*axes, *random)]
        orders = np.array([rng.permutation(len(lines)) for _ in range(starts)], dtype=np.int64)
        further = (
            rng.standard_normal((ROUNDS if len(axes) > 1 else 0, RANDOM_DIRECTIONS, width)) * scale
        )
        alone = np.clip(zero + np.concatenate([axes, -axes]), low, high)
        return cls(rows, points, lines, orders, alone, further, low, high)

    def best(self, lists: Indices | None = None) -> Floats:
        """The best weights of all starts for some lists (None: for all): float64 [d].

        Every start takes all directions once; of those that still rise, the better half goes on, and so
        again, down to five. Each feature alone, up and down, is a start of its own where it is better
        than all that. From the best, further directions are tried.

        Every value is that of the candidates that the weights choose, the first of equals among them.
        """
        lists = np.arange(len(self.rows)) if lists is None else lists
        climbs = [_Climb(self, lists, *each) for each in zip(self.starts, self.orders, strict=True)]
        going = climbs
        with ThreadPoolExecutor(cores()) as pool:
            while going:
                list(pool.map(_Climb.go, going))
                going.sort(key=lambda each: -each.value)
                most = max(len(going) // 2, FINALISTS)
                going = [each for each in going[:most] if each.useless < len(self.lines)]
        best = max(climbs, key=lambda each: each.value)
        for axis in self.axes:
            alone = _Climb(self, lists, axis, self.orders[0])
            best = alone if alone.value > best.value + LEAST_GAIN else best
        while best.useless < len(self.lines):
            best.go()
        for directions in self.further:
            before = best.value
            best.go(SearchLine.of(self.rows, each) for each in directions)
            if best.value == before:
                break
        return best.weights

    def reach(self, weights: Floats, direction: Floats) -> tuple[float, float]:
        """How far a direction can be followed from weights within the bounds."""
        moves = direction != 0
        ends = np.array([self.low - weights, self.high - weights])[:, moves] / direction[moves]
        return float(ends.min(axis=0).max()), float(ends.max(axis=0).min())


class _Climb:
    """The way up from one start: each direction in turn, to its best point, until none raises the value."""

    def __init__(self, search: WeightSearch, lists: Indices, start: Floats, order: Indices) -> None:
        self.search, self.lists, self.weights, self.order = search, lists, start, order
        self.at, self.value = self.seen(start)
        self.useless = 0

    def seen(self, weights: Floats) -> tuple[Floats, float]:
        """What weights give each candidate, and the value of those that they choose."""
        rows = self.search.rows
        at = rows.at(weights)
        value = rows.value_of(best_of_lists(at, rows.bounds)[self.lists])
        return at, -np.inf if np.isnan(value) else value

    def go(self, lines: Iterable[SearchLine] | None = None) -> None:
        """Takes every direction once, or these.

        On the way values are carried along; at the end they are those of the candidates that the weights
        choose, and what did not rise by this measure is taken back.
        """
        before, enough = (self.weights, self.at, self.value), len(self.search.lines)
        for line in [self.search.lines[place] for place in self.order] if lines is None else lines:
            if lines is None and self.useless >= enough:
                break
            self._follow(line)
        if self.weights is not before[0]:
            self.at, self.value = self.seen(self.weights)
            if self.value <= before[2]:
                self.weights, self.at, self.value = before
                self.useless = enough

    def _follow(self, line: SearchLine) -> None:
        """Goes to the best point of a line, if that is better."""
        search = self.search
        low, high = search.reach(self.weights, line.direction)
        point, height = best_on_line(search.rows, line, self.at, self.lists, low, high)
        self.useless += 1
        if height > self.value + LEAST_GAIN:
            moved = self.weights + point * line.direction
            self.weights = np.clip(moved, search.low, search.high)
            self.at = self.at + point * line.slopes
            self.value, self.useless = height, 1
