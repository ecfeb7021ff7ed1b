"""Each rater against the others: who goes, who cannot be judged, and the human ceiling."""

import numpy as np
import pytest

from rejoinder.agreement.kappa import weighted_kappa
from rejoinder.agreement.raters import human_correlations, kappa_against_others, unreliable
from rejoinder.errors import ParameterError

NAN = np.nan


def test_pairs_weigh_by_their_shared_units():
    a = np.array([1.0, 2, 3, 4, 1, 2])
    b = np.array([1.0, 2, 3, 3, NAN, NAN])
    c = np.array([NAN, NAN, 1.0, 4, 2, 2])
    result = kappa_against_others(np.stack([a, b, c], axis=1))
    # a shares 4 units with b and 4 with c; b and c share 2
    ab, ac, bc = weighted_kappa(a, b), weighted_kappa(a, c), weighted_kappa(b, c)
    expected = [(4 * ab + 4 * ac) / 8, (4 * ab + 2 * bc) / 6, (4 * ac + 2 * bc) / 6]
    np.testing.assert_allclose(result.kappa, expected)
    assert result.shared.tolist() == [6, 4, 4]


def test_who_is_left_out():
    rng = np.random.default_rng(0)
    good = rng.integers(1, 6, 40).astype(float)
    matrix = np.stack([good, good, good, rng.integers(1, 6, 40), good, good], axis=1)
    matrix[9:, 4] = NAN  # 9 units are too few to be judged by
    matrix[:, 5] = NAN  # rated nothing
    result = unreliable(matrix)
    assert result.unreliable.tolist() == [False, False, False, True, False, False]
    assert result.unjudged.tolist() == [False, False, False, False, True, True]
    assert result.shared.tolist() == [40, 40, 40, 40, 9, 0]
    assert not unreliable(matrix, threshold=-1.0).unreliable.any()
    assert unreliable(matrix, least=9).unjudged.tolist() == [False] * 5 + [True]


def test_who_always_says_the_same_has_kappa_zero():
    up = np.arange(20.0) % 5
    result = unreliable(np.stack([up, up, np.full(20, 3.0)], axis=1))
    assert result.kappa[2] == pytest.approx(0.0)
    assert result.unreliable.tolist() == [False, False, True]


def test_nothing_to_judge_by():
    assert unreliable(np.ones((20, 3))).unjudged.all()  # no variation: no kappa
    assert unreliable(np.arange(20.0)[:, None]).unjudged.all()  # one rater
    with pytest.raises(ParameterError, match="threshold"):
        unreliable(np.ones((2, 2)), threshold=NAN)


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
