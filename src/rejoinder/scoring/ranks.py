"""Which ranks a system may have, and which systems do not differ significantly."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder.errors import ParameterError
from rejoinder.messages import Argument
from rejoinder.scoring.measurements import Measured, Measurements
from rejoinder.statistics.holm import SIGNIFICANT
from rejoinder.statistics.rank_ranges import ranges

SCHEMA = {
    "metric": pl.String,
    "system": pl.String,
    "value": pl.Float64,
    "best_rank": pl.Int64,
    "worst_rank": pl.Int64,
    "group": pl.Int64,
    "letters": pl.String,
}


def rank_ranges(scores: Measurements, pairs: pl.DataFrame) -> pl.DataFrame:
    """The range of ranks of every system, from the tests of all pairs.

    The best rank is one more than the number of systems that are significantly better (randomization
    test, Holm-corrected, at 5%), the worst rank the number of systems that are not significantly
    worse, as in the shared tasks of WMT. A new group begins where every system above is
    significantly better than every system below. Two systems share a letter if and only if they do
    not differ significantly (compact letter display, Piepho 2004).

    Args:
        scores: The scores.
        pairs: The table of ``compare``, with all pairs of systems.

    Returns:
        A row for each system under each metric that ranks systems, best first: ``metric``,
        ``system``, ``value``, ``best_rank``, ``worst_rank``, ``group`` (counted from 1),
        ``letters``.

    Raises:
        ParameterError: A pair is missing.
    """
    tables = [
        _metric_ranks(scores, label, each, pairs.filter(pl.col("metric") == label))
        for label, each in scores.measured.items()
        if each.metric.ranks
    ]
    return pl.concat(tables) if tables else pl.DataFrame(schema=SCHEMA)


def significant_pairs(
    scores: Measurements, label: str, pairs: pl.DataFrame
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Which systems are significantly better than which, from the tests of all pairs.

    Args:
        scores: The scores.
        label: The metric. Where it ranks no systems, a higher value counts as better.
        pairs: The rows of ``compare`` for this metric, with all pairs of systems.

    Returns:
        The places of the systems, best first; and whether system i is significantly better than
        system j, both in the order of ``scores.names``, of the shape [S, S].

    Raises:
        ParameterError: A pair is missing.
    """
    systems, measured = len(scores.names), scores.measured[label]
    if pairs.height < systems * (systems - 1) // 2:
        raise ParameterError(
            f"{Argument('ranks', True)} needs the tests of all pairs; leave {Argument('a')} and "
            f"{Argument('b')} out"
        )
    better = np.zeros((systems, systems), dtype=np.bool_)
    sign = 1 if measured.metric.higher_is_better else -1
    for row in pairs.iter_rows(named=True):
        if row["p_randomization_holm"] < SIGNIFICANT:
            ends = scores.place(row["a"]), scores.place(row["b"])
            winner, loser = ends if sign * row["difference"] > 0 else ends[::-1]
            better[winner, loser] = True
    values = measured.scores()
    key = np.where(np.isnan(values), np.inf, -sign * values)
    return np.argsort(key, kind="stable"), better


def _metric_ranks(
    scores: Measurements, label: str, measured: Measured, pairs: pl.DataFrame
) -> pl.DataFrame:
    order, better = significant_pairs(scores, label, pairs)
    return pl.DataFrame(
        {
            "metric": [label] * len(order),
            "system": [scores.names[s] for s in order],
            "value": measured.scores()[order],
            **ranges(better, order),
        },
        schema=SCHEMA,
    )
