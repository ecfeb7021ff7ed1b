"""Inverted indexes made in bounded memory: documents come in parts, and are sorted by word at the end.

Each part is reduced to entries (document, word, count). When all are there, the number of entries of
each word is known, and with it where its postings begin: one pass over the entries puts each in its
place. Entries and postings are arrays of files/arrays.py, in memory or mapped from files.
"""

from __future__ import annotations

import numpy as np

from rejoinder.errors import InputError
from rejoinder.files.arrays import GrowingArrays
from rejoinder.kernels.arrays import Indices, Postings, Tokens
from rejoinder.kernels.postings import count_words, sort_by_word

LONGEST = np.iinfo(np.uint16).max
"""Words of the longest document that an index holds."""

_AT_ONCE = 1 << 20  # documents whose entries are sorted at once


class Inversion:
    """The entries of documents so far.

    Args:
        arrays: Where the entries and postings are put.
        name: What their names begin with.
    """

    def __init__(self, arrays: GrowingArrays, name: str) -> None:
        self.arrays = arrays
        self.name = name
        self.size = 0
        self._frequencies = np.zeros(0, dtype=np.int64)

    def add(self, tokens: Tokens, words: Indices, known: int) -> None:
        """Adds documents.

        Args:
            tokens: Document i has the words ``first[i]`` to ``last[i]``.
            words: The number of each token's word (int64 [t]).
            known: The size of the vocabulary.

        Raises:
            InputError: A document has more than `LONGEST` words.
        """
        lengths = tokens.lengths
        if lengths.max(initial=0) > LONGEST:
            place = self.size + int(lengths.argmax()) + 1
            raise InputError(
                f"text {place}: {lengths.max()} words; expected utterances of at most {LONGEST}; "
                "leave the text out, or cut it"
            )
        self._frequencies = np.concatenate(
            [self._frequencies, np.zeros(known - self._frequencies.size, dtype=np.int64)]
        )
        total = int(lengths.sum())
        entries = np.empty(lengths.size, dtype=np.int64)
        terms = np.empty(total, dtype=np.uint32)
        counts = np.empty(total, dtype=np.uint16)
        marks = np.full(known, -1, dtype=np.int64)
        written = count_words(tokens, words, marks, entries, terms, counts, self._frequencies)
        self.arrays.append(f"{self.name}_lengths", lengths.astype(np.uint16))
        self.arrays.append(f"{self.name}_entries", entries.astype(np.uint16))
        self.arrays.append(f"{self.name}_terms", terms[:written])
        self.arrays.append(f"{self.name}_term_counts", counts[:written])
        self.size += lengths.size

    def postings(self) -> Postings:
        """All documents by word; nothing can be added afterwards.

        Raises:
            InputError: There are more documents than an index holds.
        """
        if self.size > np.iinfo(np.uint32).max:
            raise InputError(f"{self.size} texts; an index holds {np.iinfo(np.uint32).max} at most")
        names = [f"{self.name}_{each}" for each in ("entries", "terms", "term_counts")]
        entries, terms, term_counts = map(self.arrays.complete, names)
        bounds = np.concatenate([[0], np.cumsum(self._frequencies)]).astype(np.int64)
        documents = self.arrays.allocate(f"{self.name}_documents", terms.size, np.uint32)
        counts = self.arrays.allocate(f"{self.name}_counts", terms.size, np.uint16)
        cursors = bounds[:-1].copy()
        at = 0
        for begin in range(0, self.size, _AT_ONCE):
            part = entries[begin : begin + _AT_ONCE]
            end = at + int(part.sum(dtype=np.int64))
            sort_by_word(
                part, terms[at:end], term_counts[at:end], begin, cursors, documents, counts
            )
            at = end
        for name in names:
            self.arrays.remove(name)
        self.arrays.append(f"{self.name}_bounds", bounds)
        lengths = self.arrays.complete(f"{self.name}_lengths")
        return Postings(bounds, documents, counts, lengths)
