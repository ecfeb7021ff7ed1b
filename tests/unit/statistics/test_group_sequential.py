"""Boundaries, intervals and designs of studies that are looked at on the way."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
import pytest

from rejoinder.errors import InputError
from rejoinder.statistics.group_sequential import (
    Monitoring,
    StageWise,
    conditional_power,
    futile_below,
    in_t,
    in_z,
    reach_of_pairs,
    spent,
    wider_for_all,
)
from rejoinder.statistics.monitored_difference import LookEstimate, PlannedStudy, follow
from rejoinder.statistics.sequential_design import looks_until, sequential_design

NORMAL = 1.959963984540054

# Equally spaced looks, alpha 0.05 two-sided, each side spending as O'Brien and Fleming's type with 0.025:
# the printed output of the programs of Reboussin, DeMets, Kim and Lan (2000), which ldbounds follows.
PUBLISHED = {
    2: [2.9626, 1.9686],
    3: [3.7103, 2.5114, 1.9930],
    4: [4.3326, 2.9631, 2.3590, 2.0141],
    5: [4.8769, 3.3569, 2.6803, 2.2898, 2.0310],  # 3.35701 by SciPy's quadrature
}

# Jennison and Turnbull (2000), tables 2.1 and 2.3: constants of Pocock and of O'Brien and Fleming, 0.05.
POCOCK = {2: 2.178, 3: 2.289, 4: 2.361, 5: 2.413, 10: 2.555}
O_BRIEN = {2: 1.977, 3: 2.004, 4: 2.024, 5: 2.040, 10: 2.087}


def _spending(looks: int, alpha: float) -> Monitoring:
    times = np.arange(1, looks + 1) / looks
    return Monitoring.of(times, [spent(t, alpha) for t in times])


@pytest.mark.parametrize("looks", PUBLISHED)
def test_boundaries_are_those_published(looks: int) -> None:
    times = np.arange(1, looks + 1) / looks
    found = Monitoring.of(times, [2 * spent(t, 0.025) for t in times]).boundaries
    np.testing.assert_allclose(found, PUBLISHED[looks], atol=1.2e-4)


@pytest.mark.parametrize(("constants", "power"), [(POCOCK, 0.0), (O_BRIEN, 0.5)])
def test_what_constant_boundaries_spend_has_them_as_boundaries(
    constants: dict[int, float], power: float
) -> None:
    """What the constants spend is counted in draws, and gives the constants back."""
    rng = np.random.default_rng(1)
    for looks, constant in constants.items():
        if looks > 3:
            continue
        times = np.arange(1, looks + 1) / looks
        score = np.cumsum(rng.standard_normal((400_000, looks)) / math.sqrt(looks), axis=1)
        beyond = np.abs(score) > constant * times ** (0.5 - power)
        total = np.maximum.accumulate(beyond, axis=1).mean(axis=0)
        assert total[-1] == pytest.approx(0.05, abs=0.0015)
        found, wanted = Monitoring.of(times, total).boundaries, constant * times**-power
        density = 2 * np.exp(-(wanted**2) / 2) / math.sqrt(2 * math.pi)
        off = np.abs(found - wanted) * density / np.sqrt(total / 400_000)
        assert (off < 3).all()


def test_exits_are_those_of_drawn_paths() -> None:
    times = np.array([0.2, 0.35, 0.6, 1.0])
    total = [spent(t) for t in times]
    free = Monitoring.of(times, total)
    assert sum(free.exits(0.0).up) * 2 == pytest.approx(0.046, abs=1e-9)
    drift = 2.9
    walk = Monitoring.of(times, total, futile_below(drift, free.boundaries[-1]))
    rng = np.random.default_rng(2)
    steps = np.diff(times, prepend=0.0)
    for true in (0.0, 1.5, drift):
        score = np.cumsum(true * steps + np.sqrt(steps) * rng.standard_normal((200_000, 4)), axis=1)
        outer = np.array([each.boundary for each in walk.stages])
        inner = np.array([each.futile for each in walk.stages])
        ends = (np.abs(score) > outer) | (np.abs(score) < inner)
        first = np.where(ends.any(axis=1), ends.argmax(axis=1), -1)
        exits = walk.exits(true)
        at = score[np.arange(len(score)), first]
        for look in range(4):
            here = first == look
            counted = (
                here & (at > outer[look]),
                here & (at < -outer[look]),
                here & (np.abs(at) < inner[look]),
            )
            for share, exact in zip(counted, (each[look] for each in exits), strict=True):
                assert share.mean() == pytest.approx(exact, abs=0.004)


def test_one_look_is_the_usual_interval() -> None:
    found = Monitoring.of([1.0], [0.05]).stage_wise(2.5)
    assert found == pytest.approx((2.5 - NORMAL, 2.5 + NORMAL, 2.5, 0.012419), abs=1e-5)


@pytest.mark.parametrize("drift", [0.0, 2.0])
def test_stage_wise_interval_covers_and_its_estimate_is_median_unbiased(drift: float) -> None:
    times = np.array([0.4, 0.7, 1.0])
    boundaries = Monitoring.of(times, [spent(t, 0.05) for t in times]).boundaries
    rng, steps = np.random.default_rng(3), np.diff(times, prepend=0.0)
    held = above = 0
    runs = 400
    for _ in range(runs):
        z = np.cumsum(drift * steps + np.sqrt(steps) * rng.standard_normal(3)) / np.sqrt(times)
        last = next((k for k in range(3) if abs(z[k]) > boundaries[k]), 2) + 1
        part = Monitoring.of(times[:last], [spent(t, 0.05) for t in times[:last]])
        found = part.stage_wise(z[last - 1])
        held += found.low <= drift <= found.high
        above += found.median > drift
    assert held / runs == pytest.approx(0.95, abs=3 * math.sqrt(0.95 * 0.05 / runs))
    assert above / runs == pytest.approx(0.5, abs=3 * math.sqrt(0.25 / runs))


def test_many_looks_spend_the_level_and_no_more() -> None:
    many = _spending(100, 0.046)
    assert 2 * many.exits(0.0).up.sum() == pytest.approx(0.046, abs=1e-8)
    assert np.isinf(many.boundaries[:10]).all()  # what they may spend is carried on
    assert np.all(np.diff(many.boundaries[12:]) < 0)


def test_conditional_power_below_is_where_it_is_futile() -> None:
    drift, final, time = 2.9, 2.1, 0.6
    score = futile_below(drift, final)(time, 9.0)
    assert conditional_power(score / math.sqrt(time), time, drift, final) == pytest.approx(0.2)
    assert futile_below(drift, final)(0.29, 9.0) == 0.0


def test_t_quantiles_and_back() -> None:
    assert in_t(NORMAL, 10) == pytest.approx(2.228139, abs=1e-5)
    for z in (-3.0, 0.0, 0.5, 4.0):
        assert in_z(in_t(abs(z), 25) * np.sign(z), 25) == pytest.approx(z, abs=1e-6)


def test_constant_for_all_pairs_holds_their_maximum() -> None:
    """Tukey's range at one look: q(0.05; 3) / sqrt(2) is 2.344, of five systems 2.728."""
    one = Monitoring.of([1.0], [0.05])
    for systems, range_ in ((3, 2.344), (5, 2.728)):
        pairs = list(itertools.combinations(range(systems), 2))
        rng = np.random.default_rng(4)
        reached = reach_of_pairs(one.boundaries, np.ones(1), pairs, rng, draws=100_000)
        assert wider_for_all(reached, 0.05) * NORMAL == pytest.approx(range_, abs=0.02)


@pytest.mark.parametrize("times", [[], [0.5, 0.5], [0.0, 1.0]])
def test_times_must_ascend(times: list[float]) -> None:
    with pytest.raises(InputError, match="each later than the one before"):
        Monitoring.of(times, [0.05] * len(times))


def test_a_design_is_the_least_that_reaches_the_power() -> None:
    """Known variances, reliability 0.6 of three raters' mean: against 300 ratings of a fixed design."""

    def information(n: np.ndarray) -> np.ndarray:
        return n / 3.0

    effect = 2.8016 * math.sqrt((1 + 2 / 3) / 100)
    fixed = sequential_design(information, effect, 0.8, stopping=False)
    assert (
        fixed.most == 182
    )  # 180 items have the variance of 100 x 3, and two are for the estimated variance
    stopped = sequential_design(information, effect, 0.8)
    assert stopped.looks[-1] == stopped.most
    assert stopped.power == pytest.approx(0.8, abs=0.003)
    shares = np.array(stopped.expected) / 300
    np.testing.assert_allclose(shares, [0.463, 0.504, 0.471, 0.266], atol=0.006)
    assert sequential_design(information, effect, 0.8, items=150).most is None


def test_looks_end_with_the_planned_maximum() -> None:
    assert looks_until(20, 10) == (20,)
    assert looks_until(40, 10) == (20, 30, 40)


@pytest.mark.parametrize(
    "effects", [(0.0, 0.3), pytest.param((0.0, 0.15, 0.3, 0.6), marks=pytest.mark.slow)]
)
def test_the_interval_holds_where_studies_near_0_are_given_up(effects, monkeypatch):
    """Known variances: where a study ends is uniform by its order, whatever the drift."""
    # All studies have the same looks: their boundaries are computed once for each number of looks. Where a
    # study ends is asked of the looks alone, which need no interval.
    boundaries, interval = cache(Monitoring.of), Monitoring.stage_wise
    monkeypatch.setattr(Monitoring, "of", lambda *each: boundaries(*map(tuple, each)))
    nothing = StageWise(*4 * [math.nan])
    rng = np.random.default_rng(3)
    times = np.arange(0.1, 1.01, 0.1)
    plan = PlannedStudy(100, 100.0, 0.3, 2.0)
    runs = 600
    for effect in effects:
        steps = rng.standard_normal((runs, times.size)) * math.sqrt(10) + 10 * effect
        value = np.cumsum(steps, axis=1) / (100 * times)
        below = inside = 0
        for each in value:
            looks = [
                LookEstimate(round(100 * t), v, 1 / math.sqrt(100 * t), 1e9)
                for t, v in zip(times, each, strict=True)
            ]
            monkeypatch.setattr(Monitoring, "stage_wise", lambda *_, **__: nothing)
            whole = follow(looks, plan)
            ends = next(k for k, look in enumerate(whole.looks, 1) if look.says != "go on")
            monkeypatch.setattr(Monitoring, "stage_wise", interval)
            course = follow(looks[:ends], plan)
            below += course.median < effect
            inside += course.low <= effect <= course.high
        assert below / runs == pytest.approx(0.5, abs=0.06)
        assert inside / runs == pytest.approx(0.95, abs=0.025)
