"""Systems compared by people alone: does the interval hold for the raters for whom it is said to hold?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rejoinder.human_evaluation.by_people.estimates import mean_difference, unpaired_difference
from rejoinder.human_evaluation.by_people.replies import RatedReplies
from rejoinder.human_evaluation.rater_effects import FEWEST_RANDOM, RaterEffects, RaterRule
from rejoinder.statistics.intervals import Interval
from rejoinder.statistics.rating_matrix import mean_ratings
from simulations.study import COVERAGE, Row, SimulationStudy

ITEMS, RATERS, LEANING, SEVERITY = 40, (2, 3, 5, 20), (0.0, 0.2, 0.5), 0.5
EFFECTS: tuple[RaterEffects, ...] = ("fixed", "random")

TEXT = """
Two equal systems, 40 rated items (of each system 40 of its own where they share none), and raters who each
rate every reply of both with a severity of their own (standard deviation 0.5) and noise of 1; the systems'
replies differ by 1 from item to item. "Lean by 0.2": what a rater likes one system better than the other has
a standard deviation of 0.2 over raters. Fixed rater effects answer for these raters: the truth is what they
would say of very many items. Random ones answer for all raters: the truth is 0. Without `--rater-effects`
effects are fixed with 2 and 3 raters and random with 5 and 20; 2 raters have no random effects. An interval
for other raters is never narrower than that for these alone, so that it holds a little more often than 95 of
100 times where raters are alike. Where one of three raters rates one system alone, the ratings of that rater
do not count in the difference, and the truth is what the other two would say.
"""


def rows(runs: int, seed: int) -> Iterator[Row]:
    """Both rules for few and many raters, where systems share their items and where they share none."""
    for raters in RATERS:
        for leaning in LEANING:
            for shared in (True, False):
                rng = np.random.default_rng([seed, raters, int(10 * leaning), shared])
                yield from _of(raters, leaning, shared, runs, rng)
    for leaning in LEANING:
        rng = np.random.default_rng([seed, 3, int(10 * leaning), 2])
        yield from _of(3, leaning, True, runs, rng, alone=True)


def _of(
    raters: int,
    leaning: float,
    shared: bool,
    runs: int,
    rng: np.random.Generator,
    alone: bool = False,
) -> Iterator[Row]:
    held = dict.fromkeys(EFFECTS[: 1 if alone else 1 + (raters >= FEWEST_RANDOM)], 0)
    for _ in range(runs):
        single, truth = _study(raters, leaning, shared, rng, alone)
        for effects in held:
            interval = _interval(single, effects)
            aim = truth if effects == "fixed" else 0.0
            held[effects] += bool(interval.low <= aim <= interval.high)
    setting = f"{'the same items' if shared else 'no common item'}, raters lean by {leaning:g}"
    setting += ", one rates one system alone" * alone
    for effects in held:
        default = RaterRule.of(None, [f"r{r}" for r in range(raters)]).random == (
            effects == "random"
        )
        what = f"{effects} effects{' (the default)' * default}"
        yield Row(what, setting, f"{raters} raters", COVERAGE, held[effects], runs)


def _study(
    raters: int, leaning: float, shared: bool, rng: np.random.Generator, alone: bool
) -> tuple[np.ndarray, float]:
    """The ratings, float64 [2, items, raters], and what those of both systems would say of many items."""
    items = ITEMS if shared else 2 * ITEMS
    quality = rng.normal(size=(2, items, 1)) / np.sqrt(2)
    favour = leaning * rng.normal(size=raters)
    single = quality + SEVERITY * rng.normal(size=raters) + rng.normal(size=(2, items, raters))
    single[0] += favour
    if not shared:
        single[0, ITEMS:] = single[1, :ITEMS] = np.nan
    if alone:
        single[1, :, -1] = np.nan
    return single, float(favour[: raters - alone].mean())


def _interval(single: np.ndarray, effects: RaterEffects) -> Interval:
    raters = [f"r{r}" for r in range(single.shape[2])]
    replies = RatedReplies(
        systems=("a", "b"),
        ratings=mean_ratings(single.reshape(-1, len(raters))).reshape(single.shape[:2]),
        single=single,
        probabilities=None,
        group=np.arange(single.shape[1]),
        groups_are="items",
        raters=tuple(raters),
        rule=RaterRule.of(effects, raters),
    )
    mean = mean_difference(replies, 0, 1)
    return (mean if mean.labelled else unpaired_difference(replies, 0, 1)).interval


STUDY = SimulationStudy(
    "By people alone: for these raters or for others (`compare --ratings`)", TEXT, rows
)
