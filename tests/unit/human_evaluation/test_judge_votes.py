"""What moves a judge's votes beside the better reply: place, own kind, and both orders."""

import math

import numpy as np
import polars as pl
import pytest

import rejoinder
from rejoinder.errors import ParameterError
from rejoinder.tables.schemas import PREFERENCES


def votes(*rows):
    """Comparisons from ``(id, a, b, rater, winner)``."""
    table = [(id, a, b, rater, "overall", winner) for id, a, b, rater, winner in rows]
    return pl.DataFrame(table, schema=PREFERENCES, orient="row")


def every(rater, shares, items=12, systems=("x", "y")):
    """Each item's pair in both orders; of twelve items the first votes ``shares`` for the first place."""
    first, second = systems
    for i in range(items):
        for order, wins in zip(((first, second), (second, first)), shares, strict=True):
            yield f"c{i}", *order, rater, "a" if i < wins else "b"


def measured(summary, judge, measure):
    (row,) = summary.judges.filter(judge=judge, measure=measure).to_dicts()
    return row


def test_the_first_place_is_what_it_adds_to_an_equal_reply():
    # Both give the first place 10 and 8 of 12 votes: odds of 5 and 2.
    table = votes(*every("gpt", (10, 8)), *every("ann", (10, 8)))
    summary = rejoinder.preferences(table, judges=["gpt"])
    place = measured(summary, "gpt", "first place")
    assert place["value"] == pytest.approx(math.sqrt(10) / (1 + math.sqrt(10)))
    assert 0 < place["low"] < 0.5 < place["value"] < place["high"] < 1  # twelve items alone
    assert place["n"] == 24
    assert 0.05 < place["p"] == place["p_holm"] < 1  # p of both orders is undefined
    people = measured(summary, "people", "first place")
    assert people["value"] == pytest.approx(place["value"])
    assert math.isnan(people["p_holm"])
    # Items 8 and 9 alone are won in the first place by x and in the second by x.
    orders = measured(summary, "gpt", "both orders")
    assert (orders["value"], orders["n"]) == (pytest.approx(2 / 12), 12)
    assert repr(summary.as_json()["judges"]) == repr(summary.judges.to_dicts())  # NaN is in it


def test_both_orders_counts_outcomes_that_are_the_same():
    # x wins in first place on items 0 to 8, and as the second of two on items 3 to 11.
    table = votes(*every("gpt", (9, 3)), *every("ann", (8, 3)))
    orders = measured(rejoinder.preferences(table, judges=["gpt"]), "gpt", "both orders")
    assert (orders["value"], orders["n"]) == (pytest.approx(6 / 12), 12)
    assert 0 < orders["low"] < 0.5 < orders["high"] < 1
    again = rejoinder.preferences(table, judges=["gpt"], resamples=0)
    assert math.isnan(measured(again, "gpt", "both orders")["low"])
    assert math.isnan(measured(again, "gpt", "first place")["low"])


def test_its_own_kind_is_what_it_adds_beyond_people():
    # By people x and y are equal; the judge gives x, of its kind, 9 of 12 votes in either order.
    table = votes(*every("gpt", (9, 3)), *every("ann", (6, 6)))
    summary = rejoinder.preferences(table, judges=["gpt"], own={"gpt": ["x"]})
    kind = measured(summary, "gpt", "own kind")
    assert kind["value"] == pytest.approx(9 / 12)
    assert kind["n"] == 24
    assert measured(summary, "gpt", "first place")["value"] == pytest.approx(0.5)


def test_own_kind_is_told_apart_from_a_sharper_judge_with_three_systems():
    # Expected counts under a discrimination of 2 and an own kind of log 3 (x): the fit finds both.
    strengths, rows = {"x": 0.4, "y": 0.0, "z": -0.4}, []
    for number, (a, b) in enumerate([("x", "y"), ("y", "z"), ("x", "z")]):
        for rater, sharp, own in (("ann", 1, 0.0), ("gpt", 2, math.log(3))):
            eta = sharp * (strengths[a] - strengths[b]) + own * ((a == "x") - (b == "x"))
            wins = round(4000 / (1 + math.exp(-eta)))
            rows += [
                (f"c{number}-{i}", *((a, b) if i % 2 else (b, a)), rater,
                 "a" if (i < wins) == bool(i % 2) else "b")
                for i in range(4000)
            ]  # fmt: skip
    summary = rejoinder.preferences(votes(*rows), judges=["gpt"], own={"gpt": ["x"]})
    assert measured(summary, "gpt", "own kind")["value"] == pytest.approx(0.75, abs=0.005)
    (sharp,) = summary.parameters.filter(parameter="discrimination").to_dicts()
    assert sharp["value"] == pytest.approx(2, abs=0.02)  # of the same model
    found = dict(summary.strengths.select("system", "strength").rows())
    assert found == pytest.approx(strengths, abs=0.02)
    assert measured(summary, "gpt", "both orders")["reason"] is not None


def test_what_cannot_be_measured_has_its_reason():
    rows = [(f"c{i}", "x", "y", rater, "ab"[i % 3 == 0]) for i in range(9) for rater in ("j", "k")]
    summary = rejoinder.preferences(votes(*rows), judges=["j"], own={"j": ["x", "y"]})
    for measure, reason in (
        ("first place", "no two systems change places"),
        ("own kind", "the judge did not compare a system of this kind with another one"),
        ("both orders", "no two replies were judged in both orders"),
    ):
        row = measured(summary, "j", measure)
        assert reason in row["reason"]
        assert np.isnan([row["value"], row["low"], row["high"], row["p"]]).all()
    other = [(f"c{i}", "x", "z", "k", "ab"[i % 3 == 0]) for i in range(9)]
    own = [(f"c{i}", "x", "y", "j", "ab"[i % 3 == 0]) for i in range(9)]
    summary = rejoinder.preferences(votes(*own, *other), judges=["j"], own={"j": ["x", "z"]})
    assert "people did not compare" in measured(summary, "j", "own kind")["reason"]


def test_of_two_systems_alone_its_kind_has_a_value_and_the_discrimination_a_reason():
    table = votes(*every("gpt", (9, 4)), *every("ann", (7, 6)))
    summary = rejoinder.preferences(table, judges=["gpt"], own={"gpt": ["x"]})
    assert measured(summary, "gpt", "own kind")["value"] > 0.5
    (row,) = summary.parameters.filter(parameter="discrimination").to_dicts()
    assert math.isnan(row["value"])
    assert "cannot be separated" in row["reason"]


def test_a_criterion_that_a_judge_or_people_did_not_vote_on_is_without_judges():
    both = votes(*every("gpt", (10, 8)), *every("ann", (10, 8)))
    people = votes(*every("ann", (7, 6))).with_columns(criterion=pl.lit("style"))
    alone = votes(*every("gpt", (7, 6))).with_columns(criterion=pl.lit("length"))
    summary = rejoinder.preferences(pl.concat([both, people, alone]), judges=["gpt"])
    assert set(summary.judges["criterion"]) == {"overall"}
    assert set(summary.strengths["criterion"]) == {"overall", "style", "length"}
    notes = "\n".join(summary.notes)
    assert "style: no votes of gpt" in notes
    assert "length: all votes under 'length' are of judges" in notes


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ({"ann": ["x"]}, "'ann' is not among the judges"),
        ({"gpt": ["w"]}, "no system is called 'w'; got x, y"),
    ],
)
def test_own_names_judges_and_systems_that_are_there(own, message):
    table = votes(*every("gpt", (9, 9)), *every("ann", (6, 6)))
    with pytest.raises(ParameterError, match=message):
        rejoinder.preferences(table, judges=["gpt"], own=own)


def test_without_judges_there_are_no_such_rows():
    summary = rejoinder.preferences(votes(*every("ann", (6, 6))))
    assert not summary.judges.height
    assert "judges" not in summary.as_json()


def test_where_one_system_always_wins_the_judge_has_a_reason():
    table = votes(*every("gpt", (12, 0)), *every("ann", (12, 0)))
    summary = rejoinder.preferences(table, judges=["gpt"], resamples=100)
    reasons = [row["reason"] for row in summary.judges.to_dicts() if row["value"] != row["value"]]
    assert len(reasons) == 2
    assert all("never loses" in reason for reason in reasons)
