"""A judge beside people: worked by hand, beside statsmodels, and what is found again."""

import numpy as np
import pytest

from rejoinder.errors import InputError
from rejoinder.statistics.calibration import cross_fitted
from rejoinder.statistics.judge_errors import _Sums, judge_errors
from rejoinder.statistics.judge_panel import independent_judges
from rejoinder.statistics.rating_matrix import RaterEffects


def drawn(seed=0, items=300, slope=1.3, favour=0.4, effect=0.2):
    """Ratings, marks, systems, items and a covariate; system 0 is favoured."""
    rng = np.random.default_rng(seed)
    item, system = np.repeat(np.arange(items), 3), np.tile(np.arange(3), items)
    quality = rng.normal(size=item.size) + np.array([0.5, 0.0, -0.5])[system]
    quality += 0.5 * rng.normal(size=items)[item]
    x = rng.normal(size=(item.size, 1))
    ratings = quality[:, None] + 0.7 * rng.normal(size=(item.size, 3))
    ratings[rng.random(ratings.shape) < 0.2] = np.nan
    ratings[:, 0] = np.where(np.isnan(ratings[:, 0]), quality, ratings[:, 0])
    marks = slope * (quality + favour * (system == 0) + effect * x[:, 0])
    return ratings, marks + 2 + 0.6 * rng.normal(size=item.size), system, item, x


def test_by_hand():
    # two raters: means 1, 3, 1, 3; within replies each has squares 2 and 1 degree of freedom
    ratings = np.array([[0.0, 2.0], [2.0, 4.0]] * 2)
    marks = np.array([1.0, 2.0, 2.0, 3.0])
    errors = judge_errors(ratings, marks, np.zeros(4, int), np.arange(4), rater_severity="kept")
    assert errors.severity.value == 0.0
    # squares of means 4, of marks 2, products 2: r = 2 / sqrt(4 * 2)
    assert errors.correlation.value == pytest.approx(2 / np.sqrt(8))
    assert errors.within.value == pytest.approx(2 / np.sqrt(8))
    # noise 2 / 2 = 1 beside a variance of 4 / 3: a quarter is no noise
    assert errors.noise == pytest.approx(1.0)
    assert errors.reliability.value == pytest.approx(0.25)
    assert errors.corrected.value == pytest.approx(2 / np.sqrt(8) / 0.5)
    assert errors.slope.value == pytest.approx(2 / 3 / (1 / 3))
    # The second rater is 2 above the first throughout: that is severity, and no noise is left.
    errors = judge_errors(ratings, marks, np.zeros(4, int), np.arange(4))
    assert errors.noise == pytest.approx(0.0)
    assert errors.reliability.value == pytest.approx(1.0)
    assert errors.slope.value == pytest.approx(2 / 3 / (4 / 3))
    assert errors.within.value == pytest.approx(2 / np.sqrt(8))


def test_no_interval_of_a_correlation_leaves_its_range():
    beyond = 0
    for seed in range(20):
        found = judge_errors(*drawn(seed, items=12)[:4])
        for name, least in (
            ("correlation", -1),
            ("within", -1),
            ("corrected", -1),
            ("reliability", 0),
        ):
            each = getattr(found, name)
            assert least <= each.low <= each.high <= 1, name
            beyond += each.high == 1 and each.low < each.value  # Student's t went further
    assert beyond > 10


def severe(contexts, severities, rng, rating=None):
    """Three systems, of which a judge (slope 0.8) favours the first by 0.6; who rates what, by chance."""
    item, system = np.repeat(np.arange(contexts), 3), np.tile(np.arange(3), contexts)
    quality = np.array([0.4, 0.0, -0.4])[system] + 0.5 * rng.normal(size=contexts)[item]
    quality = quality + 0.8 * rng.normal(size=item.size)
    ratings = quality[:, None] + severities + 0.7 * rng.normal(size=(item.size, len(severities)))
    if rating is not None:
        ratings[~rating(rng, system)] = np.nan
    marks = 0.3 + 0.8 * (quality + 0.6 * (system == 0) + 0.3 * rng.normal(size=item.size))
    return ratings, marks, system, item


def two_of_five(rng, system):
    """Two raters of each reply; each rater has most replies of one system."""
    likes = np.where(np.arange(5) % 3 == system[:, None], 1.0, 0.2)
    order = np.log(rng.random(likes.shape)) / likes
    return order >= np.sort(order, axis=1)[:, -2:-1]


@pytest.mark.parametrize(
    ("severities", "rating", "raters"),
    [
        pytest.param((-1.0, 0.0, 1.0), None, 3, marks=pytest.mark.slow),
        ((-1.0, -0.5, 0.0, 0.5, 1.0), two_of_five, 2),
    ],
)
def test_the_severity_of_raters_is_no_noise(severities, rating, raters):
    rng = np.random.default_rng(5)
    truth = np.array([0.8, 0.89 / (0.89 + 0.49 / raters), 0.4, -0.2])
    hits, values = np.zeros(4), np.zeros(4)
    for _ in range(200):
        errors = judge_errors(*severe(60, np.array(severities), rng, rating))
        ends = errors.slope, errors.reliability, *errors.systems[:2]
        values += [each.value for each in ends]
        hits += [each.low <= true <= each.high for each, true in zip(ends, truth, strict=True)]
    assert values / 200 == pytest.approx(truth, abs=0.015)
    assert (hits >= 180).all()  # 190 of 200 expected; fewer than 180 in less than one of 500 runs
    noisy = judge_errors(*severe(2000, np.array(severities), rng, rating), rater_severity="kept")
    assert noisy.slope.value > 0.95
    assert noisy.systems[0].value < 0.35


def nearer_end(estimate):
    """How far the interval reaches to the side to which the estimate is not skewed: Student's t."""
    return min(estimate.high - estimate.value, estimate.value - estimate.low)


def test_a_rater_who_favours_a_system_is_no_noise_within_systems():
    ratings, marks, system, item = severe(60, np.zeros(3), np.random.default_rng(4))
    leaning = ratings + np.array([[1.0, 0.0, 0.0], [0.0, -1.0, 0.5], [0.0, 0.0, 0.0]])[system]
    plain, leant = (judge_errors(each, marks, system, item) for each in (ratings, leaning))
    for name in ("slope", "within", "corrected", "reliability"):
        assert getattr(leant, name)[:4] == pytest.approx(getattr(plain, name)[:4], rel=1e-6)
    assert leant.noise == pytest.approx(plain.noise)


def test_raters_with_few_replies_of_a_system_have_one_severity_for_all():
    ratings, marks, system, item = severe(2, np.array([-1.0, 1.0]), np.random.default_rng(4))
    # Of 12 - 6 degrees of freedom one severity takes 1, and one in each of three systems 3.
    assert _Sums.within_systems(RaterEffects.of(ratings), marks, system, item) is not None
    # Of 6 - 3 they would leave none.
    few = RaterEffects.of(ratings[:3])
    assert _Sums.within_systems(few, marks[:3], system[:3], item[:3]) is None


def test_leaving_out_a_cluster_fits_severity_anew():
    rng = np.random.default_rng(6)
    drawn = severe(25, np.array([-1.0, -0.5, 0.0, 0.5, 1.0]), rng, two_of_five)
    whole, values = judge_errors(*drawn), []
    for each in range(25):
        rest = drawn[3] != each
        part = judge_errors(*(array[rest] for array in drawn))
        values.append((part.slope.value, part.reliability.value, part.systems[0].value))
    error = np.sqrt(24 / 25 * ((values - np.mean(values, axis=0)) ** 2).sum(axis=0))
    reach = [nearer_end(x) for x in (whole.slope, whole.reliability, whole.systems[0])]
    assert np.array(reach) == pytest.approx(2.063899 * error, rel=5e-3)


def test_raters_who_cannot_be_compared_are_not():
    rng = np.random.default_rng(7)
    ratings, marks, system, item = severe(60, np.zeros(6), rng)
    of_first = np.arange(6) < 3
    batches = ratings.copy()
    batches[(item < 30)[:, None] != of_first] = np.nan
    apart = judge_errors(batches, marks, system, item)
    for each in (apart.slope, apart.correlation, apart.within, apart.reliability, *apart.systems):
        assert np.isnan(each.value)
        assert each.reason.startswith("raters fall into groups without a reply in common")
    assert np.isfinite(apart.severity.low)
    assert np.isnan(apart.errors).all()
    # Raters of their own for each system: what is within systems stands, what is between them does not.
    tied = np.where(np.arange(6) // 2 == system[:, None], ratings, np.nan)
    tied = judge_errors(tied, marks, system, item)
    assert tied.slope.low < 0.8 < tied.slope.high
    assert np.isfinite(tied.reliability.low)
    assert all(np.isnan(each.value) for each in (tied.correlation, *tied.systems))
    mean = judge_errors(batches, marks, system, item, rater_severity="kept")
    assert np.isfinite([mean.slope.low, mean.systems[0].low]).all()


def test_slope_and_severity_are_statsmodels_s():
    api = pytest.importorskip("statsmodels.api")
    ratings, marks, system, item, _ = drawn()
    p = np.nanmean(ratings, axis=1)
    ours = judge_errors(p[:, None], marks, system, item)  # one rating each: no correction
    design = np.column_stack([p, np.eye(3)[system]])
    theirs = api.OLS(marks, design).fit(cov_type="cluster", cov_kwds={"groups": item})
    assert ours.slope.value == pytest.approx(theirs.params[0])
    error = (ours.slope.high - ours.slope.value) / 1.967930  # t, 299 degrees of freedom
    assert error == pytest.approx(theirs.bse[0], rel=0.01)  # jackknife beside the sandwich
    mean = api.OLS(marks - p, np.ones(p.size)).fit(
        cov_type="cluster", cov_kwds={"groups": item, "use_correction": True}
    )
    assert ours.severity.value == pytest.approx(mean.params[0])
    factor = (p.size - 1) / p.size  # theirs is as if one parameter of n were estimated
    assert ((ours.severity.high - ours.severity.value) / 1.967930) ** 2 == pytest.approx(
        mean.bse[0] ** 2 * factor, rel=0.01
    )


def test_what_was_put_in_is_found_again():
    ratings, marks, system, item, x = drawn(1, items=8000)
    errors = judge_errors(ratings, marks, system, item, x)
    assert errors.slope.value == pytest.approx(1.3, abs=0.03)
    # a favour of 0.4 to one of three, so that the mean error is 0
    assert [each.value for each in errors.systems] == pytest.approx(
        [0.8 / 3, -0.4 / 3, -0.4 / 3], abs=0.03
    )
    assert errors.effects[0].value == pytest.approx(0.2, abs=0.02)
    assert errors.systems[0].p < 1e-6
    # without the correction every good system would look favoured
    noisy = judge_errors(np.nanmean(ratings, axis=1)[:, None], marks, system, item, x)
    assert noisy.slope.value < 1.15


def test_leaving_out_a_cluster_is_a_subtraction():
    ratings, marks, system, item, x = drawn(2, items=25)
    whole = judge_errors(ratings, marks, system, item, x)
    names = ("severity", "slope", "correlation", "within", "corrected", "reliability")
    left = {name: [] for name in names} | {"system": [], "effect": []}
    for each in range(25):
        rest = item != each
        part = judge_errors(ratings[rest], marks[rest], system[rest], item[rest], x[rest])
        for name in names:
            left[name].append(getattr(part, name).value)
        left["system"].append(part.systems[0].value)
        left["effect"].append(part.effects[0].value)
    estimates = {name: getattr(whole, name) for name in names}
    estimates |= {"system": whole.systems[0], "effect": whole.effects[0]}
    for name, values in left.items():
        values = np.array(values)
        error = np.sqrt(24 / 25 * ((values - values.mean()) ** 2).sum())
        reach = nearer_end(estimates[name])
        assert reach == pytest.approx(2.063899 * error, rel=1e-4), name


def test_shifts_change_nothing_but_severity():
    ratings, marks, system, item, x = drawn(3, items=40)
    errors = judge_errors(ratings, marks, system, item, x)
    moved = judge_errors(ratings + 1e6, marks - 1e6, system, item, x)
    assert moved.severity.value == pytest.approx(errors.severity.value - 2e6)
    assert moved.slope[:4] == pytest.approx(errors.slope[:4], rel=1e-6)
    assert moved.systems[0].value == pytest.approx(errors.systems[0].value, rel=1e-5)


def test_what_is_unknown_says_why():
    ratings, marks, system, item, x = drawn(4, items=40)
    one = np.nanmean(ratings, axis=1)[:, None]
    alone = judge_errors(one, marks, system, item, x)
    assert "each reply has one rating" in alone.corrected.reason
    assert alone.calibration == "as they are"
    # marks as they are: the mean of mark less rating, beside that of all
    apart = marks - one[:, 0]
    assert alone.systems[0].value == pytest.approx(apart[system == 0].mean() - apart.mean())
    other = judge_errors(one, marks, system, item, x, same_scale=False)
    assert "another scale" in other.systems[0].reason
    both = np.column_stack([one, np.full(len(one), np.nan)])
    both[0, 1] = 3.0  # a second rater of one reply: how severe the other is takes this rating up
    few = judge_errors(both, marks, system, item, x)
    assert few.corrected.reason.startswith(
        "too few replies have several ratings: the raters' noise"
    )
    assert np.isnan(other.errors).all()
    rng = np.random.default_rng(0)
    unrelated = judge_errors(ratings, rng.normal(size=marks.size), system, item)
    assert "too loosely" in unrelated.systems[0].reason
    assert np.isnan(unrelated.systems[0].value)
    result = judge_errors(ratings[:9], marks[:9], system[:9], item[:9])
    assert result.severity.reason == "fewer than 4 clusters to resample"
    assert np.isfinite(result.severity.value)
    constant = judge_errors(ratings, np.ones(marks.size), system, item)
    assert np.isnan(constant.correlation.value)
    assert constant.correlation.reason == constant.slope.reason == "all marks are equal"
    with pytest.raises(InputError, match="marks of shape"):
        judge_errors(ratings, marks[1:], system, item)
    with pytest.raises(InputError, match="not finite"):
        judge_errors(ratings, np.full(marks.size, np.nan), system, item)


@pytest.mark.parametrize("seed", range(40))
def test_what_rounding_leaves_is_no_estimate(seed):
    # Without one of four replies all the rest of the variance may be the raters' noise: of 0 rounding
    # left 1e-17, and a slope's interval of +- 1e16.
    rng = np.random.default_rng(seed)
    ratings = np.clip(np.round(3 + rng.normal(size=(4, 1)) + rng.normal(size=(4, 2))), 1, 5)
    errors = judge_errors(ratings, ratings.mean(axis=1), np.zeros(4, int), np.arange(4))
    for each in (errors.slope, errors.corrected, errors.within, errors.reliability):
        assert each.reason is not None or 1e-9 < each.high - each.low < 1e6


def test_a_panel_of_copies_is_one_judge():
    rng = np.random.default_rng(1)
    noise, own = rng.normal(size=(3000, 1)), rng.normal(size=(3000, 4))
    item = np.arange(3000)
    assert independent_judges(own, 0.0, item).value == pytest.approx(4, abs=0.2)
    assert independent_judges(own[:, [0, 0]], 0.0, item).value == pytest.approx(1, abs=1e-9)
    # the raters' noise is in all errors, and is no fault of the judges
    both = own - noise
    assert independent_judges(both, 1.0, item).value == pytest.approx(4, abs=0.4)
    # half of the variance shared: 2 / (1 + 1 / 4)
    assert independent_judges(both, np.nan, item).value == pytest.approx(1.6, abs=0.1)


def test_that_raters_favour_a_system_is_an_error_of_all_judges():
    rng = np.random.default_rng(3)
    item, system = np.repeat(np.arange(4000), 3), np.tile(np.arange(3), 4000)
    quality, lean = rng.normal(size=12_000), np.array([[1.0, 0.6], [-1.0, 0.6], [0.0, -1.2]])
    ratings = quality[:, None] + lean[system] + 0.7 * rng.normal(size=(12_000, 2))
    judges = [
        judge_errors(ratings, quality + rng.normal(size=12_000), system, item) for _ in range(3)
    ]
    errors = np.stack([each.errors for each in judges], axis=1)
    shared = lean.mean(axis=1).var()
    assert judges[0].noise == pytest.approx(0.7**2 / 2, abs=0.01)
    assert shared > 0.2
    panel = independent_judges(errors, judges[0].noise, item)
    assert panel.value == pytest.approx((1 + shared) / (1 / 3 + shared), abs=0.05)
    assert panel.low < panel.value < panel.high


def test_a_line_is_fitted_on_other_clusters():
    rng = np.random.default_rng(2)
    x, groups = rng.normal(size=60), np.repeat(np.arange(20), 3)
    y = 2 * x + rng.normal(size=60)
    fitted = cross_fitted(x, y, groups, seed=0, folds=20)
    for each in range(20):  # as many folds as clusters: each is left out alone
        rest = groups != each
        slope, constant = np.polyfit(x[rest], y[rest], 1)
        assert fitted[~rest] == pytest.approx(constant + slope * x[~rest])
    assert np.isnan(cross_fitted(x, y, np.zeros(60), seed=0)).all()


@pytest.mark.parametrize(
    ("make", "noise", "value", "reason"),
    [
        (lambda e: e[:, [0, 0]], 0.0, 1.0, "the judges make the same errors on every reply"),
        (lambda e: 0 * e + 2, 0.0, np.nan, "the judges make no errors"),
        (lambda e: np.stack([e[:, 0], -e[:, 0]], axis=1), 0.0, np.nan,
         "the errors of the judges cancel each other exactly"),
        (lambda e: e, 5.0, np.nan, "the raters' noise is all of the panel's error"),
        (lambda e: e[:, [0, 0]], 5.0, np.nan, "the raters' noise is all of the panel's error"),
        (lambda e: e, 0.0, None, None),
    ],
)  # fmt: skip
def test_the_reason_of_a_panel_is_the_one_that_holds(make, noise, value, reason):
    errors = make(np.random.default_rng(4).normal(size=(50, 2)))
    panel = independent_judges(errors, noise, np.arange(50))
    assert panel.reason == reason
    if reason is not None:
        assert panel.value == pytest.approx(value, nan_ok=True)
        assert np.isnan(panel.low)


def test_a_panel_s_interval_allows_for_the_raters_noise_being_estimated():
    rng = np.random.default_rng(5)
    quality = rng.normal(size=60)
    ratings = quality[:, None] + 0.7 * rng.normal(size=(60, 2))
    ratings[20:, 1] = np.nan
    judges = quality + 0.5 * rng.normal(size=(3, 60))
    zeros, items = np.zeros(60, dtype=np.int64), np.arange(60)
    each = [judge_errors(ratings, marks, zeros, items) for marks in judges]
    errors = np.stack([one.errors for one in each], axis=1)
    known, estimated = (
        independent_judges(errors, each[0].noise, items, left_out)
        for left_out in (None, each[0].noise_left_out)
    )
    assert each[0].noise_left_out.shape == (60,)
    assert known.value == estimated.value
    assert estimated.high - estimated.low > 1.05 * (known.high - known.low)
