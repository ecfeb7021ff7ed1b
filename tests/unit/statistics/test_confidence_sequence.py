import math
from statistics import NormalDist

import numpy as np
import pytest

from rejoinder.errors import ParameterError
from rejoinder.statistics.confidence_sequence import (
    FIRST_LOOK,
    TUNED_FOR,
    at_any_time,
    p_at,
    quantile_at,
    squared_rho,
    standard_errors_at,
)
from rejoinder.statistics.prediction_powered import corrected_mean
from rejoinder.statistics.student import t_quantile


def people(values):
    return corrected_mean(np.asarray(values), np.zeros(len(values)), weight=0.0)


def test_the_boundary_is_the_published_one():
    # sqrt(2 (t rho^2 + 1) / (t^2 rho^2) log(sqrt(t rho^2 + 1) / a)) for a standard deviation of 1.
    for t in (1, 20, 150, 4000):
        rho2 = squared_rho()
        y = t * rho2
        half = math.sqrt(2 * (y + 1) / (t * y) * math.log(math.sqrt(y + 1) / 0.05))
        assert standard_errors_at(t) == pytest.approx(half * math.sqrt(t))


def test_it_is_narrowest_where_it_is_tuned_for():
    # -2 log 0.05 = 5.99146; (5.99146 + log 6.99146) / 100
    assert squared_rho() == pytest.approx((5.991465 + 1.944690) / TUNED_FOR, rel=1e-6)
    least = min(range(20, 2000), key=standard_errors_at)
    assert least == pytest.approx(TUNED_FOR, rel=0.1)


@pytest.mark.parametrize(("level", "planned"), [(0.0, 100), (1.0, 100), (0.95, 0)])
def test_levels_and_numbers_out_of_range_are_refused(level, planned):
    with pytest.raises(ParameterError):
        squared_rho(planned, level)


@pytest.mark.parametrize("n", [FIRST_LOOK, 50, 400])
@pytest.mark.parametrize("distance", [0.999, 1.001])
def test_p_is_below_the_level_where_the_interval_leaves_out_0(n, distance):
    values = np.random.default_rng(n).normal(size=n)
    error = people(values).error
    away = distance * quantile_at(n, n - 1) * error
    mean = at_any_time(people(values - values.mean() + away))
    outside = mean.interval.low > 0
    assert outside is (distance > 1)
    assert (mean.p < 0.05) is outside


def test_every_interval_is_wider_than_for_one_look_and_every_p_is_larger():
    for n in (FIRST_LOOK, 60, 1000):
        ratio = quantile_at(n, n - 1) / t_quantile(0.95, n - 1)
        assert 1.5 < ratio < 2
    for p in (0.9, 0.2, 1e-3, 1e-12, 1e-200):
        for n in (FIRST_LOOK, 1000):
            assert p < p_at(p, n) <= 1
    assert p_at(0.0, 50) == 0
    assert math.isnan(p_at(math.nan, 50))


def test_the_quantile_of_many_degrees_of_freedom_is_the_normal_one():
    assert quantile_at(100, 1e7) == pytest.approx(standard_errors_at(100), rel=1e-5)
    assert NormalDist().cdf(-quantile_at(100, 5)) < NormalDist().cdf(-standard_errors_at(100))


def test_it_begins_at_so_many_labelled_clusters():
    values = np.random.default_rng(0).normal(size=FIRST_LOOK)
    assert math.isfinite(at_any_time(people(values)).width)
    result = at_any_time(people(values[1:]))
    assert (math.isnan(result.width), result.interval.reason) == (
        True,
        "fewer than 20 labelled clusters",
    )
    groups = np.arange(FIRST_LOOK) // 2
    clustered = corrected_mean(values, np.zeros(FIRST_LOOK), groups, weight=0.0)
    assert at_any_time(clustered).interval.reason == "fewer than 20 labelled clusters"


def test_where_there_is_no_interval_for_one_look_there_is_none():
    same = at_any_time(people(np.ones(50)))
    assert math.isnan(same.width)
    assert "the value is the same" in (same.interval.reason or "")


def test_false_alarms_over_every_look():
    # 200 studies, looked at after each of 20 to 120 ratings: about 2 of 100 err, and of those at
    # fixed intervals 25.
    rng = np.random.default_rng(5)
    alarms = np.zeros(2)
    for _ in range(200):
        values = rng.normal(size=120)
        looks = [people(values[:look]) for look in range(FIRST_LOOK, 121, 4)]
        alarms += [
            any(at_any_time(each).p < 0.05 for each in looks),
            any(each.p < 0.05 for each in looks),
        ]
    assert alarms[0] / 200 <= 0.05 < 0.15 <= alarms[1] / 200
