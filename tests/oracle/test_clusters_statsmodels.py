"""Errors of clustered means against statsmodels: least squares on a constant, clustered covariance."""

import numpy as np
import pytest

from lazily import lazily
from rejoinder.statistics.clusters import Groups, effective_size, mean_variance, variance_components
from rejoinder.statistics.standard_error import standard_errors

pd = lazily("pandas")
sm = lazily("statsmodels.api")
smf = lazily("statsmodels.formula.api")


def drawn(sizes, seed):
    """Values of clusters of these sizes: an effect of the cluster and one of the item."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    return groups, rng.normal(size=len(sizes))[groups] + rng.normal(size=groups.size)


@pytest.mark.parametrize("sizes", [[1] * 12, [5] * 12, [20] * 100])
def test_the_variance_of_a_clustered_mean(sizes):
    groups, values = drawn(sizes, seed=len(sizes))
    fit = (
        sm().OLS(values, np.ones(values.size)).fit(cov_type="cluster", cov_kwds={"groups": groups})
    )
    clusters = Groups.of(groups, values.size)
    assert mean_variance(values, clusters) == pytest.approx(fit.bse[0] ** 2, rel=1e-12)
    plain = sm().OLS(values, np.ones(values.size)).fit().bse[0] ** 2
    expected = np.clip(values.size * plain / fit.bse[0] ** 2, clusters.least_effective, values.size)
    assert effective_size(values, groups) == pytest.approx(expected, rel=1e-12)
    assert clusters.freedom == len(sizes) - 1


@pytest.mark.parametrize("sizes", [[1, 7, 30, 2, 2, 9], [50, 25, 12, 6, 3, 2, 1, 1]])
def test_clusters_of_unequal_size_are_left_out_one_at_a_time(sizes):
    groups, values = drawn(sizes, seed=len(sizes))
    without = [
        sm().OLS(values[groups != g], np.ones((groups != g).sum())).fit().params[0]
        for g in range(len(sizes))
    ]
    expected = (1 - 1 / len(sizes)) * np.square(without - values.mean()).sum()
    clusters = Groups.of(groups, values.size)
    assert mean_variance(values, clusters) == pytest.approx(expected, rel=1e-12)
    assert 1 / (np.square(sizes).sum() / values.size**2) - 1 < clusters.freedom < len(sizes) - 1


@pytest.mark.parametrize(
    ("sizes", "close"), [([5] * 12, 1e-12), ([20] * 100, 1e-12), ([4, 5, 6] * 30, 0.02)]
)
def test_the_jackknife_over_clusters_is_the_same_where_they_are_of_one_size(sizes, close):
    groups, values = drawn(sizes, seed=3)
    fit = (
        sm().OLS(values, np.ones(values.size)).fit(cov_type="cluster", cov_kwds={"groups": groups})
    )
    clusters = Groups.of(groups, values.size)
    left_out = (values.sum() - clusters.sums(values)) / (values.size - clusters.size)
    assert standard_errors(left_out) == pytest.approx(fit.bse[0], rel=close)


def test_the_variance_between_and_within_prompts():
    groups, values = drawn([6] * 40, seed=9)
    frame = pd().DataFrame({"y": values, "g": groups})
    fit = smf().mixedlm("y ~ 1", frame, groups="g").fit(reml=True)
    parts = variance_components(values, Groups.of(groups, values.size))
    assert parts.between == pytest.approx(float(fit.cov_re.iloc[0, 0]), rel=1e-4)
    assert parts.within == pytest.approx(fit.scale, rel=1e-4)
