"""Who rates which system, from which rater rated which reply."""

import numpy as np
import pytest

from rejoinder.human_evaluation.different_raters import different_raters

ANN, BOB, BOTH, NOBODY = ([1, 0], [0, 1], [1, 1], [0, 0])


def note_on(apart=None, **rated):
    each = {name: np.array(rows, dtype=bool) for name, rows in rated.items()}
    return different_raters(each, ["ann", "bob"], apart)


@pytest.mark.parametrize(
    ("a", "b", "differ"),
    [
        ([ANN] * 4, [BOB] * 4, True),
        ([ANN] * 4, [ANN] * 4, False),
        ([ANN, ANN, ANN, BOB], [ANN, BOB, BOB, BOB], False),  # a half is shared
        ([ANN, ANN, ANN, BOB], [BOB] * 4, True),  # a quarter
        ([BOTH, ANN], [BOB] * 2, True),  # a rating of two counts half
        ([BOTH, BOTH, NOBODY], [ANN, NOBODY, NOBODY], False),  # what nobody rated counts nothing
    ],
)
def test_systems_share_raters_by_their_shares_of_the_ratings(a, b, differ):
    assert bool(note_on(a=a, b=b)) == differ


def test_only_the_pairs_that_are_apart_are_named():
    systems = {"a": [ANN], "b": [BOB], "c": [BOB], "d": [NOBODY]}
    (note,) = note_on([("a", "b")], **systems)
    assert note.startswith("different people rate the two systems of a - b ('a': ann; 'b': bob): ")
    assert note_on([], **systems) == []
    assert "a - b, a - c" in note_on(**{x: systems[x] for x in "abc"})[0]


def test_a_pair_that_is_apart_on_its_common_items_is_named_though_its_raters_overlap_elsewhere():
    rated = {"a": np.array([[True, False], [False, True]]), "b": np.array([[False, True]])}
    assert different_raters(rated, ["ann", "bob"]) == []
    (note,) = different_raters(rated, ["ann", "bob"], [("a", "b")])
    assert note.startswith("different people rate the two systems of a - b")
