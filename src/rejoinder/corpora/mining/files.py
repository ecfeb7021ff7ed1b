"""Indexes of corpora in folders: made once, of Parquet in bounded memory, and checked when read again."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder.corpora.mining.index import ARRAYS, ROWS_AT_ONCE, TripleIndex
from rejoinder.errors import InputError
from rejoinder.files.arrays import FileArrays, MemoryArrays, is_free, new_folder, read_folder
from rejoinder.files.content import content_digest
from rejoinder.files.locks import alone
from rejoinder.files.reading import existing
from rejoinder.files.replacing import remove_parts
from rejoinder.kernels.arrays import Fingerprints, Indices, Postings
from rejoinder.kernels.tokens import drawn_keys
from rejoinder.messages import quoted
from rejoinder.progress import Progress
from rejoinder.retrieval.vocabulary import Vocabulary
from rejoinder.tables.io.parquet_batches import ParquetRows
from rejoinder.tables.testset import TestSet, read_testset
from rejoinder.text.tokenizers import TOKENIZERS, check_tokenizer


def index_corpus(
    corpus: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    tokenizer: str = "13a",
    progress: Progress | None = None,
) -> TripleIndex:
    """The index of a corpus in a folder, which is made where there is none; for ``rejoinder.mine``.

    A corpus in Parquet of more than 131,072 rows is read in parts, so that memory does not grow with
    it; a file of another format is read whole. The folder has its files when the index is
    complete, and none before. Its files are checked against their checksums, and then mapped.

    Args:
        corpus: A file or folder that ``read_testset`` reads: contexts with a reply each.
        folder: Where the index is, or is to be.
        tokenizer: One of ``text.tokenizers``; texts are lower-cased.
        progress: Called with the number of items indexed and of all items.

    Raises:
        InputError: The corpus cannot be read; the folder is damaged, holds the index of another
            corpus or of another tokenizer, cannot be written, or another run writes there now.
        ParameterError: There is no such tokenizer.
    """
    check_tokenizer(tokenizer)
    (path,) = existing([Path(corpus)], "corpus")
    if not (path.is_file() or path.is_dir()):
        raise InputError(f"{path}: an index is made of files; write the corpus to a file first")
    digest = content_digest(path)
    if is_free(folder):
        _make(path, Path(os.path.realpath(folder)), tokenizer, digest, progress)
    return read_index(folder, digest, tokenizer)


def _make(path: Path, folder: Path, tokenizer: str, digest: str, progress: Progress | None) -> None:
    """Makes the index of a corpus in a folder, unless another run has made it meanwhile."""
    with alone(folder):
        if not is_free(folder):
            return
        remove_parts(folder.parent, folder.name)  # of killed runs
        # Keys of the corpus' own: the same corpus gives the same files, to the byte.
        keys = drawn_keys(f"{digest} {tokenizer}".encode())
        with new_folder(folder) as arrays:
            index = _index(path, arrays, tokenizer, progress, keys)
            write_index(index, arrays, digest)


@contextmanager
def passing_index(
    corpus: str | os.PathLike[str], tokenizer: str = "13a", progress: Progress | None = None
) -> Iterator[TripleIndex]:
    """An index for the body alone: in memory, or of a long Parquet file in a temporary folder.

    Args:
        corpus: The file of the corpus.
        tokenizer: The name of the tokenizer.
        progress: Called with what is done and what there is in all; None: never.

    Raises:
        InputError: The corpus cannot be read, or the temporary folder cannot be written.
    """
    check_tokenizer(tokenizer)
    (path,) = existing([Path(corpus)], "corpus")
    if not _long_parquet(path):
        yield _index(path, MemoryArrays(), tokenizer, progress)
        return
    with tempfile.TemporaryDirectory(prefix="rejoinder-") as name:
        with new_folder(Path(name) / "index") as arrays:
            index = _index(path, arrays, tokenizer, progress)
        yield index


def _index(
    path: Path,
    arrays: FileArrays | MemoryArrays,
    tokenizer: str,
    progress: Progress | None,
    keys: Fingerprints | None = None,
) -> TripleIndex:
    rows = _long_parquet(path)
    if rows:
        return TripleIndex.of(_parts(path), arrays, tokenizer, progress, rows, keys, str(path))
    whole = read_testset(path)
    return TripleIndex.of([whole], arrays, tokenizer, progress, len(whole), keys, str(path))


def _long_parquet(path: Path) -> int:
    """The rows of a Parquet file that is read in parts; 0 for any other file."""
    import pyarrow as pa

    if not path.is_file():
        return 0
    with path.open("rb") as file:
        if file.read(4) != b"PAR1":
            return 0
    try:
        rows = ParquetRows(path).rows
    except (OSError, pa.ArrowException):
        return 0  # whoever reads it whole says what is wrong
    return rows if rows > ROWS_AT_ONCE else 0


def _parts(path: Path) -> Iterator[TestSet]:
    """The parts of a long Parquet file, whose ids are compared at its end, 8 bytes of memory for each."""
    hashes: list[NDArray[np.uint64]] = []
    for _, part in _with_rows(path):
        hashes.append(part.contexts.get_column("id").hash().to_numpy())
        yield part
    every = np.concatenate(hashes)
    hashes.clear()
    every.sort()
    repeated = every[1:][every[1:] == every[:-1]]
    if repeated.size:
        _refuse_repeated(path, repeated)


def _refuse_repeated(path: Path, hashes: NDArray[np.uint64]) -> None:
    """Raises an InputError that names an id of two parts; none where different ids have one hash."""
    first: dict[str, str] = {}
    for rows, part in _with_rows(path):
        ids = part.contexts.get_column("id")
        for id in ids.filter(np.isin(ids.hash().to_numpy(), hashes)).to_list():
            if id in first:
                raise InputError(
                    f"{path}, {rows}: duplicate id {quoted(id)}, first in {first[id]}; one row per item, "
                    "with all its references"
                )
            first[id] = rows


def _with_rows(path: Path) -> Iterator[tuple[str, TestSet]]:
    """The parts of a long Parquet file, each with what its rows are called in messages."""
    done = 0
    for table in ParquetRows(path).tables_of(ROWS_AT_ONCE):
        frame = pl.from_arrow(table)
        assert isinstance(frame, pl.DataFrame)
        rows = f"rows {done + 1} to {done + frame.height}"
        try:
            part = read_testset(frame)
        except InputError as error:
            raise InputError(f"{path}, {rows}: {error}") from None
        yield rows, part
        done += frame.height


KIND = "triples"
VERSION = 1

_CHECKED_AT_ONCE = 1 << 24

_WORDS = {
    "keys": np.uint64,
    "vocabulary": np.uint64,
    **{
        f"{side}_{name}": dtype
        for side in ("message", "response")
        for name, dtype in (
            ("bounds", np.int64),
            ("documents", np.uint32),
            ("counts", np.uint16),
            ("lengths", np.uint16),
        )
    },
}


def write_index(index: TripleIndex, arrays: FileArrays, corpus: str) -> None:
    """Completes the folder that an index was made in.

    Args:
        index: What was made there.
        arrays: The folder.
        corpus: The SHA-256 of the file that the corpus was read from, 64 hexadecimal digits.
    """
    arrays.finish(
        {
            "kind": KIND,
            "version": VERSION,
            "corpus": corpus,
            "tokenizer": index.tokenizer,
            "hash": index.hash,
            "notes": list(index.notes),
        }
    )


def read_index(
    path: str | os.PathLike[str], corpus: str | None = None, tokenizer: str | None = None
) -> TripleIndex:
    """The index in a folder, its files mapped.

    Args:
        path: The folder.
        corpus: The SHA-256 of the file that it must have been made of; None: any.
        tokenizer: The tokenizer that it must have been made with; None: any.

    Raises:
        InputError: A file is missing or damaged, or the index is another one.
    """
    arrays, record = read_folder(path)
    if record.get("kind") != KIND or record.get("version") != VERSION:
        raise InputError(
            f"{path}: holds no index of a corpus that this version reads; name a new folder"
        )
    if not _is_known(record):
        raise InputError(
            f"{path}: its record lacks the corpus, the tokenizer, the hash or the notes of an index; "
            "remove the folder, so that the next command makes it anew"
        )
    for what, required in (("corpus", corpus), ("tokenizer", tokenizer)):
        if required is not None and record[what] != required:
            raise InputError(
                f"{path}: holds the index of another {what} ({what} was {record[what]}, is {required}); "
                "name a new folder"
            )
    index = _sound(arrays, record)
    if index is None:
        raise InputError(
            f"{path}: its arrays do not fit each other; remove the folder, so that the next command "
            "makes it anew"
        )
    return index


def _is_known(record: dict[str, Any]) -> bool:
    """Whether a record has what is read of it, in its types."""
    notes = record.get("notes")
    return (
        all(isinstance(record.get(name), str) for name in ("corpus", "hash"))
        and record.get("tokenizer") in list(TOKENIZERS)
        and isinstance(notes, list)
        and all(isinstance(each, str) for each in notes)
    )


def _sound(arrays: dict[str, Any], record: dict[str, Any]) -> TripleIndex | None:
    """The index of these arrays; None where they are none of an index."""
    kinds = {**ARRAYS, **_WORDS}
    if {name: each.dtype for name, each in arrays.items()} != {
        name: np.dtype(kind) for name, kind in kinds.items()
    }:
        return None
    try:
        index = _of(arrays, record)
        return index if _is_sound(index) else None
    except (LookupError, TypeError, ValueError):
        return None


def _of(arrays: dict[str, Any], record: dict[str, Any]) -> TripleIndex:
    return TripleIndex(
        tokenizer=record["tokenizer"],
        hash=record["hash"],
        notes=tuple(record["notes"]),
        keys=arrays["keys"],
        vocabulary=Vocabulary.of(arrays["vocabulary"]),
        messages=_postings(arrays, "message"),
        responses=_postings(arrays, "response"),
        **{name: arrays[name] for name in ARRAYS},
    )


def _is_sound(index: TripleIndex) -> bool:
    """Whether no place in an array is outside another one: the search would read and write there."""
    n, utterances = len(index), index.text_bounds.size - 1
    conversations = index.name_bounds.size - 1
    return bool(
        n
        and all(each.size == n for each in (index.turns, index.reply_keys, index.conversations))
        and index.keys.size == 260
        and index.utterance_keys.size == utterances
        and _are_bounds(index.text_bounds, index.text.size)
        and _are_bounds(index.name_bounds, index.names.size)
        and index.turns.min() > 0
        and (index.replies - index.turns).min() >= 0
        and index.replies.max() < utterances
        and index.conversations.max() < conversations
        and all(_fit(each, n, len(index.vocabulary)) for each in (index.messages, index.responses))
    )


def _are_bounds(bounds: Indices, size: int) -> bool:
    return bool(bounds[0] == 0 and bounds[-1] == size and (np.diff(bounds) >= 0).all())


def _fit(postings: Postings, n: int, words: int) -> bool:
    """Whether postings are of so many documents and words, and ascend within each word."""
    bounds, documents, counts, lengths = postings
    if bounds.size != words + 1 or lengths.size != n or counts.size != documents.size:
        return False
    if not _are_bounds(bounds, documents.size):
        return False
    for begin in range(0, documents.size, _CHECKED_AT_ONCE):
        part = documents[begin : begin + _CHECKED_AT_ONCE + 1]
        if part.max() >= n:
            return False
        falls = np.flatnonzero(part[1:] <= part[:-1]) + begin + 1
        if (bounds[np.searchsorted(bounds, falls)] != falls).any():
            return False
    return True


def _postings(arrays: dict[str, Any], name: str) -> Postings:
    parts: Sequence[str] = ("bounds", "documents", "counts", "lengths")
    return Postings(*(arrays[f"{name}_{each}"] for each in parts))
