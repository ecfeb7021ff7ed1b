"""``rejoinder mine`` as a user meets it."""

import json

import polars as pl
import pytest

import rejoinder
from rejoinder.tables.schemas import CANDIDATES
from shared_data import EXAMPLES, TESTSET

CORPUS = EXAMPLES / "corpus.txt"


@pytest.fixture(scope="module")
def expected():
    return rejoinder.mine(
        rejoinder.read_testset(CORPUS), rejoinder.read_testset(TESTSET), candidates=3, parrot=True
    )


def mined(command, path, *more):
    status, out, err = command(
        "mine", CORPUS, TESTSET, "-o", path, "--set", "parrot=true", "--candidates", 3, *more
    )
    assert status == 0, err
    return out, err


def test_the_table_in_every_format(command, tmp_path, expected):
    rows = expected.table.to_dicts()
    mined(command, tmp_path / "a.jsonl")
    lines = (tmp_path / "a.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line) for line in lines] == rows
    mined(command, tmp_path / "a.parquet")
    table = pl.read_parquet(tmp_path / "a.parquet")
    assert dict(table.schema) == CANDIDATES
    assert table.to_dicts() == rows
    for suffix, separator in ((".csv", ","), (".tsv", "\t")):
        mined(command, tmp_path / f"a{suffix}")
        path = tmp_path / f"a{suffix}"
        quote = '"' if suffix == ".csv" else None
        table = pl.read_csv(path, separator=separator, quote_char=quote, infer_schema=False)
        assert table.columns == list(CANDIDATES)
        assert table["text"].to_list() == [row["text"] for row in rows]
        turns = [
            json.loads(cell) if cell not in (None, "") else None for cell in table["mined_context"]
        ]
        assert turns == [row["mined_context"] for row in rows]


def test_what_is_printed(command, tmp_path, expected):
    out, err = mined(command, tmp_path / "a.jsonl")
    assert "similarity of messages" in out
    words = " ".join(out.split())
    assert "66 items, 198 mined candidates" in words
    assert "and 66 items with the source 'parroted'" in words
    assert expected.signature in out
    assert err == f"Wrote {tmp_path / 'a.jsonl'} (264 rows).\n"
    out, _ = mined(command, tmp_path / "b.jsonl", "--json")
    assert json.loads(out) == {"json_version": 2} | expected.as_json(str(tmp_path / "b.jsonl"))


def test_an_index_is_kept_and_used(command, tmp_path):
    mined(command, tmp_path / "a.jsonl", "--index", tmp_path / "i")
    first = (tmp_path / "i" / "index.json").stat().st_mtime_ns
    mined(command, tmp_path / "b.jsonl", "--index", tmp_path / "i", "--set", "k1=0.9")
    assert (tmp_path / "i" / "index.json").stat().st_mtime_ns == first
    words = ("mine", CORPUS, TESTSET, "-o", tmp_path / "c.jsonl", "--index", tmp_path / "i")
    status, _, err = command(*words, "--set", "tokenizer=none")
    assert status == 2
    assert "holds the index of another tokenizer" in err
