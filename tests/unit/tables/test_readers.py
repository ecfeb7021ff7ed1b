"""Rejoinder's own formats: what they hold comes out, and comes back as it was written."""

import json

import polars as pl
import pytest

from rejoinder.errors import InputError
from rejoinder.files.replacing import replacing
from rejoinder.tables.responses import read_responses
from rejoinder.tables.schemas import REFERENCES, RESPONSES
from rejoinder.tables.testset import TestSet, read_testset
from rejoinder.tables.write import write_responses, write_testset

ODD = [
    'Say "hi", you',
    "two\nlines",
    "",
    " padded ",
    "e\u0301 \u2028 \U0001f600",
    "tab\there",
    "NaN",
]


@pytest.fixture
def testset():
    made = TestSet.from_lists(
        [["Hello.", "Hi!"], [], ODD],
        [[1.0, -0.5], [], [0.0, None, None, 0.25, -1.0, 1.0, None]],
        contexts=[["Hey", "Hey you"], "Well?", []],
        ids=["a", "b", "10"],
    )
    topic = pl.Series("topic", ["x", None, "z"])
    return TestSet(
        made.contexts.with_columns(topic, length=pl.Series([1, 2, None])),
        made.references.with_columns(source=pl.Series(["original", None] + [None] * 7)),
    )


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_a_test_set_comes_back_as_it_was(tmp_path, testset, suffix):
    path = tmp_path / f"test{suffix}"
    write_testset(testset, path)
    read = read_testset(path)
    columns = ["id", "context", "topic", "length"]
    assert read.contexts.select(columns).equals(testset.contexts.select(columns))
    assert read.references.equals(testset.references)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet", ".tsv"])
def test_responses_come_back_as_they_were(tmp_path, suffix):
    texts = [t for t in ODD if suffix != ".tsv" or not set("\t\n") & set(t)]
    rows = [("s 1", str(i), text) for i, text in enumerate(texts)] + [("t", "0", "x")]
    responses = pl.DataFrame(rows, schema=RESPONSES, orient="row")
    path = tmp_path / f"r{suffix}"
    write_responses(responses, path)
    assert read_responses(path).equals(responses)


def test_writing_is_whole_or_not_at_all(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text("old")

    def broken():
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken()
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["r.jsonl"]


def test_jsonl_takes_the_short_forms(tmp_path):
    path = tmp_path / "t.jsonl"
    rows = [
        {"id": 7, "context": "Hi", "references": ["a", {"text": "b", "weight": -1}], "n": 1},
        {"id": "8", "references": [], "n": 2.5},
        {"id": "9", "context": None, "references": [{"text": "c", "source": "s"}]},
    ]
    # A byte-order mark, CR LF and blank lines are accepted (a key twice is not: test_duplicate_keys).
    lines = "\r\n\n".join(json.dumps(row) for row in rows)
    path.write_bytes(b"\xef\xbb\xbf" + lines.encode())
    testset = read_testset(path)
    assert testset.contexts.rows() == [("7", ["Hi"], 1.0), ("8", [], 2.5), ("9", [], None)]
    assert testset.references.rows() == [
        ("7", "a", None, None),
        ("7", "b", -1.0, None),
        ("9", "c", None, "s"),
    ]


def test_a_file_names_the_system_where_no_row_does(tmp_path):
    path = tmp_path / "my bot.v2.jsonl"
    path.write_text('{"id": "a", "text": ""}\n{"id": "b", "text": "x"}\n')
    assert read_responses(path)["system"].to_list() == ["my bot.v2"] * 2


def test_responses_of_several_files_and_formats(tmp_path):
    one, two = tmp_path / "one.jsonl", tmp_path / "two.txt"
    one.write_text('{"id": "a", "text": "x"}\n{"id": "b", "text": "y"}\n')
    two.write_text("\nz\n")
    expected = [("one", "a", "x"), ("one", "b", "y"), ("two", "a", ""), ("two", "b", "z")]
    assert read_responses(one, two, ids=["a", "b"]).rows() == expected


TWO_TABLES = {
    "csv": (
        'id,context,topic\n1,"[""A"", ""B""]",x\n2,Hi,y\n',
        "id,text,weight,source\n2,Ho,0.5,\n1,Hey,,s",
    ),
    "tsv": (
        'id\tcontext\ttopic\n1\t["A", "B"]\tx\n2\tHi\ty\n',
        "id\ttext\tweight\tsource\n2\tHo\t0.5\t\n1\tHey\t\ts",
    ),
}


@pytest.mark.parametrize("suffix", TWO_TABLES)
def test_two_tables_in_either_order(tmp_path, suffix):
    contexts, references = tmp_path / f"c.{suffix}", tmp_path / f"r.{suffix}"
    for path, text in zip((contexts, references), TWO_TABLES[suffix], strict=True):
        path.write_text(text)
    for paths in ((contexts, references), (references, contexts)):
        testset = read_testset(*paths)
        assert testset.contexts.rows() == [("1", ["A", "B"], "x"), ("2", ["Hi"], "y")]
        assert testset.references.rows() == [("2", "Ho", 0.5, None), ("1", "Hey", None, "s")]
    assert read_testset(references).contexts.rows() == [("2", []), ("1", [])]


def test_quotes_are_quoting_in_csv_and_data_in_tsv(tmp_path):
    csv, tsv = tmp_path / "r.csv", tmp_path / "r.tsv"
    csv.write_bytes(b'system,id,text\r\ns,1,"a ""b"",\nc"\r\n')
    tsv.write_bytes(b'system\tid\ttext\r\ns\t1\t"a ""b""\r\n')
    assert read_responses(csv).row(0) == ("s", "1", 'a "b",\nc')
    assert read_responses(tsv).row(0) == ("s", "1", '"a ""b""')


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_wide_responses_are_one_column_per_system(tmp_path, suffix):
    path = tmp_path / f"wide.{suffix}"
    frame = pl.DataFrame({"id": ["1", "2"], "a": ["x", "y"], "b": ["z", "w"]})
    path.write_text(frame.write_csv()) if suffix == "csv" else frame.write_parquet(path)
    expected = [("a", "1", "x"), ("a", "2", "y"), ("b", "1", "z"), ("b", "2", "w")]
    assert read_responses(path).rows() == expected


def test_a_null_in_wide_parquet_is_a_missing_reply(tmp_path):
    path = tmp_path / "wide.parquet"
    pl.DataFrame({"id": ["1", "2"], "a": ["x", None], "b": ["", "w"]}).write_parquet(path)
    assert read_responses(path).rows() == [("a", "1", "x"), ("b", "1", ""), ("b", "2", "w")]


def test_parquet_in_two_files_and_with_plain_lists(tmp_path):
    contexts, references = tmp_path / "c.parquet", tmp_path / "r.parquet"
    pl.DataFrame({"id": [1, 2], "context": [["a"], ["b", "c"]]}).write_parquet(contexts)
    pl.DataFrame({"id": [2], "text": ["x"], "weight": [1]}).write_parquet(references)
    testset = read_testset(contexts, references)
    assert testset.contexts.rows() == [("1", ["a"]), ("2", ["b", "c"])]
    assert testset.references.rows() == [("2", "x", 1.0, None)]
    nested = tmp_path / "n.parquet"
    pl.DataFrame({"id": [1, 2], "references": [["x", "y"], []]}).write_parquet(nested)
    assert read_testset(nested).references["text"].to_list() == ["x", "y"]


def test_parallel_text_splits_at_line_feeds_alone(tmp_path, caplog):
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    first.write_bytes("a\u2028b\x0c\x85\n\nc".encode())
    second.write_bytes(b"d\r\ne\r\nf\r\n")
    testset = read_testset(first, second)
    assert testset.ids == ["1", "2", "3"]
    # An empty line of a stream is no reference; the first stream's come first.
    assert [(row[0], row[1]) for row in testset.references.rows()] == [
        ("1", "a\u2028b\x0c\x85"),
        ("1", "d"),
        ("2", "e"),
        ("3", "c"),
        ("3", "f"),
    ]
    assert "second.txt: 3 lines end in CR LF" in caplog.text


def test_an_item_without_references_is_kept(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("a\n\n")
    testset = read_testset(path)
    assert (len(testset), testset.references.height) == (2, 1)
    assert dict(testset.references.schema) == REFERENCES


@pytest.mark.parametrize("name", ["system", "id", "text"])
def test_a_column_of_replies_that_holds_lists_is_an_error(tmp_path, name):
    columns = {"system": ["bot"], "id": ["1"], "text": ["Hi"]} | {name: [["a"]]}
    pl.DataFrame(columns).write_parquet(tmp_path / "r.parquet")
    with pytest.raises(InputError, match=f"column '{name}' holds List"):
        read_responses(tmp_path / "r.parquet")


def test_a_column_of_contexts_beside_two_systems_is_left_out_with_a_note(tmp_path, caplog):
    path = tmp_path / "answers.csv"
    path.write_text("id,question,basil,clove\n1,Salty?,Add water.,No.\n2,Thin?,Cook it.,Yes.\n")
    table = read_responses(path)
    assert table["system"].unique().sort().to_list() == ["basil", "clove"]
    assert "1 column of contexts, 'question', left out" in caplog.text
