"""Agreement within systems: differences between systems are no evidence here.

Where systems differ in their mean score and in their mean rating, a correlation over all replies
says which system a metric likes, and not whether it knows a good reply from a bad one. So each
system has a coefficient of its own, and what is reported is their mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import quoted
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.conventions import (
    LEAST_GROUPS,
    LEVEL,
    PERFECT,
    check_permutations,
    p_of_drawn,
)
from rejoinder.statistics.correlation import (
    Correlation,
    average_ranks,
    correlation_named,
    of_orders,
    pearson,
    spearman,
    standardised,
)
from rejoinder.statistics.intervals import Interval, jackknife_interval
from rejoinder.statistics.significance import Difference, permutation_p

LEAST_REPLIES = 3
"""Any two points lie on a line: a system with fewer rated replies has no coefficient."""

MOST_BLOCKS = 200
"""With more contexts than these the jackknife leaves out blocks of contexts instead of single ones."""

BLOCK = 1 << 20
"""Draws are made in blocks of about so many numbers."""


@dataclass(frozen=True)
class WithinSystems:
    """Ratings of the replies of several systems, to be correlated within each system.

    Args:
        y: The ratings (float64 [n]).
        system: Whose reply each is, from 0 on (int64 [n]).
        context: int64 [n], which context it answers. A system answers a context once.
        cluster: int64 [n], the cluster of the context (its conversation, its user), where contexts of
            one cluster are not independent: clusters are then left out, swapped and exchanged as a
            whole. None takes every context as independent.
        names: The names of the systems, for messages.

    Raises:
        InputError: The arrays differ in length, or a system answers a context twice.

    >>> y = np.array([1.0, 2.0, 3.0, 7.0, 8.0, 9.0])
    >>> data = WithinSystems(y, np.array([0, 0, 0, 1, 1, 1]), np.array([0, 1, 2, 0, 1, 2]))
    >>> x = np.array([0.1, 0.2, 0.3, 0.6, 0.5, 0.4])  # perfect in one system, reversed in the other
    >>> data.coefficients(x, "pearson").round(6).tolist(), abs(round(data.mean(x, "pearson"), 6))
    ([1.0, -1.0], 0.0)
    """

    y: Floats
    system: Indices
    context: Indices
    cluster: Indices | None = None
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        shapes = {np.shape(each) for each in (self.y, self.system, self.context)}
        if len(shapes) != 1 or len(next(iter(shapes))) != 1:
            raise InputError(
                f"within systems: ratings, systems and contexts have shapes "
                f"{', '.join(map(str, sorted(shapes)))}; give one vector of each, of one length"
            )
        keys = np.stack([self.system, self.context])
        if np.unique(keys, axis=1).shape[1] < keys.shape[1]:
            raise InputError(
                "within systems: a system answers a context more than once; average its replies first"
            )

    @cached_property
    def places(self) -> list[Indices]:
        """The observations of each system, in the order of its contexts."""
        order = np.lexsort((self.context, self.system))
        ends = np.cumsum(np.bincount(self.system))[:-1] if self.system.size else []
        return np.split(order, ends)

    @cached_property
    def group(self) -> Indices:
        """What each observation is left out and swapped with: its cluster, or else its context."""
        groups = self.context if self.cluster is None else self.cluster
        return np.unique(groups, return_inverse=True)[1]

    @property
    def groups(self) -> int:
        """How many clusters, or else contexts, there are."""
        return int(self.group.max(initial=-1)) + 1

    @property
    def complete(self) -> bool:
        """Whether every system answered the same contexts."""
        first = self.context[self.places[0]]
        return all(np.array_equal(self.context[each], first) for each in self.places)

    def coefficients(self, x: Floats, correlation: str) -> Floats:
        """The coefficient of each system by itself: float64 [n] to [S]; NaN where it is undefined.

        Undefined: fewer than 3 observations, all scores equal, all ratings equal, or a score that is
        missing.

        Raises:
            ParameterError: No such correlation.
        """
        measure = correlation_named(correlation)
        return np.array([
            measure(x[each], self.y[each]) if each.size >= LEAST_REPLIES else math.nan
            for each in self.places
        ], dtype=np.float64)  # fmt: skip

    def mean(self, x: Floats, correlation: str) -> float:
        """The mean of the coefficients that are defined; NaN where none is."""
        return mean_of_defined(self.coefficients(x, correlation))

    def permutation_p(
        self, x: Floats, correlation: str, permutations: int, rng: np.random.Generator
    ) -> float:
        """How likely so strong a mean is if scores and ratings have nothing in common within systems.

        Ratings change places between the contexts of one system and never between systems, so what
        makes systems differ is the same in every permutation. ``p = (c + 1) / (n + 1)``, two-sided.

        Where every system answered the same contexts, one permutation of the contexts serves all
        systems: what makes the replies to a context alike (a hard question, a short reference)
        stays together, and the test is exact if contexts are exchangeable. Otherwise each system has
        permutations of its own, and what is compared is the mean divided by its standard error over
        contexts, in the data and in every permutation: the standard error knows that replies to a
        shared context are alike. That is exact where no context is shared, and holds for many
        contexts where some are (docs/studies/coverage.md).

        Args:
            x: Scores (float64 [n]).
            correlation: A name of `CORRELATIONS`.
            permutations: How many.
            rng: Where the randomness comes from.

        Returns:
            The p-value; NaN where the mean is undefined.

        Raises:
            ParameterError: No such correlation, or fewer than one permutation.
        """
        check_permutations(permutations)
        usable = self._usable(x, correlation)
        if not usable:
            return math.nan
        if len(self.places) == 1:
            return float(permutation_p(x, self.y, correlation, permutations, rng, self.cluster))
        if self.complete:
            means = self._shared(x, correlation, usable, permutations, rng)
            return p_of_drawn(means, self.mean(x, correlation))
        values = self._studentised(x, correlation, usable, permutations, rng)
        return p_of_drawn([values[1:]], values[0])

    def interval(self, x: Floats, correlation: str, level: float = LEVEL) -> Interval:
        """The jackknife interval of the mean over systems, on the scale of atanh, with Student's t.

        Each context is left out in turn, for all systems at once (blocks of contexts where there are
        more than 200). ``tanh(atanh r +- t se)``, ``se^2 = (G - 1) / G sum_g (z_g - mean z)^2``, G
        contexts (blocks), z_g = atanh of the mean without the g-th, t with G - 1 degrees of freedom.
        The percentile bootstrap over contexts is too narrow at few contexts
        (docs/studies/coverage.md).

        Args:
            x: Scores (float64 [n]).
            correlation: A name of `CORRELATIONS`.
            level: The coverage.

        Returns:
            The interval; none (NaN and the reason) where the mean is undefined, there are fewer than
            4 contexts, or a system's coefficient is undefined without one of its contexts.
        """
        value = self.mean(x, correlation)
        reason = self._too_little(value)
        if reason or abs(value) > PERFECT:
            return Interval.none(reason or "the correlation is perfect")
        usable = self._usable(x, correlation)
        without = self._without(x, correlation, usable)
        if not (np.abs(without) < PERFECT).all():  # NaN or perfect
            return Interval.none(self._one_context(usable, correlation, x))
        z, df = math.atanh(value), without.size - 1
        return jackknife_interval(z, np.arctanh(without), df, level, math.tanh)

    def difference(self, x1: Floats, x2: Floats, correlation: str) -> float:
        """The mean within systems of one metric less that of another, over systems where both are
        defined.
        """
        r1, r2 = (self.coefficients(x, correlation) for x in (x1, x2))
        return mean_of_defined(r1 - r2)

    def difference_interval(
        self, x1: Floats, x2: Floats, correlation: str, level: float = LEVEL
    ) -> Interval:
        """The jackknife interval of `difference`, with Student's t, as in `interval`."""
        value = self.difference(x1, x2, correlation)
        reason = self._too_little(value)
        if reason:
            return Interval.none(reason)
        usable = self._usable(x1, correlation, x2)
        without = self._without(x1, correlation, usable) - self._without(x2, correlation, usable)
        if np.isnan(without).any():
            return Interval.none(self._one_context(usable, correlation, x1, x2))
        df = without.size - 1
        return jackknife_interval(value, without, df, level, lambda end: min(2.0, max(-2.0, end)))

    def paired_permutation(
        self, x1: Floats, x2: Floats, correlation: str, permutations: int, rng: np.random.Generator
    ) -> Difference:
        """Tests whether two metrics agree with people equally well within systems.

        A coin for each context decides whether the scores of the two metrics are swapped for all
        replies to it. Scores are made comparable within each system first: standardised for Pearson,
        ranked otherwise. So a metric's level for a system is no part of the difference.

        Args:
            x1: Scores of a metric (float64 [n]).
            x2: float64 [n], of another.
            correlation: A name of `CORRELATIONS`.
            permutations: How many.
            rng: Where the randomness comes from.

        Returns:
            `difference` and its two-sided p; both NaN where there is no difference to be tested.

        Raises:
            ParameterError: No such correlation, or fewer than one permutation.
        """
        check_permutations(permutations)
        difference = self.difference(x1, x2, correlation)
        if math.isnan(difference):
            return Difference(math.nan, math.nan)
        measure = correlation_named(correlation)
        common = standardised if measure is pearson else average_ranks
        usable = self._usable(x1, correlation, x2)
        number, place = self.groups, self.group

        def swapped(b: int) -> Floats:
            heads = rng.integers(0, 2, size=(b, number), dtype=np.int8).astype(np.bool_)
            total = np.zeros(b)
            for s in usable:
                each = self.places[s]
                first, second, swap = common(x1[each]), common(x2[each]), heads[:, place[each]]
                y = self.y[each]
                total += measure(np.where(swap, second, first), y)
                total -= measure(np.where(swap, first, second), y)
            return total / len(usable)

        differences = map(swapped, _sizes(permutations, 3 * self.y.size))
        return Difference(difference, p_of_drawn(differences, difference))

    def _usable(self, x: Floats, correlation: str, other: Floats | None = None) -> list[int]:
        """The systems that have a coefficient, under the other metric too where there is one."""
        defined = ~np.isnan(self.coefficients(x, correlation))
        if other is not None:
            defined &= ~np.isnan(self.coefficients(other, correlation))
        return np.flatnonzero(defined).tolist()

    def _shared(
        self,
        x: Floats,
        correlation: str,
        usable: list[int],
        permutations: int,
        rng: np.random.Generator,
    ) -> Iterator[Floats]:
        """The mean in each permutation, the same for every system, in blocks."""
        measure, places = correlation_named(correlation), [self.places[s] for s in usable]
        permuted_by_system = [of_orders(x[each], self.y[each], measure) for each in places]
        for b in _sizes(permutations, 2 * self.places[0].size):
            orders = self._permuted(self.places[0], b, rng)
            yield np.mean([permuted(orders) for permuted in permuted_by_system], axis=0)

    def _studentised(
        self,
        x: Floats,
        correlation: str,
        usable: list[int],
        permutations: int,
        rng: np.random.Generator,
    ) -> Floats:
        """The mean over its standard error: first that of the data, then that of each permutation.

        The error is that of the mean of products of standardised values (of ranks, for the rank
        coefficients: without a relation Kendall's tau is 2/3 of Spearman's rho but for terms of
        higher order, and a constant factor changes no p), summed over a context's replies. Where all
        products of a permutation are equal the error is 0 and the statistic infinite.
        """
        places = [self.places[s] for s in usable]
        measure, pairs = _prepared(x, self.y, places, correlation)
        values = [np.empty(0)]
        for begin, b in enumerate(_sizes(permutations + 1, 4 * self.y.size)):
            total, error = np.zeros(b), np.zeros((b, self.groups))
            for each, (scores, ratings) in zip(places, pairs, strict=True):
                orders = self._permuted(each, b, rng)
                if not begin:
                    orders[0] = np.arange(each.size)
                again = ratings[orders]
                total += measure(scores, again)
                product = _score(scores, correlation) * _score(again, correlation)
                product -= product.mean(axis=1, keepdims=True)
                _add(error, self.group[each], product / each.size)
            with np.errstate(divide="ignore", invalid="ignore"):
                values.append(total / np.sqrt((error**2).sum(axis=1)))
        return np.concatenate(values)

    def _without(self, x: Floats, correlation: str, usable: list[int]) -> Floats:
        """The mean over systems without each context (block of contexts): float64 [blocks]."""
        measure = correlation_named(correlation)
        number = self.groups
        # Blocks of neighbours: contexts of one conversation are mostly adjacent.
        blocks = min(number, MOST_BLOCKS)
        block = self.group * blocks // number
        total = np.zeros(blocks)
        for s in usable:
            each = self.places[s]
            scores, ratings, of = x[each], self.y[each], block[each]
            sizes = np.bincount(of, minlength=blocks)
            step = max(1, BLOCK // each.size)
            for count in np.unique(sizes):
                rows = np.flatnonzero(sizes == count)
                remaining = each.size - count
                if remaining < LEAST_REPLIES:
                    total[rows] = math.nan
                    continue
                for removed in np.split(rows, range(step, rows.size, step)):
                    remains = of[None, :] != removed[:, None]
                    place = np.nonzero(remains)[1].reshape(removed.size, remaining)
                    total[removed] += measure(scores[place], ratings[place])
        return total / len(usable)

    def _one_context(self, usable: list[int], correlation: str, *metrics: Floats) -> str:
        """The reason where a coefficient is undefined, or perfect, without one of the contexts."""
        what = "contexts" if self.cluster is None else "clusters"
        lost = [
            quoted(self.names[s]) if self.names else f"system {s}"
            for s in usable
            if any(np.isnan(self._without(x, correlation, [s])).any() for x in metrics)
        ]
        if not lost:
            return f"without one of the {what} the correlation is perfect"
        more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
        return f"the correlation of {lost[0]}{more} is undefined without one of its {what}"

    def _too_little(self, value: float) -> str | None:
        if math.isnan(value):
            return "the correlation is undefined"
        if self.groups < LEAST_GROUPS:
            what = "contexts" if self.cluster is None else "clusters"
            return f"fewer than {LEAST_GROUPS} {what} to leave out in turn"
        return None

    def _permuted(self, each: Indices, b: int, rng: np.random.Generator) -> Indices:
        """Orders of the replies of a system, clusters as a whole: int64 [b, replies]."""
        if self.cluster is None:
            return rng.permuted(np.tile(np.arange(each.size), (b, 1)), axis=1)
        groups = Groups.of(self.cluster[each], each.size)
        return np.concatenate(list(groups.permuted(b, rng)))


def _add(sums: Floats, group: Indices, values: Floats) -> None:
    """Adds columns of values, float64 [b, n], to the columns of their groups."""
    if np.unique(group).size == group.size:
        sums[:, group] += values
        return
    for place, column in zip(group, values.T, strict=True):
        sums[:, place] += column


def mean_of_defined(values: Floats) -> float:
    """The mean of the values that are no NaN; NaN where there is none."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else math.nan


def _prepared(
    x: Floats, y: Floats, places: list[Indices], correlation: str
) -> tuple[Correlation, list[tuple[Floats, Floats]]]:
    """The coefficient and each system's scores and ratings: ranks permute as values do."""
    measure = correlation_named(correlation)
    pairs = [(x[each], y[each]) for each in places]
    if measure is spearman:
        return pearson, [(average_ranks(a), average_ranks(b)) for a, b in pairs]
    return measure, pairs


def _score(values: Floats, correlation: str) -> Floats:
    """Standardised values for Pearson, standardised ranks otherwise."""
    if correlation in ("pearson", "spearman"):  # Spearman's are ranks already
        return standardised(values)
    return standardised(average_ranks(values))


def _sizes(draws: int, width: int) -> list[int]:
    size = max(1, min(draws, BLOCK // max(width, 1)))
    return [min(size, draws - done) for done in range(0, draws, size)]
