"""The types of arrays that kernels take, and the tokens of texts as arrays."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

Bytes: TypeAlias = NDArray[np.uint8]
Words: TypeAlias = NDArray[np.uint64]
"""The eight bytes from every byte of a text on: neighbours overlap."""

Fingerprints: TypeAlias = NDArray[np.uint64]
Indices: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Table: TypeAlias = NDArray[np.float64]
"""Two dimensions, where ``Floats`` has one to a kernel and any number elsewhere."""

WholeTable: TypeAlias = NDArray[np.int32]
"""Two dimensions, in half the memory of ``Table``."""

Codes: TypeAlias = NDArray[np.int64]
"""Two dimensions, where ``Indices`` has one."""

Places: TypeAlias = NDArray[np.uint32]
"""Numbers of documents or words, in half the memory of ``Indices``."""

Counts: TypeAlias = NDArray[np.uint16]
"""Numbers of words in one document."""


class TextBytes(NamedTuple):
    """Strings as bytes of UTF-8.

    Attributes:
        data: The bytes of all strings (uint8 [bytes]).
        starts: String i has ``data[starts[i]:stops[i]]`` (int64 [n]).
        stops: int64 [n].
    """

    data: Bytes
    starts: Indices
    stops: Indices

    @property
    def words(self) -> Words:
        """uint64 [bytes - 7]: the eight bytes from every byte of ``data`` on."""
        size = max(0, self.data.size - 7)
        first = self.data[: 8 if size else 0].view(np.uint64)
        return as_strided(first, (size,), (1,))


class Tokens(NamedTuple):
    """Texts as sequences of token fingerprints.

    Attributes:
        fingerprints: uint64 [t].
        first: Text i has ``fingerprints[first[i]:last[i]]`` (int64 [n]).
        last: int64 [n].
    """

    fingerprints: Fingerprints
    first: Indices
    last: Indices

    @property
    def lengths(self) -> Indices:
        """int64 [n]: how many tokens each text has."""
        return self.last - self.first

    def take(self, indices: Indices) -> Tokens:
        """The tokens of the texts at ``indices``."""
        return Tokens(self.fingerprints, self.first[indices], self.last[indices])


class Grouped(NamedTuple):
    """The tokens of texts that are grouped by item: hypotheses, or references.

    Attributes:
        tokens: The fingerprints of all tokens (uint64 [t]).
        first: Text k has ``tokens[first[k]:last[k]]`` (int64 [m]).
        last: int64 [m].
        bounds: Item i has the texts bounds[i] to bounds[i + 1] (int64 [n + 1]).
    """

    tokens: Fingerprints
    first: Indices
    last: Indices
    bounds: Indices

    @property
    def most_tokens(self) -> int:
        """How many tokens the item with the most of them has."""
        ends = np.concatenate([[0], np.cumsum(self.last - self.first)])[self.bounds]
        return int(np.diff(ends).max(initial=0))


class Memory(NamedTuple):
    """Working memory that a kernel cuts into arrays, since it allocates none itself.

    Attributes:
        sizes: int64 [4], how long these arrays are.
        numbers: int64 [w].
        keys: uint64 [slots].
    """

    sizes: Indices
    numbers: Indices
    keys: Fingerprints


class PairMemory(NamedTuple):
    """Working memory of the pairs of a group, reused from group to group.

    Attributes:
        slot_group: The group that wrote the slot last, from 1 (uint32 [slots]); older slots are
            free.
        slot_key: The fingerprint of the n-gram (uint64 [slots]).
        slot_gram: The number of the n-gram (uint32 [slots]).
        gram_text: The text that was counted last, from 1 (uint32 [grams + 1]).
        gram_last: uint32 [grams + 1], its count, or where it is.
        gram_order: The n-gram's order, from 0 (uint32 [grams + 1]).
        gram_start: uint32 [grams + 1], where the texts that hold the n-gram begin.
        listed_gram: The distinct n-grams of each left text (uint32 [listed]).
        listed_count: uint32 [listed], how often the text holds them.
        holder: The texts that hold each n-gram (uint32 [listed]).
        held: uint32 [listed], how often they do.
        list_bounds: int64 [texts + 1], where the list of each left text begins.
        right_gram: The distinct n-grams of a right text (uint32 [longest]).
        shared: int64 [N texts], what a right text shares with each left one, by order; 0 between uses.
    """

    slot_group: Places
    slot_key: Fingerprints
    slot_gram: Places
    gram_text: Places
    gram_last: Places
    gram_order: Places
    gram_start: Places
    listed_gram: Places
    listed_count: Places
    holder: Places
    held: Places
    list_bounds: Indices
    right_gram: Places
    shared: Indices


class Postings(NamedTuple):
    """The words of n documents, by word: an inverted index.

    Attributes:
        bounds: Word k stands in the documents ``documents[bounds[k]:bounds[k + 1]]`` (int64 [v +
            1]).
        documents: Ascending within a word (uint32 [p]).
        counts: uint16 [p], how often the word stands in the document.
        lengths: uint16 [n], how many words each document has.
    """

    bounds: Indices
    documents: Places
    counts: Counts
    lengths: Counts


class Query(NamedTuple):
    """The words of a query, in the order in which their scores are added.

    Attributes:
        words: Distinct numbers of words (int64 [q]).
        times: float64 [q], how often each stands in the query.
        rarity: The inverse document frequency of each (float64 [q]).
        norms: float64 [65536], for each length of a document k1 (1 - b + b length / mean length).
        factor: float64 [1], k1 + 1.
    """

    words: Indices
    times: Floats
    rarity: Floats
    norms: Floats
    factor: Floats


class Best(NamedTuple):
    """The best documents so far, the best first; k of them at most.

    Attributes:
        places: The documents (int64 [k]).
        keys: uint64 [k], what tells their texts apart.
        first: The scores of the messages (float64 [k]).
        second: The scores of the responses (float64 [k]).
        products: float64 [k], what they are ordered by.
    """

    places: Indices
    keys: Fingerprints
    first: Floats
    second: Floats
    products: Floats
