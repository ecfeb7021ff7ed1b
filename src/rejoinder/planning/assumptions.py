"""What a plan takes for granted, and what it says of clusters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rejoinder.errors import one_of
from rejoinder.messages import Argument, Call, between, counted
from rejoinder.planning.criterion import FAR, PlanningCriterion
from rejoinder.planning.pilot import PEOPLE, Pilot, named, units_of
from rejoinder.scoring.clusters import difference_design_effects
from rejoinder.scoring.measurements import FEW_ITEMS
from rejoinder.statistics.conventions import NO_SPREAD
from rejoinder.tables.item_clusters import NONE
from rejoinder.tables.schemas import PROBABILITY

ENOUGH_CLUSTERS = 30
"""From so many clusters on the ranges of a plan hold (docs/studies/coverage.md)."""


def assumptions_of(pilot: Pilot, criteria: Sequence[PlanningCriterion]) -> tuple[str, ...]:
    """What every number of the plan rests on."""
    assumptions = [
        "further items are drawn like the pilot's, further raters are like its raters; beyond "
        f"{FAR} times the pilot (!) figures are rough"
    ]
    if pilot.scores.cluster:
        assumptions.append(
            "more items are more clusters, of as many items each as the pilot's have on average"
        )
    return (*assumptions, *(each for one in criteria for each in one.assumptions(pilot)))


def pilot_notes(pilot: Pilot) -> list[str]:
    """What is not weighed, and which metrics and systems there is nothing to say of."""
    notes = []
    if pilot.ratings is not None and PROBABILITY in pilot.ratings.frame.columns:
        shares = pilot.ratings.frame.get_column(PROBABILITY).drop_nulls().to_numpy()
        if shares.size and np.ptp(shares) > NO_SPREAD:
            notes.append(
                f"items were drawn for rating with different probabilities ('{PROBABILITY}'); the plan "
                "takes them as drawn alike, so its differences, spreads and correlations are those of "
                f"the rated items; '{Call('rejoinder.compare_with_people')}' weighs them"
            )
    described = [label for label in pilot.scores.measured if label not in pilot.labels]
    if described:
        does = "it describes" if len(described) == 1 else "they describe"
        ranks = "does not" if len(described) == 1 else "do not"
        notes.append(f"{', '.join(described)} left out: {does} replies and {ranks} rank systems")
    if not pilot.pairs:
        names = one_of(named(pilot.scores, pilot.without))
        notes.append(f"one system alone, {names}: there is no other to compare it with")
    return notes


def cluster_notes(pilot: Pilot) -> list[str]:
    """That spread and forecasts are over clusters, with the design effects; a warning where few."""
    scores = pilot.scores
    if not scores.cluster:
        return []
    known = [units_of(scores.measured[label]) for label in pilot.labels]
    if pilot.rated is not None:
        known.append(pilot.contexts)
    fewest = min(each.number for each in known)
    units = next(each for each in known if each.number == fewest)
    ranges = design_effects(pilot)
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


def design_effects(pilot: Pilot) -> dict[str, tuple[float, float]]:
    """By subject by how much clusters multiply a difference's variance: least and most of all pairs.

    The squared ratio of the jackknife's standard errors, by cluster and by item; of people that
    of the linearised ones. What does not vary is left out.
    """
    if not pilot.scores.cluster or not pilot.pairs:
        return {}
    by_people = [each.design_effect for each in pilot.people.values()]
    effects = {PEOPLE: np.array(by_people)} if pilot.rated is not None else {}
    for label in pilot.labels:
        parts = [
            difference_design_effects(scores, label, places)
            for _, places, scores in pilot.compared(label)
        ]
        effects[label] = np.concatenate(parts)
    shown = {subject: each[np.isfinite(each)] for subject, each in effects.items()}
    return {
        subject: (float(each.min()), float(each.max()))
        for subject, each in shown.items()
        if each.size
    }
