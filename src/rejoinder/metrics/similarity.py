"""Metrics that compare a reply with each of its references, and take the greatest similarity."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.batches.features import Embedded
from rejoinder.batches.references import References
from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import counted
from rejoinder.metrics.means import MeanMetric, mean_rows
from rejoinder.metrics.reference_pairs import ReferencePairs
from rejoinder.text.strings import Strings

# So many numbers are multiplied at a time: a few pages of the processor's cache.
NUMBERS_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class WordShare:
    """What one word of a reply adds to its similarity to a reference.

    Attributes:
        word: The word, as the vectors know it.
        sets: The share of the reply's sentence vector that this word sets, 0 to 1.
        adds: Its part in the cosine; the words' parts sum to it.
    """

    word: str
    sets: float
    adds: float


@dataclass(frozen=True)
class Likeness:
    """What one reply is like.

    Attributes:
        similarities: To each reference.
        nearest: The reference that counts, by its place.
        words: What each word of the reply adds to the similarity to that one; empty where the
            similarity is not made of words.
        halves: Of a blend, what its halves are, by name; empty for a similarity by itself.
    """

    similarities: list[float]
    nearest: int
    words: list[WordShare]
    halves: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class SimilarityMetric(MeanMetric):
    """``1/n sum_i max_j sim(h_i, r_ij)``: the reference that a reply is most like, averaged.

    Range -1 to 1. A text without any word (or without any known one, where unknown words are
    skipped) has no direction, and a similarity of 0 to everything. Weights count only through the
    rule ``w>=T``.

    Args:
        references: ``all``, ``single`` (the first), or ``w>=T``.
        leave_one_out: Where a reply is one of its own references (up to case and blanks), leave
            out that reference, once: people whose replies became references are otherwise compared
            with themselves. An item without another reference cannot be scored.
    """

    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    needs: ClassVar[frozenset[str]] = frozenset({"references", "features"})

    references: str = "all"
    leave_one_out: bool = False

    @property
    def label(self) -> str:
        """The name, with the rule for references where not all count."""
        return self.name + self.rule + (" leave-one-out" if self.leave_one_out else "")

    @abstractmethod
    def similarities(self, h: Embedded, r: Embedded, pairs: ReferencePairs) -> Floats:
        """The similarity of every pair: float64 [p].

        Args:
            h: The m hypotheses.
            r: The references that the rule selected.
            pairs: Of these.
        """

    def shares(self, h: Embedded, r: Embedded) -> list[WordShare]:
        """What each word of a reply adds to its similarity to a reference; [] where it has no parts.

        Args:
            h: The reply alone.
            r: The reference alone.
        """
        return []

    def likeness(self, batch: Batch) -> Likeness:
        """What the only reply of a batch of one item is like, under the metric's rule.

        Args:
            batch: One item, with its features.

        Raises:
            InputError: The rule leaves the item no reference.
        """
        selected = batch.references(self.references)
        pairs = ReferencePairs.of(batch, selected)
        h, r = self.embedded(batch, selected)
        values = self.similarities(h, r, pairs)
        counting = values.copy()
        if self.leave_one_out:
            counting[own_references(batch, selected, pairs)] = -np.inf
        if not counting.size or np.isneginf(counting).all():
            raise InputError(
                f"metric '{self.name}': the item has no reference to compare with under the rule "
                f"'{self.references}'; explain another item, or choose another rule"
            )
        nearest = int(np.argmax(counting))
        words = self.shares(h, r.part(nearest, nearest + 1))
        return Likeness(values.tolist(), nearest, words)

    def embedded(self, batch: Batch, selected: References) -> tuple[Embedded, Embedded]:
        """The hypotheses, and the references that a rule selects."""
        features = batch.features[self.requests()[0]]
        h, r = features.hypotheses, features.references
        assert isinstance(h, Embedded)
        assert isinstance(r, Embedded)
        return h, r.take(selected.indices)

    def statistics(self, batch: Batch) -> Floats:
        """float64 [m, 2]; NaN for the replies to an item without references."""
        selected = batch.references(self.references)
        pairs = ReferencePairs.of(batch, selected)
        values = self.similarities(*self.embedded(batch, selected), pairs)
        if self.leave_one_out:
            values[own_references(batch, selected, pairs)] = -np.inf
        best = pairs.best(values)
        return mean_rows(np.where(np.isneginf(best), np.nan, best))

    def unusable(self, batch: Batch) -> tuple[np.ndarray, str]:
        """Items without references; and, leaving one out, those with a reply that has no other."""
        unusable, why = super().unusable(batch)
        if not self.leave_one_out:
            return unusable, why
        selected = batch.references(self.references)
        pairs = ReferencePairs.of(batch, selected)
        others = np.diff(pairs.bounds)
        others[pairs.hypotheses[own_references(batch, selected, pairs)]] -= 1
        items = np.repeat(np.arange(len(batch)), np.diff(batch.bounds))
        alone = np.zeros(len(batch), dtype=bool)
        alone[items[others == 0]] = True
        if (alone & ~unusable).any():
            why = "has no reference besides the reply itself"
        return unusable | alone, why

    def notes(self, batch: Batch) -> list[str]:
        """Negative references that count, and replies that are among their own references."""
        selected = batch.references(self.references)
        notes = []
        bad = int((selected.weights < 0).sum())
        if bad:
            notes.append(
                f"{counted(bad, 'reference')} of negative weight taken for good; "
                "references=w>=0 leaves such out"
            )
        if self.leave_one_out:
            number = own_references(batch, selected, ReferencePairs.of(batch, selected)).size
            notes.append(
                f"{counted(number, 'reply', 'replies')} among the item's own references; "
                "not compared with that one"
            )
        return notes


def own_references(batch: Batch, selected: References, pairs: ReferencePairs) -> Indices:
    """The pairs of a reply with itself, but for case and blanks: the first one of each reply.

    Args:
        batch: The replies with their references.
        selected: The references that count.
        pairs: The pairs of a reply and a reference.
    """
    codes: dict[str, int] = {}
    h = _codes(batch.hypotheses, codes)
    r = _codes(batch.reference_texts.take(selected.indices), codes)
    equal = np.flatnonzero(h[pairs.hypotheses] == r[pairs.references])
    _, first = np.unique(pairs.hypotheses[equal], return_index=True)
    return equal[first]


def _codes(texts: Strings, codes: dict[str, int]) -> Indices:
    folded = ("".join(text.lower().split()) for text in texts)
    return np.array([codes.setdefault(each, len(codes)) for each in folded], dtype=np.int64)


def cosines(h: Floats, r: Floats, pairs: ReferencePairs) -> Floats:
    """The cosines of pairs of rows, float64 [p]; 0 where a row is 0.

    Args:
        h: float64 [m, d].
        r: float64 [r, d].
        pairs: Which rows.
    """
    h, r = units(h), units(r)
    values = np.empty(pairs.hypotheses.size)
    step = max(1, NUMBERS_AT_ONCE // max(1, h.shape[1]))
    for begin in range(0, values.size, step):
        part = slice(begin, begin + step)
        np.einsum(
            "pd,pd->p", h[pairs.hypotheses[part]], r[pairs.references[part]], out=values[part]
        )
    return np.clip(values, -1.0, 1.0, out=values)


def units(vectors: Floats) -> Floats:
    """Rows of length 1, float64 [n, d]; a row of 0 stays."""
    vectors = np.asarray(vectors, dtype=np.float64)
    lengths = np.sqrt(np.einsum("nd,nd->n", vectors, vectors))[:, None]
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
