"""How many labels a judge would save, by how its differences correlate with people's in a pilot."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.conventions import NO_SPREAD, PERFECT
from rejoinder.statistics.intervals import Interval, jackknife_interval
from rejoinder.statistics.prediction_powered import FEWEST_CORRECTED, FEWEST_LABELLED


class SavedForecast(NamedTuple):
    """How many labels predictions would save.

    Args:
        correlation: Pearson's r of labels and predictions.
        interval: Its 95% interval; none with its reason.
        saved: The share of labels saved with as many labels and predictions as there are.
        saved_low: Its lower end.
        saved_high: Its upper end.
        most: The share with as many labels, and predictions of any number of other items.
    """

    correlation: float
    interval: Interval
    saved: float
    saved_low: float
    saved_high: float
    most: float


def forecast_saved(
    labels: Floats, predictions: Floats, others: int, groups: NDArray[np.generic] | None = None
) -> SavedForecast:
    """The share of labels that predictions would save.

    The corrected mean of n labels and N other predictions has ``1 - r^2 N / (n + N)`` times the
    variance of that of the labels alone (Angelopoulos et al. 2023, arXiv 2311.01453, with the best
    lambda), so that the share saved is ``r^2 N / (n + N)``, at most r^2. r^2 is the adjusted
    ``1 - (1 - r^2) (g - 1) / (g - 2)``, not below 0, of g clusters: by chance alone r^2 is 1 / (g - 1).
    The interval of r is the jackknife's over clusters on Fisher's scale, with Student's t.

    Args:
        labels: Differences of two systems' ratings (float64 [n]).
        predictions: The differences of their scores (float64 [n]).
        others: N, how many items have predictions alone.
        groups: [n], the cluster of each item; None takes each by itself.

    Returns:
        The forecast, a little above what `corrected_mean` saves where labels are few, because its lambda
        is shrunk; NaN with its reason for fewer than 10 clusters, or values that are all equal.

    >>> d = np.array([1.0, 0, 2, 1, 0, 1, 3, 1, 0, 1, 2, 0])
    >>> forecast = forecast_saved(d, d + np.tile([0.5, -0.5, 0.0], 4), others=100)
    >>> round(forecast.correlation, 2), round(forecast.saved, 2), round(forecast.most, 2)
    (0.94, 0.78, 0.87)
    """
    clusters = Groups.of(groups, labels.size)
    g = len(clusters)
    reason = None
    if g < FEWEST_LABELLED:
        reason = f"fewer than {FEWEST_LABELLED} rated items or clusters"
    elif np.ptp(labels) <= NO_SPREAD or np.ptp(predictions) <= NO_SPREAD:
        reason = "all differences of the ratings, or of the scores, are equal"
    if reason:
        return SavedForecast(math.nan, Interval.none(reason), *[math.nan] * 4)
    r, without = _left_out(labels, predictions, clusters)
    share = others / (labels.size + others)
    of_r = _adjusted(r, g)
    interval = Interval.none("the correlation is perfect or undefined without some items")
    if abs(r) <= PERFECT and (np.abs(without) < PERFECT).all():
        z, df = np.arctanh(without), clusters.freedom
        interval = jackknife_interval(math.atanh(r), z, df, back=math.tanh)
    if interval.reason:
        return SavedForecast(r, interval, of_r * share, math.nan, math.nan, of_r)
    low, high = interval.low, interval.high
    squares = sorted((low * low, high * high))
    least = 0.0 if low <= 0 <= high else squares[0]
    ends = min(least, of_r) * share, max(squares[1], of_r) * share
    return SavedForecast(r, interval, of_r * share, *ends, of_r)


def labels_with(labels: int, total: int, most: float) -> int:
    """How many labels do as well beside predictions as more labels do alone.

    The corrected mean of m labels, and predictions of all ``total`` items, has
    ``1 - r^2 (total - m) / total`` times the variance of the mean of m labels (see `forecast_saved`),
    and the mean of n labels has m / n times it. The two are equal for
    ``m = n (1 - r^2) / (1 - n r^2 / total)``.

    Args:
        labels: n, the labels that are needed without predictions; at most ``total``.
        total: Of how many items there are predictions.
        most: R^2, the share of labels saved with predictions of any number of items.

    Returns:
        m, rounded up; at least the 20 that a correction takes, and at most ``labels``.

    >>> labels_with(61, 200, 0.37), labels_with(61, 61, 0.37), labels_with(61, 10**9, 0.37)
    (44, 61, 39)
    """
    if labels >= total:
        return labels
    with_it = labels * (1 - most) / (1 - labels * most / total)
    return min(labels, max(FEWEST_CORRECTED, math.ceil(with_it - 1e-9)))


def _adjusted(r: float, g: int) -> float:
    return max(0.0, 1 - (1 - r * r) * (g - 1) / (g - 2))


def _left_out(x: Floats, y: Floats, groups: Groups) -> tuple[float, Floats]:
    """Pearson's r, and that with each cluster left out: float64 [g]."""
    x, y = x - x.mean(), y - y.mean()
    columns = np.stack([np.ones_like(x), x, y, x * x, y * y, x * y], axis=1)
    total = columns.sum(axis=0)

    def correlation(sums: Floats) -> Floats:
        n, of_x, of_y, xx, yy, xy = sums.T
        with np.errstate(invalid="ignore", divide="ignore"):
            return (xy - of_x * of_y / n) / np.sqrt((xx - of_x**2 / n) * (yy - of_y**2 / n))

    return float(correlation(total[None])[0]), correlation(total - groups.sums(columns))
