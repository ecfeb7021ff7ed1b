"""Measuring every reply of every system once, with every metric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from rejoinder.batches.batch import Batch
from rejoinder.files.shards import end_of_shard
from rejoinder.kernels.arrays import Floats
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.measurement import measure
from rejoinder.metrics.engine.rows import joined, rows_of
from rejoinder.metrics.external import External
from rejoinder.metrics.registry import default_metrics
from rejoinder.progress import Progress
from rejoinder.references.copies import quoting
from rejoinder.references.text_notes import (
    copies_matter,
    empty_reference_notes,
    empty_reply_notes,
)
from rejoinder.scoring.assembly import (
    assemble,
    bounds_of,
    item_by_item,
    references_of,
    usable_items,
)
from rejoinder.scoring.clusters import clustered, repeated_items
from rejoinder.scoring.pairwise import answered_items, pairwise_scores
from rejoinder.scoring.samples import all_samples, averaged, by_sample, replies_differ, with_samples
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.draws import check_draws
from rejoinder.tables.checks.arguments import expect
from rejoinder.tables.in_memory import ResponsesLike, taken
from rejoinder.tables.responses import Alignment, MissingOrPairwise, check_responses
from rejoinder.tables.schemas import RESPONSES
from rejoinder.tables.testset import TestSet, TestSetLike
from rejoinder.tables.types import Responses
from rejoinder.text.strings import Strings


def suited(testset: TestSet) -> list[str]:
    """The default metrics of a test set; see ``default_metrics``.

    >>> suited(TestSet.from_lists([["yes"]], weights=[[0.5]]))[0]
    'deltableu'
    """
    if testset.references.is_empty():
        return [
            name
            for name in default_metrics(False)
            if "references" not in registry.metric(name).needs
        ]
    return default_metrics(bool(testset.references.get_column("weight").is_not_null().any()))


def score(
    testset: TestSetLike,
    responses: ResponsesLike,
    metrics: Sequence[str | Metric] | None = None,
    *,
    missing: MissingOrPairwise = "error",
    drop_unusable: bool = False,
    cluster: str | None = None,
    at: Sequence[int] = (),
    passing: float | Mapping[str, float] | None = None,
    resamples: int = 1000,
    seed: int = 12345,
    progress: Progress | None = None,
) -> Scores:
    """Measures every response once and keeps the rows: scores, intervals and tests are sums of them.

    Args:
        testset: Contexts and references.
        responses: The table of ``read_responses``, or a frame of Polars or pandas with its columns
            (``system``, ``id``, ``text``). Several replies of a system to one item differ in a column
            ``sample``: their rows are averaged within the item, which counts once.
        metrics: Names (``"deltableu"``, ``"bleu:order=4"``) or metrics (``BLEU(order=4)``); None
            takes ``default_metrics``: deltaBLEU only where a reference has a weight.
        missing: An item that a system did not answer is an ``error``; or ``drop`` it for all
            systems; score an ``empty`` reply in its place; or, ``pairwise``, score every system on the
            items that it answered, and compare two systems on those that both answered.
        drop_unusable: Leave an item that a metric cannot score (it has no reference; none of
            positive weight) out of that metric instead of raising. How many is kept in ``notes``.
        cluster: A column of the contexts. Items with the same value there are not independent, and
            intervals and tests resample whole clusters of them. None takes ``conversation`` where
            there is such a column; ``none`` takes every item as independent.
        at: Numbers k of samples: every metric that ranks systems and scored several samples of a prompt is
            followed by the ``best@k``, ``worst@k`` and ``median@k`` of them; with values that pass or fail
            by ``pass@k`` and ``pass^k`` (`OfSamples`). Prompts with fewer samples are left out.
        passing: The value from which a sample passes: one for all metrics, or by label. Shares pass at
            their better end without it.
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
    testset = TestSet.of(testset)
    responses = taken(Responses, responses, testset.ids)
    selected = wanted_metrics(metrics, testset)
    first, *others = by_sample(responses)
    scores, alignment = _measured(
        testset, first, selected, missing, drop_unusable, resamples, seed, progress
    )
    values: dict[str, Floats] = {}
    measurable = {label: each for label, each in selected.items() if not isinstance(each, External)}
    by_reply = {label: each for label, each in measurable.items() if each.summable}
    if not (others and by_reply):
        end_of_shard()
    else:
        further = [_further(testset, each, by_reply, drop_unusable) for each in others]
        end_of_shard()
        scores, values = averaged(scores, further)
    if others and measurable:
        scores = _with_bags(testset, (first, *others), scores)
    scores = with_samples(scores, values, at, passing)
    scores = replace(clustered(scores, cluster), _texts=(testset, responses))
    if scores.cluster or not resamples:
        return scores
    contexts = _answered(testset, alignment.ids)
    repeated = repeated_items(contexts, alignment.responses.get_column("text"))
    return replace(scores, notes=(*scores.notes, *repeated))


def _with_bags(testset: TestSet, samples: Sequence[Responses], scores: Scores) -> Scores:
    """The scores, of which the bag of a prompt (distinct-n, entropy) holds all its samples together."""
    bags = {label: each for label, each in scores.measured.items() if not each.metric.summable}
    if not bags:
        return scores
    contexts = _answered(testset, scores.items.get_column("id").to_list())
    ids, systems = contexts.get_column("id").to_list(), list(scores.names)
    grid = pl.DataFrame({"system": systems}).join(pl.DataFrame({"id": ids}), how="cross")
    tokens, answered = [], []
    for each in samples:
        replies = each.frame.select(*RESPONSES)
        table = grid.join(replies, on=["system", "id"], how="left", maintain_order="left")
        answered.append(table.get_column("text").is_not_null().to_numpy().reshape(len(systems), -1))
        filled = table.with_columns(pl.col("text").fill_null(""))
        batch = _batch(testset, contexts, Alignment(filled, systems, ids, {}, 0, {}))
        tokens.append(measure([each.metric for each in bags.values()], batch))
    prompts = Groups.of(np.tile(np.arange(len(ids)), len(samples)), len(ids) * len(samples))
    present = np.stack(answered)
    measured = {
        label: all_samples(each, rows_of(joined(parts), len(systems)), present, prompts)
        for (label, each), parts in zip(bags.items(), zip(*tokens, strict=True), strict=True)
    }
    notes = replies_differ(list(bags), scores.names, present)
    return replace(scores, measured=scores.measured | measured, notes=(*scores.notes, *notes))


def _further(
    testset: TestSet, responses: Responses, metrics: Mapping[str, Metric], drop_unusable: bool
) -> tuple[Scores, np.ndarray]:
    """The scores of further samples, and which items their systems answered: bool [S, n]."""
    scores, alignment = _measured(testset, responses, metrics, "empty", drop_unusable, 0, 0, None)
    return scores, answered_items(responses.frame, alignment)


def _measured(
    testset: TestSet,
    responses: Responses,
    metrics: Mapping[str, Metric],
    missing: MissingOrPairwise,
    drop_unusable: bool,
    resamples: int,
    seed: int,
    progress: Progress | None,
) -> tuple[Scores, Alignment]:
    """The scores of one reply of each system to each item, every item independent; see ``score``."""
    alignment = check_responses(responses, testset, "empty" if missing == "pairwise" else missing)
    if missing == "pairwise":
        alignment = replace(alignment, filled={})
    contexts = _answered(testset, alignment.ids)
    batch = _batch(testset, contexts, alignment)
    if any("context" in metric.needs for metric in metrics.values()):
        batch = replace(batch, contexts=contexts.get_column("context").to_list())
    usable, dropped = usable_items(
        metrics, batch, alignment.ids, drop_unusable, systems=alignment.systems, missing=missing
    )
    scores = assemble(
        alignment,
        contexts,
        metrics,
        batch,
        usable,
        notes=[
            *_empty_replies(responses.frame),
            *dropped,
            *(quoting(testset, alignment) if copies_matter(metrics) else ()),
            *_empty_references(testset, alignment.ids),
        ],
        resamples=resamples,
        seed=seed,
        progress=progress,
    )
    if missing == "pairwise":
        scores = pairwise_scores(scores, answered_items(responses.frame, alignment))
    return scores, alignment


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


def _empty_replies(responses: pl.DataFrame) -> list[str]:
    """Notes on empty replies, by system: in a frame of pandas they may be missing ones."""
    blank = responses.get_column("text") == ""
    return empty_reply_notes(Counter(responses.get_column("system").filter(blank).to_list()))


def _empty_references(testset: TestSet, ids: list[str]) -> list[str]:
    """A note on empty references."""
    blank = testset.references.get_column("text").str.strip_chars() == ""
    of = testset.references.get_column("id").filter(blank)
    return empty_reference_notes(int(of.is_in(ids).sum()) if len(of) else 0)


def _answered(testset: TestSet, ids: list[str]) -> pl.DataFrame:
    if len(ids) == len(testset):
        return testset.contexts
    return testset.contexts.filter(pl.col("id").is_in(ids))


def _batch(testset: TestSet, contexts: pl.DataFrame, alignment: Alignment) -> Batch:
    """Items in the order of the contexts, and within an item the systems in theirs."""
    n, systems = contexts.height, len(alignment.systems)
    references = references_of(testset, contexts)
    return Batch(
        item_by_item(alignment.responses.get_column("text"), systems),
        np.arange(n + 1, dtype=np.int64) * systems,
        Strings.of(references.get_column("text"), "references"),
        bounds_of(references, n),
        references.get_column("weight").fill_null(1.0).to_numpy().astype(np.float64),
    )
