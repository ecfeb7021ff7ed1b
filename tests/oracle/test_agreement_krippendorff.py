"""The krippendorff package as the oracle of alpha, with ratings missing."""

import numpy as np
import pytest

from rejoinder.statistics.alpha import DIFFERENCES, krippendorff_alpha, reason_no_alpha

krippendorff = pytest.importorskip("krippendorff")


@pytest.mark.parametrize("kind", DIFFERENCES)
@pytest.mark.parametrize("missing", [0.0, 0.3, 0.7])
def test_random_tables(kind, missing):
    rng = np.random.default_rng(7)
    for units, raters in [(5, 2), (20, 3), (60, 9)]:
        for _ in range(8):
            quality = rng.integers(1, 6, (units, 1))
            matrix = np.clip(quality + rng.integers(-1, 2, (units, raters)), 1, 5).astype(float)
            matrix[rng.random(matrix.shape) < missing] = np.nan
            if reason_no_alpha(matrix):
                continue
            theirs = krippendorff.alpha(matrix.T, level_of_measurement=kind)
            assert krippendorff_alpha(matrix, kind) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("kind", DIFFERENCES)
def test_grades_that_are_not_whole_numbers(kind):
    matrix = np.random.default_rng(8).choice([0.0, 0.25, 0.9, 7.5], size=(40, 4))
    theirs = krippendorff.alpha(matrix.T, level_of_measurement=kind)
    assert krippendorff_alpha(matrix, kind) == pytest.approx(theirs, abs=1e-12)
