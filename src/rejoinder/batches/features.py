"""Features: what models say of the texts of a batch. Metrics ask for them, and never make them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from rejoinder.kernels.arrays import Floats, Indices

Option: TypeAlias = str | int | float | bool


@dataclass(frozen=True)
class Request:
    """What a metric asks for. Metrics that ask alike are served once.

    Attributes:
        kind: The provider, by its name in ``providers.registry.PROVIDERS``; or the name of what a
            metric derives itself.
        source: The file, the folder or the name of the model.
        options: Further parameters, by name.
    """

    kind: str
    source: str
    options: tuple[tuple[str, Option], ...] = ()

    def option(self, name: str) -> Option:
        """The value of an option."""
        return dict(self.options)[name]


@dataclass(frozen=True)
class Embedded:
    """Texts as rows of a matrix: one row for each word, or one for the whole text.

    Attributes:
        matrix: The vectors of what occurs (float32 [V, d]).
        rows: Rows of ``matrix`` (int64 [t]); -1 is an unknown word.
        first: Text i has ``rows[first[i]:last[i]]`` (int64 [n]). Equal texts share them. Where a
            row is a whole text, ``rows`` counts from 0 and text i is row ``first[i]`` itself.
        last: int64 [n].
        unknown: The vector that may stand for an unknown word (float32 [d]): the mean of all.
        words: What each row is the vector of, for people to read; empty for whole texts.
    """

    matrix: np.ndarray
    rows: Indices
    first: Indices
    last: Indices
    unknown: np.ndarray
    words: Sequence[str] = ()

    @classmethod
    def whole(cls, matrix: np.ndarray, place: Indices) -> Embedded:
        """Texts with a vector each: float32 [distinct, d], and int64 [n], which one is whose."""
        rows = np.arange(len(matrix), dtype=np.int64)
        return cls(matrix, rows, place, place + 1, np.zeros(matrix.shape[1], np.float32))

    def __len__(self) -> int:
        return self.first.size

    def part(self, begin: int, end: int) -> Embedded:
        """The texts ``begin`` to ``end``, over the same matrix."""
        return replace(self, first=self.first[begin:end], last=self.last[begin:end])

    def take(self, indices: Indices) -> Embedded:
        """The texts at ``indices``, over the same matrix."""
        return replace(self, first=self.first[indices], last=self.last[indices])

    def known(self, first: int, last: int, unknown: str) -> Indices:
        """The rows of a text, int64 [words]: without its unknown words where these are to ``skip``."""
        rows = self.rows[first:last]
        return rows[rows >= 0] if unknown == "skip" else rows

    def vectors(self, rows: Indices) -> Floats:
        """The vectors of some words, float64 [words, d]; an unknown one has ``self.unknown``."""
        if len(self.matrix) == 0:
            return np.tile(self.unknown.astype(np.float64), (rows.size, 1))
        vectors = self.matrix[rows].astype(np.float64)
        vectors[rows < 0] = self.unknown
        return vectors

    def word(self, row: int) -> str:
        """What a row is the vector of."""
        return self.words[row] if row >= 0 else "(unknown)"


Feature: TypeAlias = "np.ndarray | Embedded | None"


@dataclass(frozen=True)
class Features:
    """What was provided for a request.

    Attributes:
        hypotheses: For the m hypotheses: an array [m, ...], or their ``Embedded`` texts.
        references: For the r references likewise.
        notes: Notes for people: words without a vector, texts cut short.
        facts: Further entries of the signature: bounds that were fitted to the batch.
        ranges: The ranges of a model's scores on its training data, by the name of the score.
    """

    hypotheses: Feature = None
    references: Feature = None
    notes: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def part(self, hypotheses: tuple[int, int], references: tuple[int, int]) -> Features:
        """The features of some hypotheses and references: begin and end of each."""
        return Features(_part(self.hypotheses, *hypotheses), _part(self.references, *references))


def _part(feature: Feature, begin: int, end: int) -> Feature:
    if isinstance(feature, Embedded):
        return feature.part(begin, end)
    return None if feature is None else feature[begin:end]
