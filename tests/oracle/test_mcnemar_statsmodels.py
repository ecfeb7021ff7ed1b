"""McNemar's exact test against statsmodels."""

import pytest

from lazily import lazily
from rejoinder.statistics.paired_rates import mcnemar

tables = lazily("statsmodels.stats.contingency_tables")
stats = lazily("scipy.stats")


@pytest.mark.parametrize("losses", [0, 1, 2, 5, 17, 60, 300])
def test_exact_and_mid_p(losses):
    for wins in (0, 1, 3, 8, 17, 18, 40, 299, 320):
        p = mcnemar(wins, losses)
        expected = tables().mcnemar([[7, wins], [losses, 9]], exact=True).pvalue
        assert abs(p.exact - expected) <= 1e-12
        tail = stats().binom.cdf(min(wins, losses), wins + losses, 0.5)
        observed = stats().binom.pmf(min(wins, losses), wins + losses, 0.5)
        assert abs(p.mid_p - (2 * tail - observed)) <= 1e-12
