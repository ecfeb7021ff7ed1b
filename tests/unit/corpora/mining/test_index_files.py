"""Indexes on disk: the same candidates, made once, of Parquet in parts."""

import hashlib

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import rejoinder
from mining_by_hand import texts
from rejoinder.corpora.mining import files
from rejoinder.corpora.mining import index as of_parts
from rejoinder.corpora.mining.files import index_corpus, passing_index, read_index
from rejoinder.corpora.mining.index import TripleIndex
from rejoinder.corpora.mining.mine import mine
from rejoinder.errors import InputError
from rejoinder.files.arrays import MemoryArrays, new_folder, read_folder
from rejoinder.files.locks import alone
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


def test_what_a_killed_run_left_is_removed(tmp_path):
    left = tmp_path / ".i.123-0123abcd.part"
    left.mkdir()
    (left / "text").write_bytes(b"half")
    index_corpus(CORPUS, tmp_path / "i")
    assert [each.name for each in tmp_path.iterdir()] == ["i"]


def test_one_run_at_a_time_makes_an_index(tmp_path):
    busy = pytest.raises(InputError, match="another run writes to this folder now; wait until")
    with alone(tmp_path / "i"), busy:
        index_corpus(CORPUS, tmp_path / "i")
    assert list(tmp_path.iterdir()) == []


def test_the_index_of_another_corpus_is_refused(tmp_path):
    (tmp_path / "c.txt").write_bytes(CORPUS.read_bytes())
    index_corpus(tmp_path / "c.txt", tmp_path / "i")
    with pytest.raises(InputError, match=r"another tokenizer.*was 13a, is char"):
        index_corpus(tmp_path / "c.txt", tmp_path / "i", tokenizer="char")
    with (tmp_path / "c.txt").open("a") as file:
        file.write("Hi . __eou__ Ho . __eou__\n")
    with pytest.raises(InputError, match="another corpus"):
        index_corpus(tmp_path / "c.txt", tmp_path / "i")


def test_an_index_names_its_corpus_by_the_whole_sha256(tmp_path):
    index_corpus(CORPUS, tmp_path / "i")
    _, record = read_folder(tmp_path / "i")
    digest = hashlib.sha256(CORPUS.read_bytes()).hexdigest()
    assert record["corpus"] == digest
    with pytest.raises(InputError, match="another corpus"):
        read_index(tmp_path / "i", digest[:8] + "0" * 56)


@pytest.mark.parametrize("named", [False, True])
def test_parquet_in_parts_is_the_whole(tmp_path, testset, monkeypatch, named):
    corpus = rejoinder.read_testset(CORPUS)
    if not named:
        corpus = rejoinder.TestSet(corpus.contexts.select("id", "context"), corpus.references)
    rejoinder.write_testset(corpus, tmp_path / "c.parquet")
    whole = mine(corpus, testset).table
    for module in (of_parts, files):
        monkeypatch.setattr(module, "ROWS_AT_ONCE", 7)
    parts = mine(index_corpus(tmp_path / "c.parquet", tmp_path / "i"), testset).table
    # Where a part begins, a conversation without a name begins anew: by the id of its first item there.
    dropped = [] if named else ["dialogue"]
    assert_frame_equal(parts.drop(dropped), whole.drop(dropped))
    with passing_index(tmp_path / "c.parquet") as index:
        assert_frame_equal(mine(index, testset).table.drop(dropped), whole.drop(dropped))


@pytest.mark.parametrize(
    ("id", "fault"),
    [
        pytest.param("14", ".*duplicate", id="within-a-part"),
        pytest.param(
            "3", "duplicate id '3', first in rows 1 to 7; one row per item", id="of-two-parts"
        ),
    ],
)
def test_a_duplicate_id_names_the_rows_of_its_part(tmp_path, monkeypatch, id, fault):
    rows = [{"id": str(i), "context": ["a"], "references": ["b"]} for i in range(20)]
    rows[15]["id"] = id
    pl.DataFrame(rows).write_parquet(tmp_path / "c.parquet")
    for module in (of_parts, files):
        monkeypatch.setattr(module, "ROWS_AT_ONCE", 7)
    with pytest.raises(InputError, match=rf"c\.parquet, rows 15 to 20: {fault}"):
        index_corpus(tmp_path / "c.parquet", tmp_path / "i")
    assert not (tmp_path / "i").exists()


def test_different_ids_with_one_hash_are_not_refused(tmp_path, monkeypatch):
    rows = [{"id": str(i), "context": ["a"], "references": ["b"]} for i in range(20)]
    pl.DataFrame(rows).write_parquet(tmp_path / "c.parquet")
    for module in (of_parts, files):
        monkeypatch.setattr(module, "ROWS_AT_ONCE", 7)
    monkeypatch.setattr(pl.Series, "hash", lambda ids: ids.str.len_chars().cast(pl.UInt64))
    assert len(index_corpus(tmp_path / "c.parquet", tmp_path / "i")) == 20


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


def swapped(values):
    values[:2] = values[1::-1].copy()


def far(values):
    values[-1] = np.iinfo(values.dtype).max


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("message_documents", far),
        ("response_documents", swapped),
        ("conversations", far),
        ("replies", far),
        ("turns", far),
        ("text_bounds", far),
        ("name_bounds", swapped),
        ("message_bounds", swapped),
        ("response_bounds", far),
        ("message_lengths", lambda values: values[:-1]),
        ("reply_keys", lambda values: values[:-1]),
        ("vocabulary", lambda values: values[:-1]),
        ("keys", lambda values: values[:-1]),
        ("text", lambda values: values[:-1]),
        ("turns", lambda values: values.astype(np.float64)),
    ],
)
def test_arrays_that_do_not_fit_each_other_are_refused(tmp_path, name, change):
    """Written by somebody whose checksums are right: the search would read outside of an array."""
    index_corpus(CORPUS, tmp_path / "i")
    arrays, record = read_folder(tmp_path / "i")
    with new_folder(tmp_path / "other") as other:
        for each, values in arrays.items():
            copy = values.copy()
            changed = change(copy) if each == name else None
            other.append(each, copy if changed is None else changed)
        other.finish(record)
    with pytest.raises(InputError, match=r"arrays do not fit each other; remove the folder"):
        read_index(tmp_path / "other")


def test_an_array_that_is_not_there_is_one_message(tmp_path):
    index_corpus(CORPUS, tmp_path / "i")
    arrays, record = read_folder(tmp_path / "i")
    with new_folder(tmp_path / "other") as other:
        other.append("text", arrays["text"])
        other.finish(record)
    with pytest.raises(InputError, match="do not fit each other"):
        read_index(tmp_path / "other")
    with new_folder(tmp_path / "third") as other:
        other.finish({"kind": "triples", "version": 9})
    with pytest.raises(InputError, match="no index of a corpus that this version reads"):
        read_index(tmp_path / "third")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, value) for name in ("corpus", "hash", "tokenizer") for value in (None, 7, {})),
        *(("notes", value) for value in (None, 7, "note", [1])),
        ("tokenizer", "no such one"),
    ],
)
def test_a_record_without_what_is_read_of_it_is_one_message(tmp_path, name, value):
    index_corpus(CORPUS, tmp_path / "i")
    arrays, record = read_folder(tmp_path / "i")
    with new_folder(tmp_path / "other") as other:
        for each, values in arrays.items():
            other.append(each, values)
        other.finish({**record, name: value})
    with pytest.raises(InputError, match=r"its record lacks .* remove the folder"):
        read_index(tmp_path / "other", record["corpus"], "13a")


def test_random_texts_make_ties_and_duplicates():
    corpus = texts(np.random.default_rng(1), 200, 5, 2)
    assert len(set(corpus)) < 60
