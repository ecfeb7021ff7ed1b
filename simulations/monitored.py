"""Studies that are looked at on the way, by a design: false alarms, both intervals, and what they cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.planning.design import FEWEST_CORRECTED, Spread
from rejoinder.statistics.monitored_difference import PlannedStudy
from rejoinder.statistics.prediction_powered import CLOSER, MOST_WIDER
from rejoinder.statistics.rater_variance import FEW_MORE, MOST_NOISE
from rejoinder.statistics.sequential_design import SequentialDesign, planned, sequential_design
from simulations.many_courses import Estimates, courses, in_z, places
from simulations.study import COVERAGE, LEVEL, Row, SimulationStudy

FIXED, RATERS = 100, 3
"""The design of which shares are: so many items by so many raters each."""

SCORED, RHO = 500, 0.7
"""How many items a judge scored, and its correlation with the true differences."""

LEAVE = 30, 3
"""After so many items so many of the ten raters leave."""

MULTIPLES = (0.0, 0.5, 1.0, 2.0)
MARGINS = -0.35, 0.3
"""So near the boundaries of the planned variance those of the study's own are computed."""

POWER = 0.8
"""Of the design at the planned difference, if variances were known."""

FREEDOM = np.geomspace(0.1, 1e4, 20_000)
REACHES = -stdtrit(FREEDOM, 0.025)
"""Degrees of freedom and the t of a 95% interval, to turn around."""

CHUNK = 500
"""So many studies are simulated together."""

TEXT = f"""
Two systems, one rater an item, looks by a design (`plan --design`): spending of O'Brien and Fleming's type in
the information, Student's t, futility. Reliability is that of three raters' mean. The repeated interval is of
all looks together, whether or not the study would have stopped; the stage-wise one is looked at where the
study stops, clear, futile or at its end, with the effect at 0, half, once and twice the planned one. False
alarms are of studies without a difference that go on beyond looks that find them futile. Power is of
studies that stop where they are futile; shares are of the ratings of a fixed design of {FIXED} items by
{RATERS} raters. Judge: correlation {RHO:g} with the true differences, {SCORED} items scored; a useless one
has correlation 0. Leaning raters: ten, each for one system by 0.2 of the standard deviation of true
differences, as a sample of all raters; {LEAVE[1]} of them leave after {LEAVE[0]} items. Clusters: 4 items,
half of the variance of true differences is theirs, in random order, which the design did not know. Late: 10
items are rated after the study has stopped.
"""

ALARMS_TEXT = """
The studies above without a difference, with a look after each rating from the 20th on: how many find one.
They go on beyond looks that find them futile.
"""


class Reliability(NamedTuple):
    """How noisy one rater is.

    Args:
        name: Of the mean of three raters.
        noise: The variance of one rater's difference, where that of the true differences is 1.
    """

    name: str
    noise: float

    @property
    def effect(self) -> float:
        """What the fixed design shows with power .8."""
        return 2.8016 * math.sqrt((1 + self.noise / RATERS) / FIXED)


R60, R28 = Reliability(".6", 2.0), Reliability(".28", 7.714)

GRADES = {2.0: 1.16237, 7.714: 2.63593}
"""By noise the variance of the difference of two grades from 1 to 5, one point apart."""

Draw = Callable[[np.random.Generator, tuple[int, int], float], Floats]


@dataclass(frozen=True)
class Cell:
    """One setting.

    Attributes:
        name: How differences are drawn.
        reliability: How noisy raters are.
        draw: The differences of so many studies and items, without an effect, of variance 1 + noise.
        rho: The correlation of a judge that scored the items; None: by people alone.
        raters: How many raters lean; 0: none.
        leave: Whether some of them leave.
        cluster: How many items a cluster has.
        late: The ratings of so many looks come in after the study has stopped.
        stopping: Whether there are looks.
    """

    name: str
    reliability: Reliability
    draw: Draw
    rho: float | None = None
    raters: int = 0
    leave: bool = False
    cluster: int = 1
    late: int = 0
    stopping: bool = True

    def information(self, n: Floats) -> Floats:
        """``1 / error^2`` of so many rated items."""
        spread = Spread(1.0, self.reliability.noise, self.rho or 0.0, SCORED)
        return spread.information(n, 1, self.rho is not None)

    def design(self) -> SequentialDesign:
        """The design for the effect that the fixed one shows."""
        most = 10**6 if self.rho is None else SCORED
        return sequential_design(
            self.information, self.reliability.effect, POWER, items=most,
            stopping=self.stopping, futility=self.stopping,
        )  # fmt: skip

    def plan(self) -> PlannedStudy:
        """What it promises."""
        return planned(self.information, self.design(), self.reliability.effect, self.stopping)


def _normal(rng: np.random.Generator, size: tuple[int, int], noise: float) -> Floats:
    return math.sqrt(1 + noise) * rng.standard_normal(size)


def _heavy(rng: np.random.Generator, size: tuple[int, int], noise: float) -> Floats:
    return math.sqrt((1 + noise) * 3 / 5) * rng.standard_t(5, size)


def _failing(rng: np.random.Generator, size: tuple[int, int], noise: float) -> Floats:
    failed = 3.0 * ((rng.random(size) < 0.1) - 0.1)
    return failed + math.sqrt(noise + 0.19) * rng.standard_normal(size)


def _grades(rng: np.random.Generator, size: tuple[int, int], noise: float) -> Floats:
    """Differences of two grades from 1 to 5, in units in which their variance is that of the others."""
    both = 3 + math.sqrt((1 + noise) / 6) * rng.standard_normal((2, *size))
    one, other = np.clip(np.rint(both), 1, 5)
    return math.sqrt((1 + noise) / GRADES[noise]) * (one - other)


CELLS = [
    Cell(name, reliability, draw)
    for reliability in (R60, R28)
    for name, draw in {
        "normal": _normal,
        "t with 5 degrees of freedom": _heavy,
        "failures in 1 of 10": _failing,
        "grades with ties": _grades,
    }.items()
]
FITTED = [
    cell
    for reliability in (R60, R28)
    for cell in (
        Cell("judge", reliability, _normal, rho=RHO),
        Cell("useless judge", reliability, _normal, rho=0.0),
        Cell("10 leaning raters", reliability, _normal, raters=10),
        Cell("10 leaning raters of whom 3 leave", reliability, _normal, raters=10, leave=True),
        Cell("clusters of 4 items", reliability, _normal, cluster=4),
        Cell("10 ratings come late", reliability, _normal, late=1),
    )
]
FIXED_SIZE = [
    Cell("judge, without looks", reliability, _normal, rho=RHO, stopping=False)
    for reliability in (R60, R28)
]


class Studies(NamedTuple):
    """Many studies, item by item in the order of the ratings.

    Args:
        values: The rated differences (float64 [runs, n]).
        judge: Those by a judge of all items, the rated ones first (float64 [runs, m]); None without.
        group: The rater, or the cluster, of each item (int64 [runs, n]); None: each by itself.
    """

    values: Floats
    judge: Floats | None = None
    group: Indices | None = None


def drawn(cell: Cell, most: int, effect: float, runs: int, rng: np.random.Generator) -> Studies:
    """The ratings of many studies."""
    noise = cell.reliability.noise
    if cell.rho is not None:
        true = rng.standard_normal((runs, SCORED))
        judge = cell.rho * true + math.sqrt(1 - cell.rho**2) * rng.standard_normal((runs, SCORED))
        rated = true[:, :most] + math.sqrt(noise) * rng.standard_normal((runs, most))
        return Studies(effect + rated, judge)
    if cell.cluster > 1:
        count = -(-most // cell.cluster)
        group = rng.permuted(np.tile(np.arange(most) // cell.cluster, (runs, 1)), axis=1)
        own = math.sqrt(0.5) * np.take_along_axis(rng.standard_normal((runs, count)), group, 1)
        values = own + math.sqrt(0.5 + noise) * rng.standard_normal((runs, most))
        return Studies(effect + values, group=group)
    values = effect + cell.draw(rng, (runs, most), noise)
    if not cell.raters:
        return Studies(values)
    leaning = 0.2 * rng.standard_normal((runs, cell.raters))
    early, gone = LEAVE if cell.leave else (most, 0)
    staying = np.arange(most - min(early, most)) % (cell.raters - gone)
    group = np.concatenate([np.arange(min(early, most)) % cell.raters, staying])
    group = np.tile(group, (runs, 1))
    group[:, :early] = rng.permuted(group[:, :early], axis=1)
    group[:, early:] = rng.permuted(group[:, early:], axis=1)
    return Studies(values + np.take_along_axis(leaning, group, 1), group=group)


def estimated(cell: Cell, of: Studies, looks: Sequence[int]) -> Estimates:
    """The estimates of many studies at every look; see `prediction_powered.corrected_mean`."""
    numbers = np.array(looks)
    sums, squares = (np.cumsum(of.values**power, axis=1)[:, numbers - 1] for power in (1, 2))
    mean = sums / numbers
    error = np.sqrt((squares - numbers * mean**2) / (numbers - 1) / numbers)
    df = np.broadcast_to(numbers - 1.0, mean.shape).copy()
    ranks = mean
    if of.judge is not None:
        ranks = np.argsort(np.argsort(of.judge, axis=1), axis=1) / (of.judge.shape[1] - 1)
    for k, n in enumerate(looks):
        values, group = of.values[:, :n], None if of.group is None else of.group[:, :n]
        if of.judge is not None and n >= FEWEST_CORRECTED:
            fitted = _corrected(values, of.judge, ranks, mean[:, k], error[:, k])
        elif group is not None and cell.raters:
            fitted = (mean[:, k], *_of_raters(values - mean[:, k, None], group, cell, error[:, k]))
        elif group is not None:
            fitted = (mean[:, k], *_of_clusters(values - mean[:, k, None], group))
        else:
            continue
        mean[:, k], error[:, k], df[:, k] = fitted
    return Estimates(numbers, mean, error, df)


def _corrected(
    values: Floats, judge: Floats, ranks: Floats, mean: Floats, error: Floats
) -> tuple[Floats, Floats, Floats]:
    """The mean corrected by a judge, with its error and degrees of freedom, where it is not wider."""
    n, m = values.shape[1], judge.shape[1]
    judge = _followed(values, judge, ranks)
    f, d = (each - each.mean(axis=1, keepdims=True) for each in (judge[:, :n], values))
    total, product = (each.sum(axis=1, keepdims=True) for each in (f * f, f * d))
    slope = product / total
    pull = ((f * (d - slope * f)) ** 2).sum(axis=1, keepdims=True)
    shrunk = np.maximum(0, 1 - n / (n - 2) * pull / total**2 / slope**2)
    rest = (n - 1) / n  # without each item, about the others' own means
    weights = (product - f * d / rest) / (total - f * f / rest) * shrunk * (1 - n / m)
    others = judge[:, n:] - judge[:, n:].mean(axis=1, keepdims=True)
    terms = values - weights * (judge[:, :n] - judge[:, n:].mean(axis=1, keepdims=True))
    value, shift = terms.mean(axis=1), weights.mean(axis=1)
    apart = shift**2 * others.var(axis=1, ddof=1) / (m - n)
    own = np.sqrt(terms.var(axis=1, ddof=1) / n + apart)
    reach = -stdtrit(n - 2.0, 0.025), -stdtrit(n - 1.0, 0.025)
    used = (own * reach[0] <= MOST_WIDER * error * reach[1]) & (shrunk[:, 0] > 0)
    return (
        np.where(used, value, mean), np.where(used, own, error), np.where(used, n - 2.0, n - 1.0)
    )  # fmt: skip


def _followed(values: Floats, judge: Floats, ranks: Floats) -> Floats:
    """The judge, or its ranks over the same range where they fit much better."""
    n, left = values.shape[1], []
    for f in (judge[:, :n], ranks[:, :n]):
        x, y = (each - each.mean(axis=1, keepdims=True) for each in (f, values))
        left.append(1 - (x * y).sum(axis=1) ** 2 / ((x * x).sum(axis=1) * (y * y).sum(axis=1)))
    closer = left[1] < CLOSER * left[0]
    if not closer.any():
        return judge
    return np.where(closer[:, None], ranks * np.ptp(judge, axis=1, keepdims=True), judge)


def _of_clusters(apart: Floats, group: Indices) -> tuple[Floats, Floats]:
    """The jackknife's error of a mean over clusters, and its degrees of freedom."""
    runs, n = apart.shape
    place = group + (int(group.max()) + 1) * np.arange(runs)[:, None]
    sums, sizes = (
        np.bincount(place.ravel(), each, runs * (int(group.max()) + 1)).reshape(runs, -1)
        for each in (apart.ravel(), np.ones(apart.size))
    )
    g = (sizes > 0).sum(axis=1)
    variance = (g - 1) / g * ((sums / n / (1 - sizes / n)) ** 2).sum(axis=1)
    return np.sqrt(variance), ((sizes / n) ** (4 / 3)).sum(axis=1) ** -3 - 1


def _of_raters(apart: Floats, group: Indices, cell: Cell, error: Floats) -> tuple[Floats, Floats]:
    """The error of a mean over items and raters, and its degrees of freedom; see `rater_variance`."""
    runs, n = apart.shape
    place = (group + cell.raters * np.arange(runs)[:, None]).ravel()
    w, psi, own = (
        np.bincount(place, each.ravel(), runs * cell.raters).reshape(runs, -1) / n**power
        for each, power in ((np.ones_like(apart), 1), (apart, 1), (apart**2, 2))
    )
    every = w[:, :, None]
    alike = np.eye(cell.raters) - w[:, None] - every + (w * w).sum(axis=1)[:, None, None]
    covariance = 2 * every * w[:, None] * alike
    target, seen = 2 * w**2, np.diagonal(covariance, axis1=1, axis2=2)
    k = np.where(seen > 0, target, 0) / np.where(seen > 0, seen, 1)
    square = (k * psi**2).sum(axis=1)
    noise = (k * (w**2 * own.sum(axis=1, keepdims=True) + (1 - 2 * w) * own)).sum(axis=1)
    of_all = target.sum(axis=1) ** 2 / ((k[:, :, None] * k[:, None] * covariance**2).sum((1, 2)))
    variance, df = error**2, n - 1.0
    part = np.sqrt(np.minimum(1, noise / variance))
    part = 1 - (1 - part) * (1 - FEW_MORE / np.maximum(1, of_all) ** 2)
    part = np.minimum(part, MOST_NOISE / np.maximum(1, of_all))
    items = np.maximum(0, variance - part * noise)
    raters = np.maximum(0, square - (1 - part) * noise)
    total = np.maximum(variance, items + raters)
    t = -stdtrit(df, 0.025)
    reach = t**2 * items + stdtrit(of_all, 0.025) ** 2 * raters
    wider = reach > t**2 * variance
    found = np.interp(np.sqrt(reach / total), REACHES[::-1], FREEDOM[::-1])
    return np.sqrt(np.where(wider, total, variance)), np.where(wider, found, df)


def every_rating(cell: Cell, runs: int, rng: np.random.Generator) -> int:
    """How many studies without a difference find one, with a look after each rating."""
    plan = cell.plan()
    looks = np.arange(20, plan.most + 1)
    known = 1 / np.sqrt(plan.information * looks[None] / plan.most)
    schedule = courses(Estimates(looks, 0 * known, known, 0 * known + 1e9), plan, 0.0)
    nominal = np.where(np.isfinite(schedule.boundary[0]), schedule.boundary[0], 7.0)
    alarms = 0
    for size in _chunks(runs):
        found = estimated(cell, drawn(cell, plan.most, 0.0, size, rng), looks.tolist())
        fraction = 1 / found.error**2 / plan.information
        z = in_z(found.value / found.error, found.df)
        bound = np.interp(np.minimum(fraction, 1.0), looks / plan.most, nominal)
        bound[:, -1] = nominal[-1]
        ends = np.where((fraction >= 1).any(axis=1), (fraction >= 1).argmax(axis=1), looks.size - 1)
        until = np.arange(looks.size) <= ends[:, None]
        nearest = np.where(until, np.abs(z) - bound, -np.inf).max(axis=1)
        close = (nearest > MARGINS[0]) & (nearest < MARGINS[1])
        alarms += int((nearest[~close] > 0).sum())
        own = courses(Estimates(looks, *(each[close] for each in found[1:])), plan, 0.0)
        alarms += int((own.better <= own.last).sum())
    return alarms


class Counts(NamedTuple):
    """Of many studies: how many find a difference, whose intervals hold the truth, what they took.

    Args:
        better: Found a difference, going on where futile.
        found: Found one, ending where futile.
        joint: The repeated intervals of all looks hold the truth.
        held: The stage-wise interval does.
        above: The stage-wise interval lies above it.
        median: The median-unbiased estimate lies above it.
        rated: Items rated, in all.
    """

    better: int
    found: int
    joint: int
    held: int
    above: int
    median: int
    rated: int


def study(cell: Cell, multiple: float, runs: int, rng: np.random.Generator) -> Counts:
    """Counts over studies with a look every 10 ratings, the effect so many times the planned one."""
    design, plan = cell.design(), cell.plan()
    effect = multiple * plan.effect
    totals = np.zeros(len(Counts._fields), np.int64)
    for size in _chunks(runs):
        found = estimated(cell, drawn(cell, plan.most, effect, size, rng), design.looks)
        own = courses(found, plan, effect)
        higher = places(found, plan, effect, own, cell.late)
        totals += [
            each.sum()
            for each in (
                own.better <= own.last, own.found, own.joint, (higher >= 0.025) & (higher <= 0.975),
                higher < 0.025, higher < 0.5, found.looks[own.end],
            )
        ]  # fmt: skip
    return Counts(*totals.tolist())


def _chunks(runs: int) -> list[int]:
    return [min(CHUNK, runs - each) for each in range(0, runs, CHUNK)]


def rows(runs: int, seed: int) -> Iterator[Row]:
    """Every cell: false alarms, power and what it took, both intervals."""
    for place, cell in enumerate((*CELLS, *FITTED, *FIXED_SIZE)):
        yield from cell_rows(cell, runs, np.random.default_rng([seed, place]))


def cell_rows(cell: Cell, runs: int, rng: np.random.Generator) -> Iterator[Row]:
    """One cell."""
    design, fixed = cell.design(), FIXED * RATERS
    setting = f"{cell.name}, reliability {cell.reliability.name}"
    most = f"up to {design.most}"
    for multiple, expected in zip(MULTIPLES, design.expected, strict=True):
        of = study(cell, multiple, runs, rng)
        name = f"{setting}, {multiple:g} x effect"
        size = f"{of.rated / runs / fixed:.3f} of the ratings, {expected / fixed:.3f} forecast"
        if multiple:
            aim = POWER if multiple == 1 else math.nan
            yield Row("finds a difference, ending where futile", name, size, aim, of.found, runs)
        else:
            yield Row("false alarms", name, size, LEVEL, of.better, runs)
        yield Row("repeated interval, all looks", name, most, COVERAGE, of.joint, runs)
        yield Row("stage-wise interval", name, most, COVERAGE, of.held, runs)
        yield Row("stage-wise interval above the truth", name, most, 0.025, of.above, runs)
        yield Row("median-unbiased estimate above the truth", name, most, 0.5, of.median, runs)


def alarm_rows(runs: int, seed: int) -> Iterator[Row]:
    """False alarms of every cell with looks; ratings that come late change no decision."""
    for place, cell in enumerate((*CELLS, *FITTED)):
        if not cell.late:
            alarms = every_rating(cell, runs, np.random.default_rng([seed, place]))
            setting = f"{cell.name}, reliability {cell.reliability.name}"
            size = f"up to {cell.plan().most}"
            yield Row("a look after each rating", setting, size, LEVEL, alarms, runs)


STUDY = SimulationStudy(
    "Looks by a design (`plan --design`, `compare --ratings --design`)", TEXT, rows
)
ALARMS = SimulationStudy(
    "False alarms by a design with a look after each rating", ALARMS_TEXT, alarm_rows
)
