"""People against people, and ratings along a score: the points drawn are the numbers."""

import numpy as np
import pytest
from scipy import stats

from rejoinder.figures import style
from rejoinder.figures.people import group_against_group, median_rater
from rejoinder.figures.relevance import binned, relevance
from rejoinder.figures.scatter import scatter
from rejoinder.statistics.raters import human_correlations

RNG = np.random.default_rng(1)
QUALITY = RNG.normal(size=40)
MATRIX = np.stack([QUALITY + noise * RNG.normal(size=40) for noise in (0.3, 2.0, 1.0)], axis=1)


def test_the_median_rater_is_the_one_in_the_middle():
    cloud = median_rater(MATRIX, ["a", "b"] * 20)
    each = human_correlations(MATRIX, "pearson").each
    rater = int(np.argsort(each)[1])
    others = [i for i in range(3) if i != rater]
    assert cloud.y.tolist() == MATRIX[:, rater].tolist()
    assert cloud.x == pytest.approx(MATRIX[:, others].mean(axis=1))
    r = stats.pearsonr(cloud.x, cloud.y)[0]
    assert r == pytest.approx(sorted(each)[1])
    assert list(cloud.systems) == ["a", "b"] * 20
    four = np.column_stack([MATRIX, QUALITY])
    each = human_correlations(four, "pearson").each
    # Of four the lower of the two in the middle.
    assert median_rater(four).y.tolist() == four[:, np.argsort(each)[1]].tolist()
    assert median_rater(MATRIX[:5]) is None  # no rater shares 10 replies with others


def test_the_groups_are_a_halving_of_the_raters():
    five = np.column_stack([MATRIX, MATRIX[:, :2] + 1])
    five[3] = np.nan  # nobody rated this one
    five[7, 1:] = np.nan  # one rater alone did: there is no other group
    cloud = group_against_group(five, seed=3)
    chosen = np.random.default_rng(3).permutation(5)[:2]
    others = [i for i in range(5) if i not in chosen]
    kept = [i for i in range(40) if i not in (3, 7)]
    assert cloud.x == pytest.approx(five[kept][:, chosen].mean(axis=1))
    assert cloud.y == pytest.approx(five[kept][:, others].mean(axis=1))
    assert any(
        group_against_group(five, seed=seed).x.tolist() != cloud.x.tolist() for seed in range(5)
    )
    assert group_against_group(MATRIX[:, :1]) is None
    apart = np.array([[1.0, np.nan], [np.nan, 2.0]])
    assert group_against_group(apart) is None
    with style.drawing():
        assert len(scatter(cloud).axes) == 3


def test_bins_hold_equally_many_replies_and_equal_scores_stay_together():
    score, rating = np.arange(100.0), RNG.normal(size=100)
    bins = binned(score, rating)
    assert [each.n for each in bins] == [10] * 10
    first = rating[:10]
    low, high = stats.t.interval(0.95, 9, first.mean(), stats.sem(first))
    assert (bins[0].score, bins[0].rating) == (4.5, pytest.approx(first.mean()))
    assert (bins[0].low, bins[0].high) == (pytest.approx(low), pytest.approx(high))
    tied = binned(np.r_[np.zeros(60), np.arange(1.0, 41.0)], rating)
    assert tied[0].n == 60
    assert sum(each.n for each in tied) == 100
    assert [each.n for each in binned(np.ones(30), rating[:30])] == [30]
    assert binned(np.array([np.nan]), np.array([1.0])) == []


def test_each_panel_is_of_its_own_system(tmp_path):
    panels = {name: (RNG.normal(size=30), RNG.normal(size=30)) for name in "abcd"}
    panels["none"] = (np.full(3, np.nan), np.ones(3))
    with style.drawing():
        figure = relevance(panels, "s_U")
        style.save(figure, tmp_path, "relevance")
    for axes, (name, data) in zip(figure.axes, panels.items(), strict=False):
        assert axes.get_title(loc="left") == name
        bins = binned(*data)
        if bins:
            assert axes.lines[0].get_ydata().tolist() == [each.rating for each in bins]
            assert axes.lines[0].get_xdata().tolist() == [each.score for each in bins]
