"""Parquet read in batches and summed in blocks, against the same files scored whole."""

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rejoinder
from random_text import corpus
from rejoinder import TestSet, load_scores, score
from rejoinder.errors import InputError, ParameterError
from rejoinder.scoring import blocks as stream
from rejoinder.scoring.blocks import score_parquet
from rejoinder.tables.io.parquet_batches import name_of_table
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
    with pytest.raises(InputError, match=r"102 rows, but .* has 103"):
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
    pl.DataFrame({"id": ["1", "2"], "text": ["x", "y"]}).write_parquet(files / "a.parquet")
    with pytest.raises(InputError, match=r"row 2: weight 1.5 outside \[-1, 1\]"):
        streamed(files, names=("a",))


def test_too_few_blocks_are_told(files):
    with pytest.raises(ParameterError, match="11 blocks are too few for intervals"):
        streamed(files, block=10)
    assert streamed(files, block=10, resamples=0).systems()["n"].unique().to_list() == [N]


def test_the_rules_of_the_tables_hold(files):
    def write(ids, references):
        pl.DataFrame({"id": ids, "references": references}).write_parquet(files / "testset.parquet")
        pl.DataFrame({"id": ids, "text": ["x"]}).write_parquet(files / "a.parquet")

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
            streamed(files, ["bleu"], names=("a",))
    write([None], [["x"]])
    with pytest.raises(InputError, match="an id is null"):
        streamed(files, ["bleu"], names=("a",))


def test_a_table_is_a_folder_a_pattern_or_an_address(files):
    fsspec = pytest.importorskip("fsspec")
    replies = pl.read_parquet(files / "a.parquet")
    folder = files / "parts" / "a"
    (folder / "later").mkdir(parents=True)
    replies[:40].write_parquet(folder / "0.parquet", row_group_size=9)
    replies[40:41].write_parquet(folder / "1.parquet")
    replies[41:].write_parquet(folder / "later" / "2.parquet")
    memory = fsspec.filesystem("memory")
    memory.pipe("/replies/a.parquet", (files / "a.parquet").read_bytes())
    expected = streamed(files, names=("a",), block=5).as_json()
    for path in (
        folder,
        f"{folder}/**.parquet",
        "memory://replies/a.parquet",
        "memory:/replies/a*",
    ):
        scores = score_parquet(files / "testset.parquet", [path], METRICS, block=5)
        assert scores.as_json() == expected
    with pytest.raises(InputError, match=r"41 rows, but .* has 103"):
        score_parquet(files / "testset.parquet", [f"{folder}/*.parquet"], METRICS, block=5)
    with pytest.raises(InputError, match="no such file"):
        score_parquet(files / "testset.parquet", [f"{folder}/*.pq"], METRICS, block=5)


def test_the_name_of_a_system_is_that_of_its_file_folder_or_pattern(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m[1].parquet").touch()
    names = {
        "llama-3.1-8b/": "llama-3.1-8b",
        "s3://bucket/llama-3.1": "llama-3.1",
        "m[1].parquet": "m[1]",
        "runs/*/gru.parquet": "gru",
        "runs/*/llama-3.1-*.parquet": "llama-3.1",
        "gru/**/*.parquet": "gru",
        "a.b.parquet": "a.b",
    }
    assert {path: name_of_table(path) for path in names} == names
    for path in ("llama-3.1", "llama-3.2"):
        (tmp_path / path).mkdir()
        pl.DataFrame({"id": ["1"], "text": ["x"]}).write_parquet(f"{path}/0.parquet")
    pl.DataFrame({"id": ["1"], "references": [["x"]]}).write_parquet("t.parquet")
    scores = score_parquet("t.parquet", ["llama-3.1", "llama-3.2/"], ["bleu"], resamples=0)
    assert scores.names == ("llama-3.1", "llama-3.2")


def test_hidden_files_of_a_folder_are_no_rows(files):
    replies, folder = pl.read_parquet(files / "a.parquet"), files / "parts" / "a"
    places = (
        "0.parquet",
        "_temporary/0/p.parquet",
        ".old/p.parquet",
        "_d/1.x.parquet",
        ".1.parquet",
    )
    for place in places:
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        replies.write_parquet(folder / place)
    expected = streamed(files, names=("a",), block=5).systems().drop("system")
    for path in (
        folder,
        f"{folder}/**.parquet",
        f"{folder}/_d/*.parquet",
        f"{folder}*/_d/*.parquet",
    ):
        scores = score_parquet(files / "testset.parquet", [path], METRICS, block=5)
        assert scores.systems().drop("system").equals(expected)


def test_files_of_a_folder_have_columns_of_one_type(files):
    replies, folder = pa.table({"id": ["1", "2"], "text": ["x y", "y z"]}), files / "r"
    folder.mkdir()
    tests = files / "t"
    tests.mkdir()
    wide = pa.schema([("id", pa.large_string()), ("text", pa.large_string())])
    coded = pa.table({"id": ["3"], "text": pa.array(["z x"]).dictionary_encode()})
    pq.write_table(replies, folder / "0.parquet")
    pq.write_table(replies.slice(0, 0).cast(wide), folder / "1.parquet")
    pq.write_table(coded, folder / "2.parquet")
    struct = pa.struct([("text", pa.string()), ("weight", pa.float64())])
    rows = [[{"text": "x y", "weight": 0.5}]]
    meta = {"meta": [{"weight": "high"}], "id": ["1"]}
    pq.write_table(
        pa.table({**meta, "references": pa.array(rows, pa.list_(struct))}), tests / "0.parquet"
    )
    frame = pl.DataFrame({"id": ["2", "3"], "references": rows * 2})
    frame.write_parquet(tests / "1.parquet")
    scores = score_parquet(tests, [folder], block=1, resamples=0)
    assert scores.systems()["n"].unique().to_list() == [3]
    assert any("delta" in label for label in scores.labels)
    for further, told in (
        ({"id": ["4"], "references": [["x"]]}, "2.parquet: column 'references' holds .*0.parquet"),
        ({"id": ["4"]}, "2.parquet: no column 'references'"),
    ):
        pl.DataFrame(further).write_parquet(tests / "2.parquet")
        with pytest.raises(InputError, match=told):
            score_parquet(tests, [folder], block=1, resamples=0)


@pytest.mark.parametrize("on_a_server", [False, True])
def test_parts_of_files_that_changed_are_refused(files, on_a_server):
    """A footer has the sizes and bounds of a column; they stay where texts of one length change."""
    fsspec = pytest.importorskip("fsspec")
    path = "memory://shards/a.parquet" if on_a_server else files / "c.parquet"

    def write(text):
        table = {"id": [str(i + 1) for i in range(N)], "text": [text, "x", "z"] * 34 + ["z"]}
        plain = {"use_dictionary": False, "compression": "none"}
        pq.write_table(pa.table(table), files / "c.parquet", row_group_size=23, **plain)
        if on_a_server:
            content = (files / "c.parquet").read_bytes()
            fsspec.filesystem("memory").pipe("/shards/a.parquet", content)

    def call():
        return score_parquet(files / "testset.parquet", [path], METRICS, block=5)

    write("y")
    expected = call().systems()
    parts = [rejoinder.shard(call, f"{k}/2", files / f"{k}.part").path for k in (1, 2)]
    again = rejoinder.shard(call, "2/2", files / "2.part")  # a shard run twice replaces its part
    assert again.path == parts[1]
    assert rejoinder.merge(call, parts).systems().equals(expected)
    write("x")
    rejoinder.shard(call, "2/2", files / "2.part")
    with pytest.raises(InputError, match=r"1\.part: holds no sums"):
        rejoinder.merge(call, parts)
