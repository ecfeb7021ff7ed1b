"""Holm's correction by hand."""

import numpy as np
import pytest

from rejoinder.statistics.holm import holm

NAN = np.nan


def test_the_smallest_counts_most_and_none_falls_below_a_smaller_one():
    # Sorted .005, .01, .03, .04 times 4, 3, 2, 1: .02, .03, .06, .04; the last may not fall: .06.
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_no_corrected_p_exceeds_one():
    assert holm(np.array([0.9, 0.8])).tolist() == [1.0, 1.0]


def test_an_undefined_p_belongs_to_no_family():
    # 0.01 x 3; 0.02 x 2; 0.5 x 1
    corrected = holm(np.array([0.02, NAN, 0.5, 0.01]))
    assert corrected == pytest.approx([0.04, NAN, 0.5, 0.03], nan_ok=True)
    assert np.isnan(holm(np.array([NAN]))).all()
