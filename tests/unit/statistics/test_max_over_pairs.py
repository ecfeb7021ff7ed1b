"""The correction by the maximum over pairs, beside Holm's and beside Dunnett's and Tukey's tables."""

import numpy as np
import pytest

from rejoinder.errors import InputError
from rejoinder.statistics.holm import holm
from rejoinder.statistics.max_over_pairs import max_over_pairs
from rejoinder.statistics.student import two_sided_p


def rng():
    return np.random.default_rng(12345)


def pairs_of_means(systems):
    """What each system's own observation adds to all differences of two of them."""
    a, b = np.triu_indices(systems, 1)
    influence = np.zeros((a.size, systems))
    influence[np.arange(a.size), a], influence[np.arange(a.size), b] = 1.0, -1.0
    return influence


@pytest.mark.parametrize(
    ("systems", "range_quantile"),
    [(3, 3.314), (4, 3.633), pytest.param(6, 4.030, marks=pytest.mark.slow)],
)
def test_the_largest_difference_of_means_has_tukeys_p(systems, range_quantile):
    """Upper 5% points of the range of normal numbers (Pearson and Hartley 1966): sqrt(2) max |z|."""
    influence = pairs_of_means(systems)
    p = np.full(len(influence), two_sided_p(range_quantile / np.sqrt(2), 1e9))
    corrected = max_over_pairs(p, influence, 1e9, rng(), draws=60_000)
    assert corrected == pytest.approx(0.05, abs=0.003)
    assert (corrected < holm(p)).all()


def test_comparisons_with_one_control_have_dunnetts_p():
    # Two-sided 5% point for 3 treatments and very many observations (Dunnett 1964).
    influence = np.column_stack([np.eye(3), -np.ones(3)])
    p = np.full(3, two_sided_p(2.35, 1e9))
    assert max_over_pairs(p, influence, 1e9, rng(), 60_000) == pytest.approx(0.05, abs=0.003)


@pytest.mark.parametrize("df", [5, 20, 1e9])
def test_independent_pairs_step_down_as_sidak_does(df):
    p = np.array([0.30, 0.004, 0.02])
    corrected = max_over_pairs(p, np.eye(3), df, rng(), draws=60_000)
    sidak = [1 - (1 - 0.004) ** 3, 1 - (1 - 0.02) ** 2, 0.30]
    assert corrected[[1, 2, 0]] == pytest.approx(sidak, abs=0.005)


def test_never_above_holm_and_in_the_order_of_p():
    draw = rng()
    for _ in range(20):
        p, influence = draw.random(10) ** 3, draw.normal(size=(10, 30))
        corrected = max_over_pairs(p, influence, 12, draw, draws=500)
        assert (corrected <= holm(p)).all()
        assert (np.diff(corrected[np.argsort(p)]) >= 0).all()


def test_edges():
    influence = np.eye(3)
    p = np.array([np.nan, 0.0, 1.0])
    corrected = max_over_pairs(p, influence, 9, rng())
    assert np.isnan(corrected[0])
    assert corrected[1] == 0
    assert corrected[2] == 1
    assert max_over_pairs(np.array([0.2]), np.eye(1), 9, rng()) == pytest.approx([0.2], abs=0.01)
    assert np.isnan(max_over_pairs(np.full(2, np.nan), np.eye(2), 9, rng())).all()
    with pytest.raises(InputError, match="2 p-values and influence of shape"):
        max_over_pairs(np.zeros(2), np.zeros((3, 4)), 9, rng())


@pytest.mark.parametrize("constant", [0.3, 1.0])
def test_a_pair_that_does_not_vary_is_drawn_by_itself(constant):
    influence = np.vstack([rng().normal(size=30), np.zeros(30)])
    corrected = max_over_pairs(np.array([0.04, constant]), influence, 29, rng())
    # The largest of two independent ones: 1 - 0.96^2.
    assert corrected == pytest.approx([0.0784, constant], abs=0.01)
