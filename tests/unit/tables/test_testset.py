"""The test set and the join of responses to it."""

import polars as pl
import pytest

from rejoinder.errors import InputError
from rejoinder.tables.responses import check_responses
from rejoinder.tables.schemas import RESPONSES
from rejoinder.tables.testset import TestSet
from rejoinder.text.lists import check_orientation


@pytest.fixture
def testset():
    return TestSet.from_lists([["a", "b"], [], ["c"]], [[1, -0.5], [], [0.5]], ids=["x", "y", "z"])


def responses(*rows):
    return pl.DataFrame(rows, schema=RESPONSES, orient="row")


def test_from_lists_numbers_the_items():
    made = TestSet.from_lists([["a"], ["b"]], contexts=["Hi", ["One", "Two"]])
    assert made.contexts.rows() == [("1", ["Hi"]), ("2", ["One", "Two"])]
    assert made.references.rows() == [("1", "a", None, None), ("2", "b", None, None)]


def test_select_keeps_the_order_given_and_that_of_references(testset):
    chosen = testset.select(["z", "x"])
    assert chosen.ids == ["z", "x"]
    assert chosen.references["text"].to_list() == ["c", "a", "b"]
    with pytest.raises(InputError, match="duplicate id"):
        testset.select(["x", "x"])


def test_tables_in_memory_may_leave_out_weight_and_source():
    made = TestSet(
        pl.DataFrame({"id": [1, 2], "topic": ["u", "v"], "context": [["a"], []]}),
        pl.DataFrame({"text": ["b"], "id": [2]}),
    )
    assert made.contexts.columns == ["id", "context", "topic"]
    assert made.references.rows() == [("2", "b", None, None)]


def test_the_whole_grid_comes_out_in_the_order_of_the_test_set(testset):
    given = responses(*((s, i, s + i) for s in "ts" for i in "zxy"))
    aligned = check_responses(given, testset)
    assert aligned.systems == ["t", "s"]
    assert aligned.ids == ["x", "y", "z"]
    assert aligned.responses.rows() == [(s, i, s + i) for s in "ts" for i in "xyz"]
    assert (aligned.unanswered, aligned.dropped, aligned.filled) == ({}, 0, {})


def test_a_missing_reply_is_dropped_for_all_or_filled(testset):
    given = responses(*((s, i, s + i) for s in "st" for i in "xyz" if s + i not in ("sy", "tz")))
    dropped = check_responses(given, testset, "drop")
    assert dropped.ids == ["x"]
    assert dropped.responses.rows() == [("s", "x", "sx"), ("t", "x", "tx")]
    assert (dropped.dropped, dropped.unanswered) == (2, {"s": 1, "t": 1})
    filled = check_responses(given, testset, "empty")
    assert filled.ids == ["x", "y", "z"]
    assert filled.responses["text"].to_list() == ["sx", "", "sz", "tx", "ty", ""]
    assert (filled.filled, filled.dropped) == ({"s": 1, "t": 1}, 0)
    with pytest.raises(InputError, match="'s' did not answer 1 of 3 items: 'y', and 1 more system"):
        check_responses(given, testset)


def test_an_empty_reply_is_a_reply(testset):
    given = responses(*(("s", i, "") for i in "xyz"))
    assert check_responses(given, testset).responses["text"].to_list() == [""] * 3


def test_ragged_and_square_references_pass():
    check_orientation([], [])
    check_orientation(["a", ""], [[], ("x", "y", "z")])
    check_orientation(["a", "b"], [["x", "y"], ["z", "w"]])
