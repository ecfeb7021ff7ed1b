"""Texts as rows of a model's vectors: only the vectors that occur are carried along."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.batches.features import Embedded, Features, Request
from rejoinder.messages import counted
from rejoinder.progress import Progress

if TYPE_CHECKING:
    from rejoinder.models.huggingface.encoder import Encoder
    from rejoinder.models.vectors.word_vectors import WordVectors


def words(request: Request, batch: Batch, progress: Progress | None) -> Features:
    """The words of all texts as rows of word vectors.

    Args:
        request: Its option ``language`` says how texts are cut into words.
        batch: The whole batch.
        progress: Not called.
    """
    from rejoinder.models.vectors.word_vectors import WordVectors

    return by_words(WordVectors.load(request.source), batch, str(request.option("language")))


def sentences(request: Request, batch: Batch, progress: Progress | None) -> Features:
    """A vector of a sentence encoder for each text.

    Args:
        request: What the metric asks for; its source is the encoder.
        batch: The replies with their references.
        progress: Called with what is done and what there is in all; None: never.
    """
    from rejoinder.models.huggingface.encoder import Encoder

    return by_encoder(Encoder.load(request.source), batch, progress)


def by_words(vectors: WordVectors, batch: Batch, language: str) -> Features:
    """The words of all texts as rows of word vectors; -1 for a word without one.

    Args:
        vectors: The word vectors.
        batch: The replies with their references.
        language: How texts are cut into words.
    """
    lookup = vectors.lookup(_texts(batch), language)
    known, rows = np.unique(lookup.rows, return_inverse=True)
    missing = int(known.size > 0 and known[0] < 0)
    known = known[missing:]
    texts = Embedded(
        vectors.matrix[known],
        rows.astype(np.int64) - missing,
        lookup.first,
        lookup.last,
        vectors.unknown,
        [vectors.words[row] for row in known.tolist()],
    )
    return _split(texts, batch, _unknown_words(texts, len(batch.hypotheses)))


def by_encoder(encoder: Encoder, batch: Batch, progress: Progress | None = None) -> Features:
    """A sentence vector for each text; equal texts are encoded once.

    Args:
        encoder: The sentence encoder.
        batch: The replies with their references.
        progress: Called with what is done and what there is in all; None: never.
    """
    texts = _texts(batch)
    distinct = list(dict.fromkeys(texts))
    codes = {text: code for code, text in enumerate(distinct)}
    place = np.array([codes[text] for text in texts], dtype=np.int64)
    vectors = Embedded.whole(encoder.encode(distinct, progress), place)
    return _split(vectors, batch, cut_texts(encoder, texts))


def _texts(batch: Batch) -> list[str]:
    return [*batch.hypotheses, *batch.reference_texts]


def _split(texts: Embedded, batch: Batch, notes: Sequence[str]) -> Features:
    """The features of the hypotheses, which come first, and of the references."""
    m = len(batch.hypotheses)
    return Features(texts.part(0, m), texts.part(m, len(texts)), tuple(notes))


def _unknown_words(texts: Embedded, m: int) -> list[str]:
    """Notes about words without a vector, and about texts without any word that has one.

    Args:
        texts: m replies, then references.
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
    """A note about texts that are longer than an encoder reads."""
    cut = encoder.count_cut(texts)
    if not cut:
        return []
    return [f"{counted(cut, 'text')} cut to the first {encoder.longest} tokens of the encoder"]
