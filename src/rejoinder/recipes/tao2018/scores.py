"""The scores of a study after Tao et al. (2018): which replies count, and against which references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.messages import Argument, counted
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.rows import Matrix
from rejoinder.progress import Progress
from rejoinder.recipes.tao2018.metrics import Listed, QueryScorer
from rejoinder.references.copies import quoting
from rejoinder.scoring.assembly import LEAVE_OUT
from rejoinder.scoring.measurements import Measured
from rejoinder.scoring.score import score
from rejoinder.scoring.scores import Scores
from rejoinder.tables.responses import MissingOrPairwise, check_responses
from rejoinder.tables.selection import check_systems
from rejoinder.tables.testset import TestSet


@dataclass(frozen=True)
class StudyReplies:
    """The replies that a study is about: of rated systems, to rated items that can be scored.

    Attributes:
        testset: Those items.
        responses: Every system's reply to each of them.
        own: For each system that quotes references: the place, in ``testset.references``, of the
            one that is its reply, by id; empty where these count.
        notes: What was left out.
    """

    testset: TestSet
    responses: pl.DataFrame
    own: dict[str, dict[str, int]]
    notes: tuple[str, ...]

    @property
    def systems(self) -> list[str]:
        """The systems, in the order of the responses."""
        return self.responses.get_column("system").unique(maintain_order=True).to_list()


def rated_replies(
    testset: TestSet,
    responses: pl.DataFrame,
    ratings: pl.DataFrame,
    *,
    without: Sequence[str] = (),
    missing: MissingOrPairwise = "error",
    drop_unusable: bool = False,
    leave_one_out: bool = False,
    least_weight: float | None = None,
) -> StudyReplies:
    """Picks the replies of a study, and their references.

    What nobody rated is not scored: it would move the bounds of ``scale=scored``, and nothing else.

    Args:
        testset: The test set.
        responses: The replies of the systems.
        ratings: The ratings.
        without: Systems to leave out.
        missing: How an item that a system did not answer is handled.
        drop_unusable: Whether items that a metric cannot score are left out.
        leave_one_out: Whether a reply is excluded from its own references.
        least_weight: Minimum weight of a reference; None: all count.

    Raises:
        InputError: Ratings, replies and items have nothing in common, or an item cannot be scored.
        ParameterError: A system to be left out is unknown, or ``leave_one_out`` with ``pairwise``.
    """
    if missing == "pairwise" and leave_one_out:
        raise ParameterError(
            Argument("missing", missing),
            f" and {Argument('leave_one_out', True)} do not go together: leave one of them out",
        )
    names = responses.get_column("system").unique(maintain_order=True).to_list()
    check_systems(without, names)
    rated = ratings.filter(pl.col("score").is_not_null() & pl.col("score").is_not_nan())
    systems, notes = _rated_systems(names, rated, without)
    responses = responses.filter(pl.col("system").is_in(systems))
    rated_ids = set(rated.filter(pl.col("system").is_in(systems)).get_column("id"))
    ids = [name for name in testset.ids if name in rated_ids]
    if not ids:
        raise InputError(
            f"ratings: no id is among the items of the test set (rated: '{rated.item(0, 'id')}', "
            f"items: '{testset.ids[0]}', ...); the ids of ratings and test set must be the same"
        )
    if len(ids) < len(testset):
        notes.append(f"{len(testset) - len(ids)} of {len(testset)} items without a rating left out")
    picked, more = _good(testset.select(ids), least_weight)
    notes += more
    known = responses.filter(pl.col("id").is_in(ids) | ~pl.col("id").is_in(testset.ids))
    alignment = check_responses(known, picked, "empty" if missing == "pairwise" else missing)
    if missing == "pairwise":
        answered = picked.select([name for name in alignment.ids if name in set(known["id"])])
        return _usable(StudyReplies(answered, known, {}, tuple(notes)), False, drop_unusable)
    if alignment.dropped:
        notes.append(f"{counted(alignment.dropped, 'item')} dropped that a system did not answer")
    notes += [
        f"{counted(count, 'missing reply', 'missing replies')} of '{name}' scored as empty"
        for name, count in alignment.filled.items()
    ]
    replies = StudyReplies(picked.select(alignment.ids), alignment.responses, {}, tuple(notes))
    if leave_one_out:
        replies = replace(replies, own=_own(replies))
    return _usable(replies, leave_one_out, drop_unusable)


def measured(
    replies: StudyReplies,
    listed: Listed,
    missing: MissingOrPairwise,
    drop_unusable: bool,
    seed: int,
    progress: Progress | None = None,
) -> Scores:
    """The scores of all rows of the table, on the same replies.

    Metrics that cannot leave a reply's own reference out by themselves are measured system by
    system, without it. The query's scorer is given the messages for references.

    Args:
        replies: The replies of the study.
        listed: The rows of the table.
        missing: How an item that a system did not answer is handled.
        drop_unusable: Whether items that a metric cannot score are left out.
        seed: Random seed.
        progress: Called with what is done and what there is in all; None: never.
    """
    apart = [
        each for each in listed.metrics.values()
        if replies.own and "references" in each.needs and not getattr(each, "leave_one_out", False)
    ]  # fmt: skip
    query = [each for each in listed.metrics.values() if isinstance(each, QueryScorer)]
    elsewhere = {id(each) for each in (*apart, *query)}
    direct = [each for each in listed.metrics.values() if id(each) not in elsewhere]
    options: dict[str, Any] = {
        "missing": missing, "drop_unusable": drop_unusable, "resamples": 0, "seed": seed,
    }  # fmt: skip
    whole = score(replies.testset, replies.responses, direct, **options, progress=progress)
    asked = score(
        _with_messages_as_references(replies.testset), replies.responses, query, **options
    )
    parts = [*whole.measured.values(), *asked.measured.values()]
    notes = list(whole.notes)
    if apart:
        parts += _apart(replies, apart, options)
    if replies.own:
        # What a system quotes is left out for it: its scores are not high by construction.
        quoted = quoting(replies.testset, check_responses(replies.responses, replies.testset))
        notes = [note for note in notes if note not in quoted]
    by_metric = {id(each.metric): each for each in parts}
    return replace(
        whole,
        measured={label: by_metric[id(metric)] for label, metric in listed.metrics.items()},
        notes=tuple(dict.fromkeys((*replies.notes, *notes))),
    )


def _rated_systems(
    names: Sequence[str], rated: pl.DataFrame, without: Sequence[str]
) -> tuple[list[str], list[str]]:
    """The systems that have ratings and are wanted, and what to say of the others."""
    with_rating = set(rated.get_column("system"))
    systems = [name for name in names if name in with_rating and name not in without]
    if not systems:
        raise InputError(
            f"ratings: of {one_of(sorted(with_rating)[:5]) or 'no system'}, and the replies to be scored are "
            f"of {one_of([name for name in names if name not in without]) or 'none'}; name systems "
            "alike in both"
        )
    notes = [f"left out as asked: {', '.join(without)}"] if without else []
    notes += [
        f"'{name}' has no rating"
        for name in names
        if name not in with_rating and name not in without
    ]
    return systems, notes


def _good(testset: TestSet, least: float | None) -> tuple[TestSet, list[str]]:
    """Without the references of a lower weight, which are counted; one without a weight stays.

    Raises:
        ParameterError: The weight is none.
    """
    if least is None:
        return testset, []
    if not -1 <= least <= 1:
        raise ParameterError(Argument("least_weight", least), " is outside [-1, 1]")
    references = testset.references.filter(pl.col("weight").fill_null(1.0) >= least)
    count = testset.references.height - references.height
    note = f"{counted(count, 'reference')} of a weight below {least:g} left out as asked"
    return TestSet(testset.contexts, references), [note]


def _own(replies: StudyReplies) -> dict[str, dict[str, int]]:
    """For each system, by id, the first reference that is its reply but for case and blanks."""
    references = replies.testset.references
    places: dict[tuple[str, str], int] = {}
    for place, (name, text) in enumerate(references.select("id", "text").iter_rows()):
        places.setdefault((name, _folded(text)), place)
    own_references: dict[str, dict[str, int]] = {name: {} for name in replies.systems}
    for system, name, text in replies.responses.select("system", "id", "text").iter_rows():
        place = places.get((name, _folded(text)))
        if place is not None:
            own_references[system][name] = place
    return {system: items for system, items in own_references.items() if items}


def _folded(text: str) -> str:
    return "".join(text.lower().split())


def _usable(replies: StudyReplies, leave_one_out: bool, drop: bool) -> StudyReplies:
    """Without the items that the table's own rows cannot score, which are counted.

    Raises:
        InputError: There are some, and they are not to be dropped; or nothing is left.
    """
    ids = replies.testset.ids
    counts = dict(replies.testset.references.group_by("id").len().iter_rows())
    quoting_it = {name for items in replies.own.values() for name in items}
    bare = {
        name: "has no reference" if not counts.get(name) else
        "has no reference besides a system's own reply"
        for name in ids if counts.get(name, 0) - (name in quoting_it) < 1
    }  # fmt: skip
    silent = replies.testset.contexts.filter(pl.col("context").list.len() == 0)
    bare |= dict.fromkeys(silent.get_column("id"), "has no context")
    if not bare:
        return replies
    first, why = next(iter(bare.items()))
    if not drop or len(bare) == len(ids):
        remedy = LEAVE_OUT if len(bare) < len(ids) else ("there is nothing to score",)
        raise InputError(f"item '{first}' {why} ({len(bare)} of {len(ids)} items); ", *remedy)
    usable = [name for name in ids if name not in bare]
    reasons = ", ".join(
        f"{sum(each == reason for each in bare.values())} {reason.replace('has', 'with', 1)}"
        for reason in dict.fromkeys(bare.values())
    )
    note = f"{len(bare)} of {len(ids)} items dropped for all rows: {reasons}"
    picked = StudyReplies(
        replies.testset.select(usable),
        replies.responses.filter(pl.col("id").is_in(usable)),
        {},
        (*replies.notes, note),
    )
    return replace(picked, own=_own(picked)) if leave_one_out else picked


def _with_messages_as_references(testset: TestSet) -> TestSet:
    """The test set whose only reference is the message itself."""
    messages = testset.contexts.select("id", text=pl.col("context").list.last())
    none = pl.lit(None)
    return TestSet(
        testset.contexts,
        messages.with_columns(weight=none.cast(pl.Float64), source=none.cast(pl.String)),
    )


def _apart(
    replies: StudyReplies, metrics: Sequence[Metric], options: Mapping[str, Any]
) -> list[Measured]:
    """Metrics measured system by system, each without the references that are its own replies."""
    of_systems = []
    for system in replies.systems:
        places = list(replies.own.get(system, {}).values())
        references = replies.testset.references.with_row_index(" place")
        others = references.filter(~pl.col(" place").is_in(places)).drop(" place")
        mine = replies.responses.filter(pl.col("system") == system)
        one = score(TestSet(replies.testset.contexts, others), mine, list(metrics), **options)
        of_systems.append(list(one.measured.values()))
    return [_joined(each) for each in zip(*of_systems, strict=True)]


def _joined(systems: Sequence[Measured]) -> Measured:
    """One metric's rows of all systems, of the items that it could score for each."""
    usable = np.logical_and.reduce([each.usable for each in systems])
    items = []
    for each in systems:
        rows = each.rows.pick(usable[each.usable])
        assert isinstance(rows, Matrix)  # bags are of replies alone, and need no references
        items.append(rows.items)
    name, *facts = systems[0].signature.split("|")
    signature = "|".join([name, "leave_one_out:yes", *facts])
    return Measured(systems[0].metric, Matrix(np.concatenate(items, axis=1)), usable, signature)
