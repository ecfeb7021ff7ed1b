"""How much may be drawn: one check for Python and the command line."""

import numpy as np
import pytest

from rejoinder.errors import ParameterError
from rejoinder.statistics.draws import check_draws, check_permutations


@pytest.mark.parametrize("resamples", [0, 100, np.int64(100), 1_000_000])
def test_none_or_enough_for_the_ends_of_an_interval(resamples):
    check_draws(resamples, 0)


@pytest.mark.parametrize("resamples", [1, 20, 99, np.int64(99)])
def test_too_few_for_the_ends_of_an_interval(resamples):
    with pytest.raises(
        ParameterError, match=f"resamples={resamples}: too few for a 95% interval; give 0"
    ):
        check_draws(resamples, 0)


@pytest.mark.parametrize("resamples", [-1, 1_000_001, 100.0, "100", None])
def test_out_of_range(resamples):
    with pytest.raises(ParameterError, match=r"resamples=.* must be from 0"):
        check_draws(resamples, 0)


@pytest.mark.parametrize("permutations", [-1, 1_000_001, 10.0, None])
def test_permutations_out_of_range(permutations):
    with pytest.raises(ParameterError, match=r"permutations=.* must be from 0"):
        check_permutations(permutations)


def test_few_permutations_are_a_test():
    check_permutations(1)
