"""Studies that are looked at on the way, by a design: false alarms, both intervals, and what they cost."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics import monitored_difference
from rejoinder.statistics.monitored_difference import (
    BETTER,
    FUTILE,
    LookEstimate,
    PlannedStudy,
    StudyCourse,
)
from rejoinder.statistics.monitored_difference import follow as followed
from rejoinder.statistics.prediction_powered import corrected_mean
from rejoinder.statistics.rater_variance import SingleRatings
from rejoinder.statistics.sequential_design import SequentialDesign, planned, sequential_design
from simulations.study import COVERAGE, LEVEL, Row, SimulationStudy

FIXED, RATERS = 100, 3
"""The design of which shares are: so many items by so many raters each."""

SCORED, RHO = 500, 0.7
"""How many items a judge scored, and its correlation with the true differences."""

MULTIPLES = (0.0, 0.5, 1.0, 2.0)
MARGIN = 0.12
"""So near a nominal boundary the study's own are computed."""

TEXT = f"""
Two systems, one rater an item, looks by a design (`plan --design`): spending of O'Brien and Fleming's type in
the information, Student's t, futility. Reliability is that of three raters' mean. The repeated interval is of
all looks together, whether or not the study would have stopped; the stage-wise one is looked at where the
study stops, with the effect at 0, half, once and twice the planned one. False alarms are of studies without a
difference that go on beyond looks that find them futile, with a look after each rating, or after every 10
where each look is a fit of its own. Judge: correlation {RHO:g} with the true differences, {SCORED} items
scored. Leaning raters: ten, each for one system by 0.2 of the standard deviation of true differences, as a
sample of all raters.
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


@dataclass(frozen=True)
class Cell:
    """One setting.

    Attributes:
        name: How differences are drawn.
        reliability: How noisy raters are.
        draw: The differences of so many items, without an effect, of variance 1 + noise.
        judge: Whether a judge scored the items; else by people alone.
        raters: How many raters lean; 0: none.
        cluster: How many items a cluster has.
        late: The ratings of so many looks come in after the study has stopped.
    """

    name: str
    reliability: Reliability
    draw: Callable[[np.random.Generator, int, float], Floats]
    judge: bool = False
    raters: int = 0
    cluster: int = 1
    late: int = 0

    def information(self, n: Floats) -> Floats:
        """``1 / error^2`` of so many rated items."""
        noise = self.reliability.noise
        if not self.judge:
            return n / (1 + noise)
        return n / (1 - RHO**2 * (1 - n / SCORED) + noise)

    def design(self) -> SequentialDesign:
        """The design for the effect that the fixed one shows."""
        most = SCORED if self.judge else 10**6
        return sequential_design(self.information, self.reliability.effect, 0.8, items=most)


def _normal(rng: np.random.Generator, number: int, noise: float) -> Floats:
    return math.sqrt(1 + noise) * rng.standard_normal(number)


def _heavy(rng: np.random.Generator, number: int, noise: float) -> Floats:
    return math.sqrt((1 + noise) * 3 / 5) * rng.standard_t(5, number)


def _failing(rng: np.random.Generator, number: int, noise: float) -> Floats:
    failed = 3.0 * ((rng.random(number) < 0.1) - 0.1)
    return failed + math.sqrt(noise + 0.19) * rng.standard_normal(number)


def _grades(rng: np.random.Generator, number: int, noise: float) -> Floats:
    """Differences of two grades from 1 to 5, in units in which their variance is that of the others."""
    both = 3 + math.sqrt((1 + noise) / 6) * rng.standard_normal((2, number))
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
    Cell("judge", R60, _normal, judge=True),
    Cell("judge", R28, _normal, judge=True),
    Cell("10 leaning raters", R60, _normal, raters=10),
    Cell("clusters of 4 items", R60, _normal, cluster=4),
    Cell("10 ratings come late", R60, _normal, late=1),
]


def at_looks(values: Floats, looks: Indices) -> tuple[Floats, Floats]:
    """The mean of the first values at each look, and its standard error."""
    mean = np.cumsum(values)[looks - 1] / looks
    variance = (np.cumsum(values**2)[looks - 1] - looks * mean**2) / (looks - 1)
    return mean, np.sqrt(variance / looks)


def listed(looks: Sequence[int], mean: Floats, error: Floats) -> list[LookEstimate]:
    """Independent items at each look."""
    return [
        LookEstimate(int(k), float(m), float(e), int(k) - 1)
        for k, m, e in zip(looks, mean, error, strict=True)
    ]


def estimates(
    cell: Cell, looks: Sequence[int], effect: float, rng: np.random.Generator
) -> list[LookEstimate]:
    """One study: its estimates at every look."""
    number, noise = looks[-1] * cell.cluster, cell.reliability.noise
    if not (cell.judge or cell.raters or cell.cluster > 1):
        return listed(looks, *at_looks(effect + cell.draw(rng, number, noise), np.array(looks)))
    scored = SCORED if cell.judge else number
    group = np.arange(scored) // cell.cluster
    true = rng.standard_normal(scored)
    if cell.cluster > 1:  # half of the variance of the true differences is the cluster's
        true = math.sqrt(0.5) * (true + rng.standard_normal(number)[group])
    judge = RHO * true + math.sqrt(1 - RHO**2) * rng.standard_normal(scored)
    rater = np.zeros(scored, np.int64)
    values = effect + true + math.sqrt(noise) * rng.standard_normal(scored)
    if cell.raters:
        rater = rng.permuted(np.arange(scored) % cell.raters)
        values += 0.2 * rng.standard_normal(cell.raters)[rater]
    found = []
    for look in looks:
        rated = look * cell.cluster
        single = None
        if cell.raters:
            item = np.tile(np.arange(rated), 2)
            sign = np.repeat([1.0, -1.0], rated)
            score = np.concatenate([values[:rated], np.zeros(rated)])
            single = SingleRatings(item, np.tile(rater[:rated], 2), sign, score, True)
        kept = scored if cell.judge and look >= 60 else rated
        labels = np.where(np.arange(kept) < rated, values[:kept], np.nan)
        weight = None if cell.judge and look >= 60 else 0.0
        mean = corrected_mean(labels, judge[:kept], group[:kept], ratings=single, weight=weight)
        found.append(LookEstimate(look, mean.value, mean.error, mean.df))
    return found


def stopped(found: Sequence[LookEstimate], plan: PlannedStudy, late: int = 0) -> StudyCourse:
    """The study, ended where it is futile too, with the ratings of so many looks more that come after it."""
    course = followed(found, plan)
    futile = [number for number, look in enumerate(course.looks, 1) if look.says == FUTILE]
    number = min([*futile, len(course.looks)])
    if futile[:1] == [number]:
        return followed(found[:number], plan)
    return followed(found[: number + late], plan)


def every_rating(cell: Cell, plan: PlannedStudy, runs: int, rng: np.random.Generator) -> int:
    """How many studies without a difference find one, with a look after each rating."""
    looks = np.arange(20, plan.most + 1)
    known = 1 / np.sqrt(plan.information * looks / plan.most)
    schedule = listed(looks.tolist(), np.zeros(looks.size), known)
    nominal = np.array([each.boundary for each in followed(schedule, plan).looks])
    nominal = np.where(np.isfinite(nominal), nominal, 7.0)
    alarms = 0
    for _ in range(runs):
        mean, error = at_looks(cell.draw(rng, plan.most, cell.reliability.noise), looks)
        t, fraction = mean / error, 1 / error**2 / plan.information
        df = looks - 1
        z = np.sqrt(df * np.log1p(t * t / df)) * (1 - 3 / (4 * df))
        bound = np.interp(np.minimum(fraction, 1.0), looks / plan.most, nominal)
        ends = np.flatnonzero(fraction >= 1)
        until = ends[0] + 1 if ends.size else looks.size
        nearest = float((z - bound)[:until].max())
        if abs(nearest) < MARGIN:
            alarms += followed(listed(looks.tolist(), mean, error), plan).says == BETTER
        else:
            alarms += nearest > 0
    return alarms


def rows(runs: int, seed: int) -> Iterator[Row]:
    """Every cell: false alarms, both intervals; the power of the cells of normal differences."""
    for place, cell in enumerate((*CELLS, *FITTED)):
        rng = np.random.default_rng([seed, place])
        plan = planned(cell.information, cell.design(), cell.reliability.effect)
        setting = f"{cell.name}, reliability {cell.reliability.name}"
        if cell in CELLS:
            alarms = every_rating(cell, plan, runs, rng)
            yield Row("false alarms, a look after each rating", setting, "", LEVEL, alarms, runs)
        looks = cell.design().looks
        for multiple in MULTIPLES:
            result = study(cell, looks, plan, multiple, runs, rng)
            name = f"{setting}, {multiple:g} x effect"
            size = f"up to {plan.most}"
            yield Row("repeated interval, all looks", name, size, COVERAGE, result["joint"], runs)
            yield Row("stage-wise interval", name, size, COVERAGE, result["held"], runs)
            if cell not in CELLS and not multiple:
                yield Row(
                    "false alarms, looks every 10", setting, size, LEVEL, result["better"], runs
                )


def study(
    cell: Cell,
    looks: Sequence[int],
    plan: PlannedStudy,
    multiple: float,
    runs: int,
    rng: np.random.Generator,
) -> dict[str, int]:
    """Counts over studies: found a difference, intervals that hold the truth, medians above, rated items."""
    effect = multiple * plan.effect
    counts: dict[str, int] = dict.fromkeys(
        ("better", "found", "joint", "held", "above", "rated"), 0
    )
    for _ in range(runs):
        found = estimates(cell, looks, effect, rng)
        course = followed(found, plan)
        counts["better"] += course.says == BETTER
        counts["joint"] += not any(each.low > effect or each.high < effect for each in course.looks)
        course = stopped(found, plan, cell.late)
        counts["found"] += course.says == BETTER
        counts["held"] += int(course.low <= effect <= course.high)
        counts["above"] += int(course.median > effect)
        counts["rated"] += course.looks[-1].estimate.rated
    return counts


STUDY = SimulationStudy(
    "Looks by a design (`plan --design`, `compare --ratings --design`)", TEXT, rows
)


def main() -> None:
    """Prints shares of the fixed design, power and coverage: ``python simulations/monitored.py RUNS``."""
    from scipy.special import ndtr, ndtri, stdtr, stdtrit  # the same quantiles, quicker

    monitored_difference.in_t = lambda z, df: float(-stdtrit(df, ndtr(-z)))
    monitored_difference.in_z = lambda t, df: float(math.copysign(-ndtri(stdtr(df, -abs(t))), t))
    runs = int(sys.argv[1])
    wanted = sys.argv[2:]
    for place, cell in enumerate((*CELLS, *FITTED)):
        if wanted and str(place) not in wanted:
            continue
        rng = np.random.default_rng([2, place])
        design = cell.design()
        plan = planned(cell.information, design, cell.reliability.effect)
        fixed = FIXED * RATERS
        print(
            f"{place} {cell.name} R {cell.reliability.name}: most {design.most} ({plan.most / fixed:.3f})"
        )
        if cell in CELLS:
            alarms = every_rating(cell, plan, runs, rng)
            print(f"  a look after each rating: {alarms / runs:.4f} false alarms", flush=True)
        for multiple, forecast in zip(MULTIPLES, design.expected, strict=True):
            counts = study(cell, design.looks, plan, multiple, runs, rng)
            share = counts.pop("rated") / runs / fixed
            shares = {name: round(each / runs, 4) for name, each in counts.items()}
            print(
                f"  {multiple:g}: share {share:.3f}, forecast {forecast / fixed:.3f}, {shares}",
                flush=True,
            )


if __name__ == "__main__":
    main()
