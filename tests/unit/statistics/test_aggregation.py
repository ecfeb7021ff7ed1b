"""From ratings to numbers, by hand."""

import numpy as np
import pytest

from rejoinder.errors import InputError, ParameterError
from rejoinder.statistics.aggregation import aggregate, scale

NAN = np.nan
MATRIX = np.array([[1.0, 2.0, 5.0], [3.0, NAN, 5.0], [NAN, NAN, NAN], [5.0, 4.0, 5.0]])


def test_mean_and_median():
    np.testing.assert_allclose(aggregate(MATRIX, "mean").values, [8 / 3, 4, NAN, 14 / 3])
    np.testing.assert_allclose(aggregate(MATRIX, "median").values, [2, 4, NAN, 5])


def test_z_by_hand():
    # First rater: mean 3, deviation sqrt(8/3): z = -1.2247, 0, 1.2247. Second: mean 3, deviation 1:
    # z = -1, 1. Third: always 5: 0, and counted.
    result = aggregate(MATRIX, "z")
    z = np.sqrt(1.5)
    np.testing.assert_allclose(result.values, [(-z - 1) / 3, 0, NAN, (z + 1) / 3], atol=1e-15)
    assert result.constant_raters == 1


def test_z_puts_severe_and_lenient_on_one_scale():
    up = np.arange(5.0)
    result = aggregate(np.stack([up, 10 + 3 * up], axis=1), "z")
    np.testing.assert_allclose(result.values, np.sqrt(0.5) * (up - 2))


def test_constant_raters():
    ratings = np.array([[0.1, NAN], [0.1, 4.0], [0.1, NAN]])  # one of them rated once
    result = aggregate(ratings, "z")
    assert result.values.tolist() == [0.0, 0.0, 0.0]
    assert result.constant_raters == 2
    assert aggregate(np.full((2, 2), NAN), "z").constant_raters == 0
    assert aggregate(np.zeros((0, 2)), "z").values.size == 0
    assert np.isnan(aggregate(np.zeros((2, 0)), "median").values).all()


def test_scale():
    np.testing.assert_allclose(scale(np.array([0, 1.0, 2.0, NAN]), 0, 2), [-1, 0, 1, NAN])
    with pytest.raises(InputError, match=r"0\.5 at unit 1 is outside the scale 1 to 5"):
        scale(np.array([1.0, 0.5]), 1, 5)
    with pytest.raises(ParameterError, match="the worst must be below the best"):
        scale(np.array([1.0]), 5, 5)


def test_unknown_ways_are_refused():
    with pytest.raises(ParameterError, match="choose 'mean', 'median' or 'z'"):
        aggregate(MATRIX, "mode")
