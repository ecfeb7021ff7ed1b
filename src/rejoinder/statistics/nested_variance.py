"""The variance of samples of prompts in parts: between prompts, within them, and between raters."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rejoinder.kernels.arrays import Floats

MOMENTS = 6
"""How many numbers `moments` has for a prompt."""


def moments(values: Floats) -> Floats:
    """What the variances between and within prompts are computed from, a row for each prompt.

    The number of samples; of ratings (here one for each sample); the sum over samples of their squared
    numbers of ratings; the sum of all ratings; the sum over samples of ratings times squared mean; and
    the sum of squares around the means of samples (0 where each sample has one value).

    Args:
        values: float64 [J, ...]; NaN where a prompt has fewer than J samples.

    Returns:
        float64 [..., 6]: rows of zeros add nothing.
    """
    number = (~np.isnan(values)).sum(axis=0).astype(np.float64)
    total, squares = np.nansum(values, axis=0), np.nansum(values**2, axis=0)
    return np.stack([number, number, number, total, squares, np.zeros_like(number)], axis=-1)


class NestedComponents(NamedTuple):
    """The variance of values of samples in parts.

    Args:
        between: Between prompts.
        within: Between the samples of a prompt.
        raters: Between the ratings of a sample; 0 where each has one.
    """

    between: float
    within: float
    raters: float


def nested_components(rows: Floats) -> NestedComponents:
    """The nested decomposition by mean squares of an analysis of variance: prompts, samples, ratings.

    With equal numbers the estimate by restricted maximum likelihood, where no part is below 0. NaN for
    one prompt, or where no prompt has two samples. A prompt without samples is ignored.

    Args:
        rows: float64 [a, 6], the `moments` of prompts.

    >>> nested_components(moments(np.array([[1.0, 5.0], [3.0, 7.0]])))
    NestedComponents(between=7.0, within=2.0, raters=0.0)
    """
    rows = rows[rows[:, 0] > 0]
    samples, sizes, squared, sums, of_samples, around = rows.T
    a, b, n = len(rows), samples.sum(), sizes.sum()
    if a < 2 or b <= a:
        return NestedComponents(math.nan, math.nan, math.nan)
    raters = float(around.sum() / (n - b)) if n > b else 0.0
    k1 = (n - (squared / sizes).sum()) / (b - a)
    within = max(0.0, float(((of_samples - sums**2 / sizes).sum() / (b - a) - raters) / k1))
    k2 = ((squared / sizes).sum() - squared.sum() / n) / (a - 1)
    k3 = (n - (sizes**2).sum() / n) / (a - 1)
    among = (sizes * (sums / sizes - sums.sum() / n) ** 2).sum() / (a - 1)
    between = max(0.0, float((among - raters - k2 * within) / k3))
    return NestedComponents(between, within, raters)
