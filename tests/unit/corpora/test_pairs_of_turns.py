"""Pairs of adjacent utterances."""

import numpy as np
import pytest

from rejoinder.corpora.pairs import Pairs, adjacent_pairs
from rejoinder.errors import InputError
from rejoinder.tables.testset import TestSet, read_testset
from shared_data import EXAMPLES, shared


def test_dailydialog_has_its_76053_training_pairs():
    pairs = adjacent_pairs(read_testset(shared("data", "dailydialog", "train.zip")))
    assert len(pairs) == 76053
    assert pairs.notes == ()
    # Every turn that is answered is the next pair's message, within a dialogue.
    first = [int(name.split("_")[0]) for name in pairs.ids]
    for i in range(1000):
        if first[i] == first[i + 1]:
            assert pairs.sources[i + 1] == pairs.targets[i]


def test_test_pairs_that_stand_in_train_are_left_out():
    # A quarter of the test split's pairs also stand in the train split: 16.1% of them to the letter,
    # 24.1% when only letters and figures are compared.
    folder = shared("data", "dailydialog")
    train, test = (adjacent_pairs(read_testset(folder / f"{n}.zip")) for n in ("train", "test"))
    share = 1 - len(test.without(train)) / len(test)
    assert round(share, 3) == 0.241
    left = train.without(test)
    assert not set(zip(left.sources, left.targets, strict=True)) & set(
        zip(test.sources, test.targets, strict=True)
    )
    assert f"{len(train) - len(left)} pairs of 76053 left out" in left.notes[0]


def test_what_counts_as_the_same_pair():
    mine = Pairs(["1", "2", "3"], ["It ’ s late .", "?!", "Go."], ["Yes", "No", "Yes"])
    others = Pairs(["x", "y"], ["it's late", "..."], ["YES!", "No"])
    assert mine.without(others).ids == ["2", "3"]


def test_items_of_a_test_set():
    pairs = adjacent_pairs(read_testset(EXAMPLES / "testset.jsonl"))
    assert pairs.ids[0] == "c001"
    assert pairs.sources[0] == "Did you manage to get tickets for the night train?"
    assert pairs.targets[0].startswith("Yes, two beds in a sleeper")


def test_nothing_to_learn_from_is_one_message():
    with pytest.raises(InputError, match="both a context and a reference"):
        adjacent_pairs(TestSet.from_lists([["a"], ["b"]]))


def test_take_map_and_hash():
    pairs = Pairs(["1", "2"], ["a", "b"], ["c", "d"])
    second = pairs.take(np.array([1]), "one taken")
    assert (second.ids, second.sources, second.targets) == (["2"], ["b"], ["d"])
    assert second.notes == ("one taken",)
    assert pairs.map(str.upper).targets == ["C", "D"]
    # Where a text ends counts: "ab" + "c" is not "a" + "bc".
    assert Pairs(["1"], ["ab"], ["c"]).hash != Pairs(["1"], ["a"], ["bc"]).hash
    assert len(pairs.hash) == 8
