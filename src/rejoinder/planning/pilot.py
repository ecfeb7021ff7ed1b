"""A pilot: what was scored and rated, and the numbers of items and raters that a plan tells of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np

from rejoinder.human_evaluation.grades import Scale
from rejoinder.human_evaluation.rating_criterion import MEAN, are_places
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import counted
from rejoinder.meta_evaluation.evidence import Rated
from rejoinder.planning import variance_components
from rejoinder.planning.units import Units
from rejoinder.scoring.measurements import Measured, Measurements
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.holm import SIGNIFICANT
from rejoinder.statistics.power import fewest
from rejoinder.tables.types import Ratings

PEOPLE = "people"
MEANS, PLACES = "means", "places"
FACTORS = (0.5, 1, 2, 4, 8)
RATERS = (1, 2, 3, 5, 10)
KEPT = 1 << 21  # numbers of a matrix of resamples

Compared: TypeAlias = tuple[Sequence[tuple[str, str]], Sequence[tuple[int, int]], Measurements]
"""Pairs of systems, their places in some scores, and these scores."""


@dataclass(frozen=True)
class Pilot:
    """A pilot, and the numbers of items and raters that a plan tells of.

    Attributes:
        scores: What was measured.
        ratings: People's ratings, of one criterion; None where there are none.
        rated: Those of the replies that were scored; None where there are none.
        pairs: The pairs of systems to compare.
        wanted_items: The numbers of items to tell of; else 1/2, 1, 2, 4 and 8 times the pilot.
        raters: The numbers of raters to tell of; else 1, 2, 3, 5, 10 and the pilot's.
        resamples: Of every bootstrap.
        seed: Of every draw.
        criterion: The criterion of the ratings.
        without: The systems that are left out.
        scale: The worst and the best grade that could be given; None where it is not known.
        notes: What was left out.
        has_texts: Whether the texts are at hand.
        with_fewer: By number of references the pilot measured with so many, several times.
    """

    scores: Scores
    ratings: Ratings | None
    rated: Rated | None
    pairs: Sequence[tuple[str, str]]
    wanted_items: Sequence[int]
    raters: Sequence[int]
    resamples: int
    seed: int
    criterion: str | None = None
    without: Sequence[str] = ()
    scale: Scale | None = None
    notes: Sequence[str] = ()
    has_texts: bool = False
    with_fewer: Mapping[int, Sequence[Pilot]] = field(default_factory=dict)
    _counts: dict[tuple[int, int], list[Floats]] = field(default_factory=dict, repr=False)

    @property
    def items(self) -> int:
        """How many items it has: rated ones, where there are ratings."""
        return self.scores.items.height if self.rated is None else len(self.rated.ids)

    @property
    def sizes(self) -> Sequence[int]:
        """The numbers of items to tell of."""
        by_pilot = {max(1, math.ceil(self.items * factor)) for factor in FACTORS}
        return self.wanted_items or sorted(by_pilot)

    @property
    def labels(self) -> list[str]:
        """The metrics that rank systems."""
        return ranking(self.scores)

    @cached_property
    def raters_are(self) -> str:
        """``MEANS`` where every rating is the mean of several people, ``PLACES`` where raters may be
        places in a list; empty where they are people.
        """
        if self.ratings is None:
            return ""
        names = self.ratings.frame.get_column("rater").unique().to_list()
        return MEANS if names == [MEAN] else PLACES if are_places(names) else ""

    def compared(self, label: str) -> list[Compared]:
        """The pairs with their places in scores of the same items: all together, or each by itself.

        Where systems answered different items, a pair is of the items that both answered.
        """
        if not self.pairs:
            return []
        places = [(self.scores.place(a), self.scores.place(b)) for a, b in self.pairs]
        if self.scores.measured[label].answered is None:
            return [(self.pairs, places, self.scores)]
        return [
            ([pair], [(0, 1)], self.scores.of(label, place))
            for pair, place in zip(self.pairs, places, strict=True)
        ]

    def counts(self, n: int, size: int) -> Iterable[Floats]:
        """Resamples of ``size`` of n items, the same for all that have n; kept where they are few."""
        if n * self.resamples > KEPT:
            return variance_components.multiplicities_of(n, size, self.resamples, self.seed)
        if (n, size) not in self._counts:
            counts = variance_components.multiplicities_of(n, size, self.resamples, self.seed)
            self._counts[n, size] = list(counts)
        return self._counts[n, size]

    @property
    def contexts(self) -> Units:
        """The rated contexts, and the clusters of them."""
        assert self.rated is not None
        contexts, clusters = np.unique(self.rated.item).size, None
        if self.rated.cluster is not None:
            clusters = int(np.unique(self.rated.group).size)
        return Units(int(contexts), clusters)

    @cached_property
    def noise(self) -> variance_components.Noise:
        """How reliable the pilot's mean ratings are."""
        assert self.rated is not None
        return variance_components.reliability(self.rated.matrix)

    @property
    def pilot_raters(self) -> int | None:
        """The raters of a reply in the pilot, rounded; None without ratings."""
        return None if self.rated is None else whole(self.noise.raters)

    @property
    def grades(self) -> Sequence[int]:
        """The numbers of raters to tell of."""
        return self.raters or sorted({*RATERS, whole(self.noise.raters)})

    @cached_property
    def people(self) -> dict[tuple[str, str], variance_components.People]:
        """By pair people's difference, where both systems have ratings of an item in common."""
        if self.rated is None:
            return {}
        read = {pair: self._people(*pair) for pair in self.pairs}
        return {pair: each for pair, each in read.items() if each is not None}

    def _people(self, a: str, b: str) -> variance_components.People | None:
        assert self.rated is not None
        if not {a, b} <= {*self.rated.systems}:
            return None
        one, other = map(self.rated.ratings_of, (a, b))
        return variance_components.people(one, other, self.rated.cluster)


def ranking(scores: Scores) -> list[str]:
    """The metrics that rank systems."""
    return [label for label, each in scores.measured.items() if each.metric.ranks]


def named(scores: Scores, without: Sequence[str]) -> list[str]:
    """The systems that are not left out."""
    return [name for name in scores.names if name not in without]


def units_of(measured: Measured) -> Units:
    """The items that a metric scored, and the clusters of them."""
    return Units(measured.height, None if measured.clusters is None else measured.size)


def few(pilot: Units, alpha: float = SIGNIFICANT) -> str:
    """Why so few items or clusters tell nothing."""
    what = counted(pilot.number, pilot.noun) + (" says" if pilot.number == 1 else " say")
    return f"{what} too little of others: a pilot needs {fewest(alpha)} or more"


def counts_references(scores: Scores, label: str) -> bool:
    """Whether a metric looks at more than one reference of an item."""
    metric = scores.measured[label].metric
    return "references" in metric.needs and getattr(metric, "references", "all") != "single"


def whole(raters: float) -> int:
    """So many raters, rounded."""
    return max(1, round(raters))
