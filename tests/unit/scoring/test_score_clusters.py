"""Clusters of items in scores and comparisons: what is resampled, left out and swapped."""

import math
from datetime import timedelta

import numpy as np
import polars as pl
import pytest

from random_text import corpus
from rejoinder import TestSet, compare, load_scores, score
from rejoinder.batches.batch import Batch
from rejoinder.errors import InputError, ParameterError
from rejoinder.metrics import DistinctN
from rejoinder.metrics.engine.rows import Matrix, rows_of
from rejoinder.metrics.ruq import RUQ
from rejoinder.scoring.clusters import clustered, repeated_items, worth
from rejoinder.scoring.measurements import Measured
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.clusters import Groups, mean_variance
from rejoinder.statistics.proportions import wilson

HYPOTHESES, REFERENCES = corpus(seed=5, n=48)
METRICS = ["bleu", "rougeL", "length", "chrf"]
NUMBERS = ("value", "low", "high")
OF_A_PAIR = ("difference", "low", "high", "p_randomization", "detectable")


def measured(labels, texts=HYPOTHESES, references=REFERENCES, metrics=METRICS, **options):
    contexts = [[f"turn {i}"] for i in range(len(texts))]
    testset = TestSet.from_lists(references, contexts=contexts)
    if labels is not None:
        column = pl.Series(options.pop("column", "conversation"), labels)
        testset = TestSet(testset.contexts.with_columns(column), testset.references)
    replies = {"a": texts, "b": [text[: len(text) // 2] for text in texts]}
    rows = [(s, i, t) for s in replies for i, t in zip(testset.ids, replies[s], strict=True)]
    answers = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    return score(testset, answers, metrics, **options)


def repeated(times, **options):
    """Twelve conversations, each turn of which stands several times."""
    order = np.repeat(np.arange(12), times)
    return measured(
        [f"c{k}" for k in order],
        [HYPOTHESES[k] for k in order],
        [REFERENCES[k] for k in order],
        **options,
    )


def of(table, names):
    return np.array(table.select(names).rows(), dtype=float)


def test_turns_that_repeat_add_nothing():
    once, often = repeated(1), repeated(20)
    one, many = once.systems(), often.systems()
    np.testing.assert_allclose(of(many, NUMBERS), of(one, NUMBERS), rtol=1e-11)
    np.testing.assert_allclose(many["design_effect"].drop_nans(), 20, rtol=0.25)
    one, many = once.compare(permutations=5000), often.compare(permutations=5000)
    np.testing.assert_allclose(of(many, OF_A_PAIR), of(one, OF_A_PAIR), rtol=1e-9)
    assert many["n"].unique().to_list() == [240]
    assert many["clusters"].unique().to_list() == [12]
    assert any(
        each.startswith(
            "240 items in 12 clusters of 'conversation', worth about 12 independent ones"
        )
        for each in often.notes
    ), often.notes


def test_items_are_worth_least_to_the_system_whose_turns_are_alike():
    # Four turns for each conversation: those of "alike" are equal, those of "apart" cancel out.
    ids = [str(k) for k in range(48)]
    contexts = [[f"turn {k}"] for k in ids]
    testset = TestSet.from_lists([["a"]] * 48, contexts=contexts)
    column = pl.Series("conversation", [k // 4 for k in range(48)])
    testset = TestSet(testset.contexts.with_columns(column), testset.references)
    lengths = {
        "alike": [1 + k // 4 % 3 for k in range(48)],
        "apart": [1 + k % 4 for k in range(48)],
    }
    rows = [
        (s, i, "a " * n)
        for s, each in lengths.items()
        for i, n in zip(testset.ids, each, strict=True)
    ]
    answers = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    scores = score(testset, answers, ["length"])
    words = "worth about 12 to 48 independent ones (fewest: length of 'alike')"
    assert any(words in note for note in scores.notes), scores.notes


def test_repeated_items_without_a_cluster_have_a_note():
    words = "228 of 240 items repeat the context and the replies of another item"
    texts = [HYPOTHESES[k // 20] for k in range(240)]
    references = [REFERENCES[k // 20] for k in range(240)]
    contexts = [[f"turn {k // 20}"] for k in range(240)]
    testset = TestSet.from_lists(references, contexts=contexts)
    answers = pl.DataFrame({"system": "a", "id": testset.ids, "text": texts})
    assert [each for each in score(testset, answers, ["bleu"]).notes if words in each]
    apart = TestSet.from_lists(references, contexts=[[f"turn {k}"] for k in range(240)])
    without = TestSet.from_lists(references)
    for given in (apart, without):
        assert not any("another item" in each for each in score(given, answers, ["bleu"]).notes)


def test_an_item_that_is_its_own_cluster_changes_no_number():
    labels = [str(k) for k in range(48)]
    plain, own = measured(None), measured(labels, cluster="conversation")
    assert not plain.cluster
    assert own.cluster == "conversation"
    assert not measured(labels).cluster  # only where it is named
    for names in (NUMBERS, ("n",)):
        np.testing.assert_allclose(of(own.systems(), names), of(plain.systems(), names), rtol=1e-12)
    expected = plain.compare(permutations=300)
    assert own.compare(permutations=300).drop("clusters", "design_effect").equals(expected)
    np.testing.assert_allclose(own.systems()["design_effect"], 1, rtol=1e-9)


def test_the_interval_is_the_naive_loop_over_clusters():
    labels = [k // 5 for k in range(48)]
    scores = measured(labels, metrics=["length"])
    values = scores.segments().filter(pl.col("system") == "a")["length"].to_numpy()
    left_out = np.array([values[np.array(labels) != g].mean() for g in range(10)])
    error = np.sqrt(9 / 10 * ((left_out - left_out.mean()) ** 2).sum())
    row = scores.systems().row(0, named=True)
    assert row["clusters"] == 10
    # Nine clusters of 5 and one of 3: (9 (5 / 48)^(4/3) + (3 / 48)^(4/3))^-3 - 1 = 8.89 degrees.
    reach = 2.2665325111 * error / row["value"]  # on the log scale
    assert row["low"] == pytest.approx(row["value"] * np.exp(-reach), rel=1e-9)
    assert row["high"] == pytest.approx(row["value"] * np.exp(reach), rel=1e-9)
    expected = (error / (values.std(ddof=1) / np.sqrt(48))) ** 2
    assert row["design_effect"] == pytest.approx(expected, rel=1e-9)


def test_the_design_effect_of_a_difference_is_that_of_the_items_differences():
    labels = [k // 6 for k in range(48)]
    scores = measured(labels, metrics=["length"])
    table = scores.segments()
    a, b = (table.filter(pl.col("system") == s)["length"].to_numpy() for s in "ab")
    row = scores.compare("a", "b", permutations=10).row(0, named=True)
    groups = Groups.of(np.array(labels), 48)
    expected = mean_variance(a - b, groups) / ((a - b).var(ddof=1) / 48)
    assert row["design_effect"] == pytest.approx(expected, rel=1e-9)  # clusters of one size
    assert "design_effect" not in scores.clustered("none").compare("a", "b").columns


def test_whole_clusters_are_swapped():
    labels = [k // 8 for k in range(48)]
    scores = measured(labels, metrics=["length"])
    table = scores.segments()
    values = [table.filter(pl.col("system") == s)["length"].to_numpy() for s in "ab"]
    sums = np.array([(values[0] - values[1])[np.array(labels) == g].sum() for g in range(6)])
    signs = np.array([[1 - 2 * (k >> g & 1) for g in range(6)] for k in range(64)])
    p = np.mean(np.abs(signs @ sums) >= abs(sums.sum()) - 1e-9)
    row = scores.compare().row(0, named=True)
    assert row["p_randomization"] == p == 2 / 64
    note = "6 clusters alone: intervals of so few are rough; do not rely on them"
    assert note in scores.notes


def test_the_default_is_the_column_conversation():
    labels = [k // 4 for k in range(48)]
    default, off = measured(labels), measured(labels, cluster="none")
    assert default.cluster == "conversation"
    assert "|cluster:conversation|ci:jackknife-t|" in default.measured["BLEU-2"].signature
    assert not off.cluster
    assert off.systems().equals(measured(None).systems())
    other = measured(labels, column="user")
    assert not other.cluster
    assert other.clustered("user").systems()["low"].equals(default.systems()["low"])
    assert measured(labels, column="user", cluster="user").cluster == "user"
    again = default.clustered("none")
    assert (again.systems().equals(off.systems()), again.notes) == (True, off.notes)
    assert compare(default, cluster="none").table.equals(off.compare())
    assert default.clustered("conversation").notes == default.notes


def test_white_space_is_no_part_of_a_label():
    plain, padded = ([f"{blank}c{k // 4}" for k in range(48)] for blank in ("", " "))
    mixed = [
        one if k % 2 else other for k, (one, other) in enumerate(zip(plain, padded, strict=True))
    ]
    assert (
        measured(mixed).by("conversation")["n"].max()
        == measured(plain).by("conversation")["n"].max()
    )
    tables = [measured(labels).systems() for labels in (plain, mixed)]
    assert tables[0].equals(tables[1], null_equal=True)


def test_a_column_with_gaps(tmp_path):
    """An item without a value is a cluster of its own; without any cluster intervals are too narrow."""
    labels = [None, " ", *(f"c{k // 4}" for k in range(2, 48))]
    scores = measured(labels)
    filled = measured(["first", "second", *labels[2:]])
    assert scores.systems().equals(filled.systems(), null_equal=True)
    assert scores.cluster == "conversation"
    assert any("is empty for item '1' (2 of 48 items)" in each for each in scores.notes)
    assert scores.items.get_column("conversation").to_list() == [None, None, *labels[2:]]
    assert scores.clustered("none").clustered(None).notes == scores.notes
    with pytest.raises(InputError, match="item '1' has no value there"):
        scores.clustered("conversation")
    scores.save(tmp_path / "kept.parquet")
    kept = load_scores(tmp_path / "kept.parquet")
    assert kept.systems().equals(scores.systems(), null_equal=True)
    assert not measured([None] * 48).cluster
    with pytest.raises(InputError, match="item '1' has no value there"):
        measured(labels, cluster="conversation")
    with pytest.raises(ParameterError, match="no column 'topic'; choose 'conversation'"):
        scores.clustered("topic")
    with pytest.raises(ParameterError, match="cluster is int, expected the name of a column"):
        scores.clustered(3)  # pyright: ignore


@pytest.mark.parametrize(
    ("labels", "clusters"),
    [
        ([float(k // 4) if k % 5 else math.nan for k in range(48)], 22),  # NaN is no label
        ([k // 4 if k % 5 else None for k in range(48)], 22),
        ([k // 4 + 0.5 for k in range(48)], None),  # fractions name no clusters
        ([timedelta(days=k // 4) for k in range(48)], None),
        ([b"\xff" + bytes([k // 4]) for k in range(48)], None),
        ([[str(k // 4)] for k in range(48)], None),
    ],
)
def test_what_names_clusters_without_being_asked_for(labels, clusters):
    scores = measured(labels, metrics=["bleu"])
    assert scores.cluster == ("conversation" if clusters else "")
    if clusters:
        assert scores.systems()["clusters"].to_list() == [clusters] * 2
        assert not any("is empty for" in each for each in scores.clustered("none").notes)


def test_rates_of_different_items_are_worth_what_each_system_s_interval_says():
    rows = [
        ("ab"[s], str(k), float((k + s) % 3 > 0))
        for s in range(2)
        for k in range(48)
        if s or k >= 8  # system a did not answer the first items
    ]
    table = pl.DataFrame(rows, schema=["system", "id", "value"], orient="row")
    conversation = (pl.col("id").cast(pl.Int64) // 4).alias("conversation")
    scores = Scores.from_segments(table.with_columns(conversation), missing="pairwise")
    (label,) = scores.measured
    alone = [worth(scores.of(label, [s]), label).item() for s in range(2)]
    assert worth(scores, label).tolist() == alone
    assert any("in 12 clusters of 'conversation'" in each for each in scores.notes)


def test_saved_scores_keep_their_clusters(tmp_path):
    scores = measured([k // 4 for k in range(48)], metrics=["bleu", "distinct"])
    scores.save(tmp_path / "s.parquet")
    loaded = load_scores(tmp_path / "s.parquet")
    assert loaded.cluster == "conversation"
    assert loaded.systems().equals(scores.systems())
    assert loaded.compare(permutations=99).equals(scores.compare(permutations=99))
    assert loaded.clustered("none").systems()["low"].is_not_nan().all()


def test_a_group_of_items_has_its_own_clusters():
    scores = measured([k // 4 for k in range(48)])
    half = scores.select(np.arange(48) < 24)
    assert half.systems()["clusters"].unique().to_list() == [6]
    assert "24 items in 6 clusters" in half.notes[0]
    alone = scores.select(["1", "2", "3", "4"])
    assert alone.notes[0] == "1 cluster: no interval; it takes 4 or more"
    assert not any("of 'conversation'" in each for each in alone.notes)
    (one,) = scores.by("conversation").filter(pl.col("conversation") == 3)["clusters"].unique()
    assert one == 1


def test_bags_are_summed_by_cluster():
    texts = ["a b", "b c", "c", "d d", "", "a"]
    metric = DistinctN(order=1)
    batch = Batch.from_lists(texts, [[""]] * 6)
    rows = rows_of(metric.statistics(batch), 2)  # three items of two systems
    summed = rows.summed(Groups.of(np.array([1, 0, 1]), 3))
    for s in range(2):
        items = [[texts[2], texts[3]][s], " ".join([texts[s], texts[4 + s]])]
        own = rows_of(metric.statistics(Batch.from_lists(items, [[""]] * 2)), 1)
        assert summed.segments(metric)[s].tolist() == own.segments(metric)[0].tolist()
    assert metric.score(summed.sums()).tolist() == metric.score(rows.sums()).tolist()


def test_a_share_counts_what_its_items_are_worth():
    # 20 users with 5 equal prompts each: what 20 prompts say.
    wins = np.repeat(np.arange(20) % 2, 5).astype(float)
    rows = Matrix(np.stack([wins, np.zeros(100), np.ones(100)], axis=1)[:, None])
    items = pl.DataFrame({"id": [str(k) for k in range(100)], "user": np.arange(100) // 5})
    every = np.ones(100, dtype=bool)
    plain = Scores(("m",), items, {"RUQ": Measured(RUQ(), rows, every, "RUQ|ci:wilson|bs:1")})
    row = clustered(plain, "user").systems().row(0, named=True)
    expected = wilson(0.5, 20)
    assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert row["signature"] == "RUQ|cluster:user|ci:wilson|bs:1"
    assert plain.systems()["low"].item() == pytest.approx(wilson(0.5, 100).low, abs=1e-12)


@pytest.mark.parametrize(
    ("items", "repeats", "noted"), [(20, 5, True), (20, 4, False), (50, 5, True), (51, 5, False)]
)
def test_from_how_many_repeats_there_is_a_note(items, repeats, noted):
    # One item stands once more than it is repeated: 5 or more, and a tenth of all.
    places = [max(0, k - repeats) for k in range(items)]
    contexts = pl.DataFrame({"context": [[f"turn {k}"] for k in places]})
    replies = pl.Series([f"reply {k}" for k in places] * 2)  # of two systems
    assert bool(repeated_items(contexts, replies)) is noted
