"""Standard errors: of a mean, and by the jackknife, which leaves out one item (or group) at a time."""

from __future__ import annotations

import numpy as np

from rejoinder.kernels.arrays import Floats

# Rounding alone moves a value this far, for each item in the sum and relative to the value.
ROUNDING = 1e-15


def standard_errors(left_out: Floats) -> Floats:
    """The jackknife's standard error (Tukey 1958): ``sqrt((n - 1) / n sum_i (x_(i) - mean)^2)``.

    For a mean over items it is ``s / sqrt(n)``. For symmetric statistics its square is on average
    not too small (Efron and Stein 1981), also for distinct-n, where the bootstrap's is.

    Args:
        left_out: float64 [..., n], a value with each item (or group of items) left out.

    Returns:
        float64 [...]; exactly 0 where nothing but rounding moves the value, NaN where a value with an
        item left out is undefined, or for one item.

    >>> values = np.array([1.0, 2.0, 6.0])
    >>> round(float(standard_errors((values.sum() - values) / 2)), 6)  # s / sqrt(3), s^2 = 7
    1.527525
    """
    n = left_out.shape[-1]
    if n < 2:
        return np.full(left_out.shape[:-1], np.nan)
    mean = left_out.mean(axis=-1, keepdims=True)
    error = np.sqrt((n - 1) / n * ((left_out - mean) ** 2).sum(axis=-1))
    scale = np.maximum(1.0, np.abs(left_out).max(axis=-1))
    return np.where(error <= ROUNDING * n * scale, 0.0, error)
