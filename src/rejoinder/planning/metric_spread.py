"""How the difference of two systems' scores varies with the number of items, or of clusters."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from rejoinder.kernels.arrays import Floats
from rejoinder.metrics.engine.jackknife import difference_errors
from rejoinder.metrics.engine.resampling import narrow
from rejoinder.metrics.engine.rows import Matrix
from rejoinder.metrics.means import MeanMetric
from rejoinder.progress import steps
from rejoinder.scoring.measurements import Measured
from rejoinder.statistics.conventions import NOISE


def metric_errors(
    measured: Measured,
    left_out: Floats,
    pairs: Sequence[tuple[int, int]],
    sizes: Sequence[int],
    counts: Callable[[int, int], Iterable[Floats]],
) -> Floats:
    """The standard error of a metric's difference on so many units: items, or clusters of items.

    On as many as the pilot has it is that of `compare`, the jackknife's. A mean over items has that
    times ``sqrt(pilot / size)``: nothing is drawn. The error of any other metric moves with the size
    as the bootstrap's does whose resamples have another size than the pilot.

    Args:
        measured: What was measured.
        left_out: The scores with each unit left out (float64 [S, units]).
        pairs: Pairs of systems.
        sizes: The numbers of units wanted.
        counts: Draws resamples of that many of the pilot's units, float64 [b, units] each.

    Returns:
        float64 [pairs, sizes]; NaN where a score is undefined without some unit, or is 0 whichever is
        left out (see `jackknife.difference_errors`).
    """
    n, metric = measured.size, measured.metric
    a, b = np.array(pairs).T
    errors = difference_errors(metric, measured.scores(), left_out, a, b)[:, None]
    if _is_mean(measured):
        return errors * np.sqrt(n / np.array(sizes, dtype=np.float64))
    every = sorted({n, *sizes})
    spread_at = {
        size: _bootstrap(measured, pairs, counts(n, size)) for size in steps(every, len(every))
    }
    shown = np.where(spread_at[n] > NOISE, spread_at[n], np.nan)
    moves = np.stack([spread_at[size] / shown for size in sizes], axis=1)
    # Where nothing varies, it does so at no size.
    return np.where(errors > NOISE, errors * moves, errors)


def _bootstrap(
    measured: Measured, pairs: Sequence[tuple[int, int]], counts: Iterable[Floats]
) -> Floats:
    """The standard deviation of each pair's difference over resamples: float64 [pairs]."""
    a, b = np.array(pairs).T
    blocks = (block for each in counts for block in narrow(each, measured.units))
    parts = [measured.metric.score(measured.units.totals(block)) for block in blocks]
    scores = np.concatenate(parts, axis=1)
    return (scores[a] - scores[b]).std(axis=1)


def _is_mean(measured: Measured) -> bool:
    """Whether a score is the plain mean of its items' scores: each row counts one reply."""
    rows = measured.rows
    return (
        isinstance(measured.metric, MeanMetric)
        and isinstance(rows, Matrix)
        and bool((rows.items[..., 1] == 1).all())
    )


def metric_doubts(measured: Measured, left_out: Floats, pairs: Sequence[tuple[int, int]]) -> Floats:
    """The standard deviation of the log of a difference's variance, float64 [pairs].

    By the kurtosis of the jackknife's pseudo-values (for a mean over replies the items' own
    differences), and never less than that of normal ones, sqrt(2 / (n - 1)) of n items or clusters.

    Args:
        measured: What the metric measured.
        left_out: The scores of the systems without each item, [systems, n].
        pairs: The pairs of systems, by their places.
    """
    n = measured.size
    a, b = np.array(pairs).T
    least = 2 / (n - 1)
    if not isinstance(measured.rows, Matrix):
        return np.full(len(pairs), math.sqrt(least))
    off = left_out[a] - left_out[b]
    off = off - off.mean(axis=1, keepdims=True)
    second, fourth = (off**2).mean(axis=1), (off**4).mean(axis=1)
    shown = second > NOISE**2
    kurtosis = np.where(shown, fourth, 1.0) / np.where(shown, second, 1.0) ** 2
    return np.sqrt(np.maximum(least, (kurtosis - 1) / n))
