"""Several systems by a design: what it takes to find the best, or all ranks, where ratings stop by system."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.planning.design import FEWEST_CORRECTED, Goal, RatingDesign, Spread, designs_for
from rejoinder.statistics.group_sequential import (
    CONDITIONAL,
    FUTILE_FROM,
    reach_of_pairs,
    wider_for_all,
)
from rejoinder.statistics.sequential_design import FOR_PAIRS, wider_for_systems
from simulations.many_courses import Flags, bounds, in_z
from simulations.monitored import R28, R60, RHO, Reliability
from simulations.study import LEVEL, Row, SimulationStudy

DRAWS = 2000
"""So many draws give the constant of each set of open pairs."""

CHUNK = 100

POOL = 5
"""The judge scored so many times the items of three raters without looks."""

TEXT = f"""
Several systems, rated side by side by one rater an item, with looks every 10 items by a design
(`plan --design --systems K --goal best`, or `ranks`), with a judge of correlation {RHO:g} that scored {POOL}
times as many items as three raters would rate. One look is at all systems: pairs that are decided lower the
boundaries of the others, and a system whose pairs have ended, or with `best` one that is worse than another,
gets no more ratings. Equal: one system is better than all others by the planned difference, and these are
equal; spaced: each is better than the next by it; none: all are equal. Shares are of the replies that three
raters an item without looks rate, with the same power of each pair and Tukey's range; what these find is the
aim. Boundaries are interpolated in the information between those of the planned variance, and the judge's
slope is that of all rated items.
"""


class Field(NamedTuple):
    """Systems that are compared.

    Args:
        name: How they differ.
        systems: How many.
        goal: What is sought.
        reliability: How noisy raters are.
    """

    name: str
    systems: int
    goal: Goal
    reliability: Reliability

    @property
    def means(self) -> Floats:
        """By system in units of the planned difference; the first is the best."""
        places = np.arange(self.systems)
        return {"equal": 1.0 * (places == 0), "spaced": -1.0 * places, "none": 0.0 * places}[
            self.name
        ]

    @property
    def design(self) -> RatingDesign:
        """For the effect that 100 items by three raters show of one pair."""
        spread, effect = Spread(1.0, self.reliability.noise), self.reliability.effect
        fixed = designs_for(effect, spread, systems=self.systems, goal=self.goal).design.fixed
        judged = spread._replace(rho=RHO, pool=POOL * fixed // 3)
        return designs_for(effect, judged, systems=self.systems, goal=self.goal).design


SHAPES: tuple[tuple[str, int, Goal], ...] = (
    ("equal", 5, "best"), ("equal", 10, "best"), ("spaced", 5, "best"), ("spaced", 10, "best"),
    ("spaced", 5, "ranks"), ("spaced", 10, "ranks"), ("none", 5, "ranks"), ("none", 5, "best"),
)  # fmt: skip
FIELDS = [Field(*shape, reliability=reliability) for reliability in (R60, R28) for shape in SHAPES]


class Ended(NamedTuple):
    """How studies ended.

    Args:
        replies: Replies rated, of one study on average.
        found: How many found every other system worse than another, and not the best, or every pair's order.
        wrong: How many decided a pair wrongly, or one of equals.
    """

    replies: float
    found: int
    wrong: int


def ended(field: Field, runs: int, rng: np.random.Generator) -> Ended:
    """Many studies of a field."""
    design, means = field.design, field.means * field.reliability.effect
    pairs = list(itertools.combinations(range(field.systems), 2))
    one, other = np.array(pairs).T
    looks = np.array(design.looks)
    times = looks / design.most
    total = np.array([[2 * float(1 - _phi(-ndtri(0.023) / math.sqrt(t))) for t in times]])
    nominal = bounds(times, total, np.array([looks.size - 1]))[0]
    finite = np.isfinite(nominal)
    draws = np.random.default_rng(FOR_PAIRS)
    constants = _Constants(reach_of_pairs(nominal[finite], times[finite], pairs, draws, DRAWS))
    pool, noise = POOL * design.fixed // 3, math.sqrt(field.reliability.noise / 2)
    replies, found, wrong = 0, 0, 0
    for size in [min(CHUNK, runs - each) for each in range(0, runs, CHUNK)]:
        true = math.sqrt(0.5) * rng.standard_normal((size, field.systems, pool))
        judge = RHO * true + math.sqrt((1 - RHO**2) / 2) * rng.standard_normal(true.shape)
        values = true[:, :, : design.most] + means[:, None]
        values += noise * rng.standard_normal(values.shape)
        z, error = _corrected(
            values[:, one] - values[:, other], judge[:, one] - judge[:, other], looks
        )
        fraction = np.minimum(1 / error**2 / design.information, 1.0)
        fraction[:, :, -1] = 1.0
        boundary = np.interp(fraction, times, np.where(finite, nominal, 99.0))
        futile = np.abs(z) < _given_up(fraction, design)
        for run in range(size):
            rated, better = _one(
                z[run],
                boundary[run],
                futile[run],
                fraction[run] >= 1,
                looks,
                field,
                pairs,
                constants,
            )
            replies += rated
            true = np.sign(means[one] - means[other])
            wrong += bool(((better != 0) & (better != true)).any())
            if field.goal == "best":
                found += bool((_worse(better, pairs, field.systems) == (means < means.max())).all())
            else:
                found += bool((better == true).all())
    return Ended(replies / runs, found, wrong)


def _corrected(d: Floats, f: Floats, looks: Indices) -> tuple[Floats, Floats]:
    """z and the standard error at every look, corrected by the judge from 60 items on."""
    m, n = f.shape[2], looks
    rated = f[:, :, : d.shape[2]]
    of_d, of_f, dd, df, ff = (
        np.cumsum(each, axis=2)[:, :, looks - 1] for each in (d, rated, d * d, d * rated, rated**2)
    )
    dd, df, ff = dd - of_d**2 / n, df - of_d * of_f / n, ff - of_f**2 / n
    used = n >= FEWEST_CORRECTED
    weight = np.where(used, df / ff * (1 - n / m), 0.0)
    rest = (f.sum(axis=2, keepdims=True) - of_f) / (m - n)
    spread = ((f**2).sum(axis=2, keepdims=True) - np.cumsum(rated**2, axis=2)[:, :, looks - 1]) / (
        m - n
    ) - rest**2
    value = of_d / n - weight * (of_f / n - rest)
    own = (dd - 2 * weight * df + weight**2 * ff) / (n - 1) / n
    error = np.sqrt(own + weight**2 * spread / (m - n))
    return in_z(value / error, np.asarray(n - 1.0 - used, np.float64)), error


def fixed_found(field: Field, runs: int, rng: np.random.Generator) -> int:
    """How many studies of three raters an item without looks find what is sought."""
    one, other = np.array(list(itertools.combinations(range(field.systems), 2))).T
    items, means = field.design.fixed // 3, field.means * field.reliability.effect
    sd = math.sqrt((1 + field.reliability.noise / 3) / 2 / items)
    mean = means + sd * rng.standard_normal((runs, field.systems))
    chi = np.sqrt(rng.chisquare(items - 1, (runs, 1)) / (items - 1))
    z = in_z((mean[:, one] - mean[:, other]) / (math.sqrt(2) * sd * chi), items - 1.0)
    least = -ndtri(0.025) * wider_for_systems(field.systems, 1)
    needed = (one == 0) if field.goal == "best" else np.ones(one.size, np.bool_)
    return int((z * np.sign(means[one] - means[other]) >= least)[:, needed].all(axis=1).sum())


def _one(
    z: Floats, boundary: Floats, futile: Flags, over: Flags, looks: Indices, field: Field,
    pairs: Sequence[tuple[int, int]], constants: _Constants,
) -> tuple[int, Floats]:  # fmt: skip
    """One study: the replies rated, and by pair 1 or -1 where it is decided."""
    one, other = np.array(pairs).T
    going, better = np.ones(len(pairs), np.bool_), np.zeros(len(pairs))
    still = going.copy()
    rated, before = 0, 0
    for k, look in enumerate(looks):
        open_ = np.unique(np.concatenate([one[going], other[going]])).size
        rated += open_ * (look - before)
        before = look
        crossed = going & (np.abs(z[:, k]) >= boundary[:, k])
        if crossed.any():
            crossed &= np.abs(z[:, k]) >= constants.of(still) * boundary[:, k]
        better[crossed] = np.sign(z[crossed, k])
        going &= ~(crossed | futile[:, k] | over[:, k])
        still = better == 0
        if field.goal == "best":
            lost = _worse(better, pairs, field.systems)
            still &= ~(lost[one] | lost[other])
            going &= still
        if not going.any():
            break
    return rated, better


def _worse(better: Floats, pairs: Sequence[tuple[int, int]], systems: int) -> Flags:
    """The systems than which another one is better."""
    one, other = np.array(pairs).T
    worse = np.zeros(systems, np.bool_)
    worse[other[better > 0]] = worse[one[better < 0]] = True
    return worse


class _Constants:
    """By what boundaries are multiplied for the pairs that are not decided."""

    def __init__(self, reached: Floats) -> None:
        self.reached = reached
        self.known: dict[bytes, float] = {}

    def of(self, still: Flags) -> float:
        name = still.tobytes()
        if name not in self.known:
            self.known[name] = wider_for_all(self.reached[:, still]) if still.any() else 1.0
        return self.known[name]


def _given_up(fraction: Floats, design: RatingDesign) -> Floats:
    rest = 1 - np.minimum(fraction, 1 - 1e-12)
    drift = design.effect * math.sqrt(design.information)
    below = design.final + np.sqrt(rest) * ndtri(CONDITIONAL) - drift * rest
    return np.where((fraction >= FUTILE_FROM) & (fraction < 1), below / np.sqrt(1 - rest), 0.0)


def _phi(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))


def rows(runs: int, seed: int) -> Iterator[Row]:
    """Every field: whether it finds what is sought, what it decides wrongly, and its share of ratings."""
    for place, field in enumerate(FIELDS):
        yield from field_rows(field, runs, np.random.default_rng([seed, place]))


def field_rows(field: Field, runs: int, rng: np.random.Generator) -> Iterator[Row]:
    """One field."""
    design, of = field.design, ended(field, runs, rng)
    share, most = (
        each / design.fixed for each in (of.replies / field.systems, design.raters * design.most)
    )
    setting = (
        f"{field.systems} systems, {field.name}, {field.goal}, reliability {field.reliability.name}"
    )
    size = f"{share:.3f} of the ratings, {most:.3f} at most"
    if field.name != "none":
        fixed = fixed_found(field, runs, rng) / runs
        yield Row(f"finds the {field.goal}", setting, size, round(fixed, 3), of.found, runs)
    yield Row("a wrong decision on any pair", setting, size, LEVEL, of.wrong, runs)


STUDY = SimulationStudy("Several systems by a design (`plan --design --systems`)", TEXT, rows)
