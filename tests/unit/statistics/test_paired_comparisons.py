"""Strengths from contests: worked by hand, beside statsmodels, and simulated."""

import math

import numpy as np
import pytest

from rejoinder.errors import InputError, ParameterError
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.contest_likelihood import Contests
from rejoinder.statistics.paired_comparisons import fit, p_of_differences, parameter_intervals


def two(wins, ties, losses):
    """Contests of two systems."""
    winner = np.repeat([1, 0, -1], [wins, ties, losses])
    return Contests(np.zeros(winner.size, int), np.ones(winner.size, int), winner, 2)


def drawn(n, seed=0, covariates=0, judge=None, nu=0.6, items=50):
    """Contests of four systems with known parameters, the item and the rater of each."""
    rng = np.random.default_rng(seed)
    strengths = np.array([0.8, 0.2, -0.2, -0.8])
    a = rng.integers(0, 4, n)
    b = (a + rng.integers(1, 4, n)) % 4
    x = rng.normal(size=(n, covariates))
    voter = rng.integers(0, 2, n) if judge is not None else np.zeros(n, int)
    eta = np.where(voter, judge or 1.0, 1.0) * (strengths[a] - strengths[b]) + 0.5 * x.sum(axis=1)
    won, lost = np.exp(eta / 2), np.exp(-eta / 2)
    point = rng.random(n) * (won + lost + nu)
    winner = np.where(point < won, 1, np.where(point < won + lost, -1, 0))
    return Contests(a, b, winner, 4, x, voter), rng.integers(0, items, n), rng.integers(0, 12, n)


def test_two_systems_are_the_shares():
    # e^(eta/2) : nu : e^(-eta/2) = 6 : 3 : 2, so eta = log 3 and nu = 3 / sqrt(12)
    fitted = fit(two(6, 3, 2), "davidson")
    assert fitted.strengths == pytest.approx([math.log(3) / 2, -math.log(3) / 2])
    assert fitted.tie == pytest.approx(3 / math.sqrt(12))
    # a tie as half a win: 7.5 to 3.5
    half = fit(two(6, 3, 2), "half")
    assert half.strengths[0] == pytest.approx(math.log(7.5 / 3.5) / 2)
    assert math.isnan(half.tie)


def test_the_variance_of_a_share():
    # Each contest its own cluster: the delta method on a share p of n without ties gives
    # var(eta) = 1 / (n p (1 - p)), and eta = 2 strength; times n / (n - 1).
    fitted = fit(two(6, 0, 4))
    variance = fitted.covariance(None)[0, 0]
    assert variance == pytest.approx(10 / 9 / (10 * 0.6 * 0.4) / 4)
    ends = parameter_intervals(fitted, fitted.covariance(None), Groups.of(None, 10))
    assert ends.high[0] - fitted.strengths[0] == pytest.approx(2.262157 * math.sqrt(variance))


def test_without_ties_it_is_logistic_regression():
    api = pytest.importorskip("statsmodels.api")
    contests, _, _ = drawn(600, covariates=2, nu=0.0)
    # 50 items by 12 raters: clusters of one size, where the jackknife's step is G / (G - 1)
    item, rater = np.divmod(np.random.default_rng(1).permutation(600), 12)
    design = np.zeros((600, 4))
    design[np.arange(600), contests.a] = 1
    design[np.arange(600), contests.b] = -1
    design = np.column_stack([design[:, :3], contests.x])  # the last strength is 0
    model = api.Logit((contests.winner > 0).astype(float), design)
    fitted = fit(contests)
    contrast = np.eye(6)[[0, 1, 2, 4, 5]]
    contrast[:3, 3] = -1
    for groups in ((item,), (item, rater)):
        options = {"groups": np.column_stack(groups).squeeze()}
        theirs = model.fit(disp=0, tol=1e-12, cov_type="cluster", cov_kwds=options)
        assert contrast @ fitted.parameters == pytest.approx(theirs.params, abs=1e-6)
        # theirs has G / (G - 1), as ours, and (n - 1) / (n - 5) beside it
        ours = contrast @ fitted.covariance(*groups) @ contrast.T * 599 / 595
        assert ours == pytest.approx(theirs.cov_params(), rel=1e-5, abs=1e-9)


def test_parameters_are_found_again():
    contests, item, _ = drawn(60_000, 1, covariates=1, judge=2.0, items=60_000)
    fitted = fit(contests, "davidson")
    errors = np.sqrt(np.diagonal(fitted.covariance(item)))
    truth = np.array([0.8, 0.2, -0.2, -0.8, 0.5, math.log(0.6), 2.0])
    assert (np.abs(fitted.parameters - truth) < 4 * errors).all()
    assert errors.max() < 0.05
    # where the model is true, the sandwich is the inverse of the information
    assert errors[4:] ** 2 == pytest.approx(np.diagonal(fitted.inverse)[4:], rel=0.1)


@pytest.mark.parametrize("judge", [None, 1.5])
def test_the_information_is_the_curvature_of_the_likelihood(judge):
    contests, _, _ = drawn(300, 2, covariates=1, judge=judge)
    fitted = fit(contests, "davidson")
    model, point, step = fitted.model, fitted.parameters, 1e-4
    gradient, information = model.slope(point, observed=True)
    assert np.abs(gradient).max() < 1e-8
    information[:4, :4] -= 1 / 4  # what fixes the mean of the strengths
    for i, j in np.ndindex(information.shape):
        e, f = np.eye(point.size)[[i, j]] * step
        second = (
            model.value(point + e + f) - model.value(point + e - f)
            - model.value(point - e + f) + model.value(point - e - f)
        ) / (4 * step**2)  # fmt: skip
        assert information[i, j] == pytest.approx(-second, abs=1e-3)


def test_clusters_cut_into_blocks_are_the_plain_sum(monkeypatch):
    contests, item, _ = drawn(500, 3, covariates=1)
    fitted = fit(contests, "davidson")
    whole = fitted.covariance(item)
    monkeypatch.setattr("rejoinder.statistics.contest_likelihood.BLOCK", 7)
    assert fitted.covariance(item) == pytest.approx(whole, rel=1e-12)
    jacobian, residual, _ = fitted.model._scores(fitted.parameters, np.arange(500))
    scores = jacobian * residual[:, :1]
    scores[:, fitted.model.of_tie] = residual[:, 1]
    sums = np.array([scores[item == each].sum(axis=0) for each in np.unique(item)])
    g, left = len(sums), 1 - np.unique(item, return_counts=True)[1] / 500
    sums /= left[:, None]
    naive = fitted.inverse @ (sums.T @ sums) @ fitted.inverse * (g - 1) / g
    assert whole == pytest.approx(naive, rel=1e-9)


def unequal(rng, mean=0.3):
    """Contests of two systems in 20 clusters, of which one has half of them."""
    size = np.append(95, np.full(19, 5))
    cluster = np.repeat(np.arange(20), size)
    eta = mean + rng.normal(size=20)[cluster]
    winner = np.where(rng.random(190) < 1 / (1 + np.exp(-eta)), 1, -1)
    return Contests(np.zeros(190, int), np.ones(190, int), winner, 2), cluster


def test_clusters_of_unequal_size_are_left_out_in_turn():
    contests, cluster = unequal(np.random.default_rng(4))
    fitted = fit(contests)
    without = [
        fit(
            Contests(*(each[cluster != c] for each in (contests.a, contests.b, contests.winner)), 2)
        )
        for c in range(20)
    ]
    moved = np.array([each.strengths[0] for each in without]) - fitted.strengths[0]
    # One step of the jackknife and the whole of it; with G / (G - 1) it would be 0.6 of it.
    assert fitted.covariance(cluster)[0, 0] == pytest.approx(19 / 20 * (moved**2).sum(), rel=0.05)


def test_intervals_cover_where_one_cluster_has_half_of_the_contests():
    rng, hits, runs = np.random.default_rng(5), 0, 400
    truth = (1 / (1 + np.exp(-(0.3 + rng.normal(size=10**6))))).mean()
    for _ in range(runs):
        contests, cluster = unequal(rng)
        fitted = fit(contests)
        groups = Groups.of(cluster, cluster.size)
        ends = parameter_intervals(fitted, fitted.covariance(cluster), groups)
        hits += ends.low[0] <= math.log(truth / (1 - truth)) / 2 <= ends.high[0]
    # It was 0.80. Within .93 to .97, and three Monte-Carlo errors of .01.
    assert 0.90 <= hits / runs <= 0.999


def test_equal_votes_count_as_often_as_they_stand():
    contests, item, _ = drawn(200, 4)
    often = Contests(*(np.tile(each, 3) for each in (contests.a, contests.b, contests.winner)), 4)
    once, thrice = fit(contests, "davidson"), fit(often, "davidson")
    assert thrice.parameters == pytest.approx(once.parameters, abs=1e-8)
    # copies within their item add nothing
    assert thrice.covariance(np.tile(item, 3)) == pytest.approx(once.covariance(item), rel=1e-6)


def test_no_estimates():
    assert "never loses" in fit(two(5, 0, 0), names=["x", "y"]).reason
    assert "all contests are ties" in fit(two(0, 5, 0), "davidson").reason
    # wins and ties alone of one pair: the odds of both grow together without end
    assert "no maximum" in fit(two(5, 3, 0), "davidson").reason
    contests, _, _ = drawn(200, 5, nu=0.0)
    apart = Contests(contests.a, contests.b, contests.winner, 4, contests.winner[:, None] * 1.0)
    fitted = fit(apart)
    assert "separate wins from losses" in fitted.reason
    assert np.isnan(fitted.covariance(None)).all()
    assert np.isnan(p_of_differences(fitted, fitted.covariance(None), Groups.of(None, 200))).all()
    twice = np.repeat(np.random.default_rng(0).normal(size=(200, 1)), 2, axis=1)
    assert fit(Contests(contests.a, contests.b, contests.winner, 4, twice)).reason


def test_no_intervals():
    fitted = fit(two(6, 3, 2))
    result = parameter_intervals(fitted, fitted.covariance(None), Groups.of(None, 3), noun="raters")
    assert result.reason == "fewer than 4 raters to resample"
    assert np.isnan(result.low).all()
    alike = fit(two(0, 5, 0))
    assert (
        "no spread" in parameter_intervals(alike, alike.covariance(None), Groups.of(None, 5)).reason
    )
    with pytest.raises(ParameterError, match="level=2"):
        parameter_intervals(fitted, fitted.covariance(None), Groups.of(None, 11), level=2)


def test_what_makes_no_sense_is_refused():
    one = np.zeros(3, int), np.ones(3, int), np.array([1, 0, -1])
    with pytest.raises(InputError, match="covariates of shape"):
        Contests(*one, 2, np.zeros((2, 1)))
    with pytest.raises(InputError, match="row 1 is not finite"):
        Contests(*one, 2, np.array([[0.0], [np.nan], [1.0]]))
    with pytest.raises(InputError, match="name fewer judges"):
        Contests(*one, 2, None, np.ones(3, int))
