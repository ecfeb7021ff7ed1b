"""Plans against known truths: closed forms, simulated raters, hand-made tables, real subsamples."""

import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

import rejoinder
from rejoinder import TestSet, correlate, score
from rejoinder.errors import ParameterError
from rejoinder.planning import variance_components as pilot
from rejoinder.planning.correlations import ExpectedCorrelation, moved
from rejoinder.planning.plan import plan
from rejoinder.planning.reference_subsets import fewer
from rejoinder.planning.units import Units
from rejoinder.statistics.power import (
    attained,
    critical,
    detectable,
    fewest,
    fewest_planned,
    least_items,
    power,
)
from shared_data import EXAMPLES, SYSTEMS, TESTSET, shared

WORDS = "yes no at nine ten please the a cat sat on it".split()


def tables(n, rate, systems=("a", "b"), references=3, seed=0):
    """Random replies and references, and ratings: rate(item, system) lists (rater, score)."""
    rng = np.random.default_rng(seed)

    def texts(count):
        return [" ".join(rng.choice(WORDS, 4)) for _ in range(count)]

    testset = TestSet.from_lists([texts(references) for _ in range(n)])
    rows = [(s, str(i + 1), text) for s in systems for i, text in enumerate(texts(n))]
    responses = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    rated = [
        (str(i + 1), s, rater, "overall", float(value))
        for s in systems
        for i in range(n)
        for rater, value in rate(i, s)
    ]
    columns = {
        **dict.fromkeys(("id", "system", "rater", "criterion"), pl.String),
        "score": pl.Float64,
    }
    return testset, responses, pl.DataFrame(rated, schema=columns, orient="row")


def planned(n, rate, metrics=("rougeL",), systems=("a", "b"), **more):
    testset, responses, ratings = tables(n, rate, systems)
    scores = score(testset, responses, list(metrics))
    return plan(scores, ratings, testset=testset, responses=responses, **more)


def several(seed=3, raters=("r1", "r2", "r3")):
    rng = np.random.default_rng(seed)
    return lambda _, system: [(r, rng.integers(1, 6) + (system == "a")) for r in raters]


@pytest.fixture(scope="module")
def examples():
    testset = rejoinder.read_testset(EXAMPLES / "testset.jsonl")
    responses = rejoinder.read_responses(*sorted((EXAMPLES / "responses").glob("*.jsonl")))
    ratings = rejoinder.read_ratings(EXAMPLES / "ratings.csv")
    return testset, responses, score(testset, responses, ["bleu", "rougeL", "length"]), ratings


def rows(table, **given):
    for name, value in given.items():
        column = pl.col(name)
        table = table.filter(column.is_null() if value is None else column == value)
    return table.to_dicts()


# Closed forms


@pytest.mark.parametrize(("items", "within"), [(8, 0.01), (10, 0.005), (20, 0.002), (500, 0.001)])
def test_power_is_the_noncentral_t(items, within):
    df = items - 1
    assert critical(0.05, df) == pytest.approx(stats.t.ppf(0.975, df), abs=1e-3)
    # The exact test has the level of its greatest p below 5%: 6/2^7 at 8 items, 25/2^9 at 10.
    level = {8: 6 / 128, 10: 25 / 512}.get(items, 0.05)
    assert attained(items) == pytest.approx(level, abs=1e-5)
    t = stats.t.ppf(1 - level / 2, df)
    for effect in np.linspace(0, 6, 13):
        true = stats.nct.sf(t, df, effect) + stats.nct.cdf(-t, df, effect)
        assert power(effect, 1.0, items) == pytest.approx(true, abs=within)


def test_what_is_detectable_has_the_power_wanted():
    for wanted in (0.5, 0.8, 0.95):
        for items in (8, 30, 1000):
            for known in (None, 20, 1000):
                found = detectable(0.3, items, wanted, pilot=known)
                assert power(found, 0.3, items, pilot=known) == pytest.approx(wanted, abs=0.003)


def test_a_small_pilot_asks_for_a_larger_difference():
    # Its error may be too small by chance: what it promises must hold on average over pilots.
    ladder = [detectable(0.3, 20, pilot=pilot) for pilot in (8, 20, 100, None)]
    assert ladder == sorted(ladder, reverse=True)


def test_too_few_items_show_nothing():
    # 2 / 2^5 = 0.0625 > 0.05 >= 2 / 2^6; 2 / 2^10 > 0.001 >= 2 / 2^11.
    assert (fewest(0.05), fewest(0.001)) == (6, 11)
    # With 6 and 7 items one or three p-values are below 5%: too few to promise a power.
    assert fewest_planned(0.05) == 8
    assert all(math.isnan(power(1.0, 0.1, items)) for items in (5, 6, 7))
    assert all(math.isnan(detectable(0.1, items)) for items in (5, 6, 7))
    assert not math.isnan(detectable(0.1, 8))
    assert least_items(lambda items: items >= 10**9) is None


# People


def panel(rng, n=40, raters=3, lean=0.5, rest=1.0, items=0.8, severity=1.0, difference=0.3):
    """Every rater rates both systems everywhere."""
    common = rng.normal(0, 1, (n, 1)) + rng.normal(0, severity, raters)
    a = common + rng.normal(0, items, (n, 1)) + rng.normal(0, lean, raters) + difference
    return a + rng.normal(0, rest, (n, raters)), common + rng.normal(0, rest, (n, raters))


def crowd(rng, n=40, k=3, pool=150, rest=1.0, items=0.8, severity=0.6, difference=0.3, both=True):
    """Other raters for each item; for both of its replies the same ones, or others again."""
    severe, level = rng.normal(0, severity, pool), rng.normal(size=(n, 1))
    ra = rng.random((n, pool)).argsort(axis=1)[:, :k]
    rb = ra if both else rng.random((n, pool)).argsort(axis=1)[:, :k]
    level_a = level + difference + rng.normal(0, items, (n, 1))
    a, b = np.full((n, pool), np.nan), np.full((n, pool), np.nan)
    np.put_along_axis(a, ra, level_a + severe[ra] + rng.normal(0, rest, (n, k)), axis=1)
    np.put_along_axis(b, rb, level + severe[rb] + rng.normal(0, rest, (n, k)), axis=1)
    return a, b


def test_with_the_pilots_raters_the_variance_is_the_one_seen():
    a, b = panel(np.random.default_rng(1))
    found = pilot.people(a, b)
    d = a.mean(axis=1) - b.mean(axis=1)
    assert found.raters == pytest.approx(3)
    assert found.difference == pytest.approx(d.mean())
    assert found.variance(found.raters) == pytest.approx(d.var(ddof=1))


def test_a_full_panel_is_the_analysis_of_variance():
    # Two-way random effects of D (items x raters): rest = MS_rest, raters = (MS_raters - MS_rest)/n,
    # items = (MS_items - MS_rest) / k.
    a, b = panel(np.random.default_rng(2), n=30, raters=4)
    d = a - b
    n, k = d.shape
    off_items, off_raters = d.mean(axis=1, keepdims=True), d.mean(axis=0, keepdims=True)
    rest = ((d - off_items - off_raters + d.mean()) ** 2).sum() / ((n - 1) * (k - 1))
    raters = (n * off_raters.var(ddof=1) - rest) / n
    items = (k * off_items.var(ddof=1) - rest) / k
    found = pilot.people(a, b)
    assert found.shared == pytest.approx(1)
    assert found.parts() == pytest.approx({"items": items, "raters": raters, "rest": rest})
    assert found.floor == pytest.approx(1.96 * math.sqrt(raters / k))
    assert found.variance(8) == pytest.approx(items + rest / 8)


@pytest.mark.parametrize("both", [True, False])
def test_variances_are_unbiased_for_other_raters_and_missing_ratings(both):
    # Var of d with k raters: 0.8^2 + 2 (1 + [0 or 0.6^2]) / k; over 200 pilots the mean is close.
    rng = np.random.default_rng(4)
    found = [pilot.people(*crowd(rng, both=both)) for _ in range(200)]
    each = 2 * (1.0 + (0.0 if both else 0.36))
    for k in (1, 2, 3, 6):
        mean = np.mean([one.variance(k) for one in found])
        assert mean == pytest.approx(0.64 + each / k, rel=0.06)
    assert np.mean([one.shared for one in found]) < 0.05
    assert not any(one.confounded for one in found) or not both


def test_missing_cells_leave_the_estimate_unbiased():
    # 3 of 10 cells of a panel are missing. A rater of one reply alone brings severity in: with a
    # share q of raters in common each adds 2 (1 + s^2) - 2 q s^2; here severity is 0.
    rng = np.random.default_rng(5)
    ones = []
    for _ in range(200):
        a, b = panel(rng, raters=5, lean=0.0, severity=0.0)
        a[rng.random(a.shape) < 0.3] = np.nan
        b[rng.random(b.shape) < 0.3] = np.nan
        ones.append(pilot.people(a, b))
    for k in (1, 3, 10):
        mean = np.mean([one.variance(k) for one in ones])
        assert mean == pytest.approx(0.64 + 2 / k, rel=0.06)


def test_the_range_holds_the_truth():
    rng = np.random.default_rng(6)
    held = {1: 0, 3: 0, 10: 0}
    for _ in range(100):
        one = pilot.people(*panel(rng, n=30))
        counts = list(pilot.multiplicities_of(30, 30, 200, 1))
        for k in held:
            by = math.exp(1.96 * one.doubt(k, counts))
            # The panel's leanings are the same for every item, and no part of the spread.
            held[k] += one.variance(k) / by <= 0.64 + 2 / k <= one.variance(k) * by
    assert min(held.values()) >= 88  # P(fewer than 88 of 100 at 95%) is below 0.3%


@pytest.mark.parametrize("both", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_the_power_foretold_is_the_power_realised(both):
    rng = np.random.default_rng(7)
    pilots = [pilot.people(*crowd(rng, n=60, both=both)) for _ in range(100)]
    for items, k in ((120, 2), (60, 5)):
        told = np.mean([power(0.3, math.sqrt(one.variance(k) / items), items) for one in pilots])
        hits = 0
        for _ in range(1500):
            a, b = crowd(rng, n=items, k=k, pool=60, both=both)
            d = np.nanmean(a, axis=1) - np.nanmean(b, axis=1)
            hits += abs(d.mean()) / d.std(ddof=1) * math.sqrt(items) > stats.t.ppf(0.975, items - 1)
        # The share of 1,500 has a standard error of 0.013, the mean of 100 pilots one of 0.01.
        assert told == pytest.approx(hits / 1500, abs=0.05)


def test_raters_alone_differing_is_not_extrapolated_below_what_they_bring():
    rng = np.random.default_rng(8)
    a, b = crowd(rng, items=0.0)
    found = pilot.people(a, b)
    assert found.parts()["items"] < 0.6
    for k in (10, 100, 1000):
        assert found.variance(k) > 0


def test_persistent_by_hand():
    # Two raters, +1 and -1 on each of 5 units. Same rater: product 1. Others: -1. 1 - (-1) = 2.
    assert pilot.persistent(np.array([[1.0, -1.0]] * 5)) == 2.0
    # 4 units: 2 raters x 4 x 3 / 2 = 12 pairs, too few to tell.
    assert math.isnan(pilot.persistent(np.array([[1.0, -1.0]] * 4)))


# Metrics


def test_a_mean_metrics_error_is_its_standard_deviation_over_the_root(examples):
    *_, scores, _ = examples
    told = plan(scores, a="tuned", b="retrieval", resamples=4000)
    table = scores.segments()
    d = (
        table.filter(pl.col("system") == "tuned")["ROUGE-L"]
        - table.filter(pl.col("system") == "retrieval")["ROUGE-L"]
    ).to_numpy()
    for row in rows(told.comparisons, subject="ROUGE-L"):
        # 4,000 resamples: a standard error of 1.1%.
        expected = d.std(ddof=1) / math.sqrt(row["items"])
        assert row["error"] == pytest.approx(expected, rel=0.04)
        assert row["difference"] == pytest.approx(d.mean())
    assert "length left out: it describes replies and does not rank systems" in told.notes


def test_at_the_pilots_size_it_is_what_compare_tells(examples):
    *_, scores, _ = examples
    told = plan(scores, every_pair=True)
    for row in scores.compare(permutations=10).iter_rows(named=True):
        found = rows(told.comparisons, subject=row["metric"], a=row["a"], b=row["b"], items=66)
        if row["metric"] == "length":
            assert not found
            continue
        # One function for both. Here the error is the bootstrap's, with a standard error of 2.2% for
        # 1,000 resamples; there the jackknife's.
        assert found[0]["detectable"] == pytest.approx(row["detectable"], rel=0.09)


def test_needs_turn_the_table_around(examples):
    *_, scores, ratings = examples
    given = {"difference": 0.3, "raters": [1, 5], "resamples": 200}
    told = plan(scores, ratings, **given)
    for need in told.comparison_needs.to_dicts():
        at = plan(scores, ratings, items=[need["items"] - 1, need["items"]], **given)
        key = {name: need[name] for name in ("subject", "raters", "references")}
        before, after = rows(at.comparisons, **key)
        assert after["detectable"] <= need["target"]
        assert before["detectable"] > need["target"] or need["items"] == fewest_planned()
        assert need["items_low"] <= need["items"] <= need["items_high"]
        assert need["given"] == (need["subject"] == "people")


@pytest.mark.parametrize("power", [0.5, 0.8])
def test_more_items_are_needed_than_by_the_closed_form(examples, command, power):
    *_, ratings = examples
    told = plan(None, ratings, difference=0.3, power=power)
    (own,) = (row for row in told.comparison_needs.to_dicts() if row["raters"] == 5)
    # (z + z)^2 s^2 / d^2 with s^2 / n the variance of the difference on the pilot's 66 items.
    z = 1.959964 + {0.5: 0.0, 0.8: 0.841621}[power]
    error = rows(told.comparisons, raters=5, items=66)[0]["error"]
    assert own["closed_form"] == math.ceil(z**2 * 66 * error**2 / 0.3**2) < own["items"]
    out = command("plan", "--ratings", EXAMPLES / "ratings.csv", "-d", 0.3, "--power", power)[1]
    words = f"The closed form of textbooks has {own['closed_form']}, since it takes the pilot's variance"
    assert words in " ".join(out.split())


def test_fewer_references_keep_the_best_and_draw_the_rest():
    testset = TestSet.from_lists(
        [["a", "b", "c", "d"], ["e"], []], [[0.1, -0.5, 0.9, 0.9], [-1.0], []]
    )
    for seed in range(10):
        some = fewer(testset, 2, np.random.default_rng(seed)).references
        texts = some.filter(pl.col("id") == "1")["text"].to_list()
        assert "c" in texts
        assert len(texts) == 2
        assert texts == sorted(texts)  # in their order
        assert some.filter(pl.col("id") == "2")["text"].to_list() == ["e"]
    plain = TestSet.from_lists([["a", "b", "c"]])
    assert fewer(plain, 1, np.random.default_rng(0)).references["text"].to_list() == ["a"]


def test_references_are_told_as_far_as_the_pilot_has_them(examples):
    testset, responses, scores, ratings = examples
    told = plan(scores, ratings, testset=testset, responses=responses)
    found = {row["references"] for row in rows(told.comparisons, subject="BLEU-2")}
    assert found == {None, 1, 2, 4}  # 5 to 8 to an item
    single = score(fewer(testset, 1, np.random.default_rng(0)), responses, ["bleu"])
    difference = dict(single.systems().select("system", "value").iter_rows())
    row = rows(told.comparisons, subject="BLEU-2", references=1, items=66)[0]
    assert row["difference"] == pytest.approx(difference["tuned"] - difference["retrieval"])
    assert any("up to 8) cannot be known" in line for line in told.assumptions)
    saved = plan(scores, ratings)
    assert saved.comparisons["references"].is_null().all()
    assert any("fewer are told from a test set" in line for line in saved.assumptions)


def test_another_test_set_is_refused(examples):
    testset, responses, scores, _ = examples
    other = testset.select(testset.ids[:20])
    few = responses.filter(pl.col("id").is_in(testset.ids[:20]))
    with pytest.raises(ParameterError, match="other systems or items than the scores"):
        plan(scores, testset=other, responses=few)


# Agreement with people


def test_the_width_at_the_pilots_size_is_the_bootstraps(examples):
    *_, scores, ratings = examples
    for correlation in ("pearson", "spearman", "kendall-b"):
        told = plan(scores, ratings, correlation=correlation, items=[66, 264], raters=[5])
        real = correlate(scores, ratings, correlations=[correlation], permutations=0).table()
        for metric in ("BLEU-2", "ROUGE-L"):
            row = rows(real, metric=metric)[0]
            pilots, four = rows(told.correlations, subject=metric)
            assert pilots["value"] == pytest.approx(row["value"])
            assert pilots["width"] == pytest.approx(row["high"] - row["low"], rel=0.08)
            assert four["width"] == pytest.approx(pilots["width"] / 2, rel=0.05)
            assert pilots["width_low"] < pilots["width"] < pilots["width_high"]


def test_width_by_hand():
    # r = 0, sigma = 1, 100 items: tanh(0.196) - tanh(-0.196) = 2 tanh(0.196).
    told = ExpectedCorrelation("m", 3, None, Units(100), 0.0, 1.0)
    assert told.width(100)[1] == pytest.approx(2 * math.tanh(0.196))
    need = told.need(2 * math.tanh(0.098))
    assert need["items"] == 400
    assert need["items_low"] < 400 < need["items_high"]


def test_attenuation_by_hand():
    # Replies vary by 4, one rater adds 12. Means of 3: 4 + 4 = 8, reliability 1/2; of 12: 5, 4/5.
    noise = pilot.Noise(whole=8.0, each=12.0, raters=3.0)
    assert noise.factor(12) == pytest.approx(math.sqrt((4 / 5) / (1 / 2)))
    assert noise.factor(3.0) == 1.0
    assert math.isnan(pilot.Noise(whole=3.0, each=12.0, raters=3.0).factor(6))
    assert moved(0.5, 1.2, "pearson") == (pytest.approx(0.6), None)
    # Kendall's b of a normal pair is 2/pi asin(r): 1/3 is r = 1/2; half of it asin(1/4).
    assert moved(1 / 3, 0.5, "kendall-b")[0] == pytest.approx(2 / math.pi * math.asin(0.25))
    assert moved(0.9, 1.5, "spearman")[1].startswith("so many raters would lift it to 1")


@pytest.mark.parametrize("correlation", ["pearson", "spearman", "kendall-b"])
def test_other_raters_move_the_correlation_as_simulated(correlation):
    # True quality q, metric q + noise, raters q + 1.5 noise + severity of their own: the correlation
    # with the mean of k raters, foretold from 4, against other replies rated by k.
    rng = np.random.default_rng(9)
    measure = rejoinder.statistics.correlation.correlation_named(correlation)

    def draw(n, k):
        q = rng.normal(size=n)
        ratings = q[:, None] + rng.normal(0, 1.5, (n, k)) + rng.normal(0, 1, k)
        return q + rng.normal(size=n), ratings

    x, ratings = draw(40_000, 4)
    noise = pilot.reliability(ratings)
    value = float(measure(x, ratings.mean(axis=1)))
    for k in (1, 2, 8):
        x, many = draw(40_000, k)
        told, _ = moved(value, noise.factor(k), correlation)
        assert told == pytest.approx(float(measure(x, many.mean(axis=1))), abs=0.02)


# Where there is little to say


def reasons(table, **given):
    return {row["reason"] for row in rows(table, **given)}


def test_one_item():
    told = planned(1, several())
    why = "1 item says too little of others: a pilot needs 6 or more"
    assert reasons(told.comparisons) == {why}
    assert reasons(told.comparison_needs) == {why}
    assert told.comparisons["detectable"].is_nan().all()
    assert told.comparisons["power"].is_nan().all()
    assert told.correlations["width"].is_nan().all()
    assert told.correlations["reason"].is_not_null().all()
    assert told.components.is_empty()


def test_fewer_than_six_items():
    told = planned(5, several())
    assert reasons(told.comparisons) == {
        "5 items say too little of others: a pilot needs 6 or more"
    }
    assert told.correlations["width"].is_nan().all()


def test_half_of_a_small_pilot_says_why():
    told = planned(8, several())
    row = rows(told.comparisons, subject="people", items=4, raters=3)[0]
    assert row["reason"] == "fewer than 6 items can have no p below 0.05"
    assert math.isnan(row["detectable"])


def test_one_rater():
    told = planned(20, several(raters=("r1",)))
    assert set(told.comparisons.filter(pl.col("subject") == "people")["raters"]) == {1}
    assert told.components["rest"].is_nan().all()
    assert any("each reply has one rating" in note for note in told.notes)
    assert not told.comparisons.filter(pl.col("subject") == "people")["detectable"].is_nan().any()


def test_all_ties():
    told = planned(20, lambda i, s: [("r1", 3), ("r2", 3)], width=0.2)
    assert reasons(told.comparisons, subject="people") == {pilot.NO_SPREAD}
    assert rows(told.comparisons, subject="people")[0]["detectable"] != 0
    assert reasons(told.correlations) == {"all ratings equal"}
    assert told.correlation_needs["items"].is_null().all()


def test_a_difference_wider_than_the_grades_is_refused():
    # several() gives grades from 1 to 6: no two means differ by more than 5.
    given = {"resamples": 100}
    planned(20, several(), difference=5.0, **given)
    with pytest.raises(ParameterError, match=r"grades lie from 1 to 6.*by more than 5") as told:
        planned(20, several(), difference=30.0, **given)
    assert "difference=30.0: people" in str(told.value)
    assert "give scale=(LOW, HIGH)" in str(told.value)
    # The scale itself, where it is known, may be wider than what was given.
    planned(20, several(), difference=6.0, scale=(0, 10), **given)
    with pytest.raises(
        ParameterError, match=r"from 0 to 10.*more than 10; give it in the ratings'"
    ):
        planned(20, several(), difference={"people": 10.5}, scale=(0, 10), **given)


def test_a_constant_difference_has_no_spread():
    told = planned(20, lambda i, s: [("r1", i % 4 + (s == "a")), ("r2", i % 4 + (s == "a"))])
    assert reasons(told.comparisons, subject="people") == {pilot.NO_SPREAD}
    assert rows(told.comparisons, subject="people")[0]["difference"] == 1


def test_no_rated_item_in_common():
    rate = several()
    told = planned(20, lambda i, s: rate(i, s) if (i < 10) == (s == "a") else [])
    assert reasons(told.comparisons, subject="people") == {"the two have no rated item in common"}


def test_raters_of_one_system_each_are_said():
    rng = np.random.default_rng(1)
    told = planned(20, lambda i, s: [(f"{s}{r}", rng.integers(1, 6)) for r in range(2)])
    assert any("no rater rates both on one item" in note for note in told.notes)


def test_a_panel_is_said():
    told = planned(30, several())
    assert any("the same raters throughout" in note for note in told.notes)
    assert told.components["panel"].to_list() == [3]
    rate = several()
    told = planned(30, lambda i, s: rate(i, s)[: 3 - (s == "a")])
    assert any("mostly the same raters, so all holds for" in note for note in told.notes)
    assert not any("the same raters throughout" in note for note in told.notes)


def test_beside_the_items_needed_stands_the_power_of_those_there():
    rate = several()
    told = planned(30, lambda i, s: [(r, g - 0.7 * (s == "a")) for r, g in rate(i, s)])
    (row,) = rows(told.comparisons, subject="people", raters=3, items=30)
    assert row["power"] < 0.8
    (line,) = (str(each.text) for each in told.document() if "To show" in str(each))
    assert f"Of 100 such studies with 30 items about {100 * row['power']:.0f} show it" in line


def test_one_system_alone_has_correlations():
    told = planned(20, several(), systems=("a",), width=0.5)
    assert told.comparisons.is_empty()
    assert told.correlation_needs.height
    assert any("one system alone" in note for note in told.notes)


def test_far_from_the_pilot_is_flagged():
    told = planned(20, several(), items=[80, 81], raters=[12, 13])
    flagged = rows(told.comparisons, subject="people", raters=12)
    assert [row["beyond"] for row in flagged] == [False, True]
    assert rows(told.comparisons, subject="people", raters=13, items=80)[0]["beyond"]


def test_the_same_seed_says_the_same(examples):
    testset, responses, scores, ratings = examples
    one, other = (
        plan(scores, ratings, testset=testset, responses=responses, width=0.1, resamples=100)
        for _ in range(2)
    )
    assert one.comparisons.equals(other.comparisons, null_equal=True)
    assert one.correlations.equals(other.correlations)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"power": 0.3}, "power=0.3 must be from 0.5"),
        ({"alpha": 0}, "alpha=0"),
        ({"width": 3}, "width=3"),
        ({"correlation": "kendall-c"}, "choose 'pearson', 'spearman' or 'kendall-b'"),
        ({"items": [0]}, "items=0"),
        ({"raters": [2.5]}, "raters=2.5"),
        ({"difference": -1}, "must be above 0"),
        ({"difference": {"BLEU-9": 1}}, "'BLEU-9' is unknown here"),
        ({"difference": {"BLEU-2": 5}}, "give 0.02 for a difference of 2.0"),
        ({"a": "tuned", "b": "tuned"}, "cannot be compared with itself"),
        ({"a": "nobody"}, "system 'nobody' is unknown"),
        ({"a": "tuned", "without": ["tuned"]}, "to be compared and to be left out"),
        ({"a": "tuned", "every_pair": True}, "give one of them"),
        ({"resamples": 10}, "resamples=10"),
    ],
)
def test_parameters_that_cannot_be_meant(examples, given, told):
    *_, scores, ratings = examples
    with pytest.raises(ParameterError, match=told.replace("(", r"\(")):
        plan(scores, ratings, **given)


def test_nothing_to_plan(examples):
    testset, responses, *_ = examples
    with pytest.raises(ParameterError, match="nothing to plan"):
        plan(score(testset, responses, ["length"]))


# Real ratings


def test_a_pilot_of_60_contexts_foretells_500(tmp_path):
    folder = shared("data", "dstc7-task2")
    testset = rejoinder.read_testset(folder)
    responses = rejoinder.read_responses(folder)
    ratings = rejoinder.read_ratings(folder).filter(pl.col("criterion") == "Relevance")
    scores = score(testset, responses, ["bleu", "rougeL"], drop_unusable=True, resamples=0)
    kept = np.array(scores.items["id"].to_list())[scores.measured["BLEU-2"].usable]
    asked = {"without": ["Human"], "correlation": "pearson", "a": "TeamCE", "b": "TeamB"}
    whole = plan(scores, ratings, items=[kept.size], raters=[3], **asked)
    rng = np.random.default_rng(11)
    shares = []
    for _ in range(4):
        some = set(rng.choice(kept, 60, replace=False))
        few = scores.select(np.array([i in some for i in scores.items["id"]]))
        told = plan(few, ratings, items=[kept.size], raters=[3], **asked)
        for name, column in (("correlations", "width"), ("comparisons", "error")):
            real, guess = getattr(whole, name)[column], getattr(told, name)[column]
            shares += (guess / real).to_list()
        assert told.comparisons["beyond"].all()
    # 60 of 477: a spread is known to within 9% (1 / sqrt(2 * 59)), heavier tails to within 15%.
    assert np.mean(shares) == pytest.approx(1, abs=0.1)
    assert max(abs(share - 1) for share in shares) < 0.45


def test_a_plan_of_a_mean_has_what_compare_detects_on_the_pilot_whatever_the_seed():
    testset, responses, _ = tables(40, lambda i, s: [("r1", 1.0)])
    scores = score(testset, responses, ["rougeL"])
    compared = rejoinder.compare(scores, "a", "b").table.row(0, named=True)
    for seed in (1, 2):
        row = rows(plan(scores, a="a", b="b", seed=seed).comparisons, items=40)[0]
        assert row["detectable"] == pytest.approx(compared["detectable"], rel=1e-9)


@pytest.mark.parametrize(
    ("raters", "words"),
    [
        (("mean",), "the ratings are means of several people"),
        (("anna",), "each reply has one rating"),
        (("1", "2", "3"), "the raters are called 1, 2, ...: if these are places in a list"),
    ],
)
def test_raters_that_are_means_or_places_are_no_panel(raters, words):
    forecast = planned(30, several(raters=raters))
    assert any(words in note for note in forecast.notes)
    panel = any("the same raters throughout" in note for note in forecast.notes)
    assert panel == (raters == ("anna",))
    assert forecast.parameters.get("ratings") == ("means" if raters == ("mean",) else None)


def test_ratings_alone_plan_for_people():
    ratings = rejoinder.read_ratings(EXAMPLES / "ratings.csv")
    alone = rejoinder.plan(ratings=ratings, resamples=100)
    scores = rejoinder.score(
        rejoinder.read_testset(TESTSET), rejoinder.read_responses(*SYSTEMS), ["length"], resamples=0
    )
    beside = rejoinder.plan(scores, ratings, resamples=100)
    assert set(alone.comparisons["subject"]) == {"people"}
    people = beside.comparisons.filter(subject="people")
    assert alone.comparisons.equals(people.select(alone.comparisons.columns))
    assert alone.correlations.is_empty()
    assert alone.labels_saved.is_empty()


def test_clusters_of_ratings_alone_are_a_column_of_these():
    ratings = rejoinder.read_ratings(EXAMPLES / "ratings.csv").with_columns(
        talk=pl.col("id").str.slice(-1)
    )
    result = rejoinder.plan(ratings=ratings, cluster="talk", resamples=100)
    assert result.parameters["cluster"] == "talk"
    assert "clusters" in result.comparisons.columns


def test_where_replies_have_no_whole_number_of_raters_the_answer_says_for_how_many_it_is():
    rate = several()
    told = planned(30, lambda i, s: rate(i, s)[: 1 + i % 2])
    (line,) = (str(each.text) for each in told.document() if "To show" in str(each))
    assert "by 1.3 raters on average (what follows is for 1 rater each). To show" in line
    need = told.comparison_needs.row(
        by_predicate=(pl.col("subject") == "people") & (pl.col("raters") == 1), named=True
    )
    assert f"takes about {need['items']} items" in line
