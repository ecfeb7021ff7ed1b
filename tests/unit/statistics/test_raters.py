"""Each rater against the mean of the others: the human ceiling."""

import numpy as np
import pytest

from rejoinder.statistics.raters import human_correlations

NAN = np.nan


def test_human_ceiling_by_hand():
    a = np.array([1.0, 2, 3, 4])
    b = np.array([1.0, 3, 2, 4])
    c = np.array([4.0, 2, 3, 1])
    # Ranks of the others' means: against a, (b + c)/2 = 2.5 2.5 2.5 2.5: undefined.
    # Against b, (a + c)/2 = 2.5 2 3 2.5, ranks 2.5 1 4 2.5: deviations of b -1.5 .5 -.5 1.5 times
    # 0 -1.5 1.5 0 = -1.5; squares 5 and 4.5. Against c, (a + b)/2 = 1 2.5 2.5 4: c's deviations
    # 1.5 -.5 .5 -1.5 times -1.5 0 0 1.5 = -4.5; squares 5 and 4.5.
    human = human_correlations(np.stack([a, b, c], axis=1), "spearman", least=2)
    root = np.sqrt(5 * 4.5)
    assert np.isnan(human.each[0])
    assert human.each[1:] == pytest.approx([-1.5 / root, -4.5 / root])
    assert human.average == pytest.approx(-3 / root)
    assert human.maximum == pytest.approx(-1.5 / root)
    assert human.reason is None


def test_missing_ratings_and_few_shared_units():
    rng = np.random.default_rng(1)
    matrix = rng.normal(size=(30, 3))
    matrix[25:, 1:] = NAN  # the first rater alone
    matrix[3:, 2] = NAN  # three units of the third
    human = human_correlations(matrix, "pearson")
    assert np.isnan(human.each).tolist() == [False, False, True]
    others = np.nanmean(matrix[:25, 1:], axis=1)
    assert human.each[0] == pytest.approx(np.corrcoef(matrix[:25, 0], others)[0, 1])


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        (np.arange(20.0)[:, None], "fewer than 2 raters"),
        (np.full((20, 3), NAN), "fewer than 2 raters"),
        (np.zeros((0, 3)), "fewer than 2 raters"),
        (np.arange(8.0).reshape(4, 2), "no rater shares 10 units with others"),
        (np.ones((20, 3)), "every rater, or the mean of the others, gives one value throughout"),
    ],
)
def test_no_ceiling(matrix, reason):
    human = human_correlations(matrix, "kendall-b")
    assert np.isnan(human.average)
    assert np.isnan(human.maximum)
    assert human.reason == reason
