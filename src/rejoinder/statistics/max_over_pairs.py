"""p-values of several pairs of systems, corrected by the largest of their statistics."""

from __future__ import annotations

import numpy as np

from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.conventions import NO_SPREAD
from rejoinder.statistics.holm import holm
from rejoinder.statistics.student import t_quantile

DRAWS = 20_000
"""How often the statistics of all pairs are drawn together."""

SMALLEST = 1e-12
"""p-values below are taken as this one where they become a statistic."""

MOST_DF = 100
"""More degrees of freedom are drawn as this many, which makes hardly a difference."""

BLOCK = 1 << 22
"""How many normal numbers are drawn at a time."""


def max_over_pairs(
    p: Floats, influence: Floats, df: float, rng: np.random.Generator, draws: int = DRAWS
) -> Floats:
    """p-values corrected by the maximum of |t| over those pairs that are not yet rejected.

    Pairs share systems and items, so that their statistics go together; Holm's correction takes the
    worst case, and this one the correlations as they are estimated. Statistics of pairs without a
    difference are drawn as means of normal numbers with these correlations, each over its own standard
    error, and p of a pair is the share of draws whose largest |t|, of the pair and of all with a larger
    p, reaches the pair's own (Westfall and Young 1993, step-down). It is never above Holm's.

    Args:
        p: float64 [k], two-sided; NaN where a pair has no test, and then it is not in the family.
        influence: float64 [k, c], what each cluster adds to the error of each pair's estimate.
        df: Degrees of freedom of all pairs: the fewest of them.
        rng: Of the draws.
        draws: How many.

    Returns:
        float64 [k], NaN where p is.

    Raises:
        InputError: Other numbers of pairs than of rows.

    >>> same = np.array([[1.0, -1.0, 2.0], [1.0, -1.0, 2.0]])  # one pair twice: nothing to correct
    >>> max_over_pairs(np.array([0.03, 0.03]), same, 30.0, np.random.default_rng(0)).round(2).tolist()
    [0.03, 0.03]
    """
    p, influence = np.asarray(p, np.float64), np.asarray(influence, np.float64)
    if influence.ndim != 2 or len(influence) != p.size:
        raise InputError(
            f"max_over_pairs: {p.size} p-values and influence of shape {influence.shape}; give a row for "
            "each p-value"
        )
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]
    corrected = holm(p)
    if not order.size:
        return corrected
    whole = max(1, min(MOST_DF, int(df)))
    observed = np.array(
        [t_quantile(1 - max(float(p[i]), SMALLEST), whole) if p[i] < 1 else 0.0 for i in order]
    )
    resampled = _statistics(influence[order], whole, rng, draws)
    # In column i the largest |t| of the pairs from i on.
    largest = np.maximum.accumulate(resampled[:, ::-1], axis=1)[:, ::-1]
    shares = (1 + (largest >= observed).sum(axis=0)) / (1 + draws)
    corrected[order] = np.minimum(corrected[order], np.maximum.accumulate(shares))
    return corrected


def _statistics(influence: Floats, df: int, rng: np.random.Generator, draws: int) -> Floats:
    """|t| of all pairs where none differs: float64 [draws, k].

    A numerator of each draw and, for the variances, as many more numbers as degrees of freedom.
    """
    size = np.sqrt((influence**2).sum(axis=1))
    unit = influence / np.maximum(size, NO_SPREAD)[:, None]
    together = unit @ unit.T
    np.fill_diagonal(together, 1.0)  # a pair that does not vary, with room on its scale, is its own
    values, vectors = np.linalg.eigh(together)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))).T[values > NO_SPREAD]
    statistics = np.empty((draws, size.size))
    step = max(1, BLOCK // ((df + 1) * size.size))
    for start in range(0, draws, step):
        here = min(step, draws - start)
        numbers = rng.standard_normal((here, df + 1, len(root))) @ root
        variance = (numbers[:, 1:] ** 2).mean(axis=1)
        statistics[start : start + here] = np.abs(numbers[:, 0]) / np.sqrt(variance)
    return statistics
