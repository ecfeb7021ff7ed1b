"""By how much chosen candidates are better than the first of each list, under every metric."""

from __future__ import annotations

import numpy as np
import polars as pl

from rejoinder.metrics.engine.jackknife import difference_errors, difference_intervals
from rejoinder.scoring.scores import Scores

FIRST, RERANKED = "first", "reranked"
"""The two systems that are compared."""


def spread_of_tuning(share: float) -> float:
    """How many times the variance of a cross-validated gain is that over items with the weights fixed.

    Items of two folds tune the weights that choose for each other, so that their gains go together. Where
    weights are a direction that is fitted to n items, with r the share of the training gain that is no
    fitting, the part of the variance that comes from what is chosen is ``(1 + r) (2 - r)^2 / 2`` times
    larger; the first candidates have the other half, which tuning does not touch. From 1 (r = 1: all of
    the training gain is real) to about 1.5 (r = 0).

    >>> spread_of_tuning(0.0), spread_of_tuning(1.0)
    (1.5, 1.0)
    """
    r = min(1.0, max(0.0, share))
    return (1 + (1 + r) * (2 - r) ** 2 / 2) / 2


def held_out_interval(gain: float, low: float, high: float, training: float) -> tuple[float, float]:
    """The interval of a cross-validated gain: the gains that the data do not reject.

    A gain m is rejected where ``(gain - m)^2`` exceeds the squared half-width of the usual interval times
    `spread_of_tuning` of ``m / training``. NaN where the usual interval is.

    Args:
        gain: The gain held out.
        low: The lower end of its interval over items with the weights fixed.
        high: The upper end.
        training: The gain on the items tuned on.
    """

    def end(fixed: float) -> float:
        near, far = gain, gain + 1.3 * (fixed - gain)
        for _ in range(60):
            middle = (near + far) / 2
            share = middle / training if training > 0 else 1.0
            kept = (middle - gain) ** 2 <= (fixed - gain) ** 2 * spread_of_tuning(share)
            near, far = (middle, far) if kept else (near, middle)
        return near

    return (end(low), end(high)) if low == low else (low, high)


def gains(scores: Scores) -> pl.DataFrame:
    """The gain of ``reranked`` over ``first`` with its interval, positive where it is better.

    Args:
        scores: Of these two systems, in the other order.

    Returns:
        A row for each metric: ``metric``, ``first``, ``reranked``, ``gain``, ``low``, ``high``.
    """
    rows = []
    for label, each in scores.measured.items():
        values = each.scores()
        errors = difference_errors(
            each.metric, values, scores.left_out(label), np.array([1]), np.array([0])
        )
        way = 1.0 if each.metric.higher_is_better else -1.0
        gain = way * (values[1:] - values[:1])
        low, high = difference_intervals(each.metric, gain, errors, each.size, each.freedom)
        rows.append((label, *values.tolist(), *gain.tolist(), *low.tolist(), *high.tolist()))
    schema = {
        "metric": pl.String,
        **dict.fromkeys((FIRST, RERANKED, "gain", "low", "high"), pl.Float64),
    }
    return pl.DataFrame(rows, schema=schema, orient="row")
