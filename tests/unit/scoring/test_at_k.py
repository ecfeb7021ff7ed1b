"""What the best, the worst or most of k samples reach: rows of prompts, left-out prompts, kept scores."""

import itertools

import numpy as np
import polars as pl
import pytest

from rejoinder import Scores, TestSet, compare, load_scores, score
from rejoinder.errors import InputError, ParameterError
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.proportions import share_size, wilson

IDS = [str(i) for i in range(30)]


def marks(samples=5, systems=("a", "b"), seed=1, skill=(0.7, 0.4)):
    """Passes and failures of samples; a prompt's own difficulty lies between its samples."""
    rng = np.random.default_rng(seed)
    hard = rng.uniform(0.3, 1.3, len(IDS))
    rows = [
        (name, id, "ok", float(rng.random() < p * hard[i]), f"s{k}")
        for name, p in zip(systems, skill, strict=True)
        for i, id in enumerate(IDS)
        for k in range(samples)
    ]
    return pl.DataFrame(rows, schema=["system", "id", "name", "value", "sample"], orient="row")


def passed(table, system):
    own = table.filter(pl.col("system") == system)
    return own.group_by("id", maintain_order=True).agg(pl.col("value").sum())["value"].to_numpy()


def row_of(scores, metric, system):
    return scores.systems().filter(metric=metric, system=system).row(0, named=True)


def test_pass_at_k_is_the_mean_over_prompts():
    table = marks()
    scores = Scores.from_segments(table, at=[1, 3])
    assert scores.labels == ["ok", "ok pass@1", "ok pass@3", "ok pass^3"]
    c = passed(table, "a")
    ways = [list(itertools.combinations([1] * int(k) + [0] * int(5 - k), 3)) for k in c]
    row = row_of(scores, "ok pass@3", "a")
    assert row["value"] == pytest.approx(
        np.mean([np.mean([max(w) for w in each]) for each in ways])
    )
    assert (row["n"], row["n_samples"]) == (30, 150)
    assert "|at:pass@3|passing:1.0|ci:wilson|" in row["signature"]
    every = row_of(scores, "ok pass^3", "a")["value"]
    assert every == pytest.approx(np.mean([np.mean([min(w) for w in each]) for each in ways]))
    plain, one = (row_of(scores, each, "a") for each in ("ok", "ok pass@1"))
    for key in ("value", "low", "high"):
        assert one[key] == pytest.approx(plain[key])


def test_the_interval_is_wilsons_on_what_the_prompts_are_worth():
    scores = Scores.from_segments(marks(), at=[3])
    values = scores.segments().filter(system="a")["ok pass@3"].to_numpy()
    row = row_of(scores, "ok pass@3", "a")
    expected = wilson(values.mean(), share_size(values, Groups.of(None, 30)))
    assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high))


def test_graded_samples_have_a_best_a_worst_and_a_median():
    rng = np.random.default_rng(4)
    table = marks().with_columns(value=pl.Series(rng.normal(size=300)))
    lower = Scores.from_segments(table, lower=["ok"], at=[2])
    higher = Scores.from_segments(table, at=[2])
    assert higher.labels == ["ok", "ok best@2", "ok worst@2", "ok median@2"]
    for measure, other in (("best", "worst"), ("worst", "best"), ("median", "median")):
        found = lower.systems().filter(metric=f"ok {measure}@2").sort("system")["value"].to_list()
        assert (
            found
            == higher.systems().filter(metric=f"ok {other}@2").sort("system")["value"].to_list()
        )
    table = table.filter(pl.col("id") == "0", pl.col("system") == "a")
    pairs = list(itertools.combinations(table["value"].to_list(), 2))
    first = higher.segments().filter(system="a", id="0")
    assert first["ok best@2"].item() == pytest.approx(np.mean([max(each) for each in pairs]))
    assert first["ok median@2"].item() == pytest.approx(table["value"].mean())


def test_a_threshold_says_what_passes():
    testset = TestSet.from_lists([["yes at nine"]] * 8)
    said = ["yes at nine", "yes", "no"]
    rows = [("a", id, said[(i * k) % 3], k) for i, id in enumerate(testset.ids) for k in range(4)]
    replies = pl.DataFrame(rows, schema=["system", "id", "text", "sample"], orient="row")
    scores = score(testset, replies, ["rouge1", "length"], at=[2], passing={"ROUGE-1": 0.9})
    assert [each for each in scores.labels if "pass" in each] == [
        "ROUGE-1 pass@2",
        "ROUGE-1 pass^2",
    ]
    assert not any(each.startswith("length ") for each in scores.labels)  # it ranks no systems
    # Sample k of item i says said[i k mod 3], which passes where 3 divides i k: 2 of 4, or all.
    counts = [sum((i * k) % 3 == 0 for k in range(4)) for i in range(8)]
    value = np.mean([1 - (4 - c) * (3 - c) / 12 for c in counts])
    assert row_of(scores, "ROUGE-1 pass@2", "a")["value"] == pytest.approx(value)
    some = [(str(i + 1), c) for i, c in enumerate(counts) if 0 < c < 4]
    assert scores.sometimes().select("id", "passed").rows() == some
    every = score(testset, replies, ["rouge1"], at=[2], passing=0.0).sometimes()
    assert every.is_empty()


def test_prompts_with_fewer_samples_are_left_out_by_name():
    table = marks().filter(
        ~((pl.col("id") == "7") & (pl.col("sample") == "s4") & (pl.col("system") == "a"))
    )
    scores = Scores.from_segments(table, at=[5, 4])
    assert row_of(scores, "ok pass@5", "b")["n"] == 29
    assert row_of(scores, "ok pass@4", "b")["n"] == 30
    (note,) = (each for each in scores.notes if "fewer than" in each)
    assert note == "ok at 5: 1 prompt left out that has fewer than 5 samples: '7'"
    own = Scores.from_segments(
        table.filter(~((pl.col("id") == "7") & (pl.col("system") == "a"))),
        at=[5],
        missing="pairwise",
    )
    assert [row_of(own, "ok pass@5", name)["n"] for name in "ab"] == [29, 30]


def test_kept_scores_hold_the_samples(tmp_path):
    scores = Scores.from_segments(marks(), at=[3])
    scores.save(tmp_path / "scores.parquet")
    kept = load_scores(tmp_path / "scores.parquet")
    assert kept.systems().equals(scores.systems())
    assert kept.sometimes().equals(scores.sometimes())
    assert compare(kept).table.equals(compare(scores).table)
    one = kept.select(IDS[:9], systems=["b"])
    assert one.systems()["n_samples"].to_list() == [45] * 3


def test_a_comparison_counts_prompts_and_replies():
    table = compare(Scores.from_segments(marks(), at=[3])).table
    assert table["n"].to_list() == [30] * 3
    assert table["n_samples"].to_list() == [300] * 3


def test_raters_of_samples_are_a_part_of_the_variance():
    rng = np.random.default_rng(8)
    rows = [
        (name, id, "mark", 3 + (i % 5) + k % 2 + float(rng.normal(scale=0.5)), f"s{k}", f"r{r}")
        for name in "ab"
        for i, id in enumerate(IDS)
        for k in range(3)
        for r in range(2)
    ]
    columns = ["system", "id", "name", "value", "sample", "rater"]
    scores = Scores.from_segments(pl.DataFrame(rows, schema=columns, orient="row"))
    (note,) = (each for each in scores.notes if "of the variance" in each)
    assert "between prompts" in note
    assert "between the raters of a reply; the standard error" in note
    assert scores.systems()["n_samples"].to_list() == [90, 90]


def test_retries_until_one_passes_are_warned_of():
    rng = np.random.default_rng(5)
    rows = []
    for i in range(60):
        for k in range(5):
            value = float(rng.random() < 0.5)
            rows.append(("a", str(i), "ok", value, str(k)))
            if value:
                break
    columns = ["system", "id", "name", "value", "sample"]
    scores = Scores.from_segments(pl.DataFrame(rows, schema=columns, orient="row"))
    assert any(
        "the number of samples of a prompt goes with their mean" in each for each in scores.notes
    )
    fair = marks().filter(pl.int_range(pl.len()) % 7 != 0)
    assert not any("goes with" in each for each in Scores.from_segments(fair).notes)


def test_what_cannot_be_is_refused():
    with pytest.raises(ParameterError, match="at=0 must be a whole number"):
        Scores.from_segments(marks(), at=[0])
    with pytest.raises(InputError, match="no prompt has 6 samples of every system, the most is 5"):
        Scores.from_segments(marks(), at=[6])
    with pytest.raises(ParameterError, match="passing= has no effect without at="):
        Scores.from_segments(marks(), passing=0.5)
    with pytest.raises(ParameterError, match="'no' is no metric that scored several samples"):
        Scores.from_segments(marks(), at=[2], passing={"no": 1})
    with pytest.raises(ParameterError, match="several replies of a system to a prompt"):
        Scores.from_segments(marks(samples=1), at=[1])


def test_a_threshold_beyond_the_scale_is_refused():
    replies = pl.DataFrame(
        [("a", "1", "yes", "1"), ("a", "1", "no", "2")],
        schema=["system", "id", "text", "sample"],
        orient="row",
    )
    testset = TestSet.from_lists([["yes at nine"]])
    for passing in (80, {"chrF": 80}):
        with pytest.raises(
            ParameterError, match="chrF lies between 0 and 1; tables show it x100, so"
        ):
            score(testset, replies, ["chrf"], at=[2], passing=passing)
