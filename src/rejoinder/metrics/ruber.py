"""RUBER: what a reply shares with the reference, blended with how well it fits its query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.batches.features import Features, Request
from rejoinder.errors import ParameterError, one_of
from rejoinder.kernels.arrays import Floats
from rejoinder.metrics.encoder_cosine import EncoderCosine
from rejoinder.metrics.features import provide
from rejoinder.metrics.means import MeanMetric, mean_rows
from rejoinder.metrics.similarity import Likeness, SimilarityMetric
from rejoinder.metrics.word_vectors import VectorPooling

BLENDS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "min": np.minimum,
    "max": np.maximum,
    "geometric": lambda r, u: np.sqrt(r * u),
    "arithmetic": lambda r, u: (r + u) / 2,
}
"""Of s_R and s_U, both in [0, 1] (Tao et al. 2018, section 3.3)."""

REFERENCED = ("pooled", "encoder")
"""What s_R is: the paper's pooled word vectors, or the cosine of a sentence encoder."""

UNREFERENCED = ("logit", "sigmoid")
"""What s_U is: the output of the model's last unit before its sigmoid, or after it as in the paper."""

SCALES = ("training", "scored")


@dataclass(frozen=True)
class RUBER(MeanMetric):
    """``1/n sum_i blend(s_R(h_i, r_i), s_U(q_i, h_i))``, both scaled to [0, 1] before.

    s_R is the similarity to the nearest reference: the cosine of max/min-pooled word vectors
    (``referenced=pooled``, the paper's), or of sentence vectors (``encoder``). s_U is what a model
    learned without labels of how a reply fits its query: the weighted mean of its members' outputs
    before any sigmoid, which do not saturate, each in standard deviations (``unreferenced=logit``);
    or the weighted mean of the sigmoids of these outputs (``unreferenced=sigmoid``, the paper's: its
    last unit is a sigmoid). The blends differ by it: a sigmoid brings most good and most bad replies
    close to 1 and to 0. Each half x becomes ``(x - low) / (high - low)``, cut to [0, 1].

    Source: Tao et al. 2018, sections 3.1 to 3.3. The paper fits low and high to the scored set
    (``scale=scored``); then a score says nothing without the others scored beside it, and one reply
    alone has none. ``scale=training`` takes what held-out conversations gave; a sigmoid lies in
    [0, 1] already, and stays as it is.

    Args:
        model: A folder that ``rejoinder train ruber`` wrote; its hash stands in the signature.
        blend: ``arithmetic``, ``geometric``, ``min`` or ``max``.
        referenced: ``pooled``, ``encoder`` (of a model trained with one), or ``none``: s_U alone,
            for replies without references.
        scale: ``training``; ``scored``, fitted to all replies scored together, and said beside the
            scores; or four numbers, ``low;high`` of s_R and ``low;high`` of s_U, to use again what
            was fitted.
        references: ``all``, ``single`` (the first), or ``w>=T``.
        leave_one_out: Leave out, once, a reference that is the reply itself.
        unreferenced: ``logit`` or ``sigmoid``: s_U before or after the sigmoid of the last unit.

    >>> RUBER(model="models/ruber").label
    'RUBER arithmetic'
    """

    name: ClassVar[str] = "ruber"
    source: ClassVar[str] = "Tao et al. 2018, sections 3.1 to 3.3"
    sources: ClassVar = MappingProxyType({"model": "ruber"})
    kept_defaults: ClassVar = MappingProxyType({"unreferenced": "logit"})
    choices: ClassVar = MappingProxyType(
        {"blend": BLENDS, "referenced": (*REFERENCED, "none"), "unreferenced": UNREFERENCED}
    )

    model: str = ""
    blend: str = "arithmetic"
    referenced: str = "pooled"
    scale: str = "training"
    references: str = "all"
    leave_one_out: bool = False
    unreferenced: str = "logit"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scale not in SCALES:
            given_bounds(self.scale)

    @property
    def needs(self) -> frozenset[str]:  # type: ignore[override]
        """References too, but where s_U stands alone."""
        both = frozenset({"context", "features"})
        return both if self.referenced == "none" else both | {"references"}

    @property
    def label(self) -> str:
        """RUBER and its blend; s_U alone is its unreferenced half."""
        after = " sigmoid" if self.unreferenced == "sigmoid" else ""
        if self.referenced == "none":
            return f"RUBER s_U{after}"
        rule = "" if self.references == "all" else f" {self.references}"
        return f"RUBER {self.blend}{rule}{after}"

    @classmethod
    def asking(cls, request: Request) -> RUBER:
        """The metric that a request of ``requests`` comes from, but for its blend."""
        return cls(
            model=request.source,
            referenced=str(request.option("referenced")),
            scale=str(request.option("scale")),
            references=str(request.option("references")),
            leave_one_out=bool(request.option("leave_one_out")),
            unreferenced=str(request.option("unreferenced")),
        )

    def requests(self) -> tuple[Request, ...]:
        """Both halves, scaled."""
        options = (
            ("referenced", self.referenced),
            ("scale", self.scale),
            ("references", self.references),
            ("leave_one_out", self.leave_one_out),
            ("unreferenced", self.unreferenced),
        )
        return (Request("ruber", self.source_of("model"), options),)

    def statistics(self, batch: Batch) -> Floats:
        """float64 [m, 2]; NaN for the replies to an item without references."""
        halves = batch.features[self.requests()[0]].hypotheses
        assert isinstance(halves, np.ndarray)
        r, u = halves.T
        return mean_rows(u if self.referenced == "none" else BLENDS[self.blend](r, u))

    def unusable(self, batch: Batch) -> tuple[np.ndarray, str]:
        """Items without context; without references, unless s_U stands alone."""
        unusable, why = super().unusable(batch)
        if self.referenced == "none" or not self.leave_one_out:
            return unusable, why
        alone, why_alone = self.compared().unusable(batch)
        return unusable | alone, why or why_alone

    def notes(self, batch: Batch) -> list[str]:
        """What is to be said of the references."""
        return [] if self.referenced == "none" else self.compared().notes(batch)

    def compared(self) -> SimilarityMetric:
        """s_R as a metric of its own; its features are those of the model's own vectors."""
        if self.referenced == "pooled":
            return VectorPooling(
                vectors=self.model,
                unknown="skip",
                references=self.references,
                leave_one_out=self.leave_one_out,
            )
        return EncoderCosine(
            encoder=self.model, references=self.references, leave_one_out=self.leave_one_out
        )

    def likeness(self, batch: Batch) -> Likeness:
        """To which reference the only reply of a batch of one item is like, and by which words.

        Raises:
            ParameterError: s_U stands alone, which compares with no reference.
        """
        if self.referenced == "none":
            raise ParameterError(
                "metric 'ruber': referenced=none compares a reply with no reference, so there is "
                f"nothing to explain; take referenced={one_of(REFERENCED)}"
            )
        like = self.compared()
        texts = provide(
            Request("ruber-texts", self.model, (("referenced", self.referenced),)), batch
        )
        found = like.likeness(replace(batch, features={like.requests()[0]: texts}))
        halves = batch.features[self.requests()[0]].hypotheses
        assert isinstance(halves, np.ndarray)
        r, u = halves[0].tolist()
        return replace(found, halves={"s_R": r, "s_U": u})


def given_bounds(text: str) -> list[float]:
    """The four numbers of ``low;high;low;high``, s_R's before s_U's.

    Raises:
        ParameterError: They are not that.
    """
    try:
        numbers = [float(each) for each in text.split(";")]
    except ValueError:
        numbers = []
    good = len(numbers) == 4 and np.isfinite(numbers).all()
    if not good or numbers[0] >= numbers[1] or numbers[2] >= numbers[3]:
        raise ParameterError(
            f"metric 'ruber': scale={text!r}; choose {one_of(SCALES)}, or four numbers: low;high of "
            "s_R, then low;high of s_U"
        )
    return numbers


def halves_of(texts: Features, like: SimilarityMetric, batch: Batch) -> Floats:
    """s_R of every hypothesis, float64 [m], from the features of the texts."""
    held = replace(batch, features={like.requests()[0]: texts})
    return like.statistics(held)[:, 0]
