"""What every unreferenced scorer is: texts prepared once, and pairs of them scored by place."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from rejoinder.errors import ParameterError
from rejoinder.kernels.arrays import Indices
from rejoinder.messages import Argument, Placeholder
from rejoinder.progress import Progress

if TYPE_CHECKING:
    from numpy.random import Generator
    from torch import Tensor, nn

    from rejoinder.models.huggingface.encoder import Encoder
    from rejoinder.models.ruber.data.conversations import Conversations
    from rejoinder.models.training.shapes import Shapes
    from rejoinder.models.vectors.word_vectors import WordVectors


@dataclass(frozen=True)
class Sources:
    """What a fresh scorer is made from.

    Attributes:
        corpus: The conversations whose words it will know.
        language: How texts are cut into words.
        vectors: Gives word vectors of a width, from which its own may start.
        encoder: For scorers that read with a sentence encoder.
    """

    corpus: Conversations
    language: str
    vectors: Callable[[int], WordVectors]
    encoder: Encoder | None


@dataclass(frozen=True)
class Described:
    """A scorer as a model's folder describes it.

    Attributes:
        config: Its configuration.
        files: Its vocabulary files by name.
        weights: The shapes of its weights by name.
    """

    config: Mapping[str, Any]
    files: Mapping[str, bytes]
    weights: Shapes


def needed(encoder: Encoder | None) -> Encoder:
    """The encoder.

    Raises:
        ParameterError: There is none.
    """
    if encoder is None:
        raise ParameterError(
            "this size reads with a sentence encoder; name the folder of one with ",
            Argument("encoder", Placeholder("PATH")),
            "; nothing is fetched",
        )
    return encoder


class UnreferencedScorer(ABC):
    """How well a reply fits its query, as a number without bounds: the higher, the better.

    Texts are prepared (cut into words, encoded) once, and every pair names its texts by their
    places among the prepared: the last turns of the query, int64 [b, k] (``NONE`` before the first),
    and the reply, int64 [b].

    Attributes:
        module: The weights.
        config: All that is needed to build the module again; JSON.
    """

    kind: ClassVar[str]
    """What a model folder calls it."""
    dual_encoder: ClassVar[bool] = False
    """Whether queries and replies are read apart: equal ones then once, however they are paired."""
    needs_encoder: ClassVar[bool] = False
    """Whether it reads with a sentence encoder."""
    module: nn.Module
    config: Mapping[str, Any]

    @classmethod
    @abstractmethod
    def fresh(cls, config: Any, sources: Sources) -> UnreferencedScorer:
        """A scorer whose weights are drawn from torch's generator."""

    @classmethod
    @abstractmethod
    def rebuilt(cls, described: Described, encoder: Encoder | None) -> UnreferencedScorer:
        """A scorer as a model's folder describes it; its weights are still to be loaded."""

    @classmethod
    def with_vectors(cls, config: Any, width: int) -> Any:
        """The configuration where word vectors of a width are given; by default the same."""
        return config

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

    def lengths(self, prepared: Any, turns: Indices, replies: Indices) -> Indices:
        """How long each pair is, int64 [b]: pairs of like length are scored together."""
        lengths = np.append(prepared.lengths, 0)  # NONE, -1, is the last one
        return lengths[turns[:, -self.config["turns"] :]].sum(axis=1) + lengths[replies]

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

    Args:
        corpus: The conversations.
        rows: The places of the items.
        others: By item the places of other utterances of its conversation.
        rng: The random generator.
    """
    places, bounds = others
    counts = bounds[rows + 1] - bounds[rows]
    sampled = bounds[rows] + rng.integers(0, counts.clip(1))
    anywhere = corpus.replies[rng.integers(0, len(corpus), rows.size)]
    if not places.size:
        return anywhere
    return places[sampled.clip(max=places.size - 1)] * (counts > 0) + anywhere * (counts == 0)
