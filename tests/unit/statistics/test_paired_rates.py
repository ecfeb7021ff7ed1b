"""Differences of rates: Tango's and Mee's intervals against published ones, and McNemar's test by hand."""

import numpy as np
import pytest

from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.paired_rates import PairedRates, SeparateRates, mcnemar
from rejoinder.statistics.proportions import share_size

# Both pass, the first alone, the second alone, neither; the ends as Tango (1998) and those who use his
# interval print them.
TANGO = [
    ((4, 9, 3, 16), 0.95, (-0.027, 0.390), 3),
    ((53, 16, 8, 9), 0.95, (-0.020, 0.207), 3),
    ((1, 1, 7, 12), 0.95, (-0.517, -0.026), 3),
    ((59, 6, 16, 80), 0.95, (-0.1240, -0.0054), 4),
    ((0, 3, 0, 0), 0.95, (-0.1230, 1), 4),
    ((43, 0, 1, 0), 0.90, (-0.096, 0.037), 3),
]


def paired(both, wins, losses, neither):
    differences = np.repeat([0.0, 1.0, -1.0, 0.0], [both, wins, losses, neither])
    return PairedRates.of(differences[None])


def ends(rates, level=0.95):
    low, high = rates.interval(level)
    return float(low[0]), float(high[0])


@pytest.mark.parametrize(("counts", "level", "expected", "digits"), TANGO)
def test_tango_s_worked_examples(counts, level, expected, digits):
    assert tuple(round(end, digits) for end in ends(paired(*counts), level)) == expected


@pytest.mark.parametrize("counts", [each[0] for each in TANGO])
def test_an_interval_of_the_difference_turned_around_is_turned_around(counts):
    both, wins, losses, neither = counts
    low, high = ends(paired(both, wins, losses, neither))
    assert ends(paired(both, losses, wins, neither)) == pytest.approx((-high, -low), abs=1e-12)


@pytest.mark.parametrize("n", [4, 20, 100])
def test_two_systems_that_pass_all_may_differ(n):
    # At b = c = 0 the score is -n d / sqrt(n d (1 - d)), which is z at d = z^2 / (n + z^2).
    end = 1.959964**2 / (n + 1.959964**2)
    assert ends(paired(n, 0, 0, 0)) == pytest.approx((-end, end), abs=1e-6)


def test_the_ends_of_all_and_nothing():
    assert ends(paired(0, 9, 0, 0))[1] == 1
    assert ends(paired(0, 0, 9, 0))[0] == -1


def test_clusters_that_are_alike_count_once():
    """20 items in 10 pairs of equal ones have the interval of 10 items: no copy says anything."""
    alone = np.repeat([1.0, -1.0, 0.0], [5, 1, 4])
    clustered = PairedRates.of(
        np.repeat(alone, 2)[None], Groups.of(np.repeat(np.arange(10), 2), 20)
    )
    assert clustered.items[0] == pytest.approx(10, abs=1e-5)
    assert clustered.wins[0] == pytest.approx(5, abs=1e-5)
    assert clustered.losses[0] == pytest.approx(1, abs=1e-5)
    of_ten = PairedRates.of(alone[None])
    assert ends(clustered) == pytest.approx(ends(of_ten), abs=1e-12)
    single = PairedRates.of(alone[None], Groups.of(None, 10))
    assert ends(single) == pytest.approx(ends(of_ten), abs=1e-12)


@pytest.mark.parametrize("counts", [(4, 9, 3, 16), (20, 0, 0, 0), (59, 6, 16, 80)])
def test_at_five_percent_the_tests_against_a_margin_agree_with_the_90_percent_interval(counts):
    rates = paired(*counts)
    low, high = ends(rates, 0.9)
    for margin in (0.0, 0.05, abs(low) - 1e-6, abs(low) + 1e-6, 0.3):
        tests = rates.margin_tests(margin)
        assert (tests.not_lower[0] < 0.05) == (low > -margin)
        assert (tests.not_higher[0] < 0.05) == (high < margin)
        assert (tests.lower[0] < 0.05) == (high < -margin)
        assert (tests.higher[0] < 0.05) == (low > margin)
        assert tests.equivalent[0] == max(tests.not_lower[0], tests.not_higher[0])


# Newcombe (1998, table II): Mee's interval of 56 of 70 less 48 of 80, and so on.
MEE = [
    ((56, 70, 48, 80), (0.0533, 0.3377)),
    ((9, 10, 3, 10), (0.1821, 0.8370)),
    ((6, 7, 2, 7), (0.0544, 0.8478)),
    ((5, 56, 0, 29), (-0.0313, 0.1926)),
]


@pytest.mark.parametrize(("counts", "expected"), MEE)
def test_newcombe_s_worked_examples(counts, expected):
    rates = SeparateRates(*np.array(counts, dtype=float)[:, None])
    assert tuple(round(end, 4) for end in ends(rates)) == expected


@pytest.mark.parametrize("counts", [each[0] for each in MEE])
def test_the_likeliest_rates_are_those_of_a_search(counts):
    x1, n1, x2, n2 = counts
    rates = SeparateRates(*np.array(counts, dtype=float)[:, None])
    for delta in (-0.7, -0.2, 0.3, 0.9):
        p2 = np.linspace(max(0, -delta), min(1, 1 - delta), 200_001)[1:-1]
        p1 = p2 + delta
        likely = x1 * np.log(p1) + (n1 - x1) * np.log1p(-p1)
        likely += x2 * np.log(p2) + (n2 - x2) * np.log1p(-p2)
        k = likely.argmax()
        error = np.sqrt(p1[k] * (1 - p1[k]) / n1 + p2[k] * (1 - p2[k]) / n2)
        expected = (x1 / n1 - x2 / n2 - delta) / error
        assert rates.score(np.array([delta]))[0] == pytest.approx(expected, rel=1e-3)


def test_separate_rates_at_no_difference_are_pooled():
    rates = SeparateRates(*np.array([[56.0], [70.0], [48.0], [80.0]]))
    q = 104 / 150
    expected = (56 / 70 - 48 / 80) / np.sqrt(q * (1 - q) * (1 / 70 + 1 / 80))
    assert rates.score(np.zeros(1))[0] == pytest.approx(expected)


def test_mcnemar_by_hand():
    # Of 7 coins 1 or fewer show heads in 8 of 128 cases, so 16 of 128 on both sides; exactly 1 in 7.
    assert mcnemar(6, 1) == mcnemar(1, 6) == pytest.approx((16 / 128, 9 / 128), rel=1e-12)
    assert mcnemar(5, 0) == pytest.approx((2 / 32, 1 / 32), rel=1e-12)
    assert mcnemar(3, 3) == pytest.approx((1, 1))
    assert mcnemar(0, 0) == (1, 1)


@pytest.mark.parametrize("share", [1 / 3, 0.1, 0.7, 2 / 3])
def test_equal_shares_of_samples_are_worth_their_items(share):
    for n in range(8, 51):
        values, alone = np.full(n, share), Groups.of(None, n)
        assert share_size(values, alone) == pytest.approx(n)
        assert share_size(values, alone, np.abs(values)) == pytest.approx(n)
        assert share_size(-values, alone, np.abs(values)) == pytest.approx(n)
