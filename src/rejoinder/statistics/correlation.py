"""Pearson, Spearman and Kendall's b and c, of one pair of vectors or of thousands at once.

Shapes, for all coefficients here: x and y are float64 [..., n]; their leading axes are broadcast
against each other, and the result has them: float64 [...].

Undefined is NaN, never a warning: fewer than 2 observations, all values of x or of y equal, or a
value that is missing (NaN) or infinite. Nothing is dropped here: who has missing pairs leaves them
out first and says how many. `reason_undefined` tells why a coefficient is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.kernels import ranks as kernels
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import Argument

Correlation: TypeAlias = Callable[[Floats, Floats], Floats]

# Up to so many observations, looking at every pair is faster than sorting.
FEW = 48


def pearson(x: Floats, y: Floats) -> Floats:
    """Pearson's r: how well a straight line describes the two, from -1 to 1.

    ``r = sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)^2 sum (y - mean y)^2)``

    >>> float(pearson(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])))
    0.5
    """
    x, y = matched(x, y)
    dx, dy = deviations(x), deviations(y)
    r = _dot(dx, dy) / np.sqrt(_dot(dx, dx) * _dot(dy, dy))
    return np.clip(r, -1.0, 1.0)


def spearman(x: Floats, y: Floats) -> Floats:
    """Spearman's rho: Pearson's r of the ranks, from -1 to 1; ties get their average rank.

    >>> float(spearman(np.array([1.0, 2.0, 30.0]), np.array([0.1, 0.2, 0.3])))
    1.0
    """
    x, y = matched(x, y)
    return pearson(average_ranks(x), average_ranks(y))


def kendall_b(x: Floats, y: Floats) -> Floats:
    """Kendall's tau-b: concordant less discordant pairs, ties taken out of the denominator.

    ``tau_b = (C - D) / sqrt((n0 - t_x)(n0 - t_y))``, n0 = n (n - 1) / 2 pairs, t_x and t_y of them
    tied in x and in y (Kendall 1945). From -1 to 1; with ties in one of the two alone it cannot
    reach either end.

    >>> float(kendall_b(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0])))
    0.6666666666666666
    """
    return _kendall(x, y, _tau_b)


def kendall_c(x: Floats, y: Floats) -> Floats:
    """Stuart's tau-c: Kendall's coefficient for two scales of unlike length.

    ``tau_c = 2 (C - D) / (n^2 (m - 1) / m)``, m the smaller number of distinct values (Stuart 1953).
    It reaches -1 and 1 where n is a multiple of m, even if x has more grades than y: a metric's
    many scores against a scale of five.

    >>> float(kendall_c(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 0.0, 1.0, 1.0])))
    1.0
    """
    return _kendall(x, y, _tau_c)


CORRELATIONS: dict[str, Correlation] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall-b": kendall_b,
    "kendall-c": kendall_c,
}


def correlation_named(name: str) -> Correlation:
    """Finds a coefficient in `CORRELATIONS`.

    Raises:
        ParameterError: There is none of that name.
    """
    if name not in CORRELATIONS:
        raise ParameterError(
            Argument("correlations", [name]), f" is unknown; choose {one_of(CORRELATIONS)}"
        )
    return CORRELATIONS[name]


def reason_undefined(x: Floats, y: Floats) -> str | None:
    """Why the correlation of two vectors is NaN; None where it is defined.

    Args:
        x: The metric's scores (float64 [n]).
        y: The ratings (float64 [n]).

    >>> reason_undefined(np.array([0.2, 0.2, 0.2]), np.array([1.0, 2.0, 5.0]))
    'all metric scores equal'
    """
    x, y = matched(x, y)
    if x.shape[-1] < 2:
        return "fewer than 2 observations"
    for values, name in ((x, "metric score"), (y, "rating")):
        if np.isnan(values).any():
            return f"a {name} is missing"
        if np.isinf(values).any():
            return f"a {name} is infinite"
    for values, name in ((x, "metric scores"), (y, "ratings")):
        if values.min() == values.max():
            return f"all {name} equal"
    return None


def average_ranks(x: Floats) -> Floats:
    """Ranks from 1 to n along the last axis, ties averaged; a row with NaN or infinity is all NaN.

    >>> average_ranks(np.array([0.3, 0.1, 0.3])).tolist()
    [2.5, 1.0, 2.5]
    """
    finite = np.isfinite(x).all(axis=-1, keepdims=True)
    ranks = kernels.average_ranks(_rows(x)).reshape(x.shape)
    return np.where(finite, ranks, np.nan)


def matched(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Both as float64 arrays, once they are seen to hold the same observations.

    Raises:
        InputError: They differ in length.
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if x.ndim < 1 or y.ndim < 1 or x.shape[-1] != y.shape[-1]:
        raise InputError(
            f"correlation: x has shape {x.shape} and y {y.shape}; "
            "the last axis of both must be the same observations in the same order"
        )
    return x, y


def deviations(x: Floats) -> Floats:
    """Rows less their mean, the largest deviation 1; NaN where a row is constant or not finite.

    A constant row's mean may be off by a rounding error, and its deviations then look like
    variation: so equality is asked of the values themselves. The scale keeps the squares of tiny
    and of huge scores within range.
    """
    if x.shape[-1] < 2:
        return np.full((*x.shape[:-1], 1), np.nan)
    with np.errstate(invalid="ignore", over="ignore"):
        deviations = x - x.mean(axis=-1, keepdims=True)
    largest = np.abs(deviations).max(axis=-1, keepdims=True)
    varies = x.min(axis=-1, keepdims=True) < x.max(axis=-1, keepdims=True)
    usable = varies & np.isfinite(largest) & (largest > 0)
    return np.where(usable, deviations, np.nan) / np.where(usable, largest, 1.0)


def standardised(x: Floats) -> Floats:
    """Rows with mean 0 and standard deviation 1; NaN where ``deviations`` are."""
    d = deviations(x)
    return d / np.sqrt(np.mean(d**2, axis=-1, keepdims=True))


def of_orders(x: Floats, y: Floats, measure: Correlation) -> Callable[[Indices], Floats]:
    """The coefficient of x with y in other orders, which has the deviations of y in these orders.

    Args:
        x: Scores of one metric or of several (float64 [..., n]).
        y: Ratings (float64 [n]).
        measure: One of `CORRELATIONS`; Spearman's is Pearson's of ranks, which are taken once.

    Returns:
        A function of orders, int64 [b, n], to float64 [..., b].
    """
    if measure is spearman:
        x, y, measure = average_ranks(x), average_ranks(y), pearson
    if measure is not pearson or y.size < 2:
        return lambda orders: measure(x[..., None, :], y[orders])
    dx, dy = (d / np.sqrt(_dot(d, d))[..., None] for d in (deviations(x), deviations(y)))
    return lambda orders: np.einsum("...i,bi->...b", dx, dy[orders])


def _dot(x: Floats, y: Floats) -> Floats:
    return np.einsum("...i,...i->...", x, y)


def _kendall(x: Floats, y: Floats, tau: Callable[..., Floats]) -> Floats:
    x, y = np.broadcast_arrays(*matched(x, y))
    n = x.shape[-1]
    if n < 2:
        return np.full(x.shape[:-1], np.nan)[()]
    count = kernels.concordance_by_pairs if n <= FEW else kernels.concordance
    counted = count(_rows(x), _rows(y)).reshape(*x.shape[:-1], 5)
    finite = np.isfinite(x).all(axis=-1) & np.isfinite(y).all(axis=-1)
    varies = np.minimum(counted[..., kernels.DISTINCT_X], counted[..., kernels.DISTINCT_Y]) > 1
    usable = finite & varies
    counted = np.where(usable[..., None], counted, 2)  # any counts that divide without a warning
    return np.where(usable, tau(counted, n), np.nan)[()]


def _tau_b(counted: Indices, n: int) -> Floats:
    pairs = n * (n - 1) / 2
    untied_x = np.maximum(pairs - counted[..., kernels.TIED_X], 1)
    untied_y = np.maximum(pairs - counted[..., kernels.TIED_Y], 1)
    return np.clip(counted[..., kernels.DIFFERENCE] / np.sqrt(untied_x * untied_y), -1.0, 1.0)


def _tau_c(counted: Indices, n: int) -> Floats:
    m = np.minimum(counted[..., kernels.DISTINCT_X], counted[..., kernels.DISTINCT_Y])
    return 2 * counted[..., kernels.DIFFERENCE] / (n**2 * (m - 1) / m)


def _rows(x: Floats) -> Floats:
    return np.ascontiguousarray(x).reshape(math.prod(x.shape[:-1]), x.shape[-1])
