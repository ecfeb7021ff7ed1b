"""What is drawn together: whole groups, however large."""

import numpy as np
import pytest

from rejoinder.errors import InputError
from rejoinder.statistics import clusters as module
from rejoinder.statistics.clusters import Groups

LABELS = np.array([5, 2, 5, 9, 2, 5, 7, 7])  # groups of 2 (label 2), 3 (5), 2 (7) and 1 (9)


def test_a_resample_holds_whole_groups():
    lengths, seen = set(), []
    for rows, drawn in Groups.of(LABELS, 8).resampled(200, np.random.default_rng(0)):
        seen += rows.tolist()
        lengths.add(drawn.shape[1])
        for row in drawn:
            times = np.bincount(row, minlength=8)
            # every member of a group comes equally often, and 4 groups come in all
            assert all(len(set(times[label == LABELS])) == 1 for label in set(LABELS.tolist()))
            assert times[[1, 0, 6, 3]].sum() == 4
    assert sorted(seen) == list(range(200))
    assert min(lengths) >= 4
    assert len(lengths) > 3


def test_groups_come_equally_often():
    # 4 groups x 3,000 resamples: each is drawn 3,000 times, give or take 4 sqrt(12000 * 3/16)
    drawn = [d for _, d in Groups.of(LABELS, 8).resampled(3000, np.random.default_rng(1))]
    times = sum(np.bincount(d.ravel(), minlength=8) for d in drawn)
    assert np.abs(times - 3000).max() < 4 * np.sqrt(12000 * 3 / 16)


def test_blocks_do_not_change_what_is_covered(monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 30)
    pieces = list(Groups.of(LABELS, 8).resampled(20, np.random.default_rng(2), width=2))
    assert sorted(np.concatenate([rows for rows, _ in pieces]).tolist()) == list(range(20))
    assert sum(len(d) for d in Groups.of(LABELS, 8).permuted(20, np.random.default_rng(2))) == 20


def test_single_observations_are_permuted_freely():
    drawn = np.concatenate(list(Groups.of(None, 3).permuted(600, np.random.default_rng(3))))
    orders, times = np.unique(drawn, axis=0, return_counts=True)
    assert len(orders) == 6
    assert np.abs(times - 100).max() < 4 * np.sqrt(600 * 5 / 36)


def test_groups_of_one_size_change_places():
    groups = Groups.of(LABELS, 8)
    for drawn in groups.permuted(100, np.random.default_rng(4)):
        assert (np.sort(drawn, axis=1) == np.arange(8)).all()
        of = LABELS[drawn]
        for label in (2, 5, 7, 9):
            places = of[:, label == LABELS]
            assert (places == places[:, :1]).all()  # one group takes the place of one
        assert (of[:, LABELS == 5] == 5).all()  # no other has 3 members
        assert (of[:, LABELS == 9] == 9).all()
        assert {2, 7} == set(of[:, 1].tolist())
        assert len({tuple(row) for row in drawn[:, LABELS == 5].tolist()}) == 6  # shuffled within


def test_swaps_are_of_groups():
    for drawn in Groups.of(LABELS, 8).swaps(50, np.random.default_rng(5)):
        for label in (2, 5, 7):
            coin = drawn[:, label == LABELS]
            assert (coin == coin[:, :1]).all()
        assert 0 < drawn.mean() < 1


def test_one_label_for_each():
    with pytest.raises(InputError, match=r"shape \(2,\) for 3 observations"):
        Groups.of(np.array([1, 2]), 3)
