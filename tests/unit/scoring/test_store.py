"""Kept scores that were damaged or altered: one message, or the very same numbers."""

import os
import re
from contextlib import suppress

import polars as pl
import pytest

from flipped_bits import drawn, every, flipped
from random_text import corpus
from rejoinder import TestSet, load_scores, score
from rejoinder.cli.inputs import _may_hold_scores
from rejoinder.errors import InputError
from rejoinder.figures.ruq import _table
from rejoinder.files.checksums import PLACEHOLDER, is_undamaged, write_checksum
from rejoinder.reporting.quantities import _tokens
from rejoinder.scoring.store import KEY, SEAL
from rejoinder.tables.io.arrow import read_parquet
from rejoinder.tables.io.panics import refusing_panics
from rejoinder.tables.kept_files import holds_scores, scores_in

REPLIES, REFERENCES = corpus(seed=5, n=12)
METRICS = ["bleu", "deltableu", "rougeL", "distinct"]


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    path = tmp_path_factory.mktemp("kept") / "scores.parquet"
    testset = TestSet.from_lists(REFERENCES)
    rows = [
        (system, item, text)
        for system, replies in (("a", REPLIES), ("b", REPLIES[::-1]))
        for item, text in zip(testset.ids, replies, strict=True)
    ]
    table = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    score(testset, table, METRICS, resamples=100).save(path)
    return path


def numbers(path):
    scores = load_scores(path)
    return scores.systems().to_dicts(), scores.compare().to_dicts(), scores.segments().to_dicts()


def same_or_refused(path, expected):
    try:
        found = repr(numbers(path))
    except InputError:
        return
    assert found == expected


@pytest.mark.parametrize("places", [drawn, pytest.param(every, marks=pytest.mark.slow)])
def test_a_flipped_bit_gives_no_other_number(kept, tmp_path, places):
    raw, path = kept.read_bytes(), tmp_path / "flipped.parquet"
    expected = repr(numbers(kept))
    for place, bit in places(raw):
        path.write_bytes(flipped(raw, place, bit))
        same_or_refused(path, expected)


@pytest.mark.parametrize("step", [16, pytest.param(1, marks=pytest.mark.slow)])
def test_a_flipped_bit_of_the_metadata_is_no_panic(kept, tmp_path, capfd, step):
    """One in some thousand makes Polars panic, before the hash is looked at (polars 2.1).

    What is done about a panic is tested below; this looks for places where one begins.
    """
    raw, path = kept.read_bytes(), tmp_path / "flipped.parquet"
    for place in range(len(raw) - 8 - int.from_bytes(raw[-8:-4], "little"), len(raw), step):
        path.write_bytes(flipped(raw, place, 0))
        for what in (holds_scores, scores_in, _may_hold_scores):
            what(path)
        with suppress(InputError):
            load_scores(path)
    assert not capfd.readouterr().err


READERS = {
    "holds_scores": (holds_scores, False),
    "scores_in": (scores_in, ({}, {})),
    "_may_hold_scores": (_may_hold_scores, True),
    "load_scores": (load_scores, "no readable Parquet file"),
    "figure of RUQ": (_table, "no readable Parquet file"),
    "tables of RUQ": (_tokens, "is no result of RUQ"),
    "table": (read_parquet, "not a sound Parquet file"),
}


@pytest.mark.parametrize("name", READERS)
def test_a_panic_of_polars_is_a_fault_of_the_file(kept, name, monkeypatch, capfd):
    def panic(*_, **__):
        os.write(2, b"thread '<unnamed>' panicked at lib.rs\n")
        raise pl.exceptions.PanicException("Worker threads cannot be set to 0")

    for function in ("read_parquet", "read_parquet_metadata", "scan_parquet", "from_arrow"):
        monkeypatch.setattr(pl, function, panic)
    read, expected = READERS[name]
    if isinstance(expected, str):
        with pytest.raises(InputError, match=expected):
            read(kept)
    else:
        assert read(kept) == expected
    assert not capfd.readouterr().err


def test_what_others_print_while_polars_reads_is_printed(capfd):
    with refusing_panics():
        os.write(2, b"45%\n")
    assert capfd.readouterr().err == "45%\n"


@pytest.mark.parametrize("size", [0, 1, 4, 100, -1])
def test_a_file_that_is_cut_is_refused(kept, tmp_path, size):
    path = tmp_path / "cut.parquet"
    path.write_bytes(kept.read_bytes()[:size])
    with pytest.raises(InputError, match=r"cut\.parquet"):
        load_scores(path)


def altered(kept, path, table=None, text=None):
    """A file with other content and metadata than ours, and with the hash of these."""
    table = pl.read_parquet(kept) if table is None else table
    text = pl.read_parquet_metadata(kept)[KEY] if text is None else text
    table.write_parquet(path, metadata={KEY: text, SEAL: PLACEHOLDER})
    write_checksum(path)
    return path


def test_a_file_that_another_program_wrote_anew_is_refused(kept, tmp_path):
    path = tmp_path / "new.parquet"
    pl.read_parquet(kept).write_parquet(path, metadata={KEY: pl.read_parquet_metadata(kept)[KEY]})
    with pytest.raises(InputError, match="altered by another program"):
        load_scores(path)


TABLES = {
    "rows sorted by id": lambda table: table.sort("id"),
    "items of one system reversed": lambda table: pl.concat([table.head(12), table.tail(12)[::-1]]),
    "systems in another order": lambda table: pl.concat([table.tail(12), table.head(12)]),
    "a row twice": lambda table: pl.concat([table, table.tail(1)]),
    "all rows twice": lambda table: pl.concat([table, table]),
    "an id twice": lambda table: table.with_columns(id=pl.col("id").replace({"2": "1"})),
    "a row is missing": lambda table: table.tail(-1),
    "no row": lambda table: table.head(0),
    "a system renamed": lambda table: table.with_columns(system=pl.lit("c")),
    "a column is missing": lambda table: table.drop("BLEU-2.matches_1"),
    "a number is text": lambda table: table.with_columns(pl.lit("x").alias("BLEU-2.matches_1")),
    "more matches than n-grams": lambda table: table.with_columns(pl.col("BLEU-2.matches_1") * 1e3),
    "a number is null": lambda table: table.with_columns(
        pl.when(pl.col("system") == "a")
        .then("BLEU-2.hypothesis_length")
        .alias("BLEU-2.hypothesis_length")
    ),
}


@pytest.mark.parametrize("change", TABLES)
def test_a_table_that_another_program_changed_is_refused(kept, tmp_path, change):
    table = pl.read_parquet(kept)
    path = altered(kept, tmp_path / "x.parquet", TABLES[change](table))
    with pytest.raises(InputError, match=r"x\.parquet: the rows do not fit what the file says"):
        load_scores(path)


TEXTS = [
    (r'"resamples":100', '"resamples":-1'),
    (r'"resamples":100', '"resamples":1000000000'),
    (r'"seed":12345', '"seed":-1'),
    (r'"systems":\["a","b"\]', '"systems":["b","a"]'),
    (r'"systems":\["a","b"\]', '"systems":["a","a"]'),
    (r'"systems":\["a","b"\]', '"systems":[]'),
    (r'"systems":\["a","b"\]', '"systems":["a"]'),
    (r'"references":\[\d+,\d+\]', '"references":[5,2]'),
    (r"order:2\|tok:13a", "order:4|tok:13a"),
    (r"order:2\|tok:13a", "order:2|tok:none"),
    (r'"order":2', '"order":3'),
    (r'"name":"bleu"', '"name":"deltableu"'),
    (r'"format":1', '"format":7'),
]


@pytest.mark.parametrize(("old", "new"), TEXTS)
def test_metadata_that_somebody_changed_are_refused(kept, tmp_path, old, new):
    text = pl.read_parquet_metadata(kept)[KEY]
    changed = re.sub(old, new, text, count=1)
    assert changed != text
    path = altered(kept, tmp_path / "x.parquet", text=changed)
    with pytest.raises(InputError, match=r"x\.parquet"):
        load_scores(path)


def test_a_seal_is_of_all_bytes_but_its_own(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"some " + PLACEHOLDER.encode() + b" more")
    write_checksum(path)
    assert is_undamaged(path)
    raw = path.read_bytes()
    assert PLACEHOLDER.encode() not in raw
    for place in range(len(raw)):
        path.write_bytes(flipped(raw, place, 0))
        mark = 5 <= place < 12
        assert is_undamaged(path) is (None if mark else False)
    path.write_bytes(b"")
    assert is_undamaged(path) is None


def test_the_seal_stands_in_the_metadata(kept):
    assert re.fullmatch("sha256:[0-9a-f]{64}", pl.read_parquet_metadata(kept)[SEAL])


def test_a_path_with_brackets_is_one_file(tmp_path):
    folder = tmp_path / "a[b]*"
    folder.mkdir()
    found = score(TestSet.from_lists([["yes"]], ids=["1"]), _one_reply(), ["bleu"], resamples=0)
    found.save(folder / "kept.parquet")
    assert load_scores(folder / "kept.parquet").names == found.names


def test_saving_replaces_scores_and_no_other_file(kept, tmp_path):
    scores, path = load_scores(kept), tmp_path / "there.parquet"
    for foreign in (b"mine", pl.DataFrame({"a": [1]})):
        if isinstance(foreign, bytes):
            path.write_bytes(foreign)
        else:
            foreign.write_parquet(path)
        before = path.read_bytes()
        with pytest.raises(InputError, match="holds no kept scores, so it is not replaced"):
            scores.save(path)
        assert path.read_bytes() == before
    path.write_bytes(b"")  # as mktemp makes one
    for _ in range(2):
        scores.save(path)
    assert load_scores(path).names == scores.names


def _one_reply():
    return pl.DataFrame({"system": ["s"], "id": ["1"], "text": ["yes"]})
