"""What a plan takes for granted, and what it says of clusters."""

from __future__ import annotations

from rejoinder.messages import Argument, between, counted
from rejoinder.planning.extrapolation import PEOPLE, Extrapolation, counts_references, units_of
from rejoinder.planning.forecast import FAR, Targets
from rejoinder.scoring.measurements import FEW_ITEMS
from rejoinder.scoring.scores import Scores
from rejoinder.tables.item_clusters import NONE
from rejoinder.tables.testset import TestSet

ENOUGH_CLUSTERS = 30
"""From so many clusters on the ranges of a plan hold (docs/studies/coverage.md)."""


def assumptions_of(
    wanted: Targets, pilot: Extrapolation, scores: Scores, testset: TestSet | None
) -> list[str]:
    """What every number of the plan rests on."""
    over = "clusters of items" if scores.cluster else "items"
    assumptions = [
        "further items are drawn like the pilot's, further raters are like its raters; beyond "
        f"{FAR} times the pilot (!) figures are rough"
    ]
    if scores.cluster:
        assumptions.append(
            "more items are more clusters, of as many items each as the pilot's have on average"
        )
    if pilot.pairs:
        assumptions.append(
            f"one pair of systems, two-sided paired test over {over} at the {100 * wanted.alpha:g}% "
            "level; for the same among p pairs divide alpha by p"
        )
    if pilot.pairs and {PEOPLE, *pilot.labels} - set(wanted.differences):
        assumptions.append(
            "where no difference is named, power is for the pilot's own, which is too large where "
            "the pair was picked for it"
        )
    shared = set(wanted.differences.values()) if pilot.rated is None else set()
    if len(shared) == 1 and len(wanted.differences) == len(pilot.labels):
        d = shared.pop()
        assumptions.append(
            f"the difference to show, {d:g}, is in each metric's own range: tables that are x100 show "
            f"it as {100 * d:g} points"
        )
    if any(counts_references(scores, label) for label in pilot.labels):
        most = scores.references[1]
        assumptions.append(
            f"more references than the pilot has (up to {most}) cannot be known from it"
            + ("" if testset is not None else "; fewer are told from a test set and responses")
        )
    by = "cluster" if scores.cluster else "context"
    if pilot.rated is not None and pilot.labels:
        assumptions.append(
            f"{pilot.correlation} over single replies, resampled by {by}; with fewer references "
            "or other raters the correlation moves and its spread on Fisher's scale stays"
        )
    return assumptions


def cluster_notes(pilot: Extrapolation) -> list[str]:
    """That spread and forecasts are over clusters, with the design effects; a warning where few."""
    scores = pilot.scores
    if not scores.cluster:
        return []
    known = [units_of(scores.measured[label]) for label in pilot.labels]
    if pilot.rated is not None:
        known.append(pilot.contexts)
    fewest = min(each.number for each in known)
    units = next(each for each in known if each.number == fewest)
    ranges = pilot.design_effects()
    effects = "; ".join(
        f"{subject} {between(least, most)}" for subject, (least, most) in ranges.items()
    )
    words = f"; design effect of the difference: {effects}" if effects else ""
    of_items = Argument("cluster", NONE)
    notes = [
        f"{counted(units.items, 'item')} in {counted(units.number, 'cluster')} of '{scores.cluster}': "
        f"spread, tests and intervals are those of clusters{words}; {of_items} "
        "takes every item as independent"
    ]
    if below := [subject for subject, (least, _) in ranges.items() if round(least, 2) < 1]:
        notes.append(
            f"a design effect below 1 ({', '.join(below)}): the differences of items in one cluster "
            "vary more than those of items in different clusters, so that clusters lower the variance "
            "of the difference; where clusters are few, this is often chance: "
            f"{of_items} shows the plan without it"
        )
    if FEW_ITEMS <= units.number < ENOUGH_CLUSTERS:
        notes.append(
            f"the 95% ranges of a plan from {counted(units.number, 'cluster')} are somewhat too narrow "
            "(simulated with 12 clusters they hold the truth in 90 to 93 of 100 cases)"
        )
    if units.number < FEW_ITEMS:
        notes.insert(
            0,
            f"{counted(units.number, 'cluster')} alone: forecasts from so few are rough; do not rely on "
            "them",
        )
    return notes
