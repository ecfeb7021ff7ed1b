"""The unit protocol of Galley et al. against a naive loop over the same assignments."""

import itertools
import math
from functools import cache

import numpy as np
import polars as pl
import pytest
from scipy import stats

from random_text import corpus
from rejoinder import TestSet, correlate, score
from rejoinder.errors import ParameterError
from rejoinder.kernels.units import unit_sums
from rejoinder.meta_evaluation.protocols import Unit
from rejoinder.metrics import BLEU, DistinctN, SentenceBLEU

N = 34
SCHEMA = ["id", "system", "rater", "criterion", "score"]
SCIPY = {
    "pearson": lambda x, y: stats.pearsonr(x, y)[0],
    "spearman": lambda x, y: stats.spearmanr(x, y)[0],
    "kendall-b": lambda x, y: stats.kendalltau(x, y)[0],
}
METRICS = {"BLEU-2": BLEU(order=2), "sBLEU-2": SentenceBLEU(), "distinct-1": DistinctN()}
HYPOTHESES, REFERENCES = corpus(seed=11, n=N)
REPLIES = {
    "a": HYPOTHESES,
    "b": [text[: len(text) // 2] for text in HYPOTHESES],
    "c": [HYPOTHESES[i ^ 1] for i in range(N)],
    "d": [each[0] if i % 4 == 0 else "so it is" for i, each in enumerate(REFERENCES)],
}


def frame(rows):
    types = dict(zip(SCHEMA, [pl.String] * 4 + [pl.Float64], strict=True))
    return pl.DataFrame(rows, schema=types, orient="row")


@pytest.fixture(scope="module")
def scores():
    testset = TestSet.from_lists(REFERENCES)
    rows = [
        (name, id, text)
        for name, replies in REPLIES.items()
        for id, text in zip(testset.ids, replies, strict=True)
    ]
    responses = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    return score(testset, responses, list(METRICS.values()), resamples=0)


@pytest.fixture(scope="module")
def ratings(scores):
    rng = np.random.default_rng(2)
    return frame(
        [
            (id, system, "mean", "overall", float(rng.integers(1, 6)) + "cbda".index(system))
            for system in REPLIES
            for id in scores.items["id"]
        ]
    )


def told(table, metric, correlation):
    return table.filter((pl.col("metric") == metric) & (pl.col("correlation") == correlation)).row(
        0, named=True
    )


@cache
def corpus_value(label, name, unit):
    """A metric of the replies of a system to the items of a unit, by a call of its own."""
    hypotheses, references = [REPLIES[name][i] for i in unit], [REFERENCES[i] for i in unit]
    return METRICS[label].corpus(hypotheses, references).value


def naive(agreement, scores, ratings, label):
    """m and q of every unit of every assignment: one corpus call for each system and unit."""
    grades = {(id, system): value for id, system, _, _, value in ratings.iter_rows()}
    ids, names = scores.items["id"].to_list(), agreement._evidence.rated.systems
    design = agreement._evidence.design
    for begin in range(0, agreement.protocol.assignments, 16):
        number = min(16, agreement.protocol.assignments - begin)
        members, turned = design.assigned(begin // 16, number)
        for units, turns in zip(members, turned, strict=True):
            m, q = [], []
            for pair, unit, turn in zip(design.pair, units, turns, strict=True):
                one, other = (names[s] for s in design.pairs[pair][:: -1 if turn else 1])
                values = [corpus_value(label, name, tuple(unit)) for name in (one, other)]
                m.append(values[0] - values[1])
                q.append(
                    math.fsum(grades[ids[i], one] for i in unit) / len(unit)
                    - math.fsum(grades[ids[i], other] for i in unit) / len(unit)
                )
            yield np.round(m, 12), np.round(q, 12)


def without_each(agreement):
    """Which units are not of a system, for each system."""
    design = agreement._evidence.design
    ends = design.pairs[design.pair]
    return [(ends != system).all(axis=1) for system in range(4)]


@pytest.mark.parametrize(
    ("size", "assignments"),
    [
        (1, 2),
        (5, 3),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in ((1, 4), (5, 9), (17, 19))),
    ],
)
def test_it_is_the_naive_loop_over_the_same_assignments(scores, ratings, size, assignments):
    # All assignments have fewer than 5,000 units together, so that the interval looks at all.
    unit = Unit(size, assignments)
    agreement = correlate(scores, ratings, unit, correlations=list(SCIPY), permutations=0)
    table = agreement.table()
    for label in METRICS:
        if label == "distinct-1" and size == 1:
            continue  # an empty reply has none: see below
        rows = list(naive(agreement, scores, ratings, label))
        for name, measure in SCIPY.items():
            values = [measure(m, q) for m, q in rows]
            row = told(table, label, name)
            assert row["value"] == pytest.approx(np.mean(values), abs=1e-10)
            # atanh of the mean, -+ Student's t of 4 - 2 degrees times the jackknife's error
            without = [
                np.mean([measure(m[keep], q[keep]) for m, q in rows])
                for keep in without_each(agreement)
            ]
            z, error = np.arctanh(np.mean(values)), np.sqrt(3 / 4 * 4 * np.var(np.arctanh(without)))
            ends = np.tanh(z + np.array([-1, 1]) * stats.t.ppf(0.975, 2) * error)
            assert (row["low"], row["high"]) == pytest.approx(tuple(ends), abs=1e-9)
            assert (row["spread_low"], row["spread_high"]) == pytest.approx(
                tuple(np.quantile(values, [0.025, 0.975])), abs=1e-10
            )
            assert row["n"] == 6 * (N // size)
        if label == "BLEU-2":
            seen = agreement.observations()
            assert seen["BLEU-2"].to_list() == pytest.approx(rows[0][0].tolist(), abs=1e-10)
            assert seen["human"].to_list() == pytest.approx(rows[0][1].tolist())


def test_units_belong_to_one_pair_and_no_item_is_twice_in_a_pair(scores, ratings):
    agreement = correlate(scores, ratings, Unit(5, 40), permutations=0)
    design = agreement._evidence.design
    assert design.pairs.tolist() == [list(pair) for pair in itertools.combinations(range(4), 2)]
    members, turned = design.assigned(1, 16)
    assert members.shape == (16, 6 * 6, 5)
    for assignment in members:
        for pair in range(6):
            used = assignment[design.pair == pair].ravel()
            assert np.unique(used).size == used.size == 30  # 4 of 34 are left over
    assert not (members[0] == members[1]).all()
    assert not (members[0, :6] == members[0, 6:12]).all()  # each pair is shuffled by itself
    assert 0.3 < turned.mean() < 0.7
    assert any("4 items of a pair are left over" in note for note in agreement.notes)


def test_assignments_do_not_depend_on_metrics_or_threads(scores, ratings, monkeypatch):
    from rejoinder.meta_evaluation import evidence

    alone = scores.measured["BLEU-2"]
    fewer = type(scores)(scores.names, scores.items, {"BLEU-2": alone}, resamples=0)
    tables = [correlate(scores, ratings, Unit(6, 50), permutations=150).table()]
    monkeypatch.setattr(evidence, "cores", lambda: 1)
    tables.append(correlate(fewer, ratings, Unit(6, 50), permutations=150).table())
    monkeypatch.setattr(evidence, "cores", lambda: 3)
    tables.append(correlate(scores, ratings, Unit(6, 50), permutations=150).table())
    for name in SCIPY:
        rows = [told(table, "BLEU-2", name) for table in tables]
        assert rows[0] == rows[1] == rows[2]


def test_the_permutation_renames_systems_and_moves_contexts(scores, ratings):
    # The naive way: permute the table of ratings, and hold the naive differences against it.
    agreement = correlate(
        scores, ratings, Unit(8, 3), correlations=["kendall-b"], permutations=20, seed=6
    )
    evidence = agreement._evidence
    rng = np.random.default_rng([6, 3, 0])
    grid, design = evidence.rated.grid, evidence.design
    members, turned = design.assigned(0, 3)
    expected = []
    for _ in range(20):
        moved = grid[rng.permutation(4)][:, rng.permutation(N)]
        values = []
        for t in range(3):
            q = [
                (moved[a, unit].mean() - moved[b, unit].mean()) * (-1 if turn else 1)
                for (a, b), unit, turn in zip(
                    design.pairs[design.pair], members[t], turned[t], strict=True
                )
            ]
            m = evidence.first.scores["BLEU-2"][t]
            values.append(stats.kendalltau(m, np.round(q, 10))[0])
        expected.append(np.mean(values))
    assert evidence.chance["BLEU-2", "kendall-b"] == pytest.approx(expected, abs=1e-10)
    row = told(agreement.table(), "BLEU-2", "kendall-b")
    far = np.abs(expected) >= abs(row["value"]) - 1e-12
    assert row["p"] == (far.sum() + 1) / 21


def test_metrics_that_know_nothing_are_seldom_significant():
    # 5% level, 30 tables of unrelated ratings with an effect of the system on both sides: a test
    # that took units for independent would find most of them significant.
    testset = TestSet.from_lists(REFERENCES)
    rng = np.random.default_rng(0)
    names = [f"s{i}" for i in range(6)]
    rows = [
        (name, id, " ".join(["w"] * int(3 + 3 * level + rng.integers(0, 3))))
        for level, name in enumerate(names)
        for id in testset.ids
    ]
    responses = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    scores = score(testset, responses, ["length"], resamples=0)
    found = 0
    for _ in range(30):
        level = dict(zip(names, rng.normal(size=6), strict=True))
        rated = frame(
            [(i, s, "mean", "overall", level[s] + rng.normal()) for s in names for i in testset.ids]
        )
        table = correlate(
            scores, rated, Unit(10, 5), correlations=["spearman"], permutations=99
        ).table()
        found += table["p"][0] <= 0.05
    assert found <= 6  # P(more than 6 of 30 at 5%) is below 0.3%


def test_comparisons_average_over_assignments(scores, ratings):
    agreement = correlate(scores, ratings, Unit(5, 12), permutations=99)
    table = agreement.comparisons("pearson")
    row = table.row(0, named=True)
    assert (row["a"], row["b"]) == ("BLEU-2", "sBLEU-2")
    values = [told(agreement.table(), row[name], "pearson")["value"] for name in "ab"]
    assert row["difference"] == pytest.approx(values[0] - values[1])
    # Of four systems seven swaps remain beside none, the first system staying: p is k / 8.
    assert row["p"] * 8 == round(row["p"] * 8) > 0
    assert row["reason"].startswith("no p can be below 0.125, with 4 systems")
    # Units share systems, and Williams' test takes them for independent: there is none.
    assert math.isnan(row["williams_t"])
    rows = {name: list(naive(agreement, scores, ratings, row[name])) for name in "ab"}
    without = [
        np.mean([SCIPY["pearson"](m[keep], q[keep]) for m, q in rows["a"]])
        - np.mean([SCIPY["pearson"](m[keep], q[keep]) for m, q in rows["b"]])
        for keep in without_each(agreement)
    ]
    reach = stats.t.ppf(0.975, 2) * np.sqrt(3 / 4 * 4 * np.var(without))
    assert row["low"] == pytest.approx(row["difference"] - reach)
    assert row["high"] == pytest.approx(row["difference"] + reach)
    # of a coefficient that was not asked for in the table
    other = correlate(scores, ratings, Unit(5, 12), correlations=["pearson"], permutations=9)
    assert other.comparisons("kendall-b")["value_a"][0] == pytest.approx(
        told(agreement.table(), "BLEU-2", "kendall-b")["value"]
    )


def test_a_metric_without_a_score_in_some_unit_is_told(scores, ratings):
    row = told(correlate(scores, ratings, Unit(1, 3)).table(), "distinct-1", "spearman")
    assert math.isnan(row["value"])
    assert row["reason"] == "undefined in 3 of 3 assignments: a metric score is missing"


def test_ratings_all_alike(scores, ratings):
    alike = ratings.with_columns(score=pl.lit(2.5))
    agreement = correlate(scores, alike, Unit(5, 3), permutations=9)
    row = told(agreement.table(), "BLEU-2", "pearson")
    assert math.isnan(row["value"])
    assert row["reason"] == "undefined in 3 of 3 assignments: all ratings equal"
    assert agreement.comparisons()["reason"][0] == row["reason"]


def test_pairs_need_a_unit_of_common_items(scores, ratings):
    # c is rated on 8 items, d on none that c has.
    ids = scores.items["id"]
    some = ratings.filter(
        ((pl.col("system") != "c") | pl.col("id").is_in(ids[:8].implode()))
        & ((pl.col("system") != "d") | pl.col("id").is_in(ids[8:].implode()))
    )
    agreement = correlate(scores, some, Unit(10, 4), permutations=9)
    row = told(agreement.table(), "BLEU-2", "pearson")
    assert row["n"] == 3 + 2 + 2  # a b: 34 items; a d and b d: 26
    # c has no unit, so that three systems are left.
    assert row["reason"] == (
        "no interval: fewer than 4 systems; no test: systems are rated on different items"
    )
    assert not math.isnan(row["value"])
    assert any("3 of 6 pairs share fewer than 10 rated items" in each for each in agreement.notes)
    # Pairs with common items: a b 34, a d and b d 26, a c and b c 8; 26 gives three units of them.
    with pytest.raises(ParameterError, match="the most is 34: choose a size= of at most 26"):
        correlate(scores, some, Unit(100))
    with pytest.raises(ParameterError, match="one rated system, 'a'"):
        correlate(scores, ratings.filter(pl.col("system") == "a"), "unit")


@pytest.mark.parametrize(("size", "units"), [(34, 1), (17, 2), (12, 2)])
def test_fewer_than_three_units_name_the_size_that_gives_three(scores, ratings, size, units):
    two = ratings.filter(pl.col("system").is_in(["a", "b"]))  # 34 items: three units of 11
    agreement = correlate(scores, two, Unit(size, 4), permutations=9)
    assert agreement.table()["value"].is_nan().all()
    verb = "is 1" if units == 1 else f"are {units}"
    wanted = (
        f"unit: a correlation needs at least 3 units and there {verb}: choose a size= of at "
        "most 11, which is the largest that gives 3 units"
    )
    assert wanted in agreement.notes
    reasons = set(agreement.table()["reason"])
    assert all(each.startswith(f"{units} ") for each in reasons), reasons
    enough = correlate(scores, two, Unit(11, 4), permutations=9)
    assert not any("a correlation needs" in note for note in enough.notes)


def test_chosen_pairs_of_systems(scores, ratings):
    whole = correlate(scores, ratings, Unit(5, 3), permutations=19)
    chosen = Unit(5, 3, (("c", "a"), ("a", "b"), ("d", "c"), ("b", "a")))
    some = correlate(scores, ratings, chosen, permutations=19)
    assert chosen.signature() == "protocol:unit|size:5|assignments:3|pairs:a/b+a/c+c/d"
    assert "pairs:a/b+a/c+c/d" in some.signature
    seen = some.observations()
    names = {tuple(sorted(pair)) for pair in seen.select("system_a", "system_b").rows()}
    assert names == {("a", "b"), ("a", "c"), ("c", "d")}
    assert seen.height == some.table()["n"][0] == 3 * (N // 5)
    assert "unit: 3 of 6 pairs of systems, as asked" in some.notes
    assert some.table()["p"].is_not_nan().all()
    # m and q are what the whole table's are, pair by pair: one unit of 34 items has no other items.
    one = correlate(scores, ratings, Unit(34, 1), permutations=0).observations()
    few = correlate(scores, ratings, Unit(34, 1, chosen.pairs), permutations=0).observations()
    alike = {
        (tuple(sorted(row[:2])), *np.abs(row[2:]).round(10))
        for row in one.select("system_a", "system_b", "human", "BLEU-2").iter_rows()
    }
    for row in few.select("system_a", "system_b", "human", "BLEU-2").iter_rows():
        assert (tuple(sorted(row[:2])), *np.abs(row[2:]).round(10)) in alike
    assert whole.table()["n"][0] == 6 * (N // 5)
    with pytest.raises(ParameterError, match="'z' is not among the rated systems; choose 'a'"):
        correlate(scores, ratings, Unit(5, 3, (("a", "z"),)))
    for wrong in (("a", "a"), ("a",), "ab"):
        with pytest.raises(ParameterError, match="not a pair of two systems"):
            Unit(5, 3, (wrong,))


def test_two_units_say_nothing(scores, ratings):
    two = ratings.filter(pl.col("system").is_in(["a", "b"]))
    agreement = correlate(scores, two, Unit(15, 5), permutations=9)  # 34 items in common
    row = told(agreement.table(), "BLEU-2", "pearson")
    assert row["n"] == 2
    assert math.isnan(row["value"])
    assert math.isnan(row["p"])
    assert row["reason"].startswith("2 observations")
    assert agreement.comparisons()["reason"][0] == row["reason"]


@pytest.mark.parametrize("parameters", [{"size": 0}, {"assignments": 0}, {"size": 2.5}])
def test_parameters_out_of_range(parameters):
    with pytest.raises(ParameterError, match="whole number of at least 1"):
        Unit(**parameters)


def test_the_sum_of_a_unit_is_the_sum_of_its_rows():
    rng = np.random.default_rng(1)
    values, members = rng.normal(size=(30, 7)), rng.integers(0, 10, size=(6, 4))
    first = np.array([0, 10, 20, 0, 10, 20])
    expected = values[first[:, None] + members].sum(axis=1)
    assert unit_sums(values, first, members.ravel(), 4) == pytest.approx(expected)
