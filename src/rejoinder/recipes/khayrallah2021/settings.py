"""The systems of Khayrallah & Sedoc (2021), at three presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rejoinder.errors import ParameterError, one_of
from rejoinder.metrics.ruq import RUQ
from rejoinder.responders.seq2seq.parameters import PRESETS, Parameters, preset_named

IDK = "I don't know."
GENERIC = (IDK, "I don't know what to do.")
"""The generic replies of the paper's figure; RUQ is against the first."""

LABEL = RUQ(generic=IDK).label
"""The metric of Tables 3 and 12."""

TUNED: dict[str, dict[str, float]] = {
    "DD-BASE": {"dropout": 0.4, "attention_dropout": 0.2, "label_smoothing": 0.2},
    "DD-BEST": {"dropout": 0.0, "attention_dropout": 0.1, "label_smoothing": 0.4},
    "EF-BASE": {"dropout": 0.4, "attention_dropout": 0.2, "label_smoothing": 0.2},
    "EF-BEST": {"dropout": 0.0, "attention_dropout": 0.1, "label_smoothing": 0.2},
}
"""What differs between the systems (Table 6), but for EF-BEST's vocabulary, half of the others'."""

SYSTEMS = tuple(TUNED)
CORPORA = {"DD": "DailyDialog", "EF": "entropy-filtered"}
KINDS = ("BASE", "BEST")


@dataclass(frozen=True)
class Settings:
    """How large a run is.

    Attributes:
        systems: The parameters of each system.
        pairs: Number of training pairs, sampled at random before filtering; 0: all.
        train_prompts: Number of training pairs for RUQ, sampled at random; 0: all.
        train_outputs: Number of these that the systems reply to, for the figure; 0: all.
        test_prompts: Number of test prompts, sampled at random; 0: all.
        choose_on_training: Choose the epoch by the loss on trained pairs, not on the validation
            split. A few thousand pairs, read over and over, are learnt by heart long after the
            validation loss was lowest; what the paper shows are models that know their corpus.
        beam: Beam size.
        side: Side whose entropy is measured.
        threshold: Entropy threshold in bits; pairs above it are dropped.
    """

    systems: Mapping[str, Parameters]
    pairs: int = 0
    train_prompts: int = 0
    train_outputs: int = 0
    test_prompts: int = 0
    choose_on_training: bool = False
    beam: int = 10
    side: str = "target"
    threshold: float = 1.0

    def as_json(self) -> dict[str, Any]:
        """All values by name."""
        systems = {name: each.as_json() for name, each in self.systems.items()}
        return {**self.__dict__, "systems": systems}


_TINY_SIZES: dict[str, Any] = {"epochs": 25, "longest": 128}
_SIZES: dict[str, dict[str, Any]] = {
    "tiny": {
        "pairs": 1000,
        "train_prompts": 500,
        "train_outputs": 200,
        "test_prompts": 500,
        "choose_on_training": True,
        "beam": 4,
    },
    "small": {"train_prompts": 2000, "train_outputs": 500, "test_prompts": 2000},
    "paper": {"train_outputs": 6740},
}


def settings(preset: str) -> Settings:
    """The settings of a preset: Table 6 always, other sizes than the paper's at tiny and small.

    Raises:
        ParameterError: There is no such preset.

    Example:
        >>> settings("paper").systems["EF-BEST"].vocabulary
        2000
    """
    if preset not in PRESETS:
        raise ParameterError(f"preset: got {preset!r}; expected {one_of(PRESETS)}")
    base = preset_named(preset).changed(pairs=0, detokenize=True)
    if preset == "tiny":
        base = base.changed(**_TINY_SIZES)
    systems = {name: base.changed(**tuned) for name, tuned in TUNED.items()}
    best = systems["EF-BEST"]
    systems["EF-BEST"] = best.changed(vocabulary=best.vocabulary // 2)
    return Settings(systems, **_SIZES[preset])
