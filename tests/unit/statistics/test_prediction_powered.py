import math

import numpy as np
import pytest
from simulations.judges_and_people import items, populations

from rejoinder.errors import InputError
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.mean_difference import paired_difference
from rejoinder.statistics.prediction_powered import (
    FEWEST_LABELLED,
    MOST_WIDER,
    corrected_mean,
    labels_saved,
)
from rejoinder.statistics.rater_variance import (
    RaterVariance,
    SingleRatings,
    rater_variance,
    severity_in_labels,
)
from rejoinder.statistics.skewed_mean import UNSEEN


def drawn(n, total, r, seed=0):
    """Labels of the first n of so many items, and predictions that correlate with them by r."""
    rng = np.random.default_rng(seed)
    d = rng.normal(size=total)
    f = r * d + math.sqrt(1 - r * r) * rng.normal(size=total) + 5
    return np.where(np.arange(total) < n, d, np.nan), f


def test_without_predictions_it_is_the_t_interval_of_the_labels():
    labels, predictions = drawn(20, 100, 0.5)
    ours = corrected_mean(labels, predictions, weight=0.0)
    expected = paired_difference(labels[:20])
    assert (ours.value, ours.p) == pytest.approx((expected.value, expected.p))
    assert ours.interval.low == pytest.approx(expected.interval.low)


def test_where_every_item_is_labelled_there_is_nothing_to_correct():
    labels, predictions = drawn(40, 40, 0.9)
    assert corrected_mean(labels, predictions) == corrected_mean(labels, predictions, weight=0.0)


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
def test_a_fixed_weight_corrects_nothing_where_every_item_is_labelled(weight):
    labels, predictions = drawn(40, 40, 0.9)
    ours = corrected_mean(labels, predictions, weight=weight)
    assert ours == corrected_mean(labels, predictions, weight=0.0)
    assert math.isfinite(ours.width)


def test_a_prediction_without_spread_changes_nothing():
    labels, _ = drawn(20, 100, 0.5)
    ours = corrected_mean(labels, np.full(100, 3.0))
    assert ours.weight == 0
    assert labels_saved(ours, ours) == 0


def test_neither_a_shift_nor_the_scale_of_the_predictions_matters():
    labels, predictions = drawn(30, 200, 0.7)
    a, b = corrected_mean(labels, predictions), corrected_mean(labels, 7 - 20 * predictions)
    assert a.value == pytest.approx(b.value)
    assert a.interval.low == pytest.approx(b.interval.low)
    assert b.weight == pytest.approx(-a.weight / 20)


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_predictions_of_any_size(unit):
    labels, predictions = drawn(30, 200, 0.7)
    a, b = corrected_mean(labels, predictions), corrected_mean(labels, unit * predictions)
    assert (a.value, a.error) == pytest.approx((b.value, b.error))


def test_a_perfect_judge_gives_the_mean_of_all_items():
    labels, _ = drawn(20, 100, 0.5)
    everything = np.random.default_rng(5).normal(size=100)
    labels = np.where(np.isnan(labels), np.nan, everything)
    ours = corrected_mean(labels, 2 * everything)
    # lambda = N / (n + N) / 2 = 0.4, and the estimate is mean_L + 0.8 (mean_U - mean_L).
    assert ours.weight == pytest.approx(0.4)
    assert ours.value == pytest.approx(everything.mean())


@pytest.mark.parametrize("n", [FEWEST_LABELLED - 1, FEWEST_LABELLED])
def test_fewer_than_ten_labelled_clusters_have_no_interval(n):
    labels, predictions = drawn(n, 100, 0.5)
    ours = corrected_mean(labels, predictions)
    assert math.isnan(ours.width) == math.isnan(ours.p) == (n < FEWEST_LABELLED)
    assert (ours.interval.reason is not None) == (n < FEWEST_LABELLED)


def test_labels_all_alike_are_no_certainty():
    labels = np.where(np.arange(100) < 20, 1.0, np.nan)
    assert "no spread" in str(corrected_mean(labels, np.arange(100.0)).interval.reason)


@pytest.mark.parametrize("seed", range(30))
def test_it_is_never_more_than_three_percent_wider_than_the_labels_alone(seed):
    labels, predictions = drawn(20 + seed % 3, 80, 0.0, seed)
    ours, alone = (corrected_mean(labels, predictions, weight=w) for w in (None, 0.0))
    assert ours.width <= MOST_WIDER * alone.width


@pytest.mark.parametrize(
    "r",
    [pytest.param(r, marks=[pytest.mark.slow] * (r in (0.2, 0.6))) for r in (0.2, 0.4, 0.6, 0.8)],
)
def test_a_better_judge_makes_it_narrower(r):
    for population in populations():
        _, ratio = items(population, 50, r, 150, np.random.default_rng(1))
        assert ratio == pytest.approx(math.sqrt(1 - r * r * 0.9), abs=0.03)


def test_equal_probabilities_are_none():
    labels, predictions = drawn(30, 200, 0.7)
    same = corrected_mean(labels, predictions, probabilities=np.full(200, 0.15))
    assert same.value == pytest.approx(corrected_mean(labels, predictions).value)
    assert same.error == pytest.approx(corrected_mean(labels, predictions).error)


def test_probabilities_weigh_the_labels():
    labels = np.array([1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, np.nan])
    probabilities = np.where(labels > 9, 0.5, 1.0)
    ours = corrected_mean(labels, np.zeros(12), probabilities=probabilities)
    assert ours.value == pytest.approx((45 + 2 * 21) / 13)  # Hajek: 10 and 11 count twice


@pytest.mark.parametrize("wrong", [0.0, -0.1, 1.1, math.inf, math.nan])
def test_probabilities_are_within_0_and_1(wrong):
    labels, predictions = drawn(20, 40, 0.5)
    probabilities = np.full(40, 0.5)
    probabilities[30] = wrong  # without a label: not read
    expected = corrected_mean(labels, predictions, probabilities=np.full(40, 0.5))
    assert corrected_mean(labels, predictions, probabilities=probabilities) == expected
    probabilities[3] = wrong
    with pytest.raises(
        InputError, match=r"probability \S+ of the labelled item at place 3; expected"
    ):
        corrected_mean(labels, predictions, probabilities=probabilities)
    with pytest.raises(InputError, match=r"\(39,\) probabilities for \(40,\) labels"):
        corrected_mean(labels, predictions, probabilities=probabilities[1:])


def test_arrays_of_other_lengths():
    with pytest.raises(InputError, match="one vector"):
        corrected_mean(np.zeros(3), np.zeros(4))
    with pytest.raises(InputError, match="a label or more"):
        corrected_mean(np.full(3, np.nan), np.zeros(3))


def crossed(scores):
    """The single ratings of raters who rate both replies of every item: scores [n, raters, 2]."""
    n, raters, _ = scores.shape
    item, rater, side = (each.ravel() for each in np.indices(scores.shape))
    return SingleRatings(item, rater, 1.0 - 2 * side, scores.ravel()), n, raters


def test_raters_who_lean_to_a_system_add_the_variance_of_their_mean():
    rng = np.random.default_rng(0)
    lean = np.array([-1.0, 0.0, 1.0])
    scores = rng.normal(size=(400, 3, 2)) + np.stack([lean, np.zeros(3)], axis=1)
    ratings, n, _ = crossed(scores)
    value = rater_variance(ratings, Groups.of(None, n), np.full(n, 1 / n), np.zeros(n)).value
    means = (scores[..., 0] - scores[..., 1]).mean(axis=0)
    # s^2 / R of the raters' own differences, less what 400 items with variance 2 add to each.
    assert value == pytest.approx((means.var(ddof=1) - 2 / 400) / 3, abs=0.002)


def test_raters_who_are_alike_add_nothing_on_average():
    rng = np.random.default_rng(1)
    total = 0.0
    for _ in range(200):
        ratings, n, _ = crossed(rng.normal(size=(30, 1, 2)) + rng.normal(size=(30, 3, 2)))
        total += rater_variance(ratings, Groups.of(None, n), np.full(n, 1 / n), np.zeros(n)).value
    assert total / 200 < 0.5 * (2 + 2 / 3) / 30  # well below the variance over items


def test_raters_of_different_items_are_clusters_of_items():
    # Each item has one rater: both variances together are that over raters, if it is the larger.
    rng = np.random.default_rng(2)
    rater = np.repeat(np.arange(4), 10)
    d = np.array([3.0, -1.0, 0.5, 2.0])[rater] + 0.1 * rng.normal(size=40)
    item = np.repeat(np.arange(40), 2)
    ratings = SingleRatings(
        item, rater[item], np.tile([1.0, -1.0], 40), np.stack([d, 0 * d], 1).ravel()
    )
    share = np.full(40, 1 / 40)
    items_alone = d.var() / 40
    together = items_alone + rater_variance(ratings, Groups.of(None, 40), share, np.zeros(40)).value
    means = d.reshape(4, 10).mean(axis=1)
    assert together == pytest.approx(means.var(ddof=1) / 4, rel=0.05)


def rated_apart(scores, of_a):
    """Single ratings where some raters rate the first system alone, and the others the second."""
    item, rater, side = (each.ravel() for each in np.indices(scores.shape))
    kept = (rater < of_a) == (side == 0)
    item, rater, side, score = item[kept], rater[kept], side[kept], scores.ravel()[kept]
    labels = scores[:, :of_a, 0].mean(axis=1) - scores[:, of_a:, 1].mean(axis=1)
    return SingleRatings(item, rater, 1.0 - 2 * side, score), labels


def test_severity_cancels_where_raters_rate_both_and_counts_where_they_do_not():
    rng = np.random.default_rng(3)
    scores, severity = rng.normal(size=(2000, 4, 2)), np.array([-1.0, 0.0, 0.5, 2.0])
    share = np.full(2000, 1 / 2000)
    variances = []
    for each in (scores, scores + severity[:, None]):
        ratings, n, _ = crossed(each)
        variances.append(rater_variance(ratings, Groups.of(None, n), share, np.zeros(n)))
    assert variances[1][:5] == pytest.approx(variances[0][:5])
    assert variances[0].df == pytest.approx(3)
    # Two raters of each system: the means' variances are (0 - -1)^2 / 4 and (2 - 0.5)^2 / 4.
    ratings, labels = rated_apart(scores + severity[:, None], 2)
    apart = rater_variance(ratings, Groups.of(None, n), share, np.zeros(n))
    assert apart.value == pytest.approx(1 / 4 + 2.25 / 4, abs=0.08)
    assert apart.df == pytest.approx(2)
    assert apart.scope == "other raters"
    tied = corrected_mean(labels, labels, ratings=ratings, weight=0.0)
    assert tied.df == pytest.approx(2, abs=0.01)


def test_severity_is_that_of_least_squares_and_what_is_estimated_of_it_has_a_variance():
    rng = np.random.default_rng(3)
    n, severity = 40, np.array([-1.0, 0.0, 2.0])
    share = rng.dirichlet(np.full(n, 20.0))
    rates = rng.random((2, n, 3)) < np.array([[0.9, 0.5, 0.7], [0.9, 0.5, 0.2]])[:, None]
    rates[..., 0] |= ~rates.any(axis=2)
    quality = rng.normal(size=(2, n))

    def difference(noise):
        ratings = np.where(rates, quality[..., None] + severity + noise, np.nan)
        labels = np.nanmean(ratings, axis=2)
        taken_off, unknown = severity_in_labels(*ratings, share)
        assert unknown == pytest.approx(0, abs=1e-12)
        return labels[0] - labels[1] - taken_off

    noise = rng.normal(size=(2000, 2, n, 3))
    labels = np.array([difference(each) for each in noise])
    # By brute force: an indicator of each reply and of each rater but the first.
    unit, rater = np.nonzero(rates.reshape(2 * n, 3))
    design = np.zeros((unit.size, 2 * n + 3))
    design[np.arange(unit.size), unit] = design[np.arange(unit.size), 2 * n + rater] = 1
    ratings = (quality[..., None] + severity + noise[0]).reshape(2 * n, 3)[unit, rater]
    means = np.linalg.lstsq(design, ratings)[0][: 2 * n]
    assert share @ labels[0] == pytest.approx(share @ (means[:n] - means[n:]))
    # The labels hold how far the estimated severities are off: what they vary by is the mean's variance.
    of_mean = (labels @ share).var()
    of_labels = (share**2 * (labels - (quality[0] - quality[1])) ** 2).sum(axis=1).mean()
    assert of_labels == pytest.approx(of_mean, rel=0.1)


def test_severity_of_raters_who_share_no_reply_is_not_known():
    of_a, of_b = np.array([[1.0, np.nan], [2.0, np.nan]]), np.array([[np.nan, 3.0], [np.nan, 4.0]])
    taken_off, unknown = severity_in_labels(of_a, of_b, np.full(2, 0.5))
    assert taken_off == pytest.approx([0, 0])
    assert unknown == pytest.approx(1)


def test_one_rater_of_each_system_gives_no_interval():
    scores = np.random.default_rng(4).normal(size=(40, 2, 2)) + np.array([[1.0], [0.0]])
    ratings, labels = rated_apart(scores, 1)
    mean = corrected_mean(labels, labels, ratings=ratings, weight=0.0)
    assert mean.value == pytest.approx(1, abs=0.5)
    assert mean.interval.reason is not None
    assert mean.interval.reason.startswith("different people rate the two systems")
    assert np.isnan([mean.p, mean.interval.low, mean.interval.high]).all()


def test_a_rater_of_most_items_is_not_one_of_four():
    scores = np.random.default_rng(5).normal(size=(40, 4, 2))
    for own, scope in ((32, "these raters"), (26, "other raters")):
        rater = np.append(np.zeros(own, dtype=np.int64), 1 + np.arange(40 - own) % 3)
        item, side = np.repeat(np.arange(40), 2), np.tile([0, 1], 40)
        score = scores[item, rater[item], side]
        ratings = SingleRatings(item, rater[item], 1.0 - 2 * side, score)
        share = np.full(40, 1 / 40)
        variance = rater_variance(ratings, Groups.of(None, 40), share, np.zeros(40))
        assert variance.scope == scope
        assert variance.beside(0.1, 39.0) == (0.1, 39.0) or scope == "other raters"
    assert variance.df < 2  # four raters in equal parts have 3


@pytest.mark.parametrize(("of_a", "severity"), [(2, 1.0), (5, 1.0), (2, 0.0)])
def test_intervals_of_systems_with_raters_of_their_own_cover(of_a, severity):
    rng = np.random.default_rng([6, of_a])
    hits = 0
    for _ in range(300):
        scores = rng.normal(size=(30, 1, 2)) + severity * rng.normal(size=(2 * of_a, 1))
        ratings, labels = rated_apart(scores + rng.normal(size=(30, 2 * of_a, 2)), of_a)
        mean = corrected_mean(labels, labels, ratings=ratings, weight=0.0)
        hits += mean.interval.low <= 0 <= mean.interval.high
    assert hits >= 273  # 285 expected; fewer than 273 in less than one of 700 series


def test_one_rater_adds_nothing():
    ratings, n, _ = crossed(np.random.default_rng(0).normal(size=(12, 1, 2)))
    one = rater_variance(ratings, Groups.of(None, n), np.full(n, 1 / n), np.zeros(n))
    assert one == RaterVariance(0.0, 1)
    assert one.beside(2.0, 10.0) == (2.0, 10.0)


def test_of_a_fixed_set_the_unlabelled_items_alone_are_unknown():
    # Cochran (1977, section 2.6): the variance of a mean of n of m items is (1 - n / m) s^2 / n.
    rng = np.random.default_rng(3)
    d = rng.normal(size=80)
    f = d + rng.normal(size=80)
    labels = np.where(np.arange(80) < 50, d, np.nan)
    alone = corrected_mean(labels, f, weight=0.0, fixed=True)
    assert alone.error**2 == pytest.approx((1 - 50 / 80) * d[:50].var(ddof=1) / 50)
    # With b for every item theta is mean_L(d - b f) + b mean(f), and lambda is b N / (n + N).
    b = 0.5
    both = corrected_mean(labels, f, weight=b * 30 / 80, fixed=True)
    rest = d[:50] - b * f[:50]
    assert both.value == pytest.approx(rest.mean() + b * f.mean())
    assert both.error**2 == pytest.approx((1 - 50 / 80) * rest.var(ddof=1) / 50)
    new = corrected_mean(labels, f, weight=b * 30 / 80)
    assert (both.value, both.df) == (new.value, new.df)


def test_of_a_fixed_set_drawn_with_probabilities_each_square_counts_what_was_unlikely():
    rng = np.random.default_rng(4)
    d, probability = rng.normal(size=80), np.where(np.arange(80) % 2, 0.9, 0.3)
    labels = np.where(np.arange(80) < 40, d, np.nan)
    one = corrected_mean(labels, np.zeros(80), probabilities=probability, weight=0.0, fixed=True)
    share = 1 / probability[:40] / (1 / probability[:40]).sum()
    terms = share * (d[:40] - share @ d[:40])
    expected = 40 / 39 * ((1 - probability[:40]) * terms**2).sum()
    assert one.error**2 == pytest.approx(expected)


@pytest.mark.parametrize("rated", [40, pytest.param(60, marks=pytest.mark.slow)])
def test_intervals_of_a_fixed_set_hold_its_mean(rated):
    rng = np.random.default_rng(5)
    hits = np.zeros(3)
    for _ in range(1000):
        d = rng.normal(size=80)
        f = 0.6 * d + 0.8 * rng.normal(size=80)
        labels = np.where(rng.permutation(80) < rated, d, np.nan)
        for k, (weight, fixed) in enumerate(((0.0, True), (None, True), (0.0, False))):
            interval = corrected_mean(labels, f, weight=weight, fixed=fixed).interval
            hits[k] += interval.low <= d.mean() <= interval.high
    assert (np.abs(hits[:2] / 1000 - 0.95) < 0.02).all()
    assert hits[2] / 1000 > 0.98  # of new items: too wide for these


def test_clusters_of_independent_items_show_more_failures_than_clusters_of_equal_ones():
    groups = np.repeat(np.arange(12), 5)
    apart = np.tile([0.01, -0.01, 0.0, 0.01, -0.01], 12)
    alike = np.repeat([0.01, -0.01, 0.0, 0.01, -0.01, 0.0] * 2, 5)
    # Of 12 clusters worth 12 items none fails; 12 worth 60 count as sqrt(12 * 60) items.
    for values, shown in ((alike, 12.0), (apart, math.sqrt(12 * 60))):
        mean = corrected_mean(values, np.zeros(60), groups, weight=0.0, room=(2.0, 2.0))
        share = 1 - UNSEEN ** (1 / shown)
        assert mean.interval.high - mean.value == pytest.approx(2 * share)
