"""The average of rouge-score's ``BootstrapAggregator``: the median of means of resamples."""

from __future__ import annotations

import numpy as np

from rejoinder.kernels.arrays import Floats

RESAMPLES = 1000
CONFIDENCE = 0.95


def median_of_means(
    values: Floats, seed: int, resamples: int = RESAMPLES, confidence: float = CONFIDENCE
) -> Floats:
    """Percentiles of the means of resamples of items.

    The resamples are those of NumPy's older generator, so that after ``numpy.random.seed(seed)``
    rouge-score gives the same numbers for the first type of ROUGE that it aggregates.

    Args:
        values: float64 [n, k], k measures of each item.
        seed: Random seed, 0 to 2^32 - 1.
        resamples: How many.
        confidence: The share of the means between the outer percentiles.

    Returns:
        float64 [3, k]: the lower percentile, the median and the upper percentile; NaN without an
        item.

    Source: ``BootstrapAggregator`` of rouge-score 0.1.2, after the option -n of ROUGE-1.5.5.

    >>> median_of_means(np.array([[0.0], [1.0]]), seed=1)[1]
    array([0.5])
    """
    if not len(values):
        return np.full((3, values.shape[1]), np.nan)
    draws = np.random.RandomState(seed)
    means = np.empty((resamples, values.shape[1]))
    for i in range(resamples):
        means[i] = np.mean(values[draws.choice(len(values), size=len(values))], axis=0)
    outer = (1 - confidence) / 2
    return np.percentile(means, 100 * np.array([outer, 0.5, 1 - outer]), axis=0)
