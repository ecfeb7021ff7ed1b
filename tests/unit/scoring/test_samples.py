"""Several replies of a system to one prompt: averaged within the prompt, which counts once."""

import json

import numpy as np
import polars as pl
import pytest

from random_text import corpus
from rejoinder import TestSet, read_responses, score
from rejoinder.errors import InputError, ParameterError
from rejoinder.metrics.engine.rows import Matrix
from rejoinder.scoring.explain import explain
from rejoinder.statistics.clusters import Groups, variance_components

HYPOTHESES, REFERENCES = corpus(seed=6, n=90)
TESTSET = TestSet.from_lists(REFERENCES[:30], contexts=[[f"turn {i}"] for i in range(30)])
IDS = TESTSET.ids


def replies(samples, ids=IDS):
    """Two systems; sample k of item i is hypothesis 30 k + i, cut in half for the second."""
    rows = [
        (name, id, HYPOTHESES[30 * k + IDS.index(id)][cut:] or "no", f"s{k}")
        for name, cut in (("a", 0), ("b", 9))
        for k in range(samples)
        for id in ids
    ]
    return pl.DataFrame(rows, schema=["system", "id", "text", "sample"], orient="row")


def single(k):
    table = replies(3).filter(pl.col("sample") == f"s{k}").drop("sample")
    return score(TESTSET, table, ["length", "bleu"])


def items_of(scores, label):
    rows = scores.measured[label].rows
    assert isinstance(rows, Matrix)
    return rows.items


def test_rows_are_averaged_within_the_prompt():
    scores = score(TESTSET, replies(3), ["length", "bleu"])
    for label in ("length", "BLEU-2"):
        mean = np.mean([items_of(single(k), label) for k in range(3)], axis=0)
        assert items_of(scores, label) == pytest.approx(mean, rel=1e-12)
    row = scores.systems().filter((pl.col("metric") == "length") & (pl.col("system") == "a"))
    values = np.mean([single(k).segments()["length"].to_numpy()[:30] for k in range(3)], axis=0)
    error = values.std(ddof=1) / np.sqrt(30)
    x = values.mean()
    assert row["n"].item() == 30
    assert row["value"].item() == pytest.approx(x, rel=1e-12)
    assert row["high"].item() == pytest.approx(x * np.exp(2.0452296 * error / x), rel=1e-6)
    assert "|samples:3|ci:" in row["signature"].item()
    assert scores.notes[0] == "up to 3 samples of each prompt, averaged within it"


def test_equal_samples_add_nothing():
    once = replies(1).drop("sample")
    thrice = pl.concat([once.with_columns(sample=pl.lit(k)) for k in range(3)])
    expected, found = (score(TESTSET, each, ["bleu", "chrf"]) for each in (once, thrice))
    columns = ["metric", "system", "value", "low", "high", "n"]
    assert found.systems()[columns].equals(expected.systems()[columns])
    assert any("100% of the variance lies between prompts" in note for note in found.notes)


def test_prompts_may_have_different_numbers_of_samples():
    table = pl.concat([replies(1), replies(2).filter(pl.col("sample") == "s1").head(10)])
    rows = items_of(score(TESTSET, table, ["length"]), "length")
    first, second = (items_of(single(k), "length") for k in range(2))
    assert rows[:10, 0] == pytest.approx((first[:10, 0] + second[:10, 0]) / 2)
    assert np.array_equal(rows[10:, 0], first[10:, 0])
    assert np.array_equal(rows[:, 1], first[:, 1])


def test_items_without_any_sample_are_missing():
    table = pl.concat(
        [
            replies(2).filter(pl.col("system") == "a"),
            replies(2, IDS[:20]).filter(pl.col("system") == "b"),
        ]
    )
    with pytest.raises(InputError, match="system 'b' did not answer 10 of 30 items"):
        score(TESTSET, table, ["length"])
    dropped = score(TESTSET, table, ["length"], missing="drop").systems()
    assert dropped["n"].to_list() == [20, 20]
    own = score(TESTSET, table, ["length"], missing="pairwise").systems()
    assert dict(own.select("system", "n").iter_rows()) == {"a": 30, "b": 20}
    expected = score(TESTSET, replies(2), ["length"]).systems().filter(pl.col("system") == "a")
    mine = own.filter(pl.col("system") == "a")
    assert mine["low"].equals(expected["low"])


def test_the_share_of_variance_within_prompts():
    scores = score(TESTSET, replies(3), ["length"])
    values = np.stack([single(k).segments()["length"].to_numpy() for k in range(3)])
    prompts = np.tile(np.arange(30), 3)
    parts = [
        variance_components(values[:, s].ravel(), Groups.of(prompts, 90))
        for s in (slice(30), slice(30, 60))
    ]
    within = sum(each.within for each in parts)
    share = round(100 * within / (within + sum(each.between for each in parts)))
    start = f"length: {100 - share}% of the variance lies between prompts, {share}% within them; "
    (note,) = (each for each in scores.notes if each.startswith(start))
    between = sum(each.between for each in parts)
    sample = 1 - np.sqrt((between + within / 4) / (between + within / 3))
    assert f"would be {100 * sample:.0f}% smaller with one more sample of every prompt" in note
    # 3 samples of 30 prompts: 30 more replies are 10 more prompts, 1 - sqrt(30 / 40).
    assert "13% with as many replies to new prompts, 2% with one more prompt" in note


def test_bags_hold_all_samples_of_a_prompt():
    scores = score(TESTSET, replies(3), ["distinct", "entropy"])
    # Each reply by itself as an item of its own: the same bags, put together otherwise.
    items = TestSet.from_lists(REFERENCES[:30] * 3, contexts=[["?"]] * 90)
    flat = (
        replies(3)
        .sort("system", "sample", maintain_order=True)
        .with_columns(id=pl.Series(items.ids * 2), sample=pl.lit(None, dtype=pl.String))
    )
    expected = score(items, flat.drop("sample"), ["distinct", "entropy"])
    for label in scores.labels:
        assert scores.measured[label].scores() == pytest.approx(expected.measured[label].scores())
    row = scores.systems().row(0, named=True)
    assert (row["n"], row["n_samples"]) == (30, 90)
    assert "|samples:3|" in row["signature"]
    assert 0 < row["low"] < row["value"] < row["high"]
    assert "distinct-1" in score(TESTSET, replies(2)).labels
    unequal = pl.concat(
        [replies(2), replies(3).filter(pl.col("system") == "a", pl.col("sample") == "s2")]
    )
    (note,) = (
        each
        for each in score(TESTSET, unequal, ["distinct"]).notes
        if "all replies together" in each
    )
    assert note.endswith("different numbers: 'a' 90, 'b' 60")


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_files_with_samples(tmp_path, suffix):
    path = tmp_path / f"replies.{suffix}"
    table = replies(2).with_columns(text=pl.format("word {} {}", "id", "sample"))
    if suffix == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_dicts()))
    else:
        getattr(table, f"write_{suffix}")(path)
    read = read_responses(path)
    assert read.columns == ["system", "id", "text", "sample"]
    options = {"metrics": ["bleu"], "resamples": 0}
    assert (
        score(TESTSET, read, **options).systems().equals(score(TESTSET, table, **options).systems())
    )


def test_replies_that_no_sample_tells_apart_are_duplicates():
    twice = pl.concat([replies(1), replies(1)])
    for table in (twice, twice.drop("sample")):
        with pytest.raises(InputError, match="duplicate reply"):
            score(TESTSET, table, ["bleu"])
    once = replies(1)
    assert (
        score(TESTSET, once, ["bleu"])
        .systems()
        .equals(single(0).systems().filter(pl.col("metric") == "BLEU-2"))
    )


def test_one_of_several_samples_is_not_explained():
    with pytest.raises(ParameterError, match="2 replies"):
        explain(TESTSET, replies(2), IDS[0], "a", "bleu")
