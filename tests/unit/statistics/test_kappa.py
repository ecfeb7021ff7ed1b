"""Cohen's kappa by hand, and what it makes of thin ratings."""

import numpy as np
import pytest

from rejoinder.errors import InputError, ParameterError
from rejoinder.statistics.kappa import WEIGHTS, pooled_kappa

NAN = np.nan


def of_two(a, b, weights="linear"):
    """Cohen's kappa of two raters; the same from either side."""
    one, other = pooled_kappa(np.stack([a, b], axis=1), weights).kappa
    assert one == pytest.approx(other, abs=1e-12, nan_ok=True)
    return one


def test_by_hand():
    a, b = np.array([1.0, 1.0, 2.0, 3.0]), np.array([1.0, 2.0, 2.0, 1.0])
    # marginals a: 2 1 1, b: 2 2 0 (of 4). Disagreement observed: one pair 1-2, one pair 3-1.
    # none: o = 2/4; e = 1 - (4 + 2 + 0)/16 = 10/16; kappa = 1 - 8/10
    assert of_two(a, b, "none") == pytest.approx(0.2)
    # linear: o = (1 + 2)/4; e = sum a_k b_l |k - l| / 16 = (2*2*1 + 1*2*1 + 1*2*2 + 1*2*1)/16
    assert of_two(a, b, "linear") == pytest.approx(1 - (3 / 4) / (12 / 16))
    # quadratic: o = (1 + 4)/4; e = (4 + 2 + 8 + 2)/16 = 1
    assert of_two(a, b, "quadratic") == pytest.approx(1 - 5 / 4)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_edges(weights):
    up, low = np.arange(5.0), np.zeros(5)
    assert of_two(up, up, weights) == 1.0
    assert of_two(low, up, weights) == pytest.approx(0.0)  # always the same, against any
    assert np.isnan(of_two(low, low, weights))  # 0 / 0
    assert np.isnan(of_two(up[:0], up[:0], weights))
    assert np.isnan(of_two(np.array([1.0, NAN]), np.array([NAN, 1.0]), weights))


def test_a_grade_that_nobody_gave_still_counts():
    a, b = np.array([2.0, 2.0, 4.0, 5.0]), np.array([2.0, 4.0, 4.0, 4.0])
    # 2 to 4 are two steps, 4 to 5 is one. Observed 3/4. Expected over 16: a 2,1,1 of (2, 4, 5),
    # b 1,3,0: 2*3*2 + 1*1*2 + 1*1*3 + 1*3*1 = 20.
    assert of_two(a, b) == pytest.approx(1 - (3 / 4) / (20 / 16))


def test_no_ratings_no_kappa():
    assert np.isnan(pooled_kappa(np.full((3, 2), NAN)).kappa).all()
    assert pooled_kappa(np.ones((3, 1))).kappa.shape == (1,)


def test_what_makes_no_sense_is_refused():
    one = np.array([1.0, 2.0])
    with pytest.raises(ParameterError, match="choose 'none', 'linear' or 'quadratic'"):
        of_two(one, one, "cubic")
    with pytest.raises(InputError, match=r"inf at unit 1, rater 0"):
        pooled_kappa(np.array([[1.0], [np.inf]]))
    with pytest.raises(InputError, match="give \\[units, raters\\]"):
        pooled_kappa(one)
