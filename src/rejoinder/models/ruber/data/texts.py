"""Texts as word ids: the vocabulary of a scorer, and ragged batches of its words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rejoinder.kernels.arrays import Indices
from rejoinder.models.batching import within_budget
from rejoinder.text.words import cutter

if TYPE_CHECKING:
    from torch import Tensor

UNKNOWN = "<unk>"
TURN = "<turn>"
"""What stands between two turns of a query."""


@dataclass(frozen=True)
class ScorerVocabulary:
    """The words that a scorer knows; id 0 is every other one, id 1 parts two turns.

    Attributes:
        words: By id, the commonest first behind the two special ones.
        language: How texts are cut into words (``rejoinder.text.words``).

    Example:
        >>> vocabulary = ScorerVocabulary.of(["yes , yes please", "no"], "en", least=1, most=100)
        >>> vocabulary.words[:3], vocabulary.ids("Yes, maybe!").tolist()
        (('<unk>', '<turn>', 'yes'), [2, 3, 0, 0])
    """

    words: tuple[str, ...]
    language: str

    @classmethod
    def of(cls, texts: Iterable[str], language: str, least: int, most: int) -> ScorerVocabulary:
        """The words that occur at least ``least`` times, at most ``most`` of them."""
        cut = cutter(language)
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(cut(text))
        common = sorted((-count, word) for word, count in counts.items() if count >= least)
        return cls((UNKNOWN, TURN, *(word for _, word in common[:most])), language)

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.words)}

    def ids(self, text: str, longest: int | None = None) -> Indices:
        """The words of a text, int64 [words], the last ``longest`` of them."""
        ids = [self._places.get(word, 0) for word in cutter(self.language)(text)]
        return np.array(ids if longest is None else ids[-longest:], dtype=np.int64)


@dataclass(frozen=True)
class Ragged:
    """Texts as ids, end to end.

    Attributes:
        ids: int64 [t].
        bounds: Text i is ``ids[bounds[i]:bounds[i + 1]]`` (int64 [n + 1]).
    """

    ids: Indices
    bounds: Indices

    @classmethod
    def of(cls, texts: Sequence[Indices]) -> Ragged:
        """Texts end to end."""
        bounds = np.cumsum([0, *(text.size for text in texts)])
        return cls(np.concatenate([np.empty(0, np.int64), *texts]), bounds)

    def __len__(self) -> int:
        return self.bounds.size - 1

    @property
    def lengths(self) -> Indices:
        """int64 [n]."""
        return np.diff(self.bounds)

    def take(self, rows: Indices) -> Ragged:
        """Some texts, in that order."""
        return Ragged(
            self.ids[_spans(self.bounds[rows], self.lengths[rows])], _bounds(self.lengths[rows])
        )

    def filled(self) -> Ragged:
        """The same texts, each without a word now one unknown word long: a network must read."""
        lengths = np.maximum(self.lengths, 1)
        if self.ids.size == lengths.sum():
            return self
        bounds = _bounds(lengths)
        ids = np.zeros(bounds[-1], np.int64)
        ids[_spans(bounds[:-1], self.lengths)] = self.ids
        return Ragged(ids, bounds)

    def padded(self) -> tuple[Tensor, Tensor]:
        """The texts as a rectangle.

        Returns:
            Ids, int64 [n, longest], 0 behind the end; lengths, int64 [n]. A text without a word is
            one unknown word long.
        """
        import torch

        whole = self.filled()
        padded = np.zeros((len(whole), int(whole.lengths.max(initial=1))), np.int64)
        padded[np.arange(padded.shape[1]) < whole.lengths[:, None]] = whole.ids
        return torch.from_numpy(padded), torch.from_numpy(whole.lengths)


def like_lengths(lengths: Indices, words: int = 16384, most: int = 512) -> Iterator[Indices]:
    """Rows by length, at most ``most`` together, and ``words`` words where all are padded.

    A row that is longer by itself is alone.

    Args:
        lengths: The length of each row.
        words: Maximum number of words of a batch, padding included.
        most: Maximum number of rows of a batch.
    """
    order = np.argsort(lengths, kind="stable")
    for rows in within_budget(order.tolist(), lengths.tolist(), words, most):
        yield np.array(rows)


def _bounds(lengths: Indices) -> Indices:
    return np.append(0, np.cumsum(lengths))


def _spans(starts: Indices, lengths: Indices) -> Indices:
    """The places of several spans, one after the other."""
    ends = np.cumsum(lengths)
    return np.repeat(starts - ends + lengths, lengths) + np.arange(ends[-1] if ends.size else 0)
