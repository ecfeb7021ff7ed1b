"""BM25 over a corpus of utterances: which of them share rare words with a query.

Robertson & Zaragoza (2009), "The Probabilistic Relevance Framework: BM25 and Beyond", with the
inverse document frequency of Lucene, log(1 + (N - n + 0.5) / (n + 0.5)), which is never negative.
All weights are computed once; a query adds up the postings of its words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.text.tokenizers import words

K1 = 1.5
B = 0.75


@dataclass(frozen=True)
class BM25:
    """An index.

    Attributes:
        size: the number of documents.
        postings: for each word the documents that have it (int64) and their weights (float64).
        tokenizer: of documents and queries, lower-cased.
    """

    size: int
    postings: dict[str, tuple[Indices, Floats]]
    tokenizer: str

    @classmethod
    def of(
        cls, documents: Sequence[str], k1: float = K1, b: float = B, tokenizer: str = "13a"
    ) -> BM25:
        """Indexes documents.

        Args:
            documents: the utterances.
            k1: how soon further occurrences of a word count no more.
            b: how far long documents count less, 0 to 1.
            tokenizer: one of ``text.tokenizers``.

        Example:
            >>> index = BM25.of(["the cat sat", "the dog ran", "the end"])
            >>> index.scores("a dog").argmax()
            np.int64(1)
        """
        counts = [Counter(words(text, tokenizer, lowercase=True)) for text in documents]
        lengths = np.array([sum(count.values()) for count in counts], dtype=np.float64)
        mean = lengths.mean() if lengths.size and lengths.any() else 1.0
        occurrences: dict[str, tuple[list[int], list[int]]] = {}
        for document, count in enumerate(counts):
            for word, times in count.items():
                places, frequencies = occurrences.setdefault(word, ([], []))
                places.append(document)
                frequencies.append(times)
        postings: dict[str, tuple[Indices, Floats]] = {}
        for word, (places, frequencies) in occurrences.items():
            at, tf = np.array(places, dtype=np.int64), np.array(frequencies, dtype=np.float64)
            idf = np.log1p((len(counts) - at.size + 0.5) / (at.size + 0.5))
            weight = idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * lengths[at] / mean))
            postings[word] = at, weight.astype(np.float64)
        return cls(len(counts), postings, tokenizer)

    def scores(self, query: str) -> Floats:
        """float64 [size]: the score of each document; a word that occurs twice counts twice."""
        total = np.zeros(self.size, dtype=np.float64)
        for word, times in Counter(words(query, self.tokenizer, lowercase=True)).items():
            if word in self.postings:
                places, weights = self.postings[word]
                total[places] += times * weights  # a document stands once in a posting
        return total

    def best(self, query: str, count: int) -> Indices:
        """The documents of highest score above 0, at most ``count``; of equals the first."""
        scores = self.scores(query)
        count = min(count, int(np.count_nonzero(scores > 0)))
        if not count:
            return np.zeros(0, dtype=np.int64)
        least = np.partition(scores, self.size - count)[self.size - count]
        places = np.flatnonzero(scores >= least)
        return places[np.argsort(-scores[places], kind="stable")][:count]
