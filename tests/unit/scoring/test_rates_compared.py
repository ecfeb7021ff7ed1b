"""Two systems' rates: Tango's interval and McNemar's test in the tables of a comparison."""

import numpy as np
import polars as pl
import pytest

from rejoinder import Scores, TestSet, compare
from rejoinder.document.parts import View
from rejoinder.rendering.markdown import as_markdown
from rejoinder.statistics.paired_rates import PairedRates, SeparateRates, mcnemar

NEW = np.repeat([1.0, 1.0, 0.0, 0.0], [4, 9, 3, 16])
OLD = np.repeat([1.0, 0.0, 1.0, 0.0], [4, 9, 3, 16])
"""Tango's first example: 4 items that both pass, 9 and 3 that one passes, 16 that none does."""
LOW, HIGH = -0.027, 0.390


def scores_of(cluster=None, missing="error", **options):
    values = {"new": NEW, "old": OLD} | options.pop("values", {})
    rows = [
        (name, f"c{i}", v) for name, each in values.items() for i, v in enumerate(each) if v == v
    ]
    frame = pl.DataFrame(rows, ["system", "id", "passed"], orient="row")
    testset = None
    if cluster is not None:
        ids = [f"c{i}" for i in range(len(cluster))]
        contexts = pl.DataFrame({"id": ids, "context": [["hi"]] * len(ids), "user": cluster})
        testset = TestSet(contexts, pl.DataFrame({"id": ids[:1], "text": ["yes"]}))
        options["cluster"] = "user"
    return Scores.from_segments(frame, testset, missing=missing, **options)


def row_of(scores, **more):
    return compare(scores, "new", "old", **more).table.row(0, named=True)


def test_a_difference_of_rates_has_tangos_interval_and_mcnemars_test():
    row = row_of(scores_of())
    assert (row["low"], row["high"]) == pytest.approx((LOW, HIGH), abs=5e-4)
    assert (row["p_mcnemar"], row["p_mid"]) == mcnemar(9, 3)
    assert row["p_mid_holm"] == row["p_mid"]
    # Swaps of 0 and 1 are McNemar's coins.
    assert row["p_randomization"] == pytest.approx(row["p_mcnemar"], abs=0.01)


def test_where_interval_and_test_part_it_is_said_which_one_decides():
    # 5 of 134 items differ, all one way: the exact p is 2 / 2^5 = .0625, Tango's interval is above 0.
    few = scores_of(
        values={"new": np.repeat([1.0, 0.0], [105, 29]), "old": np.repeat([1.0, 0.0], [100, 34])}
    )
    row = row_of(few)
    assert row["low"] > 0
    assert row["p_randomization"] > 0.05
    shown = as_markdown(compare(few).document(View()))
    assert "it is not clear whether new is better than old" in shown
    assert "p decides: the interval, which does not contain 0, is computed in another way" in shown
    assert "p decides the verdict" in as_markdown(few.document(View()))
    # Of 3000 items the same 5 are few: an end above 0 does not read as 0.
    of_many = {"new": np.repeat([1.0, 0.0], [105, 2895]), "old": np.repeat([1.0, 0.0], [100, 2900])}
    shown = as_markdown(compare(scores_of(values=of_many)).document(View()))
    assert "ahead by 0.2 [0.04, 0.4], p Holm = " in shown
    for other in (
        scores_of(),
        scores_of(values={"new": np.ones(40), "old": np.repeat([1.0, 0.0], 20)}),
    ):
        shown = as_markdown([*compare(other).document(View()), *other.document(View())])
        assert "p decides" not in shown


def test_in_the_range_of_the_values_and_where_lower_is_better():
    values = {"new": 1 + 4 * NEW, "old": 1 + 4 * OLD}
    row = row_of(scores_of(values=values, bounds={"passed": (1, 5)}))
    assert (row["low"], row["high"]) == pytest.approx((4 * LOW, 4 * HIGH), abs=2e-3)
    failures = row_of(scores_of(lower=["passed"]), worse_by=0.3)
    passes = row_of(scores_of(values={"new": OLD, "old": NEW}), worse_by=0.3)
    assert failures["low"] == pytest.approx(LOW, abs=5e-4)
    assert failures["p_mid"] == passes["p_mid"]
    assert failures["p_worse"] == pytest.approx(passes["p_worse"])


def test_two_systems_that_pass_everything_are_not_shown_to_be_alike():
    values = {"new": np.ones(20), "old": np.ones(20)}
    row = row_of(scores_of(values=values), worse_by=0.05)
    assert (row["low"], row["high"]) == pytest.approx((-0.161, 0.161), abs=1e-3)
    assert (row["verdict"], row["p_mid"]) == ("not clear", 1)
    (note,) = [
        each
        for each in compare(scores_of(values=values), b="old", worse_by=0.05).notes
        if "loss" in each
    ]
    assert note.startswith("passed: 20 items cannot exclude a loss greater than 0.05")
    assert note.endswith("it takes 52")
    many = {"new": np.ones(60), "old": np.ones(60)}
    # One-sided: 1.645^2 / (n + 1.645^2) is below .05 from 52 items on.
    assert row_of(scores_of(values=many), worse_by=0.05)["verdict"] == "not worse"
    assert not any(
        "loss" in note for note in compare(scores_of(values=many), b="old", worse_by=0.05).notes
    )
    just = {"new": np.ones(52), "old": np.ones(52)}
    assert row_of(scores_of(values=just), worse_by=0.05)["verdict"] == "not worse"
    fewer = {"new": np.ones(51), "old": np.ones(51)}
    assert row_of(scores_of(values=fewer), worse_by=0.05)["verdict"] == "not clear"


def test_clusters_count_once_and_have_no_mcnemar():
    user = [str(i // 2) for i in range(64)]
    values = {"new": np.repeat(NEW, 2), "old": np.repeat(OLD, 2)}
    row = row_of(scores_of(user, values=values))
    assert (row["low"], row["high"]) == pytest.approx((LOW, HIGH), abs=5e-4)
    assert "p_mcnemar" not in row
    words = as_markdown(compare(scores_of(user, values=values)).document(View()))
    assert "clusters have none" in words
    alone = row_of(scores_of([str(i) for i in range(32)]))
    assert (alone["low"], alone["high"]) == pytest.approx((LOW, HIGH), abs=5e-4)


def test_systems_on_different_items_have_mees_interval():
    gap = np.full(32, np.nan)
    values = {"new": np.append(NEW, gap), "old": np.append(gap, OLD)}
    row = row_of(scores_of(values=values, missing="pairwise"))
    low, high = SeparateRates(*np.array([[13.0], [32], [7], [32]])).interval()
    assert (row["paired"], row["low"], row["high"]) == (False, low[0], high[0])
    assert np.isnan(row["p_mid"])


def test_a_part_of_a_pass_counts_as_that_part_and_is_no_coin():
    values = {"new": np.append(NEW, 0.5), "old": np.append(OLD, 0.0)}
    row = row_of(scores_of(values=values, rates=["passed"]))
    # Passes and failures that vary as much: (D - d^2) / n is the variance of the mean.
    apart = values["new"] - values["old"]
    n = (12.5 / 33 - (6.5 / 33) ** 2) / (apart.var(ddof=1) / 33)
    low, high = PairedRates(*(np.array([9.5, 3.0, 33.0]) * n / 33)[:, None]).interval()
    assert (row["low"], row["high"]) == pytest.approx((low[0], high[0]))
    assert np.isnan(row["p_mcnemar"])


def test_fewer_than_eight_items_that_differ_are_worth_no_more_than_they_are():
    values = {
        "new": np.append(np.ones(30), [0.5, 1, 1]),
        "old": np.append(np.ones(30), [0, 0, 0.5]),
    }
    row = row_of(scores_of(values=values, rates=["passed"]))
    low, high = PairedRates(*np.array([[2.0], [0.0], [33.0]])).interval()
    assert (row["low"], row["high"]) == pytest.approx((low[0], high[0]))


def test_three_items_have_the_interval_of_tangos_example():
    few = {"new": np.ones(3), "old": np.zeros(3)}
    row = row_of(scores_of(values=few))
    assert (row["low"], row["high"]) == pytest.approx((-0.1230, 1), abs=5e-5)
    assert row["p_mcnemar"] == pytest.approx(0.25)


def test_fewer_than_four_clusters_or_graded_items_have_no_interval():
    few = {"new": np.ones(6), "old": np.zeros(6)}
    clustered = scores_of(list("aabbcc"), values=few)
    graded = scores_of(values={"new": np.array([1, 0.5, 1]), "old": np.zeros(3)})
    for scores in (clustered, graded):
        assert np.isnan(row_of(scores)["low"])
        assert scores.systems()["low"].is_nan().all()
        assert any("no interval; it takes 4 or more" in note for note in scores.notes)


def test_the_tables_say_which_interval_it_is():
    words = as_markdown(compare(scores_of()).document(View()))
    assert "95% interval (Tango's score interval, over items)" in words
    assert "mid-p: McNemar's exact test" in words
    graded = {"new": np.arange(32) / 7, "old": np.arange(32) / 9}
    words = as_markdown(compare(scores_of(values=graded)).document(View()))
    assert "Tango" not in words
    assert "McNemar" not in words
