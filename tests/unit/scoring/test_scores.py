"""The Scores table against naive loops and figures worked by hand."""

import math

import numpy as np
import polars as pl
import pytest

from random_text import corpus
from rejoinder import TestSet, load_scores, score
from rejoinder.errors import InputError, ParameterError
from rejoinder.metrics import BLEU, DeltaBLEU

HYPOTHESES, REFERENCES = corpus(seed=11, n=40)
TESTSET = TestSet.from_lists(REFERENCES)


def responses(**systems):
    rows = [
        (name, item, text)
        for name, replies in systems.items()
        for item, text in zip(TESTSET.ids, replies, strict=True)
    ]
    return pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")


TWO = responses(good=HYPOTHESES, cut=[text[: len(text) // 2] for text in HYPOTHESES])


def test_the_interval_is_the_naive_loops():
    metric = BLEU(order=2)
    scores = score(TESTSET, TWO, [metric], resamples=200, seed=3)
    rows = scores.measured["BLEU-2"].rows.values[0]
    left_out = [float(metric.score(np.delete(rows, i, axis=0).sum(axis=0))) for i in range(40)]
    error = np.sqrt(39 * np.var(left_out))  # sqrt(39 / 40 times the sum of 40 squares)
    row = scores.systems().filter(pl.col("system") == "good").row(0, named=True)
    # On the logit scale the error is that over x (1 - x); t of 39 degrees of freedom is 2.022691.
    x = row["value"]
    reach = 2.022691 * error / (x * (1 - x))
    ends = [1 / (1 + np.exp(-(np.log(x / (1 - x)) + sign * reach))) for sign in (-1, 1)]
    assert [row["low"], row["high"]] == pytest.approx(ends, abs=1e-6)
    assert "|ci:jackknife-t|bs:200|seed:3|" in row["signature"]


def test_systems_stand_best_first_and_resamples_zero_gives_no_interval():
    table = score(TESTSET, TWO, ["bleu"], resamples=0).systems()
    assert table["system"].to_list() == ["good", "cut"]
    assert table["value"].is_sorted(descending=True)
    assert table["low"].is_nan().all()


def test_segments_are_the_metrics_own():
    table = score(TESTSET, TWO, ["bleu:order=1"], resamples=0).segments()
    own = BLEU(order=1).segments(HYPOTHESES, REFERENCES)
    assert table.filter(pl.col("system") == "good")["BLEU-1"].to_list() == own.tolist()


def test_groups_are_scored_apart():
    contexts = TESTSET.contexts.with_columns(topic=pl.Series(["x"] * 10 + ["y"] * 30))
    testset = TestSet(contexts, TESTSET.references)
    table = score(testset, TWO, ["bleu:order=1"], resamples=0).by("topic")
    assert table["n"].to_list() == [10, 10, 30, 30]
    alone = BLEU(order=1).corpus(HYPOTHESES[:10], REFERENCES[:10]).value
    assert table.row(0, named=True)["value"] == pytest.approx(alone, abs=1e-15)
    with pytest.raises(ParameterError, match="no column 'nonsense'; choose 'topic'"):
        score(testset, TWO, ["bleu"], resamples=0).by("nonsense")


def test_items_without_a_value_are_one_group():
    contexts = TESTSET.contexts.with_columns(topic=pl.Series(["", " ", None] * 10 + ["y"] * 10))
    testset = TestSet(contexts, TESTSET.references)
    table = score(testset, TWO, ["bleu"], resamples=0).by("topic")
    assert table.select("topic", "n").rows() == [(None, 30), (None, 30), ("y", 10), ("y", 10)]


def test_the_order_of_rows_is_irrelevant():
    # Joined by id, never by line number.
    expected = score(TESTSET, TWO, ["bleu"]).systems()
    shuffled = TWO.sample(fraction=1.0, shuffle=True, seed=5).sort("system", descending=True)
    references = TESTSET.references.with_row_index("i").sort(pl.col("i") % 7, maintain_order=True)
    mixed = TestSet(TESTSET.contexts, references.drop("i"))
    assert score(mixed, shuffled, ["bleu"]).systems().equals(expected)


def test_an_item_without_a_reference_is_named_or_counted():
    testset = TestSet.from_lists([["yes"], []])
    answers = pl.DataFrame({"system": ["a", "a"], "id": ["1", "2"], "text": ["yes", "no"]})
    with pytest.raises(InputError, match=r"item '2' has no reference \(1 of 2 items\)"):
        score(testset, answers, ["bleu:order=1"])
    scores = score(testset, answers, ["bleu:order=1"], drop_unusable=True)
    assert scores.systems()["n"].to_list() == [1]
    assert scores.notes[0] == "BLEU-1: 1 of 2 items dropped: each has no reference"
    assert scores.segments()["BLEU-1"].is_nan().to_list() == [False, True]


def test_an_item_without_a_positive_weight_is_named_or_counted():
    testset = TestSet.from_lists([["yes"], ["no"]], [[0.5], [-0.5]])
    answers = pl.DataFrame({"system": ["a", "a"], "id": ["1", "2"], "text": ["yes", "no"]})
    with pytest.raises(InputError, match="item '2' has no reference of positive weight"):
        score(testset, answers, ["deltableu"])
    scores = score(testset, answers, ["deltableu:order=1", "bleu:order=1"], drop_unusable=True)
    assert scores.systems()["n"].to_list() == [1, 2]


def test_missing_replies():
    short = TWO.filter(~((pl.col("system") == "cut") & (pl.col("id") == "7")))
    with pytest.raises(InputError, match="7"):
        score(TESTSET, short, ["bleu"])
    dropped = score(TESTSET, short, ["bleu"], missing="drop")
    assert dropped.systems()["n"].to_list() == [39, 39]
    assert dropped.notes[0] == "1 item dropped that a system did not answer"
    filled = score(TESTSET, short, ["bleu"], missing="empty")
    assert filled.notes[0] == "1 missing reply of 'cut' scored as empty"


def test_two_metrics_of_one_label_are_told_apart():
    scores = score(TESTSET, TWO, ["bleu", "bleu:lowercase=true"], resamples=0)
    assert scores.labels == ["BLEU-2 (default)", "BLEU-2 (lowercase=True)"]
    with pytest.raises(ParameterError, match="wanted twice"):
        score(TESTSET, TWO, ["bleu", "bleu"])


def test_parts_hold_what_the_value_is_made_of():
    testset = TestSet.from_lists([["a b"]], [[0.5]])
    answers = pl.DataFrame({"system": ["s"], "id": ["1"], "text": ["a c"]})
    parts = score(testset, answers, [DeltaBLEU(order=2)], resamples=0).parts()
    assert parts["deltaBLEU-2"]["s"] == {
        "precisions": [0.5, 0.0],  # 'a' of 'a', 'c'; no bigram
        "bp": 1.0,
        "hypothesis_length": 2.0,
        "reference_length": 2.0,
        "numerators": [0.5, 0.0],  # w times 1 match
        "denominators": [1.0, 0.5],  # w times 2 unigrams, 1 bigram
    }


def test_the_same_seed_gives_the_same_figures_and_another_gives_others():
    one = score(TESTSET, TWO, ["bleu"], seed=1).systems()
    assert score(TESTSET, TWO, ["bleu"], seed=1).systems().equals(one)
    # The interval draws nothing; the tests of two systems do.
    assert (
        score(TESTSET, TWO, ["bleu"], seed=2)
        .systems()
        .drop("signature")
        .equals(one.drop("signature"))
    )
    one, again, other = (
        score(TESTSET, TWO, ["bleu"], seed=seed).resampled("BLEU-2").tolist() for seed in (1, 1, 2)
    )
    assert one == again != other


def test_saved_scores_answer_every_question_again(tmp_path):
    scores = score(TESTSET, TWO, ["bleu", "distinct", "deltableu"], drop_unusable=True)
    scores.save(tmp_path / "s.parquet")
    loaded = load_scores(tmp_path / "s.parquet")
    assert loaded.systems().equals(scores.systems())
    assert loaded.segments().equals(scores.segments())
    assert loaded.compare(permutations=50).equals(scores.compare(permutations=50))
    assert loaded.notes == scores.notes
    text = (tmp_path / "s.parquet").read_bytes()
    assert not any(reply.encode() in text for reply in HYPOTHESES if len(reply) > 20)


def test_a_file_that_holds_no_scores_is_told(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        load_scores(tmp_path / "none.parquet")
    (tmp_path / "junk.parquet").write_bytes(b"PAR1junk")
    with pytest.raises(InputError, match="no readable Parquet file"):
        load_scores(tmp_path / "junk.parquet")
    TWO.write_parquet(tmp_path / "other.parquet")
    with pytest.raises(InputError, match="not of scores"):
        load_scores(tmp_path / "other.parquet")


def test_nothing_is_left_behind_where_a_file_cannot_be_written(tmp_path):
    scores = score(TESTSET, TWO, ["bleu"])
    with pytest.raises(InputError):
        scores.save(tmp_path / "no" / "such" / "folder.parquet")
    assert list(tmp_path.iterdir()) == []


def test_a_system_that_quotes_the_references_is_named():
    testset = TestSet.from_lists([["Yes, please."], ["no"], ["at nine"]])
    rows = [("people", "1", "yes , please ."), ("people", "2", "no"), ("people", "3", "x")]
    answers = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    (note,) = score(testset, answers, ["bleu"], resamples=0).notes
    assert "'people' gives a reference of the very item in 2 of 3 items" in note


@pytest.mark.parametrize(
    ("items", "told", "words"),
    [
        (3, False, "3 items: no interval; it takes 4 or more"),
        (4, True, "4 items alone: intervals of so few are rough"),
        (9, True, "9 items alone: intervals of so few are rough"),
        (10, True, None),
    ],
)
def test_few_items_have_no_interval_or_a_warning(items, told, words):
    testset = TestSet.from_lists([[text] for text in HYPOTHESES[:items]])
    ids = testset.ids
    rows = {"system": ["a"] * items + ["b"] * items, "id": ids * 2}
    texts = [*HYPOTHESES[:items], *reversed(HYPOTHESES[:items])]
    scores = score(testset, pl.DataFrame(rows | {"text": texts}), ["bleu:order=1"])
    low = dict(scores.systems().select("system", "low").iter_rows())
    assert (low["b"] == low["b"]) is told
    assert math.isnan(low["a"])  # its own references: 1 in every resample
    row = scores.compare().row(0, named=True)
    assert (row["low"] == row["low"]) is told
    assert (row["p_bootstrap"] == row["p_bootstrap"]) is told
    assert row["p_randomization"] >= 2 / 2**items  # exact, so it holds for few items too
    few = [note for note in scores.notes if "no interval" in note or "rough" in note]
    assert len(few) == (words is not None)
    assert all(words in note for note in few)


def test_paths_instead_of_tables_are_told():
    with pytest.raises(ParameterError, match=r"rejoinder.read_testset\(path\)"):
        score("testset.jsonl", TWO)
    with pytest.raises(ParameterError, match="read_responses"):
        score(TESTSET, "responses.jsonl")
    assert score(TESTSET, TWO, "bleu").labels == ["BLEU-2"]


def test_intervals_end_where_the_metric_ends():
    testset = TestSet.from_lists([["x"]] * 4)
    answers = pl.DataFrame({"system": ["s"] * 4, "id": testset.ids, "text": ["a b", "c", "d", "d"]})
    row = score(testset, answers, ["distinct"]).systems().row(0, named=True)
    assert row["low"] <= row["value"] <= row["high"] <= 1


def test_a_table_says_in_one_line_what_it_is():
    assert repr(score(TESTSET, TWO, ["bleu"])).startswith("Scores(2 systems, 40 items; BLEU-2;")


def test_a_group_without_an_item_to_score_is_undefined():
    contexts = pl.DataFrame({"id": ["1", "2"], "context": [["a"], ["b"]], "n": ["x", "y"]})
    references = pl.DataFrame({"id": ["1"], "text": ["yes"]})
    testset = TestSet(contexts, references)
    answers = pl.DataFrame({"system": ["s", "s"], "id": ["1", "2"], "text": ["yes", "no"]})
    scores = score(testset, answers, ["bleu:order=1"], drop_unusable=True)
    table = scores.by("n")  # a name that the table of scores has itself
    assert table.columns[:2] == ["group", "metric"]
    assert table["n"].to_list() == [1, 0]
    assert table["value"].is_nan().to_list() == [False, True]


def test_columns_of_any_name_survive_a_file(tmp_path):
    contexts = TESTSET.contexts.with_columns(
        pl.lit("a").alias("system"), pl.lit("b").alias("BLEU-2.matches_1"), n=pl.lit(1)
    )
    scores = score(TestSet(contexts, TESTSET.references), TWO, ["bleu"])
    scores.save(tmp_path / "s.parquet")
    loaded = load_scores(tmp_path / "s.parquet")
    assert loaded.items.equals(scores.items)
    assert loaded.by("system").equals(scores.by("system"))


def test_a_file_of_another_kind_is_not_written(tmp_path):
    scores = score(TESTSET, TWO, ["bleu"])
    with pytest.raises(InputError, match=r"ends in \.parquet"):
        scores.save(tmp_path / "s.csv")
