"""Krippendorff's alpha on his own example, and where it says nothing."""

import math

import numpy as np
import pytest
from scipy import stats

from rejoinder.errors import InputError, ParameterError
from rejoinder.statistics import alpha as alpha_module
from rejoinder.statistics.alpha import alpha_interval, krippendorff_alpha, reason_no_alpha

NAN = np.nan

# Krippendorff 2011, section C: four observers, twelve units.
EXAMPLE = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T


@pytest.mark.parametrize(
    ("kind", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_the_published_example(kind, published):
    assert krippendorff_alpha(EXAMPLE, kind) == pytest.approx(published, abs=5e-4)


def test_by_hand():
    # Units (1, 1) and (1, 2): coincidences o_11 = 2, o_12 = o_21 = 1, n_1 = 3, n_2 = 1, n = 4.
    # D_o = 2/4, D_e = 2 * 3 * 1 / (4 * 3) = 1/2: alpha = 0.
    assert krippendorff_alpha(np.array([[1.0, 1.0], [1.0, 2.0]])) == pytest.approx(0.0)
    # Units (1, 2) and (2, 1): o_12 = o_21 = 2, n = 4. D_o = 1, D_e = 2 * 2 * 2 / 12: alpha = -1/2.
    assert krippendorff_alpha(np.array([[1.0, 2.0], [2.0, 1.0]])) == pytest.approx(-0.5)


@pytest.mark.parametrize("kind", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        (np.arange(5.0)[:, None], "fewer than 2 raters"),
        (np.array([[1.0, NAN], [2.0, NAN]]), "fewer than 2 raters"),
        (np.array([[1.0, NAN], [NAN, 2.0], [3.0, NAN]]), "fewer than 2 units with two ratings"),
        (np.array([[1.0, 4.0, 5.0]]), "fewer than 2 units with two ratings"),
        (np.full((4, 3), 2.0), "no variation: all ratings are equal"),
        (np.zeros((0, 3)), "fewer than 2 raters"),
    ],
)
def test_undefined(kind, matrix, reason):
    assert math.isnan(krippendorff_alpha(matrix, kind))
    assert reason_no_alpha(matrix) == reason
    interval = alpha_interval(matrix, kind)
    assert math.isnan(interval.low)
    assert interval.reason == reason


def test_one_constant_rater_among_others():
    # The third always says 3. All D of pairs with the rater count as they would by chance.
    up = np.tile(np.arange(5.0), 4)
    with_constant = np.stack([up, up, np.full(20, 3.0)], axis=1)
    assert 0 < krippendorff_alpha(with_constant, "nominal") < 1


@pytest.mark.parametrize("kind", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("labels", [None, np.repeat(np.arange(10), 3)], ids=["units", "groups"])
def test_interval_is_the_naive_loop(kind, labels):
    rng = np.random.default_rng(1)
    matrix = np.clip(rng.integers(1, 6, (30, 1)) + rng.integers(-1, 2, (30, 3)), 1, 5).astype(float)
    matrix[::7, 1:] = NAN  # some with one rating, who take no part
    kept = (~np.isnan(matrix)).sum(axis=1) > 1
    groups = (np.arange(30) if labels is None else labels)[kept]
    names = np.unique(groups)
    left_out = [krippendorff_alpha(matrix[kept][groups != name], kind) for name in names]
    g, alpha = names.size, krippendorff_alpha(matrix, kind)
    error = math.sqrt((g - 1) * np.var(left_out))  # sqrt((g - 1) / g times the sum of squares)
    # 25 units with two ratings: 24 degrees of freedom. The same in 5 groups of 3 and 5 of 2 (each 7th
    # unit, in every second or third group, has one rating): (5 (3/25)^(4/3) + 5 (2/25)^(4/3))^-3 - 1.
    sizes = np.unique(groups, return_counts=True)[1]
    assert sorted(sizes) == ([1] * 25 if labels is None else [2] * 5 + [3] * 5)
    freedom = 24 if labels is None else (5 * 0.12 ** (4 / 3) + 5 * 0.08 ** (4 / 3)) ** -3 - 1
    z, reach = math.atanh(alpha), stats.t.ppf(0.975, freedom) * error / (1 - alpha**2)
    interval = alpha_interval(matrix, kind, labels)
    ends = (math.tanh(z - reach), math.tanh(z + reach))
    assert (interval.low, interval.high) == pytest.approx(ends, abs=1e-6)
    assert interval.low < alpha < interval.high


def naive_alpha(matrix, kind):
    """Krippendorff 2011, pair by pair."""
    units = [row[~np.isnan(row)] for row in matrix]
    units = [row for row in units if row.size > 1]
    every = np.concatenate(units)

    def delta(c, k):
        if kind == "nominal":
            return float(c != k)
        if kind == "interval":
            return (c - k) ** 2
        low, high = min(c, k), max(c, k)
        between = ((every >= low) & (every <= high)).sum()
        return (between - ((every == c).sum() + (every == k).sum()) / 2) ** 2 if c != k else 0.0

    observed = sum(sum(delta(c, k) for c in u for k in u) / (u.size - 1) for u in units)
    expected = sum(delta(c, k) for c in every for k in every)
    return 1 - (every.size - 1) * observed / expected


@pytest.mark.parametrize("kind", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("grades", [2, 5, 101, 100_000])
def test_sums_are_the_pairs_one_by_one(kind, grades, monkeypatch):
    rng = np.random.default_rng(grades)
    quality = rng.random((14, 1))
    matrix = np.floor(np.clip(quality + rng.normal(0, 0.2, (14, 4)), 0, 0.999) * grades)
    matrix[rng.random(matrix.shape) < 0.2] = NAN
    expected = pytest.approx(naive_alpha(matrix, kind), abs=1e-12)
    assert krippendorff_alpha(matrix, kind) == expected
    monkeypatch.setattr(alpha_module, "MOST_CODES", 1)  # units one by one, blocks of one group
    monkeypatch.setattr(alpha_module, "BLOCK", 1)
    assert krippendorff_alpha(matrix, kind) == expected
    blocks = alpha_interval(matrix, kind)
    monkeypatch.undo()
    whole = alpha_interval(matrix, kind)
    assert (blocks.low, blocks.high) == pytest.approx((whole.low, whole.high), abs=1e-12)


def test_a_group_that_holds_all_variation_leaves_no_interval():
    matrix = np.full((6, 2), 3.0)
    matrix[0] = [1.0, 5.0]
    assert alpha_interval(matrix, "interval").reason == "undefined where one group is left out"


@pytest.mark.parametrize("kind", ["nominal", "ordinal", "interval"])
def test_the_interval_holds_the_truth_at_20_units(kind):
    # 300 intervals of 95% hold in 285 runs, with a standard deviation of sqrt(300 .95 .05) = 3.8.
    # The bound is four of them below .94: 282 - 4 sqrt(300 .94 .06) = 265. The percentile bootstrap
    # over units held 84 to 90 of 100 here, 252 to 270.
    rng = np.random.default_rng(6)

    def drawn(units):
        quality = rng.random((units, 1))
        return np.clip(np.round(1 + 4 * (quality + rng.normal(0, 0.25, (units, 3)))), 1, 5)

    truth = krippendorff_alpha(drawn(100_000), kind)
    intervals = [alpha_interval(drawn(20), kind) for _ in range(300)]
    assert sum(each.low <= truth <= each.high for each in intervals) >= 265


def test_the_interval_holds_the_truth_where_one_group_has_half_of_the_units():
    # 1,000 intervals: the bound is three standard deviations below .93, 930 - 3 sqrt(1000 .93 .07). With as
    # many degrees of freedom as groups less one they held in 89 of 100.
    rng = np.random.default_rng(8)
    groups = np.repeat(np.arange(20), [*[2] * 19, 38])

    def drawn(group):
        shared = rng.normal(size=(int(group.max()) + 1, 4))[group]
        own = rng.normal(size=(group.size, 4))
        quality, noise = 0.7 * (own + shared)[:, :1], (own + shared)[:, 1:]
        return quality + noise

    truth = krippendorff_alpha(drawn(np.arange(200_000)), "interval")
    intervals = [alpha_interval(drawn(groups), "interval", groups) for _ in range(1000)]
    assert sum(each.low <= truth <= each.high for each in intervals) >= 906


def test_few_groups_have_no_interval():
    interval = alpha_interval(EXAMPLE, "nominal", np.arange(12) // 4)
    assert interval.reason == "fewer than 4 groups to resample"


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ParameterError, match="choose 'nominal', 'ordinal' or 'interval'"):
        krippendorff_alpha(EXAMPLE, "ratio")
    with pytest.raises(InputError, match="for 12 units"):
        alpha_interval(EXAMPLE, "nominal", np.arange(3))
    with pytest.raises(ParameterError, match="level=95"):
        alpha_interval(EXAMPLE, "nominal", level=95)
