"""Intervals beside naive loops and by hand; where there is none, and why."""

import math

import numpy as np
import pytest

from rejoinder.errors import InputError, ParameterError
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.correlation import CORRELATIONS
from rejoinder.statistics.correlation_bootstrap import (
    bootstrap_correlation,
    bootstrap_over_raters,
    resampled,
)
from rejoinder.statistics.intervals import percentiles

RNG = np.random.default_rng(0)
X = RNG.normal(size=24)
RATINGS = np.clip(np.round(3 + X[:, None] + RNG.normal(size=(24, 3))), 1, 5)
Y = RATINGS.mean(axis=1)
GROUPS = np.repeat(np.arange(9), [1, 2, 3, 4, 3, 2, 3, 3, 3])


@pytest.mark.parametrize("name", CORRELATIONS)
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["each", "groups"])
def test_the_naive_loop(name, groups):
    naive = np.full(120, np.nan)
    for rows, drawn in Groups.of(groups, 24).resampled(120, np.random.default_rng(1), width=2):
        for row, picked in zip(rows, drawn, strict=True):
            naive[row] = CORRELATIONS[name](X[picked], Y[picked])
    values = resampled(X, Y, name, groups, 120, np.random.default_rng(1))
    np.testing.assert_allclose(values, naive, atol=1e-14)
    interval = bootstrap_correlation(X, Y, name, groups, 120, np.random.default_rng(1))
    low, high = np.quantile(naive, [0.025, 0.975])
    assert (interval.low, interval.high) == pytest.approx((low, high))
    assert interval.reason is None


def test_metrics_share_resamples():
    both = resampled(np.stack([X, -X]), Y, "spearman", GROUPS, 50, np.random.default_rng(2))
    assert both.shape == (2, 50)
    np.testing.assert_allclose(both[0], -both[1])


def test_groups_of_copies_widen_the_interval():
    # Each observation five times over is no more evidence than once.
    once = bootstrap_correlation(X, Y, "pearson", None, 2000, np.random.default_rng(3))
    x, y, groups = np.repeat(X, 5), np.repeat(Y, 5), np.repeat(np.arange(24), 5)
    copies = bootstrap_correlation(x, y, "pearson", groups, 2000, np.random.default_rng(3))
    assert (copies.low, copies.high) == pytest.approx((once.low, once.high))
    fooled = bootstrap_correlation(x, y, "pearson", None, 2000, np.random.default_rng(3))
    assert fooled.high - fooled.low < 0.6 * (once.high - once.low)


def test_raters_who_agree_add_nothing():
    same = np.repeat(Y[:, None], 4, axis=1)
    contexts = bootstrap_correlation(X, Y, "pearson", GROUPS, 3000, np.random.default_rng(4))
    both = bootstrap_over_raters(X, same, "pearson", GROUPS, 3000, np.random.default_rng(5))
    assert (both.low, both.high) == pytest.approx((contexts.low, contexts.high), abs=0.03)


def test_over_raters_is_the_naive_loop():
    ratings = RATINGS.copy()
    ratings[:9, 2] = np.nan
    ratings[15:, 0] = np.nan
    rng, naive = np.random.default_rng(6), np.full(80, np.nan)
    for rows, drawn in Groups.of(GROUPS, 24).resampled(80, rng, width=4):
        counts = rng.multinomial(3, [1 / 3] * 3, size=len(rows))
        for row, picked, times in zip(rows, drawn, counts, strict=True):
            pairs = []
            for i in picked:
                given = np.repeat(ratings[i], times)
                given = given[~np.isnan(given)].tolist()
                if given:
                    pairs.append((X[i], sum(given) / len(given)))
            naive[row] = CORRELATIONS["kendall-b"](*np.array(pairs).T)
    interval = bootstrap_over_raters(X, ratings, "kendall-b", GROUPS, 80, np.random.default_rng(6))
    low, high = np.quantile(naive, [0.025, 0.975])
    assert (interval.low, interval.high) == pytest.approx((low, high))


@pytest.mark.parametrize(
    ("x", "y", "groups", "reason"),
    [
        (X[:1], Y[:1], None, "fewer than 2 observations"),
        (X, np.full(24, 3.0), None, "all ratings equal"),
        (X[:3], np.array([1.0, 2.0, 4.0]), None, "fewer than 4 groups to resample"),
        (X, Y, np.arange(24) % 2, "fewer than 4 groups to resample"),
    ],
)
def test_no_interval_without_evidence(x, y, groups, reason):
    interval = bootstrap_correlation(x, y, "pearson", groups, 10, np.random.default_rng(7))
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)
    assert interval.reason == reason


def test_resamples_without_variation_are_counted():
    # One rating of 10 differs: it is missing from (9/10)^10 = 35% of the resamples.
    y = np.zeros(10)
    y[3] = 1.0
    interval = bootstrap_correlation(X[:10], y, "pearson", None, 200, np.random.default_rng(8))
    assert 40 < interval.undefined < 100
    assert math.isnan(interval.low)
    assert interval.reason == (
        f"{interval.undefined} of 200 resamples are undefined: too little variation"
    )
    values = np.append(np.arange(99.0), np.nan)
    assert percentiles(values, 0.5).undefined == 1
    assert percentiles(values, 0.5).low == 24.5


def test_one_rater_tells_nothing_of_raters():
    alone = np.full((24, 2), np.nan)
    alone[:, 1] = Y
    interval = bootstrap_over_raters(X, alone, "pearson", None, 10, np.random.default_rng(9))
    assert interval.reason == (
        "one rater: how raters differ cannot be seen; resample contexts alone"
    )


def test_an_observation_without_ratings():
    ratings = RATINGS.copy()
    ratings[4] = np.nan
    interval = bootstrap_over_raters(X, ratings, "pearson", None, 10, np.random.default_rng(10))
    assert interval.reason == "a rating is missing"


def test_what_makes_no_sense_is_refused():
    rng = np.random.default_rng(11)
    with pytest.raises(ParameterError, match="level=95 is outside"):
        percentiles(X, 95)
    with pytest.raises(ParameterError, match="needs at least 1"):
        bootstrap_correlation(X, Y, "pearson", None, 0, rng)
    with pytest.raises(ParameterError, match="is unknown"):
        bootstrap_correlation(X[:1], Y[:1], "tau", None, 9, rng)
    with pytest.raises(InputError, match="raters"):
        bootstrap_over_raters(X, Y, "pearson", None, 9, rng)
    with pytest.raises(InputError, match="last axis"):
        bootstrap_over_raters(X[:3], RATINGS, "pearson", None, 9, rng)
