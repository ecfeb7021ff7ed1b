"""Plans over clusters of items, and over systems that answered different items."""

import json
import math

import numpy as np
import polars as pl
import pytest

import rejoinder
from rejoinder import Scores, TestSet, score
from rejoinder.metrics import BLEU
from rejoinder.planning.plan import plan
from rejoinder.planning.units import Units
from rejoinder.planning.variance_components import people
from rejoinder.statistics.clusters import Groups, mean_variance

WORDS = "yes no at nine ten please the a cat sat on it".split()


def tables(n, size, seed=0):
    """Random replies of two systems; items of one conversation have the same references."""
    rng = np.random.default_rng(seed)

    def text():
        return " ".join(rng.choice(WORDS, 6))

    references = [[text(), text(), text()] for _ in range(-(-n // size))]
    testset = TestSet.from_lists([references[i // size] for i in range(n)])
    contexts = testset.contexts.with_columns(
        conversation=pl.Series([f"c{i // size}" for i in range(n)])
    )
    rows = [("a", str(i + 1), references[i // size][i % 3]) for i in range(n)]
    rows = [(s, i, text() if rng.random() < 0.5 else words) for s, i, words in rows]
    rows += [("b", i, text() if rng.random() < 0.8 else words) for _, i, words in rows[:n]]
    responses = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    return TestSet(contexts, testset.references), responses


def at(result, items, subject, **more):
    """The row of a metric with all references there are."""
    table = result.comparisons.filter(pl.col("references").is_null())
    for name, value in {"items": items, "subject": subject, **more}.items():
        table = table.filter(pl.col(name) == value)
    (row,) = table.to_dicts()
    return row


@pytest.mark.parametrize("cluster", ["conversation", "none"])
def test_at_the_pilots_own_size_every_figure_is_that_of_compare(cluster):
    # 70 items in 24 conversations, the last of a single item; BLEU-4 is drawn at other sizes alone.
    testset, responses = tables(70, 3)
    scores = score(testset, responses, ["rougeL", BLEU(order=4)], cluster=cluster)
    compared = rejoinder.compare(scores, "a", "b", permutations=10).table
    for seed in (1, 2):
        result = plan(scores, a="a", b="b", seed=seed, resamples=200)
        for row in compared.iter_rows(named=True):
            own = at(result, 70, row["metric"])
            assert own["difference"] == pytest.approx(row["difference"], rel=1e-12)
            assert own["detectable"] == pytest.approx(row["detectable"], rel=1e-9)
            assert own.get("clusters") == (24 if cluster == "conversation" else None)


def test_a_mean_over_clusters_has_the_error_that_the_bootstrap_of_clusters_has():
    testset, responses = tables(60, 3)
    scores = score(testset, responses, ["rougeL"])
    result = plan(scores, resamples=200)
    scored = scores.segments().partition_by("system")
    d = (scored[0]["ROUGE-L"] - scored[1]["ROUGE-L"]).to_numpy()
    one = math.sqrt(mean_variance(d, Groups.of(np.arange(60) // 3, 60)))
    for items in (30, 60, 240):
        row = at(result, items, "ROUGE-L")
        assert row["clusters"] == items // 3
        assert row["error"] == pytest.approx(one * math.sqrt(60 / items), rel=1e-9)
    (need,) = result.comparison_needs.filter(pl.col("references").is_null()).to_dicts()
    assert need["items"] == 3 * need["clusters"]


def test_with_every_item_repeated_more_items_of_one_conversation_bring_nothing():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(2, 20))
    ids = [f"{c}-{k}" for c in range(20) for k in range(4)]
    rows = {
        "system": ["a"] * 80 + ["b"] * 80,
        "id": ids * 2,
        "judge": np.repeat(x, 4, axis=1).ravel(),
    }
    contexts = pl.DataFrame(
        {"id": ids, "context": [["?"]] * 80, "conversation": [i.split("-")[0] for i in ids]}
    )
    testset = TestSet(contexts, contexts.select("id", text=pl.lit("yes")))
    whole = plan(Scores.from_segments(pl.DataFrame(rows), testset))
    once = [i for i in range(160) if i % 4 == 0]
    single = plan(Scores.from_segments(pl.DataFrame(rows)[once]))
    for factor in (1, 2, 8):
        repeated, alone = at(whole, 80 * factor, "judge"), at(single, 20 * factor, "judge")
        for name in ("error", "detectable", "power", "power_low"):
            assert repeated[name] == pytest.approx(alone[name], rel=1e-9)
    assert any("judge 4." in note or "judge 3.9" in note for note in whole.notes)


def test_people_over_clusters_are_the_linearised_variance():
    rng = np.random.default_rng(2)
    clusters = np.sort(rng.integers(0, 9, 50))
    shared = rng.normal(size=9)[clusters][:, None]
    a, b = shared + rng.normal(size=(50, 3)), rng.normal(size=(50, 3))
    whole, single = people(a, b, clusters), people(a, b)
    assert whole is not None
    assert single is not None
    d = a.mean(axis=1) - b.mean(axis=1)
    groups = Groups.of(clusters, 50)
    linearised = 9 / 8 * (groups.sums(d - d.mean()) ** 2).sum() / 50**2
    assert whole.variance(whole.raters) / 50 == pytest.approx(linearised, rel=1e-9)
    assert whole.design_effect == pytest.approx(50 * linearised / d.var(ddof=1))
    assert (whole.n, whole.units, single.units) == (50, 9, 50)
    # What clusters add is no part of the raters' noise: it stays whatever their number.
    for raters in (1.0, 10.0):
        extra = whole.variance(raters) - single.variance(raters)
        assert extra == pytest.approx(whole.variance(3.0) - single.variance(3.0), rel=1e-9)
    assert whole.parts() == pytest.approx(single.parts())


def test_clusters_of_single_items_are_items():
    testset, responses = tables(40, 1)
    scores = score(testset, responses, ["rougeL", "bleu"])
    clustered, single = (plan(scores, cluster=name) for name in ("conversation", "none"))
    for name in ("difference", "error", "detectable", "power"):
        ours, theirs = (each.comparisons[name].to_numpy() for each in (clustered, single))
        np.testing.assert_allclose(ours, theirs, rtol=1e-9)


def test_units_are_whole_clusters_and_the_items_they_hold():
    # 70 items in 24 clusters: 2.92 each.
    units = Units(70, 24)
    assert [units.within(items) for items in (2, 3, 35, 70, 140)] == [0, 1, 12, 24, 48]
    assert [units.items_of(number) for number in (1, 12, 24)] == [3, 35, 70]
    assert all(units.within(units.items_of(number)) == number for number in range(1, 200))


def test_few_clusters_are_a_warning_and_too_few_a_reason():
    testset, responses = tables(60, 8)
    result = plan(score(testset, responses, ["rougeL"]))
    assert any(note.startswith("8 clusters alone") for note in result.notes)
    for size, narrow in ((5, True), (2, False)):  # 12 and 30 clusters
        testset, responses = tables(60, size)
        notes = plan(score(testset, responses, ["rougeL"])).notes
        assert any("somewhat too narrow" in note for note in notes) == narrow
    testset, responses = tables(60, 20)
    result = plan(score(testset, responses, ["rougeL"]))
    reasons = set(result.comparisons["reason"])
    assert reasons == {"3 clusters say too little of others: a pilot needs 6 or more"}


def test_the_width_of_a_correlation_is_over_clusters():
    testset, responses = tables(120, 6)
    rng = np.random.default_rng(3)
    rated = responses.select("system", "id", rater=pl.lit("r"), criterion=pl.lit("overall"))
    talk = pl.Series(rng.normal(size=20)[np.tile(np.arange(120) // 6, 2)])
    rated = rated.with_columns(score=talk + pl.Series(rng.normal(size=240)))
    scores = score(testset, responses, ["rougeL"])
    both = [plan(scores, rated, cluster=name, correlation="pearson") for name in (None, "none")]
    clustered, single = (
        each.correlations.filter(pl.col("items") == 120).row(0, named=True) for each in both
    )
    assert clustered["clusters"] == 20
    assert "clusters" not in single
    assert clustered["value"] == single["value"]
    table = rejoinder.correlate(
        scores, rated, protocol="turn", correlations=["pearson"], permutations=0
    ).table()
    row = table.filter(pl.col("metric") == "ROUGE-L").row(0, named=True)
    # The percentile interval of as many resamples of clusters, wide as 1.96 errors either way.
    assert clustered["width"] == pytest.approx(row["high"] - row["low"], rel=0.25)
    json.dumps(both[0].as_json())


def test_systems_that_answered_different_items_are_planned_on_those_they_share():
    testset, responses = tables(60, 1)
    gone = (pl.col("system") == "b") & pl.col("id").is_in([str(i) for i in range(1, 13)])
    answered = responses.filter(~gone)
    third = responses.filter(system="a").with_columns(system=pl.lit("c"), text=pl.lit("no"))
    answered = pl.concat([answered, third])
    scores = score(testset, answered, ["rougeL", "bleu"], missing="pairwise")
    compared = rejoinder.compare(scores, permutations=10).table
    result = plan(scores, every_pair=True, testset=testset, responses=answered, missing="pairwise")
    for row in compared.iter_rows(named=True):
        keys = {"a": row["a"], "b": row["b"]}
        own = at(result, 60, row["metric"], **keys)
        pilot = plan(scores, items=[row["n"]], **keys)
        exact = at(pilot, row["n"], row["metric"], **keys)
        assert own["difference"] == pytest.approx(row["difference"])
        # NaN for BLEU-2 of 'c', which no word matches.
        assert exact["detectable"] == pytest.approx(row["detectable"], rel=1e-9, nan_ok=True)
    assert result.comparisons.filter(references=1).height
    assert any("answered different items" in note for note in result.notes)


def test_two_systems_without_a_common_item_have_a_reason():
    rows = [(s, str(i), float(i % 3)) for s, ids in (("a", range(10)), ("b", range(10, 20)))
            for i in ids]  # fmt: skip
    table = pl.DataFrame(rows, schema=["system", "id", "judge"], orient="row")
    result = plan(Scores.from_segments(table, missing="pairwise"))
    assert set(result.comparisons["reason"]) == {"the two answered no item in common"}


def spread_over_clusters(within, between):
    """Scores of two systems on 20 conversations of 4 items, whose differences vary as named."""
    rng = np.random.default_rng(3)
    ids = [f"{c}-{k}" for c in range(20) for k in range(4)]
    inside = np.tile([1.0, -1.0, 1.0, -1.0], 20) * within * rng.uniform(0.5, 1.5, 80)
    d = 0.5 + inside + np.repeat(rng.normal(size=20), 4) * between
    rows = {"system": ["a"] * 80 + ["b"] * 80, "id": ids * 2, "judge": [*d, *[0.0] * 80]}
    names = [i.split("-")[0] for i in ids]
    contexts = pl.DataFrame({"id": ids, "context": [["?"]] * 80, "conversation": names})
    testset = TestSet(contexts, contexts.select("id", text=pl.lit("yes")))
    return Scores.from_segments(pl.DataFrame(rows), testset)


@pytest.mark.parametrize(("within", "between", "explained"), [(1, 0.01, True), (0.01, 1, False)])
def test_a_design_effect_below_1_is_explained(within, between, explained):
    notes = plan(spread_over_clusters(within, between), resamples=200).notes
    assert any("design effect of the difference: judge" in note for note in notes)
    words = "a design effect below 1 (judge): the differences of items in one cluster vary more"
    assert any(words in note for note in notes) == explained


def test_the_smallest_number_that_is_planned_says_that_fewer_may_be_enough():
    scores = spread_over_clusters(0.01, 0.01)
    (need,) = plan(scores, resamples=200).comparison_needs.to_dicts()
    # No power is given for fewer than 8 clusters, which hold 32 items.
    assert (need["items"], need["clusters"], need["least_planned"]) == (32, 8, 32)
    assert need["or_fewer"]
    (small,) = plan(scores, difference=0.004, resamples=200).comparison_needs.to_dicts()
    assert small["items"] > 32 == small["least_planned"]
    assert not small["or_fewer"]


def test_an_item_without_a_conversation_is_a_cluster_of_its_own():
    (testset, responses), plans = tables(40, 3), []
    for first in ("alone", None):
        labels = pl.Series("conversation", [first, *(f"c{i // 3}" for i in range(1, 40))])
        given = TestSet(testset.contexts.with_columns(labels), testset.references)
        scores = score(given, responses, [BLEU()], resamples=0)
        plans.append(plan(scores, testset=given, responses=responses, resamples=100))
    filled, gap = plans
    assert gap.comparisons.equals(filled.comparisons, null_equal=True)
    assert any("is empty for item '1' (1 of 40 items)" in note for note in gap.notes)
