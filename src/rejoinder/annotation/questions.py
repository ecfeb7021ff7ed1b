"""The questions of a study: which items are drawn, and which replies are judged, alone or together."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from rejoinder.annotation.task import Task
from rejoinder.errors import InputError, ParameterError
from rejoinder.messages import Argument, Call, counted, listed, more, quoted
from rejoinder.tables.checks.id_slips import first_few
from rejoinder.tables.drawn_items import NEXT
from rejoinder.tables.schemas import RESPONSES, SAMPLE
from rejoinder.tables.testset import TestSet


@dataclass(frozen=True)
class Question:
    """A context and the replies to it that are judged together.

    Attributes:
        item: The id of the item.
        context: The turns, oldest first.
        systems: Whose replies they are; no rater sees this.
        replies: Their texts.
        probability: The probability with which the question was drawn.
    """

    item: str
    context: tuple[str, ...]
    systems: tuple[str, ...]
    replies: tuple[str, ...]
    probability: float


@dataclass(frozen=True)
class Questions:
    """The questions of a study.

    Attributes:
        blocks: Each a list of questions that one rater answers one after the other: the turns of a
            dialogue, or a single question.
        notes: What was left out, with counts.
    """

    blocks: tuple[tuple[Question, ...], ...]
    notes: tuple[str, ...]


def make_questions(
    testset: TestSet,
    responses: pl.DataFrame,
    task: Task,
    drawn: pl.DataFrame | None = None,
    whole: bool = False,
) -> Questions:
    """The questions about responses to a test set, in a fixed order that no rater sees.

    A system need not have answered every item: a question is asked where all of its replies are there.

    Args:
        testset: The contexts.
        responses: ``schemas.RESPONSES``, of one system or more.
        task: The kind of judgement, which items are drawn, and the seed.
        drawn: The items that were drawn before, the table of ``read_drawn``: those of the status
            ``next`` are judged, with their probabilities. None draws as the task says.
        whole: Whether one rater answers the questions about all systems of an item, in random order.

    Raises:
        InputError: There are fewer systems than a question needs, an unknown one in ``pairs``, several
            replies of a system to one item, a response to no item, or no question is left.
        ParameterError: A column of the task is not there, or more items are to be drawn than there are.
    """
    _check_replies(testset, responses)
    systems = responses.get_column("system").unique(maintain_order=True).to_list()
    _check_systems(systems, task)
    groups, notes = drawn_groups(testset, task, drawn)
    texts = {
        (system, item): text for system, item, text in responses.select(*RESPONSES).iter_rows()
    }
    contexts = dict(testset.contexts.select("id", "context").iter_rows())
    rng = np.random.default_rng([task.seed, 1])
    blocks = []
    for group in groups:
        sets = list(_sets(systems, task, rng))
        if whole:
            sets = [sets[int(place)] for place in rng.permutation(len(sets))]
        for together in [sets] if whole else [[each] for each in sets]:
            block = tuple(
                Question(
                    item,
                    tuple(contexts[item]),
                    chosen,
                    tuple(texts[system, item] for system in chosen),
                    group.probability * share,
                )
                for item in group.ids
                for chosen, share in together
                if all((system, item) in texts for system in chosen)
            )
            if block:
                blocks.append(block)
    if not blocks:
        raise InputError(
            "responses: no item of the study is answered by the systems of a question; check that the "
            "responses belong to this test set"
        )
    return Questions(tuple(blocks), (*notes, *_unanswered(groups, systems, texts)))


def _check_replies(testset: TestSet, responses: pl.DataFrame) -> None:
    if SAMPLE in responses.columns or responses.select("system", "id").is_duplicated().any():
        raise InputError(
            "responses: several replies of a system to one item (column 'sample'); raters judge one "
            "reply of each system: keep one sample, or give each its own name of a system"
        )
    known = set(testset.ids)
    unknown = [
        name for name in responses.get_column("id").unique(maintain_order=True) if name not in known
    ]
    if unknown:
        raise InputError(
            f"responses: the test set does not have the id {first_few(unknown)}; name the test set that "
            "the systems answered"
        )


def _check_systems(systems: Sequence[str], task: Task) -> None:
    least = {"pointwise": 1, "head-to-head": 2, "best-worst": 3}[task.kind]
    if len(systems) < least:
        raise InputError(
            f"responses: {counted(len(systems), 'system')} ({listed(systems)}); a {task.kind} question "
            f"compares {least} or more; name the responses of more systems"
        )
    for pair in task.pairs:
        for system in pair:
            if system not in systems:
                raise InputError(
                    f"pairs: no responses of the system {quoted(system)}; expected one of {listed(systems)}"
                )
        if pair[0] == pair[1]:
            raise ParameterError(
                f"pairs: {quoted(pair[0])} is paired with itself; name two systems"
            )


def _sets(
    systems: Sequence[str], task: Task, rng: np.random.Generator
) -> Iterator[tuple[tuple[str, ...], float]]:
    """The systems of each question about one item, with the probability that a system is among them."""
    if task.kind == "pointwise":
        yield from (((system,), 1.0) for system in systems)
    elif task.kind == "head-to-head":
        every = [
            (systems[i], systems[j]) for i, j in itertools.combinations(range(len(systems)), 2)
        ]
        yield from ((pair, 1.0) for pair in task.pairs or every)
    else:
        size = min(task.shown, len(systems))
        places = sorted(rng.permutation(len(systems))[:size])
        yield tuple(systems[int(place)] for place in places), size / len(systems)


def _unanswered(
    groups: Sequence[Group], systems: Sequence[str], texts: Mapping[tuple[str, str], str]
) -> tuple[str, ...]:
    """A note for each system that did not answer every item of the study."""
    ids = [item for group in groups for item in group.ids]
    gaps = {system: sum((system, item) not in texts for item in ids) for system in systems}
    return tuple(
        f"system {quoted(system)} did not answer {count} of {len(ids)} items: these questions are left "
        "out"
        for system, count in gaps.items()
        if count
    )


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

    Args:
        testset: The test set.
        task: The settings of the study.
        drawn: The table of sampled items; None: ``task`` says how they are sampled.

    Raises:
        ParameterError: A column is not there, more groups are to be drawn than there are, or the task
            draws items too.
        InputError: A probability is none, differs within a dialogue, no group is drawn, or a drawn item
            is not in the test set.
    """
    if drawn is not None:
        return _sampled_items(testset, task, drawn)
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


def _sampled_items(
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
