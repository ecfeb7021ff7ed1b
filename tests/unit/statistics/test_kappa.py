"""Cohen's kappa by hand, and what it makes of thin ratings."""

import numpy as np
import pytest

from rejoinder.errors import InputError, ParameterError
from rejoinder.statistics.kappa import WEIGHTS, pairwise_kappas, weighted_kappa

NAN = np.nan


def test_by_hand():
    a, b = np.array([1.0, 1.0, 2.0, 3.0]), np.array([1.0, 2.0, 2.0, 1.0])
    # marginals a: 2 1 1, b: 2 2 0 (of 4). Disagreement observed: one pair 1-2, one pair 3-1.
    # none: o = 2/4; e = 1 - (4 + 2 + 0)/16 = 10/16; kappa = 1 - 8/10
    assert weighted_kappa(a, b, "none") == pytest.approx(0.2)
    # linear: o = (1 + 2)/4; e = sum a_k b_l |k - l| / 16 = (2*2*1 + 1*2*1 + 1*2*2 + 1*2*1)/16
    assert weighted_kappa(a, b, "linear") == pytest.approx(1 - (3 / 4) / (12 / 16))
    # quadratic: o = (1 + 4)/4; e = (4 + 2 + 8 + 2)/16 = 1
    assert weighted_kappa(a, b, "quadratic") == pytest.approx(1 - 5 / 4)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_edges(weights):
    up, low = np.arange(5.0), np.zeros(5)
    assert weighted_kappa(up, up, weights) == 1.0
    assert weighted_kappa(low, up, weights) == pytest.approx(0.0)  # always the same, against any
    assert np.isnan(weighted_kappa(low, low, weights))  # 0 / 0
    assert np.isnan(weighted_kappa(up[:0], up[:0], weights))
    assert np.isnan(weighted_kappa(np.array([1.0, NAN]), np.array([NAN, 1.0]), weights))


def test_a_grade_that_nobody_gave_still_counts():
    a, b = np.array([2.0, 2.0, 4.0, 5.0]), np.array([2.0, 4.0, 4.0, 4.0])
    # 2 to 4 are two steps, 4 to 5 is one. Observed 3/4. Expected over 16: a 2,1,1 of (2, 4, 5),
    # b 1,3,0: 2*3*2 + 1*1*2 + 1*1*3 + 1*3*1 = 20.
    assert weighted_kappa(a, b) == pytest.approx(1 - (3 / 4) / (20 / 16))
    # By places among (2, 4, 5) 2 to 4 is one: observed 2/4, expected (6 + 1 + 2 + 3)/16.
    assert weighted_kappa(a, b, categories=[2, 4, 5]) == pytest.approx(1 - (2 / 4) / (12 / 16))
    whole = weighted_kappa(a, b, categories=[1, 2, 3, 4, 5])
    assert whole == pytest.approx(weighted_kappa(a, b))


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("categories", [None, [1, 2, 3, 4, 5], [5, 1, 4, 2, 3]])
def test_pairs_are_the_plain_formula(weights, categories):
    rng = np.random.default_rng(0)
    matrix = rng.integers(1, 6, (25, 5)).astype(float)
    matrix[rng.random(matrix.shape) < 0.5] = NAN
    matrix[:, 4] = NAN  # who rated nothing
    pairs = pairwise_kappas(matrix, weights, categories)
    for r in range(5):
        for s in range(5):
            if r != s:
                plain = weighted_kappa(matrix[:, r], matrix[:, s], weights, categories)
                np.testing.assert_allclose(pairs.kappa[r, s], plain, atol=1e-12)
    assert pairs.shared[4].tolist() == [0] * 5


def test_no_ratings_no_kappa():
    assert np.isnan(pairwise_kappas(np.full((3, 2), NAN)).kappa).all()
    assert pairwise_kappas(np.ones((3, 1))).kappa.shape == (1, 1)


def test_what_makes_no_sense_is_refused():
    one = np.array([1.0, 2.0])
    with pytest.raises(ParameterError, match="choose 'none', 'linear' or 'quadratic'"):
        weighted_kappa(one, one, "cubic")
    with pytest.raises(InputError, match=r"1\.0 is not among the categories \[3, 2\]"):
        weighted_kappa(one, one, categories=[3, 2])
    for wrong in ([], [1, 2, 2]):
        with pytest.raises(ParameterError, match="list each grade of the scale once"):
            weighted_kappa(one, one, categories=wrong)
    with pytest.raises(InputError, match="both raters' same n units"):
        weighted_kappa(one, one[:1])
    with pytest.raises(InputError, match=r"inf at unit 1, rater 0"):
        pairwise_kappas(np.array([[1.0], [np.inf]]))
    with pytest.raises(InputError, match="give \\[units, raters\\]"):
        pairwise_kappas(one)
