"""The sizes of unreferenced scorers, in one table, and how each is built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rejoinder.errors import InputError, ParameterError
from rejoinder.models.huggingface.encoder import Encoder
from rejoinder.models.ruber.encoder.cross import CrossConfig, CrossScorer
from rejoinder.models.ruber.encoder.encoder_head import HeadConfig, HeadScorer
from rejoinder.models.ruber.gru.gru import GRUConfig, GRUScorer
from rejoinder.models.ruber.scorer import Described, UnreferencedScorer
from rejoinder.models.ruber.training import Schedule
from rejoinder.models.training.shapes import check_network


@dataclass(frozen=True)
class Size:
    """A size: what is built, and how it is trained.

    Attributes:
        scorer: The class of the scorer.
        config: Its configuration, which says how many ``turns`` of a query it reads.
        schedule: The schedule of its training.
    """

    scorer: type[UnreferencedScorer]
    config: Any
    schedule: Schedule


SIZES: dict[str, Size] = {
    # As published: a Bi-GRU, margin loss, random wrong replies, the message alone.
    "paper": Size(GRUScorer, GRUConfig(), Schedule(rate=1e-3, batch=128, epochs=5, warmup=0.12)),
    # The same network, improved by measurement: softmax over the batch, two turns, dropout.
    "gru": Size(
        GRUScorer,
        GRUConfig(width=200, layers=(), dropout=0.3, turns=2, loss="softmax", longest=20),
        Schedule(rate=2e-3, batch=256, epochs=6, linear_decay=True),
    ),
    # A small head over the vectors of a sentence encoder.
    "encoder": Size(
        HeadScorer,
        HeadConfig(),
        Schedule(rate=1e-3, batch=512, epochs=6, decay=0.01, linear_decay=True),
    ),
    # A small network over the tokens of that encoder, query and reply read together.
    "cross": Size(
        CrossScorer,
        CrossConfig(),
        Schedule(rate=1e-3, batch=64, epochs=3, decay=0.01, linear_decay=True),
    ),
}
"""Every size by name. A scorer class is one of the contract in ``scorer.py``."""


def size_named(name: str) -> Size:
    """The size of a name.

    Raises:
        ParameterError: There is none.
    """
    if name not in SIZES:
        raise ParameterError(f"size '{name}' is unknown; choose {', '.join(SIZES)}")
    return SIZES[name]


def rebuilt(kind: str, described: Described, encoder: Encoder | None) -> UnreferencedScorer:
    """A scorer as a model's folder describes it; its weights are still to be loaded.

    Its sizes are compared with the shapes of its weights before it is built.

    Args:
        kind: The kind of the scorer.
        described: What the folder says of it.
        encoder: The sentence encoder; None: it needs none.

    Raises:
        InputError: The folder describes no scorer, or not the one of its weights.
    """
    scorers = {size.scorer.kind: size.scorer for size in SIZES.values()}
    if kind not in scorers:
        raise InputError(
            f"the model holds a scorer of kind '{kind}', which is unknown; update Rejoinder"
        )
    make = scorers[kind].rebuilt
    try:
        check_network(lambda: make(described, encoder).module, described.weights)
        return make(described, encoder)
    except (TypeError, LookupError, ValueError) as error:
        raise InputError(f"the model is of another version of Rejoinder: {error}") from error
