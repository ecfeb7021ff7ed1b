"""Shapes of studies with people and judges: how raters, clusters, differences and judges may lie.

Each shape is a row of `SHAPES`, each of the six pairs of shapes that the page of coverage names a row of
`PAIRS`. `Shape.draw` draws one study as plain arrays; `Shape.truth` says what its intervals must hold.

>>> study = SHAPES["severity"].draw(np.random.default_rng(0), rated=20, items=500)
>>> study.ratings.shape, study.marks.shape, study.cluster.shape
((2, 500, 3), (1, 2, 500), (500,))
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rejoinder.kernels.arrays import Floats, Indices

NORMAL = NormalDist()

RATED, ITEMS = (10, 20, 40), (500, 5000)
"""How many items (or clusters) are rated, of how many items."""

LEVEL_OFFSET, SLOPE, BIAS, ERROR = 0.3, 0.8, 0.6, 0.75
"""A linear judge marks ``0.3 + 0.8 (quality + error)``; a biased one adds 0.6 to system 0's quality.

The error's standard deviation is 0.75 times that of the quality of the system whose replies vary most.
"""

OVERLOOKED = 0.04
"""In so many of its items an agreeing judge marks system 0 better than people rate it."""

ALIKE = 0.5
"""The share of the variance that items of one cluster have in common."""


class Study(NamedTuple):
    """One study of S systems, n items, R raters and J judges.

    Args:
        ratings: float64 [S, n, R], NaN where a rater did not rate a reply.
        marks: float64 [J, S, n], of all items.
        cluster: int64 [n], the cluster of each item, numbered from 0.
        clustered: Whether clusters are more than the items themselves.
        here: float64 [S], what these raters would give each system on average of very many items.
        alike: float64 [S], the same where each rater had as large a share of every system.
        narrower: By how much the noise of these raters' single ratings is less than that of others: a
            rater whose grades go up oftener than down has fewer of both.
    """

    ratings: Floats
    marks: Floats
    cluster: Indices
    clustered: bool
    here: Floats
    alike: Floats
    narrower: float

    @property
    def rated(self) -> NDArray[np.bool_]:
        """Which items are rated: bool [n]."""
        return np.logical_or.reduce(np.isfinite(self.ratings), axis=(0, 2))


class Truth(NamedTuple):
    """What is true of very many items and very many raters.

    Args:
        means: float64 [S], the mean rating of each system.
        marks: float64 [S], the mean mark of each.
        slope: The marks' units for one of the ratings', within systems; NaN where there is no line.
        reliability: Of the mean rating of a reply, where all raters rate it; NaN where they do not.
        correlation: Of marks and quality, within systems; NaN where there is no line.
    """

    means: Floats
    marks: Floats
    slope: float
    reliability: float
    correlation: float

    @property
    def difference(self) -> float:
        """Of people's mean ratings of the systems 0 and 1."""
        return float(self.means[0] - self.means[1])

    @property
    def judged(self) -> float:
        """The same of the judge's marks."""
        return float(self.marks[0] - self.marks[1])

    @property
    def error(self) -> float:
        """The judge's difference less people's."""
        return self.judged - self.difference

    @property
    def severity(self) -> float:
        """The mean mark less the mean rating."""
        return float(self.marks.mean() - self.means.mean())

    @property
    def errors(self) -> Floats:
        """By system the judge's error in units of the ratings, 0 on average: float64 [S]."""
        return (self.marks - self.marks.mean()) / self.slope - (self.means - self.means.mean())


# -- the qualities of replies: what very many raters would say of each


class Differences(NamedTuple):
    """How replies differ.

    Args:
        quality: From an item's normal deviate [n] and those of its replies [S, n] to float64 [S, n].
        first: The mean of system 0.
        other: That of every other system.
        variances: The variance of quality of a system's replies: of system 0, of another.
        noise: How single ratings lie about quality: `normal`, `steps` or `flips`.
        spread: The standard deviation of `normal`; the probability of a step up, and down; of a flip.
        apart: The difference of the systems 0 and 1 as a function of one normal deviate, where it is.
        scale: The ends of the scale, where the study names it: ordinary replies of failing systems have 0.
    """

    quality: Callable[[Floats, Floats], Floats]
    first: float
    other: float
    variances: tuple[float, float]
    noise: str
    spread: float
    apart: Callable[[Floats], Floats] | None = None
    scale: tuple[float, float] | None = None

    def of(self, first: float, other: float, systems: int) -> Floats:
        """A number of system 0 and one of each other system: float64 [S]."""
        return np.where(np.arange(systems) == 0, first, other)


def _normal(item: Floats, reply: Floats) -> Floats:
    q = 0.5 * item + 0.8 * reply
    q[0] += 0.4
    return q


def _failing(share: float) -> Differences:
    """System 0 equals the others but fails badly, by 3, in a share of its replies."""
    limit = NORMAL.inv_cdf(share)

    def quality(item: Floats, reply: Floats) -> Floats:
        q = 0.5 * item + 0.2 * reply
        q[0] -= 3.0 * (reply[0] < limit)
        return q

    own = 0.25 + 0.04
    first = own + 9 * share * (1 - share) + 2 * 0.2 * 3.0 * NORMAL.pdf(limit)
    return Differences(quality, -3.0 * share, 0.0, (first, own), "normal", 0.2, scale=(-3.0, 1.0))


CENTRE = 1.5
"""The lognormal differences are ``exp(z) - 1.5``."""


def _lognormal(item: Floats, reply: Floats) -> Floats:
    q: Floats = np.tile(0.5 * item, (len(reply), 1))
    q[0] += np.exp(reply[0]) - CENTRE
    return q


UP, DOWN, THIRD = 0.15, 0.05, NORMAL.inv_cdf(0.75)


def _tied(item: Floats, reply: Floats) -> Floats:
    """Grades 3 to 5; those of system 0 are the others' but in one of five items."""
    base = 4.0 + (item > THIRD) - (item < -THIRD)
    q = np.tile(base.astype(np.float64), (len(reply), 1))
    q[0] += (reply[0] > -NORMAL.inv_cdf(UP)) * 1.0 - (reply[0] < NORMAL.inv_cdf(DOWN))
    return q


FLIP, PASSED, OTHERS_PASSED = 0.05, 0.8, 0.7


def _passed(item: Floats, reply: Floats) -> Floats:
    """The probability of a pass: 0.95 where a reply is good, 0.05 where it is not."""
    need = np.full((len(reply), 1), NORMAL.inv_cdf(1 - OTHERS_PASSED))
    need[0] = NORMAL.inv_cdf(1 - PASSED)
    good = (math.sqrt(0.5) * (item + reply) > need).astype(np.float64)
    return FLIP + (1 - 2 * FLIP) * good


def _of_rate(p: float) -> tuple[float, float]:
    """Mean and variance of the probability of a pass, where a share p is good."""
    return FLIP + (1 - 2 * FLIP) * p, (1 - 2 * FLIP) ** 2 * p * (1 - p)


DIFFERENCES: dict[str, Differences] = {
    "normal": Differences(
        _normal, 0.4, 0.0, (0.89, 0.89), "normal", 0.7,
        lambda z: 0.4 + 0.8 * math.sqrt(2) * z,
    ),
    "failures in 1 of 20": _failing(0.05),
    "failures in 1 of 10": _failing(0.10),
    "lognormal": Differences(
        _lognormal, math.exp(0.5) - CENTRE, 0.0, (0.25 + math.exp(2) - math.e, 0.25), "normal", 0.2,
        lambda z: np.exp(z) - CENTRE,
    ),
    "ties": Differences(
        _tied, 4.0 + UP - DOWN, 4.0, (0.5 + UP + DOWN - (UP - DOWN) ** 2, 0.5), "steps", 0.05,
        scale=(1.0, 5.0),
    ),
    "pass/fail": Differences(
        _passed, _of_rate(PASSED)[0], _of_rate(OTHERS_PASSED)[0],
        (_of_rate(PASSED)[1], _of_rate(OTHERS_PASSED)[1]), "flips", FLIP,
        scale=(0.0, 1.0),
    ),
}  # fmt: skip
"""How replies differ, by name."""


# -- raters


class Raters(NamedTuple):
    """Who rates what.

    Args:
        number: How many there are; of `tied` ones those of a system.
        rates: `all` (everybody every rated reply), `tied` (each system has raters of its own),
            `dominant` (each item one rater, the first in 80 of 100), or `uneven` (the first every reply, the
            others the shares `UNEVEN` of the first system's and of the others').
        severities: Constant differences [R]; None: none.
        severity: The standard deviation of further severities, drawn anew in each study.
        lean: That of how far a rater favours each system, drawn anew in each study.
    """

    number: int
    rates: str = "all"
    severities: tuple[float, ...] | None = None
    severity: float = 0.0
    lean: float = 0.0

    def columns(self, systems: int) -> int:
        """How many raters there are in all."""
        return self.number * systems if self.rates == "tied" else self.number


RATERS: dict[str, Raters] = {
    "one": Raters(1),
    "alike": Raters(3),
    "severity": Raters(3, severities=(-1.0, 0.0, 1.0)),
    "tied, 1 a system": Raters(1, "tied", severity=1.0),
    "tied, 2 a system": Raters(2, "tied", severity=1.0),
    "tied, 5 a system": Raters(5, "tied", severity=1.0),
    "dominant": Raters(4, "dominant", severity=0.5, lean=0.4),
    "uneven": Raters(4, "uneven", severity=1.0),
    "few, 2": Raters(2, lean=0.3),
    "few, 3": Raters(3, lean=0.3),
}
"""Raters, by name: `one` is one rater, or the mean of people who are not named."""

DOMINANT = 0.8
UNEVEN = (1.0, 0.35, 0.2, 0.1), (1.0, 0.05, 0.2, 0.1)


# -- clusters


def _equal(clusters: int) -> Indices:
    return np.full(clusters, 5)


def _half(clusters: int) -> Indices:
    return np.append(np.full(clusters - 1, 2), 2 * (clusters - 1))


def _geometric(clusters: int) -> Indices:
    return np.rint(np.geomspace(1, 20, clusters)).astype(np.int64)


CLUSTERS: dict[str, Callable[[int], Indices] | None] = {
    "none": None,
    "equal": _equal,
    "one half": _half,
    "geometric": _geometric,
}
"""The sizes of so many clusters, by name: 5 each; 2 each and one with half of the items; 1 to 20."""


def rated_items(clusters: str, rated: int) -> int:
    """How many items are rated, where so many clusters are (items, where there are none)."""
    sizes = CLUSTERS[clusters]
    return rated if sizes is None else int(sizes(rated).sum())


def _clusters(name: str, rated: int, items: int) -> tuple[Indices, int]:
    """The cluster of each item, those of the rated clusters first, and how many items these have."""
    sizes = CLUSTERS[name]
    if sizes is None:
        return np.arange(items), rated
    of_rated = sizes(rated)
    left = items - int(of_rated.sum())
    if name == "one half":
        rest = np.append(np.full(left // 4, 2), left - left // 4 * 2)
    else:
        block = sizes(20)
        rest = np.tile(block, left // int(block.sum()) + 1)
        rest = rest[: int(np.searchsorted(np.cumsum(rest), left)) + 1]
    code = np.repeat(np.arange(rated + rest.size), np.concatenate([of_rated, rest]))
    return code[:items], int(of_rated.sum())


# -- judges

TAIL = 1.5

NONLINEAR: dict[str, Callable[[Floats], Floats]] = {
    "exponential": np.exp,
    "absolute": np.abs,
    "both tails": lambda d: (np.abs(d) > TAIL).astype(np.float64),
}
"""What a judge makes of people's difference, by name."""

JUDGES = ("linear", "biased", "agreeing", *NONLINEAR)


@dataclass(frozen=True)
class Shape:
    """A shape, or a pair of shapes.

    Args:
        differences: A name of `DIFFERENCES`.
        clusters: A name of `CLUSTERS`: whole clusters are rated then.
        raters: A name of `RATERS`.
        judge: A name of `JUDGES`.
    """

    differences: str = "normal"
    clusters: str = "none"
    raters: str = "one"
    judge: str = "linear"

    def truth(self, systems: int = 2) -> Truth:
        """What is true of so many systems."""
        kind = DIFFERENCES[self.differences]
        means = kind.of(kind.first, kind.other, systems)
        reliability = self.reliability(0.0, systems)
        variance = float(kind.of(*kind.variances, systems).mean())
        if self.judge in ("linear", "biased"):
            bias = BIAS * (self.judge == "biased") * (np.arange(systems) == 0)
            correlation = math.sqrt(variance / (variance + ERROR**2 * max(kind.variances)))
            marks = LEVEL_OFFSET + SLOPE * (means + bias)
            return Truth(means, marks, SLOPE, reliability, correlation)
        marks = means.copy()
        if self.judge == "agreeing":
            marks[0] += OVERLOOKED
        else:
            assert kind.apart is not None
            z = np.linspace(-12, 12, 240_001)
            values = NONLINEAR[self.judge](kind.apart(z)) * np.exp(-z * z / 2)
            marks[:] = 0.0
            marks[0] = float(values.sum()) * 1e-4 / math.sqrt(2 * math.pi)
        return Truth(means, marks, math.nan, reliability, math.nan)

    def reliability(self, narrower: float, systems: int) -> float:
        """`Truth.reliability` of so many systems, the noise of single ratings less by so much."""
        kind, raters = DIFFERENCES[self.differences], RATERS[self.raters]
        if raters.rates != "all":
            return math.nan
        variance = float(kind.of(*kind.variances, systems).mean())
        noise = {"normal": kind.spread**2, "steps": 2 * kind.spread, "flips": FLIP * (1 - FLIP)}
        return variance / (variance + (noise[kind.noise] - narrower) / raters.number)

    def panel(self, judges: int, here: Floats) -> float:
        """How many independent judges so many linear ones are worth, beside raters with these means [S].

        That raters favour a system is an error that all judges make.
        """
        shared = float((here - self.truth(here.size).means).var())
        own = ERROR**2 * max(DIFFERENCES[self.differences].variances)
        return (own + shared) / (own / judges + shared)

    def draw(
        self, rng: np.random.Generator, rated: int, items: int, systems: int = 2, judges: int = 1
    ) -> Study:
        """One study.

        Args:
            rng: Where the randomness comes from.
            rated: How many items are rated; how many clusters, where there are any.
            items: How many items have marks.
            systems: S.
            judges: J, with the same line and errors of their own.
        """
        kind = DIFFERENCES[self.differences]
        cluster, known = _clusters(self.clusters, rated, items)
        deviates = rng.normal(size=(systems + 1, items))
        if self.clusters != "none":
            own, shared = math.sqrt(1 - ALIKE), math.sqrt(ALIKE)
            alike = rng.normal(size=(systems + 1, int(cluster[-1]) + 1))
            deviates = own * deviates + shared * alike[:, cluster]
        quality = kind.quality(deviates[0], deviates[1:])
        ratings = np.full((systems, items, RATERS[self.raters].columns(systems)), np.nan)
        people = items if self.judge == "agreeing" else known
        rows, here, alike, narrower = self._rated(rng, quality[:, :people])
        ratings[:, :known] = rows[:, :known]
        if self.judge == "agreeing":
            marks = np.stack([_agreeing(rng, rows[..., 0], kind) for _ in range(judges)])
        else:
            marks = np.stack([self._marks(rng, quality, kind) for _ in range(judges)])
        return Study(ratings, marks, cluster, self.clusters != "none", here, alike, narrower)

    def _rated(
        self, rng: np.random.Generator, quality: Floats
    ) -> tuple[Floats, Floats, Floats, float]:
        """Ratings of some replies [S, m, R], then `here`, `alike` and `narrower` of a study."""
        kind, raters = DIFFERENCES[self.differences], RATERS[self.raters]
        systems, number = len(quality), raters.columns(len(quality))
        effect = np.zeros((systems, number))
        if raters.severities is not None:
            effect += np.array(raters.severities)
        if raters.severity:
            effect += raters.severity * rng.normal(size=number)
        if raters.lean:
            effect += raters.lean * rng.normal(size=effect.shape)
        rows, shift = _opinions(rng, quality, effect, kind)
        share = np.full(number, 1 / number)
        if raters.rates == "tied":
            of_system = np.arange(number) // raters.number == np.arange(systems)[:, None]
            rows = np.where(of_system[:, None], rows, np.nan)
            share = of_system / raters.number
        elif raters.rates == "dominant":
            share = np.append(DOMINANT, np.full(number - 1, (1 - DOMINANT) / (number - 1)))
            who = rng.choice(number, quality.shape[1], p=share)
            rows = np.where(who[:, None] == np.arange(number), rows, np.nan)
        elif raters.rates == "uneven":
            rates = np.array([UNEVEN[min(s, 1)] for s in range(systems)])
            rows = np.where(rng.random(rows.shape) < rates[:, None], rows, np.nan)
            share = np.array([_shares(each) for each in rates])
        means = kind.of(kind.first, kind.other, systems)
        narrower = 0.0 if kind.noise == "normal" else float((shift**2).mean())
        here = means + (share * shift).sum(axis=1)
        if raters.rates == "uneven":  # severity is the same for every system
            return rows, here, means + (here - means).mean(), narrower
        return rows, here, here, narrower

    def _marks(self, rng: np.random.Generator, quality: Floats, kind: Differences) -> Floats:
        """The marks of a judge that sees quality: float64 [S, n]."""
        if self.judge in NONLINEAR:
            marks = np.zeros(quality.shape)
            marks[0] = NONLINEAR[self.judge](quality[0] - quality[1])
            return marks + 0.1 * rng.normal(size=quality.shape)
        seen = quality + ERROR * math.sqrt(max(kind.variances)) * rng.normal(size=quality.shape)
        if self.judge == "biased":
            seen[0] += BIAS
        return LEVEL_OFFSET + SLOPE * seen


def _shares(rates: Floats) -> Floats:
    """The expected share of each rater in the mean of a reply that each rates with a probability: [R]."""
    patterns = np.array(list(product((0, 1), repeat=rates.size)))
    chance = np.where(patterns, rates, 1 - rates).prod(axis=1)
    return chance @ (patterns / np.maximum(1, patterns.sum(axis=1, keepdims=True)))


def _opinions(
    rng: np.random.Generator, quality: Floats, effect: Floats, kind: Differences
) -> tuple[Floats, Floats]:
    """What each rater says of each reply [S, m, R], and what the rater adds on average [S, R].

    Args:
        rng: Where the randomness comes from.
        quality: float64 [S, m].
        effect: float64 [S, R], severity and leaning; clipped where ratings are grades or pass and fail.
        kind: How single ratings lie about quality.
    """
    shape = (*quality.shape, effect.shape[1])
    level = quality[..., None]
    if kind.noise == "normal":
        return level + effect[:, None] + kind.spread * rng.normal(size=shape), effect
    effect = np.clip(effect, -kind.spread, kind.spread)
    u, more = rng.random(shape), effect[:, None]
    if kind.noise == "flips":
        return (u < level + more).astype(np.float64), effect
    step = (u < kind.spread + more).astype(np.float64) - (u > 1 - kind.spread + more)
    return level + step, 2 * effect


def _agreeing(rng: np.random.Generator, said: Floats, kind: Differences) -> Floats:
    """The marks of a judge that says what people say, but overlooks some of what system 0 did badly."""
    marks = said.copy()
    if kind.noise == "flips":
        failed = 1 - kind.first
        marks[0][(said[0] == 0) & (rng.random(said.shape[1]) < OVERLOOKED / failed)] = 1.0
    else:
        marks[0] += rng.random(said.shape[1]) < OVERLOOKED
    return marks


SHAPES: dict[str, Shape] = {
    "plain": Shape(),
    "alike": Shape(raters="alike"),
    **{name: Shape(raters=name) for name in RATERS if name not in ("one", "alike")},
    **{f"clusters: {name}": Shape(clusters=name) for name in CLUSTERS if name != "none"},
    **{name: Shape(name) for name in DIFFERENCES if name != "normal"},
    "biased judge": Shape(judge="biased"),
    "agreeing judge, pass/fail": Shape("pass/fail", judge="agreeing"),
    "agreeing judge, ties": Shape("ties", judge="agreeing"),
    **{f"{name} judge": Shape(judge=name) for name in NONLINEAR},
}
"""Each shape by itself."""

PAIRS: dict[str, Shape] = {
    "severity x biased judge": Shape(raters="severity", judge="biased"),
    "tied raters x biased judge": Shape(raters="tied, 2 a system", judge="biased"),
    "geometric clusters x rare failures": Shape("failures in 1 of 10", "geometric"),
    "one half cluster x pass/fail": Shape("pass/fail", "one half"),
    "few raters x ties": Shape("ties", raters="few, 3"),
    "nonlinear judge x lognormal": Shape("lognormal", judge="absolute"),
}
"""The six pairs of shapes."""
