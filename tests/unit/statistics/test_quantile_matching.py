"""Quantile matching: the map that gives scores the distribution of other numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejoinder.errors import InputError
from rejoinder.statistics.quantile_matching import QuantileMap


def test_by_hand():
    # Ranks: 0.1 -> -1, 0.4 -> 0.5, 0.5 -> 1. Half way between 0.1 and 0.4 is half way to 0.5.
    quantiles = QuantileMap.fitted(np.array([0.5, 0.1, 0.4]), np.array([0.5, 1.0, -1.0]))
    scores = np.array([0.1, 0.25, 0.4, 0.45, 0.5, -7.0, 7.0, np.nan])
    expected = [-1.0, -0.25, 0.5, 0.75, 1.0, -1.0, 1.0, np.nan]
    np.testing.assert_allclose(quantiles(scores), expected)


def test_equal_scores_share_the_mean_of_their_ranks():
    # The two scores of 2 have the ranks of -0.5 and 0.5.
    quantiles = QuantileMap.fitted(np.array([2.0, 1.0, 2.0]), np.array([0.5, -1.0, -0.5]))
    assert quantiles(np.array([1.0, 2.0])).tolist() == [-1.0, 0.0]


@given(
    st.lists(
        st.tuples(st.integers(-(10**6), 10**6), st.integers(1, 5)),
        min_size=2,
        max_size=60,
        unique_by=lambda each: each[0],
    )
)
def test_on_the_sample_the_distribution_is_that_of_the_numbers(pairs):
    scores, numbers = (np.array(each, dtype=float) for each in zip(*pairs, strict=True))
    matched = QuantileMap.fitted(scores, numbers)(scores)
    assert np.sort(matched).tolist() == np.sort(numbers).tolist()
    assert (np.diff(matched[np.argsort(scores)]) >= 0).all()


def test_too_few_and_equal_scores():
    with pytest.raises(InputError, match="1 rated replies with a score; expected at least 2"):
        QuantileMap.fitted(np.array([1.0]), np.array([1.0]))
    with pytest.raises(InputError, match="every rated reply has the score 1"):
        QuantileMap.fitted(np.array([1.0, 1.0]), np.array([0.0, 1.0]))
