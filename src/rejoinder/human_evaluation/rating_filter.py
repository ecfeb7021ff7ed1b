"""The ratings that are left when unreliable raters are excluded, without the rest of a summary."""

from __future__ import annotations

import polars as pl

from rejoinder.human_evaluation.rater_exclusion import SummaryOptions, verdict_notes
from rejoinder.human_evaluation.rating_criterion import PLACES, RatingCriterion, are_places
from rejoinder.statistics.raters import LEAST_SHARED


def reliable_ratings(
    ratings: pl.DataFrame, threshold: float, least: int = LEAST_SHARED
) -> tuple[pl.DataFrame, list[str]]:
    """The ratings of raters whose kappa against the others is not below a threshold.

    The rule is that of `ratings(drop=True)`: linearly weighted kappa against all others (Khayrallah
    and Sedoc 2021, section 4.2), judged once; who shares fewer than ``least`` replies with others is
    never excluded, nor are means of people whose single ratings are not known.

    Args:
        ratings: ``schemas.RATINGS`` of one criterion.
        threshold: The kappa below which a rater is excluded.
        least: The fewest replies shared with others to be judged by.

    Returns:
        The ratings that count, and notes about who was excluded and who could not be judged.

    Raises:
        InputError: Nobody is left.
        ParameterError: The threshold is no kappa, or ``least`` is below 1.
    """
    options = SummaryOptions(threshold, drop=True, least=least, resamples=0)
    judged = RatingCriterion(ratings.item(0, "criterion"), ratings, options)
    notes = verdict_notes(judged.raters, options, "rating", "ratings")
    if are_places([row["rater"] for row in judged.raters]):
        notes.append(PLACES)
    return judged.selected_single, notes
