"""Agreement with people: scipy and naive loops as oracles, and what cannot be told is told so."""

import itertools
import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy import stats

from random_text import corpus
from rejoinder import TestSet, correlate, score
from rejoinder.errors import InputError, ParameterError
from rejoinder.meta_evaluation.protocols import Pairwise, System, Turn
from rejoinder.metrics import BLEU
from rejoinder.scoring.blocks import score_parquet
from rejoinder.statistics.correlation_bootstrap import bootstrap_correlation
from rejoinder.statistics.intervals import SAME
from rejoinder.statistics.significance import permutation_p, williams
from rejoinder.statistics.within_systems import WithinSystems

N = 40
HYPOTHESES, REFERENCES = corpus(seed=5, n=N)
REPLIES = {
    "good": HYPOTHESES,
    "cut": [text[: -(len(text) // 3)] if text else text for text in HYPOTHESES],
    "mixed": [HYPOTHESES[i ^ 1] if i % 3 == 0 else HYPOTHESES[i] for i in range(N)],
}
SCHEMA = ["id", "system", "rater", "criterion", "score"]


def frame(rows):
    types = dict(zip(SCHEMA, [pl.String] * 4 + [pl.Float64], strict=True))
    return pl.DataFrame(rows, schema=types, orient="row")


@pytest.fixture(scope="module")
def testset():
    return TestSet.from_lists(REFERENCES)


@pytest.fixture(scope="module")
def scores(testset):
    rows = [
        (name, id, text)
        for name, replies in REPLIES.items()
        for id, text in zip(testset.ids, replies, strict=True)
    ]
    responses = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    return score(testset, responses, ["bleu:smoothing=exp", "rougeL", "length"], resamples=0)


@pytest.fixture(scope="module")
def ratings(testset):
    """Three raters, grades 1 to 5, a fifth of them missing."""
    rng = np.random.default_rng(3)
    return frame(
        [
            (id, system, f"r{r}", "overall", float(np.clip(round(3 + level + rng.normal()), 1, 5)))
            for id in testset.ids
            for system, level in (("good", 1), ("cut", 0), ("mixed", -1))
            for r in range(3)
            if rng.random() < 0.8
        ]
    )


def joined(scores, ratings):
    """Segment scores beside the mean rating, by polars alone."""
    means = ratings.group_by("id", "system").agg(pl.col("score").mean())
    return scores.segments().join(means, on=["id", "system"], how="inner")


def told(table, metric, correlation):
    return table.filter((pl.col("metric") == metric) & (pl.col("correlation") == correlation)).row(
        0, named=True
    )


def test_turn_level_is_scipy_on_the_joined_table(scores, ratings):
    agreement = correlate(
        scores,
        ratings,
        correlations=["pearson", "spearman", "kendall-b", "kendall-c"],
        permutations=0,
        resamples=0,
    )
    table, rows = agreement.table(), joined(scores, ratings)
    for label in scores.labels:
        x, y = rows[label].to_numpy(), rows["score"].to_numpy()
        for name, expected in (
            ("pearson", stats.pearsonr(x, y)[0]),
            ("spearman", stats.spearmanr(x, y)[0]),
            ("kendall-b", stats.kendalltau(x, y)[0]),
            ("kendall-c", stats.kendalltau(x, y, variant="c")[0]),
        ):
            row = told(table, label, name)
            assert row["value"] == pytest.approx(expected, abs=1e-12)
            assert row["n"] == rows.height
            assert math.isnan(row["low"])
            assert math.isnan(row["p"])
            assert row["reason"] is None  # not wanted, so not missing


def test_interval_and_p_draw_whole_contexts(scores, ratings):
    agreement = correlate(scores, ratings, permutations=200, resamples=200, seed=4)
    seen = agreement.observations()
    x, y, group = (seen[name].to_numpy() for name in ("ROUGE-L", "human", "group"))
    assert seen["group"].n_unique() == N
    row = told(agreement.table(), "ROUGE-L", "spearman")
    interval = bootstrap_correlation(x, y, "spearman", group, 200, np.random.default_rng(4))
    assert (row["low"], row["high"]) == (interval.low, interval.high)
    p = permutation_p(x, y, "spearman", 200, np.random.default_rng(4), group)
    assert row["pooled_p"] == p
    assert math.isnan(row["p"])  # differences between the three systems would count as evidence
    one = correlate(scores, ratings, without=["cut", "mixed"], permutations=200, seed=4)
    seen, row = one.observations(), told(one.table(), "ROUGE-L", "spearman")
    x, y = seen["ROUGE-L"].to_numpy(), seen["human"].to_numpy()
    assert row["p"] == permutation_p(x, y, "spearman", 200, np.random.default_rng(4))
    assert "within_p" not in row


def test_the_mean_within_systems_stands_beside_the_pooled_value(scores, ratings):
    agreement = correlate(scores, ratings, permutations=200, resamples=200, seed=4)
    seen = agreement.observations()
    system = seen["system"].replace_strict({name: i for i, name in enumerate(REPLIES)})
    data = WithinSystems(
        seen["human"].to_numpy(), system.cast(pl.Int64).to_numpy(), seen["group"].to_numpy()
    )
    means = agreement.within().filter(system="mean")
    for row in agreement.table().filter(pl.col("metric").is_in(scores.labels)).rows(named=True):
        name, x = row["correlation"], seen[row["metric"]].to_numpy()
        assert row["within"] == data.mean(x, name)
        interval = data.interval(x, name)
        assert (row["within_low"], row["within_high"]) == (interval.low, interval.high)
        assert row["within_p"] == data.permutation_p(x, name, 200, np.random.default_rng(4))
        assert row["within_reason"] is None
        mean = means.filter(metric=row["metric"], correlation=name).row(0, named=True)
        for key in ("value", "low", "high", "p"):
            assert mean[key] == row["within" if key == "value" else f"within_{key}"]
    assert any("differences between systems count as evidence" in n for n in agreement.notes)
    none = correlate(scores, ratings, permutations=0, resamples=0).table()
    assert none["within_p"].is_nan().all()
    assert none["within_low"].is_nan().all()
    assert none["within"].is_not_nan().all()


def test_one_thread_or_many_give_the_same(scores, ratings, monkeypatch):
    from rejoinder.meta_evaluation import evidence

    tables = []
    for number in (1, 3):
        monkeypatch.setattr(evidence, "cores", lambda number=number: number)
        agreement = correlate(scores, ratings, permutations=50, resamples=100)
        tables += [agreement.table(), agreement.comparisons(), agreement.within()]
    for one, other in zip(tables[:3], tables[3:], strict=True):
        assert one.equals(other)


def test_people_and_chance_stand_beside_the_metrics(scores, ratings):
    table = correlate(scores, ratings, permutations=99, resamples=100).table()
    assert table["metric"].unique(maintain_order=True).to_list() == [
        *scores.labels,
        "random",
        "human (avg)",
        "human (max)",
    ]
    assert told(table, "human (avg)", "pearson")["value"] > 0.3  # the same level moved all raters
    assert told(table, "random", "pearson")["within_p"] > 0.01
    assert told(table, "human (avg)", "pearson")["within"] < 0.3  # within systems it moved nobody
    one = ratings.filter(pl.col("rater") == "r0")
    assert (
        "human (avg)" not in correlate(scores, one, permutations=0, resamples=0).table()["metric"]
    )


def test_comparisons_are_on_the_same_observations(scores, ratings):
    agreement = correlate(scores, ratings, permutations=99, resamples=100)
    table, single = agreement.comparisons(), agreement.table()
    assert list(zip(table["a"], table["b"], strict=True)) == list(
        itertools.combinations(scores.labels, 2)
    )
    for row in table.iter_rows(named=True):
        a, b = (told(single, row[name], "spearman")["value"] for name in "ab")
        assert (row["value_a"], row["value_b"]) == (a, b)
        assert row["difference"] == pytest.approx(a - b)
        assert row["low"] <= row["difference"] <= row["high"]
        assert math.isnan(row["p"])
        assert 0 < row["pooled_p"] <= 1
        a, b = (told(single, row[name], "spearman")["within"] for name in "ab")
        assert row["within"] == pytest.approx(a - b)
        assert row["within_low"] <= row["within"] <= row["within_high"]
        assert 0 < row["within_p"] <= 1
        assert math.isnan(row["williams_p"])  # of all replies pooled: no test either


def test_comparisons_of_one_system_have_williams_test_too(scores, ratings):
    agreement = correlate(scores, ratings, without=["cut", "mixed"], permutations=99, resamples=100)
    table, single = agreement.comparisons(), agreement.table()
    seen = agreement.observations()
    assert "within_p" not in table.columns
    for row in table.iter_rows(named=True):
        a, b = (told(single, row[name], "spearman")["value"] for name in "ab")
        assert (row["value_a"], row["value_b"]) == (a, b)
        assert 0 < row["p"] <= 1
        r23 = stats.spearmanr(seen[row["a"]], seen[row["b"]])[0]
        t, p = williams(a, b, r23, row["n"])
        assert (row["williams_t"], row["williams_p"]) == pytest.approx((t, p))
    with pytest.raises(ParameterError, match="'pearson', 'spearman'"):
        agreement.comparisons("kendall")


def test_system_level(scores, ratings):
    table = correlate(scores, ratings, "system", correlations=["pearson"], permutations=99).table()
    rows = joined(scores, ratings)
    rated = {system: set(part["id"]) for (system,), part in rows.group_by("system")}
    # Not every reply is rated, so each system's corpus score is of its own rated items.
    corpora, means = [], []
    for system, replies in REPLIES.items():
        places = [i for i, id in enumerate(scores.items["id"]) if id in rated[system]]
        metric = BLEU(order=2, smoothing="exp")
        some = [replies[i] for i in places], [REFERENCES[i] for i in places]
        corpora.append(metric.corpus(*some).value)
        means.append(rows.filter(pl.col("system") == system)["score"].mean())
    row = told(table, "BLEU-2", "pearson")
    assert row["value"] == pytest.approx(stats.pearsonr(corpora, means)[0])
    assert row["n"] == 3
    assert row["reason"] == "no interval: fewer than 8 systems to resample"
    assert math.isnan(row["low"])


def test_pairwise_is_the_naive_count(scores, ratings):
    agreement = correlate(scores, ratings, Pairwise(), permutations=99, resamples=100)
    table, rows = agreement.table(), joined(scores, ratings)
    for label in scores.labels:
        means = {"accuracy": [], "decided": []}
        for _, part in rows.group_by("id"):
            pairs = list(itertools.combinations(part.select(label, "score").rows(), 2))
            signs = [(np.sign(x1 - x2), np.sign(y1 - y2)) for (x1, y1), (x2, y2) in pairs]
            if signs:
                means["accuracy"].append(np.mean([a == b for a, b in signs]))
            if any(b for _, b in signs):
                means["decided"].append(np.mean([a == b for a, b in signs if b]))
        for name, values in means.items():
            row = told(table, label, name)
            assert row["value"] == pytest.approx(np.mean(values))
            assert row["low"] < row["value"] < row["high"]
            assert 0 < row["p"] <= 1
    assert agreement.signature.startswith("protocol:pairwise|epsilon:0.0|criterion:overall")
    best = correlate(scores, ratings, Pairwise("best"), permutations=0, resamples=0).table()
    for label in scores.labels:
        assert told(best, label, "accuracy")["value"] >= told(table, label, "accuracy")["value"]
    assert told(table, "length", "accuracy")["epsilon"] == 0
    pair = agreement.comparisons().row(0, named=True)
    assert pair["correlation"] == "accuracy"
    assert pair["low"] <= pair["difference"] <= pair["high"]
    assert agreement.observations().height == told(table, "length", "accuracy")["n"]


def test_chance_of_a_metric_that_ties(testset):
    # Two systems; people prefer "a" in every context. A metric that scores all replies alike ties
    # every pair: right nowhere, and nowhere under any permutation. One that never ties orders half
    # of the pairs rightly by chance: a shuffled pair is a coin.
    rows = [(name, id, text) for name, text in (("a", "x y"), ("b", "x")) for id in testset.ids]
    responses = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    scores = score(testset, responses, ["length", "bleu:order=4"], resamples=0)
    rated = frame(
        [(id, name, "r", "o", g) for id in testset.ids for name, g in (("a", 2.0), ("b", 1.0))]
    )
    table = correlate(scores, rated, "pairwise", permutations=500).table()
    for correlation in ("accuracy", "decided"):
        row = told(table, "length", correlation)
        # The mean of 500 permutations of 40 coins: sd sqrt(.25 / 40 / 500) = .0035
        assert row["value"] == 1
        assert row["chance"] == pytest.approx(0.5, abs=0.0035 * 4)
        tied = told(table, "BLEU-4", correlation)
        assert (tied["value"], tied["chance"]) == (0, 0)
    none = correlate(scores, rated, "pairwise", permutations=0).table()
    assert none["chance"].is_nan().all()


def test_a_metric_that_is_always_right_is_not_certain(scores, ratings):
    # People like the longer reply of each context: length orders every pair as they do.
    replies = scores.segments().unique(["id", "length"], maintain_order=True)
    rated = replies.rename({"length": "score"}).with_columns(
        rater=pl.lit("r"), criterion=pl.lit("overall")
    )
    rated = rated.select(ratings.columns)
    table = correlate(scores, rated, "pairwise", permutations=9).table()
    row = told(table, "length", "accuracy")
    contexts = rated.group_by("id").len().filter(pl.col("len") > 1).height
    # Wilson's interval of a share of 1: [n / (n + z^2), 1].
    assert row["value"] == row["high"] == 1
    assert row["low"] == pytest.approx(contexts / (contexts + 1.959964**2), abs=1e-6)


def test_a_metric_and_its_double_differ_by_nothing_that_is_certain(testset, ratings):
    rows = [
        (name, id, text)
        for name, replies in REPLIES.items()
        for id, text in zip(testset.ids, replies, strict=True)
    ]
    responses = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    # Smoothing counts for orders that find nothing: of order 1, it orders no reply otherwise.
    metrics = ["bleu:order=1", "bleu:order=1,smoothing=exp"]
    scores = score(testset, responses, metrics, resamples=0)
    row = correlate(scores, ratings, "pairwise", permutations=9).comparisons().row(0, named=True)
    assert row["difference"] == 0
    assert math.isnan(row["low"])
    assert row["reason"] == f"no interval: {SAME}"


def test_within_systems_is_the_mean_of_each(scores, ratings):
    agreement = correlate(scores, ratings, correlations=["spearman"], permutations=0, resamples=100)
    within, rows = agreement.within(), joined(scores, ratings)
    part = within.filter(pl.col("metric") == "ROUGE-L")
    each = [
        stats.spearmanr(*rows.filter(pl.col("system") == system)["ROUGE-L", "score"])[0]
        for system in REPLIES
    ]
    assert part["system"].to_list() == [*REPLIES, "mean"]
    assert part["value"].to_list() == pytest.approx([*each, np.mean(each)])
    with pytest.raises(ParameterError, match="'turn'"):
        correlate(scores, ratings, "system", permutations=0).within()


def test_pooling_systems_of_unlike_level_inflates_and_within_does_not(testset, scores):
    # Ratings are the system's level and noise: a metric that tells the systems apart agrees with
    # people over all replies, and with nobody within a system.
    rng = np.random.default_rng(8)
    level = {"good": 4.0, "cut": 1.0, "mixed": 4.0}
    rated = frame(
        [
            (id, system, "mean", "overall", level[system] + 0.1 * rng.normal())
            for system in level
            for id in testset.ids
        ]
    )
    agreement = correlate(scores, rated, correlations=["spearman"], resamples=200)
    pooled = told(agreement.table(), "length", "spearman")["value"]
    within = agreement.within().filter(pl.col("metric") == "length", pl.col("system") == "mean")
    row = within.row(0, named=True)
    assert abs(row["value"]) < 0.2
    assert pooled > row["value"] + 0.1
    assert row["low"] < row["value"] < row["high"]


def test_raters_are_brought_down_to_one(scores, ratings):
    seen = {}
    for how in ("mean", "median", "z"):
        seen[how] = correlate(
            scores, ratings, raters=how, permutations=0, resamples=0
        ).observations()["human"]
    assert (seen["median"] * 2 == (seen["median"] * 2).round()).all()
    assert abs(seen["z"].mean()) < 0.2
    with pytest.raises(ParameterError, match="'mean', 'median' or 'z'"):
        correlate(scores, ratings, raters="best")


def test_raters_can_be_resampled_too(scores, ratings):
    wide, narrow, usual = (
        correlate(scores, ratings, Turn(each), permutations=0, resamples=300)
        for each in ("random", "fixed", None)
    )
    one, other = (told(each.table(), "length", "pearson") for each in (wide, narrow))
    assert one["value"] == other["value"]
    assert (one["low"], one["high"]) != (other["low"], other["high"])
    assert "rater_effects:random" in wide.signature
    assert usual.signature == narrow.signature  # of three raters
    with pytest.raises(ParameterError, match="the ratings of a reply are not averaged"):
        correlate(scores, ratings, Turn("random"), raters="z")
    single = ratings.filter(pl.col("rater") == "r0")
    with pytest.raises(ParameterError, match="1 rater; expected three or more"):
        correlate(scores, single, Turn("random"), permutations=0)


def test_a_criterion_is_named_where_there_are_several(scores, ratings):
    other = ratings.with_columns(criterion=pl.lit("fluency"), score=6 - pl.col("score"))
    both = pl.concat([ratings, other])
    with pytest.raises(ParameterError, match="choose 'overall' or 'fluency'"):
        correlate(scores, both)
    with pytest.raises(ParameterError, match=r"criterion='style' is unknown"):
        correlate(scores, both, criterion="style")
    tables = [
        correlate(scores, both, criterion=name, permutations=0, resamples=0).table()
        for name in ("overall", "fluency")
    ]
    assert told(tables[0], "length", "pearson")["value"] == pytest.approx(
        -told(tables[1], "length", "pearson")["value"]
    )


def test_a_system_that_lost_its_ratings_to_a_slip_stands_first(scores, ratings):
    for slip in ("Good", "good ", "goood"):
        wrong = ratings.with_columns(pl.col("system").replace("good", slip))
        number = wrong.filter(pl.col("system") == slip).height
        notes = correlate(scores, wrong, permutations=0, resamples=0).notes
        assert notes[0].startswith(
            f"'good' has no rating, and the ratings of '{slip}' are left out: did you mean 'good'"
        )
        told = f"{number} of '{slip}' left out: no such system is scored; did you mean 'good'?"
        assert any(told in note for note in notes)
    # A system that is left out as asked has lost nothing.
    wrong = ratings.with_columns(pl.col("system").replace("good", "Good"))
    notes = correlate(scores, wrong, without=["good"], permutations=0, resamples=0).notes
    assert not any("has no rating" in note for note in notes)


def test_notes_on_data_stand_before_notes_on_values(testset, scores, ratings):
    answers = pl.DataFrame(
        [("good", id, "" if id == "1" else "a") for id in testset.ids],
        schema=["system", "id", "text"],
        orient="row",
    )
    measured = score(testset, answers, ["bleu:smoothing=exp"], resamples=0)
    slipped = ratings.with_columns(
        pl.when(pl.int_range(pl.len()) == 0).then(99.0).otherwise("score").alias("score")
    )
    notes = correlate(measured, slipped, permutations=0, resamples=0).notes
    assert notes[0].startswith("ratings: 99 is an outlier")
    assert "left out: no such system is scored" in notes[1]
    assert notes.index("'good': 1 empty reply, scored as such") > 1


def test_what_is_left_out_is_said(scores, ratings):
    more = pl.concat(
        [
            ratings,
            frame(
                [("1", "people", "r0", "overall", 5.0), ("nowhere", "good", "r0", "overall", 5.0)]
            ),
        ]
    )
    plain = correlate(scores, ratings, permutations=0, resamples=0)
    agreement = correlate(scores, more, permutations=0, resamples=0)
    assert agreement.table().equals(plain.table())
    assert agreement.signature == plain.signature
    notes = "\n".join(agreement.notes)
    assert "1 of 'people' left out: no such system is scored" in notes
    assert "ratings: 1 left out, of 1 item not among those scored (such as 'nowhere')" in notes
    machines = correlate(scores, ratings, without=["good"], permutations=0, resamples=0)
    assert set(machines.observations()["system"]) == {"cut", "mixed"}
    assert "without:good" in machines.signature
    assert machines.systems == 2
    few = ratings.filter(pl.col("system") != "mixed")
    assert "'mixed' has no rating" in correlate(scores, few, permutations=0, resamples=0).notes


def test_items_that_one_metric_cannot_score_are_left_out_for_all(ratings):
    bare = [[] if i < 3 else each for i, each in enumerate(REFERENCES)]
    testset = TestSet.from_lists(bare)
    rows = [
        (name, id, text)
        for name, replies in REPLIES.items()
        for id, text in zip(testset.ids, replies, strict=True)
    ]
    responses = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    scores = score(testset, responses, ["bleu", "length"], drop_unusable=True, resamples=0)
    agreement = correlate(scores, ratings, permutations=0, resamples=0)
    assert not {"1", "2", "3"} & set(agreement.observations()["id"])
    assert any("3 rated items left out for all metrics alike" in note for note in agreement.notes)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (lambda r: r.drop("rater"), InputError, "no column 'rater'"),
        (lambda r: r.head(0), InputError, "no ratings; expected at least one"),
        (lambda r: pl.concat([r, r.head(1)]), InputError, "duplicate rating"),
        (lambda r: r.with_columns(pl.col("system") + "x"), InputError, "none of which is scored"),
        (
            lambda r: r.with_columns(pl.col("system").str.slice(1)),
            InputError,
            "by changing the names in the file of ratings: for example 'ood' as 'good'",
        ),
        (lambda r: r.with_columns(pl.col("id") + "x"), InputError, "no id is among the scored"),
        (lambda r: r.with_columns(score=pl.lit(math.inf)), InputError, "finite number"),
        (lambda r: r.with_columns(score=pl.lit(None)), InputError, "score null at id '1'"),
        (lambda r: r.with_columns(score=pl.lit(math.nan)), InputError, "score NaN at id '1'"),
        (lambda r: r.with_columns(rater=pl.lit(None)), InputError, "no rater at id '1'"),
    ],
)
def test_ratings_that_do_not_fit_are_told(scores, ratings, change, error, words):
    with pytest.raises(error, match=words):
        correlate(scores, change(ratings))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (
            {"protocol": "sentence"},
            "choose 'turn', 'dialogue', 'unit', 'system', 'pairwise' or 'soft'",
        ),
        ({"correlations": ["kendall"]}, "choose 'pearson'"),
        ({"correlations": []}, "choose of 'pearson'"),
        ({"permutations": -1}, "permutations=-1"),
        ({"resamples": -1}, "resamples=-1"),
        ({"seed": -1}, "seed=-1"),
        ({"without": ["nobody"]}, "'nobody' is unknown"),
    ],
)
def test_parameters_out_of_range_are_told(scores, ratings, parameters, words):
    with pytest.raises(ParameterError, match=words):
        correlate(scores, ratings, **parameters)
    with pytest.raises(ParameterError, match="epsilon=-1"):
        Pairwise(-1)
    with pytest.raises(ParameterError, match="epsilon='most'"):
        Pairwise("most")


@pytest.mark.parametrize("protocol", ["turn", "system", "pairwise"])
def test_ratings_all_alike_are_a_reason_and_no_number(scores, ratings, protocol):
    alike = ratings.with_columns(score=pl.lit(3.0))
    agreement = correlate(scores, alike, protocol, permutations=20, resamples=100)
    table = agreement.table().filter(pl.col("metric") == "ROUGE-L")
    for row in table.iter_rows(named=True):
        if row["correlation"] == "accuracy":  # people tie everywhere, and the metric does not
            assert row["value"] < 0.5
        else:
            assert math.isnan(row["value"])
            assert row["reason"] in ("all ratings equal", "people rate all pairs alike")
    pairs = agreement.comparisons().row(0, named=True)
    assert protocol == "pairwise" or pairs["reason"] == "all ratings equal"


def test_one_item_and_one_reply(scores, ratings):
    one = ratings.filter(pl.col("id") == "1")
    row = told(correlate(scores, one, permutations=20, resamples=100).table(), "length", "pearson")
    assert row["n"] == 3
    assert row["reason"] == "no interval: fewer than 4 contexts to resample"
    single = one.head(1)
    row = told(
        correlate(scores, single, permutations=20, resamples=100).table(), "length", "pearson"
    )
    assert math.isnan(row["value"])
    assert row["reason"] == "fewer than 2 observations"
    row = correlate(scores, single, "pairwise").table().row(0, named=True)
    assert row["reason"] == "no context has two rated replies"


def with_an_empty_reply(testset, empty):
    replies = ["" if i in empty else text or "x" for i, text in enumerate(HYPOTHESES)]
    rows = [("good", id, text) for id, text in zip(testset.ids, replies, strict=True)]
    responses = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    return score(testset, responses, ["distinct", "length"], resamples=0)


def test_a_reply_without_a_score_is_left_out_of_that_metric_and_counted(testset):
    # Distinct-1 of an empty reply is undefined, its length is 0. What distinct-1 lacks takes nothing
    # from length, whose numbers are those that it has alone; two metrics are compared on the 39
    # replies that both score.
    scores = with_an_empty_reply(testset, {4})
    rated = frame(
        [(id, "good", "mean", "overall", float(i % 5)) for i, id in enumerate(testset.ids)]
    )
    both = correlate(scores, rated, permutations=9, resamples=100)
    numbers = dict(both.table().filter(correlation="pearson").select("metric", "n").iter_rows())
    assert numbers == {"distinct-1": 39, "length": 40, "random": 40}
    assert both.table()["reason"].is_null().all()
    assert [note for note in both.notes if "left out" in note] == [
        "distinct-1: 1 of 40 rated replies left out of its own row, without a score under "
        "this metric; other metrics keep them"
    ]
    length = replace(scores, measured={"length": scores.measured["length"]})
    alone = correlate(length, rated, permutations=9, resamples=100).table()
    assert_frame_equal(both.table().filter(metric="length"), alone.filter(metric="length"))
    pair = both.comparisons("pearson").row(0, named=True)
    scored = both.observations().filter(pl.col("distinct-1").is_not_nan())
    assert (pair["n"], scored.height) == (39, 39)
    for side in "ab":
        x, y = scored[pair[side]].to_numpy(), scored["human"].to_numpy()
        assert pair[f"value_{side}"] == pytest.approx(stats.pearsonr(x, y)[0])


def test_a_metric_that_scores_few_replies_takes_none_from_the_others(testset):
    scores = with_an_empty_reply(testset, set(range(25)))
    rated = frame(
        [(id, "good", "mean", "overall", float(i % 5)) for i, id in enumerate(testset.ids)]
    )
    table = correlate(scores, rated, permutations=0, resamples=0).table()
    rows = {row["metric"]: row for row in table.iter_rows(named=True)}
    assert math.isnan(rows["distinct-1"]["value"])
    assert rows["distinct-1"]["reason"] == "25 of 40 observations have no score of their own"
    assert rows["length"]["n"] == 40
    assert not math.isnan(rows["length"]["value"])


def test_grades_off_the_scale_are_named_and_strays_noted(scores, ratings):
    slipped = ratings.with_columns(
        pl.when(pl.int_range(pl.len()) == 7).then(60.0).otherwise("score").alias("score")
    )
    row = slipped.row(7, named=True)
    with pytest.raises(InputError, match=rf"60 of '{row['system']}' at id '{row['id']}'.* is off"):
        correlate(scores, slipped, scale=(-50, 50), permutations=0, resamples=0)
    told = correlate(scores, slipped, permutations=0, resamples=0).notes
    assert any("60 is an outlier (given once" in note for note in told)
    silent = correlate(scores, slipped, scale=(-100, 100), permutations=0, resamples=0).notes
    assert not any("apart" in note for note in silent)


def test_everything_that_makes_the_numbers_is_in_the_signature(scores, ratings):
    agreement = correlate(
        scores, ratings, System(), raters="median", permutations=30, resamples=100
    )
    assert agreement.signature.startswith(
        "protocol:system|correlations:pearson+spearman+kendall-b|criterion:overall|raters:median|"
        "perm:30|bs:100|seed:12345|ratings:"
    )
    assert set(agreement.signatures) == set(scores.labels)
    changed = ratings.with_columns(pl.col("score").reverse())
    assert correlate(scores, changed, System(), permutations=0).signature != agreement.signature


def test_blocks_of_items_have_no_replies(tmp_path, testset, ratings):
    from rejoinder.tables.write import write_responses, write_testset

    write_testset(testset, tmp_path / "t.parquet")
    rows = [("good", id, text) for id, text in zip(testset.ids, HYPOTHESES, strict=True)]
    responses = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    write_responses(responses, tmp_path / "r.parquet")
    files = tmp_path / "t.parquet", [tmp_path / "r.parquet"]
    blocks = score_parquet(*files, ["bleu"], block=10, resamples=0)
    with pytest.raises(ParameterError, match="blocks of items"):
        correlate(blocks, ratings)
