"""How a judge's marks differ from people's ratings: severity, slope, correlation, errors by system.

For a reply with the mean rating p of k raters and the judge's mark f, ``f = a + b q + error`` with q
what very many raters would say on average. The severity of raters is taken off their ratings first.
Everything here is a function of sums over replies, so that leaving out a cluster is a subtraction, and
standard errors are the jackknife's over clusters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.clusters import Groups, freedom_of
from rejoinder.statistics.conventions import NO_SPREAD, too_few_groups
from rejoinder.statistics.intervals import SAME
from rejoinder.statistics.rating_matrix import RaterEffects, Severity, mean_ratings
from rejoinder.statistics.skewed_mean import t_inference
from rejoinder.statistics.standard_error import standard_errors


class Estimate(NamedTuple):
    """A number with its interval and its test.

    Args:
        value: NaN where it is undefined.
        low: The end of the 95% interval, by Student's t; NaN without one.
        high: The other.
        p: Two-sided, that the number is what it would be for a judge like people (0; 1 of a slope).
        n: How many replies it rests on.
        reason: Why something is NaN; None where nothing is.
    """

    value: float
    low: float
    high: float
    p: float
    n: int
    reason: str | None


@dataclass(frozen=True)
class JudgeErrors:
    """A judge beside people.

    Attributes:
        severity: Mean mark less mean rating. Below 0 is severe. Of one scale alone a statement on
            severity.
        slope: b, the marks' units for one of the ratings', within systems, corrected for the raters'
            noise where that is known. Its p is of a slope of 1.
        correlation: Pearson's, of marks and mean ratings, all replies together.
        within: The same within systems: deviations from each system's means.
        corrected: ``within / sqrt(reliability)``: what the correlation would be with very many
            raters. The estimate can exceed 1 by chance; its interval ends at 1.
        reliability: Of the mean ratings, within systems: the share of their variance that is not the
            raters' noise.
        systems: By system the mean of the error ``(f - a) / b - p``, in units of the ratings; above 0
            the judge favours the system.
        effects: By covariate the error for each unit of it, within systems.
        calibration: How marks became ratings for the errors: ``slope``, or ``as they are`` where the
            raters' noise is unknown and the marks are on their scale.
        errors: The error of each reply (float64 [n]); NaN where the judge has none.
        noise: The variance that the raters' noise gives a reply's mean rating; NaN where unknown. What a
            rater adds to one system is no noise, as in ``reliability``.
        noise_left_out: The same without each cluster (float64 [clusters]).
    """

    severity: Estimate
    slope: Estimate
    correlation: Estimate
    within: Estimate
    corrected: Estimate
    reliability: Estimate
    systems: tuple[Estimate, ...]
    effects: tuple[Estimate, ...]
    calibration: str
    errors: Floats
    noise: float
    noise_left_out: Floats


EQUAL_MARKS = "all marks are equal"

NO_REPEATS = "each reply has one rating: the raters' noise cannot be estimated"
FEW_REPEATS = "too few replies have several ratings: the raters' noise cannot be estimated"
NO_RELATION = (
    "the judge's marks follow people's ratings too loosely for an error in rating points: the slope is "
    "not known well enough"
)
OTHER_SCALE = ", and the marks are on another scale"
NOT_COMPARABLE = (
    "raters fall into groups without a reply in common, and severity cannot be told from quality"
)

LEAST_SLOPE = 2.0
"""A slope below so many half-widths of its interval gives no unit."""

BOUNDS = {"reliability": (0, 1)} | dict.fromkeys(("correlation", "within", "corrected"), (-1, 1))
"""Where an interval by Student's t ends at the latest: beyond lies no correlation, and no share."""

WITHIN_SYSTEMS = ("slope", "within", "corrected", "reliability", "noise")
"""What is of deviations from each system's means."""

ROUNDING = 1e-9
"""A standard error below so much of its value is what is left of sums and of steps of a fit."""

BASIC, FURTHER, NOISE = 6, 4, 4
"""How many sums there are of a system; of a covariate in a system; and of the raters' noise."""


def judge_errors(
    ratings: Floats,
    marks: Floats,
    system: Indices,
    groups: NDArray[np.generic],
    covariates: Floats | None = None,
    same_scale: bool = True,
    rater_severity: Severity = "adjusted",
) -> JudgeErrors:
    """Compares a judge with people.

    p is the mean rating less the severity of its raters (`RaterEffects`). The raters' noise is the
    variance of ratings about that additive fit, pooled over replies. Within systems, raters have a
    severity of their own for each system, where there are ratings enough: that a rater favours a system
    is no noise there. The slope is
    ``cov(f, p) / (var(p) - noise)`` within systems, so that a system that the judge favours does not
    bend it; the mean error over all replies is 0 by the choice of a. Where the noise is unknown the
    slope is too flat, and would make every good system look favoured: errors then take marks as they
    are, if they are on the raters' scale.

    Args:
        ratings: float64 [n, raters], NaN where a rater did not rate a reply; at least one each.
        marks: float64 [n], finite.
        system: int64 [n], from 0, each with a reply.
        groups: [n], the cluster of each reply (its context, or its conversation).
        covariates: float64 [n, k], such as the length of the reply; None: none.
        same_scale: Whether marks are on the raters' scale.
        rater_severity: ``kept``: p is the mean rating, and severity a part of the raters' noise.

    Raises:
        InputError: Shapes do not agree, or a mark or covariate is not finite.
    """
    effects = RaterEffects.of(ratings, rater_severity)
    sums = _Sums.of(effects, marks, system, groups, covariates)
    of_systems = sums.sizes()
    clusters = of_systems.sum(axis=1)
    repeats = sums.total[-2] > 0
    agreement, each = sums.agreement(sums.total), sums.agreement(sums.left_out)
    if (inside_systems := _Sums.within_systems(effects, marks, system, groups)) is not None:
        for known, part in ((agreement, inside_systems.total), (each, inside_systems.left_out)):
            within = inside_systems.agreement(part)
            known |= {name: within[name] for name in WITHIN_SYSTEMS}
    n = len(marks)

    def of_all(name: str, beside: float = 0.0, reason: str | None = None) -> Estimate:
        of = cluster_estimate(float(agreement[name]), each[name], beside, n, clusters, reason)
        low, high = np.clip((of.low, of.high), *BOUNDS.get(name, (-np.inf, np.inf))).tolist()
        return of._replace(low=low, high=high)

    equal = EQUAL_MARKS if n and np.ptp(marks) <= NO_SPREAD else None
    apart = None if effects.connected() else NOT_COMPARABLE
    inside = None if effects.connected(system) else NOT_COMPARABLE
    slope = of_all("slope", 1.0, inside or equal)
    no_noise = FEW_REPEATS if (np.isfinite(ratings).sum(axis=1) > 1).any() else NO_REPEATS
    unknown = inside or (None if repeats else no_noise)
    calibration = "slope" if repeats else "as they are"
    reason = inside or (None if repeats or same_scale else no_noise + OTHER_SCALE)
    if (
        reason is None
        and repeats
        and not abs(slope.value) > LEAST_SLOPE * (slope.high - slope.value)
    ):
        reason = NO_RELATION
    unit = (agreement["slope"], each["slope"]) if repeats else (np.ones(()), np.ones(clusters.size))
    errors, errors_left_out = sums.errors(sums.total, unit[0]), sums.errors(sums.left_out, unit[1])
    p = effects.means
    of_replies = np.full(n, np.nan)
    if reason is None and apart is None:
        of_replies = (marks - marks.mean()) / float(unit[0]) - (p - p.mean())
    replies = np.bincount(system, minlength=sums.systems)
    return JudgeErrors(
        of_all("severity"),
        slope,
        of_all("correlation", reason=apart or equal),
        of_all("within", reason=inside or equal),
        of_all("corrected", reason=unknown or equal),
        of_all("reliability", reason=unknown),
        tuple(
            cluster_estimate(
                float(errors.systems[s]), errors_left_out.systems[:, s], 0.0, int(replies[s]),
                of_systems[:, s], apart or reason,
            )
            for s in range(sums.systems)
        ),
        tuple(
            cluster_estimate(
                float(errors.effects[k]), errors_left_out.effects[:, k], 0.0, n, clusters, reason
            )
            for k in range(sums.covariates)
        ),
        calibration,
        of_replies,
        float(agreement["noise"]) if unknown is None else np.nan,
        each["noise"],
    )  # fmt: skip


def cluster_estimate(
    value: float, left_out: Floats, beside: float, n: int, clusters: Floats, reason: str | None
) -> Estimate:
    """The interval of a value by its jackknife over clusters, and its test against ``beside``.

    The degrees of freedom are `freedom_of` the clusters' sizes, float64 [g]; one of size 0 is none.

    Args:
        value: The value.
        left_out: The value without each cluster, [g].
        beside: The value that it is tested against.
        n: Number of observations.
        clusters: Number of observations of each cluster, [g].
        reason: Why there is no interval; None: look whether there is one.
    """
    reason = reason or too_few_groups(int((clusters > 0).sum()), "clusters")
    if reason is None and not np.isfinite(value):
        reason = "no variation"
    if reason is None and not np.isfinite(left_out).all():
        reason = "undefined without one of the clusters: too little variation"
    error = float(standard_errors(left_out)) if reason is None else np.nan
    if reason is None and not error > max(NO_SPREAD, ROUNDING * abs(value)):
        reason = SAME
    if reason is not None:
        known = value if reason not in _NO_VALUE else np.nan
        return Estimate(known, np.nan, np.nan, np.nan, n, reason)
    influence = math.sqrt(1 - 1 / left_out.size) * (left_out.mean() - left_out)
    _, interval, p = t_inference(
        value, influence, freedom_of(clusters), beside=beside, sizes=clusters
    )
    return Estimate(value, interval.low, interval.high, p, n, None)


_NO_NOISE = (NO_REPEATS, FEW_REPEATS)
_NO_VALUE = (
    *_NO_NOISE,
    *(f"{each}{OTHER_SCALE}" for each in _NO_NOISE),
    NO_RELATION,
    NOT_COMPARABLE,
)


class _Errors(NamedTuple):
    systems: Floats
    effects: Floats


@dataclass(frozen=True)
class _Sums:
    """Sums over all replies, and without each cluster, of deviations from the means of all.

    The columns are, for each system: n, p, f, p^2, p f, f^2; for each covariate and system: x, x^2,
    x p, x f; at last the mean rating with its raters' severity, the squares about the additive fit, their
    degrees of freedom, and the variance of p for noise of variance 1.
    """

    total: Floats
    left_out: Floats
    systems: int
    covariates: int
    severity: float

    @classmethod
    def of(
        cls,
        effects: RaterEffects,
        marks: Floats,
        system: Indices,
        groups: NDArray[np.generic],
        covariates: Floats | None,
    ) -> _Sums:
        n = len(effects.matrix)
        x = np.zeros((n, 0)) if covariates is None else np.asarray(covariates, np.float64)
        if not marks.shape == system.shape == (n,) or len(x) != n:
            raise InputError(
                f"judge: {n} rated replies, marks of shape {marks.shape}, systems of shape "
                f"{system.shape}, covariates of shape {x.shape}; give one of each for each reply"
            )
        if not (np.isfinite(marks).all() and np.isfinite(x).all()):
            raise InputError("judge: a mark or a covariate is not finite; leave such replies out")
        mean, p = mean_ratings(effects.matrix), effects.means
        severity = float(marks.mean() - mean.mean())
        marks, x = marks - marks.mean(), x - x.mean(axis=0)
        mean, p = mean - mean.mean(), p - p.mean()
        systems = int(system.max()) + 1
        member = np.eye(systems)[system]
        present = effects.shares > 0
        number = present.sum(axis=1)
        leverage, of_reply = _leverage(effects, member)

        def rows(p: Floats, residuals: Floats) -> Floats:
            basic = np.stack([np.ones(n), p, marks, p * p, p * marks, marks * marks], axis=1)
            further = np.stack([x, x * x, x * p[:, None], x * marks[:, None]], axis=2)
            squares = np.where(present, residuals**2, 0.0).sum(axis=1)
            parts = [
                (member[:, :, None] * basic[:, None, :]).reshape(n, -1),
                (member[:, None, :, None] * further[:, :, None, :]).reshape(n, -1),
                np.stack([mean, squares, number - 1.0, 1.0 / number + of_reply], axis=1),
            ]
            return np.concatenate(parts, axis=1)

        residuals, clusters = effects.residuals, Groups.of(groups, n)
        whole = rows(p, residuals)
        total = whole.sum(axis=0)
        total[-2:] += -effects.rank, leverage
        if not effects.rank:
            return cls(total, total - clusters.sums(whole), systems, x.shape[1], severity)
        # Without a cluster the severities change, and with them p: a quadratic function of the change.
        cluster = np.unique(groups, return_inverse=True)[1]
        change = effects.changes(cluster)
        moved = change[cluster]
        shift = (effects.shares * moved).sum(axis=1)
        left_out = total - clusters.sums(rows(p - shift, residuals - moved + shift[:, None]))
        linear = (rows(p + 1, residuals) - rows(p - 1, residuals)) / 2
        left_out -= change @ (effects.shares.T @ linear)
        for s in range(systems):
            shares = effects.shares[system == s]
            left_out[:, s * BASIC + 3] += ((change @ (shares.T @ shares)) * change).sum(axis=1)
        left_out[:, -3] += ((change @ effects.normal) * change).sum(axis=1)
        ratings = present.sum(axis=0)
        gone = (clusters.sums(present.astype(np.float64)) == ratings) & (ratings > 0)
        left_out[:, -2] += gone.sum(axis=1)
        return cls(total, left_out, systems, x.shape[1], severity)

    @classmethod
    def within_systems(
        cls, effects: RaterEffects, marks: Floats, system: Indices, groups: NDArray[np.generic]
    ) -> _Sums | None:
        """The sums where a rater has a severity for each system; None where ratings are too few for it.

        They are too few where the raters of a system have too few replies in common, and where more than
        half of the degrees of freedom would go. Only what is `WITHIN_SYSTEMS` can be had of these sums.
        """
        rated = np.isfinite(effects.matrix)
        freedom, rank = int(rated.sum()) - len(system), 0
        cluster = np.unique(groups, return_inverse=True)[1]
        clusters, systems = int(cluster.max()) + 1, int(system.max()) + 1
        basic, noise = np.zeros((1 + clusters, systems, BASIC)), np.zeros((1 + clusters, NOISE))
        for s in range(systems if effects.rank else 0):
            of_system = system == s
            fit = RaterEffects.of(effects.matrix[of_system][:, rated[of_system].any(axis=0)])
            rank += fit.rank
            if not fit.connected() or 2 * (freedom - rank) < freedom - effects.rank:
                return None
            one = np.zeros(int(of_system.sum()), np.int64)
            sums = cls.of(fit, marks[of_system], one, cluster[of_system], None)
            every = np.tile(sums.total, (1 + clusters, 1))
            every[1 + np.unique(cluster[of_system])] = sums.left_out
            basic[:, s], noise = every[:, :BASIC], noise + every[:, BASIC:]
        if not effects.rank or freedom <= rank:
            return None
        whole = np.concatenate([basic.reshape(1 + clusters, -1), noise], axis=1)
        return cls(whole[0], whole[1:], systems, 0, np.nan)

    def sizes(self) -> Floats:
        """How many replies of each system a cluster has: float64 [clusters, S]."""
        return np.rint(self._system_sums(self.total - self.left_out)[..., 0])

    def agreement(self, sums: Floats) -> dict[str, Floats]:
        """What holds of all replies: float64 [...] each."""
        each = self._system_sums(sums)
        number = each[..., 0].sum(axis=-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            pp, pf, ff = _within(each)
            df = number - (each[..., 0] > 0).sum(axis=-1)
            mean, squares, repeats, inverse = (sums[..., -k] for k in (4, 3, 2, 1))
            noise = np.where(repeats > 0, squares / repeats, 0.0) * inverse / number
            true = pp / df - noise
            true = np.where(true > NO_SPREAD * pp, true, np.nan)
            reliability = true / (pp / df)
            within = pf / np.sqrt(pp * ff)
            _, p, f, p2, both, f2 = np.moveaxis(each.sum(axis=-2), -1, 0)
            pooled = both - p * f / number
            return {
                "severity": self.severity + (f - mean) / number,
                "slope": pf / df / true,
                "correlation": pooled / np.sqrt((p2 - p * p / number) * (f2 - f * f / number)),
                "within": within,
                "corrected": within / np.sqrt(reliability),
                "reliability": reliability,
                "noise": noise,
            }

    def errors(self, sums: Floats, slope: Floats) -> _Errors:
        """The mean error of each system, [..., S], and its slope on each covariate, [..., k]."""
        each = self._system_sums(sums)
        number = each[..., 0]
        with np.errstate(invalid="ignore", divide="ignore"):
            total = number.sum(axis=-1)
            mean_p, mean_f = (each[..., k].sum(axis=-1) / total for k in (1, 2))
            unit = np.asarray(slope)[..., None]
            of_marks = (each[..., 2] / number - mean_f[..., None]) / unit
            systems = of_marks - (each[..., 1] / number - mean_p[..., None])
            begin, end = self.systems * BASIC, sums.shape[-1] - NOISE
            shape = (*sums.shape[:-1], self.covariates, self.systems, FURTHER)
            x, xx, xp, xf = np.moveaxis(sums[..., begin:end].reshape(shape), -1, 0)
            n, p, f = (each[..., None, :, k] for k in range(3))
            xx, xp, xf = (
                np.where(n > 0, square - x * other / n, 0.0).sum(axis=-1)
                for square, other in ((xx, x), (xp, p), (xf, f))
            )
            return _Errors(systems, (xf / unit - xp) / xx)

    def _system_sums(self, sums: Floats) -> Floats:
        """float64 [..., S, 6]."""
        return sums[..., : self.systems * BASIC].reshape(*sums.shape[:-1], self.systems, BASIC)


def _leverage(effects: RaterEffects, member: Floats) -> tuple[float, Floats]:
    """What the estimated severities add to the sum of the variances of p within systems.

    Args:
        effects: The fit.
        member: float64 [n, S], 1 for the system of each reply.

    Returns:
        The sum, for noise of variance 1; and float64 [n], by how much it falls without each reply.
    """
    shares, inverse = effects.shares, effects.inverse
    apart = shares - member @ (member.T @ shares / member.sum(axis=0)[:, None])
    through = inverse @ (apart.T @ apart) @ inverse
    direct = ((apart @ inverse) * apart).sum(axis=1)
    number = (shares > 0).sum(axis=1)
    of_item = (shares > 0) @ np.diag(through) - number * ((shares @ through) * shares).sum(axis=1)
    return float(direct.sum()), direct - of_item


def _within(each: Floats) -> tuple[Floats, Floats, Floats]:
    """Sums of squares and products of deviations from each system's means: p p, p f and f f."""
    n, p, f, pp, pf, ff = np.moveaxis(each, -1, 0)
    parts = ((pp, p, p), (pf, p, f), (ff, f, f))
    return tuple(np.where(n > 0, ab - a * b / n, 0.0).sum(axis=-1) for ab, a, b in parts)  # type: ignore[return-value]
