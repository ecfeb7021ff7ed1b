import math

import numpy as np
import pytest

from rejoinder.statistics.confidence_sequence import at_any_time
from rejoinder.statistics.mean_difference import paired_difference
from rejoinder.statistics.prediction_powered import FEWEST_CORRECTED, corrected_mean, or_ranks
from rejoinder.statistics.skewed_mean import STUDENTS, UNSEEN, Tails, skewness_of
from rejoinder.statistics.student import t_quantile, two_sided_p


def people(values, room=(0.0, 0.0)):
    values = np.asarray(values, dtype=np.float64)
    return corrected_mean(values, np.zeros(values.size), weight=0.0, room=room)


def holds(draw, truth, runs=400, **given):
    hits = [
        each.low <= truth <= each.high
        for each in (people(draw(), **given).interval for _ in range(runs))
    ]
    return np.mean(hits)


def test_symmetric_values_have_students_interval_and_p():
    values = np.linspace(-1, 2, 30)
    ours, expected = people(values, room=(2.0, 2.0)), paired_difference(values)
    assert ours.p == expected.p
    assert (ours.interval.low, ours.interval.high) == pytest.approx(
        (expected.interval.low, expected.interval.high)
    )
    assert not ours.tails.unseen(ours.error, t_quantile(0.95, 29))


def test_one_failure_of_forty_moves_the_end_on_its_side_by_twice_johnsons_term():
    values = -4.0 * (np.arange(40) == 0)
    ours, t = people(values), t_quantile(0.95, 39)
    # The skewness of 1 of 40 is -38 / sqrt(39) = -6.085; k = -6.085 / sqrt(40) sqrt(40 39) / 38.
    k = 6.0849 / math.sqrt(40) * math.sqrt(40 * 39) / 38
    assert ours.interval.high == pytest.approx(ours.value + t * ours.error)
    low = ours.value - (t + 2 * k * (1 + 2 * t * t) / 6) * ours.error
    assert ours.interval.low == pytest.approx(low, rel=1e-4)


def test_twenty_items_without_a_failure_allow_for_failures_at_the_end_of_the_scale():
    ours = people(np.zeros(20), room=(3.0, 1.0))
    share = 1 - UNSEEN ** (1 / 20)  # (1 - p)^20 = 0.075: p = 0.1215
    assert share == pytest.approx(0.1215, abs=1e-4)
    assert (ours.interval.low, ours.interval.high) == pytest.approx((-3 * share, share))
    assert (ours.p, ours.error) == (1.0, 0.0)
    assert people(np.zeros(20)).interval.reason is not None


@pytest.mark.parametrize("shift", [-0.3, -0.01, 0.2, 0.38, 0.5])
@pytest.mark.parametrize("shape", ["skewed", "constant", "plain"])
def test_p_is_below_the_level_where_the_interval_leaves_out_0(shape, shift):
    values = {
        "skewed": -3.0 * (np.arange(30) < 2) + np.linspace(-0.1, 0.1, 30),
        "constant": np.linspace(-0.01, 0.01, 30),
        "plain": np.linspace(-1, 1, 30),
    }[shape]
    for mean in (people(values + shift, (4.0, 4.0)), people(values + shift)):
        for each in (mean, at_any_time(mean)):
            outside = not each.interval.low <= 0 <= each.interval.high
            assert (each.p < 0.05) is outside


def test_the_p_of_skewed_values_inverts_their_interval():
    tails = Tails(skewness=0.9)
    t = 2.5
    value = -(t + 0.9 / 3 * (1 + 2 * t * t)) * 0.2
    assert tails.p(value, 0.2, 19, 2.09) == pytest.approx(two_sided_p(t, 19))
    assert tails.p(-value, 0.2, 19, 2.09) == STUDENTS.p(value, 0.2, 19, 2.09)


@pytest.mark.parametrize(("g1", "has"), [(2.01, True), (1.99, False)])
def test_skewness_counts_from_two_standard_errors_on(g1, has):
    # psi of 24 items, one of which is `far` beyond the others, so that g1 = sum psi^3 sqrt(24).
    def of(far):
        x = np.append(np.linspace(-1, 1, 23), far)
        return (x - x.mean()) / np.sqrt(((x - x.mean()) ** 2).sum())

    wanted = g1 * math.sqrt(6) / 24
    low, high = 0.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if (of(middle) ** 3).sum() < wanted else (low, middle)
    assert (skewness_of(of(low), 1.0, 24) != 0) is has


def test_failures_in_one_of_twenty_are_covered_where_the_scale_is_known():
    # Student's t holds in 0.84 of such studies: in 36 of 100 no failure is seen.
    rng = np.random.default_rng(1)

    def draw():
        return 0.4 * rng.normal(size=20) - 3.0 * (rng.random(20) < 0.05)

    assert holds(draw, -0.15, room=(3.0, 3.0)) > 0.96
    assert holds(draw, -0.15) < 0.92


def test_tied_and_skewed_differences_are_covered():
    rng = np.random.default_rng(2)
    rare = holds(lambda: -1.0 * (rng.random(40) < 0.1), -0.1)
    assert rare > 0.94  # Student's t: 0.92
    exponential = holds(lambda: rng.exponential(size=40), 1.0)
    assert exponential > 0.93


def agreeing(rng, total=1000):
    """Pass or fail: a judge that overlooks failures in 4 of 100 items."""
    a, b = rng.random((2, total)) < [[0.8], [0.7]]
    marks = a | (rng.random(total) < 0.04 / 0.2)
    return a * 1.0 - b, marks * 1.0 - b


def test_a_judge_that_agrees_on_nearly_every_rated_item_leaves_an_interval():
    # Without room the interval holds the truth, 0.1, in about half of the studies.
    rng, hits = np.random.default_rng(3), np.zeros(2)
    for _ in range(150):
        d, f = agreeing(rng)
        labels = np.where(np.arange(d.size) < 20, d, np.nan)
        for place, room in enumerate(((0.0, 0.0), (0.8, 0.7))):
            each = corrected_mean(labels, f, room=room).interval
            hits[place] += each.low <= 0.1 <= each.high
    assert hits[0] / 150 < 0.8
    assert hits[1] / 150 > 0.96


def test_ranks_take_the_place_of_predictions_that_grow_like_an_exponential():
    rng = np.random.default_rng(4)
    d = rng.normal(size=400)
    f = np.exp(d) + 0.1 * rng.normal(size=400)
    labels = np.where(np.arange(400) < 30, d, np.nan)
    ours, alone = (corrected_mean(labels, f, weight=w) for w in (None, 0.0))
    assert ours.ranked
    assert ours.width < 0.6 * alone.width
    # Any increasing function of the predictions has the same ranks.
    other = corrected_mean(labels, np.exp(f))
    assert (other.value, other.width) == pytest.approx((ours.value, ours.width))
    line = corrected_mean(labels, d + 0.5 * rng.normal(size=400))
    assert not line.ranked


def test_predictions_that_are_all_alike_have_no_ranks():
    same = np.full(30, 2.0)
    assert or_ranks(np.arange(30.0), same) is same
    labels = np.full(30, 1.0)
    predictions = np.arange(30.0)
    assert or_ranks(labels, predictions) is predictions


@pytest.mark.parametrize("n", [FEWEST_CORRECTED - 1, FEWEST_CORRECTED])
def test_predictions_are_used_from_twenty_labels_on(n):
    rng = np.random.default_rng(5)
    d = rng.normal(size=300)
    labels = np.where(np.arange(300) < n, d, np.nan)
    ours = corrected_mean(labels, d + 0.2 * rng.normal(size=300))
    assert (ours.weight != 0) is (n >= FEWEST_CORRECTED)
