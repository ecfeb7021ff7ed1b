"""Confidence intervals of scores and of their differences: the jackknife over items.

Leaving an item out takes its row from the sum, so all n scores with one item left out cost one pass
over the rows, and nothing is drawn. Simulated intervals, their rivals and their shortfalls:
docs/studies/coverage.md.
"""

from __future__ import annotations

import math

import numpy as np

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.metrics.contract import Contract
from rejoinder.statistics.conventions import LEAST_GROUPS, LEVEL
from rejoinder.statistics.proportions import clopper_pearson_ends, wilson_ends
from rejoinder.statistics.standard_error import standard_errors
from rejoinder.statistics.student import t_quantile

LEAST_ITEMS = LEAST_GROUPS
"""Of fewer items there is no interval: they show too little of a spread."""


def interval_facts(metric: Contract, resamples: int, seed: int) -> dict[str, str | int]:
    """What a signature says of intervals and tests: ``ci``, the bootstrap's resamples and the seed.

    Args:
        metric: The metric.
        resamples: Number of resamples.
        seed: Random seed.
    """
    if not resamples:
        return {"bs": 0, "seed": seed}
    return {"ci": "wilson" if metric.share else "jackknife-t", "bs": resamples, "seed": seed}


def enough_items(metric: Contract, n: int, alone: bool = True) -> bool:
    """Whether a score of n units has an interval: of 4 and more, and of a share of items any.

    Args:
        metric: What scored.
        n: How many items or clusters there are.
        alone: Whether each is an item that counts once, with one reply.
    """
    return n >= LEAST_ITEMS or (metric.share and alone and n > 0)


def score_intervals(
    metric: Contract,
    values: Floats,
    left_out: Floats,
    worth: Floats | None = None,
    freedom: float | None = None,
    exact: bool = False,
) -> tuple[Floats, Floats]:
    """The 95% interval of each score over items, or over clusters of items.

    ``g^-1(g(x) +- t g'(x) e)`` with e the jackknife's standard error, t Student's quantile, and g the
    logit of a metric that has two bounds, the logarithm of one that has a lower bound alone (length,
    entropy): near a bound the interval is skewed away from it. Where g is infinite (a score of 0),
    ``x +- t e``, cut off at the bounds. A share of items has Wilson's interval (1927) in place of it.

    Args:
        metric: What scored.
        values: The scores (float64 [S]).
        left_out: float64 [S, n], the scores with each item (or cluster) left out.
        worth: float64 [S], of a share of clustered items: how many independent ones they are worth
            (`clusters.interval_size`); None takes n.
        freedom: The degrees of freedom; None takes n - 1.
        exact: Whether a share has Clopper and Pearson's interval in place of Wilson's.

    Returns:
        Lower and upper ends, float64 [S] each. NaN where there are too few (`enough_items`), and where the
        score is the same whichever item is left out: 8 equal ones of 8 may be chance. (A share of 0 or 1
        has Wilson's interval even so.)
    """
    n = left_out.shape[-1]
    if not enough_items(metric, n, worth is None):
        return np.full(values.shape, np.nan), np.full(values.shape, np.nan)
    if metric.share:
        bottom, span = metric.ends[0], metric.ends[1] - metric.ends[0]
        shares = (values - bottom) / span
        ends_of = clopper_pearson_ends if exact else wilson_ends
        ends = ends_of(shares, n if worth is None else worth, LEVEL)
        return bottom + span * ends[0], bottom + span * ends[1]
    errors = standard_errors(left_out)
    reach = np.where(errors > 0, errors, np.nan) * t_quantile(
        LEVEL, n - 1 if freedom is None else freedom
    )
    low, high = metric.bounds
    inside = (values > low) & (values < high)
    x = np.where(inside, values, np.nan)
    ends = values - reach, values + reach
    if math.isfinite(low) and math.isfinite(high):
        skewed = _on_logit_scale((x - low) / (high - low), reach / (high - low))
        skewed = tuple(low + (high - low) * end for end in skewed)
    elif math.isfinite(low):
        factor = np.exp(reach / (x - low))
        skewed = low + (x - low) / factor, low + (x - low) * factor
    else:
        skewed = ends
    lower, upper = (np.where(inside, a, b) for a, b in zip(skewed, ends, strict=True))
    return np.clip(lower, low, high), np.clip(upper, low, high)


def difference_errors(
    metric: Contract, values: Floats, left_out: Floats, a: Indices, b: Indices
) -> Floats:
    """The standard error of the difference of each pair of systems.

    NaN where one of the two has 0 under a metric that vanishes (BLEU-4 without a match of four words)
    whichever item is left out: other items would give it a score, and how far that varies cannot be
    seen. Simulated without this rule, intervals of BLEU-4's differences cover the truth in 78 of 100
    such cases.

    Args:
        metric: What scored.
        values: The scores (float64 [S]).
        left_out: The scores with each item left out (float64 [S, n]).
        a: The first system of each pair (int64 [p]).
        b: The second (int64 [p]).
    """
    parts = max(1, min(a.size, a.size * left_out.shape[1] >> 19))
    errors = np.concatenate(
        [
            standard_errors(left_out[a[part]] - left_out[b[part]])
            for part in np.array_split(np.arange(a.size), parts)
        ]
    )
    hidden = _hidden(metric, values, left_out)
    return np.where(hidden[a] | hidden[b], np.nan, errors)


def unpaired_error(
    metric: Contract, values: Floats, left_out: tuple[Floats, Floats]
) -> tuple[float, float]:
    """The standard error of the difference of two systems that answered different items.

    ``sqrt(e_a^2 + e_b^2)`` with the jackknife's errors, each over its own items, and Welch's degrees
    of freedom (1947).

    Args:
        metric: What scored.
        values: The scores (float64 [2]).
        left_out: For each system float64 [n], its score with each of its items left out.

    Returns:
        The error and the degrees of freedom; NaN where one of the two has fewer than 4 items, and
        where an error is undefined.
    """
    n = np.array([each.size for each in left_out])
    hidden = [_hidden(metric, values[k : k + 1], left_out[k][None])[0] for k in range(2)]
    if n.min() < LEAST_ITEMS or any(hidden):
        return math.nan, math.nan
    squares = np.array([float(standard_errors(each)) for each in left_out]) ** 2
    if not squares.sum() > 0:
        return math.nan, math.nan
    freedom = squares.sum() ** 2 / (squares**2 / (n - 1)).sum()
    return math.sqrt(squares.sum()), float(freedom)


def _hidden(metric: Contract, values: Floats, left_out: Floats) -> np.ndarray:
    """The systems whose score is 0 whichever item is left out, under a metric that vanishes: bool [S]."""
    if not metric.vanishes:
        return np.zeros(values.shape, dtype=np.bool_)
    return (values == 0) & (np.ptp(left_out, axis=1) == 0)


def difference_intervals(
    metric: Contract, differences: Floats, errors: Floats, n: float, freedom: float | None = None
) -> tuple[Floats, Floats]:
    """The 95% interval of each difference of two systems' scores: ``d +- t e``.

    Args:
        metric: What scored.
        differences: float64 [p].
        errors: Their `difference_errors` (float64 [p]).
        n: How many items (or clusters) there are.
        freedom: The degrees of freedom; None takes n - 1.

    Returns:
        Lower and upper ends, float64 [p] each; NaN for fewer than 4 items, and where the error is
        undefined or 0: the difference is the same whichever item is left out.
    """
    if n < LEAST_ITEMS:
        return np.full(differences.shape, np.nan), np.full(differences.shape, np.nan)
    reach = np.where(errors > 0, errors, np.nan) * t_quantile(
        LEVEL, n - 1 if freedom is None else freedom
    )
    most = metric.bounds[1] - metric.bounds[0]
    return np.maximum(differences - reach, -most), np.minimum(differences + reach, most)


def _on_logit_scale(share: Floats, reach: Floats) -> tuple[Floats, Floats]:
    """``share`` in (0, 1), and how far on either side: the ends, in (0, 1)."""
    # The slope of the logit at x is 1 / (x (1 - x)).
    factor = np.exp(-reach / (share * (1 - share)))
    return share * factor / (share * factor + 1 - share), share / (share + (1 - share) * factor)
