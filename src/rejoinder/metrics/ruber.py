"""RUBER: what a reply shares with the reference, blended with how well it fits its query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar, TypeAlias

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.batches.features import Features, Request
from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import counted
from rejoinder.metrics.encoder_cosine import EncoderCosine
from rejoinder.metrics.means import MeanMetric, mean_rows
from rejoinder.metrics.settings import setting
from rejoinder.metrics.similarity import Likeness, SimilarityMetric
from rejoinder.metrics.word_vectors import VectorPooling

Bounds: TypeAlias = tuple[float, float]

SCALES = ("training", "scored")

UNREFERENCED = "unreferenced"
"""The name of s_U; s_R has that of its similarity."""


BLENDS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "min": np.minimum,
    "max": np.maximum,
    "geometric": lambda r, u: np.sqrt(r * u),
    "arithmetic": lambda r, u: (r + u) / 2,
}
"""Of s_R and s_U, both in [0, 1] (Tao et al. 2018, section 3.3)."""

REFERENCED = ("pooled", "encoder")
"""What s_R is: the paper's pooled word vectors, or the cosine of a sentence encoder."""

OUTPUTS = ("logit", "sigmoid")
"""What s_U is: the output of the model's last unit before its sigmoid, or after it as in the paper."""


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
        model: A folder that ``rejoinder train ruber`` wrote; its hash is in the signature.
        blend: ``arithmetic``, ``geometric``, ``min`` or ``max``.
        referenced: ``pooled``, ``encoder`` (of a model trained with one), or ``none``: s_U alone,
            for replies without references.
        scale: ``training``; ``scored``, fitted to all replies scored together, and reported in a
            note; or four numbers, ``low;high`` of s_R and ``low;high`` of s_U, to use again what
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

    model: str = ""
    blend: str = setting("arithmetic", values=BLENDS)
    referenced: str = setting("pooled", values=(*REFERENCED, "none"))
    scale: str = "training"
    references: str = "all"
    leave_one_out: bool = False
    unreferenced: str = setting("logit", values=OUTPUTS)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scale not in SCALES:
            given_bounds(self.scale)

    @property
    def needs(self) -> frozenset[str]:  # type: ignore[override]
        """References too, unless s_U is used alone."""
        both = frozenset({"context", "features"})
        return both if self.referenced == "none" else both | {"references"}

    @property
    def label(self) -> str:
        """RUBER and its blend; s_U alone is its unreferenced half."""
        after = " sigmoid" if self.unreferenced == "sigmoid" else ""
        if self.referenced == "none":
            return f"RUBER s_U{after}"
        return f"RUBER {self.blend}{self.rule}{after}"

    def requests(self) -> tuple[Request, ...]:
        """The texts by the model's vectors, for s_R, and s_U."""
        model = self.source_of("model")
        scores = Request("ruber", model, (("unreferenced", self.unreferenced),))
        return (scores,) if self.referenced == "none" else (self._texts, scores)

    def derivations(self) -> Mapping[Request, Callable[[Batch], Features]]:
        """Both halves, scaled: the same for all blends."""
        return {self._halves: self._scaled}

    def halves(self, batch: Batch) -> tuple[Floats, Floats]:
        """s_R and s_U of every hypothesis, scaled: float64 [m] each; s_R is NaN where there is none."""
        halves = batch.features[self._halves].hypotheses
        assert isinstance(halves, np.ndarray)
        return halves[:, 0], halves[:, 1]

    def statistics(self, batch: Batch) -> Floats:
        """float64 [m, 2]; NaN for the replies to an item without references."""
        r, u = self.halves(batch)
        return mean_rows(u if self.referenced == "none" else BLENDS[self.blend](r, u))

    def unusable(self, batch: Batch) -> tuple[np.ndarray, str]:
        """Items without context; and without references, unless s_U is used alone."""
        unusable, why = super().unusable(batch)
        if self.referenced == "none" or not self.leave_one_out:
            return unusable, why
        alone, why_alone = self.compared().unusable(batch)
        return unusable | alone, why or why_alone

    def notes(self, batch: Batch) -> list[str]:
        """Notes about the references."""
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
            ParameterError: S_U is used alone, which reads no reference.
        """
        if self.referenced == "none":
            raise ParameterError(
                "metric 'ruber': referenced=none compares a reply with no reference, so there is "
                f"nothing to explain; take referenced={one_of(REFERENCED)}"
            )
        like = self.compared()
        texts = batch.features[self._texts]
        likeness = like.likeness(replace(batch, features={like.requests()[0]: texts}))
        r, u = self.halves(batch)
        return replace(likeness, halves={"s_R": float(r[0]), "s_U": float(u[0])})

    @property
    def _texts(self) -> Request:
        """What s_R compares: the texts by the model's own word vectors or encoder."""
        options = (("referenced", self.referenced),)
        return Request("ruber-texts", self.source_of("model"), options)

    @property
    def _halves(self) -> Request:
        options = (
            ("referenced", self.referenced),
            ("scale", self.scale),
            ("references", self.references),
            ("leave_one_out", self.leave_one_out),
            ("unreferenced", self.unreferenced),
        )
        return Request("ruber-halves", self.source_of("model"), options)

    def _scaled(self, batch: Batch) -> Features:
        """Both halves of every hypothesis, each scaled by its bounds to [0, 1]: float64 [m, 2].

        Args:
            batch: The whole batch: bounds that are fitted see all replies that can be scored.
        """
        scores = batch.features[self.requests()[-1]]
        halves: dict[str, Floats] = {}
        if self.referenced != "none":
            halves[self.referenced] = halves_of(batch.features[self._texts], self.compared(), batch)
        assert isinstance(scores.hypotheses, np.ndarray)
        halves[UNREFERENCED] = scores.hypotheses
        answers = np.array([bool(turns) for turns in batch.contexts or ()], dtype=bool)
        usable = np.repeat(answers, np.diff(batch.bounds))
        for values in halves.values():
            usable &= ~np.isnan(values)
        known = {name: values[usable] for name, values in halves.items()}
        bounds = chosen_bounds(self.scale, known, scores.ranges)
        facts = (("bounds", written(bounds)),) if self.scale == "scored" else ()
        r, u = (
            scaled(halves[name], *bounds[name])
            if name in halves
            else np.full(len(batch.hypotheses), np.nan)
            for name in (self.referenced, UNREFERENCED)
        )
        notes = tuple(notes_of(self.scale, known, bounds))
        return Features(np.column_stack([r, u]), notes=notes, facts=facts)


def halves_of(texts: Features, like: SimilarityMetric, batch: Batch) -> Floats:
    """s_R of every hypothesis, float64 [m], from the features of the texts.

    Args:
        texts: The features of the texts.
        like: The metric of similarity.
        batch: The replies with their references.
    """
    return like.statistics(replace(batch, features={like.requests()[0]: texts}))[:, 0]


def chosen_bounds(
    scale: str, halves: Mapping[str, Floats], trained: Mapping[str, Bounds]
) -> dict[str, Bounds]:
    """The bounds of each half, by its name.

    Args:
        scale: See ``RUBER``.
        halves: The scores of the replies that can be scored, by the name of the half.
        trained: The bounds that the model found in training.

    Raises:
        InputError: The bounds are to be fitted to scores that are all equal.
    """
    if scale == "training":
        return {name: trained[name] for name in halves}
    if scale == "scored":
        return {name: _fitted(values, name) for name, values in halves.items()}
    low_r, high_r, low_u, high_u = given_bounds(scale)
    return {name: (low_u, high_u) if name == UNREFERENCED else (low_r, high_r) for name in halves}


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


def written(bounds: Mapping[str, Bounds]) -> str:
    """Bounds as ``scale=`` takes them; 0 and 1 for s_R where there is none."""
    referenced = next((pair for name, pair in bounds.items() if name != UNREFERENCED), (0.0, 1.0))
    return ";".join(f"{each:.6g}" for each in (*referenced, *bounds[UNREFERENCED]))


def notes_of(scale: str, halves: Mapping[str, Floats], bounds: Mapping[str, Bounds]) -> list[str]:
    """Which bounds were fitted, or how many scores lie outside of bounds that were not.

    Args:
        scale: What the halves are scaled by.
        halves: The unscaled values, by the name of the half.
        bounds: The bounds, by the name of the half.
    """
    if scale == "scored":
        return [
            "scaled by the replies scored here (s_R, s_U); to scale others alike, write "
            f"scale={written(bounds)}"
        ]
    outside = sum(
        int(((values < bounds[name][0] - 1e-9) | (values > bounds[name][1] + 1e-9)).sum())
        for name, values in halves.items()
    )
    if not outside:
        return []
    scores = counted(outside, "score")
    return [f"{scores} of a half (s_R or s_U) beyond the bounds of scale=, taken as at them"]


def scaled(values: Floats, low: float, high: float) -> Floats:
    """``(values - low) / (high - low)``, cut to [0, 1]."""
    return np.clip((values - low) / (high - low), 0.0, 1.0)


def _fitted(values: Floats, name: str) -> Bounds:
    """The least and the greatest score."""
    known = values[~np.isnan(values)]
    if known.size == 0 or known.min() == known.max():
        raise InputError(
            f"metric 'ruber': scale=scored fits itself to the replies scored, and all have the same "
            f"{name} score; take scale=training"
        )
    return float(known.min()), float(known.max())
