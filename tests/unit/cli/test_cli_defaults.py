"""What is measured where no metric is named: one rule for Python and for the command line."""

import json

import polars as pl
import pytest

import rejoinder
from rejoinder import TestSet
from rejoinder.scoring.blocks import score_parquet
from rejoinder.scoring.leave_own_out import score_left_out
from rejoinder.tables.write import write_responses, write_testset

REFERENCES = [[f"yes at {i}", f"no at {i}"] for i in range(40)]


def weighted(where):
    """The references with a weight at these places alone."""
    return [[0.5 if (i, j) in where else None for j in range(2)] for i in range(40)]


CASES = {
    "no weight": (None, False),
    "all weights null": (weighted(()), False),
    "one weight": (weighted({(39, 1)}), True),  # the last of all: every row must be read
}


@pytest.mark.parametrize("case", CASES)
def test_python_and_the_command_line_measure_the_same(case, command, tmp_path):
    weights, some = CASES[case]
    testset = TestSet.from_lists(REFERENCES)
    if weights is not None:
        flat = [weight for few in weights for weight in few]
        references = testset.references.with_columns(weight=pl.Series(flat, dtype=pl.Float64))
        testset = TestSet(testset.contexts, references)
    texts = [few[0] for few in REFERENCES]
    replies = pl.DataFrame({"system": "bot", "id": testset.ids, "text": texts})
    write_testset(testset, tmp_path / "t.parquet")
    replies.write_parquet(tmp_path / "bot.parquet")

    scores = rejoinder.score(testset, replies, resamples=0)
    assert "deltaBLEU-2" in scores.labels if some else "deltaBLEU-2" not in scores.labels
    for options, expected in (
        ([], scores.labels),
        # Blocks hold sums: the metrics that are no sums are left out of the same list.
        (
            ["--block", "1"],
            [label for label in scores.labels if scores.measured[label].metric.summable],
        ),
    ):
        paths = (tmp_path / "t.parquet", tmp_path / "bot.parquet")
        status, out, err = command("score", *paths, "--resamples", 0, "--json", *options)
        assert (status, err) == (0, "")
        told = json.loads(out)["systems"]
        assert list(dict.fromkeys(row["metric"] for row in told)) == expected
    blocks = score_parquet(paths[0], paths[1:], resamples=0, block=1)
    assert blocks.labels == expected
    # Of 'bot' is the first reference of each item; the weight, where there is one, is another's.
    sources = testset.references.with_columns(source=pl.Series(["bot", "people"] * 40))
    left = score_left_out(TestSet(testset.contexts, sources), replies, resamples=0)
    assert left.labels == scores.labels


def test_references_told_are_those_of_the_items_that_were_scored(command, tmp_path):
    # Of four items one has no reference and is dropped: 2 to 3 references are what was used.
    testset = TestSet.from_lists([["a b"] * 2, [], ["c d"] * 3, ["e f"] * 2])
    write_testset(testset, tmp_path / "t.jsonl")
    texts = ["a b", "x", "c d", "e f"]
    replies = pl.DataFrame({"system": "bot", "id": testset.ids, "text": texts})
    write_responses(replies, tmp_path / "bot.jsonl")
    paths = (tmp_path / "t.jsonl", tmp_path / "bot.jsonl")
    status, out, _ = command("score", *paths, "-m", "bleu", "--drop-unusable")
    assert status == 0
    assert "3 items with 2 to 3 references each" in out
    assert "1 of 4 items dropped" in out
    # Where nothing is compared with references, nothing was dropped, and all stand there.
    status, out, _ = command("score", *paths, "-m", "length")
    assert "4 items with 0 to 3 references each" in out


def test_references_told_of_blocks_are_those_of_the_items_that_were_scored(command, tmp_path):
    testset = TestSet.from_lists([["a b"] * 2, [], ["c d"] * 3, ["e f"] * 2])
    write_testset(testset, tmp_path / "t.parquet")
    replies = pl.DataFrame({"id": testset.ids, "text": ["a b", "x", "c d", "e f"]})
    replies.write_parquet(tmp_path / "bot.parquet")
    paths = (tmp_path / "t.parquet", tmp_path / "bot.parquet")
    options = ("-m", "bleu", "--block", 1, "--drop-unusable", "--resamples", 0)
    status, out, _ = command("score", *paths, *options)
    assert status == 0
    assert "3 items with 2 to 3 references each" in out
