"""A pilot scored with fewer references than it has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from rejoinder.errors import ParameterError
from rejoinder.meta_evaluation.matching import match
from rejoinder.metrics.base import Metric
from rejoinder.planning.pilot import Pilot, counts_references
from rejoinder.progress import steps
from rejoinder.scoring.clusters import with_clusters
from rejoinder.scoring.score import score
from rejoinder.scoring.scores import Scores
from rejoinder.tables.item_clusters import NONE
from rejoinder.tables.responses import MissingOrPairwise
from rejoinder.tables.testset import TestSet
from rejoinder.tables.types import Responses

DRAWS = 3
"""How often references are drawn for each number of them; one suffices for a single one."""


def with_fewer(
    pilot: Pilot, testset: TestSet, responses: Responses, missing: MissingOrPairwise
) -> Pilot:
    """The pilot, measured with fewer references too.

    Args:
        pilot: The pilot.
        testset: The test set.
        responses: The replies of the systems.
        missing: How an item that a system did not answer is handled.

    Raises:
        ParameterError: Test set and responses are not those that were scored.
    """
    metrics = {
        label: pilot.scores.measured[label].metric
        for label in pilot.labels
        if counts_references(pilot.scores, label)
    }
    if not metrics:
        return pilot
    ids = pilot.scores.items.get_column("id").to_list()
    if set(ids) - set(testset.ids) or set(pilot.scores.names) != set(responses.frame["system"]):
        raise ParameterError(
            "testset and responses have other systems or items than the scores; give those that "
            "were scored, or none"
        )
    scored = score_with_fewer(
        testset,
        responses,
        metrics,
        levels(testset, ids),
        missing,
        pilot.scores.cluster,
        pilot.seed,
    )
    measured = {number: [_measured(pilot, each) for each in several] for number, several in scored}
    return replace(pilot, with_fewer=measured)


def _measured(pilot: Pilot, scores: Scores) -> Pilot:
    """The pilot with other scores."""
    rated = None
    if pilot.ratings is not None:
        rated, *_ = match(scores, pilot.ratings, pilot.criterion, "mean", pilot.without, pilot.seed)
    return replace(pilot, scores=scores, rated=rated)


def levels(testset: TestSet, ids: Sequence[str]) -> list[int]:
    """The numbers of references to try: 1, 2, 4, ... as long as half of the items have more.

    Args:
        testset: Contexts and references.
        ids: The items that count.

    >>> levels(TestSet.from_lists([["a", "b", "c"], ["d", "e", "f"], ["g"]]), ["1", "2", "3"])
    [1, 2]
    """
    references = testset.references.filter(pl.col("id").is_in(ids))
    counts = references.group_by("id").len().get_column("len").to_numpy()
    numbers, level = [], 1
    while 2 * int((counts > level).sum()) >= len(ids):
        numbers.append(level)
        level *= 2
    return numbers


def fewer(testset: TestSet, most: int, rng: np.random.Generator) -> TestSet:
    """A test set with at most so many references to an item.

    The best-weighted one (without weights: the first, which is the original) always stays, so that
    every metric can still score the item; the others are drawn. References keep their order.

    Args:
        testset: The test set.
        most: Maximum number of references of an item.
        rng: The random generator.
    """
    rows = testset.references.with_row_index("place").with_columns(
        weighed=pl.col("weight").fill_null(1.0),
        drawn=pl.Series(rng.random(testset.references.height)),
    )
    best = rows.sort("weighed", "place", descending=[True, False]).group_by("id").first()
    rows = rows.join(best.select("place", best=pl.lit(True)), on="place", how="left")
    rows = rows.with_columns(pl.when("best").then(-1.0).otherwise("drawn").alias("drawn"))
    references = rows.filter(pl.col("drawn").rank("ordinal").over("id") <= most).sort("place")
    return TestSet(testset.contexts, references.select(testset.references.columns))


def score_with_fewer(
    testset: TestSet,
    responses: Responses,
    metrics: Mapping[str, Metric],
    most: Sequence[int],
    missing: MissingOrPairwise,
    cluster: str,
    seed: int,
) -> Iterator[tuple[int, list[Scores]]]:
    """Scores the pilot with each number of references, several times.

    Args:
        testset: The test set.
        responses: The replies of the systems.
        metrics: The metrics, by label.
        most: The numbers of references.
        missing: How an item that a system did not answer is handled.
        cluster: The column of the clusters; may be empty.
        seed: Random seed.

    Yields:
        The number of references and the scores of each draw.
    """
    for level in steps(most, len(most)):
        several = []
        draws = 1 if level == 1 else DRAWS  # the one that stays: nothing is drawn
        for draw in steps(range(draws), draws):
            subset = fewer(testset, level, np.random.default_rng([seed, level, draw]))
            scores = score(
                subset,
                responses,
                list(metrics.values()),
                missing=missing,
                drop_unusable=True,
                cluster=NONE,
                resamples=0,
                seed=seed,
            )
            several.append(with_clusters(scores, cluster))
        yield level, several
