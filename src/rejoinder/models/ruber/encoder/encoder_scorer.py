"""What the scorers over a frozen sentence encoder have in common."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar

from rejoinder.models.huggingface.encoder import Encoder
from rejoinder.models.ruber.scorer import Described, Sources, UnreferencedScorer, needed
from rejoinder.models.training.shapes import Shapes, check_sizes

if TYPE_CHECKING:
    from torch import nn


class EncoderScorer(UnreferencedScorer):
    """A small network over what an encoder makes of texts.

    Args:
        config: Sizes, a ``config_type``.
        encoder: Frozen.
    """

    needs_encoder: ClassVar[bool] = True
    config_type: ClassVar[Any]
    """The class of the configuration."""
    reading: ClassVar[str]
    """What is kept of the encoder's reading of a text."""

    def __init__(self, config: Any, encoder: Encoder) -> None:
        self.sizes = config
        self.encoder = encoder
        self.module = self.network_of(config, encoder.size)
        self.config = asdict(config)

    @staticmethod
    @abstractmethod
    def network_of(config: Any, width: int) -> nn.Module:
        """A network with fresh weights over vectors of a width."""

    @staticmethod
    @abstractmethod
    def sizes_in(weights: Shapes) -> dict[str, Any]:
        """The sizes of the configuration that the shapes of the weights tell."""

    @classmethod
    def fresh(cls, config: Any, sources: Sources) -> EncoderScorer:
        """Over the encoder of the sources."""
        return cls(config, needed(sources.encoder))

    @classmethod
    def rebuilt(cls, described: Described, encoder: Encoder | None) -> EncoderScorer:
        """Over the encoder of the model's folder."""
        reader = needed(encoder)
        check_sizes(described.config, cls.sizes_in(described.weights))
        return cls(cls.config_type(**described.config), reader)

    @property
    def reads_with(self) -> str:
        """The path of the encoder."""
        return str(self.encoder.path)

    @property
    def prepares_like(self) -> object:
        """The encoder, and what is kept of its reading."""
        return (self.reading, self.reads_with)
