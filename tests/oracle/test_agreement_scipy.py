"""scipy as the oracle of coefficients, tails, z-scores and rank tests, on tables full of ties."""

import numpy as np
import pytest

from rejoinder.kernels import ranks as kernels
from rejoinder.statistics.aggregation import aggregate
from rejoinder.statistics.correlation import CORRELATIONS, average_ranks
from rejoinder.statistics.head_to_head import sign_test
from rejoinder.statistics.proportions import wilson
from rejoinder.statistics.significance import permutation_p
from rejoinder.statistics.student import incomplete_beta, t_quantile, two_sided_p

scipy = pytest.importorskip("scipy")
from scipy import special, stats  # noqa: E402

ORACLES = {
    "pearson": lambda x, y: stats.pearsonr(x, y)[0],
    "spearman": lambda x, y: stats.spearmanr(x, y)[0],
    "kendall-b": lambda x, y: stats.kendalltau(x, y, variant="b")[0],
    "kendall-c": lambda x, y: stats.kendalltau(x, y, variant="c")[0],
}


def tables(seed, rows, n):
    """Rows of every kind: no ties, some, few grades against many scores, few against few."""
    rng = np.random.default_rng(seed)
    kinds = [
        (rng.normal(size=(rows, n)), rng.normal(size=(rows, n))),
        (rng.normal(size=(rows, n)), rng.integers(1, 6, (rows, n))),
        (rng.integers(0, 40, (rows, n)) / 40, rng.integers(1, 6, (rows, n))),
        (rng.integers(0, 2, (rows, n)), rng.integers(0, 3, (rows, n))),
    ]
    for x, y in kinds:
        yield x.astype(np.float64), (y + 0.4 * x).astype(np.float64)
        yield x.astype(np.float64), y.astype(np.float64)


@pytest.mark.parametrize("name", CORRELATIONS)
@pytest.mark.parametrize("n", [2, 3, 7, 64, 65, 300])
def test_coefficients(name, n):
    for x, y in tables(seed=n, rows=12, n=n):
        ours = CORRELATIONS[name](x, y)
        for row in range(len(x)):
            if np.ptp(x[row]) == 0 or np.ptp(y[row]) == 0:
                assert np.isnan(ours[row])
            else:
                assert ours[row] == pytest.approx(ORACLES[name](x[row], y[row]), abs=1e-12)


@pytest.mark.parametrize("n", [2, 5, 33, 64, 65, 200])
def test_two_algorithms_for_kendall_count_the_same(n):
    for x, y in tables(seed=100 + n, rows=20, n=n):
        fast, slow = kernels.concordance(x, y), kernels.concordance_by_pairs(x, y)
        assert (fast == slow).all()


def test_ranks():
    for x, y in tables(seed=1, rows=5, n=40):
        np.testing.assert_array_equal(average_ranks(x), stats.rankdata(x, axis=1))
        np.testing.assert_array_equal(average_ranks(y), stats.rankdata(y, axis=1))


def test_tails_of_student_t():
    for df in (1, 2, 3, 10, 97, 1000, 50_000):
        for t in (0.0, 1e-9, 0.3, 1.0, 2.5, 12.0, 40.0):
            assert two_sided_p(-t, df) == pytest.approx(2 * stats.t.sf(t, df), rel=1e-9)
        for level in (0.5, 0.8, 0.95, 0.999):
            ours = t_quantile(level, df)
            assert ours == pytest.approx(stats.t.ppf((1 + level) / 2, df), rel=1e-9)


def test_incomplete_beta():
    rng = np.random.default_rng(2)
    for _ in range(200):
        x, a, b = rng.random(), rng.exponential(20), rng.exponential(5)
        assert incomplete_beta(x, a, b) == pytest.approx(special.betainc(a, b, x), rel=1e-9)


def test_sign_test_is_the_exact_binomial():
    for wins, losses in [(0, 1), (3, 3), (8, 2), (2, 8), (40, 60), (900, 1100), (5000, 4000)]:
        exact = stats.binomtest(wins, wins + losses).pvalue
        assert sign_test(wins, losses) == pytest.approx(exact, rel=1e-9)


def test_wilson_interval():
    for wins, losses in [(0, 5), (3, 7), (50, 50), (12, 0)]:
        ours = wilson(wins / (wins + losses), wins + losses)
        oracle = stats.binomtest(wins, wins + losses).proportion_ci(method="wilson")
        assert (ours.low, ours.high) == pytest.approx((oracle.low, oracle.high), abs=1e-12)


def test_z_scores():
    matrix = np.random.default_rng(3).integers(1, 6, (30, 4)).astype(np.float64)
    matrix[np.random.default_rng(4).random(matrix.shape) < 0.3] = np.nan
    expected = np.nanmean(stats.zscore(matrix, axis=0, nan_policy="omit"), axis=1)
    np.testing.assert_allclose(aggregate(matrix, "z").values, expected, atol=1e-12)


def test_permutation_p_of_few_observations_nears_the_exact_one():
    # All 6! = 720 orders can be listed: 4,000 random ones come within 4 standard errors.
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=6), rng.normal(size=6)
    exact = stats.permutation_test(
        (x,), lambda a: stats.pearsonr(a, y)[0], permutation_type="pairings", n_resamples=np.inf
    ).pvalue
    p = permutation_p(x, y, "pearson", 4000, np.random.default_rng(6))
    assert p == pytest.approx(exact, abs=0.01 + 4 * np.sqrt(exact * (1 - exact) / 4000))
