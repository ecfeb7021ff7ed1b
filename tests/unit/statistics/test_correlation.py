"""Coefficients by hand, their edges, and the reasons why they are undefined."""

import numpy as np
import pytest

from rejoinder.errors import InputError, ParameterError
from rejoinder.statistics.correlation import (
    CORRELATIONS,
    FEW,
    average_ranks,
    correlation_named,
    kendall_b,
    kendall_c,
    pearson,
    reason_undefined,
    spearman,
)

X = np.array([1.0, 2.0, 2.0, 3.0, 4.0])
Y = np.array([2.0, 1.0, 1.5, 5.0, 3.0])


def test_pearson_by_hand():
    # deviations of X: -1.4 -.4 -.4 .6 1.6, of Y: -.5 -1.5 -1 2.5 .5
    # products .7 .6 .4 1.5 .8 = 4.0; squares 5.2 and 9.75... = .25+2.25+1+6.25+.25 = 10
    assert pearson(X, Y) == pytest.approx(4.0 / np.sqrt(5.2 * 10))


def test_spearman_by_hand():
    # ranks of X: 1 2.5 2.5 4 5, of Y: 3 1 2 5 4, means 3
    # products of deviations: 0 + 1 + .5 + 2 + 2 = 5.5; squares 9.5 and 10
    assert spearman(X, Y) == pytest.approx(5.5 / np.sqrt(9.5 * 10))


def test_kendall_by_hand():
    # 10 pairs, one tied in X. Discordant: (1,2)(1,1.5)(3,5)-(4,3): pairs 0-1, 0-2, 3-4: 3.
    # Concordant: the other 6. tau-b = 3 / sqrt(9 * 10) = 0.3162; tau-c, m = 4: 2 * 3 / (25 * 3/4).
    assert kendall_b(X, Y) == pytest.approx(3 / np.sqrt(90))
    assert kendall_c(X, Y) == pytest.approx(0.32)


@pytest.mark.parametrize("name", CORRELATIONS)
def test_leading_axes_are_broadcast(name):
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 9, (3, 4, 20)).astype(float), rng.integers(0, 5, 20).astype(float)
    both = CORRELATIONS[name](x, y)
    assert both.shape == (3, 4)
    for i in np.ndindex(3, 4):
        assert both[i] == CORRELATIONS[name](x[i], y)
    turned = CORRELATIONS[name](y, x)
    np.testing.assert_allclose(turned, both, atol=1e-15)


@pytest.mark.parametrize("name", CORRELATIONS)
@pytest.mark.parametrize("n", [5, FEW + 1])
def test_a_perfect_order_is_exactly_one(name, n):
    x = np.arange(float(n)) * 0.1
    assert CORRELATIONS[name](x, x) == 1.0
    assert CORRELATIONS[name](x, -x) == -1.0


@pytest.mark.parametrize("name", CORRELATIONS)
@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([], [], "fewer than 2 observations"),
        ([1.0], [2.0], "fewer than 2 observations"),
        ([0.1] * 7, range(7), "all metric scores equal"),
        (range(3), [4.0] * 3, "all ratings equal"),
        ([1.0, np.nan, 2.0], range(3), "a metric score is missing"),
        (range(3), [1.0, np.nan, 2.0], "a rating is missing"),
        ([1.0, -np.inf, 2.0], range(3), "a metric score is infinite"),
    ],
)
def test_undefined_is_nan_with_a_reason(name, x, y, reason):
    x, y = np.array(x, dtype=float), np.array(y, dtype=float)
    assert np.isnan(CORRELATIONS[name](x, y))
    assert reason_undefined(x, y) == reason


@pytest.mark.parametrize("name", CORRELATIONS)
@pytest.mark.parametrize("n", [6, FEW + 6])
def test_an_undefined_row_leaves_the_others_alone(name, n):
    x = np.random.default_rng(1).normal(size=(4, n))
    y = np.arange(float(n))
    alone = CORRELATIONS[name](x[3], y)
    x[0], x[1, 2], x[2, 2] = 0.3, np.nan, np.inf
    values = CORRELATIONS[name](x, y)
    assert np.isnan(values).tolist() == [True, True, True, False]
    assert values[3] == alone


@pytest.mark.parametrize("name", CORRELATIONS)
def test_inputs_are_left_as_they_are(name):
    x = np.random.default_rng(2).integers(0, 4, (2, 90)).astype(float)
    x.flags.writeable = False
    CORRELATIONS[name](x[0], x[1])
    CORRELATIONS[name](x.T[:, 0], x.T[:, 1])  # not contiguous


def test_scores_near_the_ends_of_float64():
    x = np.array([1.0, 2.0, 4.0])
    for scale in (1e-200, 1e200):
        assert pearson(x * scale, x) == pytest.approx(1.0)


@pytest.mark.parametrize("n", [3, 7, 10, 31])
def test_a_constant_whose_mean_is_rounded_is_constant(n):
    # The mean of seven times 0.1 is 0.09999999999999999, and each deviation then above 0.
    assert np.isnan(pearson(np.full(n, 0.1), np.arange(float(n))))


def test_infinite_rows_have_no_ranks():
    assert np.isnan(average_ranks(np.array([1.0, np.inf]))).all()


def test_lengths_must_match():
    with pytest.raises(InputError, match=r"x has shape \(3,\) and y \(2,\)"):
        pearson(np.arange(3.0), np.arange(2.0))


def test_names_are_listed():
    assert correlation_named("kendall-b") is kendall_b
    with pytest.raises(ParameterError, match="choose 'pearson', 'spearman', 'kendall-b' or"):
        correlation_named("kendall")
