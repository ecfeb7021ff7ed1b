"""Indexes on disk: the same candidates, made once, of Parquet in parts."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import rejoinder
from mining_by_hand import texts
from rejoinder.corpora.mining import files, triples
from rejoinder.corpora.mining.files import index_corpus, passing_index
from rejoinder.corpora.mining.index import TripleIndex
from rejoinder.corpora.mining.mine import mine
from rejoinder.errors import InputError
from rejoinder.files.arrays import MemoryArrays
from shared_data import EXAMPLES, TESTSET

CORPUS = EXAMPLES / "corpus.txt"


@pytest.fixture(scope="module")
def testset():
    return rejoinder.read_testset(TESTSET)


@pytest.fixture(scope="module")
def expected(testset):
    return mine(rejoinder.read_testset(CORPUS), testset)


def test_an_index_on_disk_gives_the_same_candidates(tmp_path, testset, expected):
    folder = tmp_path / "new" / "index"
    for _ in range(2):  # made, then read
        mined = mine(index_corpus(CORPUS, folder), testset)
        assert_frame_equal(mined.table, expected.table)
        assert (mined.signature, mined.notes) == (expected.signature, expected.notes)


def test_an_index_is_made_once_and_the_same_to_the_byte(tmp_path, monkeypatch):
    index_corpus(CORPUS, tmp_path / "a")
    index_corpus(CORPUS, tmp_path / "b")
    for each in (tmp_path / "a").iterdir():
        assert each.read_bytes() == (tmp_path / "b" / each.name).read_bytes(), each.name
    monkeypatch.setattr(files, "read_testset", None)
    assert len(index_corpus(CORPUS, tmp_path / "a")) == 91


def test_the_index_of_another_corpus_is_refused(tmp_path):
    (tmp_path / "c.txt").write_bytes(CORPUS.read_bytes())
    index_corpus(tmp_path / "c.txt", tmp_path / "i")
    with pytest.raises(InputError, match=r"another tokenizer.*was 13a, is char"):
        index_corpus(tmp_path / "c.txt", tmp_path / "i", tokenizer="char")
    with (tmp_path / "c.txt").open("a") as file:
        file.write("Hi . __eou__ Ho . __eou__\n")
    with pytest.raises(InputError, match="another corpus"):
        index_corpus(tmp_path / "c.txt", tmp_path / "i")


@pytest.mark.parametrize("named", [False, True])
def test_parquet_in_parts_is_the_whole(tmp_path, testset, monkeypatch, named):
    corpus = rejoinder.read_testset(CORPUS)
    if not named:
        corpus = rejoinder.TestSet(corpus.contexts.select("id", "context"), corpus.references)
    rejoinder.write_testset(corpus, tmp_path / "c.parquet")
    whole = mine(corpus, testset).table
    for module in (triples, files):
        monkeypatch.setattr(module, "ROWS_AT_ONCE", 7)
    parts = mine(index_corpus(tmp_path / "c.parquet", tmp_path / "i"), testset).table
    # Where a part begins, a conversation without a name begins anew: by the id of its first item there.
    dropped = [] if named else ["dialogue"]
    assert_frame_equal(parts.drop(dropped), whole.drop(dropped))
    with passing_index(tmp_path / "c.parquet") as index:
        assert_frame_equal(mine(index, testset).table.drop(dropped), whole.drop(dropped))


def test_a_fault_of_a_part_names_its_rows(tmp_path, monkeypatch):
    rows = [{"id": str(i), "context": ["a"], "references": ["b"]} for i in range(20)]
    rows[15]["id"] = "14"
    pl.DataFrame(rows).write_parquet(tmp_path / "c.parquet")
    for module in (triples, files):
        monkeypatch.setattr(module, "ROWS_AT_ONCE", 7)
    with pytest.raises(InputError, match=r"c\.parquet, rows 15 to 20: .*duplicate"):
        index_corpus(tmp_path / "c.parquet", tmp_path / "i")
    assert not (tmp_path / "i").exists()


def test_conversations_are_stored_once_and_contexts_come_back():
    corpus = rejoinder.read_testset(CORPUS)
    index = TripleIndex.of([corpus], MemoryArrays())
    contexts = corpus.contexts["context"].to_list()
    assert [index.context(i) for i in range(len(index))] == contexts
    assert [index.response(i) for i in range(len(index))] == corpus.references["text"].to_list()
    names = corpus.contexts["conversation"].to_list()
    assert [index.name(i) for i in range(len(index))] == names
    assert index.utterance_keys.size == len(index) + len(set(names))  # a first turn each
    assert np.array_equal(index.turns, [len(each) for each in contexts])


def test_a_damaged_index_is_one_message(tmp_path):
    index_corpus(CORPUS, tmp_path / "i")
    with (tmp_path / "i" / "text").open("r+b") as file:
        file.write(b"x")
    with pytest.raises(InputError, match=r"text: damaged .*remove the folder"):
        index_corpus(CORPUS, tmp_path / "i")


def test_random_texts_make_ties_and_duplicates():
    made = texts(np.random.default_rng(1), 200, 5, 2)
    assert len(set(made)) < 60
