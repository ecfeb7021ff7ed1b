"""What every unreferenced scorer is: texts prepared once, and pairs of them scored by place."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from rejoinder.kernels.arrays import Indices

if TYPE_CHECKING:
    from numpy.random import Generator
    from torch import Tensor, nn

    from rejoinder.models.ruber.data.conversations import Conversations

Progress: TypeAlias = Callable[[int, int], None]


class UnreferencedScorer(ABC):
    """How well a reply fits its query, as a number without bounds: the higher, the better.

    Texts are prepared (cut into words, encoded) once, and every pair names its texts by their
    places among the prepared: the last turns of the query, int64 [b, k] (``NONE`` before the first),
    and the reply, int64 [b].

    Attributes:
        module: the weights.
        config: all that is needed to build the module again; JSON.
    """

    kind: ClassVar[str]
    """What a model folder calls it."""
    dual_encoder: ClassVar[bool] = False
    """Whether queries and replies are read apart: equal ones then once, however they are paired."""
    module: nn.Module
    config: Mapping[str, Any]

    @property
    def prepares_like(self) -> object:
        """Scorers that prepare texts alike have this in common: it is done once for all of them."""
        return id(self)

    @property
    def reads_with(self) -> str:
        """The folder of the frozen encoder that it reads with; empty for none."""
        return ""

    @abstractmethod
    def prepare(self, texts: Sequence[str], progress: Progress | None = None) -> Any:
        """What ``logits`` and ``loss`` need of texts, in their order."""

    @abstractmethod
    def logits(self, prepared: Any, turns: Indices, replies: Indices) -> Tensor:
        """The scores of pairs: float32 [b]."""

    @abstractmethod
    def loss(
        self, prepared: Any, corpus: Conversations, rows: Indices, others: Others, rng: Generator
    ) -> Tensor:
        """What training makes small, for some items of a corpus."""

    @abstractmethod
    def lengths(self, prepared: Any, turns: Indices, replies: Indices) -> Indices:
        """How long each pair is, int64 [b]: pairs of like length are scored together."""

    def _tensor(self, array: np.ndarray) -> Tensor:
        """An array where the weights are."""
        import torch

        return torch.from_numpy(array).to(next(self.module.parameters()).device)

    @property
    def files(self) -> dict[str, bytes]:
        """The vocabulary's files of a model folder."""
        return {}


Others: TypeAlias = "tuple[Indices, Indices]"
"""What else was said in the conversation of each item: ``Conversations.others``."""


def said_elsewhere(corpus: Conversations, rows: Indices, others: Others, rng: Generator) -> Indices:
    """For each item one other utterance of its conversation: the hardest wrong reply there is.

    It is of the topic and of the speakers, and still does not answer. An item whose conversation
    holds nothing else gets a random reply.
    """
    places, bounds = others
    counts = bounds[rows + 1] - bounds[rows]
    drawn = bounds[rows] + rng.integers(0, counts.clip(1))
    anywhere = corpus.replies[rng.integers(0, len(corpus), rows.size)]
    if not places.size:
        return anywhere
    return places[drawn.clip(max=places.size - 1)] * (counts > 0) + anywhere * (counts == 0)
