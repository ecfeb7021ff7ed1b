"""How one candidate of each list is chosen: rules that give each a value, the highest of which is taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
import polars as pl

from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import quoted
from rejoinder.metrics.base import Metric
from rejoinder.metrics.pairs import PairScorer
from rejoinder.progress import Progress, advance
from rejoinder.tables.checks.id_slips import first_few
from rejoinder.tables.nbest_lists import NBestLists
from rejoinder.tables.testset import TestSet
from rejoinder.text.strings import Strings
from rejoinder.tuning.objectives import candidate_rows
from rejoinder.tuning.weight_search import CandidateRows

PAIRS_AT_ONCE = 1 << 22
"""Lists of so many pairs are held in memory at a time."""

UTILITY = {"id": pl.String, "candidate": pl.Int64, "reference": pl.Int64, "utility": pl.Float64}
"""A table of utilities: what candidate number ``candidate`` of an item is worth where number
``reference`` is right, both from 1 on in the order of the list."""


def probabilities(lists: NBestLists, name: str | None) -> Floats:
    """The probability of each candidate within its list, float64 [m]: all alike without a name.

    Args:
        lists: The candidates.
        name: A number that is the logarithm of a probability, up to a constant.
    """
    if name is None:
        return np.repeat(1 / np.diff(lists.bounds), np.diff(lists.bounds))
    logs = lists.matrix([name])[:, 0]
    starts, sizes = lists.bounds[:-1], np.diff(lists.bounds)
    weights = np.exp(logs - np.repeat(np.maximum.reduceat(logs, starts), sizes))
    return weights / np.repeat(np.add.reduceat(weights, starts), sizes)


def utilities(
    metric: Metric, lists: NBestLists, progress: Progress | None = None
) -> Iterator[tuple[int, Floats]]:
    """For each list its place, and float64 [c, c]: candidate a as the reply to reference b.

    Args:
        metric: The metric.
        lists: The n-best lists.
        progress: Called with what is done and what there is in all; None: never.
    """
    scorer = PairScorer(metric, Strings.of(lists.frame.get_column("text"), "candidates"))
    sizes = np.diff(lists.bounds)
    part = np.cumsum(sizes**2) // PAIRS_AT_ONCE
    cuts = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), len(lists)]
    for first, last in pairwise(cuts):
        bounds = lists.bounds[first : last + 1]
        places = np.arange(bounds[0], bounds[-1])
        yield from enumerate(scorer.within(places, bounds - bounds[0]), start=first)
        advance(progress, last, len(lists))


def given_utilities(table: pl.DataFrame, lists: NBestLists) -> Iterator[tuple[int, Floats]]:
    """The same of a table of the columns of ``UTILITY``.

    Raises:
        InputError: A column or a pair of candidates is missing or there twice, a value is no number, or
            there is no such candidate.
    """
    lacking = [name for name in UTILITY if name not in table.columns]
    if lacking:
        raise InputError(
            f"utility: no column {quoted(lacking[0])}; expected {', '.join(UTILITY)}, with candidates by "
            "their number in the list, from 1 on"
        )
    try:
        rows = table.select(pl.col(name).cast(kind) for name, kind in UTILITY.items())
    except pl.exceptions.PolarsError as error:
        why = str(error).splitlines()[0]
        raise InputError(f"utility: {why}; expected numbers beside the ids") from None
    if (empty := rows.null_count().row(0)) and any(empty):
        name = rows.columns[int(np.flatnonzero(empty)[0])]
        raise InputError(f"utility: an empty cell in the column {quoted(name)}; expected a value")
    unknown = rows.filter(~pl.col("id").is_in(lists.ids))
    if unknown.height:
        raise InputError(
            f"utility: {first_few(unknown.get_column('id').unique(maintain_order=True).to_list())}: no "
            "candidates have this id; expected utilities of these candidates alone"
        )
    twice = rows.filter(pl.struct("id", "candidate", "reference").is_duplicated())
    if twice.height:
        id, a, b, _ = twice.row(0)
        raise InputError(
            f"utility: candidate {a} with reference {b} at id {quoted(id)} more than once; expected each "
            "pair once"
        )
    of_id = {str(key[0]): each for key, each in rows.group_by("id")}
    for place, (id, size) in enumerate(zip(lists.ids, np.diff(lists.bounds).tolist(), strict=True)):
        matrix = np.full((size, size), np.nan)
        if id in of_id:
            a = of_id[id].get_column("candidate").to_numpy() - 1
            b = of_id[id].get_column("reference").to_numpy() - 1
            if min(a.min(), b.min()) < 0 or max(a.max(), b.max()) >= size:
                raise InputError(
                    f"utility: id {quoted(id)} has candidates beyond the {size} of its list; expected "
                    "numbers from 1 on"
                )
            matrix[a, b] = of_id[id].get_column("utility").to_numpy()
        if np.isnan(matrix).any():
            a, b = np.argwhere(np.isnan(matrix))[0] + 1
            raise InputError(
                f"utility: none of candidate {a} with reference {b} at id {quoted(id)}; expected one for "
                "every pair of candidates of an item"
            )
        yield place, matrix


def utility_table(lists: NBestLists, matrices: Sequence[Floats]) -> pl.DataFrame:
    """The utilities of all lists as a table of the columns of ``UTILITY``."""
    frames = []
    for id, matrix in zip(lists.ids, matrices, strict=True):
        a, b = np.indices(matrix.shape) + 1
        columns = (np.full(matrix.size, id), a.ravel(), b.ravel(), matrix.ravel())
        frames.append(pl.DataFrame(dict(zip(UTILITY, columns, strict=True)), schema=UTILITY))
    return pl.concat(frames)


def weighted(lists: NBestLists, weights: Mapping[str, float]) -> Floats:
    """The weighted sum of features of each candidate: float64 [m]."""
    return np.einsum(
        "md,d->m", lists.matrix(list(weights)), np.array(list(weights.values()), np.float64)
    )


def oracle(
    metric: Metric, lists: NBestLists, testset: TestSet, progress: Progress | None = None
) -> Indices:
    """The candidates that make the metric of all items best, as a greedy search finds them: int64 [n].

    From the first candidates on, item by item the one that makes the sum best takes the place of the one
    before, until none does. It looks at the references: what it reaches is a bound for rerankers (a lower
    bound of the best selection), and no reranker.

    Args:
        metric: The metric.
        lists: The n-best lists.
        testset: The test set.
        progress: Called with what is done and what there is in all; None: never.
    """
    # Items that the metric cannot score have no rows: they keep their first candidate.
    statistics = np.nan_to_num(candidate_rows(metric, lists, testset, progress))
    way = 1.0 if metric.higher_is_better else -1.0
    rows = CandidateRows(np.zeros((len(statistics), 0)), lists.bounds, statistics, metric.score)
    chosen = lists.bounds[:-1].copy()
    total, changed = rows.rows[chosen].sum(axis=0), True
    while changed:
        changed = False
        for i, (begin, end) in enumerate(pairwise(lists.bounds.tolist())):
            sums = total - rows.rows[chosen[i]] + rows.rows[begin:end]
            values = way * metric.score(sums)
            best = begin + int(np.nanargmax(values)) if not np.isnan(values).all() else begin
            if values[best - begin] > values[chosen[i] - begin] + 1e-12:
                total, chosen[i], changed = sums[best - begin], best, True
    return chosen
