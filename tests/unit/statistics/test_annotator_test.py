"""The alternative annotator test: worked by hand, beside scipy, at its edges."""

import math

import numpy as np
import pytest
from scipy import stats

from rejoinder.errors import InputError, ParameterError
from rejoinder.statistics.annotator_test import alternative_annotator_test, benjamini_yekutieli


def drawn(seed=0, items=60, raters=4, noise=1.0, judge_noise=0.8):
    rng = np.random.default_rng(seed)
    quality = rng.normal(3, 1, size=items)
    ratings = np.clip(np.round(quality[:, None] + noise * rng.normal(size=(items, raters))), 1, 5)
    ratings[rng.random(ratings.shape) < 0.1] = np.nan
    return ratings, np.clip(np.round(quality + judge_noise * rng.normal(size=items)), 1, 5)


def naive(ratings, judge, tolerance, alignment):
    """The published definition, item by item."""
    p, advantages = [], []
    for j in range(ratings.shape[1]):
        closer, rater_closer = [], []
        for i in range(len(ratings)):
            others = [x for k, x in enumerate(ratings[i]) if k != j and x == x]
            if ratings[i, j] != ratings[i, j] or not others:
                continue
            if alignment == "rmse":
                own, its = (
                    -math.sqrt(sum((x - y) ** 2 for y in others) / len(others))
                    for x in (ratings[i, j], judge[i])
                )
            else:
                own, its = (
                    sum(x == y for y in others) / len(others) for x in (ratings[i, j], judge[i])
                )
            closer.append(float(its >= own))
            rater_closer.append(float(own >= its))
        apart = np.array(rater_closer) - np.array(closer)
        p.append(stats.ttest_1samp(apart, tolerance, alternative="less").pvalue)
        advantages.append(np.mean(closer))
    return p, advantages


@pytest.mark.parametrize("alignment", ["rmse", "accuracy"])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_published_definition(seed, alignment):
    ratings, judge = drawn(seed)
    test = alternative_annotator_test(ratings, judge, 0.15, alignment)
    p, advantages = naive(ratings, judge, 0.15, alignment)
    assert [each.p for each in test.raters] == pytest.approx(p, rel=1e-9)
    assert [each.advantage for each in test.raters] == pytest.approx(advantages)
    corrected = stats.false_discovery_control(p, method="by")
    assert [each.p_corrected for each in test.raters] == pytest.approx(corrected)
    assert test.winning_rate == np.mean(corrected <= 0.05)
    assert test.advantage == pytest.approx(np.mean(advantages))
    assert test.passed == (test.winning_rate >= 0.5)


def test_clusters_of_copies_are_worth_one_item():
    ratings, judge = drawn(items=40)
    once = alternative_annotator_test(ratings, judge, 0.1)
    often = alternative_annotator_test(
        np.repeat(ratings, 5, axis=0), np.repeat(judge, 5), 0.1, groups=np.repeat(np.arange(40), 5)
    )
    assert [each.p for each in often.raters] == pytest.approx([each.p for each in once.raters])


def test_a_judge_that_is_never_worse_beats_all_without_a_doubt():
    ratings = np.tile([[2.0, 3.0, 4.0]], (30, 1))
    test = alternative_annotator_test(ratings, np.full(30, 3.0), 0.1)
    assert [each.p for each in test.raters] == [0.0, 0.0, 0.0]
    assert test.passed
    # 3 is as close as the rater of 3 herself: both count, and a difference of 0 is below 0.1
    assert test.raters[1].difference == 0.0
    strict = alternative_annotator_test(ratings, np.full(30, 3.0), 0.0)
    assert [each.p for each in strict.raters] == [0.0, 1.0, 0.0]


def test_too_little_is_not_tested():
    ratings, judge = drawn(items=29)
    result = alternative_annotator_test(ratings, judge, 0.1)
    assert "fewer than 30 items" in result.reason
    assert result.passed is None
    assert math.isnan(result.winning_rate)
    two = alternative_annotator_test(drawn()[0][:, :2], drawn()[1], 0.1)
    words = "not done: it needs three raters or more, and there are 2; ask a third rater"
    assert two.reason == words
    # of four raters one rated 10 items: she is not tested, and the others are
    ratings, judge = drawn(items=60)
    ratings[10:, 0] = np.nan
    test = alternative_annotator_test(ratings, judge, 0.1)
    assert [each.reason is None for each in test.raters] == [False, True, True, True]
    assert "rated by this rater" in test.raters[0].reason


def test_what_makes_no_sense_is_refused():
    ratings, judge = drawn()
    with pytest.raises(ParameterError, match=r"tolerance=1\.5"):
        alternative_annotator_test(ratings, judge, 1.5)
    with pytest.raises(ParameterError, match="alignment='near' is unknown"):
        alternative_annotator_test(ratings, judge, 0.1, "near")
    with pytest.raises(InputError, match="beside 60 rated items"):
        alternative_annotator_test(ratings, judge[1:], 0.1)


def test_correction_is_scipy_s():
    p = np.array([0.001, 0.2, 0.03, 0.04, 0.9])
    assert benjamini_yekutieli(p) == pytest.approx(stats.false_discovery_control(p, method="by"))
    with_gap = benjamini_yekutieli(np.array([0.01, np.nan, 0.04]))
    assert with_gap[[0, 2]] == pytest.approx([0.03, 0.06])
    assert np.isnan(with_gap[1])
