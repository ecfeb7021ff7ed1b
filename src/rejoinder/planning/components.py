"""What a pilot shows of its raters: the columns of the variance components, and notes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from rejoinder.human_evaluation.different_raters import SEVERE, listed_pairs
from rejoinder.planning.criterion import Answer, PlanningCriterion, Schema
from rejoinder.planning.pilot import MEANS, PLACES, Pilot
from rejoinder.planning.variance_components import People
from rejoinder.statistics.conventions import NOISE
from rejoinder.statistics.holm import SIGNIFICANT
from rejoinder.statistics.power import fewest

PANEL = 0.5
"""From this share of raters in common, two items are taken to be rated by one panel."""


@dataclass(frozen=True)
class Components(PlanningCriterion):
    """The variance components of people's difference: which part is of items, and which of raters.

    Attributes:
        alpha: The level of the test; of so few items that none can have a p below it nothing is said.
    """

    alpha: float = SIGNIFICANT

    tables: ClassVar[Mapping[str, Schema]] = {
        "components": {
            "a": pl.String, "b": pl.String, "n": pl.Int64, "raters_per_reply": pl.Float64,
            "items": pl.Float64, "raters": pl.Float64, "rest": pl.Float64, "shared": pl.Float64,
            "panel": pl.Int64, "floor": pl.Float64,
        }
    }  # fmt: skip

    def answer(self, pilot: Pilot) -> Answer:
        """A row for each pair of which enough items are rated."""
        known = {
            pair: each for pair, each in pilot.people.items() if each.units >= fewest(self.alpha)
        }
        rows = [
            {
                "a": a,
                "b": b,
                "n": ratings.n,
                "raters_per_reply": ratings.raters,
                **ratings.parts(),
                "shared": ratings.shared,
                "panel": ratings.panel,
                "floor": ratings.floor,
            }
            for (a, b), ratings in known.items()
        ]
        return Answer({"components": rows}, rater_notes(known, pilot.raters_are))


def rater_notes(known: Mapping[tuple[str, str], People], raters_are: str) -> list[str]:
    """What the forecasts for people assume of raters, each once for all pairs."""
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
        whole = all(each.shared > 1 - NOISE for each in panels.values())
        words = "the same raters throughout" if whole else "mostly the same raters"
        words += ", so all holds for these raters"
        floor = max((x.floor for x in panels.values() if not math.isnan(x.floor)), default=math.nan)
        if math.isnan(floor):
            words += "; how far others would differ cannot be seen"
        elif floor > NOISE:
            words += (
                f"; the mean of other raters may differ by up to {floor:.2g} in either direction, however "
                "many items are rated"
            )
        notes.append(f"people, {listed_pairs(list(panels))}: {words}")
    return notes
