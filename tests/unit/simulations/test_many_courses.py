"""Many studies together are the library's studies one by one."""

from __future__ import annotations

import numpy as np
import pytest
from simulations.many_courses import courses, places
from simulations.monitored import CELLS, FITTED, FIXED_SIZE, Cell, Studies, drawn, estimated

from rejoinder.statistics.monitored_difference import BETTER, LookEstimate, follow
from rejoinder.statistics.prediction_powered import corrected_mean
from rejoinder.statistics.rater_variance import SingleRatings

ALIKE = {each.name: each for each in (*CELLS, *FITTED, *FIXED_SIZE)}


def _one(cell: Cell, of: Studies, looks: tuple[int, ...], run: int) -> list[LookEstimate]:
    """The library's estimates of one study."""
    found = []
    for n in looks:
        labels = values = of.values[run, :n]
        single, group, predictions, weight = None, None, np.zeros(n), 0.0
        if cell.raters:
            item, rater = (np.tile(each, 2) for each in (np.arange(n), of.group[run, :n]))
            scores = np.concatenate([values, np.zeros(n)])
            single = SingleRatings(item, rater, np.repeat([1.0, -1.0], n), scores, True)
        elif of.group is not None:
            group = of.group[run, :n]
        if of.judge is not None and n >= 60:
            labels, predictions, weight = np.full(of.judge.shape[1], np.nan), of.judge[run], None
            labels[:n] = values
        mean = corrected_mean(labels, predictions, group, ratings=single, weight=weight)
        found.append(LookEstimate(n, mean.value, mean.error, mean.df))
    return found


@pytest.mark.parametrize("runs", [3, pytest.param(12, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", list(ALIKE))
def test_many_studies_are_those_of_the_library(name: str, runs: int) -> None:
    cell = ALIKE[name]
    looks, plan = cell.design().looks, cell.plan()
    for multiple in (0.0, 1.0):
        effect = multiple * plan.effect
        of = drawn(cell, plan.most, effect, runs, np.random.default_rng(5))
        every = estimated(cell, of, looks)
        own = courses(every, plan, effect)
        higher = places(every, plan, effect, own, cell.late)
        for run in range(runs):
            one = _one(cell, of, looks, run)
            many = np.stack([each[run] for each in every[1:]], axis=1)
            np.testing.assert_allclose([each[1:] for each in one], many, rtol=1e-6, atol=1e-9)
            course = follow(one, plan)
            assert (course.says == BETTER) == (own.better[run] <= own.last[run])
            boundaries = [each.boundary for each in course.looks]
            np.testing.assert_allclose(boundaries, own.boundary[run, : len(boundaries)], rtol=1e-8)
            end = int(own.end[run])
            last = min(end + cell.late, len(one) - 1) if own.found[run] else end
            course = follow(one[: end + 1], plan, every=one[last])
            assert (course.low <= effect <= course.high) == (0.025 <= higher[run] <= 0.975)
            assert (course.median > effect) == (higher[run] < 0.5)
