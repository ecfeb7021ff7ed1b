"""One candidate of each list: by weights, minimum Bayes risk, a number, or the oracle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rejoinder.document.parts import AS_USUAL, Document, View
from rejoinder.errors import InputError, ParameterError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import Argument, counted, listed, quoted
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.progress import Progress
from rejoinder.result import TableResult
from rejoinder.scoring.score import score
from rejoinder.tables.assembly.column_mapping import Columns
from rejoinder.tables.format import FormatName
from rejoinder.tables.frames import Frame, polars_of
from rejoinder.tables.nbest_lists import CandidatesLike, NBestLists
from rejoinder.tables.testset import TestSet, TestSetLike
from rejoinder.tuning.gains import FIRST, RERANKED, gains, notes_of
from rejoinder.tuning.objectives import with_metrics
from rejoinder.tuning.rules import (
    UTILITY,
    given_utilities,
    probabilities,
    utilities,
    utility_table,
    weighted,
)
from rejoinder.tuning.rules import (
    oracle as oracle_choice,
)
from rejoinder.tuning.weight_search import best_of_lists

RULES = ("weights", "mbr", "utility", "best", "oracle")
"""The arguments of which one says how candidates are chosen."""


@dataclass(frozen=True, repr=False)
class Reranked(TableResult):
    """The chosen candidate of each list.

    Attributes:
        table: A row for each item: ``id``, ``candidate`` (its number in the list, from 1), ``of`` (how
            many there are), ``sample``, ``value`` (what it was chosen by), ``first`` (that of the first
            candidate), ``text``.
        responses: The chosen candidates as the replies of one system.
        gains: Metrics of the chosen and of the first candidates: ``metric``, ``used`` (whether it chose, or
            the weights were tuned by it),
            ``first``, ``reranked``, ``gain``, ``low``, ``high``.
        rule: How they were chosen, in words.
        notes: What is to be said of the numbers.
        utilities: The utilities, where minimum Bayes risk was asked to keep them.
    """

    table: pl.DataFrame
    responses: pl.DataFrame
    gains: pl.DataFrame
    rule: str
    notes: tuple[str, ...]
    _lists: NBestLists
    _values: Floats
    _weights: Mapping[str, float]
    _percent: frozenset[str]
    utilities: pl.DataFrame | None = None

    def document(self, view: View = AS_USUAL) -> Document:
        """How candidates were chosen, and what metrics say of them."""
        from rejoinder.tuning.rerank_tables import reranked

        used = "tuned" if self._weights else "chose them"
        return reranked(self.table, self.gains, self.rule, self._percent, used, self.notes)

    def as_json(self, written: str | None = None) -> dict[str, Any]:
        """The object that ``rejoinder rerank --json`` prints."""
        return {
            "rule": self.rule,
            "chosen": self.table.to_dicts(),
            "metrics": self.gains.to_dicts(),
            "notes": list(self.notes),
            "file": written,
        }

    def explain(self, id: str) -> pl.DataFrame:
        """The candidates of an item, the chosen one first, with what each was chosen by.

        Returns:
            ``candidate``, ``value``, the weighted features (or the numbers; one of these two names has
            ``_number`` behind it), ``text``.

        Raises:
            ParameterError: There is no such item.
        """
        if id not in self._lists.ids:
            raise ParameterError(Argument("explain", id), ": no item with candidates has this id")
        place = self._lists.ids.index(id)
        part = slice(*self._lists.bounds[place : place + 2].tolist())
        frame = self._lists.frame[part].drop("id", "system", "sample", "text")
        if self._weights:
            frame = frame.select(pl.col(name) * each for name, each in self._weights.items())
        values = pl.Series("value", self._values[part])
        numbers = pl.Series("candidate", np.arange(1, frame.height + 1))
        clash = {name: f"{name}_number" for name in ("candidate", "value") if name in frame.columns}
        frame = frame.rename(clash).insert_column(0, values).insert_column(0, numbers)
        frame = frame.with_columns(self._lists.frame[part].get_column("text"))
        return frame.sort("value", descending=True, nulls_last=True, maintain_order=True)


def rerank(
    candidates: CandidatesLike,
    testset: TestSetLike | None = None,
    metrics: Sequence[str | Metric] = (),
    *,
    weights: Mapping[str, Any] | None = None,
    mbr: str | Metric | None = None,
    utility: Frame | None = None,
    best: str | None = None,
    oracle: str | Metric | None = None,
    log_probability: str | None = None,
    keep_utility: bool = False,
    scores: Sequence[Any] = (),
    system: str = RERANKED,
    format: FormatName = None,
    columns: Columns = None,
    progress: Progress | None = None,
) -> Reranked:
    """Chooses one candidate of each list.

    By ``weights``: the highest weighted sum of features. By minimum Bayes risk (``mbr``, or ``utility``):
    the highest expected utility ``sum_c' p(c') u(c, c')``, a metric of pairs in which every candidate
    stands for what might be right. By ``best``: the highest number. By the ``oracle``: a greedy search
    that looks at the references, a bound for rerankers. Of equal candidates the first is taken.

    Args:
        candidates: N-best lists, as for ``tune``.
        testset: Contexts and references; needed by the oracle and by ``metrics``.
        metrics: What the chosen candidates are judged by, beside the first ones. The metric that chose
            overestimates, and metrics like it do too (Kovacs et al. 2024).
        weights: By feature its weight; or what ``Tuned.as_json`` gives, which says by which metric they
            were tuned.
        mbr: A metric of pairs, such as ``chrf`` or ``sbleu``.
        utility: Utilities made elsewhere, in the place of a metric: ``id, candidate, reference,
            utility``, candidates by their number in the list, from 1.
        best: A number of the candidates; ``NAME:lower`` where lower is better.
        oracle: The metric that the oracle makes best.
        log_probability: With ``mbr`` or ``utility``, the number that is the logarithm of the model's
            probability; None takes all candidates alike.
        keep_utility: Keep the utilities in the result.
        scores: More numbers of the candidates, as for ``tune``.
        system: What the chosen candidates are called as a system.
        format: The format of the candidates' files; None: recognised.
        columns: Which column is which in them, as for ``read_testset``.
        progress: Called with how much is done, and of how much.

    Raises:
        InputError: Candidates and test set do not fit, or a number is missing.
        ParameterError: None or several rules are given, or something named does not exist.
    """
    given = dict(zip(RULES, (weights, mbr, utility, best, oracle), strict=True))
    rules = [name for name, value in given.items() if value is not None]
    if len(rules) != 1:
        raise ParameterError(
            f"{'several rules' if rules else 'no rule'} to choose candidates by; give one of ",
            *_arguments(),
        )
    risk = mbr is not None or utility is not None
    for name, value in (("log_probability", log_probability), ("keep_utility", keep_utility)):
        if value and not risk:
            raise ParameterError(
                Argument(name),
                " has no effect without ",
                Argument("mbr"),
                " or ",
                Argument("utility"),
            )
    if testset is None and (metrics or oracle is not None):
        raise ParameterError(
            Argument("oracle" if oracle is not None else "metrics"),
            " needs references; add ",
            Argument("testset"),
        )
    items = None if testset is None else TestSet.of(testset)
    ids = None if items is None else items.ids
    lists = NBestLists.of(candidates, scores, ids=ids, format=format, columns=columns)
    notes: list[str] = []
    tuned_by = ""
    if weights is not None and isinstance(weights.get("tuned"), Mapping):
        tuned_by, weights = str(weights["tuned"].get("metric", "")), weights["tuned"]["weights"]
    if items is not None:
        lists = lists.of_items(items.ids)
        if len(lists) < len(items):
            without = counted(len(items) - len(lists), "item")
            notes.append(f"{without} of {len(items)} without candidates left out")
        items = items.select(lists.ids)
    matrices: list[Floats] = []
    if weights is not None:
        if not weights:
            raise ParameterError(Argument("weights"), ": no weight; expected one or more features")
        lists = with_metrics(lists, list(weights), items, "weights")
        values, rule = weighted(lists, weights), f"weights of {listed(weights)}"
    elif best is not None:
        name, _, way = (best, "", "") if best in lists.names else best.partition(":")
        lists.require(name, "best")
        if way not in ("", "lower", "higher"):
            raise ParameterError(Argument("best", best), f": got {quoted(way)}; expected 'lower'")
        values = lists.matrix([name])[:, 0] * (-1 if way == "lower" else 1)
        rule = f"the {'lowest' if way == 'lower' else 'highest'} {name}"
    elif oracle is not None:
        assert items is not None
        metric = registry.metric(oracle)
        if not metric.summable:
            raise ParameterError(
                Argument("oracle", metric.label), " is no sum of rows of single replies"
            )
        chosen = oracle_choice(metric, lists, items, progress)
        values = np.zeros(lists.frame.height)
        values[chosen] = 1.0
        rule = f"greedy oracle under {metric.label}"
        notes.append(
            "the oracle looks at the references: it bounds what reranking can reach, and is no reranker"
        )
    else:
        values, matrices, rule = _bayes_risk(
            lists, mbr, utility, log_probability, keep_utility, progress
        )
    chosen = best_of_lists(values, lists.bounds)
    used = {tuned_by, *(registry.metric(each).label for each in (mbr, oracle) if each is not None)}
    table = _table(lists, values, chosen)
    judged, percent = _gains(lists, chosen, items, metrics, used, notes, tuned=weights is not None)
    kept = utility_table(lists, matrices) if keep_utility else None
    return Reranked(
        table,
        lists.replies(chosen, system),
        judged,
        rule,
        tuple(dict.fromkeys(notes)),
        lists,
        values,
        weights or {},
        percent,
        kept,
    )


def _arguments() -> list[Argument | str]:
    words: list[Argument | str] = []
    for name in RULES:
        words += [Argument(name), ", " if name != RULES[-1] else ""]
    return words


def _bayes_risk(
    lists: NBestLists,
    mbr: str | Metric | None,
    utility: Frame | None,
    logs: str | None,
    keep: bool,
    progress: Progress | None,
) -> tuple[Floats, list[Floats], str]:
    """The expected utility of each candidate, the utilities if they are kept, and the rule in words."""
    if logs is not None:
        lists.require(logs, "log_probability")
    p, sign = probabilities(lists, logs), 1.0
    if utility is not None:
        remedy = "read a file with polars"
        table = polars_of(utility, "utility", ", ".join(UTILITY), remedy)
        found, what = given_utilities(table, lists), "the given utilities"
    else:
        assert mbr is not None
        metric = registry.metric(mbr)
        found, what = utilities(metric, lists, progress), metric.label
        if not metric.higher_is_better:  # a loss: what is kept is a utility, higher is better
            sign, what = -1.0, f"{what}, lower is better"
    values, kept = np.empty(lists.frame.height), []
    for place, matrix in found:
        part = slice(*lists.bounds[place : place + 2].tolist())
        values[part] = np.einsum("ab,b->a", sign * matrix, p[part])
        undefined = np.flatnonzero(np.isnan(values[part]))
        if undefined.size:
            raise InputError(
                f"candidates: candidate {undefined[0] + 1} of id {quoted(lists.ids[place])} has no expected "
                f"utility: {what} is undefined of a pair that it is in; leave such candidates out"
            )
        if keep:
            kept.append(sign * matrix)
    alike = "all candidates alike" if logs is None else f"probabilities by {logs}"
    return values, kept, f"minimum Bayes risk by {what}, {alike}"


def _table(lists: NBestLists, values: Floats, chosen: Indices) -> pl.DataFrame:
    first = lists.bounds[:-1]
    taken = lists.frame[chosen]
    return pl.DataFrame(
        {
            "id": lists.ids,
            "candidate": chosen - first + 1,
            "of": np.diff(lists.bounds),
            "system": taken.get_column("system"),
            "sample": taken.get_column("sample"),
            "value": values[chosen],
            "first": values[first],
            "text": taken.get_column("text"),
        }
    )


def _gains(
    lists: NBestLists,
    chosen: Indices,
    testset: TestSet | None,
    metrics: Sequence[str | Metric],
    used: set[str],
    notes: list[str],
    tuned: bool,
) -> tuple[pl.DataFrame, frozenset[str]]:
    """What metrics say of the chosen candidates beside the first ones, and which of them are shown x100.

    Notes are added.
    """
    schema = {
        "metric": pl.String, "used": pl.Boolean, FIRST: pl.Float64, RERANKED: pl.Float64,
        "gain": pl.Float64, "low": pl.Float64, "high": pl.Float64,
    }  # fmt: skip
    if testset is None or not metrics:
        return pl.DataFrame(schema=schema), frozenset()
    systems = ((FIRST, lists.bounds[:-1]), (RERANKED, chosen))
    replies = pl.concat([lists.replies(places, name) for name, places in systems])
    scores = score(testset, replies, metrics, drop_unusable=True)
    table = gains(scores)
    notes += notes_of(scores)
    same = table.get_column("metric").is_in(list(used))
    if same.any():
        which = listed(table.filter(same).get_column("metric").to_list())
        notes.append(
            f"{which} is what the weights were tuned by: on the items that they were tuned on, this is the "
            "gain in training, which is too high; 'rejoinder tune' gives the gain held out"
            if tuned
            else f"{which} chose the candidates, so its gain is partly its own; metrics like it "
            "overestimate too"
        )
    percent = frozenset(name for name, each in scores.measured.items() if each.metric.times100)
    return table.with_columns(used=same).select(schema.keys()), percent
