"""How the difference of two systems' ratings varies with items and with raters.

The spread of people's ratings is taken apart, so that it can be put together again for another
number of raters.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.metrics.engine.resampling import BLOCK
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.conventions import NOISE
from rejoinder.statistics.power import QUANTILE

LEAST_PAIRS = 20
NO_SPREAD = "the pilot's items all show the same difference: there is no spread to plan from"


(
    DIFFERENCE, SQUARE, WITHIN_A, FREE_A, WITHIN_B, FREE_B, PRODUCTS, FREE_BOTH, PER_A, PER_B, PER_BOTH,
    COMMON, ITEMS, TOTAL_SQUARE, TOTAL_BY_ITEMS, ITEMS_SQUARE,
) = range(16)  # fmt: skip
"""The columns of the sums of an item or a cluster: d and its square; the sum of squares within the ratings
of a and its degrees of freedom, those of b, and those of the products of raters of both; 1 / k of a, of b and
of both; the share of raters in common; 1; of a cluster the squares and product of d and 1."""


@dataclass(frozen=True)
class People:
    """Ratings of two systems on the items where both have some, brought down to sums.

    Of one item and pair of systems, let d be the difference of the two mean ratings. With k raters
    to a reply its variance over items is

        items + (raters + rest) / k        raters drawn anew for each item
        items + rest / k                   the same raters throughout

    ``items``: how the true difference varies from item to item. ``raters``: how persistently one
    rater leans to one of the systems. ``rest``: all else that makes two raters of an item differ.
    Of a rater who rates both systems on an item only the difference counts, so severity is none of
    it. Unbiased estimates by moments, for any pattern of missing ratings.

    Items in clusters: the variance of the mean of d is linearised over clusters, so ``variance`` is n
    times that. What clusters add is a part of how the true difference varies, which no number of
    raters changes.

    Args:
        rows: float64 [u, 16], sums of each item, or of each cluster of items (see `people`).
        lean: The variance of the raters' leanings; NaN where it cannot be seen: few rate both
            systems, or hardly one meets two items.
        shared: From 0 (no rater meets two items) to 1 (a panel rates all).
        panel: How many raters rated both systems on some item.
        difference: The mean of d.
    """

    rows: Floats
    lean: float
    shared: float
    panel: int
    difference: float

    @property
    def n(self) -> int:
        """How many items both systems have ratings of."""
        return round(float(self.sums[ITEMS]))

    @property
    def units(self) -> int:
        """How many of them are independent: clusters, or else items."""
        return len(self.rows)

    @cached_property
    def sums(self) -> Floats:
        """All rows summed."""
        return self.rows.sum(axis=0)

    @property
    def raters(self) -> float:
        """The raters of a reply: the harmonic mean, since variances scale with it."""
        return float(2 * self.n / (self.sums[PER_A] + self.sums[PER_B]))

    @property
    def shows_raters(self) -> bool:
        """Whether the raters' part can be seen: each system has a reply with two raters."""
        return bool(self.sums[FREE_A] > 0 and self.sums[FREE_B] > 0)

    @property
    def confounded(self) -> bool:
        """Whether no rater rates both systems on one item."""
        return not self.sums[FREE_BOTH] > 0 and not self.sums[PER_BOTH] > 0

    @cached_property
    def noise(self) -> float:
        """What one more rater brings in: raters (as far as they change with items) and rest."""
        return float(_noise(self.sums, self.leaning)) if self.shows_raters else math.nan

    @property
    def leaning(self) -> float:
        """The rater-by-system covariance shared by items, and so no part of their spread."""
        return 0.0 if math.isnan(self.lean) else self.lean * self.shared

    def parts(self) -> dict[str, float]:
        """The three variances; NaN where the pilot does not show them.

        Leanings that cannot be seen are among the rest.
        """
        anew = 0.0 if math.isnan(self.lean) else self.lean * (1 - self.shared)
        rest = max(0.0, self.noise - anew) if self.shows_raters else math.nan
        items = max(0.0, float(_seen(self.sums)) - self.noise / self.raters)
        return {"items": items, "raters": self.lean, "rest": rest}

    def variance(self, raters: float) -> float:
        """N times the variance of the mean of d over n items, with so many raters to a reply."""
        return float(_variance(self.sums, self.units, raters, self.raters, self.leaning))

    @property
    def design_effect(self) -> float:
        """By how much clusters multiply the variance of the mean of d; NaN where d does not vary."""
        alone = float(_seen(self.sums))
        return self.variance(self.raters) / alone if alone > NOISE else math.nan

    @property
    def floor(self) -> float:
        """How far other raters' difference may lie from these raters', on 95% of occasions.

        NaN where leanings cannot be seen; 0 where raters change from item to item.
        """
        return QUANTILE * math.sqrt(self.lean * self.shared / self.raters)

    def doubt(self, raters: float, counts: Iterable[Floats]) -> float:
        """The standard deviation of log ``variance``, by resampling the pilot's items or clusters.

        Never less than that of as many normal differences, sqrt(2 / (u - 1)) of the variance seen:
        small pilots look surer of their spread than they are.

        Args:
            raters: To a reply.
            counts: float64 [b, u] each, how often each item (or cluster) stands in each resample.
        """
        totals = np.concatenate([each @ self.rows for each in counts])
        variances = _variance(totals, self.units, raters, self.raters, self.leaning)
        variances = variances[variances > NOISE]
        # More raters take a part away from what was seen; what was seen stays as doubtful.
        part = max(1.0, self.variance(self.raters) / max(NOISE, self.variance(raters)))
        least = part * math.sqrt(2 / (self.units - 1))
        return max(least, float(np.log(variances).std())) if variances.size > 1 else least


def people(a: Floats, b: Floats, clusters: Indices | None = None) -> People | None:
    """Takes apart the ratings of two systems.

    Args:
        a: The ratings of one system's replies, NaN where there is none (float64 [items, raters]).
        b: The other's.
        clusters: The cluster of each (int64 [items]); None takes every item by itself.

    Returns:
        None where no item has ratings of both.
    """
    rated = np.isfinite(a).any(axis=1) & np.isfinite(b).any(axis=1)
    if not rated.any():
        return None
    a, b = a[rated], b[rated]
    in_a, in_b = np.isfinite(a), np.isfinite(b)
    ka, kb = in_a.sum(axis=1).astype(np.float64), in_b.sum(axis=1).astype(np.float64)
    mean_a, mean_b = _sum(a) / ka, _sum(b) / kb
    off_a = np.where(in_a, a - mean_a[:, None], 0.0)
    off_b = np.where(in_b, b - mean_b[:, None], 0.0)
    c = (in_a & in_b).sum(axis=1)
    d = mean_a - mean_b
    rows = np.stack(
        [
            d,
            d * d,
            (off_a**2).sum(axis=1),
            ka - 1,
            (off_b**2).sum(axis=1),
            kb - 1,
            # Whoever rates both brings in the covariance: E of the sum is c (1 - 1/ka - 1/kb +
            # c / ka kb) times it, since the means that are taken off hold the rater too.
            np.where(in_a & in_b, off_a * off_b, 0.0).sum(axis=1),
            c * (1 - 1 / ka - 1 / kb + c / (ka * kb)),
            1 / ka,
            1 / kb,
            c / (ka * kb),
            2 * c / (ka + kb),
            np.ones(len(d)),
        ],
        axis=1,
    )
    leaning = persistent(a - b) if 2 * rows[:, COMMON].sum() >= len(rows) else math.nan
    shared = overlap(a - b, (ka + kb) / 2) * 2 * len(rows) / float((1 / ka + 1 / kb).sum())
    sums = Groups.of(None if clusters is None else clusters[rated], len(rows)).sums(rows)
    size, total = sums[:, ITEMS], sums[:, DIFFERENCE]
    sums = np.column_stack([sums, total * total, total * size, size * size])
    panel = int((in_a & in_b).any(axis=0).sum())
    return People(
        sums, leaning, min(1.0, max(0.0, shared)), panel, float(rows[:, DIFFERENCE].mean())
    )


def persistent(values: Floats) -> float:
    """The variance of what raters bring to every unit alike (severity; a leaning).

    Two values of one rater on different units have it in common, two of different raters do not:
    the mean product of the former less that of the latter. 0 where it comes out negative; NaN where
    fewer than 20 pairs of values of one rater, or of two raters, stand on different units.

    Args:
        values: float64 [units, raters], NaN where missing.

    >>> persistent(np.array([[1.0, -1.0]] * 5))
    2.0
    """
    present = np.isfinite(values)
    if not present.any():
        return math.nan
    values = np.where(present, values - values[present].mean(), 0.0)
    same, different = [], []
    for each in (values, present.astype(np.float64)):
        squares, of_raters = (each**2).sum(), (each.sum(axis=0) ** 2).sum()
        of_units = (each.sum(axis=1) ** 2).sum()
        same.append(of_raters - squares)
        different.append(each.sum() ** 2 - of_units - of_raters + squares)
    if min(same[1], different[1]) < 2 * LEAST_PAIRS:  # either way round
        return math.nan
    return max(0.0, float(same[0] / same[1] - different[0] / different[1]))


def overlap(values: Floats, raters: Floats) -> float:
    """How far two units share raters: the mean over pairs of units of sum_r w_ir w_jr, w = 1 / k.

    Args:
        values: float64 [units, raters], NaN where missing.
        raters: float64 [units], k.
    """
    n = len(values)
    if n < 2:
        return 0.0
    weights = np.isfinite(values) / raters[:, None]
    return float(((weights.sum(axis=0) ** 2).sum() - (weights**2).sum()) / (n * (n - 1)))


@dataclass(frozen=True)
class Noise:
    """How reliable mean ratings of replies are, pooled over systems.

    Attributes:
        whole: The variance of the mean ratings.
        each: What one rater brings in; NaN where no reply has two.
        raters: The raters of a reply (harmonic mean).
    """

    whole: float
    each: float
    raters: float

    def factor(self, raters: float) -> float:
        """What a correlation with the mean of so many raters is to the pilot's.

        The attenuation of classical test theory (Spearman 1904): the square root of the ratio of the
        two reliabilities. NaN where the raters' noise is all that the pilot shows.
        """
        if raters == self.raters:
            return 1.0
        variance = self.whole + self.each * (1 / raters - 1 / self.raters)
        if not self.whole > self.each / self.raters or not variance > 0:
            return math.nan
        return math.sqrt(self.whole / variance)


def reliability(matrix: Floats) -> Noise:
    """How reliable the mean ratings of replies are.

    Args:
        matrix: float64 [replies, raters], NaN where missing; every reply has one.
    """
    present = np.isfinite(matrix)
    k = present.sum(axis=1).astype(np.float64)
    means = _sum(matrix) / k
    raters = float(k.size / (1 / k).sum())
    free = (k - 1).sum()
    if not free > 0 or k.size < 2:
        return Noise(float(means.var()), math.nan, raters)
    within = np.where(present, matrix - means[:, None], 0.0)
    each = float((within**2).sum() / free)
    # A panel's severity is in every mean rating alike, and disturbs no correlation.
    severity = persistent(matrix)
    alike = 0.0 if math.isnan(severity) else severity * min(1.0, raters * overlap(matrix, k))
    return Noise(float(means.var(ddof=1)), max(0.0, each - alike), raters)


def multiplicities_of(n: int, size: int, resamples: int, seed: int) -> Iterator[Floats]:
    """How often each of n items stands in resamples of ``size`` items.

    Args:
        n: Number of items of the pilot.
        size: Number of items of a resample.
        resamples: Number of resamples.
        seed: Random seed.

    Yields:
        float64 [b, n], rows that sum to ``size``; the blocks' b add up to ``resamples``.
    """
    rng = np.random.default_rng([seed, size])
    share = np.full(n, 1 / n)
    step = max(1, min(resamples, BLOCK // n))
    for done in range(0, resamples, step):
        counts = rng.multinomial(size, share, size=min(step, resamples - done))
        yield counts.astype(np.float64)


def _noise(sums: Floats, constant: float) -> Floats:
    """What one rater of each reply adds to the variance of d: [..., 16] to [...]."""
    free_a, free_b = np.maximum(sums[..., FREE_A], NOISE), np.maximum(sums[..., FREE_B], NOISE)
    both = sums[..., FREE_BOTH] > NOISE
    covariance = np.where(both, sums[..., PRODUCTS], 0.0) / np.where(
        both, sums[..., FREE_BOTH], 1.0
    )
    share = np.minimum(1.0, sums[..., COMMON] / sums[..., ITEMS])
    each = sums[..., WITHIN_A] / free_a + sums[..., WITHIN_B] / free_b - 2 * share * covariance
    return np.maximum(0.0, each - constant)


def _seen(sums: Floats) -> Floats:
    """The variance of d over items, each by itself: [..., 16] to [...]."""
    n = sums[..., ITEMS]
    mean = sums[..., DIFFERENCE] / n
    return np.maximum(0.0, sums[..., SQUARE] / n - mean * mean) * (n / np.maximum(1, n - 1))


def _variance(sums: Floats, units: int, raters: float, pilot: float, constant: float) -> Floats:
    """N times the variance of the mean of d, with other raters than the pilot's: [..., 16] to [...].

    With the pilot's own number it is what was seen: ``u / (u - 1) sum_g (sum_{i in g} (d_i - mean))^2
    / n`` over u clusters, or items by themselves. With more it cannot fall below what raters alone
    bring in, nor, by an unlucky estimate, below 0.
    """
    n = sums[..., ITEMS]
    mean = sums[..., DIFFERENCE] / n
    squares = (
        sums[..., TOTAL_SQUARE]
        - 2 * mean * sums[..., TOTAL_BY_ITEMS]
        + mean * mean * sums[..., ITEMS_SQUARE]
    )
    seen = np.maximum(0.0, squares / n) * (units / max(1, units - 1))
    if raters == pilot:
        return seen
    noise = _noise(sums, constant)
    return np.maximum(seen + noise * (1 / raters - 1 / pilot), np.minimum(seen, noise / raters))


def _sum(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, 0.0).sum(axis=1)
