"""The words of an index, numbered in the order in which they are first seen."""

from __future__ import annotations

import numpy as np

from rejoinder.kernels.arrays import Fingerprints, Indices
from rejoinder.kernels.postings import find_words, number_words

_FEWEST_SLOTS = 1 << 10


class Vocabulary:
    """A hash table from the fingerprint of a word to its number.

    Example:
        >>> vocabulary = Vocabulary()
        >>> vocabulary.number(np.array([7, 9, 7], dtype=np.uint64)).tolist()
        [0, 1, 0]
        >>> vocabulary.find(np.array([9, 8], dtype=np.uint64)).tolist()
        [1, -1]
    """

    def __init__(self) -> None:
        self._clear(_FEWEST_SLOTS)

    @classmethod
    def of(cls, fingerprints: Fingerprints) -> Vocabulary:
        """The vocabulary of distinct words in this order."""
        vocabulary = cls()
        vocabulary.number(np.ascontiguousarray(fingerprints))
        return vocabulary

    def __len__(self) -> int:
        return self._size

    def number(self, tokens: Fingerprints) -> Indices:
        """int64 [t], the number of each token's word; new words are added."""
        needed = 2 * (self._size + tokens.size)
        if needed > self._keys.size:
            known = self.fingerprints
            self._clear(1 << (needed - 1).bit_length())
            self.number(known)
        words = np.empty(tokens.size, dtype=np.int64)
        self._size = number_words(tokens, self._keys, self._numbers, self._size, words)
        return words

    def find(self, tokens: Fingerprints) -> Indices:
        """int64 [t], the number of each token's word; -1 for a word that is not known."""
        words = np.empty(tokens.size, dtype=np.int64)
        find_words(tokens, self._keys, self._numbers, words)
        return words

    @property
    def fingerprints(self) -> Fingerprints:
        """uint64 [v], the fingerprint of each word, by its number."""
        used = self._numbers >= 0
        fingerprints = np.empty(self._size, dtype=np.uint64)
        fingerprints[self._numbers[used]] = self._keys[used]
        return fingerprints

    def _clear(self, slots: int) -> None:
        self._size = 0
        self._keys = np.zeros(slots, dtype=np.uint64)
        self._numbers = np.full(slots, -1, dtype=np.int64)
