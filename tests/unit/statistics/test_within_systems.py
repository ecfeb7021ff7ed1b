"""Agreement within systems: loops as oracles, and false alarms where systems differ."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from rejoinder.errors import InputError, ParameterError
from rejoinder.statistics.correlation import CORRELATIONS, correlation_named
from rejoinder.statistics.intervals import SAME
from rejoinder.statistics.significance import paired_permutation, permutation_p
from rejoinder.statistics.within_systems import MOST_BLOCKS, WithinSystems

SCIPY = {
    "pearson": lambda x, y: stats.pearsonr(x, y)[0],
    "spearman": lambda x, y: stats.spearmanr(x, y)[0],
    "kendall-b": lambda x, y: stats.kendalltau(x, y)[0],
}


def replies(systems, contexts, present=1.0, seed=0, between=1.0, shared=0.5):
    """Scores and ratings that agree on the systems' levels, and on nothing else.

    A system's level (sd ``between``) is the same in scores and ratings; contexts move the scores and,
    independently, the ratings (sd ``shared``); noise has sd 1.
    """
    rng = np.random.default_rng(seed)
    level = between * rng.normal(size=(systems, 1))
    x, y = (
        level + shared * rng.normal(size=contexts) + rng.normal(size=(systems, contexts))
        for _ in range(2)
    )
    kept = rng.random((systems, contexts)) < present
    system, context = np.nonzero(kept)
    return x[kept], WithinSystems(y[kept], system, context)


@pytest.mark.parametrize("present", [1.0, 0.7])
@pytest.mark.parametrize("name", SCIPY)
def test_the_mean_of_each_system_s_own(name, present):
    x, data = replies(3, 12, present)
    each = [SCIPY[name](x[data.system == s], data.y[data.system == s]) for s in range(3)]
    assert data.coefficients(x, name) == pytest.approx(each)
    assert data.mean(x, name) == pytest.approx(np.mean(each))


def test_every_permutation_of_the_contexts_of_all_systems_at_once():
    # 4 contexts have 24 orders; each is drawn alike, so p is the share of them that reach the mean.
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 2, 4))
    data = WithinSystems(y.ravel(), np.repeat([0, 1], 4), np.tile(np.arange(4), 2))
    for name in SCIPY:
        means = [
            np.mean([SCIPY[name](x[s], y[s, list(order)]) for s in range(2)])
            for order in itertools.permutations(range(4))
        ]
        exact = np.mean(np.abs(means) >= abs(means[0]) - 1e-12)
        p = data.permutation_p(x.ravel(), name, 20_000, rng)
        # Four standard errors of a share of 20,000 draws: 4 sqrt(.25 / 20000) = .014
        assert p == pytest.approx(exact, abs=0.014)


@pytest.mark.parametrize("name", [pytest.param("pearson", marks=pytest.mark.slow), "spearman"])
def test_systems_without_a_common_context_by_a_loop(name):
    # Two systems, 5 contexts each, none shared: each has permutations of its own, and the mean is
    # divided by its error, the root of the sum over contexts of (product - mean product)^2 / 25.
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, 10))
    data = WithinSystems(y, np.repeat([0, 1], 5), np.arange(10))

    def standardised(v):
        each = (
            stats.rankdata(v[s]) if name == "spearman" else v[s] for s in (slice(5), slice(5, 10))
        )
        return [stats.zscore(part) for part in each]

    def studentised(b):
        products = [one * other for one, other in zip(a, b, strict=True)]
        total = sum(product.mean() for product in products)
        error = sum(np.sum((product - product.mean()) ** 2) / 25 for product in products)
        return total / math.sqrt(error)

    a, b = standardised(x), standardised(y)
    naive = [abs(studentised([rng.permutation(part) for part in b])) for _ in range(2000)]
    expected = np.mean(np.array(naive) >= abs(studentised(b)) - 1e-12)
    # Two shares, of 2,000 and of 20,000 draws: 4 sqrt(.25 / 2000 + .25 / 20000) = .047
    assert data.permutation_p(x, name, 20_000, rng) == pytest.approx(expected, abs=0.047)


@pytest.mark.parametrize("present", [1.0, 0.7])
@pytest.mark.parametrize("name", CORRELATIONS)
def test_the_interval_is_the_jackknife_over_contexts(name, present):
    x, data = replies(3, 15, present, seed=1)
    z = []
    for context in range(15):
        kept = data.context != context
        one = WithinSystems(data.y[kept], data.system[kept], data.context[kept])
        z.append(math.atanh(one.mean(x[kept], name)))
    error = math.sqrt(14 / 15 * np.sum((np.array(z) - np.mean(z)) ** 2))
    half = stats.t.ppf(0.975, 14) * error
    centre = math.atanh(data.mean(x, name))
    interval = data.interval(x, name)
    assert interval.low == pytest.approx(math.tanh(centre - half))
    assert interval.high == pytest.approx(math.tanh(centre + half))


def test_many_contexts_are_left_out_in_blocks():
    x, data = replies(2, 3 * MOST_BLOCKS, seed=3)
    interval = data.interval(x, "pearson")
    single = [
        math.atanh(WithinSystems(*(v[kept] for v in (data.y, data.system, data.context))).mean(
            x[kept], "pearson"))
        for kept in (data.context != context for context in range(3 * MOST_BLOCKS))
    ]  # fmt: skip
    g = len(single)
    error = math.sqrt((g - 1) / g * np.sum((np.array(single) - np.mean(single)) ** 2))
    width = math.atanh(interval.high) - math.atanh(interval.low)
    # The error from 200 blocks is itself known to 1 / sqrt(2 * 200) = 5%: three times that.
    assert width / (2 * 1.97 * error) == pytest.approx(1, abs=0.15)


def test_one_system_is_the_plain_test():
    x, data = replies(1, 20)
    p = permutation_p(x, data.y, "spearman", 99, np.random.default_rng(1))
    assert data.permutation_p(x, "spearman", 99, np.random.default_rng(1)) == p


def test_a_system_that_says_nothing_is_left_out():
    x, data = replies(3, 10)
    constant = np.where(data.system == 1, 2.0, x)
    kept = data.system != 1
    others = WithinSystems(data.y[kept], data.system[kept] // 2, data.context[kept])
    assert data.mean(constant, "pearson") == others.mean(x[kept], "pearson")
    rng = np.random.default_rng
    p = data.permutation_p(constant, "pearson", 99, rng(0))
    assert p == others.permutation_p(x[kept], "pearson", 99, rng(0))
    assert data.interval(constant, "pearson") == others.interval(x[kept], "pearson")
    nothing = np.zeros_like(x)
    assert math.isnan(data.mean(nothing, "pearson"))
    assert math.isnan(data.permutation_p(nothing, "pearson", 99, rng(0)))
    assert data.interval(nothing, "pearson").reason == "the correlation is undefined"
    assert math.isnan(data.paired_permutation(x, nothing, "pearson", 99, rng(0)).p)


def test_no_interval_without_evidence():
    x, data = replies(2, 3)
    assert data.interval(x, "pearson").reason == "fewer than 4 contexts to leave out in turn"
    x, data = replies(2, 10)
    one = np.where(data.context == 3, 1.0, 0.0)  # all scores but one are equal in each system
    reason = "the correlation of {} and 1 more is undefined without one of its contexts"
    assert data.interval(one, "pearson").reason == reason.format("system 0")
    assert data.difference_interval(x, one, "pearson").reason == reason.format("system 0")
    of_two = WithinSystems(data.y, data.system, data.context, names=("tuned", "generic"))
    assert of_two.interval(one, "pearson").reason == reason.format("'tuned'")
    first = np.where(data.system == 0, one, x)
    assert of_two.interval(first, "pearson").reason == reason.format("'tuned'").replace(
        " and 1 more", ""
    )
    assert data.interval(data.y, "pearson").reason == "the correlation is perfect"
    assert data.difference_interval(x, x, "pearson").reason == SAME


def test_arguments_that_do_not_fit_are_told():
    with pytest.raises(InputError, match=r"shapes \(2,\), \(3,\)"):
        WithinSystems(np.zeros(3), np.zeros(3, dtype=int), np.zeros(2, dtype=int))
    with pytest.raises(InputError, match="more than once"):
        WithinSystems(np.zeros(2), np.zeros(2, dtype=int), np.zeros(2, dtype=int))
    x, data = replies(2, 5)
    with pytest.raises(ParameterError, match="permutations=0"):
        data.permutation_p(x, "pearson", 0, np.random.default_rng(0))
    with pytest.raises(ParameterError, match="choose 'pearson'"):
        data.mean(x, "kendall")


def test_two_metrics_swap_by_contexts_standardised_within_systems():
    # 3 contexts: 8 ways to swap; the oracle goes through them all.
    rng = np.random.default_rng(5)
    x1, x2, y = rng.normal(size=(3, 2, 4))
    system, context = np.repeat([0, 1], 4), np.tile(np.arange(4), 2)
    data = WithinSystems(y.ravel(), system, context)
    z1, z2 = (stats.zscore(x, axis=1) for x in (x1, x2))
    differences = []
    for coins in itertools.product([False, True], repeat=4):
        a, b = np.where(coins, z2, z1), np.where(coins, z1, z2)
        r = [SCIPY["pearson"](a[s], y[s]) - SCIPY["pearson"](b[s], y[s]) for s in range(2)]
        differences.append(np.mean(r))
    exact = np.mean(np.abs(differences) >= abs(differences[0]) - 1e-12)
    told = data.paired_permutation(x1.ravel(), x2.ravel(), "pearson", 20_000, rng)
    assert told.difference == pytest.approx(differences[0])
    assert told.p == pytest.approx(exact, abs=0.014)  # as above


@pytest.mark.parametrize("present", [pytest.param(1.0, marks=pytest.mark.slow), 0.6])
def test_false_alarms_where_systems_differ(present):
    # 400 sets of 5 systems and 20 contexts, systems one sd apart in scores and ratings, and nothing
    # in common within a system. A test that holds errs in 5%, so in 400 sets in 20 with a standard
    # deviation of sqrt(400 * .05 * .95) = 4.4: at most 20 + 3 * 4.4 = 33. The pooled test errs in
    # far more than half of them.
    rng = np.random.default_rng(7)
    within = pooled = missed = 0
    for seed in range(400):
        x, data = replies(5, 20, present, seed)
        within += data.permutation_p(x, "pearson", 99, rng) <= 0.05
        interval = data.interval(x, "pearson")
        missed += not interval.low <= 0 <= interval.high
        if seed < 100:
            pooled += permutation_p(x, data.y, "pearson", 99, rng, data.context) <= 0.05
    assert 7 <= within <= 33
    assert missed <= 33
    assert pooled > 40


def test_false_alarms_of_metric_against_metric():
    # Two metrics that know as much of a reply's quality, and prefer systems of their own, one sd
    # apart: bounds as above for 300 sets, 15 + 3 * 3.8 = 26.
    rng = np.random.default_rng(9)
    within = pooled = 0
    measure = correlation_named("pearson")
    for _ in range(300):
        quality = rng.normal(size=(5, 20))
        x1, x2, y = (
            (rng.normal(size=(5, 1)) + 0.6 * quality + 0.8 * rng.normal(size=(5, 20))).ravel()
            for _ in range(3)
        )
        system, context = np.repeat(np.arange(5), 20), np.tile(np.arange(20), 5)
        data = WithinSystems(y, system, context)
        assert data.difference(x1, x1, "pearson") == 0 <= abs(measure(x1, y))
        within += data.paired_permutation(x1, x2, "pearson", 99, rng).p <= 0.05
        pooled += paired_permutation(x1, x2, y, "pearson", 99, rng, context).p <= 0.05
    assert 4 <= within <= 26
    assert pooled > 60


def test_a_difference_above_1_is_not_perfect():
    # One metric orders replies nearly as people do, the other nearly the other way round.
    rng = np.random.default_rng(3)
    system, context = (each.ravel() for each in np.indices((3, 12)))
    y = rng.normal(size=36)
    data = WithinSystems(y, system, context)
    one, other = y + 0.3 * rng.normal(size=36), -y + 0.3 * rng.normal(size=36)
    value = data.difference(one, other, "pearson")
    interval = data.difference_interval(one, other, "pearson")
    assert value > 1.5
    assert interval.low < value < interval.high <= 2
