"""By how much chosen candidates are better than the first of each list, under every metric."""

from __future__ import annotations

import numpy as np
import polars as pl

from rejoinder.messages import Argument
from rejoinder.metrics.engine.jackknife import difference_errors, difference_intervals
from rejoinder.scoring.scores import Scores

FIRST, RERANKED = "first", "reranked"
"""The two systems that are compared."""


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


def notes_of(scores: Scores) -> list[str]:
    """The notes of these scores; neither system can be taken out of them, as the notes may advise."""
    advice = [f"; {Argument('without', [name])}" for name in (FIRST, RERANKED)]
    return [each.partition(advice[0])[0].partition(advice[1])[0] for each in scores.notes]
