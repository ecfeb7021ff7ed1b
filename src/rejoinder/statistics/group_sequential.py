"""Looks at a study that goes on: boundaries, the intervals that go with them, and when to give up.

A study is planned for a maximum of information, ``I = 1 / error^2`` of its estimate, and looked at on the
way. At fractions ``t`` of that maximum the score ``S = z sqrt(t)`` moves like Brownian motion whose drift is
the true difference in units of the final standard error, so that what a look costs can be computed
(Armitage, McPherson and Rowe 1969; Jennison and Turnbull 2000, chapter 19).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.student import t_quantile, two_sided_p

NORMAL = NormalDist()

SPENT = 0.046
"""What the boundaries of a study may spend in all. The rest up to 0.05 is what estimated variances cost:
with looks every 10 ratings 4.7 to 5.0% of studies without a difference are found to have one."""

NEXT_TO_NOTHING = 1e-9
"""A look that may spend less has no boundary, and the next one may spend it."""

WIDEST = 7.0
"""A grid ends at so many standard deviations."""

CONDITIONAL, FUTILE_FROM = 0.2, 0.3
"""A study is futile where the power that is left under the planned effect is below the first, from the
second share of the planned information on."""

DRAWS = 20_000
"""How often the statistics of all pairs at all looks are drawn together."""


def spent(fraction: float, alpha: float = SPENT) -> float:
    """How much of ``alpha`` may be spent until a fraction of the planned information.

    ``2 - 2 Phi(z_{1 - alpha / 2} / sqrt(t))``, the spending function of O'Brien and Fleming's type (Lan and
    DeMets 1983): next to nothing early, so that little is left to pay at the end.

    >>> [round(spent(t, 0.05), 5) for t in (0.2, 0.5, 1.0)]
    [1e-05, 0.00557, 0.05]
    """
    if fraction >= 1:
        return alpha
    return math.erfc(NORMAL.inv_cdf(1 - alpha / 2) / math.sqrt(2 * fraction))


class Stage(NamedTuple):
    """The paths that go on after a look: a grid on the positive half, since without a drift both are alike.

    Args:
        time: The information of the look.
        boundary: In units of the score, ``z sqrt(time)``.
        futile: Below this |score| the study is given up; 0 where it is not.
        nodes: float64 [m], the grid of the paths that go on.
        mass: float64 [m], the probability of each node.
    """

    time: float
    boundary: float
    futile: float
    nodes: Floats
    mass: Floats


class Exits(NamedTuple):
    """How likely a study ends at each look, in each way.

    Args:
        up: float64 [k], above the boundary.
        down: float64 [k], below the boundary of the other sign.
        futile: float64 [k], given up.
    """

    up: Floats
    down: Floats
    futile: Floats


class StageWise(NamedTuple):
    """What a study that has ended says of the drift.

    Args:
        low: The lower end of the interval.
        high: The upper end.
        median: The median-unbiased estimate: as likely too high as too low.
        p: Two-sided, of no drift, as if no study were given up.
    """

    low: float
    high: float
    median: float
    p: float


@dataclass(frozen=True)
class Monitoring:
    """Looks at so much information, with their boundaries.

    Attributes:
        stages: One for each look.
    """

    stages: tuple[Stage, ...]

    @classmethod
    def of(
        cls,
        times: Sequence[float],
        total: Sequence[float],
        futile: Callable[[float, float], float] | None = None,
        wider: float = 1.0,
    ) -> Monitoring:
        """Boundaries that have spent ``total`` of the level after each look.

        Args:
            times: The information of each look, ascending, in any unit.
            total: What the looks may spend together up to each, two-sided.
            futile: From the time of a look and its boundary (both in units of the score) to the |score| below
                which the study is given up. Boundaries do not count on it: a study may go on (non-binding).
                It is for forecasts.
            wider: By what boundaries are multiplied for several pairs.

        Raises:
            InputError: No look, or times that do not ascend from above 0.

        >>> two = Monitoring.of([0.5, 1.0], [0.003051, 0.05])
        >>> two.boundaries.round(3).tolist()
        [2.963, 1.969]
        """
        if not len(times) or len(times) != len(total) or not np.all(np.diff([0.0, *times]) > 0):
            raise InputError(
                f"looks at times {list(times)}; expected one or more, each later than the one before, and "
                "for each what may be spent"
            )
        boundaries, stages, used = [], [], 0.0
        for look, time in enumerate(times):
            boundary = _boundary(_last(stages), time, total[look] - used)
            boundaries.append(boundary)
            used = max(used, total[look]) if math.isfinite(boundary) else used
            stages.append(_stage(stages, times, boundary, 0.0))
        if futile is None and wider == 1:
            return cls(tuple(stages))
        stages = []
        for time, narrow in zip(times, boundaries, strict=True):
            boundary = wider * narrow
            given_up = min(boundary, max(0.0, futile(time, boundary))) if futile else 0.0
            stages.append(_stage(stages, times, boundary, given_up))
        return cls(tuple(stages))

    @property
    def boundaries(self) -> Floats:
        """By look how many standard errors the estimate must be from 0: float64 [k]."""
        return np.array([each.boundary / math.sqrt(each.time) for each in self.stages])

    def exits(self, drift: float) -> Exits:
        """How likely the study ends at each look where the drift is this, in a unit of time.

        >>> Monitoring.of([1.0], [0.05]).exits(2.8016).up.round(3).tolist()
        [0.8]
        """
        up, down, futile = [], [], []
        for look, stage in enumerate(self.stages):
            paths = _paths(_last(self.stages[:look]), drift)
            up.append(_above(paths, stage, stage.boundary, drift))
            down.append(_above(paths, stage, -stage.boundary, drift, below=True))
            inside = _above(paths, stage, -stage.futile, drift)
            inside -= _above(paths, stage, stage.futile, drift)
            futile.append(max(0.0, inside) if stage.futile else 0.0)
        return Exits(np.array(up), np.array(down), np.array(futile))

    def stage_wise(self, z: float, level: float = 0.95, beyond: Sequence[float] = ()) -> StageWise:
        """The interval of the drift after the last of these looks, where the study ended.

        Results are ordered by the look at which a study ends and its side, and by z at the same look
        (Tsiatis, Rosner and Mehta 1984): p of a drift is the probability of ending higher. Where studies
        near 0 are given up, those that go on are above or below them; two results are then ordered by the
        first look that parts them, which needs no later look, and increases with the drift.

        Args:
            z: The estimate over its standard error, at the last look.
            level: The coverage.
            beyond: By earlier look the score that this study was beyond when it went on, with the sign of
                its side, where a study nearer to 0 would have been given up; 0 where none would.

        >>> alone = Monitoring.of([4.0], [0.05]).stage_wise(2.0)
        >>> [round(each, 3) for each in alone]
        [0.02, 1.98, 1.0, 0.046]
        """
        scale = math.sqrt(self.stages[-1].time)
        free = self._higher(z * scale, [0.0] * len(self.stages))
        higher = self._higher(z * scale, beyond) if any(beyond) else free
        shares = (1 - level) / 2, (1 + level) / 2, 0.5
        ends = [_root(higher, share, z / scale, 1 / scale) for share in shares]
        none = free(0.0)
        return StageWise(*ends, p=min(1.0, 2 * min(none, 1 - none)))

    def _higher(self, score: float, beyond: Sequence[float]) -> Callable[[float], float]:
        """From a drift to the probability of ending higher than with this score at the last look."""
        *earlier, last = self.stages
        time, where, mass = 0.0, np.zeros(1), np.ones(1)
        parts = []
        for look, (stage, past) in enumerate(zip(earlier, beyond, strict=False)):
            if not stage.nodes.size and not past:
                continue
            step, bound = stage.time - time, stage.boundary
            high = min(bound, WIDEST * math.sqrt(stage.time))
            low = -high
            if past > 0:
                low = min(past, high)
            elif past < 0:
                bound = high = max(past, low)
            parts.append((where, mass, time, step, bound))
            nodes, weight = _grid(low, high, min(step, self.stages[look + 1].time - stage.time))
            density = np.exp(-(((nodes[:, None] - where) / math.sqrt(step)) ** 2) / 2) @ mass
            time, where, mass = stage.time, nodes, weight * density / math.sqrt(2 * math.pi * step)
        parts.append((where, mass, time, last.time - time, score))
        where, mass, *rest = (np.concatenate(each) for each in zip(*(
            np.broadcast_arrays(*each) for each in parts), strict=True))  # fmt: skip
        time, step, bound = rest
        sd = np.sqrt(step)

        def higher(drift: float) -> float:
            likelier = np.exp(drift * where - drift * drift / 2 * time)
            return float((mass * likelier) @ _cdf((where + drift * step - bound) / sd))

        return higher


def conditional_power(z: float, time: float, drift: float, final: float) -> float:
    """How likely the last boundary is crossed on the estimate's side, where the planned effect is true.

    Args:
        z: The estimate over its standard error, now.
        time: The share of the planned information, now.
        drift: The planned effect in final standard errors.
        final: The last boundary, in standard errors.

    >>> round(conditional_power(0.0, 0.5, 2.8, 1.96), 3)
    0.214
    """
    if time >= 1:
        return float(abs(z) >= final)
    return NORMAL.cdf((abs(z) * math.sqrt(time) + drift * (1 - time) - final) / math.sqrt(1 - time))


def futile_below(
    drift: float, final: float, least: float = CONDITIONAL
) -> Callable[[float, float], float]:
    """By the time of a look the |score| with less `conditional_power` than ``least``, for `Monitoring.of`.

    Args:
        drift: The planned effect in final standard errors.
        final: The last boundary, in standard errors.
        least: The power below which a study is futile.
    """

    def below(time: float, boundary: float) -> float:
        if time < FUTILE_FROM or time >= 1:
            return boundary if time >= 1 else 0.0
        return final + math.sqrt(1 - time) * NORMAL.inv_cdf(least) - drift * (1 - time)

    return below


def in_t(z: float, df: float) -> float:
    """The quantile of Student's t beyond which lies as much as beyond z of the normal distribution.

    >>> round(in_t(1.959964, 10), 3)
    2.228
    """
    return t_quantile(1 - math.erfc(z / math.sqrt(2)), df) if z < 8 else math.inf


def in_z(t: float, df: float) -> float:
    """`in_t` turned around: the normal deviate that is as rare as t.

    >>> round(in_z(-2.228139, 10), 3)
    -1.96
    """
    p = max(two_sided_p(t, df), 1e-300)
    return math.copysign(-NORMAL.inv_cdf(p / 2), t) if p < 1 else 0.0


def reach_of_pairs(
    boundaries: Floats,
    times: Floats,
    pairs: Sequence[tuple[int, int]],
    rng: np.random.Generator,
    draws: int = DRAWS,
) -> Floats:
    """How many times one pair's boundary each pair reaches at most, where no system differs.

    Systems vary alike and apart from each other, as in Tukey's range: pairs that share one are correlated
    by a half. Estimated correlations would change with every look, and with them what a look decided.

    Args:
        boundaries: float64 [k], of one pair, in standard errors.
        times: float64 [k], the information of each look.
        pairs: The places of the systems of each pair.
        rng: Of the draws.
        draws: How many.

    Returns:
        float64 [draws, pairs].
    """
    one, other = np.array(pairs).T
    steps = np.sqrt(np.diff(times, prepend=0.0) / 2)
    score = np.zeros((draws, int(max(one.max(), other.max())) + 1))
    reached = np.zeros((draws, len(pairs)))
    for step, time, boundary in zip(steps, times, boundaries, strict=True):
        score += step * rng.standard_normal(score.shape)
        apart = np.abs(score[:, one] - score[:, other]) / (math.sqrt(time) * boundary)
        reached = np.maximum(reached, apart)
    return reached


def wider_for_all(reached: Floats, alpha: float = SPENT) -> float:
    """By what the boundaries of one pair are multiplied so that all pairs and looks together err in alpha.

    Since it is for the maximum over the pairs that are not decided, whichever of them have no difference,
    it errs in alpha (strong control).

    Args:
        reached: float64 [draws, pairs], of `reach_of_pairs`.
        alpha: The level of all together.

    Returns:
        1 or more.

    >>> one, rng = Monitoring.of([1.0], [0.05]), np.random.default_rng(0)
    >>> pairs = [(0, 1), (0, 2), (1, 2)]  # Tukey's 2.344 in the place of 1.96
    >>> round(wider_for_all(reach_of_pairs(one.boundaries, np.ones(1), pairs, rng), 0.05), 1)
    1.2
    """
    return max(1.0, float(np.quantile(reached.max(axis=1), 1 - alpha)))


# -- the grid


def _last(stages: Sequence[Stage]) -> Stage | None:
    """The last look that could end the study: before another one paths go on as they are."""
    return next((each for each in reversed(stages) if each.nodes.size), None)


@cache
def _legendre(nodes: int) -> tuple[Floats, Floats]:
    """Gauss and Legendre's nodes and weights on (0, 1)."""
    x, weight = np.polynomial.legendre.leggauss(nodes)
    return (x + 1) / 2, weight / 2


@cache
def _table() -> tuple[Floats, Floats]:
    """Phi at multiples of 1/512 from -9.5 to 9.5, and its density."""
    x = np.arange(-9.5, 9.5 + 1e-9, 1 / 512)
    phi = np.array([math.erfc(-each / math.sqrt(2)) / 2 for each in x])
    return phi, np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _cdf(x: Floats) -> Floats:
    """Phi of many numbers: cubic between the values and slopes of `_table`, within 1e-13."""
    phi, density = _table()
    place = (np.minimum(np.maximum(x, -9.49), 9.49) + 9.5) * 512
    at = place.astype(np.int64)
    u = place - at
    left, right = phi[at], phi[at + 1]
    slope, end = density[at] / 512, density[at + 1] / 512
    d = right - left
    return left + u * (slope + u * (3 * d - 2 * slope - end + u * (slope + end - 2 * d)))


def _boundary(before: Stage | None, time: float, allowed: float) -> float:
    """The score that a path without drift exceeds in size with probability ``allowed`` at this look.

    Newton's method on the logarithm of that probability, which is concave: after one step it is never
    left of the root.
    """
    if allowed < NEXT_TO_NOTHING:
        return math.inf
    boundary = math.sqrt(time) * -NORMAL.inv_cdf(allowed / 2)
    if before is None:
        return boundary
    sd = math.sqrt(time - before.time)
    boundary = min(boundary, before.boundary + 5 * sd)
    both = np.concatenate([before.nodes, -before.nodes])
    mass = np.concatenate([before.mass, before.mass])
    for _ in range(50):
        x = (both - boundary) / sd
        tail = 2 * float(mass @ _cdf(x))
        density = 2 * float(mass @ np.exp(-x * x / 2)) / (sd * math.sqrt(2 * math.pi))
        step = math.log(tail / allowed) * tail / density
        boundary += step
        if abs(step) < 1e-10 * boundary:
            break
    return boundary


def _grid(low: float, high: float, step: float) -> tuple[Floats, Floats]:
    """Nodes and weights on an interval of scores, fine enough for a step of so much information."""
    unit, weight = _legendre(16 * math.ceil((10 + 2.2 * (high - low) / math.sqrt(step)) / 16))
    return low + (high - low) * unit, (high - low) * weight


def _stage(
    earlier: Sequence[Stage], times: Sequence[float], boundary: float, futile: float
) -> Stage:
    """The paths that go on between ``futile`` and ``boundary``; no grid where that is all of them."""
    look = len(earlier)
    time, before = times[look], _last(earlier)
    if not math.isfinite(boundary) and not futile:
        return Stage(time, boundary, futile, np.empty(0), np.empty(0))
    low, high = futile, max(futile, min(boundary, WIDEST * math.sqrt(time)))
    step = time - (before.time if before else 0.0)
    nodes, weight = _grid(
        low, high, min([step, *(each - time for each in times[look + 1 : look + 2])])
    )
    sd = math.sqrt(step)
    if before is None:
        density = np.exp(-((nodes / sd) ** 2) / 2)
    else:
        apart = (nodes[:, None] - before.nodes) / sd, (nodes[:, None] + before.nodes) / sd
        density = sum(np.exp(-(each**2) / 2) @ before.mass for each in apart)
    density = density / (sd * math.sqrt(2 * math.pi))
    return Stage(time, boundary, futile, nodes, weight * density)


def _paths(before: Stage | None, drift: float) -> tuple[float, Floats, Floats]:
    """The paths that reach a look, with their drift: the time before it, where they are, how many.

    With a drift a path to ``s`` at time ``t`` is ``exp(drift s - drift^2 t / 2)`` times as likely.
    """
    if before is None:
        return 0.0, np.zeros(1), np.ones(1)
    both = np.concatenate([before.nodes, -before.nodes])
    likelier = np.exp(drift * both - drift * drift * before.time / 2)
    return before.time, both, np.concatenate([before.mass, before.mass]) * likelier


def _above(
    paths: tuple[float, Floats, Floats],
    stage: Stage,
    score: float,
    drift: float,
    below: bool = False,
) -> float:
    """The share of the paths that is above (or below) a score at the next look."""
    time, where, mass = paths
    step = stage.time - time
    x = (where + drift * step - score) / math.sqrt(step)
    return float(mass @ _cdf(-x if below else x))


def _root(function: Callable[[float], float], share: float, start: float, step: float) -> float:
    """Where an increasing function of a drift is ``share``: false position with halved ends (Illinois)."""
    low = high = start
    below = above = function(start) - share
    while below > 0:
        low, step = low - step, 2 * step
        below = function(low) - share
    while above < 0:
        high, step = high + step, 2 * step
        above = function(high) - share
    side = 0
    for _ in range(100):
        if above - below < 1e-12 or high - low < 1e-9 * (abs(low) + abs(high)):
            break
        middle = (low * above - high * below) / (above - below)
        value = function(middle) - share
        if abs(value) < 1e-10:
            return middle
        if value < 0:
            low, below, above = middle, value, above / 2 if side < 0 else above
        else:
            high, above, below = middle, value, below / 2 if side > 0 else below
        side = -1 if value < 0 else 1
    return (low + high) / 2
