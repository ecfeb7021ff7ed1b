"""One candidate of each list: by weights, minimum Bayes risk, a number, or the oracle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rejoinder.document.parts import AS_USUAL, Document, View
from rejoinder.errors import ParameterError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import Argument, listed
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
from rejoinder.tuning.rules import UTILITY, by_number, by_oracle, by_risk, by_weights, utility_table
from rejoinder.tuning.weight_search import best_of_lists

RULES: tuple[str, ...] = ("weights", "mbr", "utility", "best", "oracle")
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
    _metrics: Mapping[str, Metric]
    utilities: pl.DataFrame | None = None

    def document(self, view: View = AS_USUAL) -> Document:
        """How candidates were chosen, and what metrics say of them."""
        from rejoinder.tuning.rerank_tables import reranked

        used = "tuned" if self._weights else "chose them"
        return reranked(self.table, self.gains, self.rule, self._metrics, used, self.notes)

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
    cluster: str | None = None,
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
        cluster: With ``metrics``, as for ``score``.
        system: What the chosen candidates are called as a system.
        format: The format of the candidates' files; None: recognised.
        columns: Which column is which in them, as for ``read_testset``.
        progress: Called with how much is done, and of how much.

    Raises:
        InputError: Candidates and test set do not fit, or a number is missing.
        ParameterError: None or several rules are given, or something named does not exist.
    """
    given = dict(zip(RULES, (weights, mbr, utility, best, oracle), strict=True))
    _check(given, testset is not None, metrics, log_probability, keep_utility)
    items = None if testset is None else TestSet.of(testset)
    ids = None if items is None else items.ids
    lists = NBestLists.of(candidates, scores, ids=ids, format=format, columns=columns)
    notes: list[str] = []
    tuned_on, testset_is = "", "" if items is None else items.digest
    if items is not None:
        lists, items, notes = lists.paired(items)
    if weights is not None:
        of_tune = isinstance(weights.get("tuned"), Mapping)
        tuned: Mapping[str, Any] = weights["tuned"] if of_tune else {"weights": weights}
        weights, tuned_on = tuned["weights"], str(tuned.get("testset", testset_is))
        lists = with_metrics(lists, list(tuned["weights"]), items, "weights")
        choice = by_weights(lists, tuned["weights"], str(tuned.get("metric", "")))
    elif best is not None:
        choice = by_number(lists, best)
    elif oracle is not None:
        assert items is not None
        choice = by_oracle(registry.metric(oracle), lists, items, progress)
    else:
        worth = registry.metric(mbr) if mbr is not None else _utility_table(utility)
        choice = by_risk(lists, worth, log_probability, keep_utility, progress)
    chosen = best_of_lists(choice.values, lists.bounds)
    judged, measured, more = _gains(lists, chosen, items, metrics, cluster, choice.used)
    notes += [*choice.notes, *more]
    if used := judged.filter("used").get_column("metric").to_list():
        notes.append(_on_used(used, weights is not None, tuned_on == testset_is))
    return Reranked(
        _table(lists, choice.values, chosen),
        lists.replies(chosen, system),
        judged,
        choice.rule,
        tuple(dict.fromkeys(notes)),
        lists,
        choice.values,
        weights or {},
        measured,
        utility_table(lists, choice.matrices) if keep_utility else None,
    )


def _check(
    rules: Mapping[str, Any],
    has_testset: bool,
    metrics: Sequence[str | Metric],
    log_probability: str | None,
    keep_utility: bool,
) -> None:
    """Raises a ParameterError where arguments do not fit together."""
    given = [name for name, value in rules.items() if value is not None]
    if len(given) != 1:
        first, *others = map(Argument, RULES)
        what = "several rules" if given else "no rule"
        more = [part for each in others for part in (", ", each)]
        raise ParameterError(f"{what} to choose candidates by; give one of ", first, *more)
    if rules["weights"] is not None and not rules["weights"]:
        raise ParameterError(Argument("weights"), ": no weight; expected one or more features")
    unmet = {"log_probability": log_probability, "keep_utility": keep_utility}
    for name in [name for name, value in unmet.items() if value]:
        if given[0] not in ("mbr", "utility"):
            need = Argument("mbr"), " or ", Argument("utility")
            raise ParameterError(Argument(name), " has no effect without ", *need)
    if not has_testset and (metrics or given[0] == "oracle"):
        what = Argument("oracle" if given[0] == "oracle" else "metrics")
        raise ParameterError(what, " needs references; add ", Argument("testset"))


def _utility_table(given: Any) -> pl.DataFrame:
    return polars_of(given, "utility", ", ".join(UTILITY), "read a file with polars")


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
    cluster: str | None,
    used: Sequence[str],
) -> tuple[pl.DataFrame, dict[str, Metric], list[str]]:
    """What metrics say of the chosen candidates and the first ones; their metrics; notes."""
    schema = {
        "metric": pl.String, "used": pl.Boolean, FIRST: pl.Float64, RERANKED: pl.Float64,
        "gain": pl.Float64, "low": pl.Float64, "high": pl.Float64,
    }  # fmt: skip
    if testset is None or not metrics:
        return pl.DataFrame(schema=schema), {}, []
    systems = ((FIRST, lists.bounds[:-1]), (RERANKED, chosen))
    replies = pl.concat([lists.replies(places, name) for name, places in systems])
    scores = score(testset, replies, metrics, drop_unusable=True, cluster=cluster)
    table = gains(scores).with_columns(used=pl.col("metric").is_in(list(used)))
    measured = {label: each.metric for label, each in scores.measured.items()}
    return table.select(schema.keys()), measured, notes_of(scores)


def _on_used(metrics: Sequence[str], tuned: bool, on_these_items: bool) -> str:
    """What is to be said of the gain under metrics that chose, or that weights were tuned by."""
    if not tuned:
        return (
            f"{listed(metrics)} chose the candidates, so its gain is partly its own; metrics like it "
            "overestimate too"
        )
    if not on_these_items:
        return (
            f"{listed(metrics)} is what the weights were tuned by, on another test set: the gain is held "
            "out if the two share no items"
        )
    return (
        f"{listed(metrics)} is what the weights were tuned by: on the items that they were tuned on, this "
        "is the gain in training, which is too high; 'rejoinder tune' gives the gain held out"
    )
