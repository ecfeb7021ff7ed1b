"""The sizes and settings of replying systems that are trained, and three presets of them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self

from rejoinder.errors import ParameterError, one_of

KINDS = ("transformer", "gru")


@dataclass(frozen=True)
class TrainingSettings:
    """The settings of a training, by name: the fields of a dataclass that are numbers, flags and texts."""

    def changed(self, **given: Any) -> Self:
        """The same with what is given; None leaves a value as it is.

        Raises:
            ParameterError: There is no such setting, or a value is out of range.
        """
        names = self.as_json()
        for name in given:
            if name not in names:
                raise ParameterError(f"{name}: unknown setting; choose {one_of(names)}")
        return replace(self, **{name: value for name, value in given.items() if value is not None})

    def as_json(self) -> dict[str, Any]:
        """All values by name."""
        return asdict(self)

    @classmethod
    def of_config(cls, config: Mapping[str, Any]) -> Self:
        """The settings that the folder of a model describes.

        Raises:
            ValueError: A value is out of range.
        """
        try:
            return cls(**config)
        except ParameterError as error:
            raise ValueError(f"config.json: {error}") from None

    def check(self, **bounds: tuple[float, float]) -> None:
        """Raises a ParameterError where a number is outside the bounds of its name, both included."""
        for name, (low, high) in bounds.items():
            value = getattr(self, name)
            if not low <= value <= high:
                end = f"{low} or more" if high == math.inf else f"{low} to {high}"
                raise ParameterError(f"{name}: got {value}; expected {end}")


@dataclass(frozen=True)
class Parameters(TrainingSettings):
    """How a replying system is built and trained; the defaults are DD-BASE of Khayrallah & Sedoc.

    Their figure 3 has the training command and Table 6 what differs between their systems: DD-BEST
    has ``dropout=0.0, attention_dropout=0.1, label_smoothing=0.4``.

    Attributes:
        kind: ``transformer`` or ``gru``.
        vocabulary: Number of subwords, shared by messages and replies.
        layers: Number of layers of the encoder, and of the decoder.
        width: Width of embeddings and hidden states.
        heads: Number of heads of each attention (Transformer).
        feed_forward: Width within a feed-forward block (Transformer).
        dropout: Dropout on embeddings and on the output of every block.
        attention_dropout: Dropout on attention weights and behind the ReLU (Transformer).
        label_smoothing: Share of the target's probability that is spread over all subwords.
        learning_rate: Highest learning rate, reached at the end of the warm-up.
        warmup: Updates from 1e-7 to ``learning_rate``, linearly; then it falls as the inverse square
            root of the updates.
        weight_decay: Weight decay, decoupled from the gradient as in fairseq's Adam.
        clip: Largest norm of the gradient; 0: not clipped.
        tokens: Number of tokens in a batch, padding included, on the side that has more.
        accumulate: Number of batches in an update.
        epochs: Maximum number of epochs.
        updates: Maximum number of updates; 0: no limit.
        patience: Number of epochs without a better validation loss before training ends; 0: never.
        pairs: Number of pairs of the corpus to train on, sampled at random; 0: all.
        longest: Maximum number of subwords on a side of a pair; longer pairs are excluded, and counted.
        detokenize: Whether messages and replies are detokenised and recased first.
        seed: Random seed.

    Raises:
        ParameterError: A value outside what it can mean.
    """

    kind: str = "transformer"
    vocabulary: int = 4000
    layers: int = 5
    width: int = 512
    heads: int = 2
    feed_forward: int = 2048
    dropout: float = 0.4
    attention_dropout: float = 0.2
    label_smoothing: float = 0.2
    learning_rate: float = 1e-3
    warmup: int = 4000
    weight_decay: float = 1e-4
    clip: float = 0.0
    tokens: int = 4000
    accumulate: int = 4
    epochs: int = 100
    updates: int = 0
    patience: int = 50
    pairs: int = 0
    longest: int = 256
    detokenize: bool = False
    seed: int = 10

    def __post_init__(self) -> None:
        """Checks every value."""
        if self.kind not in KINDS:
            raise ParameterError(f"kind: got {self.kind!r}; expected {one_of(KINDS)}")
        from_1 = ("layers", "width", "heads", "feed_forward", "tokens", "accumulate", "epochs")
        from_0 = ("warmup", "weight_decay", "clip", "updates", "patience", "pairs", "seed")
        self.check(**dict.fromkeys(from_1, (1, math.inf)), **dict.fromkeys(from_0, (0, math.inf)))
        for name in ("dropout", "attention_dropout", "label_smoothing"):
            value = getattr(self, name)
            if not 0 <= value < 1:
                raise ParameterError(f"{name}: got {value}; expected 0 or more, and less than 1")
        if not self.learning_rate > 0:
            raise ParameterError(f"learning_rate: got {self.learning_rate}; expected more than 0")
        if self.width % (2 * self.heads):
            raise ParameterError(
                f"width: got {self.width}; expected a multiple of twice the heads ({self.heads})"
            )
        if not 2 <= self.longest <= min(self.tokens, 1000):
            raise ParameterError(
                f"longest: got {self.longest}; expected 2 to {min(self.tokens, 1000)} subwords, no "
                "more than a batch has tokens"
            )


_SMALL: dict[str, Any] = {
    "vocabulary": 4000,
    "layers": 3,
    "width": 256,
    "heads": 2,
    "feed_forward": 1024,
    "dropout": 0.1,
    "attention_dropout": 0.1,
    "label_smoothing": 0.1,
    "warmup": 1000,
    "accumulate": 1,
    "epochs": 20,
    "patience": 3,
}
_TINY: dict[str, Any] = {
    "vocabulary": 1000,
    "layers": 2,
    "width": 128,
    "heads": 2,
    "feed_forward": 512,
    "dropout": 0.0,
    "attention_dropout": 0.1,
    "label_smoothing": 0.1,
    "learning_rate": 2e-3,
    "warmup": 200,
    "tokens": 1000,
    "accumulate": 1,
    "epochs": 8,
    "patience": 0,
    "pairs": 4000,
    "longest": 64,
}
_GRU: dict[str, Any] = {"layers": 2, "clip": 1.0}

PRESETS: dict[str, dict[str, Any]] = {"tiny": _TINY, "small": _SMALL, "paper": {}}
"""What each preset changes in ``Parameters``: about two minutes on one core, about an hour on a few
cores, and the paper's own sizes, for a GPU."""


def preset_named(preset: str, kind: str = "transformer") -> Parameters:
    """The parameters of a preset.

    Args:
        preset: ``tiny``, ``small`` or ``paper``.
        kind: ``transformer`` or ``gru``; a GRU has two layers at most, and its gradient is clipped.

    Raises:
        ParameterError: There is no such preset or kind.

    Example:
        >>> preset_named("paper").width, preset_named("tiny").width
        (512, 128)
    """
    if preset not in PRESETS:
        raise ParameterError(f"preset: got {preset!r}; expected {one_of(PRESETS)}")
    further = _GRU if kind == "gru" else {}
    return Parameters(kind=kind, **{**PRESETS[preset], **further})


def chosen_parameters(base: Parameters | str, **given: Any) -> Parameters:
    """All settings: those of ``base``, or of the preset of that name, and what is given.

    >>> chosen_parameters("tiny", kind="gru", epochs=3).clip
    1.0
    """
    if isinstance(base, str):
        base = preset_named(base, given.get("kind") or "transformer")
    return base.changed(**given)


def described_settings() -> list[tuple[str, str, str, str]]:
    """Name, type, default and meaning of every setting that is a number.

    The default is that of each preset, tiny, small and paper, where they differ.

    >>> described_settings()[3]
    ('heads', 'whole number', '2', 'Number of heads of each attention (Transformer).')
    """
    return described_numbers([preset_named(name) for name in PRESETS])


def described_numbers(presets: Sequence[Any]) -> list[tuple[str, str, str, str]]:
    """Name, type, default and meaning of every number that a dataclass of parameters has.

    Args:
        presets: The parameters of each preset; the docstring of their class says what each means.
    """
    described = re.findall(r"^( +)(\w+): (.+(?:\n\1 .+)*)", type(presets[0]).__doc__ or "", re.M)
    meanings = {name: words for _, name, words in described}  # Python 3.13 takes the indent off
    types = {"int": "whole number", "float": "number"}
    rows = []
    for field in fields(presets[0]):
        if field.type in types:
            values = [f"{getattr(each, field.name):g}" for each in presets]
            default = values[0] if len(set(values)) == 1 else ", ".join(values)
            meaning = re.sub(r"\s+", " ", meanings.get(field.name, "")).replace("``", "")
            rows.append((field.name, types[str(field.type)], default, meaning))
    return rows
