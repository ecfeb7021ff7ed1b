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


def test_without_an_interval_the_randomization_test_decides():
    # Everything was right and nothing is any more: no spread, so no t test. Of the 2^10 ways to swap the
    # replies one has as great a loss beyond the margin.
    scores = scores_of(old=np.full(10, 1.5), new=np.full(10, 0.5))
    row = scores.compare("new", "old", worse_by=0.5).row(0, named=True)
    assert np.isnan(row["low"])
    assert (row["p_worse"], row["verdict"]) == (1 / 1024, "worse")
    assert verdict(OLD - 0.4) == "not clear"
    # Of three items one swap in eight: two systems that are alike would lose so much by chance.
    assert verdict(OLD[:3] - 1, OLD[:3]) == "not clear"
    assert verdict(OLD[:5] - 1, OLD[:5]) == "worse"  # 1 / 32


def replies_of_bleu(old, new):
    """Scores under BLEU-4 of 20 items; where a system is right, four words match."""
    testset = rejoinder.TestSet.from_lists([["see you at nine then"]] * 20)
    rows = [
        (name, id, "see you at nine then" if k < right else "no not yet")
        for name, right in (("old", old), ("new", new))
        for k, id in enumerate(testset.ids)
    ]
    table = pl.DataFrame(rows, ["system", "id", "text"], orient="row")
    return rejoinder.score(testset, table, [rejoinder.metrics.BLEU(order=4)], resamples=100)


@pytest.mark.parametrize(
    ("right", "p", "expected"), [(1, 1 / 2, "not clear"), (10, 2**-10, "worse")]
)
def test_one_match_of_four_words_is_no_loss(right, p, expected):
    # The new system has none, and no interval. It is as likely to have had the match of the old one.
    compared = rejoinder.compare(replies_of_bleu(right, 0), "new", "old", worse_by=0)
    (row,) = compared.table.to_dicts()
    assert np.isnan(row["low"])
    assert row["p_worse"] == pytest.approx(p, rel=0.1, abs=1e-3)
    assert row["verdict"] == expected
    assert compared.failed().height == (expected == "worse")


def test_two_scores_of_0_that_other_items_would_change_are_not_clear():
    compared = rejoinder.compare(replies_of_bleu(0, 0), "new", "old", worse_by=0.01)
    assert compared.table["verdict"].to_list() == ["not clear"]
    assert compared.failed(unsure=True).height == 1
    same = rejoinder.compare(replies_of_bleu(3, 3), "new", "old", worse_by=0.01)
    assert same.table["verdict"].to_list() == ["not worse"]


def test_the_margin_of_clusters_goes_with_their_items():
    # A cluster of 4 items and six of 1, each item worse by exactly 1: beyond a margin of 1 nothing is left.
    ids = [str(i) for i in range(10)]
    testset = rejoinder.TestSet.from_lists([["x"]] * 10, ids=ids)
    of = pl.Series("talk", ["a"] * 4 + list("bcdefg"))
    testset = rejoinder.TestSet(testset.contexts.with_columns(of), testset.references)
    rows = [
        (n, id, x - (n == "new")) for n in ("old", "new") for id, x in zip(ids, OLD, strict=True)
    ]
    table = pl.DataFrame(rows, ["system", "id", "judge"], orient="row")
    scores = Scores.from_segments(table, testset, cluster="talk")
    row = scores.compare("new", "old", worse_by=1.0).row(0, named=True)
    assert (row["p_worse"], row["verdict"]) == (1.0, "not clear")
    row = scores.compare("new", "old", worse_by=0.5).row(0, named=True)
    assert (row["p_worse"], row["verdict"]) == (1 / 128, "worse")


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
            r"worse_by=0\.1: no baseline is named; name it with b: 'old' or 'new'",
        ),
        ({"b": "old", "worse_by": -1}, r"worse_by=-1 must be 0 or above"),
        (
            {"b": "old", "worse_by": float("nan")},
            r"worse_by=nan must be 0 or above",
        ),
        (
            {"b": "old", "worse_by": float("inf")},
            r"worse_by=inf must be 0 or above",
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
