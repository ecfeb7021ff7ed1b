"""How a phrase-based responder is trained and searches, and three presets of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from rejoinder.responders.seq2seq.parameters import TrainingSettings, described_numbers

KIND = "phrase"


@dataclass(frozen=True)
class PhraseParameters(TrainingSettings):
    """How a phrase-based responder is trained.

    Attributes:
        phrase: Most words of a phrase (phrase).
        order: The longest n-gram of the language model (phrase).
        iterations: Number of iterations of Model 1, and again of the HMM, in each direction (phrase).
        association: Phrase pairs whose -ln p of Fisher's exact test is not above this are dropped; 0: the
            logarithm of the number of pairs (phrase).
        external: Whether (1) or not (0) to align with eflomal and to estimate the language model with
            KenLM's lmplz where they are installed (phrase).
        options: Number of translations of a phrase that are tried (phrase).
        pairs: Number of pairs of the corpus to train on, sampled at random; 0: all.
        longest: Maximum number of words on a side of a pair; longer pairs are excluded, and counted.
        detokenize: Whether messages and replies are detokenised and recased first.
        seed: Random seed.

    Raises:
        ParameterError: A value outside what it can mean.
    """

    phrase: int = 5
    order: int = 3
    iterations: int = 5
    association: float = 0.0
    external: int = 1
    options: int = 20
    pairs: int = 0
    longest: int = 50
    detokenize: bool = False
    seed: int = 10

    def __post_init__(self) -> None:
        """Checks every value."""
        self.check(
            phrase=(1, 7), order=(2, 6), iterations=(1, 100), association=(0, 1e6), external=(0, 1),
            options=(1, 1000), pairs=(0, math.inf), longest=(1, 200), seed=(0, math.inf),
        )  # fmt: skip


PHRASE_PRESETS: dict[str, dict[str, Any]] = {"tiny": {"pairs": 4000}, "small": {}, "paper": {}}
"""What each preset changes: ``tiny`` takes seconds, the others all pairs."""


def described_phrase_settings() -> list[tuple[str, str, str, str]]:
    """Name, type, default and meaning of every setting of this kind alone that is a number."""
    numbers = described_numbers([PhraseParameters()])
    return [row for row in numbers if row[-1].endswith("(phrase).")]
