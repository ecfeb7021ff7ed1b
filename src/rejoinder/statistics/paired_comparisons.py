"""Strengths of systems from contests: Bradley and Terry's model, Davidson's for ties, covariates.

A contest of systems a and b is won by a, won by b, or tied. With
``eta = strength_a - strength_b + x . coefficients``,

    P(a) = e^(eta/2) / Z,   P(b) = e^(-eta/2) / Z,   P(tie) = nu / Z,   Z = the sum of the three

(Davidson 1970). Without ties it is the model of Bradley and Terry (1952). Covariates x are differences
of a and b, such as of the lengths of their replies: a strength is then what is left when both are
alike in them. A judge's votes may have a discrimination d of their own, so that eta is
``d (strength_a - strength_b) + x . coefficients``; d is 1 for people, 0 for a judge who tosses a
coin, and above 1 for one who tells systems apart more sharply than people do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.contest_likelihood import ContestLikelihood, Contests
from rejoinder.statistics.conventions import (
    LEVEL,
    NO_SPREAD,
    check_level,
    check_resamples,
    too_few_groups,
)
from rejoinder.statistics.head_to_head import reaches, reason_no_strengths
from rejoinder.statistics.intervals import SAME, percentiles
from rejoinder.statistics.student import t_quantile, two_sided_p

Ties = Literal["half", "davidson"]
"""A tie as half a win for either system, or as an outcome of its own."""

CLOSE = 1e-10
"""The iteration ends where no parameter moves by more."""

STEPS = 1000

SINGULAR = 1e-12
"""An information matrix with a smaller eigenvalue (scaled) cannot be inverted."""

UNBOUNDED = (
    "the likelihood has no maximum: ties, a covariate or a judge separate wins from losses; collect "
    "more contests, or leave covariates or judges out"
)


@dataclass(frozen=True, eq=False)
class Fit:
    """Maximum likelihood estimates.

    Attributes:
        model: The contests and their likelihood.
        parameters: float64 [p]: strengths, coefficients of covariates, log nu (if estimated) and
            discriminations. All NaN where ``reason`` says why there are none.
        inverse: The inverse of the observed information (float64 [p, p]).
        reason: Why there are no estimates; None where there are.
    """

    model: ContestLikelihood
    parameters: Floats
    inverse: Floats
    reason: str | None

    @property
    def strengths(self) -> Floats:
        """float64 [systems], log odds, mean 0."""
        return self.parameters[: self.model.contests.systems]

    @property
    def coefficients(self) -> Floats:
        """float64 [k], of the covariates, in log odds per unit."""
        return self.parameters[self.model.of_covariates]

    @property
    def tie(self) -> float:
        """Nu, the odds of a tie against sqrt(P(a) P(b)); NaN where a tie is half a win."""
        return float(np.exp(self.parameters[self.model.of_tie])) if self.model.ties else np.nan

    def covariance(self, *groupings: NDArray[np.generic] | None) -> Floats:
        """The sandwich estimate of the covariance of all parameters, over clusters of contests.

        ``A^-1 B A^-1``, with B of the scores of the clusters (`ContestLikelihood.outer`). With two ways to
        group (by item and by rater) it is the sum of both less that of their intersections (Cameron, Gelbach
        and Miller 2011), with negative eigenvalues set to 0.

        Args:
            *groupings: One or two; each a label for each contest, [n], or None: each is alone.

        Returns:
            float64 [p, p], in the order of ``parameters``. NaN where there are no estimates.
        """
        if self.reason:
            return np.full_like(self.inverse, np.nan)
        n = self.model.contests.a.size
        labels = [_labels(each, n) for each in groupings]
        meat = sum((self.model.outer(self.parameters, each) for each in labels), start=0.0)
        if len(labels) == 2:
            both = labels[0] * (int(labels[1].max()) + 1) + labels[1]
            meat = meat - self.model.outer(self.parameters, both)
        covariance = self.inverse @ meat @ self.inverse
        if len(labels) == 2:
            values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
            covariance = (vectors * np.maximum(values, 0)) @ vectors.T
        return covariance


def fit(contests: Contests, ties: Ties = "half", names: Sequence[str] | None = None) -> Fit:
    """Estimates strengths by maximum likelihood (Fisher's scoring).

    Args:
        contests: At least one.
        ties: ``davidson``: a tie is an outcome of its own, with the parameter nu; ``half``: half a win
            for either system.
        names: What the systems are called, for the reason; None numbers them.

    >>> wins = Contests(np.zeros(4, int), np.ones(4, int), np.array([1, 1, 1, -1]), 2)
    >>> fit(wins).strengths.round(6).tolist()  # half of log 3
    [0.549306, -0.549306]
    """
    model = ContestLikelihood(contests, ties == "davidson" and bool((contests.winner == 0).any()))
    reason = reason_no_strengths(model.points(), names)
    if not reason and model.ties and not contests.winner.any():
        reason = "all contests are ties: how likely a tie is beside a win cannot be estimated"
    parameters = None if reason else _estimates(model)
    inverse = None if parameters is None else _inverse(model.slope(parameters, observed=True)[1])
    if parameters is None or inverse is None:
        none = np.full((model.size, model.size), np.nan)
        return Fit(model, none[0], none, reason or UNBOUNDED)
    return Fit(model, parameters, inverse, None)


@dataclass(frozen=True, eq=False)
class ParameterIntervals:
    """Intervals of all parameters.

    Attributes:
        low: float64 [p], NaN without an interval.
        high: float64 [p].
        reason: Why there are no intervals; None where there are.
        undefined: How many resamples had no estimates and were left out.
    """

    low: Floats
    high: Floats
    reason: str | None
    undefined: int = 0

    @classmethod
    def none(cls, fitted: Fit, reason: str | None) -> ParameterIntervals:
        """No intervals, for this reason."""
        none = np.full(fitted.parameters.shape, np.nan)
        return cls(none, none, reason)


def parameter_intervals(
    fitted: Fit, covariance: Floats, clusters: Groups, level: float = LEVEL, noun: str = "items"
) -> ParameterIntervals:
    """Intervals of all parameters: ``estimate -+ t * standard error``, t with `Groups.freedom`.

    Args:
        fitted: The estimates.
        covariance: `Fit.covariance`.
        clusters: The grouping with the fewest degrees of freedom.
        level: The coverage.
        noun: What a cluster is called, for the reason.

    Raises:
        ParameterError: A level outside (0, 1).
    """
    check_level(level)
    errors = np.sqrt(np.maximum(np.diagonal(covariance), 0))  # rounding may leave less than 0
    reason = fitted.reason or too_few_groups(len(clusters), noun)
    if not reason and errors[: fitted.strengths.size].max() <= NO_SPREAD:
        reason = SAME
    if reason:
        return ParameterIntervals.none(fitted, reason)
    width = t_quantile(level, clusters.freedom) * errors
    return ParameterIntervals(fitted.parameters - width, fitted.parameters + width, None)


def bootstrap_intervals(
    fitted: Fit, clusters: Groups, resamples: int, rng: np.random.Generator, level: float = LEVEL
) -> ParameterIntervals:
    """Percentile bootstrap intervals of all parameters, over clusters of contests.

    Args:
        fitted: The estimates.
        clusters: Those of the contests.
        resamples: How many.
        rng: Where the randomness comes from.
        level: The share of resamples within.

    Returns:
        None of them where there are no estimates, fewer than 4 clusters, or no estimates in more than 5%
        of the resamples: a system's few wins or losses are then all missing from many of them.

    Raises:
        ParameterError: A level outside (0, 1), or fewer than one resample.
    """
    check_resamples(resamples)
    if reason := fitted.reason or too_few_groups(len(clusters)):
        return ParameterIntervals.none(fitted, reason)
    again = np.full((resamples, fitted.model.size), np.nan)
    for rows, contests_of_resamples in clusters.resampled(resamples, rng):
        for row, contests in zip(rows, contests_of_resamples, strict=True):
            model = fitted.model.resampled(contests)
            parameters = None
            if reaches(model.points()).all():
                parameters = _climb(model, fitted.parameters)
            if parameters is not None:
                again[row] = parameters
    ends = [percentiles(each, level) for each in again.T]
    low, high = np.array([(end.low, end.high) for end in ends]).T
    return ParameterIntervals(low, high, ends[0].reason, ends[0].undefined)


def p_of_differences(fitted: Fit, covariance: Floats, clusters: Groups) -> Floats:
    """Two-sided Wald tests of all differences of two strengths, by Student's t.

    Args:
        fitted: The estimates.
        covariance: `Fit.covariance`.
        clusters: The grouping with the fewest degrees of freedom.

    Returns:
        float64 [systems, systems], symmetric; NaN where it is undefined.
    """
    systems = fitted.strengths.size
    strengths = covariance[:systems, :systems]
    variance = np.diagonal(strengths)[:, None] + np.diagonal(strengths)[None, :] - 2 * strengths
    p = np.full((systems, systems), np.nan)
    if fitted.reason or too_few_groups(len(clusters)):
        return p
    for i, j in zip(*np.triu_indices(systems, 1), strict=True):
        if variance[i, j] > NO_SPREAD**2:
            t = (fitted.strengths[i] - fitted.strengths[j]) / np.sqrt(variance[i, j])
            p[i, j] = p[j, i] = two_sided_p(float(t), clusters.freedom)
    return p


def _estimates(model: ContestLikelihood) -> Floats | None:
    """The parameters of the largest likelihood; None where it has no maximum.

    Discriminations begin at 1, from the strengths that are best where all judges are like people:
    between equal strengths every discrimination is as likely.
    """
    parameters = np.zeros(model.size)
    if model.contests.judges:
        plain = ContestLikelihood(replace(model.contests, judge=None), model.ties)
        alike = _climb(plain, np.zeros(plain.size))
        if alike is None:
            return None
        parameters[: plain.size] = alike
        parameters[model.of_judges] = 1.0
    return _climb(model, parameters)


def _climb(model: ContestLikelihood, parameters: Floats) -> Floats | None:
    """The parameters of the largest likelihood, by Fisher's scoring with halved steps; None: none."""
    value = model.value(parameters)
    for _ in range(STEPS):
        gradient, information = model.slope(parameters, observed=False)
        inverse = _inverse(information)
        if inverse is None:
            return None
        step = inverse @ gradient
        while (after := model.value(parameters + step)) < value - CLOSE * (1 + abs(value)):
            step = step / 2
        parameters, value = parameters + step, after
        if np.abs(step).max() < CLOSE:
            return parameters
    return None


def _inverse(information: Floats) -> Floats | None:
    """The inverse of an information matrix; None where some parameter cannot be told from others."""
    scale = np.sqrt(np.maximum(np.diagonal(information), np.finfo(float).tiny))
    scaled = information / np.outer(scale, scale)
    if np.linalg.eigvalsh(scaled)[0] < SINGULAR:
        return None
    return np.linalg.inv(scaled) / np.outer(scale, scale)


def _labels(groups: NDArray[np.generic] | None, n: int) -> Indices:
    """Groups numbered from 0: int64 [n]."""
    return np.arange(n) if groups is None else np.unique(groups, return_inverse=True)[1].ravel()
