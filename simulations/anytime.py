"""Intervals that are looked at after every new rating: how often does one of them leave out the truth?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.confidence_sequence import FIRST_LOOK, at_any_time, quantile_at
from rejoinder.statistics.prediction_powered import (
    FEWEST_LABELLED,
    CorrectedMean,
    corrected_mean,
)
from rejoinder.statistics.rater_variance import SingleRatings
from rejoinder.statistics.student import t_quantile
from simulations.judges_and_people import ITEMS, judged, populations
from simulations.study import COVERAGE, LEVEL, Row, SimulationStudy

LOOKS = 200
SIZES = (1, 2, 3, 6, 8)
CLUSTERED = "clusters of 1 to 8 items"
WIDER = {
    number: quantile_at(number, number - 1) / t_quantile(COVERAGE, number - 1)
    for number in (20, 50, 200, 1000)
}
"""How many times as wide as for one look an interval is, by the number of ratings."""

TEXT = f"""
Two systems without a difference. Ratings come in one by one, in random order, and the interval is looked at
after each from the {FIRST_LOOK}th to the {LOOKS}th (with clusters, after each new cluster): the share of
studies in which any of these looks leaves out 0. Beside it the share for the interval that holds when it is
looked at once.

The interval of `--anytime` errs in fewer than 5 of 100 studies, where the other finds a difference that is
none in 20 to 33. The exception are ratings as skewed as an exponential distribution, in 7: there 20 do not
show how much they vary. Differences of two systems' ratings are rarely so. Its price is the width: with 20
independent ratings it is {WIDER[20]:.2f} times as wide as an interval for one look, with 50 {WIDER[50]:.2f}
times, with 200 {WIDER[200]:.2f} times and with 1,000 {WIDER[1000]:.2f} times. Looks from the
{FEWEST_LABELLED}th rating on, as in the rows "not offered", err about as often.
"""


Sample: TypeAlias = Callable[[np.random.Generator, int], Floats]
"""Draws the values of so many items."""


def graded(rng: np.random.Generator, number: int) -> Floats:
    """Differences of means of three grades from 1 to 5."""
    values = populations()[0].pairs[0]
    return values[rng.integers(0, values.size, number)] - values.mean()


def single_grades(rng: np.random.Generator, number: int) -> Floats:
    """Differences of single grades, most of which are equal."""
    return rng.choice([-4.0, -1.0, 0.0, 1.0, 4.0], number, p=[0.02, 0.1, 0.76, 0.1, 0.02])


PEOPLE: dict[str, Sample] = {
    "normal": lambda rng, number: rng.normal(size=number),
    "heavy tails (Student's t with 3 degrees of freedom)": lambda rng, number: rng.standard_t(
        3, size=number
    ),
    "skewed (exponential)": lambda rng, number: rng.exponential(size=number) - 1,
    "means of 3 grades from 1 to 5": graded,
    "single grades from 1 to 5, most equal": single_grades,
}


class Alarms:
    """In how many studies a look left out 0."""

    def __init__(self, setting: str, first: int) -> None:
        self.setting, self.first, self.fixed, self.anytime, self.runs = setting, first, 0, 0, 0

    def add(self, fixed: bool, anytime: bool) -> None:
        """Counts one study."""
        self.fixed, self.anytime, self.runs = (
            self.fixed + fixed,
            self.anytime + anytime,
            self.runs + 1,
        )

    def rows(self) -> Iterator[Row]:
        """A row for each kind of interval."""
        size = f"looks {self.first} to {LOOKS}"
        offered = "" if self.first == FIRST_LOOK else "not offered: "
        yield Row(f"{offered}--anytime", self.setting, size, LEVEL, self.anytime, self.runs)
        yield Row("for one look", self.setting, size, LEVEL, self.fixed, self.runs)


def people(setting: str, draw: Sample, first: int, runs: int, rng: np.random.Generator) -> Alarms:
    """Studies by people alone; conversations of 1 to 8 items share half of their variance."""
    alarms = Alarms(f"people, {setting}", first)
    looks = np.arange(first, LOOKS + 1)
    quantiles = np.array([t_quantile(COVERAGE, look - 1) for look in looks])
    reach = np.array([quantile_at(int(look), int(look) - 1) for look in looks])
    clusters = setting == CLUSTERED
    for _ in range(runs):
        size = rng.choice(SIZES, LOOKS) if clusters else np.ones(LOOKS, dtype=np.int64)
        group = np.repeat(np.arange(LOOKS), size)
        values = draw(rng, group.size)
        if clusters:
            values = np.sqrt(0.5) * (values + draw(rng, LOOKS)[group])
        sums = np.bincount(group, values).astype(np.float64)
        means, errors = (each[first - 1 :] for each in _every_look(sums, size))
        if not alarms.runs:  # what is quick here is what corrected_mean gives
            shipped = corrected_mean(values, np.zeros(group.size), group, weight=0.0)
            assert np.allclose([means[-1], errors[-1]], [shipped.value, shipped.error])
            assert np.isclose(at_any_time(shipped).width, 2 * reach[-1] * errors[-1])
        away = np.abs(means) / np.where(errors > 0, errors, np.inf)
        alarms.add(bool((away > quantiles).any()), bool((away > reach).any()))
    return alarms


def _every_look(sums: Floats, size: Indices) -> tuple[Floats, Floats]:
    """The mean and its standard error after each cluster, from the clusters' sums and sizes."""
    g, n = np.arange(1, sums.size + 1), np.cumsum(size)
    means = np.cumsum(sums) / n
    squares = (
        np.cumsum(sums**2) - 2 * means * np.cumsum(sums * size) + means**2 * np.cumsum(size**2)
    )
    return means, np.sqrt(np.maximum(0.0, g / np.maximum(1, g - 1) * squares)) / n


def corrected(r: float, scored: int, runs: int, rng: np.random.Generator) -> Alarms:
    """Studies of graded replies, with a judge that correlates with people by r."""
    alarms = Alarms(f"corrected, r = {r:g}, {scored} items scored", FIRST_LOOK)
    for _ in range(runs):
        drawn = graded(rng, scored)
        predictions = judged(drawn, 0.0, drawn.std(), r, rng)

        def mean(look: int, drawn: Floats = drawn, judge: Floats = predictions) -> CorrectedMean:
            known = np.where(np.arange(scored) < look, drawn, np.nan)
            return corrected_mean(known, judge)

        alarms.add(*_alarms(mean))
    return alarms


def leaning(runs: int, rng: np.random.Generator) -> Alarms:
    """Studies in which three named raters rate every reply, each leaning to a system by 0.2."""
    alarms = Alarms("people, 3 named raters who lean to a system by 0.2 sd", FIRST_LOOK)
    item, system, rater = (each.ravel() for each in np.indices((LOOKS, 2, 3)))
    for _ in range(runs):
        score = rng.normal(size=(LOOKS, 2, 1)) + rng.normal(size=(LOOKS, 2, 3))
        score[:, 0] += 0.2 * rng.normal(size=3)
        labels = score[:, 0].mean(axis=1) - score[:, 1].mean(axis=1)

        def mean(look: int, score: Floats = score, labels: Floats = labels) -> CorrectedMean:
            first = 6 * look
            single = SingleRatings(
                item[:first], rater[:first], 1.0 - 2.0 * system[:first], score.ravel()[:first]
            )
            return corrected_mean(labels[:look], np.zeros(look), ratings=single, weight=0.0)

        alarms.add(*_alarms(mean))
    return alarms


def _alarms(mean: Callable[[int], CorrectedMean]) -> tuple[bool, bool]:
    """Whether any look leaves out 0: at the interval for one look, and at that for any time."""
    fixed = anytime = False
    for look in range(FIRST_LOOK, LOOKS + 1):
        each = mean(look)
        fixed |= each.p < LEVEL
        anytime |= at_any_time(each).p < LEVEL
        if fixed and anytime:
            break
    return fixed, anytime


def rows(runs: int, seed: int) -> Iterator[Row]:
    """Every setting; those whose every look is a fit of its own in a quarter of the runs."""
    rng = np.random.default_rng(seed)
    for first in (FIRST_LOOK, FEWEST_LABELLED):
        for setting, draw in PEOPLE.items():
            yield from people(setting, draw, first, runs, rng).rows()
        yield from people(CLUSTERED, PEOPLE["normal"], first, runs, rng).rows()
    yield from leaning(runs // 4, rng).rows()
    for r, scored in ((0.6, ITEMS), (0.8, LOOKS)):
        yield from corrected(r, scored, runs // 4, rng).rows()


STUDY = SimulationStudy("Looks after every rating (`compare --ratings --anytime`)", TEXT, rows)
