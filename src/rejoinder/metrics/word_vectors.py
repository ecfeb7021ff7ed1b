"""Similarity by the vectors of words: max/min pooling, average, extrema, greedy matching.

They differ in how the word vectors of a text become one (or do not): see each class. Words are cut
by ``rejoinder.text.words``, the vectors are read by ``rejoinder.models.vectors.word_vectors``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from rejoinder.batches.features import Embedded, Request
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.metrics.reference_pairs import ReferencePairs
from rejoinder.metrics.settings import setting
from rejoinder.metrics.similarity import (
    NUMBERS_AT_ONCE,
    SimilarityMetric,
    WordShare,
    cosines,
    units,
)
from rejoinder.text.scripts import suited
from rejoinder.text.strings import Strings
from rejoinder.text.words import LANGUAGES, check_language, cutter

UNKNOWN = ("mean", "skip")


@dataclass(frozen=True)
class WordVectorMetric(SimilarityMetric):
    """What the four have in common.

    Args:
        vectors: A folder of ``WordVectors.save``, or a file of word2vec (text or binary), GloVe or
            fastText (.vec). Its hash is in the signature.
        language: How texts are cut into words: ``en``, ``zh``, ``char`` or ``none``; the same as
            for the corpus that the vectors were trained on.
        unknown: A word without a vector gets the mean of all vectors (``mean``, as in nlg-eval), or
            is left out (``skip``). A note gives their number.
    """

    sources: ClassVar = MappingProxyType({"vectors": "vectors"})

    vectors: str = ""
    language: str = "en"
    unknown: str = setting("mean", values=UNKNOWN)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_language(self.language)

    def token_counts(self, texts: Strings) -> Indices:
        """How many words each text has."""
        cut = cutter(self.language)
        return np.array([len(cut(text)) for text in texts], dtype=np.int64)

    def separation(self, script: str) -> tuple[str, str]:
        """The language cuts texts into words; the vectors are of words cut alike."""
        settings = [f"language={each}" for each in suited(script, LANGUAGES)]
        return (
            f"language={self.language} does not separate the words",
            f"set {' or '.join(settings)}, with vectors of text that was cut alike",
        )

    def requests(self) -> tuple[Request, ...]:
        """The vectors of the words of all texts."""
        return (Request("vectors", self.source_of("vectors"), (("language", self.language),)),)


@dataclass(frozen=True)
class PooledVectors(WordVectorMetric):
    """A sentence has one vector, made of its words' vectors; the similarity is the cosine."""

    @abstractmethod
    def pool(self, vectors: Floats, starts: Indices) -> Floats:
        """Sentence vectors: the words' float64 [t, d] to float64 [n, k].

        Args:
            vectors: The words of n texts, one text after the other, none of them empty.
            starts: int64 [n], where each text begins.
        """

    @abstractmethod
    def owners(self, vectors: Floats) -> Floats:
        """Which share of each number of a text's sentence vector each word makes.

        Args:
            vectors: The words, float64 [t, d].

        Returns:
            float64 [t, k], of the parts that sum to ``pool(vectors)``.
        """

    def similarities(self, h: Embedded, r: Embedded, pairs: ReferencePairs) -> Floats:
        """The cosines of the sentence vectors: float64 [p]."""
        return cosines(self.sentences(h), self.sentences(r), pairs)

    def sentences(self, texts: Embedded) -> Floats:
        """The sentence vectors of n texts, float64 [n, k]; 0 for a text without words.

        Equal texts are pooled once.
        """
        spans, place = np.unique(np.stack([texts.first, texts.last]), axis=1, return_inverse=True)
        width = self.pool(np.zeros((1, texts.matrix.shape[1])), np.zeros(1, np.int64)).shape[1]
        pooled = np.zeros((spans.shape[1], width))
        words_at_once = max(1, NUMBERS_AT_ONCE // texts.matrix.shape[1])
        for begin, end in _slices(spans[1] - spans[0], words_at_once):
            firsts, lasts = spans[:, begin:end].tolist()
            known = [texts.known(a, b, self.unknown) for a, b in zip(firsts, lasts, strict=True)]
            counts = np.array([rows.size for rows in known])
            has = np.flatnonzero(counts)
            if has.size:
                starts = np.concatenate([[0], np.cumsum(counts[has])[:-1]])
                vectors = texts.vectors(np.concatenate(known))
                pooled[begin + has] = self.pool(vectors, starts)
        return pooled[place.reshape(-1)]

    def shares(self, h: Embedded, r: Embedded) -> list[WordShare]:
        """What each word of the reply adds to the cosine with a reference, in the reply's order."""
        rows = h.known(int(h.first[0]), int(h.last[0]), self.unknown)
        if rows.size == 0:
            return []
        parts = self.owners(h.vectors(rows))
        length = np.linalg.norm(parts.sum(axis=0))
        adds = parts @ units(self.sentences(r))[0] / (length or 1.0)
        sets = np.count_nonzero(parts, axis=1) / parts.shape[1]
        return [
            WordShare(h.word(row), float(share), float(part))
            for row, share, part in zip(rows.tolist(), sets, adds, strict=True)
        ]


@dataclass(frozen=True)
class VectorPooling(PooledVectors):
    """RUBER's referenced metric s_R: cosine of the words' element-wise maxima and minima.

    ``v_max[k] = max_w w[k]``, ``v_min[k] = min_w w[k]``, ``v = [v_max ; v_min]``, and
    ``s_R = max_j cos(v(h), v(r_j))`` (equations 1 and 2, with the maximum over references that the
    paper, which has one, does not need). Range -1 to 1. The paper does not say how it handles
    words without a vector; they are skipped. See ``SimilarityMetric`` for replies without words.

    Source: Tao et al. 2018, section 3.1.

    >>> VectorPooling().label
    'pooled'
    """

    name: ClassVar[str] = "pooled"
    source: ClassVar[str] = "Tao et al. 2018, section 3.1, equations 1 and 2"

    unknown: str = "skip"

    def pool(self, vectors: Floats, starts: Indices) -> Floats:
        """Maxima beside minima: float64 [t, d] to float64 [n, 2d]."""
        return np.hstack(
            [np.maximum.reduceat(vectors, starts), np.minimum.reduceat(vectors, starts)]
        )

    def owners(self, vectors: Floats) -> Floats:
        """The first word that reaches a maximum or minimum makes it all."""
        return np.hstack(
            [_alone(vectors, vectors.argmax(axis=0)), _alone(vectors, vectors.argmin(axis=0))]
        )


@dataclass(frozen=True)
class EmbeddingAverage(PooledVectors):
    """Cosine of the mean word vectors: ``max_j cos(mean_w h, mean_w r_j)``.

    Range -1 to 1. As nlg-eval computes it, but for the words (see ``rejoinder.text.words``;
    ``language=none`` takes text as it is tokenised) and a reply without words, which it cannot
    score and which gets 0 here.

    Source: Foltz et al. 1998; Liu et al. 2016, section 3.2; nlg-eval.

    >>> EmbeddingAverage().label
    'average'
    """

    name: ClassVar[str] = "average"
    source: ClassVar[str] = "Liu et al. 2016, section 3.2; as in nlg-eval"

    def pool(self, vectors: Floats, starts: Indices) -> Floats:
        """Sums, whose direction is the mean's: float64 [t, d] to float64 [n, d]."""
        return np.add.reduceat(vectors, starts)

    def owners(self, vectors: Floats) -> Floats:
        """Each word makes its own part."""
        return vectors


@dataclass(frozen=True)
class VectorExtrema(PooledVectors):
    """Cosine of the words' extreme values: per dimension the greatest in size, with its sign.

    ``v[k] = max_w w[k]`` where that is greater than ``|min_w w[k]|``, else ``min_w w[k]``; the score
    is ``max_j cos(v(h), v(r_j))``. Range -1 to 1. As in nlg-eval, but where a minimum is exactly 0:
    its code then keeps the 0, against its source; we keep the maximum.

    Source: Forgues et al. 2014; nlg-eval.

    >>> VectorExtrema().label
    'extrema'
    """

    name: ClassVar[str] = "extrema"
    source: ClassVar[str] = "Forgues et al. 2014; as in nlg-eval"

    def pool(self, vectors: Floats, starts: Indices) -> Floats:
        """float64 [t, d] to float64 [n, d]."""
        most = np.maximum.reduceat(vectors, starts)
        least = np.minimum.reduceat(vectors, starts)
        return np.where(most > -least, most, least)

    def owners(self, vectors: Floats) -> Floats:
        """The first word that reaches the extreme makes it all."""
        extreme = self.pool(vectors, np.zeros(1, np.int64))
        return _alone(vectors, (vectors == extreme).argmax(axis=0))


@dataclass(frozen=True)
class GreedyMatching(WordVectorMetric):
    """Every word against its most similar one on the other side, averaged in both directions.

    ``G(h, r) = mean_{w in h} max_{v in r} cos(w, v)``, and the score is
    ``max_j (G(h, r_j) + G(r_j, h)) / 2``. Range -1 to 1. As in nlg-eval.

    Source: Rus and Lintean 2012; nlg-eval.

    >>> GreedyMatching().label
    'greedy'
    """

    name: ClassVar[str] = "greedy"
    source: ClassVar[str] = "Rus and Lintean 2012; as in nlg-eval"

    def similarities(self, h: Embedded, r: Embedded, pairs: ReferencePairs) -> Floats:
        """float64 [p]; 0 where either side has no words."""
        # The unknown word's row is the last one, which is where -1 leads.
        unit = units(np.vstack([h.matrix, h.unknown]))
        values = np.zeros(pairs.hypotheses.size)
        words_of_r = [r.known(a, b, self.unknown) for a, b in zip(r.first, r.last, strict=True)]
        for k in range(len(h)):
            mine = h.known(int(h.first[k]), int(h.last[k]), self.unknown)
            span = np.arange(pairs.bounds[k], pairs.bounds[k + 1])
            theirs = [words_of_r[j] for j in pairs.references[span]]
            has = [j for j, rows in enumerate(theirs) if rows.size]
            if mine.size and has:
                values[span[has]] = _greedy(unit, mine, [theirs[j] for j in has])
        return values


def _greedy(unit: Floats, mine: Indices, theirs: list[Indices]) -> Floats:
    """One reply's words against those of its references: float64 [references]."""
    counts = np.array([rows.size for rows in theirs])
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    cosine = unit[mine] @ unit[np.concatenate(theirs)].T
    forth = np.maximum.reduceat(cosine, starts, axis=1).mean(axis=0)
    back = np.add.reduceat(cosine.max(axis=0), starts) / counts
    return np.clip((forth + back) / 2, -1.0, 1.0)


def _alone(vectors: Floats, winner: Indices) -> Floats:
    """Each column of float64 [t, d] but for its winning word's number, which stays: else 0."""
    part = np.zeros_like(vectors)
    columns = np.arange(winner.size)
    part[winner, columns] = vectors[winner, columns]
    return part


def _slices(counts: Indices, at_once: int) -> Iterable[tuple[int, int]]:
    """Cuts texts of so many words into runs of about ``at_once`` words."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if ends.size else 0
    cuts = np.searchsorted(ends, np.arange(at_once, total, at_once)) + 1
    bounds = np.unique(np.concatenate([[0], cuts, [counts.size]])).tolist()
    return pairwise(bounds)
