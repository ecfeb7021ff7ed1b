"""p-values corrected for a false discovery rate under any dependence."""

from __future__ import annotations

import numpy as np

from rejoinder.kernels.arrays import Floats


def benjamini_yekutieli(p: Floats) -> Floats:
    """Benjamini and Yekutieli's step-up correction (2001): float64 [m] to float64 [m].

    The i-th smallest of m is multiplied by ``m / i * sum_j 1 / j``; none may exceed a larger one's.
    Rejecting those at or below q keeps the expected share of wrong rejections at q, however the tests
    depend on each other. An undefined p stays NaN and does not belong to the family.

    >>> benjamini_yekutieli(np.array([0.01, 0.04])).round(3).tolist()  # times 2 / 1 * 1.5, 2 / 2 * 1.5
    [0.03, 0.06]
    """
    p = np.asarray(p, dtype=np.float64)
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]  # NaN sorts last
    m = order.size
    places = np.arange(1, m + 1)
    scaled = np.minimum(1.0, p[order] * m / places * (1 / places).sum())
    corrected = np.full_like(p, np.nan)
    corrected[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    return corrected
