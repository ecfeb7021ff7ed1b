"""Were the labelled items drawn without a look at their scores?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.conventions import NO_SPREAD, NOISE, p_of_draws

DRAWS = 4999
"""Permutations of which clusters are labelled; fewer where they would take long, but 999 at least."""

MOST_SUMS = 50_000_000
FIRST, PLAIN = 500, 25
"""After so many draws of which so many reach the observed value, p is far above any threshold."""


class Selection(NamedTuple):
    """How far labelled items differ from the others.

    Args:
        p: Of the largest difference over all scores: the share of random draws of labelled clusters in
            which some score differs as much; NaN where all or none are labelled, or no score varies.
        score: The place of the score that differs most.
        deviations: By how many standard deviations of random draws it differs; above 0 where the
            labelled items have the higher scores.
        draws: How many draws were taken.
    """

    p: float
    score: int
    deviations: float
    draws: int


def selection(
    scores: Floats, labelled: Floats, rng: np.random.Generator, draws: int = DRAWS
) -> Selection:
    """A permutation test of whether labelled clusters differ from the others in any score.

    The statistic of a score is ``sum_g l_g z_g``, with l_g the share of a cluster's items that are
    labelled and z_g its mean score, less its expectation and over its standard deviation when the
    l_g change places at random. The largest over the scores is compared with the largest in each draw
    (Westfall and Young 1993), so that many scores give no more false alarms than one.

    Args:
        scores: The mean of each of T scores in each of G clusters (float64 [G, T]).
        labelled: The share of each cluster's items that are labelled (float64 [G]).
        rng: Where the randomness comes from.
        draws: How many; see ``DRAWS``.

    Raises:
        InputError: The shapes do not fit.

    >>> high = np.arange(60.0)[:, None]
    >>> selection(high, (np.arange(60) > 44.0).astype(float), np.random.default_rng(0)).p
    0.0002
    """
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 2 or labelled.shape != scores.shape[:1]:
        raise InputError(
            f"selection: scores {scores.shape} and labelled {labelled.shape}; give [G, T] and [G]"
        )
    labelled_places = np.flatnonzero(labelled)
    spread = scores.std(axis=0)
    varied = spread > NO_SPREAD
    if not varied.any() or not labelled_places.size or np.ptp(labelled) <= NO_SPREAD:
        return Selection(np.nan, 0, np.nan, 0)
    z = (scores - scores.mean(axis=0)) / np.where(varied, spread, np.inf)
    shares = labelled[labelled_places]
    # Of a random order of the l_g the sum varies by sum (l - mean)^2 sum z^2 / (G - 1).
    scale = np.sqrt(labelled.var() * len(z) * len(z) / (len(z) - 1))
    statistics = shares @ z[labelled_places] / scale
    draws = min(draws, max(999, MOST_SUMS // z[labelled_places].size))
    reach = np.abs(statistics).max() - NOISE
    reached = tried = 0
    while tried < draws and (tried < FIRST or reached < PLAIN):
        permuted = rng.choice(len(z), labelled_places.size, replace=False)
        reached += bool(np.abs(shares @ z[permuted]).max() / scale >= reach)
        tried += 1
    most = int(np.argmax(np.abs(statistics)))
    return Selection(p_of_draws(reached, tried), most, float(statistics[most]), tried)
