"""Indexes of triples in folders: written, and read again after every array has been checked."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from rejoinder.corpora.mining.index import ARRAYS, TripleIndex
from rejoinder.errors import InputError
from rejoinder.files.arrays import FileArrays, read_folder
from rejoinder.kernels.arrays import Indices, Postings
from rejoinder.retrieval.vocabulary import Vocabulary
from rejoinder.text.tokenizers import TOKENIZERS

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
    for what, wanted in (("corpus", corpus), ("tokenizer", tokenizer)):
        if wanted is not None and record[what] != wanted:
            raise InputError(
                f"{path}: holds the index of another {what} ({what} was {record[what]}, is {wanted}); "
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
