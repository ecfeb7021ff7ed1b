"""Random replies: the baseline that every system and every metric has to beat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rejoinder.corpora.pairs import Pairs
from rejoinder.progress import Progress
from rejoinder.responders.batches_of_messages import in_batches


@dataclass(frozen=True)
class RandomResponder:
    """Draws replies from those of a corpus, each pair of it as likely as any other.

    Attributes:
        corpus: The corpus whose replies are sampled.
        seed: Random seed.

    Example:
        >>> corpus = Pairs(["1", "2"], ["a", "b"], ["Yes.", "No."])
        >>> len(RandomResponder(corpus, seed=1).respond(["x", "y", "z"]))
        3
    """

    corpus: Pairs
    seed: int

    def respond(self, messages: Sequence[str], progress: Progress | None = None) -> list[str]:
        """A reply to each message, sampled with replacement; the messages have no influence."""
        generator = np.random.default_rng(self.seed)
        sampled = generator.integers(len(self.corpus), size=len(messages))

        def reply_to(places: Sequence[int]) -> list[str]:
            return [self.corpus.targets[sampled[place]] for place in places]

        content = [self.corpus.hash, self.seed, list(messages)]
        return in_batches(range(len(messages)), 1000, reply_to, str, content, progress)

    @property
    def notes(self) -> list[str]:
        """None."""
        return []
