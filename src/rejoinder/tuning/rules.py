"""How one candidate of each list is chosen: rules that give each a value, the highest of which is taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from rejoinder.errors import InputError, ParameterError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import Argument, listed, quoted
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


class Choice(NamedTuple):
    """What candidates are chosen by.

    Attributes:
        values: float64 [m], the highest of each list is taken.
        rule: How, in words.
        used: The metrics that choose, or that weights were tuned by.
        notes: What is to be said of it.
        matrices: The utilities of each list, where they are kept.
    """

    values: Floats
    rule: str
    used: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    matrices: Sequence[Floats] = ()


def by_number(lists: NBestLists, best: str) -> Choice:
    """The highest number of a name, or with ``:lower`` behind it the lowest.

    Raises:
        InputError: A candidate has none.
        ParameterError: There is no such number.
    """
    name, _, way = (best, "", "") if best in lists.names else best.partition(":")
    lists.require(name, "best")
    if way not in ("", "lower", "higher"):
        raise ParameterError(Argument("best", best), f": got {quoted(way)}; expected 'lower'")
    lower = way == "lower"
    values = lists.matrix([name], least=-np.inf)[:, 0]
    return Choice(-values if lower else values, f"the {'lowest' if lower else 'highest'} {name}")


def by_weights(lists: NBestLists, weights: Mapping[str, float], tuned_by: str = "") -> Choice:
    """The highest weighted sum of features.

    Args:
        lists: The candidates.
        weights: By feature.
        tuned_by: The metric that they were tuned by; empty: not known.
    """
    names, factors = list(weights), np.array([*weights.values()], np.float64)
    values = np.einsum("md,d->m", lists.matrix(names), factors)
    return Choice(values, f"weights of {listed(names)}", (tuned_by,))


def by_oracle(
    metric: Metric, lists: NBestLists, testset: TestSet, progress: Progress | None = None
) -> Choice:
    """The candidates that `oracle` finds.

    Args:
        metric: The metric.
        lists: The candidates.
        testset: Their test set.
        progress: Called with what is done and what there is in all; None: never.

    Raises:
        ParameterError: The metric is no sum of rows.
    """
    if not metric.summable:
        raise ParameterError(
            Argument("oracle", metric.label), " is no sum of rows of single replies"
        )
    values = np.zeros(lists.frame.height)
    values[oracle(metric, lists, testset, progress)] = 1.0
    note = (
        "the oracle looks at the references: it bounds what reranking can reach, and is no reranker"
    )
    return Choice(values, f"greedy oracle under {metric.label}", (metric.label,), (note,))


def by_risk(
    lists: NBestLists,
    utility: Metric | pl.DataFrame,
    logs: str | None,
    keep: bool,
    progress: Progress | None = None,
) -> Choice:
    """The highest expected utility: minimum Bayes risk.

    Args:
        lists: The candidates.
        utility: A metric of pairs, or utilities made elsewhere.
        logs: The number that is the logarithm of the model's probability; None: all are alike.
        keep: Whether the utilities are kept.
        progress: Called with what is done and what there is in all; None: never.

    Raises:
        InputError: A utility is missing or undefined, or the probabilities of a list are all 0.
        ParameterError: There is no such number.
    """
    p, sign, used = probabilities(lists, logs), 1.0, ()
    if isinstance(utility, pl.DataFrame):
        matrices_of_lists, what = given_utilities(utility, lists), "the given utilities"
    else:
        matrices_of_lists, what = utilities(utility, lists, progress), utility.label
        used = (what,)
        if not utility.higher_is_better:  # a loss: what is kept is a utility, higher is better
            sign, what = -1.0, f"{what}, lower is better"
    values, matrices = np.empty(lists.frame.height), []
    for place, matrix in matrices_of_lists:
        part = slice(*lists.bounds[place : place + 2].tolist())
        values[part] = np.einsum("ab,b->a", sign * matrix, p[part])
        undefined = np.flatnonzero(np.isnan(values[part]))
        if undefined.size:
            raise InputError(
                f"candidates: candidate {undefined[0] + 1} of id {quoted(lists.ids[place])} has no expected "
                f"utility: {what} is undefined of a pair that it is in; leave such candidates out"
            )
        if keep:
            matrices.append(sign * matrix)
    alike = "all candidates alike" if logs is None else f"probabilities by {logs}"
    return Choice(values, f"minimum Bayes risk by {what}, {alike}", used, (), matrices)


def probabilities(lists: NBestLists, name: str | None) -> Floats:
    """The probability of each candidate within its list, float64 [m]: all alike without a name.

    Args:
        lists: The candidates.
        name: A number that is the logarithm of a probability, up to a constant; -inf is that of 0.

    Raises:
        InputError: A candidate has none, or all of a list have -inf.
        ParameterError: There is no such number.
    """
    starts, sizes = lists.bounds[:-1], np.diff(lists.bounds)
    if name is None:
        return np.repeat(1 / sizes, sizes)
    lists.require(name, "log_probability")
    logs = lists.matrix([name], least=-np.inf)[:, 0]
    highest = np.maximum.reduceat(logs, starts)
    for place in np.flatnonzero(highest == -np.inf)[:1]:
        raise InputError(
            f"candidates: every candidate of id {quoted(lists.ids[place])} has the value -inf of "
            f"{quoted(name)}, the logarithm of a probability of 0; leave the item out"
        )
    weights = np.exp(logs - np.repeat(highest, sizes))
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

    def wrong(what: object, expected: str) -> InputError:
        return InputError(f"utility: {what}; expected {expected}")

    for name in [name for name in UTILITY if name not in table.columns]:
        where = "with candidates by their number in the list, from 1 on"
        raise wrong(f"no column {quoted(name)}", f"{', '.join(UTILITY)}, {where}")
    try:
        rows = table.select(pl.col(name).cast(kind) for name, kind in UTILITY.items())
    except pl.exceptions.PolarsError as error:
        raise wrong(str(error).splitlines()[0], "numbers beside the ids") from None
    for name in [each.name for each in rows if each.null_count()]:
        raise wrong(f"an empty cell in the column {quoted(name)}", "a value")
    known = rows.get_column("id").is_in(lists.ids)
    if unknown := rows.filter(~known).get_column("id").unique(maintain_order=True).to_list():
        what = f"{first_few(unknown)}: no candidates have this id"
        raise wrong(what, "utilities of these candidates alone")
    for id, a, b, _ in rows.filter(
        pl.struct("id", "candidate", "reference").is_duplicated()
    ).rows():
        what = f"candidate {a} with reference {b} at id {quoted(id)} more than once"
        raise wrong(what, "each pair once")
    of_id = rows.partition_by("id", as_dict=True)
    for place, (id, size) in enumerate(zip(lists.ids, np.diff(lists.bounds).tolist(), strict=True)):
        matrix = np.full((size, size), np.nan)
        of_list = of_id.get((id,), rows.clear())
        pairs = of_list.select("candidate", "reference").to_numpy() - 1
        if ((pairs < 0) | (pairs >= size)).any():
            what = f"id {quoted(id)} has candidates beyond the {size} of its list"
            raise wrong(what, "numbers from 1 on")
        matrix[*pairs.T] = of_list.get_column("utility").to_numpy()
        for a, b in np.argwhere(np.isnan(matrix))[:1] + 1:
            what = f"none of candidate {a} with reference {b} at id {quoted(id)}"
            raise wrong(what, "one for every pair of candidates of an item")
        yield place, matrix


def utility_table(lists: NBestLists, matrices: Sequence[Floats]) -> pl.DataFrame:
    """The utilities of all lists as a table of the columns of ``UTILITY``."""
    frames = []
    for id, matrix in zip(lists.ids, matrices, strict=True):
        a, b = np.indices(matrix.shape) + 1
        columns = (np.full(matrix.size, id), a.ravel(), b.ravel(), matrix.ravel())
        frames.append(pl.DataFrame(dict(zip(UTILITY, columns, strict=True)), schema=UTILITY))
    return pl.concat(frames)


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
