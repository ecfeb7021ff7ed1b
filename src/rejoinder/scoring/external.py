"""Scores that other tools made, joined to replies, or by themselves as the table of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.messages import Argument, counted, quoted
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.jackknife import interval_facts
from rejoinder.metrics.engine.rows import Matrix
from rejoinder.metrics.external import External, externals
from rejoinder.scoring.clusters import clustered
from rejoinder.scoring.measurements import Measured, Measurements, few_items
from rejoinder.scoring.pairwise import pairwise_scores
from rejoinder.scoring.samples import with_samples
from rejoinder.statistics.draws import check_draws
from rejoinder.tables.checks.arguments import expect
from rejoinder.tables.checks.id_slips import first_few, shift, slip
from rejoinder.tables.columns import OtherTableError
from rejoinder.tables.external_scores import ReplyValues, SegmentScores
from rejoinder.tables.frames import is_table
from rejoinder.tables.item_clusters import clusters_in, has_text
from rejoinder.tables.responses import MissingOrPairwise
from rejoinder.tables.testset import TestSet, TestSetLike

MISSING = ("error", "drop", "pairwise")
"""What can be done about a missing value by itself: no empty reply can stand in for it."""

DROP = Argument("missing", "drop")

NOT_USED = "of other systems or ids not used"
"""How a note on values that belong to no reply ends."""

SHOWN = 5
"""So many replies without a value are named in a message."""


Table = TypeVar("Table", bound=Measurements)


def scores_of(given: Any, kind: type[Table], call: str) -> Table:
    """The scores of a Python call: a table of scores as it is, or numbers for replies in a frame.

    Args:
        given: What was passed.
        kind: The class of a table of scores.
        call: The call as it should be: ``rejoinder.correlate(scores, ratings)``.

    Raises:
        InputError: A frame breaks the rules of scores.
        ParameterError: It is neither: a path, or a test set.
    """
    if is_table(given):
        with suppress(OtherTableError):  # a table of something else
            return kind(**vars(from_values(externals(SegmentScores.of(given)))))
    remedy = (
        "measure replies with rejoinder.score, open a file of Scores.save with rejoinder.load_scores(path), "
        "or take the scores of another tool: rejoinder.read_scores(path)"
    )
    expect(given, kind, "scores", f"Scores, as in {call}; {remedy}")
    assert isinstance(given, kind)
    return given


def from_values(
    metrics: Sequence[External],
    testset: TestSetLike | None = None,
    *,
    missing: MissingOrPairwise = "error",
    cluster: str | None = None,
    at: Sequence[int] = (),
    passing: float | Mapping[str, float] | None = None,
    resamples: int = 1000,
    seed: int = 12345,
) -> Measurements:
    """The scores of other tools as a table of scores, without any reply.

    Args:
        metrics: The metrics; every system that one of them names counts, and every id.
        testset: The items, with their columns; None takes the ids of the metrics.
        missing: As for ``scored_items``.
        cluster: As for ``score``; where the test set has no such column, one of the tables of scores.
        at: As for ``score``.
        passing: As for ``score``.
        resamples: As for ``score``.
        seed: As for ``score``.

    Raises:
        InputError: A value is missing, or a metric and the test set have no id in common.
        ParameterError: Two metrics have one name, or an argument is of another kind.
    """
    check_draws(resamples, seed)
    if missing not in MISSING:
        raise ParameterError(f"missing: got {quoted(missing)}; expected {one_of(MISSING)}")
    if testset is not None:
        testset = TestSet.of(testset)
    labelled = registry.metrics(metrics)
    values = [each.reply_values for each in metrics if each.reply_values is not None]
    systems = list(dict.fromkeys(name for each in values for name in each.systems))
    ids = list(dict.fromkeys(id for each in values for id in each.ids))
    items = pl.DataFrame({"id": ids}, schema={"id": pl.String})
    if testset is not None:
        items, ids = testset.contexts.drop("context"), testset.ids
    items, notes = _with_clusters(items, values, cluster)
    measured = {}
    for label, metric in zip(labelled, metrics, strict=True):
        usable, of_metric = scored_items(label, metric, systems, ids, missing)
        signature = metric.signature(
            **dropped_facts(metric, usable), **interval_facts(metric, resamples, seed)
        )
        rows = Matrix(metric.rows(systems, ids)).pick(usable)
        measured[label] = Measured(metric, rows, usable, signature)
        notes += [*of_metric, *(f"{label}: {note}" for note in metric.notes())]
    notes += few_items(measured) if resamples else []
    scores = Measurements(tuple(systems), items, measured, tuple(notes), resamples, seed)
    if missing == "pairwise":
        scores = pairwise_scores(scores, np.ones((len(systems), len(ids)), dtype=np.bool_))
    if at or passing is not None or any(each.by_sample is not None for each in values):
        scores = with_samples(scores, {}, at, passing)
    return clustered(scores, cluster)


def _with_clusters(
    items: pl.DataFrame, values: Sequence[ReplyValues], cluster: str | None
) -> tuple[pl.DataFrame, list[str]]:
    """The items with the columns of clusters that tables of scores have and they have not, and notes."""
    notes: list[str] = []
    tables = [each.items for each in values if each.items is not None]
    for column in dict.fromkeys(name for table in tables for name in table.columns):
        if column in items.columns:
            continue
        named = pl.concat(each.select("id", column) for each in tables if column in each.columns)
        named = named.filter(has_text(column))
        if column != cluster and not named.height:
            continue
        clusters, of_column = clusters_in(named, column, "scores", required=column == cluster)
        notes += of_column if cluster is None else []
        if clusters is not None:
            schema = {"id": pl.String, column: pl.String}
            labels = pl.DataFrame([*clusters.labels.items()], schema, orient="row")
            items = items.join(labels, on="id", how="left", maintain_order="left")
    return items, notes


def scored_items(
    label: str,
    metric: External,
    systems: Sequence[str],
    ids: Sequence[str],
    missing: MissingOrPairwise,
) -> tuple[NDArray[np.bool_], list[str]]:
    """The items that every system has a value for, bool [n], and notes on the others.

    A value that is missing is treated as a missing reply is, but that nothing can stand in for it.

    Args:
        label: The label of the metric.
        metric: The metric.
        systems: The names of the systems.
        ids: The ids of the items.
        missing: How an item that a system did not answer is handled.

    Raises:
        InputError: A value is missing and ``missing`` is not ``drop``, or none is left.
    """
    _refuse_shifted(label, metric, ids)
    lacking: NDArray[np.bool_] = np.isnan(metric.rows(systems, ids)[..., 0])
    count, left = int(lacking.sum()), np.logical_not(lacking.any(axis=1))
    notes = unused_values(label, metric, lacking)
    if not count:
        return left, notes
    if lacking.all():
        raise InputError(f"{label}: {_strangers(metric, systems, ids)}")
    values = counted(count, "value")
    if missing == "pairwise":
        return np.logical_not(lacking.all(axis=1)), notes
    if missing != "drop":
        places = [f"'{systems[s]}' at id '{ids[i]}'" for i, s in np.argwhere(lacking)[:SHOWN]]
        more = ", ..." if count > SHOWN else ""
        raise InputError(
            f"{label}: {values} missing of {lacking.size}: {', '.join(places)}{more}; expected one for "
            f"each reply; {DROP} leaves these items out for all systems, and "
            f"{Argument('missing', 'pairwise')} scores every system on its own items"
        )
    items = len(ids) - int(left.sum())
    if items == len(ids):
        raise InputError(
            f"{label}: {values} missing, and at each item that of one system or more, so that "
            f"{DROP} leaves no item"
        )
    return left, [f"{label}: {items} of {len(ids)} items dropped: {values} missing", *notes]


def dropped_facts(metric: Metric, items: NDArray[np.bool_]) -> dict[str, str]:
    """How missing scores of another tool were treated, as a signature says it."""
    return {"missing": "drop"} if isinstance(metric, External) and not items.all() else {}


def unused_values(label: str, metric: External, lacking: NDArray[np.bool_]) -> list[str]:
    """A note on values that belong to no reply.

    Args:
        label: What the metric is called.
        metric: The metric.
        lacking: Which replies have no value: bool [n, S].
    """
    unused = metric.known - int((~lacking).sum())
    return [f"{label}: {counted(unused, 'value')} {NOT_USED}"] if unused else []


def _refuse_shifted(label: str, metric: External, ids: Sequence[str]) -> None:
    """Ids 0 ... n-1 against 1 ... n meet all but once, and each meets a wrong partner."""
    given = [] if metric.reply_values is None else list(metric.reply_values.ids)
    if len(given) == len(ids) and set(given) != set(ids) and shift(given, ids):
        unknown = [id for id in given if id not in set(ids)]
        hint = slip(unknown, given, ids, "scores", "replies")
        raise InputError(f"{label}: no reply has the id {first_few(unknown)}; {hint}")


def _strangers(metric: External, systems: Sequence[str], ids: Sequence[str]) -> str:
    """Why no reply has a value: the systems, the ids, or the pairs of them."""
    values = metric.reply_values
    assert values is not None
    if not set(values.systems) & set(systems):
        return (
            f"no reply has a value: system {first_few(values.systems)} scored, {first_few(systems)} "
            "replying; give both the same name, or name the file of the other systems' scores too"
        )
    given, known = list(values.ids), list(ids)
    unknown = [id for id in given if id not in set(known)]
    if len(unknown) == len(given):
        hint = slip(unknown, given, known, "scores", "replies")
        return f"no reply has a value: no reply has the id {first_few(given)}; {hint}"
    return f"no reply of {one_of(systems)} has a value at any of these ids"
