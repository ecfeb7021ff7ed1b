"""Permutation tests beside naive loops; Williams' test beside published examples."""

import numpy as np
import pytest

from rejoinder.errors import InputError, ParameterError
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.correlation import CORRELATIONS, average_ranks
from rejoinder.statistics.significance import paired_permutation, permutation_p, williams
from rejoinder.statistics.student import t_quantile, two_sided_p

RNG = np.random.default_rng(0)
X = RNG.integers(0, 20, 30) / 20
Y = np.clip(np.round(4 * X + RNG.normal(size=30)), 1, 5)
OTHER = RNG.integers(0, 20, 30) / 20
GROUPS = np.arange(30) // 3


@pytest.mark.parametrize("name", CORRELATIONS)
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["each", "groups"])
def test_permutation_is_the_naive_loop(name, groups):
    measure = CORRELATIONS[name]
    reached = 0
    for drawn in Groups.of(groups, 30).permuted(200, np.random.default_rng(1)):
        for order in drawn:
            reached += abs(measure(OTHER, Y[order])) >= abs(measure(OTHER, Y)) - 1e-12
    p = permutation_p(OTHER, Y, name, 200, np.random.default_rng(1), groups)
    assert p == pytest.approx((reached + 1) / 201)


def test_several_metrics_share_the_permutations():
    both = permutation_p(np.stack([X, OTHER]), Y, "kendall-b", 300, np.random.default_rng(2))
    assert both.shape == (2,)
    assert both[0] == permutation_p(X, Y, "kendall-b", 300, np.random.default_rng(2))
    assert both[0] == 1 / 301


def test_likeness_within_groups_is_no_evidence():
    # Two effects of the context, one in the metric and one in the ratings, that have nothing to do
    # with each other. Over many such data sets a test at 10% should reject about 10% of them:
    # of 60, 6, and 13 or fewer in 99.7% of all cases. One by one it rejects far more.
    rng = np.random.default_rng(3)
    free = honest = 0
    groups = np.repeat(np.arange(12), 6)
    for _ in range(60):
        x = np.repeat(rng.normal(size=12), 6) + 0.2 * rng.normal(size=72)
        y = np.repeat(rng.normal(size=12), 6) + 0.2 * rng.normal(size=72)
        free += permutation_p(x, y, "pearson", 99, rng) <= 0.1
        honest += permutation_p(x, y, "pearson", 99, rng, groups) <= 0.1
    assert honest <= 13
    assert free > 20


@pytest.mark.parametrize("name", CORRELATIONS)
def test_undefined_has_no_p(name):
    p = permutation_p(np.stack([X, np.full(30, 0.5)]), Y, name, 20, np.random.default_rng(4))
    assert np.isnan(p).tolist() == [False, True]
    nothing = paired_permutation(X, np.full(30, 0.5), Y, name, 20, np.random.default_rng(4))
    assert np.isnan(nothing.difference)
    assert np.isnan(nothing.p)
    assert np.isnan(permutation_p(X[:0], Y[:0], name, 5, np.random.default_rng(4)))


@pytest.mark.parametrize("name", CORRELATIONS)
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["each", "groups"])
def test_paired_permutation_is_the_naive_loop(name, groups):
    measure = CORRELATIONS[name]
    difference = measure(X, Y) - measure(OTHER, Y)
    if name == "pearson":
        a, b = ((each - each.mean()) / each.std() for each in (X, OTHER))
    else:
        a, b = average_ranks(X), average_ranks(OTHER)
    reached = 0
    for masks in Groups.of(groups, 30).swaps(150, np.random.default_rng(5)):
        for mask in masks:
            one = np.array([b[i] if mask[i] else a[i] for i in range(30)])
            two = np.array([a[i] if mask[i] else b[i] for i in range(30)])
            reached += abs(measure(one, Y) - measure(two, Y)) >= abs(difference) - 1e-12
    result = paired_permutation(X, OTHER, Y, name, 150, np.random.default_rng(5), groups)
    assert result.difference == pytest.approx(difference)
    assert result.p == pytest.approx((reached + 1) / 151)


@pytest.mark.parametrize("name", CORRELATIONS)
def test_scales_do_not_matter(name):
    plain = paired_permutation(X, OTHER, Y, name, 99, np.random.default_rng(6))
    scaled = paired_permutation(1000 * X - 7, OTHER, Y, name, 99, np.random.default_rng(6))
    assert scaled.p == plain.p
    assert scaled.difference == pytest.approx(plain.difference)
    turned = paired_permutation(OTHER, X, Y, name, 99, np.random.default_rng(6))
    assert turned.difference == pytest.approx(-plain.difference)


def test_a_clear_difference_is_found():
    y = np.arange(40.0)
    noise = np.random.default_rng(7).permutation(40).astype(float)
    assert paired_permutation(y, noise, y, "spearman", 999, np.random.default_rng(8)).p == 0.001


# r12, r13, r23, n and what others print for them.
PUBLISHED = [
    # Steiger 1980, case A, as R's psych (help page of r.test, whose output is t = -0.89, p < 0.37)
    ((0.4, 0.5, 0.1, 103), -0.89, 0.37, 2),
    # J. Anglim, "Using R to test for significance of the difference of correlations" (2008):
    # paired.r(.2, .3, .93, 100) of psych prints t = -2.832009. (Its p of then had n - 2 degrees.)
    ((0.2, 0.3, 0.93, 100), -2.832009, None, 6),
    # bruceR, reference page of cor_diff: t(97) = -4.56, p = 1e-05
    ((0.2, 0.45, 0.8, 100), -4.56, 1e-5, 2),
    # psych's r.test as a tutorial prints it: t = 3.38 for r23 = .7, t = 1.76 (p < .09) for r23 = .1
    ((0.5, 0.1, 0.7, 30), 3.38, None, 2),
    ((0.5, 0.1, 0.1, 30), 1.76, 0.09, 2),
    # cocor on correlations printed to four digits: t = 9.3823, df = 174
    ((0.8066, 0.2383, 0.2255, 177), 9.3823, 0.0, 3),
]


@pytest.mark.parametrize(("given", "t", "p", "digits"), PUBLISHED)
def test_williams_as_published(given, t, p, digits):
    ours = williams(*given)
    assert ours.t == pytest.approx(t, abs=0.51 * 10**-digits)
    if p is not None:
        assert ours.p == pytest.approx(p, abs=0.0051)


def test_williams_as_a_python_port_of_graham_and_baldwin_prints_it():
    # r12 = .65, r13 = .55, r23 = .3, n = 50: one-sided p = 0.20928617286753592
    assert williams(0.65, 0.55, 0.3, 50).p / 2 == pytest.approx(0.20928617286753592, rel=1e-10)


def test_williams_turned_around():
    there, back = williams(0.65, 0.55, 0.3, 50), williams(0.55, 0.65, 0.3, 50)
    assert back.t == -there.t
    assert back.p == there.p


@pytest.mark.parametrize(
    "given",
    [
        (np.nan, 0.5, 0.1, 50),
        (0.5, 0.4, 0.1, 3),  # no degree of freedom
        (0.5, 0.5, 1.0, 50),  # one metric twice
        (0.9, -0.9, 0.9, 50),  # no three variables correlate so
        (0.0, 0.0, -1.0, 50),
    ],
)
def test_williams_undefined(given):
    assert np.isnan(williams(*given)).all()


def test_tails():
    assert two_sided_p(0.0, 5) == 1.0
    assert two_sided_p(1.0, 1) == pytest.approx(0.5)  # Cauchy: P(|T| >= 1) = 1 - 2 atan(1) / pi
    assert two_sided_p(12.706204736, 1) == pytest.approx(0.05)
    assert np.isnan(two_sided_p(np.nan, 5))
    assert np.isnan(two_sided_p(1.0, 0))


def test_quantiles_of_student():
    # Cauchy: P(|T| <= t) = 2 atan(t) / pi, so t = tan(pi level / 2); 2 degrees: t = l sqrt(2 / (1 - l^2))
    assert t_quantile(0.95, 1) == pytest.approx(np.tan(np.pi * 0.95 / 2))
    assert t_quantile(0.95, 2) == pytest.approx(0.95 * np.sqrt(2 / (1 - 0.95**2)))
    assert two_sided_p(t_quantile(0.8, 7.5), 7.5) == pytest.approx(0.2)
    assert np.isnan(t_quantile(0.95, 0))


def test_what_makes_no_sense_is_refused():
    rng = np.random.default_rng(9)
    with pytest.raises(ParameterError, match="needs at least 1"):
        permutation_p(X, Y, "pearson", 0, rng)
    with pytest.raises(ParameterError, match="choose 'pearson'"):
        paired_permutation(X, X, Y, "r", 9, rng)
    with pytest.raises(ParameterError, match=r"r13=1\.2 is outside"):
        williams(0.1, 1.2, 0.1, 9)
    with pytest.raises(InputError, match="one vector of ratings"):
        permutation_p(X, np.stack([Y, Y]), "pearson", 9, rng)
    with pytest.raises(InputError, match="give one label for each"):
        permutation_p(X, Y, "pearson", 9, rng, groups=np.arange(3))
