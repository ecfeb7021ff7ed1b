"""Texts as word ids: the vocabulary of a scorer, and ragged batches of its words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rejoinder.kernels.arrays import Indices
from rejoinder.text.words import cutter

if TYPE_CHECKING:
    from torch import Tensor

UNKNOWN = "<unk>"
TURN = "<turn>"
"""What stands between two turns of a query."""


@dataclass(frozen=True)
class Vocabulary:
    """The words that a scorer knows; id 0 is every other one, id 1 parts two turns.

    Attributes:
        words: by id, the commonest first behind the two special ones.
        language: how texts are cut into words (``rejoinder.text.words``).

    Example:
        >>> vocabulary = Vocabulary.of(["yes , yes please", "no"], "en", least=1, most=100)
        >>> vocabulary.words[:3], vocabulary.ids("Yes, maybe!").tolist()
        (('<unk>', '<turn>', 'yes'), [2, 3, 0, 0])
    """

    words: tuple[str, ...]
    language: str

    @classmethod
    def of(cls, texts: Iterable[str], language: str, least: int, most: int) -> Vocabulary:
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
        found = [self._places.get(word, 0) for word in cutter(self.language)(text)]
        return np.array(found if longest is None else found[-longest:], dtype=np.int64)


@dataclass(frozen=True)
class Ragged:
    """Texts as ids, end to end.

    Attributes:
        ids: int64 [t].
        bounds: int64 [n + 1]; text i is ``ids[bounds[i]:bounds[i + 1]]``.
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

    def padded(self, rows: Indices) -> tuple[Tensor, Tensor]:
        """Some texts as a rectangle.

        Returns:
            Ids, int64 [rows, longest], 0 behind the end; lengths, int64 [rows]. A text without a
            word is one unknown word long, so that a recurrent network has something to read.
        """
        import torch

        first, lengths = self.bounds[rows], self.lengths[rows]
        columns = np.arange(max(1, int(lengths.max(initial=0))))
        inside = columns < lengths[:, None]
        places = np.where(inside, first[:, None] + columns, 0)
        padded = np.where(inside, self.ids[places], 0) if self.ids.size else np.zeros_like(places)
        return torch.from_numpy(padded), torch.from_numpy(np.maximum(lengths, 1))
