"""How many independent judges a panel of judges is worth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.conventions import NO_SPREAD
from rejoinder.statistics.judge_errors import Estimate, cluster_estimate

SAME_ERRORS = "the judges make the same errors on every reply"
NOISE_ALONE = "the raters' noise is all of the panel's error"


def independent_judges(
    errors: Floats,
    noise: float,
    groups: NDArray[np.generic],
    noise_left_out: Floats | None = None,
) -> Estimate:
    """How many judges with independent errors would have a mean as good as this panel's.

    The mean variance of one judge's error over the variance of the error of their mean. Judges that
    err alike are worth one, however many they are. The raters' noise is in all errors alike and no
    fault of the judges: it is taken from both variances. That these raters favour a system is an error
    that all judges share. The interval is the jackknife's of the logarithm.

    Args:
        errors: float64 [n, judges], the error of each judge on each reply, in units of the ratings
            (`JudgeErrors.errors`); two judges or more.
        noise: The variance that the raters' noise gives a mean rating (`JudgeErrors.noise`); NaN
            where it is unknown: the number is then too low.
        groups: [n], the cluster of each reply.
        noise_left_out: The noise without each cluster (`JudgeErrors.noise_left_out`); None: the same.

    Returns:
        From 1 for judges that always agree; as many as there are for independent ones that err as much as
        each other; above that where errors cancel. 1 without an interval where all errors are the
        same. NaN with its reason where judges make no errors, where these cancel exactly, and where
        the raters' noise is all of them.

    >>> errors = np.random.default_rng(0).normal(size=(4000, 3))
    >>> round(independent_judges(errors, 0.0, np.arange(4000)).value, 1)
    3.0
    >>> round(independent_judges(errors[:, [0, 0, 0]], 0.0, np.arange(4000)).value, 1)
    1.0
    """
    n = len(errors)
    centred = errors - errors.mean(axis=0)
    shared = 0.0 if np.isnan(noise) else noise
    columns = [np.ones(n), (centred**2).mean(axis=1), centred.mean(axis=1) ** 2]
    by_cluster = Groups.of(groups, n).sums(np.stack(columns, axis=1))

    def logarithm(sums: Floats, shared: Floats | float) -> Floats:
        count, single, panel = np.moveaxis(sums, -1, 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            of_one, of_panel = single / (count - 1) - shared, panel / (count - 1) - shared
            return np.log(np.where((of_one > 0) & (of_panel > 0), of_one / of_panel, np.nan))

    total = by_cluster.sum(axis=0)
    without = shared if np.isnan(noise) or noise_left_out is None else noise_left_out
    value, left_out = float(logarithm(total, shared)), logarithm(total - by_cluster, without)
    reason = _reason(centred, shared, value)
    estimate = cluster_estimate(value, left_out, 0.0, n, by_cluster[:, 0], reason)
    value, low, high = np.exp(estimate[:3]).tolist()
    return estimate._replace(value=value, low=low, high=high)


def _reason(errors: Floats, noise: float, value: float) -> str | None:
    """Why there is no number, or no interval of it: float64 [n, judges] are errors about their means."""
    if np.abs(errors).max() <= NO_SPREAD:
        return "the judges make no errors"
    if np.ptp(errors, axis=1).max() <= NO_SPREAD:
        # Less noise than error: one of them, and so the mean, has the variance of any.
        return SAME_ERRORS if np.isfinite(value) else NOISE_ALONE
    if np.isfinite(value):
        return None
    if np.abs(errors.mean(axis=1)).max() <= NO_SPREAD:
        return "the errors of the judges cancel each other exactly"
    return NOISE_ALONE if noise > 0 else "no variation"
