"""Weighted references: replies that people, or a learned rater, rated become references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from rejoinder.errors import InputError, ParameterError
from rejoinder.messages import Argument, Call, Placeholder, counted
from rejoinder.metrics.base import Metric
from rejoinder.progress import Progress
from rejoinder.references.copies import folded
from rejoinder.references.learned_rater import (
    learned_rater,
    linear_weights,
    matched_weights,
    score_texts,
    without_scores,
)
from rejoinder.references.rating_weights import RatingRules, rating_weights, scale_note
from rejoinder.result import Result
from rejoinder.statistics.raters import LEAST_SHARED
from rejoinder.tables.candidates import candidates_of
from rejoinder.tables.checks.arguments import pair, strings
from rejoinder.tables.frames import Frame
from rejoinder.tables.in_memory import ResponsesLike
from rejoinder.tables.responses import check_responses
from rejoinder.tables.schemas import REFERENCES
from rejoinder.tables.testset import TestSet, TestSetLike
from rejoinder.tables.types import Ratings

LIKERT = (1.0, 5.0)
"""The scale that most dialogue evaluations use."""


@dataclass(frozen=True, eq=False, repr=False)
class Weighed(Result):
    """A test set whose references have weights.

    Attributes:
        testset: The contexts that were given, and the references: ``source`` is the system that
            replied so (or the source of the candidate), ``weight`` its scaled mean rating, or what a
            learned rater gave it. An item's references stand best first.
        notes: What was excluded, what could not be weighed, and how weights were made.
        signature: Of a learned rater: everything that its scores follow from; empty for people.
    """

    testset: TestSet
    notes: tuple[str, ...]
    signature: str = ""

    def sources(self) -> list[dict[str, Any]]:
        """The number of references of each source, their mean weight, and the share above 0."""
        weight = pl.col("weight").fill_null(1.0)
        table = self.testset.references.group_by("source", maintain_order=True).agg(
            references=pl.len(), mean=weight.mean(), positive=(weight > 0).mean()
        )
        return table.sort("mean", descending=True, maintain_order=True).to_dicts()

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
            **({"signature": self.signature} if self.signature else {}),
        }


def weigh(
    testset: TestSetLike,
    responses: ResponsesLike | None = None,
    ratings: Frame | Ratings | None = None,
    *,
    scale: tuple[float, float] = LIKERT,
    criterion: str | None = None,
    without: Sequence[str] = (),
    keep: bool = False,
    filter_raters: float | None = None,
    least: int = LEAST_SHARED,
    least_raters: int = 1,
    weights_from: str | Metric | None = None,
    rated_replies: Frame | None = None,
    progress: Progress | None = None,
) -> Weighed:
    """Makes weighted references of replies that people rated, or that a learned rater scored.

    ``rejoinder.write_testset(weighed.testset, path)`` writes the result to a file.

    A reply's weight is the mean s of its ratings on ``low`` to ``high``, scaled to ``2 (s - low) /
    (high - low) - 1``: -1 for the worst, 1 for the best (Galley et al. 2015, section 4.1). Two systems
    that reply alike make two references, each with its own weight. An empty reply makes none.

    With a ``weights_from`` the weights come from a learned rater instead (upsilon-BLEU, Tsuta et al. 2020).
    Without ratings the range of its scores becomes -1 to 1 in a straight line. With ratings of a
    sample the scores are matched with them quantile by quantile: a reply whose score is the p-quantile
    of the rated replies' scores gets the p-quantile of their weights by people.

    A system that is scored against such references finds its own replies among them, unless they
    are left out: here for one system, by ``score_left_out`` for each in turn.

    Args:
        testset: The items; its own references are dropped, or kept in front of the others.
        responses: What becomes references: the table of ``read_responses``, or candidates (``id,
            text, source``). None, with a ``weights_from``: the references of the test set get weights.
        ratings: The table of ``read_ratings``. Without a ``weights_from``, replies without a rating make no
            reference.
        scale: The worst and the best grade that could be given: of the ratings, or of scores of
            another tool where there are no ratings.
        criterion: Which criterion of the ratings, where there are several.
        without: Systems whose replies make no references.
        keep: Keep the references of the test set, with the weights that they have.
        filter_raters: Exclude raters whose linearly weighted kappa against the others is below this;
            0.1 is customary. None: nobody is excluded.
        least: With ``filter_raters``: the fewest replies shared with others to be judged by.
        least_raters: Replies with fewer raters have no weight by people.
        weights_from: A metric that needs no reference, such as ``"ruber:model=FOLDER"``, or the scores of
            another tool: ``rejoinder.External(name, scores)``.
        rated_replies: The replies that ``ratings`` are of, where they are not ``responses``.
        progress: Called with how much of a model's work is done, and of how much.

    Raises:
        InputError: The tables do not fit, a rating is off the scale, or nothing is left to weigh.
        ParameterError: A system or criterion is unknown, the scale is none, or an argument has no
            effect.

    >>> testset = TestSet.from_lists([["at nine"]])
    >>> replies = pl.DataFrame({"system": ["a", "b"], "id": ["1", "1"], "text": ["no", "yes"]})
    >>> rated = pl.DataFrame({"id": ["1", "1"], "system": ["a", "b"], "rater": ["r", "r"],
    ...                       "criterion": ["overall", "overall"], "score": [2.0, 5.0]})
    >>> weigh(testset, replies, rated).testset.references.select("source", "weight").rows()
    [('b', 1.0), ('a', -0.5)]
    """
    testset = TestSet.of(testset)
    without = strings(without, "without", "systems")
    pair(scale, "scale")
    rules = RatingRules(scale, criterion, filter_raters, least, least_raters)
    _check_wanted(responses, ratings, weights_from, rated_replies, keep, without)
    texts, of_systems = _texts(testset, responses, without)
    notes = [f"left out as asked: {', '.join(without)}"] if without else []
    signature = ""
    if weights_from is None:
        assert ratings is not None  # _check_wanted
        rated = rating_weights(ratings, texts, rules, without)
        table = texts.join(rated.weights, on=["system", "id"], how="inner", maintain_order="left")
        facts = [scale_note(rated.ratings, scale)]
        notes += rated.notes
    else:
        others = None if rated_replies is None else _texts(testset, rated_replies, ())[0]
        given = _Given(testset, texts, others, ratings, rules, without)
        table, facts, signature = _by_metric(given, weights_from, progress)
    table, more = _without_blanks(table)
    references = table.select("id", "text", "weight", "source")
    references = references.sort("weight", descending=True, maintain_order=True)
    original = testset.references if keep else references.clear()
    weighed = TestSet(testset.contexts, _in_order(testset, pl.concat([original, references])))
    notes += more
    if of_systems and not without:
        notes.append(
            "each of these systems finds its own replies among the references; before one is scored "
            f"against them, exclude it: {Argument('without', [Placeholder('SYSTEM')])}, or all in turn by "
            f"'{Call('recipes.galley2015 with references_from=responses')}'"
        )
    return Weighed(weighed, (*notes, *facts, *_facts(weighed, references, of_systems)), signature)


def _check_wanted(
    responses: ResponsesLike | None,
    ratings: Frame | Ratings | None,
    weights_from: str | Metric | None,
    rated_replies: Frame | None,
    keep: bool,
    without: Sequence[str],
) -> None:
    """Raises a ParameterError where something is lacking, or has no effect."""
    if ratings is None and weights_from is None:
        raise ParameterError(
            "weights: no ratings and no learned rater; give "
            f"{Call('ratings=, weights_from= or both')}"
        )
    if responses is None and weights_from is None:
        raise ParameterError(
            "weights: no replies to weigh; give responses= (the systems' files behind the test set), or "
            f"{Argument('weights_from')}, which weighs the test set's own references"
        )
    if rated_replies is not None and (ratings is None or weights_from is None):
        raise ParameterError(
            Argument("rated_replies"),
            f" has no effect without ratings and {Argument('weights_from')}; add both, or leave it out",
        )
    if responses is None and (keep or without):
        raise ParameterError(
            Argument("keep" if keep else "without"),
            " has no effect where the test set's own references are weighed; name replies behind "
            "the test set, or leave it out",
        )


@dataclass(frozen=True, eq=False)
class _Given:
    """What a learned rater and the rated sample are asked for."""

    testset: TestSet
    texts: pl.DataFrame
    others: pl.DataFrame | None
    ratings: Frame | Ratings | None
    rules: RatingRules
    without: Sequence[str]


def _texts(
    testset: TestSet, responses: ResponsesLike | None, without: Sequence[str]
) -> tuple[pl.DataFrame, bool]:
    """The texts as ``system, id, text, source``, and whether they are replies of systems.

    A reference of the test set has its source in the place of a system, for ratings and scores to
    name it, unless another reference of its item has the same source.
    """
    if responses is None:
        several = pl.struct("id", "source").is_duplicated()
        system = pl.when(~several).then(pl.col("source")).alias("system")
        return testset.references.select(system, "id", "text", "source"), False
    candidates, of_systems = candidates_of(responses, testset.ids)
    check_responses(candidates, testset, "empty")  # ids; gaps do not matter here
    table = candidates.without(without).frame
    return table.with_columns(pl.col("system").alias("source")), of_systems


def _by_metric(
    given: _Given, weights_from: str | Metric, progress: Progress | None
) -> tuple[pl.DataFrame, list[str], str]:
    """The texts with weights of a learned rater, notes on how, and its signature."""
    rater = learned_rater(weights_from)
    sample = given.texts if given.others is None else given.others
    both = given.texts if given.others is None else pl.concat([given.texts, given.others])
    scored = score_texts(rater, given.testset, both, progress)
    if given.ratings is None:
        weights, notes = linear_weights(scored, given.rules.scale)
        table, more = without_scores(given.texts, weights)
        return table, [*scored.notes, *notes, *more], scored.signature
    rated = rating_weights(given.ratings, _with_systems(sample), given.rules, given.without)
    scores = scored.values[both.height - sample.height :]
    sampled = sample.with_columns(pl.Series("learned score", scores)).join(
        rated.weights, on=["system", "id"], how="inner", maintain_order="left"
    )
    weights, _, notes = matched_weights(
        scored,
        sampled.get_column("learned score").to_numpy(),
        sampled.get_column("weight").to_numpy(),
    )
    table, more = without_scores(given.texts, weights[: given.texts.height])
    facts = [*rated.notes, scale_note(rated.ratings, given.rules.scale)]
    return table, [*scored.notes, *facts, *notes, *more], scored.signature


def _with_systems(sample: pl.DataFrame) -> pl.DataFrame:
    """The replies that ratings can name: those of a system, or of a source of references.

    Raises:
        ParameterError: There are none.
    """
    named = sample.filter(pl.col("system").is_not_null())
    if not named.height:
        raise ParameterError(
            "ratings: they name a system, and no reference has a source that no other reference of its "
            "item has; give the replies that were rated: ",
            Argument("rated_replies", Placeholder("FILE")),
        )
    return named


def _without_blanks(table: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """The texts that are not empty.

    Raises:
        InputError: There is none.
    """
    blank = table.get_column("text").str.strip_chars() == ""
    if not blank.any():
        return table, []
    if blank.all():
        raise InputError("weights: every rated reply is empty; there is nothing to weigh")
    skipped = counted(int(blank.sum()), "empty reply", "empty replies")
    return table.filter(~blank), [f"weights: {skipped} skipped"]


def _in_order(testset: TestSet, references: pl.DataFrame) -> pl.DataFrame:
    """The references grouped by item, in the order of the items."""
    order = testset.contexts.select("id").with_row_index("place of item")
    placed = references.select(*REFERENCES).join(order, on="id", maintain_order="left")
    return placed.sort("place of item", maintain_order=True).drop("place of item")


def _facts(weighed: TestSet, references: pl.DataFrame, of_systems: bool) -> list[str]:
    """The notes about the weights: items without a positive one, equal replies."""
    notes = []
    best = weighed.references.group_by("id").agg(pl.col("weight").fill_null(1.0).max())
    items = len(weighed)
    bare = items - best.filter(pl.col("weight") > 0).height
    if bare:
        notes.append(
            f"weights: {bare} of {counted(items, 'item')} have no reference with a positive weight; "
            f"deltableu needs one, and 'score' stops there: {Argument('drop_unusable', True)} "
            "excludes these items from it"
        )
    alike = references.select("id", text=folded()).is_duplicated().sum()
    if alike and of_systems:
        notes.append(
            f"weights: {alike} replies are equal to the reply of another system to the same item; each "
            "is a reference with the weight of its own ratings"
        )
    elif alike:
        notes.append(
            f"weights: {alike} references are equal to another reference of the same item; each has a "
            "weight of its own"
        )
    free = weighed.references.get_column("weight").null_count()
    if free:
        notes.append(
            f"weights: {counted(free, 'reference')} of the test set without a weight: each counts 1"
        )
    return notes
