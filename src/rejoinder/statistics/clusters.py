"""Which observations belong together, and how to draw them so: resamples, permutations, swaps.

Replies to one context are rated by the same people against the same message: their scores and
ratings are alike for reasons that no metric knows of. Drawn one by one they would count as more
evidence than they are, so what is drawn is whole groups.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.conventions import LEVEL, NO_SPREAD
from rejoinder.statistics.intervals import has_large_group
from rejoinder.statistics.student import t_quantile

# Draws are made in blocks of about this many numbers.
BLOCK = 1 << 21

CAUTION = 2
"""As if so many groups had shown that observations of a group are all alike, where few show anything."""

DOMINATED = 3
"""Few groups decide where ``g - 1`` is above so many times `Groups.freedom`."""

LEAST_FREEDOM = 15
"""With fewer degrees of freedom the variance between groups is too uncertain, and the jackknife is used."""

DISTANT = 0.99
"""A large group differs in kind where the mean moves without it by more than the interval of this level."""


@dataclass(frozen=True)
class Groups:
    """A partition of n observations into g groups.

    Args:
        order: The observations, group after group (int64 [n]).
        first: int64 [g], where in ``order`` each group begins.
        size: int64 [g], how many observations it has.

    >>> Groups.of(np.array([7, 3, 7]), 3).size.tolist()
    [1, 2]
    """

    order: Indices
    first: Indices
    size: Indices

    @classmethod
    def of(cls, groups: NDArray[np.generic] | None, n: int) -> Groups:
        """Reads a label for each of n observations; None makes each a group of its own.

        Raises:
            InputError: There are not n labels.
        """
        labels = np.arange(n) if groups is None else np.asarray(groups)
        if labels.shape != (n,):
            raise InputError(
                f"groups: shape {labels.shape} for {n} observations; give one label for each"
            )
        _, group, size = np.unique(labels, return_inverse=True, return_counts=True)
        return cls(np.argsort(group, kind="stable"), np.cumsum(size) - size, size)

    def __len__(self) -> int:
        return self.size.size

    @property
    def code(self) -> Indices:
        """The group of each observation, from 0: int64 [n]."""
        code = np.empty(self.order.size, dtype=np.int64)
        code[self.order] = np.repeat(np.arange(len(self)), self.size)
        return code

    @property
    def freedom(self) -> float:
        """The degrees of freedom of an error by the jackknife over the groups; see `freedom_of`."""
        return freedom_of(self.size)

    @property
    def dominated(self) -> bool:
        """Whether most groups are small beside the largest: ``g - 1`` is above 3 times `freedom`."""
        return len(self) - 1 > DOMINATED * self.freedom

    @property
    def least_effective(self) -> float:
        """``n^2 / sum_g n_g^2``: what n observations are worth where those of a group are all alike.

        >>> Groups.of(np.array([1, 1, 2, 2]), 4).least_effective
        2.0
        """
        return self.order.size**2 / float((self.size**2).sum())

    def sums(self, rows: Floats) -> Floats:
        """Rows summed by group: float64 [n, ...] to [g, ...]."""
        return np.add.reduceat(rows[self.order], self.first, axis=0)

    def resampled(
        self, resamples: int, rng: np.random.Generator, width: int = 1
    ) -> Iterator[tuple[Indices, Indices]]:
        """Draws as many groups as there are, with replacement, each with all its observations.

        Groups may differ in size, and resamples then in length; those of one length come together.

        Args:
            resamples: How many.
            rng: Where the randomness comes from.
            width: How many numbers the caller will hold for each observation drawn.

        Yields:
            The numbers of some resamples, int64 [b], and their observations, int64 [b, length].
        """
        g = len(self)
        for done, b in _blocks(resamples, self.order.size * width):
            numbers = rng.integers(0, g, size=(b, g))
            lengths = self.size[numbers].sum(axis=1)
            for length in np.unique(lengths):
                rows = np.flatnonzero(lengths == length)
                yield done + rows, self.members(numbers[rows])

    def members(self, numbers: Indices) -> Indices:
        """The observations of drawn groups: int64 [b, k] to [b, length], all of one length."""
        flat = numbers.ravel()
        size = self.size[flat]
        ends = np.cumsum(size)
        within = np.arange(ends[-1]) - np.repeat(ends - size, size)
        return self.order[np.repeat(self.first[flat], size) + within].reshape(len(numbers), -1)

    def permuted(self, trials: int, rng: np.random.Generator, width: int = 1) -> Iterator[Indices]:
        """Exchanges whole groups of one size with each other, and shuffles within every group.

        Where every group is a single observation, this is a plain permutation.

        Yields:
            int64 [b, n]: the observation that takes the place of each.
        """
        n = self.order.size
        classes = [np.flatnonzero(self.size == size) for size in np.unique(self.size)]
        members = [self.members(each[:, None]) for each in classes]
        for _, b in _blocks(trials, n * width):
            orders = np.empty((b, n), dtype=np.int64)
            for block in members:
                g, m = block.shape
                group = rng.permuted(np.tile(np.arange(g), (b, 1)), axis=1)[:, :, None]
                place = np.zeros((b, g, m), dtype=np.int64)
                if m > 1:
                    place = rng.permuted(np.tile(np.arange(m), (b, g, 1)), axis=2)
                orders[:, block.ravel()] = block[group, place].reshape(b, -1)
            yield orders

    def permuted_in(
        self, clusters: NDArray[np.generic], trials: int, rng: np.random.Generator, width: int = 1
    ) -> Iterator[Indices]:
        """The same inside each cluster of groups; and clusters of groups of one shape change places.

        Args:
            clusters: [n], the cluster of each observation; a group lies in one cluster.
            trials: How many.
            rng: Where the randomness comes from.
            width: How many numbers the caller will hold for each observation.

        Yields:
            int64 [b, n]: the observation that takes the place of each.
        """
        group = self.code
        sizes = self.size[group]
        shapes: dict[tuple[int, ...], list[Indices]] = {}
        for label in np.unique(clusters):
            members = np.flatnonzero(clusters == label)
            members = members[np.lexsort((group[members], sizes[members]))]
            shapes.setdefault(tuple(sizes[members].tolist()), []).append(members)
        n = self.order.size
        for _, b in _blocks(trials, n * width):
            orders = np.empty((b, n), dtype=np.int64)
            for alike in shapes.values():
                inside = np.stack([
                    members[np.concatenate(list(Groups.of(group[members], members.size).permuted(b, rng)))]
                    for members in alike
                ], axis=1)  # fmt: skip
                order = rng.permuted(np.tile(np.arange(len(alike)), (b, 1)), axis=1)
                orders[:, np.concatenate(alike)] = np.take_along_axis(
                    inside, order[:, :, None], axis=1
                ).reshape(b, -1)
            yield orders

    def swaps(
        self, trials: int, rng: np.random.Generator, width: int = 1
    ) -> Iterator[NDArray[np.bool_]]:
        """Tosses a coin for every group.

        Yields:
            bool [b, n], the same for all observations of a group.
        """
        n = self.order.size
        for _, b in _blocks(trials, n * width):
            heads = rng.integers(0, 2, size=(b, len(self)), dtype=np.int8).astype(np.bool_)
            coins = np.empty((b, n), dtype=np.bool_)
            coins[:, self.order] = np.repeat(heads, self.size, axis=1)
            yield coins


def freedom_of(sizes: NDArray[np.generic]) -> float:
    """The degrees of freedom of an error by the jackknife over groups of these sizes.

    ``(sum_g h_g^(4/3))^-3 - 1`` with h_g the share of a group: g - 1 for groups of one size, less where
    few groups hold most of the observations. The first term is Hill's number (1973) of the order 4/3,
    which lies between the perplexity of the shares (order 1) and ``1 / sum_g h_g^2`` (order 2). The
    order was found by simulation (docs/studies/coverage.md): g - 1 covers too little where one group
    holds half of the observations, and order 2 too much. Of two groups or more not below 1, which is
    enough where one group holds nearly all observations (.97 to 1 in simulations): with less, t becomes
    larger than any scale.

    Args:
        sizes: [g], how much each group counts, in any unit; a group of size 0 is none.

    >>> freedom_of(np.array([5, 5, 5, 5])), round(freedom_of(np.array([15, 5, 5, 5])), 2)
    (3.0, 2.3)
    """
    shares = np.asarray(sizes, dtype=np.float64)
    shares = shares[shares > 0] / shares.sum()
    if np.ptp(shares) == 0:
        return shares.size - 1.0
    return max(1.0, float((shares ** (4 / 3)).sum() ** -3) - 1)


def influences(terms: Floats, group: Indices, groups: int) -> Floats:
    """How far a mean moves without each group, scaled: the squares add up to its jackknife variance.

    ``sqrt((g - 1) / g) u_i`` with ``u_i = sum_j t_ij / (1 - n_i / n)`` for the g groups that have any of
    the n observations; 0 for others. NaN where one group has all of them.

    Args:
        terms: float64 [n], what each observation adds to the mean's error: ``(y - mean) / n``, or times
            its weight in the place of ``1 / n``.
        group: The group of each (int64 [n]).
        groups: How many groups there are.
    """
    sizes = np.bincount(group, minlength=groups)
    g = int((sizes > 0).sum())
    rest = np.where(sizes < group.size, 1 - sizes / group.size, np.nan)
    return math.sqrt((g - 1) / g) * np.bincount(group, terms, groups) / rest


def mean_variance(values: Floats, groups: Groups) -> float:
    """The variance of the mean of grouped observations, by the jackknife over the groups.

    ``(g - 1) / g sum_i (x_(i) - x)^2``, x_(i) the mean x without group i, with `freedom_of` the sizes
    as degrees of freedom. Where groups have one size, the linearised variance
    ``g / (g - 1) sum_i (sum_j (y_ij - mean))^2 / n^2`` (Miller 2024, arXiv 2411.00640), and where every
    group is a single observation, ``s^2 / n``. NaN for one group.

    Args:
        values: float64 [n].
        groups: The groups.

    >>> y = np.array([1.0, 1.0, 4.0, 4.0])
    >>> [round(mean_variance(y, Groups.of(each, 4)), 12) for each in (None, y)]
    [0.75, 2.25]
    """
    terms = (values - values.mean()) / values.size
    return float((influences(terms, groups.code, len(groups)) ** 2).sum())


class VarianceComponents(NamedTuple):
    """The variance of grouped observations in two parts.

    Args:
        between: That of the groups' own means; 0 where the estimate is negative.
        within: That of the observations of one group.
    """

    between: float
    within: float


def variance_components(values: Floats, groups: Groups) -> VarianceComponents:
    """The one-way decomposition by the mean squares of an analysis of variance.

    ``within = MSW`` and ``between = (MSB - MSW) / n_0`` with ``n_0 = (n - sum_i n_i^2 / n) / (g - 1)``;
    for groups of one size the estimate by restricted maximum likelihood, where that is above 0. NaN
    for one group, or where no group has two observations.

    Args:
        values: float64 [n].
        groups: The groups.

    >>> variance_components(np.array([1.0, 3.0, 5.0, 7.0]), Groups.of(np.array([0, 0, 1, 1]), 4))
    VarianceComponents(between=7.0, within=2.0)
    """
    g, n = len(groups), values.size
    if g < 2 or n <= g:
        return VarianceComponents(math.nan, math.nan)
    means = groups.sums(values) / groups.size
    among = float((groups.size * (means - values.mean()) ** 2).sum()) / (g - 1)
    within = (float(((values - values.mean()) ** 2).sum()) - among * (g - 1)) / (n - g)
    size = (n - float((groups.size**2).sum()) / n) / (g - 1)
    return VarianceComponents(max(0.0, (among - within) / size), max(0.0, within))


class MeanVariance(NamedTuple):
    """The variance of a mean.

    Args:
        variance: In squared units of the values.
        df: Its degrees of freedom.
    """

    variance: float
    df: float


def dominated_variance(values: Floats, groups: Groups) -> MeanVariance | None:
    """The variance of a mean whose error comes mostly from one large group beside many small ones.

    The jackknife would take the deviation of the large group for the standard error, but the error of the
    mean is nearly that same deviation: with very many small groups, ``mean +- t e`` would contain the truth
    always where t is above 1. So the variance is estimated from all groups, each counted once:
    ``b sum_g w_g^2 + sum_g w_g^2 s_g^2 / n_g`` with n_g the size of a group, ``w_g = n_g / n``, s_g^2 the
    variance within it (for a group of one observation the mean s^2 of the larger groups), and b the mean of
    the g terms ``g / (g - 1) (m_g - m)^2 - s_g^2 / n_g``, at least 0, where m is the mean of the groups'
    means m_g. By Satterthwaite (1946) it has ``2 variance^2 / (e sum_g w_g^2)^2`` degrees of freedom, at
    most ``g - 1``, e the standard error of b.

    This assumes that large groups differ as small ones do.

    Args:
        values: float64 [n].
        groups: The groups.

    Returns:
        None where the jackknife is to be used: no group holds more than a third of the observations; the
        groups are not `Groups.dominated`; there are fewer than 15 degrees of freedom; or the greatest of the
        `influences` is above t (99%) times the new standard error, so that this group differs in kind.

    >>> group = np.append(np.repeat(0, 300), 1 + np.arange(300) // 2)
    >>> values = np.random.default_rng(1).normal(size=151)[group]
    >>> [round(each, 3) for each in dominated_variance(values, Groups.of(group, 600))]
    [0.195, 121.179]
    """
    sizes, g = groups.size, len(groups)
    if not has_large_group(sizes) or not groups.dominated:
        return None
    means = groups.sums(values) / sizes
    within = groups.sums((values - means[groups.code]) ** 2) / np.maximum(sizes - 1, 1)
    within[sizes == 1] = within[sizes > 1].mean()
    terms = g / (g - 1) * (means - means.mean()) ** 2 - within / sizes
    squares = (sizes / values.size) ** 2
    between = max(0.0, float(terms.mean())) * float(squares.sum())
    variance = between + float((squares * within / sizes).sum())
    error = float(terms.std(ddof=1)) / math.sqrt(g) * float(squares.sum())  # that of `between`
    df = min(g - 1.0, 2 * (variance / error) ** 2) if error > NO_SPREAD**2 else 0.0
    if df < LEAST_FREEDOM:
        return None
    moved = influences((values - values.mean()) / values.size, groups.code, g)
    if np.abs(moved).max() > t_quantile(DISTANT, df) * math.sqrt(variance):
        return None
    return MeanVariance(variance, df)


def interval_variance(values: Floats, groups: Groups) -> float:
    """The variance by which `mean_inference` makes its interval: `dominated_variance`, or `mean_variance`."""
    dominated = dominated_variance(values, groups)
    return dominated.variance if dominated else mean_variance(values, groups)


def effective_size(
    values: Floats, groups: NDArray[np.generic] | Groups, variance: float | None = None
) -> float:
    """How many independent observations a mean of grouped ones is worth.

    Observations of one group are alike: their mean varies as that of n / deff independent ones would,
    with the design effect ``deff = V / (s^2 / n)`` and V the `mean_variance` by groups (Kish 1965; put
    into Wilson's interval as Kott and Carr 1997 do).

    Args:
        values: float64 [n].
        groups: [n], the group of each.
        variance: V; None: the `mean_variance`.

    Returns:
        From `Groups.least_effective` (the observations of a group are all alike: as many as there are
        groups, where these are of one size) to n (each speaks for itself); what the formula gives
        beyond is chance. The cautious end where the values do not vary or there is one group alone:
        then nothing can be estimated.

    Raises:
        InputError: No values, or other groups than values.

    >>> effective_size(np.array([1.0, 1.0, 0.0, 0.0]), np.array([1, 1, 2, 2]))
    2.0
    """
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or not values.size:
        raise InputError(f"effective_size: shape {values.shape}; give one vector of values")
    n = values.size
    groups = groups if isinstance(groups, Groups) else Groups.of(groups, n)
    if len(groups) < 2 or values.min() == values.max():
        return groups.least_effective
    plain = ((values - values.mean()) ** 2).sum() / (n * (n - 1))
    grouped = mean_variance(values, groups) if variance is None else variance
    return (
        float(np.clip(n * plain / grouped, groups.least_effective, n)) if grouped > 0 else float(n)
    )


def interval_size(values: Floats, groups: Groups, single: bool = False) -> float:
    """How many independent passes and failures a share is worth, for an interval of rates.

    ``n / deff (t_(n - 1) / t_(g - 1))^2`` of g groups with the design effect
    ``deff = 1 + rho (sum_i n_i^2 / n - 1)``, rho the intraclass correlation by `variance_components`: as
    wide as Student's t makes it, since an interval of rates knows no degrees of freedom (Korn and
    Graubard 1998). Not below `Groups.least_effective`, which needs no t: there is no greater design
    effect. The jackknife's own design effect, with few degrees of freedom, would be no guide: it is large
    in the very samples in which a large group lies far off.

    How alike a group's observations are is seen in the groups alone that have another value than most
    observations have: one failure among a hundred passes shows nothing of it, and would make the
    interval narrow just where the share is far from the truth. So the design effect is the mean of
    the one that c of g groups show, counted c times, and of the greatest there can be, counted
    ``2 (1 - c / g)`` times, which was found by simulation (docs/studies/coverage.md).

    One group that holds half of the observations or more, beside many small ones (`Groups.dominated`), is
    most of the error, and the groups show too little of how alike its observations are. Then a single rate
    is worth ``min(n, max(e, s^2 / V)) (t_(n - 1) / t_(max(1, e - 1)))^2``, which
    can be below e: e is `Groups.least_effective`, s^2 the variance of the values, and V that of their mean,
    ``g / (g - 1) sum_i (sum_j (y_ij - mean))^2 / n^2``. Of other sizes, and of a difference of two rates,
    whose test would err in 8 of 100, that is too narrow an interval; people's shares need it less.

    Args:
        values: The value of each observation, [n]: one for each item, since several of one item are
            more alike than those of a group of items.
        groups: The clusters of the observations.
        single: Whether it is one rate of passes, of which one large group may decide.

    >>> round(interval_size(np.array([1.0, 1.0, 0.0, 0.0, 1.0, 0.0]), Groups.of(None, 6)), 6)
    6.0
    """
    n, g, greatest = values.size, len(groups), values.size / groups.least_effective
    if g in (1, n):
        return groups.least_effective
    half = 2 * int(groups.size.max()) >= n
    if single and half and groups.dominated:
        least, apart = groups.least_effective, values - values.mean()
        variance = g / (g - 1) * float((groups.sums(apart) ** 2).sum()) / n**2
        worth = values.var(ddof=1) / variance if variance > NO_SPREAD**2 else least
        student = t_quantile(LEVEL, n - 1) / t_quantile(LEVEL, max(1.0, least - 1))
        return float(min(n, max(least, worth)) * student**2)
    kinds, code = np.unique(values, return_inverse=True)
    unlike = (code != np.bincount(code, minlength=kinds.size).argmax()).astype(np.float64)
    seen = float((groups.sums(unlike) > 0).sum())
    between, within = variance_components(values, groups)
    shown = 1 + between / (between + within) * (greatest - 1) if seen else greatest
    caution = CAUTION * (1 - seen / g)
    effect = (seen * shown + caution * greatest) / (seen + caution) if seen else greatest
    student = t_quantile(LEVEL, n - 1) / t_quantile(LEVEL, g - 1)
    return max(groups.least_effective, n / effect * student**2)


def of_freedom(groups: Groups) -> float:
    """``(t_(n - 1) / t_f)^2``, f the `freedom_of` the groups: makes an interval of rates as wide as t."""
    return (t_quantile(LEVEL, groups.order.size - 1) / t_quantile(LEVEL, groups.freedom)) ** 2


def _blocks(draws: int, width: int) -> Iterator[tuple[int, int]]:
    size = max(1, min(draws, BLOCK // max(width, 1)))
    for done in range(0, draws, size):
        yield done, min(size, draws - done)
