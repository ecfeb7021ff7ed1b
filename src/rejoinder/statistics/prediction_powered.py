"""The mean of few labels, corrected by predictions of all: prediction-powered inference.

People rated some items, and a judge scored all of them. The judge's mean over all items is precise
and may be biased; on the rated items its bias can be measured (Angelopoulos et al. 2023,
arXiv 2301.09633 and 2311.01453). Here a label is the difference of two systems' ratings of an item, a
prediction the difference of their scores.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.clusters import Groups, effective_size, freedom_of, influences
from rejoinder.statistics.conventions import NO_SPREAD
from rejoinder.statistics.correlation import average_ranks
from rejoinder.statistics.intervals import SAME, Interval
from rejoinder.statistics.rater_variance import NO_RATERS, SingleRatings, rater_variance
from rejoinder.statistics.skewed_mean import STUDENTS, Tails, skewness_of

FEWEST_LABELLED = 10
"""Fewer labelled items, or clusters of them, have no interval."""

FEWEST_CORRECTED = 20
"""With fewer the predictions are not used: where they do not follow the labels in a line, the corrected
interval of 10 to 19 holds the truth in as few as 90 of 100 studies."""

CLOSER = 0.9
"""The ranks of the predictions take their place where they leave at most this share of the labels'
variance about the line."""

MOST_WIDER = 1.03
"""A corrected interval that would be this many times as wide as that of the labels alone is not
used: lambda is 0 then."""


ALL_LABELLED = "every item has ratings, so that the difference on these items is known"
"""Why labels of all of a fixed set of items have no interval."""


@dataclass(frozen=True)
class CorrectedMean:
    """A mean estimated from labels and predictions.

    Args:
        value: The estimate.
        interval: 95%, with Student's t; none with its reason.
        p: Two-sided, of the mean 0; NaN where there is no interval.
        error: The standard error.
        weight: Lambda, the share of the predictions' correction that is used; 0 without one.
        labelled: How many items have a label.
        groups: How many clusters have a labelled item; the items where each is its own cluster.
        df: The degrees of freedom of the standard error.
        influence: float64 [clusters], what each cluster adds to the estimate's error, clusters in
            ascending order of their labels; the squares add up to the variance over clusters.
        tails: How far the interval reaches beyond Student's t.
        ranked: Whether the ranks of the predictions were used in their place.
    """

    value: float
    interval: Interval
    p: float
    error: float
    weight: float
    labelled: int
    groups: int
    df: float
    influence: Floats = field(compare=False, repr=False)
    tails: Tails = STUDENTS
    ranked: bool = False

    @property
    def width(self) -> float:
        """The width of the interval; NaN where there is none."""
        return self.interval.high - self.interval.low


def corrected_mean(
    labels: Floats,
    predictions: Floats,
    groups: NDArray[np.generic] | None = None,
    probabilities: Floats | None = None,
    ratings: SingleRatings | None = None,
    weight: float | None = None,
    fixed: bool = False,
    room: tuple[float, float] = (0.0, 0.0),
) -> CorrectedMean:
    """The mean of labels over all items, with the help of predictions.

    With L the n labelled items and U the N others, labels d and predictions f,
    ``theta = mean_L(d) - lambda (mean_L(f) - mean_U(f))`` with the variance
    ``var_L(d - lambda f) / n + lambda^2 var_U(f) / N`` (Angelopoulos et al. 2023, arXiv 2311.01453),
    where both variances are unbiased and the quantile is Student's with n - 2 degrees of freedom, since
    labels are few. Over clusters both are the jackknife's (see `clusters.influences`), and the degrees
    of freedom are one less than `clusters.freedom_of` the labelled ones.

    Lambda of an item is ``s b N / (n + N)``: b is the slope of d on f over the clusters of the others,
    so that no label chooses its own correction, and ``s = max(0, 1 - 1 / F)`` shrinks it by the
    slope's F statistic over all labels (Copas 1983). A lambda that would make the interval more than
    3% wider than that of the labels alone is 0.

    With probabilities of having been labelled, the labelled items weigh one over them (Hajek 1971), and
    are compared with all items in place of the others.

    Predictions that do not follow the labels in a line (grades beside a score that grows like their
    exponential) are replaced by their ranks among all m, stretched over the same range, where these
    leave at most 0.9 times as much of the labels' variance about the line.

    Where the terms are strongly skewed the interval reaches further to that side, and with ``room`` it
    allows for labels near an end of the scale that no labelled item shows (see `skewed_mean.Tails`).

    ``fixed`` is of these m items, and not of more like them: what the labelled ones do not know is the
    rest alone (Cochran 1977, section 7.3). With e = d - b f, b the lambda of comparing with all items,
    the estimate errs by ``mean_L(e)`` less the mean of e over all items, whose variance is
    ``(1 - n / m) var_L(e) / n``; with probabilities pi each labelled item's square counts 1 - pi.

    Args:
        labels: float64 [m], NaN where an item has no label.
        predictions: float64 [m], without NaN.
        groups: [m], the cluster of each item; None takes each item by itself.
        probabilities: float64 [m], of an item's having been drawn for labelling, within (0, 1]; read
            where it has a label. None: all alike.
        ratings: The single ratings that the labels are means of, where raters have names: raters are
            then a second source of variance.
        weight: A fixed lambda, the same for every item; 0 uses the labels alone, with n - 1 degrees of
            freedom, as where every item has a label. None chooses it as above.
        fixed: The interval is of the mean over these items; otherwise over all items like them.
        room: How far below, and above, the mean label one more label could lie; 0 where that is not known.

    Returns:
        The estimate; without an interval for fewer than 10 labelled clusters, and without predictions
        for fewer than 20.

    Raises:
        InputError: The arrays differ in length, no item has a label, or the probability of a labelled
            item is not within (0, 1].

    >>> d = np.array([1.0, 0, 2, 1, 0, 1, 3, 1, 0, 1, 2, 0])
    >>> d = np.tile(d, 2)
    >>> both = corrected_mean(np.append(d, np.full(100, np.nan)), np.append(d, np.arange(100) % 4))
    >>> round(both.value, 2), round(corrected_mean(d, d, weight=0.0).value, 2)
    (1.4, 1.0)
    """
    sample = _Sample.of(labels, predictions, groups, probabilities)
    given = ratings, fixed, room
    alone = _estimate(sample, np.zeros(sample.n), *given)
    if weight == 0 or not sample.compared.size:
        return alone
    if weight is not None:
        return _estimate(sample, np.full(sample.n, weight), *given)
    if len(sample.labelled) < FEWEST_CORRECTED:
        return alone
    followed = or_ranks(labels, predictions)
    if ranked := followed is not predictions:
        sample = _Sample.of(labels, followed, groups, probabilities)
    # By items alone: of two widths that few raters make large, the smaller is small by chance.
    weights, none = _weights(sample), np.zeros(sample.n)
    width, without = (_estimate(sample, each, None, fixed, room).width for each in (weights, none))
    if not width <= MOST_WIDER * without:
        return alone
    return replace(_estimate(sample, weights, *given), ranked=ranked)


def or_ranks(labels: Floats, predictions: Floats) -> Floats:
    """The predictions, or their ranks over the same range where labels follow these more closely.

    Args:
        labels: float64 [m], NaN where an item has no label.
        predictions: float64 [m].

    >>> f = np.exp(np.arange(8.0))
    >>> or_ranks(np.append(np.arange(6.0), [np.nan, np.nan]), f).round(1).tolist()[:3]
    [1.0, 157.5, 314.0]
    """
    least, span = float(predictions.min()), float(np.ptp(predictions))
    if not span > 0:
        return predictions
    ranks = average_ranks(predictions)
    ranks = (ranks - ranks.min()) / np.ptp(ranks)
    has = np.isfinite(labels)
    left = [_left(labels[has], each[has]) for each in ((predictions - least) / span, ranks)]
    return least + span * ranks if left[1] < CLOSER * left[0] else predictions


def _left(y: Floats, x: Floats) -> float:
    """The share of the variance of y that is left about a line over x; 1 where one does not vary."""
    x, y = x - x.mean(), y - y.mean()
    both = float((x * x).sum() * (y * y).sum())
    return 1 - float((x * y).sum()) ** 2 / both if both > NO_SPREAD**4 else 1.0


def labels_saved(corrected: CorrectedMean, alone: CorrectedMean) -> float:
    """The share of labels that the predictions save: ``1 - (width with / width without)^2``.

    An interval shrinks with the root of the number of labels. 0 where the predictions were not used,
    below 0 where they made the interval wider; NaN where an interval is missing.
    """
    return 1 - (corrected.width / alone.width) ** 2 if alone.width > 0 else math.nan


class _Sample(NamedTuple):
    """Labelled items, and those that they are compared with.

    Args:
        d: The labels (float64 [n]).
        f: The predictions of the same items (float64 [n]).
        share: float64 [n], how much each labelled item counts; they add up to 1.
        chance: The probability of each labelled item's having a label (float64 [n]).
        compared: The predictions of the others (float64 [N]); of all items where shares differ.
        scale: What turns the slope into lambda: N / (n + N), below 1; or 1 where all are compared.
        labelled: The clusters of the labelled items.
        cluster: The cluster of each labelled item, numbered over all items (int64 [n]).
        compared_cluster: Those of the others (int64 [N]).
        clusters: How many clusters there are.
    """

    d: Floats
    f: Floats
    share: Floats
    chance: Floats
    compared: Floats
    scale: float
    labelled: Groups
    cluster: Indices
    compared_cluster: Indices
    clusters: int

    @property
    def n(self) -> int:
        """How many items have a label."""
        return self.d.size

    @classmethod
    def of(
        cls,
        labels: Floats,
        predictions: Floats,
        groups: NDArray[np.generic] | None,
        probabilities: Floats | None,
    ) -> _Sample:
        labels, predictions = (np.asarray(each, dtype=np.float64) for each in (labels, predictions))
        if labels.ndim != 1 or labels.shape != predictions.shape:
            raise InputError(
                f"corrected_mean: {labels.shape} labels for {predictions.shape} predictions; give one "
                "vector of each, with NaN where an item has no label"
            )
        has = np.isfinite(labels)
        if not has.any() or not np.isfinite(predictions).all():
            raise InputError(
                "corrected_mean: expected a label or more, and a prediction of every item"
            )
        m, n = labels.size, int(has.sum())
        names = np.arange(m) if groups is None else np.asarray(groups)
        _, code = np.unique(names, return_inverse=True)
        chance = np.full(n, n / m) if probabilities is None else _checked(probabilities, has)
        share = 1 / chance
        uniform = probabilities is None or np.ptp(share) <= NO_SPREAD * share.max()
        others = ~has if uniform else np.ones(m, dtype=np.bool_)
        return cls(
            labels[has],
            predictions[has],
            share / share.sum(),
            chance,
            predictions[others],
            1 - n / m if uniform else 1.0,
            Groups.of(names[has], n),
            code[has],
            code[others],
            int(code.max()) + 1,
        )


def _checked(probabilities: Floats, has: NDArray[np.bool_]) -> Floats:
    """The probabilities of the labelled items: float64 [n], each within (0, 1]."""
    probabilities = np.asarray(probabilities, dtype=np.float64)
    if probabilities.shape != has.shape:
        raise InputError(
            f"corrected_mean: {probabilities.shape} probabilities for {has.shape} labels; give one of "
            "each, with NaN where an item has no label"
        )
    wrong = np.flatnonzero(has & ~((probabilities > 0) & (probabilities <= 1)))
    if wrong.size:
        raise InputError(
            f"corrected_mean: probability {probabilities[wrong[0]]:g} of the labelled item at place "
            f"{wrong[0]}; expected one within (0, 1]; give that of the item's having been drawn"
        )
    return probabilities[has]


def _weights(sample: _Sample) -> Floats:
    """Lambda of every labelled item: float64 [n], from the labels of the other clusters."""
    share, groups = sample.share, sample.labelled
    unit = float(np.abs(sample.f).max()) or 1.0  # so that no square overflows, or vanishes
    f = sample.f / unit - share @ (sample.f / unit)
    d = sample.d - share @ sample.d
    spread, product = share * f * f, share * f * d
    total = float(spread.sum())
    if not total > NO_SPREAD**2:
        return np.zeros(sample.n)
    slope = float(product.sum()) / total
    g = len(groups)
    pull = groups.sums(share * f * (d - slope * f))
    variance = g / (g - 2) * float((pull**2).sum()) / total**2
    shrunk = max(0.0, 1 - variance / slope**2) if slope else 0.0
    # The others' slope, about their own means: the sums of a weighted regression less one cluster.
    rest, of_f, of_d = 1 - groups.sums(share), groups.sums(share * f), groups.sums(share * d)
    spreads = total - groups.sums(spread) - of_f**2 / rest
    products = float(product.sum()) - groups.sums(product) - of_f * of_d / rest
    varied = spreads > NO_SPREAD * total
    slopes = np.where(varied, products, 0.0) / np.where(varied, spreads, 1.0)
    return slopes[groups.code] * shrunk * sample.scale / unit


def _estimate(
    sample: _Sample,
    weights: Floats,
    ratings: SingleRatings | None,
    fixed: bool,
    room: tuple[float, float],
) -> CorrectedMean:
    """The estimate with a lambda for every labelled item, and the mean of these for the others."""
    share, used = sample.share, bool(weights.any())
    centre = sample.compared.mean() if used else 0.0
    shift = float(share @ weights)
    rest = sample.d - weights * (sample.f - centre)
    value = float(share @ rest)
    g = len(sample.labelled)
    unseen = 1 - sample.chance if fixed else np.ones(sample.n)
    if fixed:
        rest = sample.d - weights / sample.scale * (sample.f - centre) if used else sample.d
    terms = np.sqrt(unseen) * share * (rest - share @ rest)
    influence = influences(terms, sample.cluster, sample.clusters)
    apart = np.zeros_like(influence)
    if used and not fixed:
        terms = shift * (sample.compared - centre) / sample.compared.size
        apart = influences(terms, sample.compared_cluster, sample.clusters)
        influence = influence + apart
    variance = float((influence**2).sum())
    sizes = sample.labelled.sums(share)
    number = 1 + freedom_of(sizes)
    df = max(1.0, number - 1 - used)
    reason = None
    if ratings is not None:
        of_raters = rater_variance(
            ratings, sample.labelled, share, rest - sample.d, float(share @ unseen)
        )
        variance, df = of_raters.beside(variance, df)
        reason = NO_RATERS if of_raters.scope == "no raters" else None
    error = math.sqrt(variance)
    below, above = (side * float(share @ unseen) for side in room)
    skewness = skewness_of(influence, error, number, sizes)
    # Clusters that are worth more independent items than their number show more failures, were there any:
    # halfway, since failures may come together more than other differences do.
    alike = effective_size(rest, sample.labelled) / sample.labelled.least_effective
    shown = min(sample.n, number * math.sqrt(alike))
    tails = Tails(skewness, below, above, shown, math.sqrt(float((apart**2).sum())))
    if g < FEWEST_LABELLED:
        reason = f"fewer than {FEWEST_LABELLED} labelled clusters"
    if reason is None and variance <= NO_SPREAD**2 and not min(below, above) > 0:
        reason = ALL_LABELLED if fixed and not unseen.any() else SAME
    facts = (error, shift, sample.n, g, df, influence, tails)
    return CorrectedMean(*tails.inference(value, error, df, reason), *facts)
