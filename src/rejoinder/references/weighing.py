"""Past human evaluation as references: rated replies of systems become weighted references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from rejoinder.errors import InputError
from rejoinder.human_evaluation.grades import check_scale
from rejoinder.messages import counted
from rejoinder.references.copies import folded
from rejoinder.statistics import aggregation
from rejoinder.tables.checks.arguments import TESTSET, expect, pair, strings
from rejoinder.tables.frames import Frame, polars_of
from rejoinder.tables.pair_ratings import over_pairs
from rejoinder.tables.ratings import check_ratings, rating_table
from rejoinder.tables.responses import check_responses
from rejoinder.tables.schemas import REFERENCES
from rejoinder.tables.selection import of_criterion, without_systems
from rejoinder.tables.testset import TestSet

LIKERT = (1.0, 5.0)
"""The scale that most dialogue evaluations use."""


@dataclass(frozen=True, eq=False)
class Weighed:
    """A test set whose references are replies that people rated.

    Attributes:
        testset: The contexts that were given, and the references: ``source`` is the system that
            replied so, ``weight`` its scaled mean rating. An item's references stand best first.
        notes: What was excluded, what could not be weighed, and on which scale.
    """

    testset: TestSet
    notes: tuple[str, ...]

    def sources(self) -> list[dict[str, Any]]:
        """The number of references of each source, their mean weight, and the share above 0."""
        weight = pl.col("weight").fill_null(1.0)
        table = self.testset.references.group_by("source").agg(
            references=pl.len(), mean=weight.mean(), positive=(weight > 0).mean()
        )
        return table.sort("mean", descending=True).to_dicts()

    def as_json(self, file: str | None = None) -> dict[str, Any]:
        """The object that ``rejoinder weigh --json`` prints.

        Args:
            file: Where the test set was written; None: nowhere.
        """
        return {
            "file": file,
            "items": len(self.testset),
            "references": self.testset.references.height,
            "sources": self.sources(),
            "notes": self.notes,
        }


def weigh(
    testset: TestSet,
    responses: Frame,
    ratings: Frame,
    *,
    scale: tuple[float, float] = LIKERT,
    criterion: str | None = None,
    without: Sequence[str] = (),
    keep: bool = False,
) -> Weighed:
    """Makes weighted references of replies that people rated (Galley et al. 2015, section 4.1).

    ``rejoinder.write_testset(weighed.testset, path)`` writes the result to a file.

    A reply's weight is the mean s of its ratings on ``low`` to ``high``, scaled to ``2 (s - low) /
    (high - low) - 1``: -1 for the worst, 1 for the best. Two systems that reply alike make two
    references, each with its own ratings. An empty reply makes none.

    A system that is scored against such references finds its own replies among them, unless they
    are left out: here for one system, by ``score_left_out`` for each in turn.

    Args:
        testset: The items; its own references are dropped, or kept in front of the others.
        responses: The table of ``read_responses``: what was rated.
        ratings: The table of ``read_ratings``. Replies without one make no reference.
        scale: The worst and the best grade that could be given.
        criterion: Which criterion of the ratings, where there are several.
        without: Systems whose replies make no references.
        keep: Keep the references of the test set, with the weights that they have.

    Raises:
        InputError: The tables do not fit, a rating is off the scale, or nothing is left to weigh.
        ParameterError: A system or criterion is unknown, or the scale is none.

    >>> testset = TestSet.from_lists([["at nine"]])
    >>> replies = pl.DataFrame({"system": ["a", "b"], "id": ["1", "1"], "text": ["no", "yes"]})
    >>> rated = pl.DataFrame({"id": ["1", "1"], "system": ["a", "b"], "rater": ["r", "r"],
    ...                       "criterion": ["overall", "overall"], "score": [2.0, 5.0]})
    >>> weigh(testset, replies, rated).testset.references.select("source", "weight").rows()
    [('b', 1.0), ('a', -0.5)]
    """
    expect(testset, TestSet, "testset", TESTSET)
    remedy = "read files with rejoinder.read_responses(*paths)"
    responses = polars_of(responses, "responses", "system, id and text", remedy)
    without = strings(without, "without", "systems")
    pair(scale, "scale")
    check_responses(responses, testset, "empty")  # ids and texts; gaps do not matter here
    replies = responses.select("system", "id", "text")
    replies = without_systems(replies, without, argument="without")
    notes = [f"left out as asked: {', '.join(without)}"] if without else []
    rated = check_ratings(
        of_criterion(rating_table(ratings), criterion, one=True), replies, without
    )
    notes += [f"weights: {note}" for note in rated.notes]
    check_scale(rated.ratings, scale)
    by_itself, more = over_pairs(rated.ratings)
    notes += [f"weights: {note}" for note in more]
    means = by_itself.group_by("system", "id", maintain_order=True).agg(pl.col("score").mean())
    table = replies.join(means, on=["system", "id"], how="inner", maintain_order="left")
    blank = table.get_column("text").str.strip_chars() == ""
    if blank.any():
        notes.append(
            f"weights: {counted(int(blank.sum()), 'empty reply', 'empty replies')} skipped"
        )
        table = table.filter(~blank)
    if not table.height:
        raise InputError("weights: every rated reply is empty; there is nothing to weigh")
    weights = aggregation.scale(table.get_column("score").to_numpy(), *scale)
    rated_references = table.select(
        "id", "text", pl.Series("weight", weights), pl.col("system").alias("source")
    ).sort("weight", descending=True, maintain_order=True)
    own = testset.references if keep else rated_references.clear()
    weighed = TestSet(testset.contexts, _in_order(testset, pl.concat([own, rated_references])))
    if not without:
        notes.append(
            "each of these systems finds its own replies among the references; before one is scored "
            "against them, exclude it: --without SYSTEM (without=), or all in turn by "
            "'recipe galley2015 --references-from responses'"
        )
    return Weighed(weighed, (*notes, *_facts(weighed, rated_references, rated.ratings, scale)))


def _in_order(testset: TestSet, references: pl.DataFrame) -> pl.DataFrame:
    """The references grouped by item, in the order of the items."""
    order = testset.contexts.select("id").with_row_index("place of item")
    placed = references.select(*REFERENCES).join(order, on="id", maintain_order="left")
    return placed.sort("place of item", maintain_order=True).drop("place of item")


def _facts(
    weighed: TestSet, references: pl.DataFrame, ratings: pl.DataFrame, scale: tuple[float, float]
) -> list[str]:
    """The notes about the weights: scale, items without a positive one, equal replies."""
    scores = ratings.get_column("score")
    notes = [
        f"weights: mean ratings on {scale[0]:g} to {scale[1]:g} as -1 to 1 (given: {scores.min():g} to "
        f"{scores.max():g})"
    ]
    best = weighed.references.group_by("id").agg(pl.col("weight").fill_null(1.0).max())
    items = len(weighed)
    bare = items - best.filter(pl.col("weight") > 0).height
    if bare:
        notes.append(
            f"weights: {bare} of {counted(items, 'item')} have no reference with a positive weight; "
            "deltableu needs one, and 'score' stops there: --drop-unusable (drop_unusable=True) "
            "excludes these items from it"
        )
    alike = references.select("id", text=folded()).is_duplicated().sum()
    if alike:
        notes.append(
            f"weights: {alike} replies are equal to the reply of another system to the same item; each "
            "is a reference with the weight of its own ratings"
        )
    free = weighed.references.get_column("weight").null_count()
    if free:
        notes.append(
            f"weights: {counted(free, 'reference')} of the test set without a weight: each counts 1"
        )
    return notes
