"""Krippendorff's alpha: the agreement of any number of raters, with ratings missing."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.clusters import freedom_of
from rejoinder.statistics.conventions import LEVEL, check_choice, check_level, too_few_groups
from rejoinder.statistics.intervals import SAME, Interval
from rejoinder.statistics.rating_matrix import checked_ratings
from rejoinder.statistics.standard_error import standard_errors
from rejoinder.statistics.student import t_quantile

# Counts of values are kept for so many numbers at a time, in blocks of groups.
BLOCK = 1 << 20

# With more values than this, units are summed one by one: the products of values are too many.
MOST_CODES = 512


def krippendorff_alpha(matrix: Floats, kind: str = "interval") -> float:
    """Krippendorff's alpha: 1 is agreement, 0 what chance would give, below 0 less than that.

    ``alpha = 1 - D_o / D_e`` with ``D_o = sum o_ck delta^2_ck / n`` and
    ``D_e = sum n_c n_k delta^2_ck / (n (n - 1))``. The coincidences o_ck count the ordered pairs of
    values c and k within a unit of m ratings, each pair by 1 / (m - 1); n_c are their row sums and n
    the sum of all (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability"). delta^2 is 0 or
    1 (``nominal``), the squared number of ratings between the two grades (``ordinal``), or the
    squared difference (``interval``). Units with fewer than two ratings take no part.

    Args:
        matrix: float64 [units, raters], NaN where missing.
        kind: ``nominal``, ``ordinal`` or ``interval``.

    Returns:
        Alpha; NaN where `reason_no_alpha` has a reason.

    Raises:
        ParameterError: No such kind.
        InputError: The matrix is none.

    >>> krippendorff_alpha(np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]))
    1.0
    """
    check_choice(DIFFERENCES, kind=kind)
    matrix = checked_ratings(matrix)
    if reason_no_alpha(matrix):
        return math.nan
    ratings = _Pairable.of(matrix)
    # A group without a unit leaves nothing out.
    return float(_alphas(ratings, kind, np.ones(ratings.size.size, dtype=np.int64), 1)[0])


def alpha_interval(
    matrix: Floats, kind: str, groups: NDArray[np.generic] | None = None, level: float = LEVEL
) -> Interval:
    """The confidence interval of alpha over units, or over groups of them: the jackknife.

    ``tanh(atanh a +- t e / (1 - a^2))`` with e the jackknife's standard error and t Student's quantile
    with `freedom_of` the groups' sizes; where alpha is not within (-1, 1), ``a +- t e``. Simulated:
    docs/studies/coverage.md. Krippendorff's own bootstrap draws single pairs of ratings as if each were
    independent of all others; pairs of one unit are not, so here units are left out with all their
    ratings. Nothing is drawn.

    Args:
        matrix: float64 [units, raters], NaN where missing.
        kind: ``nominal``, ``ordinal`` or ``interval``.
        groups: [units], a label for each (its context); None takes each unit by itself.
        level: The coverage.

    Returns:
        The interval; none (NaN and the reason) where alpha is undefined, fewer than 4 groups have a
        unit with two ratings, alpha is undefined without one of the groups, or the same without any
        of them.

    Raises:
        ParameterError: No such kind, or a level outside (0, 1).
        InputError: The matrix is none, or the groups are not as many as its units.

    >>> matrix = np.repeat(np.arange(10.0) % 5, 3).reshape(10, 3)
    >>> matrix[0, 0] = 4.0
    >>> interval = alpha_interval(matrix, "ordinal")  # all rests on that one grade
    >>> round(interval.low, 2), round(interval.high, 2)
    (-0.35, 0.98)
    """
    check_choice(DIFFERENCES, kind=kind)
    check_level(level)
    matrix = checked_ratings(matrix)
    labels = np.arange(len(matrix)) if groups is None else np.asarray(groups)
    if labels.shape != matrix.shape[:1]:
        raise InputError(f"groups: shape {labels.shape} for {len(matrix)} units; give one for each")
    names, group = np.unique(labels[_pairable(matrix)], return_inverse=True)
    reason = reason_no_alpha(matrix) or too_few_groups(names.size)
    if reason:
        return Interval.none(reason)
    left_out = _alphas(_Pairable.of(matrix), kind, group, names.size)
    error = float(standard_errors(left_out))
    if math.isnan(error):
        return Interval.none("undefined where one group is left out")
    if error == 0:
        return Interval.none(SAME)
    freedom = freedom_of(np.bincount(group))
    alpha, reach = krippendorff_alpha(matrix, kind), t_quantile(level, freedom) * error
    if not -1 < alpha < 1:
        return Interval(alpha - reach, min(1.0, alpha + reach))
    z, reach = math.atanh(alpha), reach / (1 - alpha * alpha)
    return Interval(math.tanh(z - reach), math.tanh(z + reach))


def reason_no_alpha(matrix: Floats) -> str | None:
    """Why alpha is undefined; None where it is not.

    Without variation D_e is 0 and alpha 0 / 0: ratings that never differ show neither agreement nor
    its lack. Over one unit D_o is D_e and the formula 0 whatever was rated: it measures nothing, so
    that is NaN here too.

    >>> reason_no_alpha(np.array([[3.0, 3.0], [3.0, 3.0]]))
    'no variation: all ratings are equal'
    """
    matrix = checked_ratings(matrix)
    if reason := too_few_ratings(matrix):
        return reason
    pairable = matrix[_pairable(matrix)]
    if np.nanmin(pairable) == np.nanmax(pairable):
        return "no variation: all ratings are equal"
    return None


def too_few_ratings(matrix: Floats) -> str | None:
    """Why there are too few ratings for alpha, whatever they are; None where there are enough."""
    matrix = checked_ratings(matrix)
    if (~np.isnan(matrix)).any(axis=0).sum() < 2:
        return "fewer than 2 raters"
    return "fewer than 2 units with two ratings" if _pairable(matrix).sum() < 2 else None


@dataclass(frozen=True)
class _Pairable:
    """The ratings of all units with two or more, one after the other.

    Args:
        unit: The unit of each rating, ascending (int64 [R]).
        code: The place of its value among the K values given (int64 [R]).
        value: The value less the mean of all (float64 [R]).
        size: float64 [U], m, how many ratings each unit has.
        codes: K.
    """

    unit: Indices
    code: Indices
    value: Floats
    size: Floats
    codes: int

    @classmethod
    def of(cls, matrix: Floats) -> _Pairable:
        pairable = matrix[_pairable(matrix)]
        given = ~np.isnan(pairable)
        values, code = np.unique(pairable[given], return_inverse=True)
        centred = pairable[given] - pairable[given].mean()
        return cls(np.nonzero(given)[0], code, centred, given.sum(axis=1, dtype=float), values.size)

    def sums(self, of_ratings: Floats) -> Floats:
        """Numbers of ratings, summed to units: float64 [R] to float64 [U]."""
        return np.bincount(self.unit, of_ratings, minlength=self.size.size).astype(np.float64)


class _Rest(NamedTuple):
    """What is left when each of g groups of units is left out.

    Args:
        group: The group of each unit (int64 [U]).
        number: How many groups, g. A group without a unit leaves nothing out.
        counts: float64 [g, K], how often each value is left.
    """

    group: Indices
    number: int
    counts: Floats

    def of(self, of_units: Floats) -> Floats:
        """The sum over the units that are left: float64 [U] to float64 [g]."""
        return of_units.sum() - np.bincount(self.group, of_units, minlength=self.number)


def _alphas(ratings: _Pairable, kind: str, group: Indices, number: int) -> Floats:
    """Alpha without each of ``number`` groups of units: float64 [number]; NaN without variation.

    ``1 - (n - 1) O / E``: O sums delta^2 over the ordered pairs of ratings within each unit of m
    ratings, each pair by 1 / (m - 1), E over all pairs of ratings. Both are closed forms of sums, so
    the cost does not grow with the square of the number of values.
    """
    alphas = np.empty(number)
    step = max(1, BLOCK // max(1, ratings.codes, ratings.unit.size * (ratings.codes > MOST_CODES)))
    for begin in range(0, number, step):
        size = min(step, number - begin)
        # Units of groups beyond this block are left out by none of it.
        shifted = group - begin
        codes = np.where((shifted >= 0) & (shifted < size), shifted, size)
        keys = codes[ratings.unit] * ratings.codes + ratings.code
        removed = np.bincount(keys, minlength=(size + 1) * ratings.codes).astype(np.float64)
        removed = removed.reshape(size + 1, ratings.codes)
        rest = _Rest(codes, size + 1, removed.sum(axis=0) - removed)
        observed, expected = DIFFERENCES[kind](ratings, rest)
        n, varies = rest.counts.sum(axis=1), (rest.counts > 0).sum(axis=1) > 1
        expected = np.where(varies, expected, np.nan)
        alphas[begin : begin + size] = (1 - (n - 1) * observed / expected)[:size]
    return alphas


def _nominal(ratings: _Pairable, rest: _Rest) -> tuple[Floats, Floats]:
    """Unequal pairs: all less the equal ones, ``m^2 - sum_c n_uc^2``."""
    m = ratings.size
    # Of each rating, how many of its unit have its value.
    keys = ratings.unit * ratings.codes + ratings.code
    _, place, times = np.unique(keys, return_inverse=True, return_counts=True)
    equal = ratings.sums(times[place].astype(np.float64))
    n = rest.counts.sum(axis=1)
    return rest.of((m * m - equal) / (m - 1)), n * n - (rest.counts**2).sum(axis=1)


def _interval(ratings: _Pairable, rest: _Rest) -> tuple[Floats, Floats]:
    """Squared differences over all ordered pairs of m values: ``2 (m sum x^2 - (sum x)^2)``."""
    m, x = ratings.size, ratings.sums(ratings.value)
    squares = ratings.sums(ratings.value**2)
    n = rest.counts.sum(axis=1)
    pairs = 2 * (m * squares - x * x) / (m - 1)
    return rest.of(pairs), 2 * (n * rest.of(squares) - rest.of(x) ** 2)


def _ordinal(ratings: _Pairable, rest: _Rest) -> tuple[Floats, Floats]:
    """Squared differences of the grades' middle ranks among the ratings that are left.

    ``sum_{g=c}^{k} n_g - (n_c + n_k) / 2`` is the difference of two middle ranks. They change with
    what is left out, so the values x of `_interval` are others for each group.
    """
    counts, m = rest.counts, ratings.size
    n = counts.sum(axis=1, keepdims=True)
    rank = np.cumsum(counts, axis=1) - counts / 2 - n / 2  # [g, K], with mean 0 over the ratings
    # sum_u m / (m - 1) sum_c n_uc r_c^2 over the units that are left.
    weight = (m / (m - 1))[ratings.unit]
    keys = rest.group[ratings.unit] * ratings.codes + ratings.code
    out = np.bincount(keys, weight, minlength=rest.counts.size).reshape(rest.counts.shape)
    squares = ((out.sum(axis=0) - out) * rank**2).sum(axis=1)
    # sum_u (sum_c n_uc r_c)^2 / (m - 1): over all units, less the units left out.
    unit = ratings.sums(rank[rest.group[ratings.unit], ratings.code]) ** 2 / (m - 1)
    remaining = _over_all_units(ratings, rank) - np.bincount(
        rest.group, unit, minlength=rest.number
    )
    n = n[:, 0]
    expected = 2 * (n * (counts * rank**2).sum(axis=1) - (counts * rank).sum(axis=1) ** 2)
    return 2 * (squares - remaining), expected


def _over_all_units(ratings: _Pairable, rank: Floats) -> Floats:
    """``sum_u (sum_c n_uc r_c)^2 / (m - 1)`` for each row r of ranks: float64 [g, K] to [g]."""
    if ratings.codes > MOST_CODES:
        starts = np.searchsorted(ratings.unit, np.arange(ratings.size.size))
        sums = np.add.reduceat(rank[:, ratings.code], starts, axis=1)
        return (sums**2 / (ratings.size - 1)).sum(axis=1)
    scaled = np.zeros((ratings.size.size, ratings.codes))
    np.add.at(scaled, (ratings.unit, ratings.code), 1.0)
    scaled /= np.sqrt(ratings.size - 1)[:, None]
    return ((rank @ (scaled.T @ scaled)) * rank).sum(axis=1)


# O and E without each group, by kind.
DIFFERENCES: dict[str, Callable[[_Pairable, _Rest], tuple[Floats, Floats]]] = {
    "nominal": _nominal,
    "ordinal": _ordinal,
    "interval": _interval,
}


def _pairable(matrix: Floats) -> NDArray[np.bool_]:
    return (~np.isnan(matrix)).sum(axis=1) > 1
