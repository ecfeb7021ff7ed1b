"""Texts as rows of a model's vectors: only the vectors that occur are carried along."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rejoinder.batches.features import Embedded
from rejoinder.messages import counted
from rejoinder.progress import Progress

if TYPE_CHECKING:
    from rejoinder.models.huggingface.encoder import Encoder
    from rejoinder.models.vectors.word_vectors import WordVectors


def by_words(vectors: WordVectors, texts: Sequence[str], language: str) -> Embedded:
    """The words of texts as rows of word vectors; -1 for a word without one."""
    found = vectors.lookup(texts, language)
    held, rows = np.unique(found.rows, return_inverse=True)
    missing = int(held.size > 0 and held[0] < 0)
    held = held[missing:]
    return Embedded(
        vectors.matrix[held],
        rows.astype(np.int64) - missing,
        found.first,
        found.last,
        vectors.unknown,
        [vectors.words[row] for row in held.tolist()],
    )


def unknown_words(texts: Embedded, m: int) -> list[str]:
    """How many words have no vector, and how many texts are left without any, in words.

    Args:
        texts: By ``by_words``: m replies, then references.
        m: How many replies.
    """
    counts = texts.last - texts.first
    unknown = np.concatenate([[0], np.cumsum(texts.rows < 0)])
    unknowns = unknown[texts.last] - unknown[texts.first]
    notes = []
    if unknowns.any():
        share = 100 * unknowns.sum() / counts.sum()
        notes.append(
            f"{unknowns[:m].sum()} of {counted(int(counts[:m].sum()), 'word')} of the replies "
            f"and {unknowns[m:].sum()} of {counts[m:].sum()} of the references have no vector "
            f"({share:.1f}%)"
        )
    empty = int((counts[:m] == 0).sum())
    blank = int(((counts[:m] > 0) & (counts[:m] == unknowns[:m])).sum())
    if empty:
        notes.append(f"{counted(empty, 'reply', 'replies')} without any word: a similarity of 0")
    if blank:
        notes.append(f"{counted(blank, 'reply', 'replies')} of unknown words alone")
    return notes


def cut_texts(encoder: Encoder, texts: Sequence[str]) -> list[str]:
    """How many texts are longer than an encoder reads, in words."""
    cut = encoder.count_cut(texts)
    if not cut:
        return []
    return [f"{counted(cut, 'text')} cut to the first {encoder.longest} tokens of the encoder"]


def by_encoder(
    encoder: Encoder, texts: Sequence[str], progress: Progress | None = None
) -> Embedded:
    """A sentence vector for each text; equal texts are encoded once."""
    distinct = list(dict.fromkeys(texts))
    codes = {text: code for code, text in enumerate(distinct)}
    place = np.array([codes[text] for text in texts], dtype=np.int64)
    return Embedded.whole(encoder.encode(distinct, progress), place)
