"""Systems that answered different items: an observation is a rated reply."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

import rejoinder
from random_text import corpus
from rejoinder import Scores, TestSet, correlate, score
from rejoinder.errors import ParameterError
from rejoinder.statistics.within_systems import WithinSystems
from shared_data import shared

SYSTEMS, EACH = ("a", "b", "c", "d"), 30
TEXTS, REFERENCES = corpus(seed=11, n=len(SYSTEMS) * EACH)
TESTSET = TestSet.from_lists(REFERENCES)
SCHEMA = ["id", "system", "rater", "criterion", "score"]


OWNER = {id: SYSTEMS[i // EACH] for i, id in enumerate(TESTSET.ids)}


@pytest.fixture(scope="module")
def scores():
    """The shape of GRADE's ConvAI2: four systems, no context shared."""
    rows = [(OWNER[id], id, text) for id, text in zip(TESTSET.ids, TEXTS, strict=True)]
    replies = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    return score(TESTSET, replies, ["sbleu", "length"], missing="pairwise", resamples=0)


@pytest.fixture(scope="module")
def ratings(scores):
    rng = np.random.default_rng(2)
    segments = scores.segments().select("system", "id", "length")
    values = {id: value for system, id, value in segments.iter_rows() if system == OWNER[id]}
    rows = [
        (id, name, "mean", "overall", values[id] / 5 + ord(name) % 5 + rng.normal())
        for id, name in OWNER.items()
    ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def table_of(scores, ratings):
    return scores.segments().join(ratings, on=["system", "id"], how="inner")


def test_pooled_and_within_are_scipy_on_the_rated_replies(scores, ratings):
    table = correlate(scores, ratings, permutations=200, resamples=200).table()
    rows = table_of(scores, ratings)
    assert rows.height == len(SYSTEMS) * EACH
    for label in scores.labels:
        mine = table.filter((pl.col("metric") == label) & (pl.col("correlation") == "pearson"))
        row = mine.row(0, named=True)
        assert row["n"] == rows.height
        assert row["value"] == pytest.approx(stats.pearsonr(rows[label], rows["score"])[0])
        of_systems = [
            stats.pearsonr(own[label], own["score"])[0]
            for own in (rows.filter(pl.col("system") == name) for name in SYSTEMS)
        ]
        assert row["within"] == pytest.approx(np.mean(of_systems))
        assert row["within_low"] < row["within"] < row["within_high"]
    length = table.filter((pl.col("metric") == "length") & (pl.col("correlation") == "pearson"))
    assert length["within_p"][0] == pytest.approx(1 / 201)


def test_within_systems_is_that_of_the_arrays(scores, ratings):
    table = correlate(scores, ratings, permutations=99, resamples=100, seed=4).table()
    rows = table_of(scores, ratings)
    order = {id: i for i, id in enumerate(TESTSET.ids)}
    items = np.array([order[id] for id in rows["id"]])
    data = WithinSystems(rows["score"].to_numpy(), items // EACH, items)
    row = table.filter((pl.col("metric") == "sBLEU-2") & (pl.col("correlation") == "spearman"))
    interval = data.interval(rows["sBLEU-2"].to_numpy(), "spearman")
    assert row["within_low"][0] == pytest.approx(interval.low)
    assert row["within_high"][0] == pytest.approx(interval.high)


def test_a_rating_of_a_reply_that_was_not_given_is_left_out_and_counted(scores, ratings):
    more = pl.concat([ratings, ratings.head(3).with_columns(system=pl.lit("d"))])
    agreement = correlate(scores, more, permutations=0, resamples=0)
    plain = correlate(scores, ratings, permutations=0, resamples=0)
    assert agreement.table().equals(plain.table())
    assert any("3 left out, of replies that were not given" in note for note in agreement.notes)


def test_other_protocols_take_what_they_can(scores, ratings):
    systems = correlate(scores, ratings, "system", permutations=0, resamples=0)
    assert systems.table()["n"].to_list() == [4] * systems.table().height
    assert any("rated on different items" in note for note in systems.notes)
    corpus_scores = dict(scores.systems().filter(pl.col("metric") == "length").select(
        "system", "value").iter_rows())  # fmt: skip
    seen = systems.observations()
    assert dict(zip(seen["system"], seen["length"], strict=True)) == pytest.approx(corpus_scores)
    pairs = correlate(scores, ratings, "pairwise", permutations=0, resamples=0).table()
    assert pairs["reason"][0] == "no context has two rated replies"
    for protocol in ("unit", "soft"):
        with pytest.raises(ParameterError, match="no two systems"):
            correlate(scores, ratings, protocol)


@pytest.mark.parametrize("without", [(), ("ground-truth", "negative-sample")])
def test_judges_of_dailydialog_are_scipy_on_the_joined_tables(without):
    folder = shared("data", "judges-dailydialog-zhao")
    frame = pl.read_csv(folder / "scores.csv")
    ratings = rejoinder.read_ratings(folder / "ratings.csv")
    scores = Scores.from_segments(rejoinder.read_scores(folder / "scores.csv"), missing="pairwise")
    agreement = correlate(scores, ratings, permutations=49, resamples=100, without=without)
    wide = frame.pivot(on="name", index=["system", "id"], values="value")
    rows = wide.join(pl.read_csv(folder / "ratings.csv"), on=["system", "id"])
    rows = rows.filter(~pl.col("system").is_in(list(without)))
    measures = {
        "pearson": stats.pearsonr,
        "spearman": stats.spearmanr,
        "kendall-b": stats.kendalltau,
    }
    for row in agreement.table().iter_rows(named=True):
        if row["metric"] not in scores.labels:
            continue
        label, measure = row["metric"], measures[row["correlation"]]
        assert row["n"] == rows.height
        assert row["value"] == pytest.approx(measure(rows[label], rows["score"])[0], abs=1e-12)
        each = []
        for (_,), own in rows.group_by("system", maintain_order=True):
            if own.height > 2 and own[label].n_unique() > 1 and own["score"].n_unique() > 1:
                each.append(measure(own[label], own["score"])[0])
        assert row["within"] == pytest.approx(np.mean(each), abs=1e-12)
