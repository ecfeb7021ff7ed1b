"""`monitored_difference.follow` of many studies at once, for simulations; tests hold both together."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.group_sequential import CONDITIONAL, FUTILE_FROM, NEXT_TO_NOTHING, SPENT
from rejoinder.statistics.monitored_difference import PlannedStudy

Flags = NDArray[np.bool_]
_Z = ndtri(0.975)
_LARGEST = 14


def _table() -> tuple[Floats, Floats]:
    """Gauss and Legendre's nodes and weights on (0, 1), 16 in each further row."""
    nodes, weights = np.zeros((2, _LARGEST + 1, 16 * _LARGEST))
    for row in range(1, _LARGEST + 1):
        x, weight = np.polynomial.legendre.leggauss(16 * row)
        nodes[row, : 16 * row], weights[row, : 16 * row] = (x + 1) / 2, weight / 2
    return nodes, weights


NODES, WEIGHTS = _table()


class Estimates(NamedTuple):
    """The estimates of many studies at every look.

    Args:
        looks: The numbers of rated items (int64 [k]).
        value: float64 [runs, k].
        error: float64 [runs, k].
        df: float64 [runs, k].
    """

    looks: Indices
    value: Floats
    error: Floats
    df: Floats


class Courses(NamedTuple):
    """What looks say of many studies.

    Args:
        z: float64 [runs, k].
        boundary: float64 [runs, k], in standard errors; NaN after the end of the information.
        last: The look at which the information or the items end (int64 [runs]).
        better: The first look at which a system is better; k where none is (int64 [runs]).
        futile: The first look that is futile, or k (int64 [runs]).
        joint: Whether the repeated intervals of all looks hold the effect (bool [runs]).
        error: float64 [runs, k].
        given_up: Below which \\|z\\| a look is futile; 0 where none is (float64 [runs, k]).
    """

    z: Floats
    boundary: Floats
    last: Indices
    better: Indices
    futile: Indices
    joint: Flags
    error: Floats
    given_up: Floats

    @property
    def end(self) -> Indices:
        """The look at which a study ends that gives up where it is futile."""
        return np.minimum(np.minimum(self.better, self.futile), self.last)

    @property
    def found(self) -> Flags:
        """Whether such a study finds a system better."""
        return self.better <= np.minimum(self.futile, self.last)


def courses(found: Estimates, plan: PlannedStudy, effect: float) -> Courses:
    """The looks of many studies.

    Args:
        found: Their estimates.
        plan: What the design promises.
        effect: The true difference.
    """
    looks, value, error, df = found
    fraction = 1 / error**2 / plan.information
    over = (fraction >= 1) | (looks >= plan.most)
    last = np.where(over.any(axis=1), over.argmax(axis=1), looks.size - 1)
    alpha = 2 * ndtr(ndtri(SPENT / 2) / np.sqrt(np.minimum(fraction, 1)))
    total = np.where(over, SPENT, np.maximum.accumulate(alpha, axis=1) if plan.stopping else 0.0)
    total = np.maximum.accumulate(total, axis=1)
    boundary = bounds(looks / plan.most, total, last)
    z = in_z(value / error, df)
    finite = np.isfinite(boundary)
    beyond = np.where(finite, -stdtrit(df, ndtr(-np.where(finite, boundary, 1.0))), np.inf) * error
    until = np.arange(looks.size) <= last[:, None]
    outside = (np.abs(value - effect) > beyond) & until
    crossed = (np.abs(z) >= boundary) & until
    drift = plan.effect * math.sqrt(plan.information)
    rest = 1 - np.minimum(fraction, 1 - 1e-12)
    given_up = plan.final + np.sqrt(rest) * ndtri(CONDITIONAL) - drift * rest
    given_up = np.maximum(given_up, 0) / np.sqrt(1 - rest)
    asked = plan.futility and (fraction >= FUTILE_FROM) & (fraction < 1)
    given_up = np.where(asked, given_up, 0.0)
    futile = (np.abs(z) < given_up) & until & ~crossed & ~over
    return Courses(
        z,
        boundary,
        last,
        _first(crossed),
        _first(futile),
        np.logical_not(outside.any(axis=1)),
        error,
        given_up,
    )


def places(found: Estimates, plan: PlannedStudy, effect: float, of: Courses, late: int) -> Floats:
    """How likely a study with the true effect ends higher, by the order of the looks: float64 [runs].

    Uniform where the stage-wise interval is right: it holds the truth from .025 to .975.

    Args:
        found: The estimates.
        plan: What the design promises.
        effect: The true difference.
        of: The looks.
        late: The ratings of so many looks come after the end, unless it is a futile one.
    """
    runs, end = np.arange(len(of.end)), of.end
    final = np.where(of.found, np.minimum(end + late, found.looks.size - 1), end)
    z, error, df = (each[runs, final] for each in (of.z, found.error, found.df))
    time = found.looks[final] / plan.most
    factor = in_t(np.full(df.shape, _Z), df) / _Z * error
    drift = ((effect - found.value[runs, final]) / factor + z) / np.sqrt(time)
    times = found.looks / plan.most
    beyond = np.copysign(of.given_up * np.sqrt(times), of.z)
    scores = of.boundary * np.sqrt(times)
    return _higher(times, scores, beyond, end, time, z * np.sqrt(time), drift, NODES, WEIGHTS)


def bounds(times: Floats, total: Floats, last: Indices) -> Floats:
    """The boundaries that have spent ``total`` at each look: float64 [runs, k], NaN after the last."""
    start = np.stack(
        [total, np.diff(total, prepend=0.0, axis=1)]
    )  # of a first boundary, and others
    start = -ndtri(np.maximum(start, 1e-300) / 2) * np.sqrt(times)
    return _bounds(times, total, start, last, NODES, WEIGHTS) / np.sqrt(times)


def in_z(t: Floats, df: Floats | float) -> Floats:
    """`group_sequential.in_z` of many."""
    return np.copysign(-ndtri(stdtr(df, -np.abs(t))), t)


def in_t(z: Floats, df: Floats | float) -> Floats:
    """`group_sequential.in_t` of many."""
    return -stdtrit(df, ndtr(-z))


def _first(flags: Flags) -> Indices:
    return np.where(flags.any(axis=1), flags.argmax(axis=1), flags.shape[1])


@njit(cache=True)
def _cdf(x: float) -> float:
    return 0.5 * math.erfc(-x * 0.7071067811865476)


@njit(cache=True)
def _number(width: float, step: float) -> int:
    return min(_LARGEST, math.ceil((10 + 2.2 * width / math.sqrt(step)) / 16))


@njit(cache=True)
def _bounds(times, total, start, last, unit, weight):  # noqa: ANN001, ANN202
    runs, looks = total.shape
    found = np.full((runs, looks), np.nan)
    nodes, mass, more, fresh = np.zeros((4, unit.shape[1]))
    for run in range(runs):
        used, m, before, edge = 0.0, 0, 0.0, 0.0
        for look in range(last[run] + 1):
            time, allowed = times[look], total[run, look] - used
            if allowed < NEXT_TO_NOTHING:
                found[run, look] = np.inf
                continue
            used = total[run, look]
            sd = math.sqrt(time - before)
            bound = start[min(m, 1), run, look]
            if m:
                bound = min(bound, edge + 5 * sd)
                for _ in range(50):
                    tail = density = 0.0
                    for i in range(m):
                        for sign in (-1.0, 1.0):
                            x = (sign * nodes[i] - bound) / sd
                            if x > -8.5:
                                tail += mass[i] * _cdf(x)
                                density += mass[i] * math.exp(-x * x / 2)
                    step = (
                        math.log(2 * tail / allowed) * tail / density * sd * math.sqrt(2 * math.pi)
                    )
                    bound += step
                    if abs(step) < 1e-8 * bound:
                        break
            found[run, look] = bound
            if look == last[run]:
                break
            finest = min(time - before, times[look + 1] - time)
            row = _number(bound, finest)
            size = 16 * row
            for i in range(size):
                more[i] = bound * unit[row, i]
                value = 0.0
                if m == 0:
                    value = math.exp(-((more[i] / sd) ** 2) / 2)
                for j in range(m):
                    x = (more[i] - nodes[j]) / sd
                    y = (more[i] + nodes[j]) / sd
                    if abs(x) < 8.5:
                        value += mass[j] * math.exp(-x * x / 2)
                    if y < 8.5:
                        value += mass[j] * math.exp(-y * y / 2)
                fresh[i] = bound * weight[row, i] * value / (sd * math.sqrt(2 * math.pi))
            m, before, edge = size, time, bound
            nodes[:m], mass[:m] = more[:m], fresh[:m]
    return found


@njit(cache=True)
def _higher(times, bounds, beyond, end, final, score, drift, unit, weight):  # noqa: ANN001, ANN202
    runs = len(end)
    found = np.zeros(runs)
    nodes, mass, more, fresh = np.zeros((4, unit.shape[1]))
    for run in range(runs):
        m, before, d = 1, 0.0, drift[run]
        nodes[0], mass[0], above = 0.0, 1.0, 0.0
        for look in range(end[run] + 1):
            ends = look == end[run]
            time = final[run] if ends else times[look]
            step = time - before
            sd = math.sqrt(step)
            bound, past = bounds[run, look], beyond[run, look]
            high = min(bound, 7.0 * math.sqrt(time))
            low = -high
            if ends:
                bound = score[run]
            elif past > 0:
                low = min(past, high)
            elif past < 0:
                bound = high = max(past, low)
            elif not math.isfinite(bound):
                continue
            for j in range(m):
                above += (
                    mass[j]
                    * math.exp(d * nodes[j] - d * d / 2 * before)
                    * _cdf((nodes[j] + d * step - bound) / sd)
                )
            if ends:
                break
            following = final[run] if look + 1 == end[run] else times[look + 1]
            row = _number(high - low, min(step, following - time))
            size = 16 * row
            for i in range(size):
                more[i] = low + (high - low) * unit[row, i]
                value = 0.0
                for j in range(m):
                    x = (more[i] - nodes[j]) / sd
                    if abs(x) < 8.5:
                        value += mass[j] * math.exp(-x * x / 2)
                fresh[i] = (high - low) * weight[row, i] * value / (sd * math.sqrt(2 * math.pi))
            m, before = size, time
            nodes[:m], mass[:m] = more[:m], fresh[:m]
        found[run] = above
    return found
