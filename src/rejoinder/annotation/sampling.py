"""Which items people judge: all, a random sample, or each with a probability of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from rejoinder.annotation.task import Task
from rejoinder.errors import InputError, ParameterError
from rejoinder.messages import Argument, Call, counted, listed, more, quoted
from rejoinder.tables.drawn_items import NEXT
from rejoinder.tables.testset import TestSet

DRAWN = Argument("drawn")


@dataclass(frozen=True)
class Group:
    """Items that are drawn, and shown to a rater, together: a dialogue, or a single item.

    Attributes:
        ids: The items, in the order of the test set.
        probability: The probability with which the group was drawn.
    """

    ids: tuple[str, ...]
    probability: float


def drawn_groups(
    testset: TestSet, task: Task, drawn: pl.DataFrame | None = None
) -> tuple[list[Group], tuple[str, ...]]:
    """The items of the study, in the order of the test set, and notes on those not drawn.

    With ``drawn`` (``schemas.DRAWN``) the items are those of the status ``next``, with their
    probabilities.

    With ``task.sample`` n of N groups are drawn without replacement, each with the probability n / N.
    With ``task.probability`` each group is drawn by itself with its own probability (Poisson
    sampling), so that their number varies with the seed.

    Raises:
        ParameterError: A column is not there, more groups are to be drawn than there are, or the task
            draws items too.
        InputError: A probability is none, differs within a dialogue, no group is drawn, or a drawn item
            is not in the test set.
    """
    if drawn is not None:
        return _of_table(testset, task, drawn)
    groups = _groups(testset, task.dialogues)
    noun = "item" if task.dialogues is None else "dialogue"
    rng = np.random.default_rng([task.seed, 0])
    if task.probability is not None:
        probabilities = _probabilities(testset, task.probability, groups)
        taken = rng.random(len(groups)) < probabilities
    else:
        number = len(groups) if task.sample is None else task.sample
        if number > len(groups):
            raise ParameterError(
                f"sample: got {number}; the test set has {counted(len(groups), noun)}"
            )
        taken = np.zeros(len(groups), dtype=bool)
        taken[rng.permutation(len(groups))[:number]] = True
        probabilities = np.full(len(groups), number / len(groups))
    chosen = [
        Group(ids, float(probability))
        for ids, probability, is_drawn in zip(groups, probabilities, taken, strict=True)
        if is_drawn
    ]
    if not chosen:
        raise InputError(
            f"probability: none of {counted(len(groups), noun)} was drawn; raise the probabilities, or "
            "choose another seed"
        )
    left = len(groups) - len(chosen)
    notes = (f"{counted(left, noun)} of {len(groups)} not drawn",) if left else ()
    return chosen, notes


def _of_table(
    testset: TestSet, task: Task, drawn: pl.DataFrame
) -> tuple[list[Group], tuple[str, ...]]:
    """The items that a table says are to be rated next, and a note on the others."""
    for name in ("sample", "probability", "dialogues"):
        if getattr(task, name) is not None:
            raise ParameterError(
                f"{name}, {DRAWN}: the table of drawn items says which single items are judged; "
                f"leave {name} out"
            )
    wanted = drawn.filter(pl.col("status") == NEXT)
    if not wanted.height:
        raise InputError(
            DRAWN,
            f": no item of the table has the status '{NEXT}'; draw some "
            f"with '{Call('rejoinder.next_items(scores, N)')}'",
        )
    by_id = dict(wanted.select("id", "probability").iter_rows())
    unknown = [name for name in by_id if name not in set(testset.ids)]
    if unknown:
        raise InputError(
            DRAWN,
            f": item {quoted(unknown[0])}{more(len(unknown), 'item')} is to be rated "
            "and not in the test set; give the test set that was planned for",
        )
    groups = [Group((name,), by_id[name]) for name in testset.ids if name in by_id]
    left = len(testset) - len(groups)
    return groups, (f"{counted(left, 'item')} of {len(testset)} not drawn",) if left else ()


def _groups(testset: TestSet, column: str | None) -> list[tuple[str, ...]]:
    """The ids of each item or, with a column, of the items that share a value of it."""
    if column is None:
        return [(each,) for each in testset.ids]
    values = _column(testset, column, "dialogues").cast(pl.String).to_list()
    groups: dict[str, list[str]] = {}
    for name, value in zip(testset.ids, values, strict=True):
        if value is None:
            raise InputError(
                f"dialogues: item {quoted(name)} has no value in the column {quoted(column)}; add one"
            )
        groups.setdefault(value, []).append(name)
    return [tuple(ids) for ids in groups.values()]


def _probabilities(
    testset: TestSet, column: str, groups: list[tuple[str, ...]]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The probability of each group."""
    values = _column(testset, column, "probability")
    numbers = values.cast(pl.Float64, strict=False).to_list()
    by_id = dict(zip(testset.ids, numbers, strict=True))
    for (name, number), given in zip(by_id.items(), values.to_list(), strict=True):
        if number is None or not 0 < number <= 1:
            raise InputError(
                f"probability: item {quoted(name)} has {quoted(given)} in the column {quoted(column)}; "
                "expected a number above 0 and at most 1"
            )
    for ids in groups:
        if len({by_id[name] for name in ids}) > 1:
            raise InputError(
                f"probability: items {listed(ids)} are one dialogue and have several probabilities; "
                "give them one"
            )
    return np.array([by_id[ids[0]] for ids in groups])


def _column(testset: TestSet, name: str, setting: str) -> pl.Series:
    contexts = testset.contexts
    if name not in contexts.columns:
        raise ParameterError(
            f"{setting}: the test set has no column {quoted(name)}; got {listed(contexts.columns)}"
        )
    return contexts.get_column(name)
