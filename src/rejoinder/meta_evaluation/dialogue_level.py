"""Dialogues as the unit: the turns of a system in a conversation become one observation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias, cast

import numpy as np

from rejoinder.errors import ParameterError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import Argument, Placeholder, counted
from rejoinder.meta_evaluation.evidence import MeanOfReplies, Rated, Subject
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.rows import rows_of
from rejoinder.metrics.means import mean_rows
from rejoinder.scoring.scores import Scores
from rejoinder.tables.item_clusters import cluster_labels
from rejoinder.tables.types import Ratings

Turns: TypeAlias = Literal["mean", "least", "last"]


def _mean(values: Floats, first: Indices) -> Floats:
    defined = ~np.isnan(values)
    sums = np.add.reduceat(np.where(defined, values, 0.0), first, axis=0)
    counts = np.add.reduceat(defined.astype(np.int64), first, axis=0)
    return np.where(counts > 0, sums, np.nan) / np.maximum(counts, 1)


RULES: dict[Turns, Callable[[Floats, Indices], Floats]] = {
    "mean": _mean,
    "least": lambda values, first: np.fmin.reduceat(values, first, axis=0),
    "last": lambda values, first: values[np.append(first[1:], len(values)) - 1],
}
"""How the turns of a dialogue become one number: float64 [turns, ...] to [dialogues, ...].

The mean and the least are of the turns that have a number; the last is that of the last turn in the
order of the test set.
"""


def dialogues(rated: Rated, turns: Turns) -> tuple[Rated, list[str]]:
    """The dialogues of rated turns, and a note on how many there are.

    Scores and ratings are both aggregated over the rated turns of a system in a conversation, by one
    rule. A metric's score of a turn is that of the single reply; lower-is-better metrics are turned
    around first, so that the least is the worst.

    Raises:
        ParameterError: The conversations of the items are not known.
    """
    if rated.cluster is None:
        raise ParameterError(
            "protocol 'dialogue': the conversations are not known; give the contexts a column "
            "'conversation', or name another one with ",
            Argument("cluster", Placeholder("COLUMN")),
        )
    number = len(rated.clusters)
    keys = rated.system * number + rated.cluster[rated.item]
    order = np.lexsort((rated.item, keys))
    dialogue, first = np.unique(keys[order], return_index=True)
    rule = RULES[turns]
    system, conversation = np.divmod(dialogue, number)
    subjects = {}
    for label, values in rated.segments.items():
        grid = np.full((number, len(rated.systems)), np.nan)
        grid[conversation, system] = rule(values[order], first)
        rows = rows_of(mean_rows(grid.ravel()), len(rated.systems))
        subjects[label] = Subject(rows, cast(Metric, MeanOfReplies()))
    matrix, human = rule(rated.matrix[order], first), rule(rated.human[order], first)
    note = (
        f"dialogue: {counted(dialogue.size, 'dialogue')} of {counted(rated.human.size, 'rated turn')}; "
        f"scores and ratings of a dialogue are the {turns} of its turns"
    )
    changed = Rated(
        rated.systems,
        rated.clusters,
        subjects,
        system,
        conversation,
        matrix,
        human,
        mean=False,
        contexts="conversations",
    )
    return changed, [note]


def turn_ratings(ratings: Ratings, scores: Scores) -> Ratings:
    """Ratings of whole conversations as ratings of each of their turns; those of turns as they are.

    Ratings are of conversations where their ids name conversations, and none names an item.
    """
    table = ratings.table()
    ids = set(table.get_column("id"))
    if not scores.cluster or ids & set(scores.items.get_column("id")):
        return ratings
    turns = scores.items.select(turn="id", id=cluster_labels(scores.items, scores.cluster))
    if not ids & set(turns.get_column("id")):
        return ratings
    joined = table.join(turns, on="id", how="inner", maintain_order="left_right")
    return ratings.with_frame(joined.with_columns(id="turn").drop("turn"))
