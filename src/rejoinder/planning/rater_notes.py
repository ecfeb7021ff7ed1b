"""What a pilot shows of its raters: the columns of the variance components, and notes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from rejoinder.human_evaluation.different_raters import SEVERE, listed_pairs
from rejoinder.messages import Call
from rejoinder.planning.variance_components import People
from rejoinder.statistics.conventions import NO_SPREAD, NOISE
from rejoinder.tables.schemas import PROBABILITY

MEANS, PLACES = "means", "places"
PANEL = 0.5
"""From this share of raters in common, two items are taken to be rated by one panel."""


def component_columns(a: str, b: str, ratings: People) -> dict[str, Any]:
    """The row of a plan's variance components of one pair."""
    return {
        "a": a,
        "b": b,
        "n": ratings.n,
        "raters_per_reply": ratings.raters,
        **ratings.parts(),
        "shared": ratings.shared,
        "panel": ratings.panel,
        "floor": ratings.floor,
    }


def drawn_notes(ratings: pl.DataFrame) -> list[str]:
    """A note where items were drawn for rating with different probabilities, which a plan does not weigh.

    Args:
        ratings: The ratings of the criterion, with the column ``probability`` if it holds anything.
    """
    if PROBABILITY not in ratings.columns:
        return []
    shares = ratings.get_column(PROBABILITY).drop_nulls().to_numpy()
    if not shares.size or np.ptp(shares) <= NO_SPREAD:
        return []
    return [
        f"items were drawn for rating with different probabilities ('{PROBABILITY}'); the plan takes them "
        "as drawn alike, so its differences, spreads and correlations are those of the rated items; "
        f"'{Call('rejoinder.compare_with_people')}' weighs them"
    ]


def rater_notes(known: Mapping[tuple[str, str], People], raters_are: str) -> list[str]:
    """What the forecasts for people take for granted of raters, each once for all pairs."""
    notes = []
    single = [pair for pair, each in known.items() if not each.shows_raters]
    if single:
        why = (
            "the ratings are means of several people"
            if raters_are == MEANS
            else "each reply has one rating"
        )
        notes.append(
            f"people, {listed_pairs(single)}: {why}, so what raters add to the spread cannot be seen: other "
            "numbers of raters cannot be planned"
        )
    apart = [pair for pair, each in known.items() if each.shows_raters and each.confounded]
    if apart:
        notes.append(f"people, {listed_pairs(apart)}: no rater rates both on one item; {SEVERE}")
    panels = {pair: each for pair, each in known.items() if each.shared >= PANEL}
    if panels and raters_are == PLACES:
        notes.append(
            f"people, {listed_pairs(list(panels))}: the raters are called 1, 2, ...: if these are places in "
            "a list, and other people from item to item, the variance between raters is not that of "
            "people; if they are the same people throughout, the figures hold for these raters alone"
        )
    elif panels and raters_are != MEANS:
        words = "the same raters throughout, so all holds for these raters"
        floor = max((x.floor for x in panels.values() if not math.isnan(x.floor)), default=math.nan)
        if math.isnan(floor):
            words += "; how far others would differ cannot be seen"
        elif floor > NOISE:
            words += f"; others may differ by up to {floor:.2g} either way, whatever the items"
        notes.append(f"people, {listed_pairs(list(panels))}: {words}")
    return notes
