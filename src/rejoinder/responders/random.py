"""Random replies: the baseline that every system and every metric has to beat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rejoinder.corpora.pairs import Pairs


@dataclass(frozen=True)
class RandomResponder:
    """Draws replies from those of a corpus, each pair of it as likely as any other.

    Attributes:
        corpus: whose replies to draw from.
        seed: of the draws.

    Example:
        >>> corpus = Pairs(["1", "2"], ["a", "b"], ["Yes.", "No."])
        >>> len(RandomResponder(corpus, seed=1).respond(["x", "y", "z"]))
        3
    """

    corpus: Pairs
    seed: int

    def respond(self, messages: Sequence[str]) -> list[str]:
        """A reply to each message, drawn with replacement; the messages play no part."""
        generator = np.random.default_rng(self.seed)
        drawn = generator.integers(len(self.corpus), size=len(messages))
        return [self.corpus.targets[place] for place in drawn]
