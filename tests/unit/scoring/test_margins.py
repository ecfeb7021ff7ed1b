"""Verdicts of systems against a baseline, where they are certain and where there is no test."""

import numpy as np
import polars as pl
import pytest

import rejoinder
from rejoinder import Scores
from rejoinder.errors import ParameterError

OLD = np.array([4.0, 3, 5, 4, 2, 5, 3, 4, 5, 4])


def scores_of(lower=(), **values):
    rows = [(name, str(i), x) for name, each in values.items() for i, x in enumerate(each)]
    table = pl.DataFrame(rows, ["system", "id", "judge"], orient="row")
    return Scores.from_segments(table, lower=lower)


def verdict(new, old=OLD, worse_by=0.5, **more):
    scores = scores_of(old=old, new=new, **more)
    return scores.compare("new", "old", worse_by=worse_by)["verdict"].item()


def test_verdicts():
    wave = np.array([0.1, -0.1] * 5)
    assert verdict(OLD - 1 + wave) == "worse"
    assert verdict(OLD - 0.2 + wave) == "not worse"
    assert verdict(OLD - 0.5 + wave) == "not clear"  # a loss of exactly the margin
    assert verdict(OLD + 1 + wave, lower=["judge"]) == "worse"
    assert verdict(OLD - 1 + wave, lower=["judge"]) == "not worse"


def test_the_same_replies_are_not_worse():
    assert verdict(OLD) == "not worse"
    assert verdict(OLD, worse_by=0) == "not worse"
    assert verdict(OLD[:3], OLD[:3]) == "not clear"  # too few items to know


def test_a_loss_without_an_interval_is_a_loss():
    # Everything was right and nothing is any more: no spread, so no test.
    assert verdict(np.zeros(10), np.ones(10)) == "worse"
    assert verdict(OLD - 0.4) == "not clear"
    assert verdict(OLD[:3] - 1, OLD[:3]) == "worse"


def test_each_system_is_compared_with_the_baseline():
    scores = scores_of(old=OLD, same=OLD, bad=OLD - 2)
    compared = rejoinder.compare(scores, b="old", worse_by=0.5)
    rows = compared.table.select("a", "b", "difference", "verdict").rows()
    assert rows == [("same", "old", 0.0, "not worse"), ("bad", "old", -2.0, "worse")]
    assert compared.failed()["a"].to_list() == ["bad"]
    assert compared.failed(unsure=True)["a"].to_list() == ["bad"]
    assert compared.as_json()["comparisons"][1]["verdict"] == "worse"


def test_unsure_fails_where_it_is_asked_for():
    compared = rejoinder.compare(scores_of(old=OLD, new=OLD - 0.4), "new", "old", worse_by=0.5)
    assert compared.failed().is_empty()
    assert compared.failed(unsure=True)["verdict"].to_list() == ["not clear"]


def test_an_undefined_difference_fails():
    scores = scores_of(old=OLD, new=OLD)
    compared = rejoinder.compare(scores, "new", "old", worse_by=0.5)
    from rejoinder.scoring.margins import with_verdicts

    table = compared.table.with_columns(difference=float("nan"))
    assert with_verdicts(table, scores)["verdict"].to_list() == ["undefined"]


def test_systems_that_share_no_item():
    rows = [("old", f"o{i}", x) for i, x in enumerate(OLD)]
    rows += [("new", f"n{i}", x - 2) for i, x in enumerate(OLD)]
    table = pl.DataFrame(rows, ["system", "id", "judge"], orient="row")
    scores = Scores.from_segments(table, missing="pairwise")
    row = scores.compare("new", "old", worse_by=0.5).row(0, named=True)
    assert (row["paired"], row["verdict"]) == (False, "worse")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"worse_by": 0.1},
            r"--fail-if-worse 0\.1 \(worse_by=\): no baseline is named; name it with b: 'old' or 'new'",
        ),
        ({"b": "old", "worse_by": -1}, r"--fail-if-worse -1 \(worse_by=\) must be 0 or above"),
        (
            {"b": "old", "worse_by": float("nan")},
            r"--fail-if-worse nan \(worse_by=\) must be 0 or above",
        ),
        (
            {"b": "old", "worse_by": float("inf")},
            r"--fail-if-worse inf \(worse_by=\) must be 0 or above",
        ),
    ],
)
def test_what_is_refused(given, message):
    with pytest.raises(ParameterError, match=message):
        rejoinder.compare(scores_of(old=OLD, new=OLD), **given)


def test_failures_need_a_margin():
    compared = rejoinder.compare(scores_of(old=OLD, new=OLD))
    with pytest.raises(ParameterError, match=r"failed\(\) needs a margin"):
        compared.failed()
