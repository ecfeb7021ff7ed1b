"""The variance between prompts, within them and between raters: by hand, and unequal numbers."""

import math

import numpy as np
import pytest

from rejoinder.statistics.clusters import Groups, variance_components
from rejoinder.statistics.nested_variance import moments, nested_components


def rows_of(ratings):
    """Moments of prompts, each a list of samples, each a list of ratings."""
    rows = []
    for prompt in ratings:
        sizes = np.array([len(each) for each in prompt], dtype=float)
        means = np.array([np.mean(each) for each in prompt])
        around = sum(((np.array(each) - np.mean(each)) ** 2).sum() for each in prompt)
        rows.append([
            len(prompt), sizes.sum(), (sizes**2).sum(), (sizes * means).sum(),
            (sizes * means**2).sum(), around,
        ])  # fmt: skip
    return np.array(rows)


def test_one_value_for_each_sample_is_the_one_way_decomposition():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(6, 30)) + rng.normal(size=30)
    values[4:, ::3] = np.nan
    known = ~np.isnan(values)
    prompts = np.broadcast_to(np.arange(30), values.shape)[known]
    expected = variance_components(values[known], Groups.of(prompts, prompts.size))
    found = nested_components(moments(values))
    assert found == pytest.approx((expected.between, expected.within, 0.0), rel=1e-10)


def test_two_levels_by_hand():
    # Two prompts of two samples of two ratings: sample means 1, 3 and 6, 8; each rating 1 off its mean.
    # MS raters = 8 x 1 / 4 = 2; MS samples = 2 x (4 x 1) / 2 = 4; MS prompts = 4 x 2 x 2.5^2 = 50.
    ratings = [[[0, 2], [2, 4]], [[5, 7], [7, 9]]]
    found = nested_components(rows_of(ratings))
    assert found == pytest.approx(((50 - 4) / 4, (4 - 2) / 2, 2.0))


def test_the_parts_are_found_again_with_unequal_numbers():
    rng = np.random.default_rng(7)
    ratings = []
    for _ in range(4000):
        prompt = rng.normal(scale=2.0)
        samples = [prompt + rng.normal(scale=1.0) for _ in range(rng.integers(1, 5))]
        ratings.append([x + rng.normal(scale=0.5, size=rng.integers(1, 4)) for x in samples])
    found = nested_components(rows_of(ratings))
    # Of 4,000 prompts the variance between them has a standard error of about 4 sqrt(2 / 4000) = 0.09.
    assert found == pytest.approx((4.0, 1.0, 0.25), rel=0.1)


def test_undefined_is_nan():
    assert all(math.isnan(each) for each in nested_components(moments(np.ones((1, 5)))))
    assert all(math.isnan(each) for each in nested_components(moments(np.ones((4, 1)))))
    padded = np.vstack([moments(np.array([[1.0, 5.0], [3.0, 7.0]])), np.zeros((3, 6))])
    assert nested_components(padded) == (7.0, 2.0, 0.0)
