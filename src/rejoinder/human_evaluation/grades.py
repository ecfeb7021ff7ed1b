"""The grades that were given: whether they are on the scale, and which are outliers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from rejoinder.errors import InputError, ParameterError
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import Argument, Placeholder, counted
from rejoinder.tables.checks.arguments import pair

Scale = tuple[float, float]
"""The worst and the best grade that could be given."""

SCALE = Argument("scale", (Placeholder("LOW"), Placeholder("HIGH")))
"""The argument that names them, for messages."""

MOST_GRADES = 11
"""Whole numbers of more kinds are seldom a scale on which people rate: from 0 to 10 there are so many."""

OUTLIER = "outlier"
"""What notes call a grade far from all others."""

FEWEST = 20  # among fewer ratings many grades are given once
SELDOM = 2
GAP = 2.0


def are_grades(values: Floats) -> bool:
    """Whether values are whole numbers of few kinds (at most `MOST_GRADES`).

    >>> are_grades(np.array([1.0, 5.0, np.nan])), are_grades(np.array([0.5])), are_grades(np.arange(12.0))
    (True, False, False)
    """
    kinds = np.unique(values[~np.isnan(values)])
    return kinds.size <= MOST_GRADES and not (kinds % 1).any()


def check_scale(ratings: pl.DataFrame, ends: Scale) -> None:
    """Checks that every single rating is on the scale: the mean of ratings off it may be on it.

    Args:
        ratings: ``schemas.RATINGS``.
        ends: The worst and the best grade.

    Raises:
        ParameterError: The worst grade is not below the best.
        InputError: A rating is off the scale; names it, its rater, and how many there are.
    """
    pair(ends, "scale")
    low, high = ends
    if not -float("inf") < low < high < float("inf"):
        raise ParameterError(
            Argument("scale", (low, high)), ": the worst grade must be below the best"
        )
    off = ratings.filter((pl.col("score") < low) | (pl.col("score") > high))
    if off.height:
        row = off.row(0, named=True)
        rater = f" by '{row['rater']}'" if row.get("rater") else ""
        raise InputError(
            f"ratings: {row['score']:g} of '{row['system']}' at id '{row['id']}'{rater} is off the "
            f"scale from {low:g} to {high:g} ({counted(off.height, 'such rating')}); fix the row, "
            f"or give the scale that people used with {SCALE}"
        )


def check_difference(difference: float, given: Floats, scale: Scale | None = None) -> None:
    """Raises a ParameterError where no two systems could differ by so much.

    Args:
        difference: Of two systems' mean ratings, above 0.
        given: Any shape, single ratings; NaN where there is none.
        scale: The scale, where it is known; else from the least to the greatest rating.
    """
    low, high = scale or (float(np.nanmin(given)), float(np.nanmax(given)))
    if difference <= high - low or low == high:
        return
    wider = "" if scale else f"; if grades could lie beyond, give {SCALE}"
    raise ParameterError(
        Argument("difference", difference),
        f": people's grades lie from {low:g} to {high:g}, so that no two "
        f"systems differ by more than {high - low:g}; give it in the ratings' own scale{wider}",
    )


class Outlier(NamedTuple):
    """A grade far from all others, or two of them: a typing error, or a code for "missing".

    Args:
        grades: The grade, or both.
        times: How often they are given, together.
        neighbour: The grade next to them.
    """

    grades: tuple[float, ...]
    times: int
    neighbour: float

    def note(self, what: str, remedy: str) -> str:
        """A note that names it.

        Args:
            what: What the grades are.
            remedy: What to do if it is an error.
        """
        grades = " and ".join(f"{grade:g}" for grade in self.grades)
        return (
            f"{what}: {grades} {f'is an {OUTLIER}' if len(self.grades) == 1 else f'are {OUTLIER}s'} (given "
            f"{'once' if self.times == 1 else 'twice in all'}, next to {self.neighbour:g}); if it is an "
            f"error, {remedy}"
        )


def outliers(given: Floats) -> list[Outlier]:
    """The grades that are outliers.

    A grade is an outlier if it is given once or twice among 20 ratings or more, and the gap between
    it and the others is at least twice the widest gap among the others: 9 on a scale from 1 to 5.
    A 6 there, or a 0, is next to the rest: only the scale itself can tell.

    Args:
        given: Any shape, single ratings; NaN where there is none.

    >>> outliers(np.array([1.0, 2.0, 3.0, 4.0, 5.0] * 4 + [9.0]))
    [Outlier(grades=(9.0,), times=1, neighbour=5.0)]
    """
    given = given[~np.isnan(given)]
    if given.size < FEWEST:
        return []
    values, counts = np.unique(given, return_counts=True)
    far = []
    # From either end of the scale: the outlier is the last grade, or the last two.
    for grades, number in ((values[::-1], counts[::-1]), (values, counts)):
        for beyond in (1, 2):
            rest = np.abs(np.diff(grades[beyond:]))
            if rest.size < 2 or number[:beyond].sum() > SELDOM:
                break
            if abs(grades[beyond - 1] - grades[beyond]) >= GAP * rest.max():
                apart = tuple(grades[:beyond].tolist())
                far.append(Outlier(apart, int(number[:beyond].sum()), float(grades[beyond])))
                break
    return far


def grade_notes(
    given: Floats, scale: Scale | None = None, remedy: str = f"{SCALE} names the row"
) -> list[str]:
    """Notes on ratings that are `outliers`; none where the scale is known.

    Args:
        given: Any shape, single ratings; NaN where there is none.
        scale: The scale, where it is known.
        remedy: What to do if the grade is an error.
    """
    return [] if scale else [each.note("ratings", remedy) for each in outliers(given)]
