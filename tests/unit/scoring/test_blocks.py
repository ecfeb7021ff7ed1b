"""Parquet read in batches and summed in blocks, against the same files scored whole."""

import numpy as np
import polars as pl
import pytest

from random_text import corpus
from rejoinder import TestSet, load_scores, score
from rejoinder.errors import InputError, ParameterError
from rejoinder.scoring import blocks as stream
from rejoinder.scoring.blocks import score_parquet
from rejoinder.tables.write import write_testset

N = 103
HYPOTHESES, REFERENCES = corpus(seed=31, n=N)
WEIGHTS = [[0.5] * len(few) for few in REFERENCES]
METRICS = ["bleu", "deltableu", "sbleu"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setattr(stream, "ITEMS_PER_READ", 17)  # many reads, none a multiple of a block
    testset = TestSet.from_lists(REFERENCES, WEIGHTS)
    write_testset(testset, tmp_path / "testset.parquet")
    for name, replies in (("a", HYPOTHESES), ("b", [text[::-1] for text in HYPOTHESES])):
        frame = pl.DataFrame({"id": testset.ids, "text": replies})
        frame.write_parquet(tmp_path / f"{name}.parquet", row_group_size=23)
    return tmp_path


def streamed(folder, metrics=METRICS, names=("a", "b"), **options):
    paths = [folder / f"{name}.parquet" for name in names]
    return score_parquet(folder / "testset.parquet", paths, metrics, **options)


def test_sums_are_those_of_the_whole(files):
    testset = TestSet.from_lists(REFERENCES, WEIGHTS)
    answers = pl.DataFrame(
        {
            "system": ["a"] * N + ["b"] * N,
            "id": testset.ids * 2,
            "text": HYPOTHESES + [text[::-1] for text in HYPOTHESES],
        }
    )
    whole = score(testset, answers, METRICS)
    blocks = streamed(files, block=5)
    for label in whole.labels:
        expected = whole.measured[label].rows.sums()
        np.testing.assert_allclose(blocks.measured[label].rows.sums(), expected, rtol=1e-12)
    assert blocks.systems()["n"].unique().to_list() == [N]
    assert blocks.measured["BLEU-2"].rows.values.shape[:2] == (2, 21)  # twenty of 5, one of 3
    # Blocks of one item are the items themselves: so are the intervals and the tests.
    ones = streamed(files, block=1)
    columns = ["value", "low", "high", "n"]
    assert ones.systems().select(columns).equals(whole.systems().select(columns))
    left, right = ones.compare(permutations=99), whole.compare(permutations=99)
    assert left.equals(right)


def test_what_asks_for_items_is_told(files):
    scores = streamed(files, block=5)
    for ask in (scores.segments, lambda: scores.by("topic")):
        with pytest.raises(ParameterError, match="blocks of items"):
            ask()
    with pytest.raises(ParameterError, match="rows are bags"):
        streamed(files, ["distinct"])
    with pytest.raises(ParameterError, match="block=0"):
        streamed(files, block=0)


def test_blocks_survive_a_file(files):
    scores = streamed(files, block=5)
    scores.save(files / "kept.parquet")
    loaded = load_scores(files / "kept.parquet")
    assert loaded.systems().equals(scores.systems())
    assert loaded.compare(permutations=50).equals(scores.compare(permutations=50))
    assert loaded.blocks


def test_items_that_cannot_be_scored_are_named_or_counted(files):
    references = [[] if i in (3, 50) else few for i, few in enumerate(REFERENCES)]
    weights = [[0.5] * len(few) for few in references]
    write_testset(TestSet.from_lists(references, weights), files / "testset.parquet")
    with pytest.raises(InputError, match=r"row 4: BLEU-2: the item has no reference"):
        streamed(files)
    scores = streamed(files, drop_unusable=True, block=5)
    assert scores.systems()["n"].unique().to_list() == [N - 2]
    assert scores.notes[0] == f"BLEU-2, sBLEU-2: 2 of {N} items dropped: each has no reference"


def test_files_that_do_not_go_together(files):
    ids = [str(i + 1) for i in range(N)]

    def write(rows):
        pl.DataFrame(rows).write_parquet(files / "c.parquet")

    write({"id": [*ids[:40], "41", "40", *ids[42:]][:N], "text": HYPOTHESES})
    with pytest.raises(InputError, match=r"row 42: id '40', but .* has '42' there"):
        streamed(files, names=("a", "c"))
    write({"id": ids[:-1], "text": HYPOTHESES[:-1]})
    with pytest.raises(InputError, match=r"102 rows, but .* has more"):
        streamed(files, names=("a", "c"))
    write({"id": [*ids, "x"], "text": [*HYPOTHESES, ""]})
    with pytest.raises(InputError, match=r"104 rows, but .* has 103"):
        streamed(files, names=("a", "c"))
    write({"id": ids, "reply": HYPOTHESES})
    with pytest.raises(InputError, match="no column 'text'"):
        streamed(files, names=("c",))
    write({"id": ids, "text": [None, *HYPOTHESES[1:]]})
    with pytest.raises(InputError, match=r"row 1: the text is null \(missing\)"):
        streamed(files, names=("c",))
    (files / "c.parquet").write_bytes((files / "a.parquet").read_bytes()[:-50])
    with pytest.raises(InputError, match="block= needs Parquet files"):
        streamed(files, names=("c",))
    with pytest.raises(InputError, match="block= needs Parquet files"):
        streamed(files, names=("nothing",))


def test_weights_outside_are_named(files):
    rows = [{"text": "x", "weight": 0.1}], [{"text": "x", "weight": 1.5}]
    pl.DataFrame({"id": ["1", "2"], "references": rows}).write_parquet(files / "testset.parquet")
    with pytest.raises(InputError, match=r"row 2: weight 1.5 outside \[-1, 1\]"):
        streamed(files)


def test_too_few_blocks_are_told(files):
    with pytest.raises(ParameterError, match="11 blocks are too few for intervals"):
        streamed(files, block=10)
    assert streamed(files, block=10, resamples=0).systems()["n"].unique().to_list() == [N]


def test_the_rules_of_the_tables_hold(files):
    def write(ids, references):
        pl.DataFrame({"id": ids, "references": references}).write_parquet(files / "testset.parquet")

    for references, told in (
        ([[{"text": "x", "wieght": 0.5}]], "wieght"),
        ([[{"text": "x", "weight": "high"}]], "expected a list of texts"),
        ([[{"words": "x"}]], "words"),
        (["x"], "expected a list of texts"),
        ([[1, 2]], "expected a list of texts"),
        ([["x", None]], "row 1: the text of a reference is null"),
    ):
        write(["1"], references)
        with pytest.raises(InputError, match=told):
            streamed(files, ["bleu"])
    write([None], [["x"]])
    with pytest.raises(InputError, match="an id is null"):
        streamed(files, ["bleu"])
