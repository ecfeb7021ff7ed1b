"""What every source of likelihoods offers: a plan of the work, and the measuring of its pieces."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rejoinder.kernels.arrays import Floats

EMPTY = "an empty reply"
TOO_LONG = "longer than the model's window"
NOT_FINITE = "a log-probability that is no finite number"
NO_START = "nothing stands before its first token (no prompt, no start token)"
DROPS = (EMPTY, TOO_LONG, NOT_FINITE, NO_START)
"""Why a reply can have no likelihood; what a count of dropped replies is told with."""


@dataclass(frozen=True)
class LocalModel:
    """How a model on this machine is loaded and run.

    Attributes:
        device: ``auto`` (a GPU where there is one), ``cpu``, ``cuda`` or ``cuda:1``.
        dtype: Number type of the weights: ``auto`` (float32 on the CPU, the weights' own on a GPU),
            ``float32``, ``bfloat16`` or ``float16``.
        batch_tokens: Maximum number of padded prompt tokens in a batch; None: what suits the device.
        download: Whether a model that is not on this machine may be downloaded from the hub.
    """

    device: str = "auto"
    dtype: str = "auto"
    batch_tokens: int | None = None
    download: bool = False


@dataclass(frozen=True)
class LikelihoodRequest:
    """A prompt and the replies that are to be scored after it.

    Attributes:
        id: The item's.
        turns: The conversation so far, oldest first; the last one is the message.
        replies: Texts, none twice: equal texts are measured once, and so tie exactly.
    """

    id: str
    turns: tuple[str, ...]
    replies: tuple[str, ...]


def agreeing(one: Sequence[object], other: Sequence[object]) -> int:
    """How many first elements two sequences share.

    >>> agreeing([5, 6, 7], [5, 6, 8, 2])
    2
    """
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


@dataclass(frozen=True)
class Likelihood:
    """How likely a model finds one reply after one prompt.

    Attributes:
        total: Sum of the natural logarithms of the tokens' probabilities; NaN where dropped.
        tokens: How many tokens that are, the end of sequence included where the model has one.
        logprobs: float64 [tokens], each token's; None where the source tells the sum alone.
        dropped: Why there is no likelihood (one of ``DROPS``); empty where there is one.

    >>> Likelihood.of([-1.0, -3.0]).mean
    -2.0
    """

    total: float
    tokens: int
    logprobs: Floats | None = None
    dropped: str = ""

    @classmethod
    def of(cls, logprobs: Sequence[float] | Floats) -> Likelihood:
        """From the log-probabilities of a reply's tokens: dropped where one is not finite."""
        values = np.asarray(logprobs, dtype=np.float64)
        if not values.size:
            return cls.none(EMPTY)
        if not np.isfinite(values).all():
            return cls.none(NOT_FINITE)
        return cls(float(values.sum()), values.size, values)

    @classmethod
    def none(cls, why: str) -> Likelihood:
        """No likelihood, for this reason."""
        return cls(float("nan"), 0, None, why)

    @property
    def mean(self) -> float:
        """Mean log-probability to a token (natural logarithm, at most 0); NaN where dropped."""
        return self.total / self.tokens if self.tokens else float("nan")


@dataclass(frozen=True)
class RequestBatch:
    """A piece of the work: whole requests, measured together.

    Attributes:
        requests: Which ones, by their place in the list of requests.
        work: What the backend made of them.
    """

    requests: tuple[int, ...]
    work: Any


@dataclass(frozen=True)
class RequestPlan:
    """All of the work, in the order in which it is done: the same for the same requests.

    Attributes:
        batches: Each request stands in one of them.
        notes: What was cut or left out on the way, to be said beside every number.
    """

    batches: tuple[RequestBatch, ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def in_order(
        cls, requests: Sequence[LikelihoodRequest], size: int, notes: tuple[str, ...] = ()
    ) -> RequestPlan:
        """The requests themselves are the work, so many to a batch, in their order."""
        spans = [range(at, min(at + size, len(requests))) for at in range(0, len(requests), size)]
        return cls(
            tuple(RequestBatch(tuple(each), requests[each.start : each.stop]) for each in spans),
            notes,
        )


class LikelihoodBackend(ABC):
    """A source of likelihoods: a model, a server, a file.

    The plan and the composition of its batches are a function of the requests alone, so that work
    that was cut off goes on with the same batches, and gives the same numbers (store.py).

    Attributes:
        name: What tables call it.
    """

    name: str

    @property
    @abstractmethod
    def facts(self) -> dict[str, str]:
        """What its numbers depend on: the weights' hash, the settings. Kept beside the numbers."""

    @abstractmethod
    def plan(self, requests: Sequence[LikelihoodRequest]) -> RequestPlan:
        """Cuts the work into batches, cheap to make beside the measuring."""

    @abstractmethod
    def measure(self, batch: RequestBatch) -> list[list[Likelihood]]:
        """For each request of the batch, and each of its replies, the likelihood."""
