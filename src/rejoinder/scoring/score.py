"""Measuring every reply of every system once, with every metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from rejoinder.batches.batch import Batch
from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Indices
from rejoinder.messages import counted
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.metrics.jackknife import interval_facts
from rejoinder.metrics.measurement import data_facts, measure, provided, remarks
from rejoinder.metrics.rows import rows_of
from rejoinder.references.copies import quoting
from rejoinder.scoring.measurements import Measured, few_items
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.draws import check_draws
from rejoinder.tables.checks.arguments import TESTSET, expect
from rejoinder.tables.frames import Frame, polars_of
from rejoinder.tables.responses import Missing, check_responses
from rejoinder.tables.testset import TestSet
from rejoinder.text.strings import Strings

DEFAULT_METRICS = ("deltableu", "bleu", "sbleu", "rougeL", "distinct", "length")


def default_metrics(weighted: bool) -> list[str]:
    """The metrics where none are named: the one rule of Python and of the command line.

    deltaBLEU is among them where a reference has a weight. Without any weight it is BLEU.

    >>> default_metrics(weighted=False)
    ['bleu', 'sbleu', 'rougeL', 'distinct', 'length']
    """
    return [name for name in DEFAULT_METRICS if weighted or name != "deltableu"]


def suited(testset: TestSet) -> list[str]:
    """The default metrics of a test set; see ``default_metrics``.

    >>> suited(TestSet.from_lists([["yes"]], weights=[[0.5]]))[0]
    'deltableu'
    """
    return default_metrics(bool(testset.references.get_column("weight").is_not_null().any()))


def score(
    testset: TestSet,
    responses: Frame,
    metrics: Sequence[str | Metric] | None = None,
    *,
    missing: Missing = "error",
    drop_unusable: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
    progress: Callable[[int, int], None] | None = None,
) -> Scores:
    """Measures every response once and keeps the rows: scores, intervals and tests are sums of them.

    Args:
        testset: Contexts and references.
        responses: The table of ``read_responses``, or a frame of Polars or pandas with its columns
            (``system``, ``id``, ``text``).
        metrics: Names (``"deltableu"``, ``"bleu:order=4"``) or metrics (``BLEU(order=4)``); None
            takes ``default_metrics``: deltaBLEU only where a reference has a weight.
        missing: An item that a system did not answer is an ``error``; or ``drop`` it for all
            systems, or score an ``empty`` reply in its place.
        drop_unusable: Leave an item that a metric cannot score (it has no reference; none of
            positive weight) out of that metric instead of raising. How many is kept in ``notes``.
        resamples: Resamples of the paired bootstrap; 0 gives neither intervals nor tests.
        seed: Of every resampling and permutation.
        progress: Called with how many slices of the work are done, and of how many.

    Raises:
        InputError: Responses and test set do not fit, or an item cannot be scored.
        ParameterError: A metric or a parameter is unknown.

    >>> testset = TestSet.from_lists([["yes please", "no"], ["at nine"]])
    >>> rows = [("a", "1", "yes"), ("a", "2", "at nine")]
    >>> answers = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    >>> scores = score(testset, answers, ["bleu:order=1"])
    >>> scores.systems()["value"].to_list()
    [1.0]
    """
    check_draws(resamples, seed)
    responses = _checked(testset, responses)
    wanted = wanted_metrics(metrics, testset)
    alignment = check_responses(responses, testset, missing)
    contexts = _kept(testset, alignment.ids)
    batch = _batch(testset, contexts, alignment.responses, len(alignment.systems))
    if any("context" in metric.needs for metric in wanted.values()):
        batch = replace(batch, contexts=contexts.get_column("context").to_list())
    notes = []
    if alignment.dropped:
        notes.append(f"{counted(alignment.dropped, 'item')} dropped that a system did not answer")
    notes += [
        f"{counted(count, 'missing reply', 'missing replies')} of '{system}' scored as empty"
        for system, count in alignment.filled.items()
    ]
    notes += _silent(responses)
    usable, complaints = _usable(wanted, batch, alignment.ids, drop_unusable)
    complaints += _blank(testset, alignment.ids)
    changed = {"missing": missing} if alignment.dropped or alignment.filled else {}
    batch = provided(list(wanted.values()), batch, progress)
    statistics = measure(list(wanted.values()), batch, progress)
    told = remarks(wanted, batch)
    measured = {
        label: Measured(
            metric,
            rows_of(rows, len(alignment.systems)).pick(keep),
            keep,
            metric.signature(
                **data_facts(metric, batch), **changed, **interval_facts(metric, resamples, seed)
            ),
        )
        for (label, metric), rows, keep in zip(wanted.items(), statistics, usable, strict=True)
    }
    few = few_items(measured) if resamples else []
    return Scores(
        tuple(alignment.systems),
        contexts.drop("context"),
        measured,
        tuple(notes + complaints + told + few + quoting(testset, alignment)),
        resamples,
        seed,
        spread(batch, scored_by_references(wanted, usable)),
    )


def wanted_metrics(
    metrics: Sequence[str | Metric] | str | Metric | None, testset: TestSet
) -> dict[str, Metric]:
    """The metrics by label; None takes the defaults of the test set."""
    if metrics is None:
        return registry.metrics(suited(testset))
    if isinstance(metrics, (str, Metric)):
        metrics = [metrics]
    expect(metrics, Sequence, "metrics", "a list of names and metrics, as ['bleu', BLEU(order=4)]")
    return registry.metrics(metrics)


def _silent(responses: pl.DataFrame) -> list[str]:
    """How many replies are empty, by system: in a table of pandas' they may be missing ones."""
    blank = responses.filter(pl.col("text") == "").group_by("system", maintain_order=True).len()
    return [
        f"'{system}': {counted(count, 'empty reply', 'empty replies')}, scored as such"
        for system, count in blank.iter_rows()
    ]


def _blank(testset: TestSet, ids: list[str]) -> list[str]:
    """How many references are empty: to BLEU they are the closest in length to any short reply."""
    blank = testset.references.filter(pl.col("text").str.strip_chars() == "")
    count = blank.filter(pl.col("id").is_in(ids)).height
    if not count:
        return []
    return [
        f"{counted(count, 'empty reference')} counted as references, which spares short replies BLEU's "
        "brevity penalty; leave such references out"
    ]


def scored_by_references(wanted: Mapping[str, Metric], usable: Sequence[np.ndarray]) -> np.ndarray:
    """The items that some metric compared with references: bool [n]; all where no metric has any.

    Args:
        wanted: The metrics.
        usable: For each metric the items that it could score, bool [n].
    """
    compared = [
        items
        for metric, items in zip(wanted.values(), usable, strict=True)
        if metric.needs & {"references", "weights"}
    ]
    return np.any(compared, axis=0) if compared else np.ones_like(usable[0])


def spread(batch: Batch, scored: np.ndarray) -> tuple[int, int]:
    """The fewest and the most references of an item that was scored (bool, one for each item)."""
    counts = np.diff(batch.reference_bounds)[scored]
    return int(counts.min(initial=counts.max(initial=0))), int(counts.max(initial=0))


def _checked(testset: object, responses: Frame) -> pl.DataFrame:
    expect(testset, TestSet, "testset", TESTSET)
    assert isinstance(testset, TestSet)
    remedy = "read files with rejoinder.read_responses(*paths)"
    return polars_of(responses, "responses", "system, id and text", remedy)


def _kept(testset: TestSet, ids: list[str]) -> pl.DataFrame:
    if len(ids) == len(testset):
        return testset.contexts
    return testset.contexts.filter(pl.col("id").is_in(ids))


def _batch(
    testset: TestSet, contexts: pl.DataFrame, responses: pl.DataFrame, systems: int
) -> Batch:
    """Items in the order of the contexts, and within an item the systems in theirs."""
    n = contexts.height
    references, bounds = _references(testset, contexts)
    replies = Strings.of(responses.get_column("text"), "responses")
    order = np.arange(systems * n).reshape(systems, n).T.ravel()
    return Batch(
        replies.take(order),
        np.arange(n + 1, dtype=np.int64) * systems,
        Strings.of(references.get_column("text"), "references"),
        bounds,
        references.get_column("weight").fill_null(1.0).to_numpy().astype(np.float64),
    )


def _references(testset: TestSet, contexts: pl.DataFrame) -> tuple[pl.DataFrame, Indices]:
    """The references in the order of the contexts, and where those of each item begin."""
    items = contexts.select("id").with_row_index("item")
    placed = testset.references.join(items, on="id", how="inner", maintain_order="left")
    if not placed.get_column("item").is_sorted():
        placed = placed.sort("item", maintain_order=True)
    counts = np.bincount(placed.get_column("item").to_numpy(), minlength=contexts.height)
    return placed, np.concatenate([[0], np.cumsum(counts)])


def _usable(
    wanted: Mapping[str, Metric], batch: Batch, ids: list[str], drop: bool
) -> tuple[list[np.ndarray], list[str]]:
    """Which items each metric can score (bool [n]), and what to say of the others."""
    usable, notes = [], []
    for label, metric in wanted.items():
        unusable, why = metric.unusable(batch)
        count = int(unusable.sum())
        if count == len(batch):
            raise InputError(f"{label}: no item can be scored: each one {why}")
        if count and not drop:
            raise InputError(
                f"{label}: item '{ids[int(np.flatnonzero(unusable)[0])]}' {why} ({count} of "
                f"{len(batch)} items); leave such items out with --drop-unusable "
                "(drop_unusable=True), which says how many"
            )
        if count:
            notes.append(f"{label}: {count} of {len(batch)} items dropped: each {why}")
        usable.append(~unusable)
    return usable, notes
