"""What a trainable replying system is: scores for subwords, and a search for the best reply."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from rejoinder.models import installed
from rejoinder.models.training.shapes import check_network, check_sizes

if TYPE_CHECKING:
    from torch import Tensor, nn

    from rejoinder.models.training.shapes import Shapes
    from rejoinder.responders.seq2seq.batches import SubwordBatch
    from rejoinder.responders.seq2seq.gru import GRU
    from rejoinder.responders.seq2seq.parameters import Parameters
    from rejoinder.responders.seq2seq.transformer import Transformer


class Seq2SeqModel(Protocol):
    """An encoder and a decoder over one vocabulary of subwords."""

    @property
    def module(self) -> nn.Module:
        """The weights."""
        ...

    @property
    def keys(self) -> dict[str, Any]:
        """What ``transformers`` wants in ``config.json``; empty where it has no such class."""
        ...

    def logits(self, batch: SubwordBatch) -> Tensor:
        """Scores, float [b, t, vocabulary], of each next subword of the replies given."""
        ...

    def search(
        self, sources: Tensor, mask: Tensor, beam: int, length_penalty: float, longest: int
    ) -> list[list[int]]:
        """The reply that a beam search finds to each message, without special symbols."""
        ...


def build(parameters: Parameters, vocabulary: int) -> Seq2SeqModel:
    """A model with fresh weights, drawn from torch's generator.

    Args:
        parameters: Parameters of the kind and the sizes.
        vocabulary: The number of subwords.

    Raises:
        MissingExtraError: Torch or transformers is not installed.
    """
    return _kind(parameters.kind).build(parameters, vocabulary)


def check_described(parameters: Parameters, vocabulary: int, weights: Shapes) -> None:
    """Compares the model that a folder describes with the shapes of its weights, before it is built.

    Args:
        parameters: The parameters of the model.
        vocabulary: Number of subwords.
        weights: The shapes of the weights, by name.

    Raises:
        ValueError: They differ.
    """
    described = {**parameters.as_json(), "subwords": vocabulary}
    check_sizes(described, _kind(parameters.kind).sizes_in(weights))
    check_network(lambda: build(parameters, vocabulary).module, weights)


def _kind(name: str) -> type[GRU] | type[Transformer]:
    check_installed()
    return ARCHITECTURES[name]()


def _gru() -> type[GRU]:
    from rejoinder.responders.seq2seq.gru import GRU

    return GRU


def _transformer() -> type[Transformer]:
    from rejoinder.responders.seq2seq.transformer import Transformer

    return Transformer


ARCHITECTURES: dict[str, Callable[[], type[GRU] | type[Transformer]]] = {
    "transformer": _transformer,
    "gru": _gru,
}
"""The class of each kind of model (`parameters.KINDS`), imported when it is asked for."""


def check_installed() -> None:
    """Raises a MissingExtraError where the packages of the extra ``models`` are not installed."""
    packages = ("torch", "transformers", "sentencepiece", "safetensors")
    installed.check_installed("training a replying system", *packages)
