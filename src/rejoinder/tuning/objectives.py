"""What candidates are tuned by, or judged by: a metric of their texts, or a mean of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from rejoinder.batches.batch import Batch
from rejoinder.errors import InputError, ParameterError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import Argument, quoted
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.measurement import measure
from rejoinder.metrics.external import External
from rejoinder.progress import Progress
from rejoinder.scoring.assembly import bounds_of, references_of
from rejoinder.tables.nbest_lists import NBestLists
from rejoinder.tables.testset import TestSet
from rejoinder.text.strings import Strings


@dataclass(frozen=True)
class MeanOfNumbers:
    """The mean of a number of the chosen candidates; a candidate without one is estimated.

    Where people rated some candidates alone, drawn at random, ``lambda f + r (y - lambda f) / q`` stands
    for the rating y of a candidate: f is the number of a judge (or the mean rating), r is 1 where the
    candidate was rated and q the share of those that were. Its mean is right whatever the judge is worth
    (prediction-powered inference; Angelopoulos et al. 2023), and lambda makes it vary least.

    Attributes:
        name: The number.
        values: float64 [m], of each candidate.
    """

    name: str
    values: Floats

    @classmethod
    def of(cls, lists: NBestLists, name: str, predictor: str | None = None) -> MeanOfNumbers:
        """The number of this name, corrected where some candidates have none."""
        values = lists.frame.get_column(name).to_numpy()
        rated = ~np.isnan(values)
        if np.isinf(values).any():
            raise InputError(f"candidates: an infinite {quoted(name)}; its mean is no number")
        if rated.all():
            return cls(name, values)
        known = values[rated]
        guess = (
            np.full(values.size, known.mean())
            if predictor is None
            else lists.matrix([predictor])[:, 0]
        )
        guess = guess - guess[rated].mean()
        spread = float((guess[rated] ** 2).sum())
        slope = float((guess[rated] * (known - known.mean())).sum()) / spread if spread > 0 else 0.0
        predicted = known.mean() + slope * guess
        share = rated.mean()
        error = np.where(rated, np.where(rated, values, 0.0) - predicted, 0.0)
        return cls(name, predicted + error / share)

    def rows(self) -> Floats:
        """The rows of a mean: float64 [m, 2], the number and 1."""
        return np.stack([self.values, np.ones(self.values.size)], axis=1)

    def of_systems(self, lists: NBestLists, systems: dict[str, Indices]) -> External:
        """The same as a metric of systems, each of which chose a candidate of every list."""
        frames = [
            pl.DataFrame({"system": name, "id": lists.ids, self.name: self.values[chosen]})
            for name, chosen in systems.items()
        ]
        return External(self.name, pl.concat(frames))


def mean_of_rows(totals: Floats) -> Floats:
    """The mean of rows of `MeanOfNumbers`, summed: float64 [..., 2] to [...]."""
    return totals[..., 0] / totals[..., 1]


def candidate_batch(lists: NBestLists, testset: TestSet) -> Batch:
    """The candidates of n lists as the hypotheses of the same n items."""
    contexts = testset.contexts
    references = references_of(testset, contexts)
    return Batch(
        Strings.of(lists.frame.get_column("text"), "candidates"),
        lists.bounds.astype(np.int64),
        Strings.of(references.get_column("text"), "references"),
        bounds_of(references, len(testset)),
        references.get_column("weight").fill_null(1.0).to_numpy().astype(np.float64),
        contexts=contexts.get_column("context").to_list(),
    )


def with_metrics(
    lists: NBestLists, names: Sequence[str], testset: TestSet | None, argument: str
) -> NBestLists:
    """The lists with a number more for each name that is none of theirs and is a metric of replies.

    Args:
        lists: The n-best lists.
        names: The names of the numbers.
        testset: The test set; None: there is none.
        argument: The argument that an error names.

    Raises:
        ParameterError: It is neither, or the metric looks at references, which a reranker does not have.
    """
    for name in names:
        if name in lists.names:
            continue
        if name.partition(":")[0] not in registry.METRICS:
            lists.require(name, argument)
        metric = registry.metric(name)
        if metric.needs & {"references", "weights"} or not metric.summable:
            raise ParameterError(
                Argument(argument, name),
                ": this metric looks at references, or at all replies together; a feature is known of a "
                "single candidate before it is chosen",
            )
        if "context" in metric.needs and testset is None:
            raise ParameterError(
                Argument(argument, name), ": it reads contexts; add ", Argument("testset")
            )
        items = testset or TestSet.from_lists([[""]] * len(lists), ids=lists.ids)
        values = metric.score(candidate_rows(metric, lists, items))
        lists = replace(lists, frame=lists.frame.with_columns(pl.Series(name, values)))
    return lists


def candidate_rows(
    metric: Metric, lists: NBestLists, testset: TestSet, progress: Progress | None = None
) -> Floats:
    """What a metric measures of each candidate: float64 [m, k].

    Args:
        metric: The metric.
        lists: The n-best lists.
        testset: The test set.
        progress: Called with what is done and what there is in all; None: never.
    """
    batch = candidate_batch(lists, testset)
    if "context" not in metric.needs:
        batch = replace(batch, contexts=None)
    (rows,) = measure([metric], batch, progress)
    assert isinstance(rows, np.ndarray)
    return np.ascontiguousarray(rows, dtype=np.float64)
