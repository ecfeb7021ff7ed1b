"""Letters of significance groups: worked by hand, and against their definition."""

import numpy as np
import pytest

from rejoinder.statistics.rank_ranges import letter_groups, letters


def matrix(number, *pairs):
    different = np.zeros((number, number), dtype=bool)
    for i, j in pairs:
        different[i, j] = different[j, i] = True
    return different


@pytest.mark.parametrize(
    ("different", "expected"),
    [
        (matrix(1), ["a"]),
        (matrix(2), ["a", "a"]),
        (matrix(2, (0, 1)), ["a", "b"]),
        (matrix(3, (0, 2)), ["a", "ab", "b"]),
        # 0 differs from all others, and these only at the ends.
        (matrix(4, (0, 1), (0, 2), (0, 3), (1, 3)), ["a", "b", "bc", "c"]),
        # No order of values explains this: 0 is like 3, 1 is like 2 and 3.
        (matrix(4, (0, 1), (0, 2), (2, 3)), ["a", "bc", "b", "ac"]),
        (matrix(0), []),
    ],
)
def test_by_hand(different, expected):
    assert letters(different) == expected


@pytest.mark.parametrize("number", [1, 2, 3, 5, 16, 40])
def test_two_share_a_letter_if_and_only_if_they_do_not_differ(number):
    rng = np.random.default_rng(number)
    for share in (0.05, 0.3, 0.5, 0.8, 0.95):
        for ordered in (False, True):
            values = np.sort(rng.normal(size=number))
            different = rng.random((number, number)) < share
            if ordered:  # as tests of values with noise find them
                different = (
                    np.abs(values[:, None] - values) + rng.normal(0, 0.1, different.shape)
                    > 2 * share
                )
            different = np.triu(different, 1)
            different |= different.T
            groups = letter_groups(different).astype(int)
            np.testing.assert_array_equal(groups.T @ groups == 0, different)
            # No group is held by another, and none can do without a member.
            shared = groups @ groups.T
            assert ((shared == groups.sum(axis=1)) <= np.eye(len(groups), dtype=bool)).all()
            together = groups.T @ groups
            for group in groups:
                members = np.flatnonzero(group)
                assert ((together[np.ix_(members, members)] == 1).any(axis=1)).all()


def test_more_groups_than_letters():
    # Of 120 members each is like its neighbours alone: 119 groups of two.
    number = 120
    different = np.abs(np.arange(number)[:, None] - np.arange(number)) > 1
    shared = letters(different)
    assert shared[:3] == ["a", "ab", "bc"]
    assert shared[51:54] == ["YZ", "Za2", "a2b2"]
    assert len(set(shared)) == number
