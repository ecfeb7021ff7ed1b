"""Densities along a margin: a smooth histogram of one variable."""

from __future__ import annotations

import numpy as np

from rejoinder.kernels.arrays import Floats

POINTS = 200
LEAST = 20
"""Of fewer values a curve says more than they do."""

MOST = 5_000
"""Of more values so many, evenly spaced in their order, give the same picture."""


def density(values: Floats, points: int = POINTS) -> tuple[Floats, Floats]:
    """The Gaussian kernel density of some values, from the least to the greatest.

    ``f(x) = sum_i K((x - v_i) / h) / (n h)`` with Silverman's ``h = 0.9 min(s, IQR / 1.34) n^-1/5``
    (Silverman 1986, equation 3.31). Mass that would lie beyond the least and the greatest value is
    folded back, so that a pile at 0 does not fade away; the whole is 1.

    Args:
        values: Numbers (float64 [n]); those that are not finite are left out.
        points: Where it is evaluated.

    Returns:
        x and f(x), float64 [points]; both empty where fewer than 2 values differ.

    >>> x, f = density(np.array([1.0, 2.0, 2.0, 3.0]))
    >>> float(x[0]), float(x[-1]), round(float(f.mean() * (x[-1] - x[0])), 1)
    (1.0, 3.0, 1.0)
    """
    values = np.sort(values[np.isfinite(values)])
    h = _bandwidth(values)
    if not h > 0:
        return np.empty(0), np.empty(0)
    if values.size > MOST:
        values = values[np.linspace(0, values.size - 1, MOST).round().astype(np.int64)]
    low, high = values[0], values[-1]
    x = np.linspace(low, high, points)
    f = np.zeros(points)
    # Beyond two reflections nothing is left: h is less than the range.
    for mirrored in (values, 2 * low - values, 2 * high - values):
        z = (x[:, None] - mirrored) / h
        f += np.exp(-0.5 * z * z).sum(axis=1)
    return x, f / (values.size * h * np.sqrt(2 * np.pi))


def _bandwidth(values: Floats) -> float:
    """Silverman's h; 0 where there is nothing to smooth."""
    if values.size < 2 or values[0] == values[-1]:
        return 0.0
    spread = float(values.std(ddof=1))
    q1, q3 = np.percentile(values, [25, 75])
    middle = float(q3 - q1) / 1.34
    return 0.9 * (min(spread, middle) if middle > 0 else spread) * values.size**-0.2
