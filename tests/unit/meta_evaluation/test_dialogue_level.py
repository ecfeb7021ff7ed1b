"""The protocol 'dialogue': turns become one observation for each system and conversation."""

import json

import numpy as np
import polars as pl
import pytest
from scipy import stats

from rejoinder import Scores, TestSet, correlate
from rejoinder.errors import ParameterError
from rejoinder.figures.album import album
from rejoinder.meta_evaluation.matching import match
from rejoinder.meta_evaluation.protocols import Dialogue

TALKS, SYSTEMS = 15, ("a", "b")
RULES = {"mean": pl.Expr.mean, "least": pl.Expr.min, "last": pl.Expr.last}
FEW = {"permutations": 49, "resamples": 100}


def made(lower=(), conversation="conversation"):
    """15 conversations of 1 to 5 turns; scores, and two raters who miss a turn now and then."""
    rng = np.random.default_rng(4)
    ids = [f"{talk}-{turn}" for talk in range(TALKS) for turn in range(1 + talk % 5)]
    talks = [id.split("-")[0] for id in ids]
    contexts = pl.DataFrame({"id": ids, "context": [["hi"]] * len(ids), conversation: talks})
    testset = TestSet(contexts, pl.DataFrame({"id": ids, "text": ["yes"] * len(ids)}))
    scores = [(s, id, rng.normal()) for s in SYSTEMS for id in ids]
    ratings = [
        (id, system, rater, "overall", value + (system == "a") + rng.normal())
        for system, id, value in scores
        for rater in ("r1", "r2")
        if rater == "r1" or rng.random() < 0.7
    ]
    frame = pl.DataFrame(scores, schema=["system", "id", "judge"], orient="row")
    columns = ["id", "system", "rater", "criterion", "score"]
    return (
        Scores.from_segments(frame, testset, lower=lower, resamples=0),
        pl.DataFrame(ratings, schema=columns, orient="row"),
    )


def aggregated(scores, ratings, rule, sign=1):
    """The table of dialogues by Polars alone."""
    means = ratings.group_by("id", "system").agg(human=pl.col("score").mean())
    rows = scores.segments().join(means, on=["id", "system"], maintain_order="left")
    talks = pl.col("id").str.split("-").list.first()
    rows = rows.with_columns(talk=talks, judge=sign * pl.col("judge"))
    both = RULES[rule](pl.col("judge", "human"))
    return rows.group_by("system", "talk", maintain_order=True).agg(both)


@pytest.mark.parametrize("rule", RULES)
def test_pooled_and_within_are_scipy_on_the_aggregated_table(rule):
    scores, ratings = made()
    agreement = correlate(scores, ratings, Dialogue(rule), **FEW)
    rows = aggregated(scores, ratings, rule)
    row = agreement.table().row(0, named=True)
    assert (row["metric"], row["correlation"], row["n"]) == ("judge", "pearson", 30)
    assert row["value"] == pytest.approx(stats.pearsonr(rows["judge"], rows["human"])[0])
    each = [
        stats.pearsonr(own["judge"], own["human"])[0]
        for _, own in rows.group_by("system", maintain_order=True)
    ]
    assert row["within"] == pytest.approx(np.mean(each))
    assert row["within_low"] < row["within"] < row["within_high"]
    seen = agreement.observations()
    assert seen["id"].unique().sort().to_list() == sorted(map(str, range(TALKS)))
    assert f"|turns:{rule}|" in agreement.signature
    words = f"30 dialogues of 90 rated turns; scores and ratings of a dialogue are the {rule}"
    assert any(words in note for note in agreement.notes)
    assert agreement.within("pearson").filter(pl.col("metric") == "judge").height == 3
    assert json.loads(json.dumps(agreement.as_json(), default=str))["within"]


def test_the_least_turn_of_a_metric_whose_lower_values_are_better_is_its_worst():
    scores, ratings = made(lower=["judge"])
    agreement = correlate(scores, ratings, Dialogue("least"), **FEW)
    rows = aggregated(scores, ratings, "least", sign=-1)
    value = agreement.table()["value"][0]
    assert value == pytest.approx(stats.pearsonr(rows["judge"], rows["human"])[0])


def test_ratings_of_whole_conversations_are_correlated_with_their_turns():
    scores, _ = made()
    rng = np.random.default_rng(8)
    rated = pl.DataFrame(
        [(str(t), s, "r", "overall", rng.normal()) for t in range(TALKS) for s in SYSTEMS],
        schema=["id", "system", "rater", "criterion", "score"],
        orient="row",
    )
    agreement = correlate(scores, rated, "dialogue", **FEW)
    talks = pl.col("id").str.split("-").list.first()
    means = scores.segments().group_by("system", talks).agg(pl.col("judge").mean())
    rows = means.join(rated, on=["system", "id"])
    value = agreement.table()["value"][0]
    assert value == pytest.approx(stats.pearsonr(rows["judge"], rows["score"])[0])
    assert agreement.table()["n"][0] == 30


def test_conversations_are_named_by_any_column_and_must_be_known():
    scores, ratings = made(conversation="talk")
    named = correlate(scores, ratings, "dialogue", cluster="talk", **FEW).table()
    assert named.equals(correlate(*made(), "dialogue", **FEW).table())
    for cluster in (None, "none"):
        with pytest.raises(ParameterError, match="the conversations are not known"):
            correlate(scores, ratings, "dialogue", cluster=cluster)
    with pytest.raises(ParameterError, match="turns='median' is unknown"):
        Dialogue("median")


def test_one_conversation_of_each_system_says_nothing():
    scores, ratings = made()
    few = ratings.filter(pl.col("id").str.starts_with("3-"))
    table = correlate(scores, few, "dialogue", **FEW).table()
    assert table["n"].to_list() == [2] * table.height
    assert table["value"].is_nan().all()


def test_the_figure_shows_the_dialogues(tmp_path, monkeypatch, unrendered):
    from rejoinder.figures import album as module

    scores, ratings = made()
    agreement = correlate(scores, ratings, "dialogue", **FEW)
    drawn, scatter = [], module.scatter
    monkeypatch.setattr(module, "scatter", lambda cloud: drawn.append(cloud) or scatter(cloud))
    album(agreement, match(scores, ratings, None, "mean", (), 12345)[0], tmp_path)
    seen = agreement.observations()
    assert [cloud.name for cloud in drawn] == ["judge"]
    assert drawn[0].x.tolist() == seen["human"].to_list()
    assert drawn[0].y.tolist() == seen["judge"].to_list()
