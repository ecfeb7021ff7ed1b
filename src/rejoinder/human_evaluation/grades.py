"""The grades that were given: whether they are on the scale, and which are outliers."""

from __future__ import annotations

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

FEWEST = 20  # among fewer ratings many grades are given once
SELDOM = 2
GAP = 2.0


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


def grade_notes(
    given: Floats,
    scale: Scale | None = None,
    remedy: str = f"{SCALE} names the row",
    what: str = "ratings",
) -> list[str]:
    """Notes about grades that are outliers: typing errors, codes for "missing".

    A grade is an outlier if it is given once or twice among 20 ratings or more, and the gap between
    it and the others is at least twice the widest gap among the others: 9 on a scale from 1 to 5.
    A 6 there, or a 0, is next to the rest: only the scale itself can tell.

    Args:
        given: Any shape, single ratings; NaN where there is none.
        scale: The scale, where it is known: then there are no notes.
        remedy: What to do if the grade is an error.
        what: What the grades are, for the notes.

    >>> grade_notes(np.array([1.0, 2.0, 3.0, 4.0, 5.0] * 4 + [9.0]))[0][:49]
    'ratings: 9 is an outlier (given once, next to 5);'
    """
    given = given[~np.isnan(given)]
    if scale is not None or given.size < FEWEST:
        return []
    values, counts = np.unique(given, return_counts=True)
    notes = []
    # From either end of the scale: the outlier is the last grade, or the last two.
    for grades, number in ((values[::-1], counts[::-1]), (values, counts)):
        for beyond in (1, 2):
            rest = np.abs(np.diff(grades[beyond:]))
            if rest.size < 2 or number[:beyond].sum() > SELDOM:
                break
            if abs(grades[beyond - 1] - grades[beyond]) >= GAP * rest.max():
                apart = " and ".join(f"{grade:g}" for grade in grades[:beyond])
                times = "once" if number[:beyond].sum() == 1 else "twice in all"
                notes.append(
                    f"{what}: {apart} {'is an outlier' if beyond == 1 else 'are outliers'} (given {times}, "
                    f"next to {grades[beyond]:g}); if it is an error, {remedy}"
                )
                break
    return notes
