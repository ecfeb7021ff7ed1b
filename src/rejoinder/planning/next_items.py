"""Which items to have rated next, and with which probability each was drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder._version import __version__
from rejoinder.document.parts import AS_USUAL, Document, View
from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.human_evaluation.grades import Scale
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import Argument, Placeholder, counted, more, quoted
from rejoinder.meta_evaluation.matching import match
from rejoinder.meta_evaluation.with_people.estimates import combined_differences
from rejoinder.meta_evaluation.with_people.refusals import selection_notes
from rejoinder.meta_evaluation.with_people.replies import RepliesWithRatings, values_of
from rejoinder.result import TableResult
from rejoinder.scoring.external import scores_of
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.conventions import NO_SPREAD
from rejoinder.statistics.draws import check_draws
from rejoinder.statistics.next_items import (
    expected_errors,
    inclusion,
    next_probabilities,
    systematic_sample,
)
from rejoinder.statistics.prediction_powered import FEWEST_LABELLED
from rejoinder.tables.checks.arguments import strings
from rejoinder.tables.drawn_items import EARLIER, LEFT, NEXT, RATED, drawn_so_far, waiting_notes
from rejoinder.tables.frames import Frame
from rejoinder.tables.in_memory import taken
from rejoinder.tables.schemas import DRAWN, PROBABILITY
from rejoinder.tables.selection import check_systems
from rejoinder.tables.types import Ratings


@dataclass(frozen=True, eq=False, repr=False)
class NextItems(TableResult):
    """Items that were drawn to be rated next.

    Attributes:
        table: ``schemas.DRAWN``, a row for each scored item: ``probability`` is that of having been
            drawn until now, by this draw or an earlier one.
        number: How many items are drawn now.
        lowest: The lowest probability of this draw alone, over the items that could be drawn.
        highest: The highest.
        notes: What the probabilities follow from, and what was left out.
        signature: Everything that the draw follows from.
    """

    table: pl.DataFrame
    number: int
    lowest: float
    highest: float
    notes: tuple[str, ...]
    signature: str

    def document(
        self, view: View = AS_USUAL, file: Path | None = None, commands: Sequence[str] = ()
    ) -> Document:
        """The items to be rated next, and the commands that have those of the file rated."""
        from rejoinder.planning.next_items_tables import WITHOUT_FILES, drawn_items

        commands = commands or (WITHOUT_FILES,)
        return drawn_items(self.table, self.lowest, self.highest, self.notes, file, commands)

    def as_json(self) -> dict[str, Any]:
        """What ``rejoinder plan --next --json`` prints under ``next``."""
        facts = self.json_of("number", "lowest", "highest", "notes", "signature")
        return {"items": self.table.to_dicts(), **facts}


def next_items(
    scores: Scores | Frame,
    number: int,
    ratings: Frame | Ratings | None = None,
    drawn: pl.DataFrame | None = None,
    *,
    a: str | None = None,
    b: str | None = None,
    criterion: str | None = None,
    without: Sequence[str] = (),
    scale: Scale | None = None,
    seed: int = 12345,
) -> NextItems:
    """Draws the items that people should rate next: where judges are expected to err most, likelier.

    From the ratings so far follows how far the judges' differences lie from people's, and whether that
    depends on the size of the difference that they see and on their disagreement; see
    `statistics.next_items.expected_errors`. Every item keeps at least half of the probability that it
    would have if all were alike. So many of the items that are neither rated nor drawn are drawn
    (systematic sampling in random order), and the table tells with which probability each item was
    drawn so far. ``compare_with_people`` weighs ratings by one over it.

    Args:
        scores: The scores of all replies: each metric is a judge.
        number: How many items.
        ratings: The ratings so far; None gives every item the same probability.
        drawn: The table of the draw before, for ratings alone; None takes the rated items for a random
            sample.
        a: A system; None takes every pair.
        b: Another system; None takes ``a`` with every other.
        criterion: Which criterion of the ratings; required if there are several.
        without: Systems to leave out.
        scale: The worst and the best grade that could be given, for ratings alone.
        seed: Random seed of the draw.

    Raises:
        InputError: The rated items were chosen by their scores or drawn with probabilities that
            ``drawn`` does not tell of all items; or ratings, scores and ``drawn`` do not fit.
        ParameterError: The number is below 1 or above that of the items that can be drawn; ``a``, ``b``
            or ``without`` name no system, or one twice; or ``drawn``, ``criterion`` or ``scale`` are given
            without ratings.

    >>> marks = pl.DataFrame({"system": ["a"] * 20 + ["b"] * 20, "id": [str(i) for i in range(20)] * 2,
    ...                       "judge": np.arange(40.0) % 7})
    >>> items = next_items(Scores.from_segments(marks, resamples=0), 5)
    >>> items.table["probability"].unique().to_list(), items.table.filter(status="next").height
    ([0.25], 5)
    """
    scores = scores_of(scores, Scores, "rejoinder.next_items(scores, number)")
    check_draws(0, seed)
    scores.need_items()
    if not isinstance(number, (int, np.integer)) or number < 1:
        got = number if isinstance(number, (int, float, str)) else type(number).__name__
        raise ParameterError(Argument("number", Placeholder(got)), "; expected 1 or more")
    ids = scores.items.get_column("id")
    notes: list[str] = []
    if ratings is None:
        _refuse_without_ratings(drawn=drawn, criterion=criterion, scale=scale)
        rated = np.zeros(ids.len(), dtype=np.bool_)
        sizes, usable, uncertain = np.ones(ids.len()), _usable(scores, a, b, without), "uniform"
        before = np.zeros(ids.len())
        notes.append(
            "no ratings yet: every item is drawn with the same probability; with the ratings of these "
            "items the next draw prefers those that the judges leave uncertain"
        )
    else:
        replies, notes = _replies(scores, ratings, criterion, without, scale, seed, drawn)
        pairs = _pairs(replies.systems, a, b, "rating")
        sizes, usable, uncertain = _sizes(replies, pairs, seed)
        rated = np.logical_or.reduce(replies.rated)
        before, more_notes = _before(ids, rated, usable, drawn)
        notes += [*more_notes, *_about(replies, uncertain)]
    free = usable & ~rated
    now = np.where(usable & (before < 1), next_probabilities(sizes, free, number), 0.0)
    rng = np.random.default_rng([seed, 3])
    chosen = systematic_sample(np.where(free, now, 0.0), rng)
    table = pl.DataFrame(
        {
            "id": ids,
            PROBABILITY: inclusion(before, now),
            EARLIER: before,
            "status": np.where(rated, RATED, np.where(chosen, NEXT, LEFT)).tolist(),
        },
        schema=DRAWN,
    )
    if not usable.all():
        notes.append(
            f"{counted(int((~usable).sum()), 'item')} without scores of two systems cannot be drawn, and "
            "have no row"
        )
    table = table.filter(pl.Series(usable))
    facts = [f"next:{number}", uncertain, f"seed:{seed}", f"version:{__version__}"]
    of_free = now[free]
    return NextItems(
        table,
        int(number),
        float(of_free.min()),
        float(of_free.max()),
        tuple(notes),
        "|".join(facts),
    )


def _replies(
    scores: Scores,
    ratings: Frame | Ratings,
    criterion: str | None,
    without: Sequence[str],
    scale: Scale | None,
    seed: int,
    drawn: pl.DataFrame | None,
) -> tuple[RepliesWithRatings, list[str]]:
    """The scored replies with their ratings, and a note where rated items look chosen.

    Raises:
        InputError: They were chosen by their scores, or with probabilities that are not known of the
            others.
    """
    given = taken(Ratings, ratings).of_criterion(criterion, one=True)
    rated, _, _ = match(scores, given, criterion, "mean", without, seed, scale)
    if len(rated.systems) < 2:
        raise ParameterError(
            f"ratings: of the scored systems, {one_of(rated.systems)} alone is rated; uncertain items are "
            "those where the difference of two is"
        )
    replies = RepliesWithRatings.of(scores, rated, given.table(probability=True))
    if drawn is not None:
        return replies, []
    probabilities = replies.probabilities
    if probabilities is not None and np.ptp(probabilities[np.isfinite(probabilities)]) > NO_SPREAD:
        raise InputError(
            f"ratings: the column '{PROBABILITY}' tells with which probability rated items were drawn, and "
            "not that of the others; give the table of their draw with ",
            Argument("drawn"),
        )
    return replies, selection_notes(replies, seed)


def _refuse_without_ratings(**given: object) -> None:
    """Raises a ParameterError where an argument that is about ratings is given without them."""
    for name, value in given.items():
        if value is not None:
            raise ParameterError(
                f"{name}: it is about ratings, and none are given; give ratings too"
            )


def _usable(
    scores: Scores, a: str | None, b: str | None, without: Sequence[str]
) -> NDArray[np.bool_]:
    """Which items have the scores of two systems of a pair asked for; of one system alone, its scores."""
    without = strings(without, "without", "systems")
    check_systems(without, scores.names)
    names = [name for name in scores.names if name not in without]
    if not names:
        raise ParameterError("without: every system is left out; leave one of them in")
    places = [scores.names.index(name) for name in names]
    pairs = _pairs(names, a, b, "score")
    values = np.stack([values_of(scores, label, places) for label in scores.labels])  # [k, S, n]
    scored: NDArray[np.bool_] = np.logical_and.reduce(np.isfinite(values))
    if len(names) == 1:
        return scored[0]
    return np.logical_or.reduce([scored[i] & scored[j] for i, j in pairs])


def _pairs(
    systems: Sequence[str], a: str | None, b: str | None, what: str
) -> list[tuple[int, int]]:
    """The pairs of systems that are asked for, by their places; ``what`` it is that they have."""
    for name in (a, b):
        if name is not None and name not in systems:
            raise ParameterError(f"system '{name}' has no {what}; choose {one_of(systems)}")
    if a is not None and a == b:
        raise ParameterError(
            Argument("a", a), f": '{a}' cannot be compared with itself; name two systems"
        )
    named = {name for name in (a, b) if name is not None}
    return [
        (i, j) for i, j in combinations(range(len(systems)), 2) if named <= {systems[i], systems[j]}
    ]


def _sizes(
    replies: RepliesWithRatings, pairs: Sequence[tuple[int, int]], seed: int
) -> tuple[Floats, NDArray[np.bool_], str]:
    """How far judges are expected to err on each item, which items have scores, and a word on both."""
    labels = np.stack([replies.labels_of(a, b) for a, b in pairs])
    single = np.stack([replies.predictions_of(a, b) for a, b in pairs])  # [P, k, n]
    usable = np.logical_or.reduce(np.isfinite(single).all(axis=1))
    rated = np.logical_or.reduce(np.isfinite(labels))
    if np.unique(replies.group[rated]).size < FEWEST_LABELLED:
        return np.ones(usable.size), usable, "uniform"
    scale = np.sqrt(np.nanmean(single**2, axis=(0, 2)))[:, None]
    scaled = single[..., usable] / np.where(scale > NO_SPREAD, scale, np.inf)
    signs = [np.sqrt(np.nanmean(scaled**2, axis=(0, 1)))]
    if len(replies.labels) > 1:
        signs.append(np.sqrt(np.nanmean(scaled.var(axis=1), axis=0)))
    predictions = combined_differences(replies, pairs, seed)[:, usable]
    sizes = np.ones(usable.size)
    sizes[usable] = expected_errors(labels[:, usable], predictions, np.stack(signs, axis=1))
    return sizes, usable, "uniform" if np.ptp(sizes) <= NO_SPREAD else "uncertain"


def _before(
    ids: pl.Series, rated: NDArray[np.bool_], usable: NDArray[np.bool_], drawn: pl.DataFrame | None
) -> tuple[Floats, list[str]]:
    """The probability with which each item was drawn and rated until now, and a note on unrated ones.

    Raises:
        InputError: The table of the draw before lacks an item.
    """
    if drawn is None:
        return np.full(ids.len(), int((rated & usable).sum()) / max(1, int(usable.sum()))), []
    lacking = ids.filter(usable).filter(~ids.filter(usable).is_in(drawn.get_column("id").implode()))
    if lacking.len():
        raise InputError(
            Argument("drawn"),
            f": item {quoted(str(lacking[0]))}{more(lacking.len(), 'item')} is scored and "
            "not in the table of drawn items; give the table that was written for these scores",
        )
    of_rated = ids.filter(rated)
    so_far = drawn_so_far(drawn, of_rated)
    known = pl.DataFrame({"id": ids}).join(so_far, on="id", how="left", maintain_order="left")
    notes = [
        f"{note}; the others may be drawn again, so do not have them rated beside the next"
        for note in waiting_notes(drawn, of_rated)
    ]
    return known.get_column(PROBABILITY).fill_null(0.0).to_numpy(), notes


def _about(replies: RepliesWithRatings, uncertain: str) -> list[str]:
    """What the probabilities follow from."""
    number = np.unique(replies.group[replies.rated.any(axis=0)]).size
    if uncertain != "uniform":
        return []
    if number < FEWEST_LABELLED:
        return [
            f"{number} rated {replies.groups_are}: every item is drawn with the same probability; from "
            f"{FEWEST_LABELLED} on those that the judges leave uncertain are preferred"
        ]
    return [
        "the ratings so far do not tell where the judges err: every item is drawn with the same probability"
    ]
