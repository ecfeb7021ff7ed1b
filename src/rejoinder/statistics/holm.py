"""p-values of several tests, corrected for being several."""

from __future__ import annotations

import numpy as np

from rejoinder.kernels.arrays import Floats
from rejoinder.messages import SIGNIFICANT as SIGNIFICANT


def holm(p: Floats) -> Floats:
    """Holm's step-down correction (1979) of a family of p-values: float64 [m] to float64 [m].

    The i-th smallest of m is multiplied by m - i + 1; none may fall below a smaller one's. An
    undefined p stays NaN and does not belong to the family.

    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p, dtype=np.float64)
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]  # NaN sorts last
    scaled = np.minimum(1.0, p[order] * np.arange(order.size, 0, -1))
    corrected = np.full_like(p, np.nan)
    corrected[order] = np.maximum.accumulate(scaled)
    return corrected
