"""Scores of other tools: by themselves, beside our metrics, saved and loaded, against numpy and scipy."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl
import pytest
from scipy import stats

import rejoinder
from rejoinder import External, Scores, TestSet, load_scores
from rejoinder.errors import InputError, ParameterError
from rejoinder.metrics import MeanMetric, mean_rows
from shared_data import dstc7

SYSTEMS = ("a", "b", "c")


def judge(n, systems=SYSTEMS, seed=3):
    """Marks of 1 to 5 and a share, of every reply."""
    rng = np.random.default_rng(seed)
    rows = len(systems) * n
    return pl.DataFrame(
        {
            "system": np.repeat(systems, n),
            "id": [str(i + 1) for i in range(n)] * len(systems),
            "judge": rng.integers(1, 6, rows).astype(float),
            "comet": rng.random(rows),
        }
    )


def texts(n, systems=SYSTEMS):
    testset = TestSet.from_lists([["yes please", "no"]] * n)
    replies = [pl.DataFrame({"system": s, "id": testset.ids, "text": ["yes"] * n}) for s in systems]
    return testset, pl.concat(replies)


def marks(frame, system, name="judge"):
    return frame.filter(pl.col("system") == system)[name].to_numpy()


@pytest.mark.parametrize("n", [4, 30, 400])
def test_mean_and_interval_are_those_of_a_t_distribution(n):
    frame = judge(n)
    table = Scores.from_segments(frame).systems().filter(metric="judge")
    for row in table.iter_rows(named=True):
        x = marks(frame, row["system"])
        ends = stats.t.interval(0.95, n - 1, x.mean(), stats.sem(x))
        assert [row["value"], row["low"], row["high"]] == pytest.approx(
            [x.mean(), *ends], abs=1e-12
        )
        assert row["n"] == n


def test_a_paired_difference_has_the_interval_of_the_paired_t_test():
    frame = judge(60)
    row = Scores.from_segments(frame).compare("a", "b").row(0, named=True)
    difference = marks(frame, "a") - marks(frame, "b")
    ends = stats.ttest_rel(marks(frame, "a"), marks(frame, "b")).confidence_interval()
    values = [row["difference"], row["low"], row["high"]]
    assert values == pytest.approx([difference.mean(), *ends], abs=1e-12)
    assert (row["wins"], row["losses"]) == ((difference > 0).sum(), (difference < 0).sum())


@pytest.mark.parametrize("n", [1, 2, 3, 100])
def test_sizes_from_one_item_on(n, tmp_path):
    scores = Scores.from_segments(judge(n))
    assert scores.items.height == n
    scores.save(tmp_path / "kept.parquet")
    assert load_scores(tmp_path / "kept.parquet").systems().equals(scores.systems())
    if n == 1:
        assert scores.systems()["low"].is_nan().all()


def test_segments_are_the_values_and_make_the_same_scores_again():
    frame = judge(12)
    segments = Scores.from_segments(frame).segments()
    assert segments.equals(frame)
    again = Scores.from_segments(segments)
    assert again.systems().equals(Scores.from_segments(frame).systems())


def test_beside_our_metrics_the_scores_of_other_tools_are_the_same_rows():
    testset, replies = texts(20)
    frame = judge(20)
    both = rejoinder.score(testset, replies, ["bleu", External("judge", frame)])
    assert both.labels == ["BLEU-2", "judge"]
    alone = Scores.from_segments(frame)
    for scores in (both, alone):
        assert scores.segments()["judge"].equals(frame["judge"])
    columns = ("system", "value", "low", "high", "n", "signature")
    one, other = (each.systems().filter(metric="judge").select(columns) for each in (both, alone))
    assert one.equals(other)


@dataclass(frozen=True)
class Judge(MeanMetric):
    """The same marks as a class of the user's own."""

    name: ClassVar[str] = "judge"
    source: ClassVar[str] = "this test"
    bounds: ClassVar[tuple[float, float]] = (-float("inf"), float("inf"))

    def statistics(self, batch):
        return mean_rows(judge(40)["judge"].to_numpy().reshape(3, 40).T.ravel())


def test_a_class_and_a_table_of_the_same_numbers_give_the_same_table():
    testset, replies = texts(40)
    own = rejoinder.score(testset, replies, [Judge()])
    table = Scores.from_segments(judge(40).drop("comet"))
    assert own.systems().drop("signature").equals(table.systems().drop("signature"))
    assert own.compare().equals(table.compare())
    assert own.leads().equals(table.leads())


def test_lower_values_may_be_better():
    frame = judge(50)
    scores = Scores.from_segments(frame, lower=["judge"])
    values = scores.systems().filter(metric="judge")["value"].to_list()
    assert values == sorted(values)
    assert scores.systems().filter(metric="comet")["value"].is_sorted(descending=True)
    assert "direction:lower" in scores.measured["judge"].signature
    mirrored = Scores.from_segments(frame.with_columns(-pl.col("judge")))
    one, other = scores.compare("a", "b"), mirrored.compare("a", "b")
    assert one["wins"].equals(other["wins"])
    assert one["p_randomization"].equals(other["p_randomization"])


def test_bounds_skew_the_interval_and_are_kept(tmp_path):
    frame = judge(20)
    scores = Scores.from_segments(frame, bounds={"judge": (1, 5)})
    free = Scores.from_segments(frame)
    low, high = (each.systems().filter(metric="judge")["low"] for each in (scores, free))
    assert not low.equals(high)
    scores.save(tmp_path / "kept.parquet")
    assert load_scores(tmp_path / "kept.parquet").measured["judge"].metric.bounds == (1.0, 5.0)
    with pytest.raises(
        ParameterError, match=r"value 1 of system '.' at id .* outside bounds=\(2, 5\)"
    ):
        External("judge", frame, bounds=(2, 5))


def test_the_signature_names_the_content_whatever_its_order():
    frame = judge(15)
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=2)
    one, other = (External("judge", each).signature() for each in (frame, shuffled))
    assert one == other
    changed = frame.with_columns(judge=pl.col("judge") + (pl.col("id") == "3"))
    assert External("judge", changed).signature() != one
    assert one.startswith("external|title:judge|direction:higher|values:")


def test_raters_and_samples_are_averaged_and_the_note_says_so():
    rows = [
        ("a", "1", "m", "x", "1", 2.0), ("a", "1", "m", "x", "2", 4.0), ("a", "1", "m", "y", "1", 5.0),
        ("a", "2", "m", "x", "1", 1.0), ("a", "2", "m", "y", "1", None),
    ]  # fmt: skip
    columns = ["system", "id", "name", "rater", "sample", "value"]
    scores = Scores.from_segments(pl.DataFrame(rows, schema=columns, orient="row"), resamples=0)
    # Item 1: the mean of (2 + 4) / 2 and 5; item 2: the only value.
    assert scores.segments()["m"].to_list() == [4.0, 1.0]
    assert "m: mean over 2 raters" in scores.notes
    assert "m: 1 reply was scored by fewer than 2 raters: the mean is over those" in scores.notes
    assert "m: mean over up to 2 samples of each prompt" in scores.notes
    assert "|raters:2|samples:2|" in scores.measured["m"].signature


def test_raters_of_other_scales_are_never_averaged():
    n = 20
    frames = [
        judge(n, ("a",)).select("system", "id", value=pl.col(name) * times, rater=pl.lit(name))
        for name, times in (("judge", 1), ("comet", 100))
    ]
    with pytest.raises(
        InputError, match=r"rater 'comet' \(.*\) cannot be on the scale of rater 'judge'"
    ):
        External("m", pl.concat(frames))


def test_unequal_probabilities_weigh_as_hajek_does():
    values, shares = np.array([1.0, 4.0, 5.0, 2.0]), np.array([0.5, 0.25, 1.0, 0.5])
    frame = pl.DataFrame(
        {"system": "a", "id": list("1234"), "value": values, "probability": shares}
    )
    scores = rejoinder.Scores.from_segments(frame)
    expected = (values / shares).sum() / (1 / shares).sum()
    assert scores.systems()["value"][0] == pytest.approx(expected, abs=1e-15)
    assert scores.segments().to_series(2).to_list() == values.tolist()


@pytest.mark.parametrize("absent", ["row", "null", "nan"])
def test_a_missing_value_is_an_error_or_drops_its_item(absent):
    testset, replies = texts(10)
    frame = judge(10)
    gone = (pl.col("system") == "b") & (pl.col("id") == "7")
    if absent == "row":
        frame = frame.filter(~gone)
    else:
        value = None if absent == "null" else float("nan")
        frame = frame.with_columns(judge=pl.when(gone).then(value).otherwise("judge"))
    metric = External("judge", frame)
    for missing in ("error", "empty"):
        with pytest.raises(
            InputError, match="judge: 1 value missing of 30: 'b' at id '7'; expected one"
        ):
            rejoinder.score(testset, replies, [metric], missing=missing)
    scores = rejoinder.score(testset, replies, ["bleu", metric], missing="drop")
    assert scores.notes[0] == "judge: 1 of 10 items dropped: 1 value missing"
    assert (scores.measured["judge"].n, scores.measured["BLEU-2"].n) == (9, 10)
    assert "|missing:drop|" in scores.measured["judge"].signature
    assert scores.segments().filter(id="7")["judge"].is_nan().all()
    kept = judge(10).filter(pl.col("id") != "7")
    alone = Scores.from_segments(kept).systems().filter(metric="judge")
    assert scores.systems().filter(metric="judge")["value"].equals(alone["value"])


def test_values_of_other_systems_and_ids_are_counted():
    testset, replies = texts(5, ("a",))
    scores = rejoinder.score(testset, replies, [External("judge", judge(6))])
    assert "judge: 13 values of other systems or ids not used" in scores.notes


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            pl.col("system").replace({"a": "A"}),
            "no reply has a value: system 'A' scored, 'a' replying",
        ),
        (
            pl.format("x{}", "id").alias("id"),
            "no reply has a value: no reply has the id 'x1', 'x2', 'x3' and 2 more",
        ),
        (pl.col("id").cast(pl.Int64) - 1, "the ids look off by one: the scores count from 0"),
    ],
    ids=["systems", "ids", "shifted"],
)
def test_values_that_meet_no_reply_are_an_error(change, message):
    testset, replies = texts(5, ("a",))
    frame = judge(5, ("a",)).with_columns(change)
    with pytest.raises(InputError, match=message):
        rejoinder.score(testset, replies, [External("judge", frame)], missing="drop")


def test_columns_of_the_test_set_group_and_cluster_the_scores():
    contexts = pl.DataFrame(
        {"id": [str(i + 1) for i in range(12)], "context": [["?"]] * 12, "topic": list("xyz") * 4}
    )
    references = pl.DataFrame({"id": contexts["id"], "text": "yes"})
    testset = TestSet(contexts, references)
    scores = Scores.from_segments(judge(12), testset)
    frame = judge(12).filter((pl.col("id").cast(int) % 3 == 1) & (pl.col("system") == "a"))
    row = scores.by("topic").filter(metric="judge", system="a", topic="x").row(0, named=True)
    assert row["value"] == frame["judge"].mean()
    clustered = Scores.from_segments(judge(12), testset, cluster="topic")
    assert clustered.systems()["clusters"].to_list() == [3] * 6


def test_kept_scores_of_other_tools_need_nothing_else(tmp_path):
    testset, replies = texts(20)
    metric = External("judge", judge(20), higher_is_better=False)
    scores = rejoinder.score(testset, replies, ["bleu", metric])
    scores.save(tmp_path / "kept.parquet")
    kept = load_scores(tmp_path / "kept.parquet")
    assert kept.notes == scores.notes
    assert kept.systems().equals(scores.systems())
    assert kept.compare().equals(scores.compare())
    kept.save(tmp_path / "again.parquet")
    assert load_scores(tmp_path / "again.parquet").systems().equals(scores.systems())
    with pytest.raises(ParameterError, match="its values are not in saved scores"):
        kept.measured["judge"].metric.rows(["a"], ["1"])
    with pytest.raises(ParameterError, match=r"pass it to rejoinder.score"):
        metric.corpus(["yes"], [["yes"]])


def test_a_made_up_judge_of_dstc7():
    replies, references = dstc7()
    ids = list(references)
    systems = sorted(replies)[:5]
    rng = np.random.default_rng(11)
    values = rng.normal(3, 1, (len(systems), len(ids))) + np.arange(len(systems))[:, None] / 10
    flat = [(s, i, replies[s][i]) for s in systems for i in ids]
    table = pl.DataFrame(flat, schema=["system", "id", "text"], orient="row")
    frame = table.drop("text").with_columns(judge=pl.Series(values.ravel()))
    testset = TestSet(
        pl.DataFrame({"id": ids, "context": [["?"]] * len(ids)}),
        pl.DataFrame({"id": ids, "text": "yes"}),
    )
    scores = rejoinder.score(testset, table, [External("judge", frame)])
    for s, system in enumerate(systems):
        row = scores.systems().filter(system=system).row(0, named=True)
        x = values[s]
        ends = stats.t.interval(0.95, x.size - 1, x.mean(), stats.sem(x))
        assert [row["value"], row["low"], row["high"]] == pytest.approx(
            [x.mean(), *ends], abs=1e-12
        )
    human = np.clip(np.rint(values + rng.normal(0, 1, values.shape)), 1, 5)
    ratings = frame.select("system", "id", score=pl.Series(human.ravel()), rater=pl.lit("1"),
                           criterion=pl.lit("overall"))  # fmt: skip
    names = ["pearson", "spearman", "kendall-b"]
    agreement = rejoinder.correlate(
        scores, ratings, correlations=names, permutations=0, resamples=0
    ).table()
    oracles = (stats.pearsonr, stats.spearmanr, stats.kendalltau)
    for name, oracle in zip(names, oracles, strict=True):
        row = agreement.filter(metric="judge", correlation=name).row(0, named=True)
        assert row["value"] == pytest.approx(oracle(values.ravel(), human.ravel())[0], abs=1e-12)


def test_pairwise_leaves_out_of_each_metric_what_it_lacks():
    testset, replies = texts(10)
    gone = (pl.col("system") == "b") & pl.col("id").is_in(["7", "8"])
    metric = External("judge", judge(10).filter(~gone))
    scores = rejoinder.score(testset, replies, ["bleu", metric], missing="pairwise")
    table = scores.systems()
    numbers = {(row["metric"], row["system"]): row["n"] for row in table.iter_rows(named=True)}
    assert numbers[("judge", "b")] == 8
    assert {n for key, n in numbers.items() if key != ("judge", "b")} == {10}
    pairs = scores.compare("a", "b").filter(metric="judge")
    assert pairs.select("n", "n_a", "n_b", "paired").row(0) == (8, 10, 8, True)
    complete = scores.compare("a", "b").filter(metric="BLEU-2")
    assert complete.select("n", "n_a", "n_b", "paired").row(0) == (10, 10, 10, True)
    assert scores.leads()["metric"].to_list() == ["BLEU-2", "judge"]
    kept = judge(10).filter(~pl.col("id").is_in(["7", "8"]))
    difference = marks(kept, "a") - marks(kept, "b")
    assert pairs["difference"][0] == pytest.approx(difference.mean(), abs=1e-12)
    assert "|missing:pairwise|" in scores.measured["judge"].signature
    assert "missing" not in scores.measured["BLEU-2"].signature


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"missing": "maybe"}, "missing: got 'maybe'; expected 'error', 'drop' or 'pairwise'"),
        ({"missing": "empty"}, "missing: got 'empty'; expected"),
        ({"testset": "testset.jsonl"}, "testset is str, expected a TestSet"),
        ({"lower": ["bleu"]}, "lower: no metric is called 'bleu'; choose 'judge' or 'comet'"),
        ({"lower": "judge"}, "lower is a string"),
        ({"bounds": {"judge": 3}}, "bounds is int, expected two numbers"),
        ({"bounds": {"bleu": (0, 1)}}, "bounds: no metric is called 'bleu'"),
        ({"bounds": {"judge": (5, 1)}}, "expected the least value before the greatest"),
        ({"cluster": "topic"}, "the contexts have no column 'topic'"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(ParameterError, match=message):
        Scores.from_segments(judge(5), **arguments)


def talks(n):
    """The same marks with the conversation of each item: three items each."""
    return judge(n).with_columns(conversation=pl.col("id").cast(pl.Int64) // 3)


def test_a_column_of_the_scores_names_clusters(tmp_path):
    testset = TestSet.from_lists([["yes"]] * 60)
    talk = talks(60).unique("id", maintain_order=True).get_column("conversation").cast(pl.String)
    contexts = testset.contexts.with_columns(conversation=talk)
    expected = Scores.from_segments(judge(60), TestSet(contexts, testset.references))
    assert expected.cluster == "conversation"
    talks(60).write_csv(tmp_path / "marks.csv")
    long = talks(60).unpivot(
        ["judge", "comet"], index=["system", "id", "conversation"], variable_name="name"
    )
    for table in (talks(60), long, rejoinder.read_scores(tmp_path / "marks.csv")):
        scores = Scores.from_segments(table)
        assert scores.systems().equals(expected.systems())
        assert (
            Scores.from_segments(table, cluster="none").systems()["low"][0]
            != scores.systems()["low"][0]
        )


def test_any_column_of_the_scores_names_clusters_where_it_is_asked_for(tmp_path):
    expected = Scores.from_segments(talks(60)).systems().drop("signature")
    talk = talks(60).rename({"conversation": "user"})  # a rater is called so too
    talk.write_csv(tmp_path / "marks.csv")
    read = rejoinder.read_scores(tmp_path / "marks.csv", cluster="user")
    lists = TestSet.from_lists([["yes"]] * 60)
    floats = talk.with_columns(pl.col("user").cast(pl.Float64))
    for table, items in ((talk, None), (floats, None), (read, None), (read, lists)):
        scores = Scores.from_segments(table, items, cluster="user")
        assert scores.labels == ["judge", "comet"]
        assert scores.systems().drop("signature").equals(expected)


def test_none_keeps_the_conversations_of_scores_for_later(tmp_path):
    scores = Scores.from_segments(talks(60), cluster="none")
    assert (scores.cluster, "conversation" in scores.items.columns) == ("", True)
    scores.save(tmp_path / "kept.parquet")
    kept = load_scores(tmp_path / "kept.parquet").clustered("conversation")
    assert kept.systems().equals(Scores.from_segments(talks(60)).systems())


@pytest.mark.parametrize("cells", [None, "", [1, 2]], ids=["nulls", "empty", "lists"])
def test_a_column_that_names_no_clusters_leaves_the_items_independent(cells):
    scores = Scores.from_segments(judge(60).with_columns(conversation=pl.lit(cells)))
    assert (
        scores.systems()
        .drop("signature")
        .equals(Scores.from_segments(judge(60)).systems().drop("signature"))
    )


def test_a_conversation_of_scores_that_cannot_be_used_is_noted():
    one = (
        pl.when(pl.col("id") == "1")
        .then(pl.lit(" "))
        .otherwise(pl.col("conversation").cast(pl.String))
    )
    scores = Scores.from_segments(talks(60).with_columns(conversation=one))
    assert (scores.cluster, "is empty for item '1'" in " ".join(scores.notes)) == (
        "conversation",
        True,
    )
    scores = Scores.from_segments(talks(60).with_columns(conversation="system"))
    assert "id '1' has two values in the column 'conversation'" in " ".join(scores.notes)


def test_a_frame_is_read_as_a_file_is(caplog):
    """Names of other tools, no column of systems, and what is no metric has a note."""
    frame = judge(20).rename({"system": "model", "id": "item_id"}).with_columns(latency_ms=3.0)
    assert (
        Scores.from_segments(frame).systems().height
        == Scores.from_segments(judge(20)).systems().height
    )
    assert "left out: latency_ms" in caplog.text
    one = judge(20).filter(pl.col("system") == "a").drop("system")
    assert Scores.from_segments(one).names == ("scores",)


def test_a_frame_without_rows_is_refused():
    with pytest.raises(InputError, match="expected at least one row"):
        Scores.from_segments(judge(20).head(0).select("system", "id", value="judge"))


def test_clusters_that_nobody_filled_in_are_none():
    scores = Scores.from_segments(talks(60).with_columns(conversation=pl.lit(None, pl.String)))
    assert (scores.cluster, [each for each in scores.notes if "conversation" in each]) == ("", [])


@pytest.mark.parametrize("column", ["criterion", "winner", "user"])
def test_any_other_column_may_name_clusters(column):
    """Also one that another kind of table has, or that another tool calls a rater."""
    scores = Scores.from_segments(talks(60).rename({"conversation": column}), cluster=column)
    assert scores.cluster == column


def test_a_constant_metric_says_nothing_of_what_items_are_worth():
    plain, more = (
        Scores.from_segments(each) for each in (talks(60), talks(60).with_columns(temperature=0.7))
    )
    assert [each for each in plain.notes if "worth" in each] == [
        each for each in more.notes if "worth" in each
    ]


@pytest.mark.parametrize("name", ["", " ", "a|b", "system", "id"])
def test_a_name_heads_a_column(name):
    with pytest.raises(ParameterError, match="give the metric a name of its own"):
        External(name, judge(5).drop("comet"))
