"""The corrected mean at a fixed lambda against ppi_py 0.2.3, and its clusters against statsmodels.

The figures of ppi_py are those of ``ppi_mean_pointestimate(Y, F, U, lam=lam)`` and
``ppi_mean_ci(Y, F, U, alpha=0.05, lam=lam)`` for the arrays below; the package asks for more than these
tests do, so they are written down.
"""

import math

import numpy as np
import pytest

from rejoinder.statistics.intervals import normal_quantile
from rejoinder.statistics.prediction_powered import corrected_mean

FEW, MORE = np.arange(25.0), np.arange(400.0)
Y = np.round(np.sin(3 * FEW) * 2 + FEW % 3)
F = np.round(np.cos(2 * FEW) + 0.5 * Y, 1)
U = {
    25: np.round(np.sin(5 * FEW + 1) * 1.5 + 0.3, 1),
    400: np.round(np.sin(5 * MORE + 1) * 1.5 + 0.3, 1),
}
FIGURES = [
    (0.25, 25, 0.8909999999999998, 0.3106912367620652, 1.4713087632379342),
    (0.25, 400, 0.8792499999999999, 0.3079536237617012, 1.4505463762384983),
    (0.5, 25, 0.8620000000000002, 0.29687525354938504, 1.4271247464506154),
    (0.5, 400, 0.8385000000000001, 0.31138413579180313, 1.365615864208197),
    (1.0, 25, 0.804, 0.1721173383275615, 1.4358826616724385),
    (1.0, 400, 0.7569999999999999, 0.27407524486875323, 1.2399247551312467),
]


def fixed(weight, size):
    labels = np.append(Y, np.full(size, np.nan))
    return corrected_mean(labels, np.append(F, U[size]), weight=weight)


@pytest.mark.parametrize(("weight", "size", "value", "low", "high"), FIGURES)
def test_the_estimate_and_its_error_at_a_fixed_lambda(weight, size, value, low, high):
    ours = fixed(weight, size)
    assert ours.value == pytest.approx(value, abs=1e-12)
    # ppi_py divides by n and N where an unbiased variance divides by n - 1 and N - 1.
    theirs = ((high - low) / 2 / normal_quantile(0.95)) ** 2
    others = weight**2 * U[size].var() / size
    unbiased = (theirs - others) * 25 / 24 + others * size / (size - 1)
    assert ours.error == pytest.approx(math.sqrt(unbiased), abs=1e-12)


@pytest.mark.parametrize("size", [1, 5])
def test_the_error_over_clusters(size):
    pytest.importorskip("pandas")
    sm = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(size)
    clusters = np.repeat(np.arange(60), size)
    latent = rng.normal(size=(60, 2))[clusters] + rng.normal(size=(clusters.size, 2))
    labels = np.where(clusters < 15, latent[:, 0], np.nan)
    predictions = latent.sum(axis=1)

    def variance(values, groups):
        fit = sm.OLS(values, np.ones(values.size))
        return fit.fit(cov_type="cluster", cov_kwds={"groups": groups}).bse[0] ** 2

    rated = clusters < 15
    for weight in (0.0, 0.4):
        ours = corrected_mean(labels, predictions, clusters, weight=weight)
        rest = (labels - weight * predictions)[rated]
        theirs = variance(rest, clusters[rated])
        theirs += weight**2 * variance(predictions[~rated], clusters[~rated])
        assert ours.error == pytest.approx(math.sqrt(theirs), rel=1e-12)
        assert ours.groups == 15
