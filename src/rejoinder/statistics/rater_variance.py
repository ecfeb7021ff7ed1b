"""How much a difference of mean ratings varies because other people might have rated."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.conventions import LEVEL, NOISE
from rejoinder.statistics.rating_matrix import RaterEffects
from rejoinder.statistics.student import degrees_of_freedom, t_quantile


class SingleRatings(NamedTuple):
    """The single ratings of two systems' replies, which come to a label for each item.

    The label of an item is the mean rating of the first system's reply less that of the second's.

    Args:
        item: The place of the item among the n labelled ones (int64 [k]).
        rater: int64 [k], who rated: 0 to R - 1.
        sign: float64 [k], 1 for a reply of the first system, -1 for one of the second.
        score: float64 [k].
        random: Whether the raters are a sample of all raters; otherwise they are the only ones.
    """

    item: Indices
    rater: Indices
    sign: Floats
    score: Floats
    random: bool = True

    def shares(self, share: Floats) -> Floats:
        """The share of each rater in the mean of each system: float64 [2, raters], rows that add up to 1.

        Args:
            share: float64 [n], how much each item counts; they add up to 1.
        """
        raters = int(self.rater.max()) + 1
        place = self.side * raters + self.rater
        sums = np.bincount(place, self.each(share), 2 * raters)
        return sums.reshape(2, raters).astype(np.float64)

    @property
    def side(self) -> Indices:
        """0 for a rating of the first system, 1 for one of the second: int64 [k]."""
        return (self.sign < 0).astype(np.int64)

    def each(self, share: Floats) -> Floats:
        """What each rating counts in the mean of its system: float64 [k]."""
        place = 2 * self.item + self.side
        return share[self.item] / np.bincount(place)[place]


MOST_OF_ONE = 2 / 3
"""A rater who gives a larger share of a system's ratings says nothing of how raters differ."""

TIED = 0.5
"""Systems whose raters are the same in a smaller share of the ratings are rated by different people."""

FEW_MORE = 0.75
"""With two raters, so much more of the noise of ratings counts as theirs."""

MOST_NOISE = 2
"""The largest share of the noise that counts as the raters', times their degrees of freedom."""

FEW_EFFECTIVE = 2.0
"""So few raters, by their shares of the ratings of both systems, say nothing of how raters differ."""

Scope = Literal["other raters", "these raters", "no raters"]

NO_RATERS = (
    "different people rate the two systems, so that the difference of the systems cannot be told from that "
    "of the raters' severity"
)


def shared(shares: Floats) -> float:
    """Which share of the ratings of two systems the same people gave, float64 [2, raters]."""
    return float(shares.min(axis=0).sum())


def scope(shares: Floats, random: bool = True) -> Scope:
    """For whom the interval of a difference of two systems' mean ratings can hold.

    ``other raters`` where raters are a sample, nobody gives more than two thirds of the ratings of a system,
    and the effective number of raters of both systems together is above 2: by two raters alone, with one
    degree of freedom, an interval mostly reaches beyond the grades. Otherwise ``these raters``, if they are
    mostly the same for both systems (one rater of both, say). Otherwise the difference holds the severity of
    different people, and there is no interval at all.

    Args:
        shares: float64 [2, raters], see `SingleRatings.shares`.
        random: Whether the raters are a sample of all raters.

    >>> scope(np.full((2, 3), 1 / 3)), scope(np.eye(2)), scope(np.full((2, 2), 1 / 2))
    ('other raters', 'no raters', 'these raters')
    """
    effective = 1 / float((shares.mean(axis=0) ** 2).sum())
    if random and shares.max() <= MOST_OF_ONE + NOISE and effective > FEW_EFFECTIVE + NOISE:
        return "other raters"
    return "these raters" if shared(shares) >= TIED else "no raters"


class SeverityInLabels(NamedTuple):
    """What the severity of raters adds to the difference of two systems.

    Args:
        labels: By item what it adds to the label (float64 [n]).
        unknown: The share of the ratings by raters of whom no reply with several raters tells how severe
            they are.
    """

    labels: Floats
    unknown: float


def severity_in_labels(a: Floats, b: Floats, share: Floats) -> SeverityInLabels:
    """What the severity of raters adds to the label of each item, where it can be told from quality.

    With s_ai the shares of the raters in the mean of system a's reply to item i, beta their severities by
    least squares (`RaterEffects`) and w_i the share of the item, raters add ``(s_ai - s_bi) beta`` to the
    label, and ``c beta`` to the mean, ``c = sum_i w_i (s_ai - s_bi)``. That beta is estimated counts in the
    variance: with N its normal equations and e_i what the fit leaves of the ratings of item i,
    ``c N^-1 e_i / w_i`` is taken off too, which is 0 on average.

    Args:
        a: The ratings of the first system's replies (float64 [n, raters], NaN where there is none).
        b: Those of the second's.
        share: float64 [n], how much each item counts; they add up to 1.

    >>> ratings = np.array([[1.0, 3.0], [2.0, 4.0]]), np.array([[2.0, np.nan], [3.0, np.nan]])
    >>> severity_in_labels(*ratings, np.full(2, 0.5))[0].round(6).tolist()
    [1.0, 1.0]
    """
    effects, n = RaterEffects.of(np.concatenate([a, b])), len(share)
    apart = effects.shares[:n] - effects.shares[n:]
    contrast = share @ apart
    weights = contrast @ effects.inverse
    estimated = effects.residuals @ weights
    unknown = contrast - weights @ effects.normal
    labels = apart @ effects.severities + (estimated[:n] + estimated[n:]) / share
    return SeverityInLabels(labels, float(np.abs(unknown).sum()) / 2)


class RaterVariance(NamedTuple):
    """The part of a variance that raters add.

    Args:
        value: The variance; 0 where raters differ no more than their items let them.
        raters: How many there are.
        square: What raters differ by, their items included.
        noise: What their items and ratings alone would make of that.
        df: The degrees of freedom of ``square``.
        scope: For whom the mean then holds.
    """

    value: float
    raters: int
    square: float = 0.0
    noise: float = 0.0
    df: float = math.nan
    scope: Scope = "these raters"

    def beside(self, variance: float, df: float) -> tuple[float, float]:
        """Both variances together, and degrees of freedom by which an interval holds.

        Few raters often look alike by chance, and Satterthwaite's degrees of freedom (1946) then take
        them to be (with 3 raters who differ the interval covers .91). So the squares of the two
        half-widths are added (Howe 1974), ``t_df^2 V + t_R^2 V_R``, and the degrees of freedom are those
        for which one t gives the same. Both variances hold the noise of the ratings, which
        counts once: more of it as the raters' the more of the variance of items it makes up, but less the
        more raters there are, since how they differ is then better known (the formula was chosen by
        simulation: docs/studies/coverage.md). Where raters look more alike than the noise of their
        ratings lets them, the estimate of their own variance is negative and counts as 0: nobody can be
        surer of other raters than of these, so the interval is never narrower than that of items alone.

        >>> RaterVariance(1.0, 3, 1.0, 0.0, 2.0, "other raters").beside(1.0, 28.0)[1].__round__(2)
        2.73
        """
        if self.scope != "other raters" or not variance + self.square > 0:
            return variance, df
        part = math.sqrt(min(1.0, self.noise / variance)) if variance > 0 else 1.0
        part = 1 - (1 - part) * (1 - FEW_MORE / max(1.0, self.df) ** 2)
        part = min(part, MOST_NOISE / max(1.0, self.df))
        of_items = max(0.0, variance - part * self.noise)
        of_raters = max(0.0, self.square - (1 - part) * self.noise)
        total = max(variance, of_items + of_raters)
        t = t_quantile(LEVEL, df)
        reach = t**2 * of_items + t_quantile(LEVEL, self.df) ** 2 * of_raters
        if not reach > t**2 * variance:
            return variance, df
        return total, degrees_of_freedom(LEVEL, math.sqrt(reach / total))


def rater_variance(
    ratings: SingleRatings, groups: Groups, share: Floats, correction: Floats, of_items: float = 1.0
) -> RaterVariance:
    """The variance of a mean of labels that is due to raters, beside that of items.

    Raters are drawn beside and independently of items (Owen 2007). With w_ra the share of rater r in the
    mean of system a, and psi_r what the ratings of r, less the mean of their system, contribute to the
    estimate: if a rater's effect on each system varies alike, the sum of the variances of the raters' parts
    is that of ``sum_r k_r psi_r^2``, with ``k_r = (w_ra^2 + w_rb^2) / c_rr`` and c the covariances of the
    psi_r for effects of variance 1 (the means that are taken off hold the rater too). With R raters of
    both systems k_r is R / (R - 1), and severity cancels; with R_a raters of a system of their own it is
    R_a / (R_a - 1). The degrees of freedom are ``(sum_r k_r c_rr)^2 / sum_rs k_r k_s c_rs^2`` (Bell and
    McCaffrey 2002). Items and the noise of ratings alone would make of each psi_r^2 the sum over
    clusters of items g of the squares of its parts.

    Args:
        ratings: The single ratings.
        groups: The clusters of the n labelled items.
        share: float64 [n], how much each item counts; they add up to 1.
        correction: float64 [n], what is added to each label before it is averaged.
        of_items: The share of the variance of items that stands beside this one: below 1 where the items
            are a large part of a fixed set, so that how two raters of an item differ counts here.

    Returns:
        The variance; 0 where it cannot be seen (`scope`): how raters differ cannot be seen in one.
    """
    weights = ratings.shares(share)
    holds = scope(weights, ratings.random)
    raters = weights.shape[1]
    if holds != "other raters":
        return RaterVariance(0.0, raters, scope=holds)
    side, each = ratings.side, ratings.each(share)
    level = np.bincount(side, each * ratings.score)
    part = ratings.sign * (ratings.score - level[side])
    part += (correction - share @ correction)[ratings.item] / 2
    cells = np.zeros((2, len(groups), raters))
    np.add.at(cells, (side, groups.code[ratings.item], ratings.rater), each * part)
    apart = (cells - cells.sum(axis=2, keepdims=True) * weights[:, None]).sum(axis=0)
    covariance = np.zeros((raters, raters))
    for w in weights:
        covariance += np.outer(w, w) * (np.eye(raters) - w - w[:, None] + w @ w)
    target, seen = (weights**2).sum(axis=0), np.diag(covariance)
    known = seen > 0
    k = np.where(known, target, 0.0) / np.where(known, seen, 1.0)
    square = float(k @ cells.sum(axis=(0, 1)) ** 2)
    noise = of_items * float(k @ (apart**2).sum(axis=0))
    df = float(target.sum() ** 2 / (np.outer(k, k) * covariance**2).sum())
    return RaterVariance(max(0.0, square - noise), raters, square, noise, df, holds)
