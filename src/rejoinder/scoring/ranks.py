"""Which ranks a system may have, and which systems cannot be told apart."""

from __future__ import annotations

import numpy as np
import polars as pl

from rejoinder.errors import ParameterError
from rejoinder.scoring.measurements import Measured, Measurements
from rejoinder.statistics.holm import SIGNIFICANT

SCHEMA = {
    "metric": pl.String,
    "system": pl.String,
    "value": pl.Float64,
    "best_rank": pl.Int64,
    "worst_rank": pl.Int64,
    "group": pl.Int64,
}


def rank_ranges(scores: Measurements, pairs: pl.DataFrame) -> pl.DataFrame:
    """The range of ranks of every system, from the tests of all pairs.

    The best rank is one more than the number of systems that are significantly better (randomization
    test, Holm-corrected, at 5%), the worst rank the number of systems that are not significantly
    worse, as in the shared tasks of WMT. A new group begins where every system above is
    significantly better than every system below.

    Args:
        scores: The scores.
        pairs: The table of ``compare``, with all pairs of systems.

    Returns:
        A row for each system under each metric that ranks systems, best first: ``metric``,
        ``system``, ``value``, ``best_rank``, ``worst_rank``, ``group`` (counted from 1).

    Raises:
        ParameterError: A pair is missing.
    """
    tables = [
        _of_metric(scores, label, each, pairs.filter(pl.col("metric") == label))
        for label, each in scores.measured.items()
        if each.metric.ranks
    ]
    return pl.concat(tables) if tables else pl.DataFrame(schema=SCHEMA)


def _of_metric(
    scores: Measurements, label: str, measured: Measured, pairs: pl.DataFrame
) -> pl.DataFrame:
    systems = len(scores.names)
    if pairs.height < systems * (systems - 1) // 2:
        raise ParameterError("ranks need the tests of all pairs: compare without a and b")
    better = np.zeros((systems, systems), dtype=np.bool_)
    sign = 1 if measured.metric.higher_is_better else -1
    for row in pairs.iter_rows(named=True):
        if row["p_randomization_holm"] < SIGNIFICANT:
            ends = scores.place(row["a"]), scores.place(row["b"])
            winner, loser = ends if sign * row["difference"] > 0 else ends[::-1]
            better[winner, loser] = True
    values = measured.scores()
    key = np.where(np.isnan(values), np.inf, -sign * values)
    order = np.argsort(key, kind="stable")
    begins = [bool(better[np.ix_(order[:k], order[k:])].all()) for k in range(systems)]
    return pl.DataFrame(
        {
            "metric": [label] * systems,
            "system": [scores.names[s] for s in order],
            "value": values[order],
            "best_rank": 1 + better.sum(axis=0)[order],
            "worst_rank": systems - better.sum(axis=1)[order],
            "group": np.cumsum(begins),
        },
        schema=SCHEMA,
    )
