"""Ratings that belong to a pair of systems: each pair its own items and its own ratings."""

from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest

from rejoinder import TestSet, correlate, plan, read_ratings, score
from rejoinder.errors import InputError
from rejoinder.human_evaluation.rating_summary import ratings as summarise_ratings
from rejoinder.meta_evaluation.leave_own_out_units import measured
from rejoinder.meta_evaluation.protocols import Unit
from rejoinder.references.weighing import weigh
from rejoinder.statistics.correlation import spearman
from rejoinder.tables.write import write_ratings

COLUMNS = ["id", "system", "rater", "criterion", "score", "against"]
SYSTEMS = list("abcdefg")
RATED_PAIRS = list(combinations(SYSTEMS, 2))[:12]  # of 21, as in the paper; all 7 systems
ITEMS, PER_PAIR = 30, 12
QUICK: dict[str, Any] = {"permutations": 20, "resamples": 0}


def table(rows):
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


@pytest.fixture(scope="module")
def texts():
    """30 items with one reference, and 7 systems' replies of 1 to 9 tokens."""
    rng = np.random.default_rng(5)
    testset = TestSet.from_lists([["yes at nine please"]] * ITEMS)
    rows = [
        (system, str(item + 1), " ".join(["yes"] * int(rng.integers(1, 10))))
        for system in SYSTEMS
        for item in range(ITEMS)
    ]
    return testset, pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")


@pytest.fixture(scope="module")
def scores(texts):
    return score(texts[0], texts[1], ["length", "distinct"], resamples=0)


@pytest.fixture(scope="module")
def rated():
    """12 of 21 pairs, each rated by two people on 12 items of its own, both sides."""
    rng = np.random.default_rng(6)
    rows = []
    for a, b in RATED_PAIRS:
        for item in rng.choice(ITEMS, PER_PAIR, replace=False):
            for system, other in ((a, b), (b, a)):
                for rater in ("ann", "ben"):
                    grade = float(rng.integers(1, 6))
                    rows.append((str(item + 1), system, rater, "overall", grade, other))
    return table(rows)


def naive(texts, rated):
    """By pair and item: the difference of lengths, and of mean ratings, by loops over all rows."""
    lengths = {(s, i): len(text.split()) for s, i, text in texts[1].iter_rows()}
    found = {}
    for a, b in RATED_PAIRS:
        for item in map(str, range(1, ITEMS + 1)):
            grades = {a: [], b: []}
            for i, system, _, _, grade, other in rated.iter_rows():
                if i == item and {system, other} == {a, b}:
                    grades[system].append(grade)
            if grades[a] and grades[b]:
                q = np.mean(grades[a]) - np.mean(grades[b])
                found[a, b, item] = lengths[a, item] - lengths[b, item], q
    return found


def observed(agreement):
    """The observations as (pair, m, q), the earlier system first, in order."""
    rows = []
    for row in agreement.observations().iter_rows(named=True):
        a, b, m, q = row["system_a"], row["system_b"], row["length"], row["human"]
        sign = 1 if a < b else -1
        rows.append((min(a, b), max(a, b), round(sign * m, 9), round(sign * q, 9)))
    return sorted(rows)


def test_units_of_one_item_are_those_of_a_loop_over_all_ratings(texts, scores, rated):
    told = correlate(scores, rated, Unit(1, 1), correlations=["spearman"], **QUICK)
    expected = naive(texts, rated)
    assert len(expected) == 12 * PER_PAIR
    assert observed(told) == sorted(
        (a, b, round(m, 9), round(q, 9)) for (a, b, _), (m, q) in expected.items()
    )
    units = told.observations()
    value = float(spearman(units["length"].to_numpy(), units["human"].to_numpy()))
    row = told.table().row(by_predicate=pl.col("metric") == "length", named=True)
    assert row["value"] == pytest.approx(value)
    assert row["n"] == 144
    assert np.isfinite([row["low"], row["high"]]).all()


def test_a_unit_of_all_items_of_a_pair_is_their_mean(texts, scores, rated):
    told = correlate(scores, rated, Unit(PER_PAIR, 3), correlations=["spearman"], **QUICK)
    expected = naive(texts, rated)
    means = []
    for a, b in RATED_PAIRS:
        both = np.array([mq for (x, y, _), mq in expected.items() if (x, y) == (a, b)])
        means.append((a, b, *(round(float(each), 9) for each in both.mean(axis=0))))
    assert observed(told) == sorted(means)
    assert "12 of 21 pairs of systems, those with ratings of their own" in "\n".join(told.notes)


def test_a_reply_has_another_rating_in_another_pair(scores):
    # a is rated 5 beside b and 1 beside c: q is +4 and -4 in the two pairs, its mean 3 in neither.
    rows = []
    for item in ("1", "2", "3"):
        rows += [(item, "a", "r", "o", 5.0, "b"), (item, "b", "r", "o", 1.0, "a")]
        rows += [(item, "a", "r", "o", 1.0, "c"), (item, "c", "r", "o", 5.0, "a")]
    told = correlate(scores, table(rows), Unit(3, 1), correlations=["spearman"], **QUICK)
    assert [(a, b, q) for a, b, _, q in observed(told)] == [("a", "b", 4.0), ("a", "c", -4.0)]


def test_there_is_no_test_and_it_is_said(scores, rated):
    told = correlate(scores, rated, Unit(4, 5), correlations=["spearman"], **QUICK)
    for row in told.table().iter_rows(named=True):
        assert np.isnan(row["p"])
        assert "ratings belong to pairs of systems" in row["reason"]
    # Whole systems are swapped between two metrics: ratings stay where they are.
    assert np.isfinite(told.comparisons("spearman")["p"][0])


def test_fewer_than_four_systems_have_no_interval(scores, rated):
    three = rated.filter(
        pl.col("system").is_in(["a", "b", "c"]) & pl.col("against").is_in(["a", "b", "c"])
    )
    row = (
        correlate(scores, three, Unit(3, 5), correlations=["spearman"], **QUICK)
        .table()
        .row(0, named=True)
    )
    assert np.isnan(row["low"])
    assert "no interval" in row["reason"]
    assert np.isfinite(row["value"])


def test_what_belongs_to_no_pair_is_left_out_and_counted(scores, rated):
    of_pair = rated.filter((pl.col("system") == "a") & (pl.col("against") == "g"))["id"].to_list()
    free = next(item for item in map(str, range(1, ITEMS + 1)) if item not in of_pair)
    alone = (free, "a", "cid", "overall", 5.0, None)
    one_side = (free, "a", "dan", "overall", 5.0, "g")  # nobody rated g beside a there
    more = pl.concat([rated, table([alone, one_side])])
    plain, told = (
        correlate(scores, each, Unit(4, 5), correlations=["spearman"], **QUICK)
        for each in (rated, more)
    )
    notes = "\n".join(told.notes)
    assert "ratings: 1 left out: they belong to no pair of systems" in notes
    assert "1 rated reply of a pair left out" in notes
    assert told.table().equals(plain.table(), null_equal=True)


@pytest.mark.parametrize("how", ["mean", "median", "z"])
def test_a_system_left_out_takes_its_pairs_with_it(scores, rated, how):
    told = correlate(scores, rated, Unit(4, 5), raters=how, without=["b"], **QUICK)
    units = told.observations()
    assert "b" not in {*units["system_a"], *units["system_b"]}
    assert {*map(frozenset, zip(units["system_a"], units["system_b"], strict=True))} == {
        frozenset(pair) for pair in RATED_PAIRS if "b" not in pair
    }


def test_chosen_pairs_are_those_asked_for(scores, rated):
    told = correlate(scores, rated, Unit(4, 5, (("b", "a"), ("f", "g"))), **QUICK)
    units = told.observations()
    assert {*map(frozenset, zip(units["system_a"], units["system_b"], strict=True))} == {
        frozenset("ab")
    }
    assert "1 of 2 pairs share fewer than 4 rated items" in "\n".join(told.notes)


def test_both_systems_left_out_of_the_references_keep_the_pairs_ratings(texts, rated):
    testset, replies = texts
    references = replies.select(
        "id", "text", weight=pl.lit(None, dtype=pl.Float64), source="system"
    )
    own = TestSet(testset.contexts, references.sort("id", maintain_order=True))
    order = pl.DataFrame({"id": own.ids}).with_row_index()
    references = references.join(order, on="id").sort("index", maintain_order=True).drop("index")
    own = TestSet(testset.contexts, references)
    given = measured(own, replies, ["length"], Unit(PER_PAIR, 2), "pair", drop_unusable=True)
    told = correlate(given[0], rated, given[1], correlations=["spearman"], **QUICK)
    plain = correlate(given[0], rated, Unit(PER_PAIR, 2), correlations=["spearman"], **QUICK)
    assert observed(told) == observed(plain)  # length knows no reference


def test_the_same_ratings_in_every_pair_are_those_without_pairs(scores):
    # Every reply is rated once, and that rating stands in each of its pairs: nothing may change.
    rng = np.random.default_rng(7)
    alone, paired = [], []
    for item in map(str, range(1, ITEMS + 1)):
        for system in SYSTEMS:
            row = item, system, "r", "overall", float(rng.integers(1, 6))
            alone.append(row)
            paired += [(*row, other) for other in SYSTEMS if other != system]
    by_itself = pl.DataFrame(alone, schema=COLUMNS[:5], orient="row")
    for protocol in ("turn", "system", "pairwise"):
        a, b = (correlate(scores, each, protocol, **QUICK) for each in (by_itself, table(paired)))
        assert a.table().equals(b.table(), null_equal=True)
    a, b = (correlate(scores, each, Unit(1, 1), **QUICK) for each in (by_itself, table(paired)))
    assert observed(a) == observed(b)
    assert a.signature != b.signature


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_written_and_read_they_are_the_same(tmp_path, rated, suffix):
    mixed = pl.concat([rated, table([("1", "a", "cid", "overall", 5.0, None)])])
    write_ratings(mixed, tmp_path / f"rated.{suffix}")
    assert read_ratings(tmp_path / f"rated.{suffix}").equals(mixed)


def test_files_with_and_without_pairs_are_read_together(tmp_path, rated):
    alone = pl.DataFrame([("1", "a", "cid", "overall", 5.0)], schema=COLUMNS[:5], orient="row")
    write_ratings(alone, tmp_path / "alone.csv")
    write_ratings(rated, tmp_path / "pairs.csv")
    assert read_ratings(tmp_path / "alone.csv").columns == COLUMNS[:5]
    both = read_ratings(tmp_path / "alone.csv", tmp_path / "pairs.csv")
    assert both.height == rated.height + 1
    assert both["against"].null_count() == 1
    summarise_ratings(both, resamples=0)


def test_a_wide_table_has_pairs_too(tmp_path):
    # ann's cells first: each row is one reply in one pair, each column of numbers a rater.
    (tmp_path / "rated.csv").write_text("id,system,against,ann,ben\n1,a,b,4,5\n1,a,c,2,\n")
    assert read_ratings(tmp_path / "rated.csv").rows() == [
        ("1", "a", "ann", "overall", 4.0, "b"),
        ("1", "a", "ben", "overall", 5.0, "b"),
        ("1", "a", "ann", "overall", 2.0, "c"),
    ]


def test_a_column_without_a_system_is_as_none(tmp_path):
    (tmp_path / "rated.csv").write_text("id,system,score,against\n1,a,4,\n1,b,3, \n")
    assert read_ratings(tmp_path / "rated.csv").columns == COLUMNS[:5]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,a,r,4,b\n1,a,r,5,b", r"row 3: duplicate rating .* rater 'r', .* against 'b'\)"),
        ("1,a,r,4,a", r"id '1' of system 'a' is rated against its own system; expected"),
    ],
)
def test_a_rating_twice_in_one_pair_is_an_error(tmp_path, rows, message):
    (tmp_path / "rated.csv").write_text(f"id,system,rater,score,against\n{rows}\n")
    with pytest.raises(InputError, match=message):
        read_ratings(tmp_path / "rated.csv")


def test_a_rating_twice_in_one_pair_is_an_error_of_correlate(scores):
    rows = [("1", "a", "r", "o", 5.0, "b")] * 2
    with pytest.raises(InputError, match="duplicate rating"):
        correlate(scores, table(rows), Unit(1))


def test_pairs_without_a_second_side_are_an_error(scores):
    rows = [("1", "a", "r", "o", 5.0, "b"), ("2", "b", "r", "o", 5.0, "a")]
    with pytest.raises(InputError, match="no item has a rating of both systems of a pair"):
        correlate(scores, table(rows), Unit(1))


def test_an_unknown_other_system_is_named(scores):
    with pytest.raises(InputError, match="'against' names 'zed', none of which is scored"):
        correlate(scores, table([("1", "a", "r", "o", 5.0, "zed")]), Unit(1))


def test_where_pairs_mean_nothing_each_rater_counts_once(texts, scores):
    # ann gives a's reply 5 and 3 in two pairs (mean 4), ben gives 2 in one: the mean is 3, not 10/3.
    rows = [("1", "a", "ann", "o", 5.0, "b"), ("1", "a", "ann", "o", 3.0, "c")]
    rows += [("1", "a", "ben", "o", 2.0, "b")]
    rows += [(i, s, "ann", "o", 4.0, "g") for i in ("2", "3") for s in ("b", "c")]
    ratings = table(rows)
    told = summarise_ratings(ratings, resamples=0)
    assert told.aggregated.row(0) == ("1", "a", "mean", "o", 3.0)
    assert told.ratings.equals(ratings)  # what is saved keeps the pairs
    assert "2 ratings of one reply by one rater in several pairs averaged to 1" in "\n".join(
        told.notes
    )
    weighed = weigh(texts[0], texts[1], ratings)
    # 3 on 1 to 5 is 0, 4 is 0.5.
    assert weighed.testset.references.row(0, named=True)["weight"] == 0.0
    assert "belong to pairs of systems" in "\n".join(weighed.notes)
    turns = correlate(scores, ratings, **QUICK)
    assert turns.observations()["human"].to_list() == [3.0, 4.0, 4.0, 4.0, 4.0]
    assert "belong to pairs of systems" in "\n".join(turns.notes)


def test_plan_takes_them_as_ratings_of_replies(scores, rated):
    told = plan(scores, rated, resamples=100)
    assert "belong to pairs of systems" in "\n".join(told.notes)
