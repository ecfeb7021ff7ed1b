"""BM25: which documents share rare words with a query.

Robertson & Zaragoza (2009), "The Probabilistic Relevance Framework: BM25 and Beyond", with the
inverse document frequency of Lucene, log(1 + (N - n + 0.5) / (n + 0.5)), which is never negative.
A query adds up the postings of its words; the weights are computed then, so that an index holds counts
alone and serves every k1 and b.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rejoinder.errors import ParameterError
from rejoinder.files.arrays import MemoryArrays
from rejoinder.kernels.arrays import Fingerprints, Floats, Indices, Postings, Query, Tokens
from rejoinder.kernels.postings import best_scores, bm25_scores
from rejoinder.messages import Argument
from rejoinder.retrieval.inversion import LONGEST, Inversion
from rejoinder.retrieval.vocabulary import Vocabulary
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import tokenize

K1 = 1.5
B = 0.75

_FEW = 1000  # documents up to which inserting each is quicker than sorting all


@dataclass(frozen=True)
class BM25:
    """The parameters of the weights.

    Attributes:
        k1: How soon further occurrences of a word count no more; 0 or more.
        b: How far long documents count less, 0 to 1.

    Raises:
        ParameterError: A parameter is outside its range.
    """

    k1: float = K1
    b: float = B

    def __post_init__(self) -> None:
        """Checks the parameters."""
        if not 0 <= self.k1 < np.inf:
            raise ParameterError(f"k1={self.k1}; expected a number of 0 or more")
        if not 0 <= self.b <= 1:
            raise ParameterError(Argument("b", self.b), "; expected a number from 0 to 1")

    @property
    def signature(self) -> str:
        """The variant and its parameters."""
        return f"bm25:lucene|k1:{self.k1:g}|b:{self.b:g}"


@dataclass(frozen=True)
class Field:
    """Documents by word, and the weights of their words.

    Attributes:
        postings: The documents that hold each word.
        weighting: The parameters of BM25.
    """

    postings: Postings
    weighting: BM25

    @cached_property
    def norms(self) -> Floats:
        """float64 [65536]: for each length of a document k1 (1 - b + b length / mean length)."""
        lengths = self.postings.lengths
        total = int(lengths.sum(dtype=np.int64))
        mean = np.float64(total / lengths.size) if total else 1.0
        k1, b = self.weighting.k1, self.weighting.b
        return k1 * (1 - b + b * np.arange(LONGEST + 1, dtype=np.float64) / mean)

    def query(self, words: Indices) -> Query:
        """A query of the words with these numbers, -1 for words that no document holds."""
        distinct, first, times = np.unique(words[words >= 0], return_index=True, return_counts=True)
        order = np.argsort(first)
        distinct = distinct[order]
        # The words of another field of the same vocabulary may stand in no document of this one.
        bounds, size = self.postings.bounds, self.postings.lengths.size
        frequency = bounds[distinct + 1] - bounds[distinct]
        rarity = np.log1p((size - frequency + 0.5) / (frequency + 0.5))
        factor = np.array([self.weighting.k1 + 1.0])
        return Query(distinct, times[order].astype(np.float64), rarity, self.norms, factor)


class BM25Index:
    """An index of texts in memory.

    Args:
        documents: The texts.
        weighting: The parameters of BM25.
        tokenizer: One of ``text.tokenizers``, of documents and queries, lower-cased.

    Example:
        >>> index = BM25Index(["the cat sat", "the dog ran", "the end"])
        >>> index.scores("a dog").argmax()
        np.int64(1)
    """

    def __init__(
        self, documents: Sequence[str], weighting: BM25 | None = None, tokenizer: str = "13a"
    ) -> None:
        self.tokenizer = tokenizer
        self.vocabulary = Vocabulary()
        tokens = compact(self._tokens(documents))
        words = self.vocabulary.number(tokens.fingerprints)
        inversion = Inversion(MemoryArrays(), "text")
        inversion.add(tokens, words, len(self.vocabulary))
        self.field = Field(inversion.postings(), weighting or BM25())

    def __len__(self) -> int:
        return self.field.postings.lengths.size

    def scores(self, query: str) -> Floats:
        """float64 [n]: the score of each document; a word that occurs twice counts twice."""
        totals = np.zeros(len(self), dtype=np.float64)
        words = self.vocabulary.find(self._tokens([query]).fingerprints)
        bm25_scores(self.field.postings, self.field.query(words), totals)
        return totals

    def best(self, query: str, count: int) -> Indices:
        """The documents of highest score above 0, at most ``count``; of equals the first."""
        scores = self.scores(query)
        if count > _FEW:
            places = np.argsort(-scores, kind="stable")[:count]
            return places[scores[places] > 0]
        places = np.empty(max(count, 0), dtype=np.int64)
        return places[: best_scores(scores, places)] if count > 0 else places

    def _tokens(self, texts: Sequence[str]) -> Tokens:
        return tokenize(Strings.of(texts), self.tokenizer, lowercase=True)


def compact(tokens: Tokens) -> Tokens:
    """The same texts, with an array of fingerprints that holds theirs alone, in their order."""
    bounds = np.concatenate([[0], np.cumsum(tokens.lengths)]).astype(np.int64)
    shift = np.repeat(tokens.first - bounds[:-1], tokens.lengths)
    fingerprints: Fingerprints = tokens.fingerprints[np.arange(bounds[-1]) + shift]
    return Tokens(fingerprints, bounds[:-1], bounds[1:])
