"""Krippendorff's alpha: the agreement of any number of raters, with ratings missing."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rejoinder.agreement.groups import Groups
from rejoinder.agreement.intervals import LEAST_GROUPS, Interval, percentiles
from rejoinder.agreement.ratings import checked_ratings
from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.kernels.arrays import Floats


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
    check_kind(kind)
    matrix = checked_ratings(matrix)
    if reason_no_alpha(matrix):
        return math.nan
    counts, values = _value_counts(matrix)
    return float(_alpha(_coincidences(counts), values, kind))


def alpha_interval(
    matrix: Floats,
    kind: str,
    resamples: int,
    rng: np.random.Generator,
    groups: NDArray[np.generic] | None = None,
    level: float = 0.95,
) -> Interval:
    """The percentile bootstrap interval of alpha over units, or over groups of them.

    Krippendorff's own bootstrap draws single pairs of ratings as if each were independent of all
    others; pairs of one unit are not, so units are drawn here, with all their ratings.

    Args:
        matrix: float64 [units, raters], NaN where missing.
        kind: ``nominal``, ``ordinal`` or ``interval``.
        resamples: How many.
        rng: Where the randomness comes from.
        groups: [units], a label for each (its context); None draws each unit by itself.
        level: The share of resamples within.

    Returns:
        The interval; none (NaN and the reason) where alpha is undefined, fewer than 4 groups have a
        unit with two ratings, more than 5% of the resamples have no variation, or all give the
        same.

    Raises:
        ParameterError: No such kind, a level outside (0, 1), or fewer than one resample.
        InputError: The matrix is none, or the groups are not as many as its units.

    >>> matrix = np.repeat(np.arange(10.0) % 5, 3).reshape(10, 3)
    >>> matrix[0, 0] = 4.0
    >>> told = alpha_interval(matrix, "ordinal", 100, np.random.default_rng(0))
    >>> 0 < told.low < told.high <= 1
    True
    """
    check_kind(kind)
    if resamples < 1:
        raise ParameterError(f"resamples={resamples!r}; a bootstrap needs at least 1")
    matrix = checked_ratings(matrix)
    labels = np.arange(len(matrix)) if groups is None else np.asarray(groups)
    if labels.shape != matrix.shape[:1]:
        raise InputError(f"groups: shape {labels.shape} for {len(matrix)} units; give one for each")
    pairable = _pairable(matrix)
    clusters = Groups.of(labels[pairable], int(pairable.sum()))
    reason = reason_no_alpha(matrix)
    if not reason and len(clusters) < LEAST_GROUPS:
        reason = f"fewer than {LEAST_GROUPS} groups to resample"
    if reason:
        return Interval(math.nan, math.nan, reason=reason)
    counts, values = _value_counts(matrix)
    alphas = np.empty(resamples)
    for rows, drawn in clusters.resampled(resamples, rng, width=2 * values.size):
        alphas[rows] = _alpha(_coincidences(counts[drawn]), values, kind)
    return percentiles(alphas, level)


def reason_no_alpha(matrix: Floats) -> str | None:
    """Why alpha is undefined; None where it is not.

    Without variation D_e is 0 and alpha 0 / 0: ratings that never differ show neither agreement nor
    its lack. Over one unit D_o is D_e and the formula 0 whatever was rated: it measures nothing, so
    that is NaN here too.

    >>> reason_no_alpha(np.array([[3.0, 3.0], [3.0, 3.0]]))
    'no variation: all ratings are equal'
    """
    matrix = checked_ratings(matrix)
    pairable = matrix[_pairable(matrix)]
    if (~np.isnan(matrix)).any(axis=0).sum() < 2:
        return "fewer than 2 raters"
    if len(pairable) < 2:
        return "fewer than 2 units with two ratings"
    if np.nanmin(pairable) == np.nanmax(pairable):
        return "no variation: all ratings are equal"
    return None


def check_kind(kind: str) -> None:
    """Raises a ParameterError for an unknown kind of alpha."""
    if kind not in DIFFERENCES:
        raise ParameterError(f"kind={kind!r} is unknown; choose {one_of(DIFFERENCES)}")


def _nominal(_: Floats, values: Floats) -> Floats:
    return (values[:, None] != values).astype(np.float64)


def _ordinal(n: Floats, _: Floats) -> Floats:
    # sum_{g=c}^{k} n_g - (n_c + n_k) / 2 is the difference of the two grades' middle ranks.
    middle = np.cumsum(n, axis=-1) - n / 2
    return (middle[..., :, None] - middle[..., None, :]) ** 2


def _interval(_: Floats, values: Floats) -> Floats:
    return (values[:, None] - values) ** 2


# delta^2_ck by the grades' frequencies, float64 [..., K], and their values, float64 [K].
DIFFERENCES: dict[str, Callable[[Floats, Floats], Floats]] = {
    "nominal": _nominal,
    "ordinal": _ordinal,
    "interval": _interval,
}


def _alpha(o: Floats, values: Floats, kind: str) -> Floats:
    """Alpha of coincidences: float64 [..., K, K] to float64 [...]; NaN without variation."""
    n_c = o.sum(axis=-1)
    n = n_c.sum(axis=-1)
    delta = DIFFERENCES[kind](n_c, values)
    observed = (o * delta).sum(axis=(-2, -1)) / n
    products = n_c[..., :, None] * n_c[..., None, :]
    expected = (products * delta).sum(axis=(-2, -1)) / (n * (n - 1))
    varies = (n_c > 0).sum(axis=-1) > 1
    return 1 - observed / np.where(varies, expected, np.nan)


def _coincidences(counts: Floats) -> Floats:
    """Pairs of values within units: float64 [..., units, K] to float64 [..., K, K]."""
    m = counts.sum(axis=-1, keepdims=True)
    each = counts / (m - 1)
    o = np.swapaxes(each, -2, -1) @ counts
    # a rating makes no pair with itself
    o[..., np.arange(o.shape[-1]), np.arange(o.shape[-1])] -= each.sum(axis=-2)
    return o


def _value_counts(matrix: Floats) -> tuple[Floats, Floats]:
    """How often each value was given to each pairable unit, float64 [units, K], and the values."""
    pairable = matrix[_pairable(matrix)]
    values = np.unique(pairable[~np.isnan(pairable)])
    counts = np.stack([(pairable == value).sum(axis=1) for value in values], axis=1)
    return counts.astype(np.float64), values


def _pairable(matrix: Floats) -> NDArray[np.bool_]:
    return (~np.isnan(matrix)).sum(axis=1) > 1
