import math

import numpy as np
import pytest

from rejoinder.statistics.correlation import pearson
from rejoinder.statistics.labels_saved import forecast_saved, labels_with
from rejoinder.statistics.prediction_powered import corrected_mean, labels_saved


def pair(n, r, seed=0):
    rng = np.random.default_rng(seed)
    d = rng.normal(size=n)
    return d, r * d + math.sqrt(1 - r * r) * rng.normal(size=n)


def test_the_forecast_follows_from_the_adjusted_correlation():
    d, f = pair(50, 0.7)
    told = forecast_saved(d, f, others=150)
    r = float(pearson(d, f))
    assert told.correlation == pytest.approx(r)
    assert told.most == pytest.approx(1 - (1 - r * r) * 49 / 48)
    assert told.saved == pytest.approx(told.most * 150 / 200)
    assert told.saved_low < told.saved < told.saved_high
    assert told.interval.low < r < told.interval.high


def test_the_interval_is_the_jackknife_on_fishers_scale():
    d, f = pair(12, 0.5, seed=2)
    told = forecast_saved(d, f, others=10)
    left = [math.atanh(float(pearson(np.delete(d, i), np.delete(f, i)))) for i in range(12)]
    error = math.sqrt(11 / 12 * sum((z - np.mean(left)) ** 2 for z in left))
    assert told.interval.high == pytest.approx(
        math.tanh(math.atanh(told.correlation) + 2.200985 * error), abs=1e-6
    )


def test_it_is_what_a_comparison_saves():
    d, f = pair(400, 0.8)
    known = np.where(np.arange(400) < 100, d, np.nan)
    saved = labels_saved(corrected_mean(known, f), corrected_mean(known, f, weight=0.0))
    assert forecast_saved(d[:100], f[:100], others=300).saved == pytest.approx(saved, abs=0.05)


def test_a_useless_judge_saves_nothing_and_its_range_begins_at_0():
    d, f = pair(60, 0.0, seed=5)
    told = forecast_saved(d, f, others=1000)
    assert told.saved < 0.1
    assert told.saved_low == 0
    assert forecast_saved(d, f, others=0).saved == 0


def test_items_of_one_cluster_count_once():
    d, f = pair(40, 0.6)
    groups = np.repeat(np.arange(40), 5)
    told = forecast_saved(np.repeat(d, 5), np.repeat(f, 5), 500, groups)
    alone = forecast_saved(d, f, 100)
    assert told.correlation == pytest.approx(alone.correlation)
    assert (told.interval.low, told.most) == pytest.approx((alone.interval.low, alone.most))


@pytest.mark.parametrize("n", [9, 10])
def test_fewer_than_10_items_have_no_forecast(n):
    told = forecast_saved(*pair(n, 0.5), others=10)
    assert math.isfinite(told.saved) == (n == 10)
    assert (told.interval.reason is None) == (n == 10)


def test_values_without_spread_have_a_reason():
    told = forecast_saved(np.ones(20), np.arange(20.0), others=10)
    assert "equal" in (told.interval.reason or "")
    same = forecast_saved(np.arange(20.0), np.arange(20.0), others=20)
    assert (same.saved, math.isnan(same.saved_low)) == (pytest.approx(0.5), True)


@pytest.mark.parametrize(("most", "total"), [(0.37, 200), (0.9, 1000), (0.0, 200)])
def test_fewer_labels_beside_predictions_are_worth_as_much(most, total):
    labels = 61
    with_it = labels_with(labels, total, most)

    def variance(m):
        return (1 - most * (total - m) / total) / m

    assert variance(with_it) <= 1 / labels + 1e-12
    assert with_it in (labels, 20) or variance(with_it - 1) > 1 / labels


def test_labels_of_all_predicted_items_are_not_fewer():
    assert labels_with(300, 200, 0.9) == 300
    assert labels_with(200, 200, 1.0) == 200
    assert labels_with(50, 200, 1.0) == 20
