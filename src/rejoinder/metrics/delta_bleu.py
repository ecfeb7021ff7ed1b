"""deltaBLEU (Galley et al. 2015): BLEU whose references carry human ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.kernels.arrays import Floats
from rejoinder.kernels.ngrams import delta_bleu_rows
from rejoinder.metrics.bleu import PooledPrecisions, check_smoothing, smoothed_precisions, value_of
from rejoinder.metrics.ngram_metric import of_hypotheses
from rejoinder.metrics.settings import setting

if TYPE_CHECKING:
    from rejoinder.metrics.contributions import Contribution

# Each reading with the smoothing that it takes where none is named.
READINGS = {"paper": "none", "authors-code": "exp"}
# A numerator of a smaller share of its denominator is 0 but for the rounding of its sum.
ROUNDING = 1e-12


@dataclass(frozen=True)
class DeltaBLEU(PooledPrecisions):
    """Discriminative BLEU: a match earns the weight of the reference it is found in.

    As BLEU, but for ``p_n``, whose numerator is ``sum_i sum_g max_{j: g in r_ij} w_ij #_g(h_i,
    r_ij)`` and whose denominator is ``sum_i sum_g max_j w_ij #_g(h_i)``; sums over the distinct
    n-grams g of h_i. Weights lie in [-1, 1], so a match with a bad reference costs. Range 0 to 1:
    with all weights 1 it is BLEU to the last bit, and 1 is reached where each reply equals its
    highest-weighted reference (and some reply is as long as N: as BLEU, it is 0 where there is no
    n-gram of order N at all). A sum of numerators that is negative counts as 0; the sum itself
    stays visible in ``parts``. The reference length is the closest of all references, whatever
    their weight.

    Smoothing gives an order whose numerator is 0 (no match, or matches of no or negative weight) a
    small precision in place of 0, by BLEU's formulas with the weighted sums in place of the counts;
    the numerator is floored at 0 before. Where all orders have the numerator 0 the score is 0 under
    every smoothing but ``caption``, as for ``BLEU``. A denominator below 1, which only a few short
    replies with poorly rated references have, counts as 1 in a smoothed precision, so that no
    precision exceeds 1. In these two cases the authors' code, which is derived from an early
    sacreBLEU, gives a greater score.

    Every item needs a reference of positive weight; one that has none is an error that names it,
    unless such items are dropped.

    Source: Galley et al. 2015, section 3.

    Args:
        order: The longest n-gram N; the paper takes 2 (section 5).
        tokenizer: See ``rejoinder.text.tokenizers.TOKENIZERS``.
        lowercase: Fold case first.
        reading: ``paper``: one maximum over j of the product. ``authors-code``: what the first
            author's released code computes, the highest weight among the references that hold g
            times the highest clipped count: two maxima, which may come from different references.
        references: ``all``, ``single`` (the first), or ``w>=T``.
        smoothing: ``none``, ``floor``, ``add-k``, ``exp`` or ``caption``, as for ``BLEU``. None
            takes that of the reading: ``none`` for ``paper``, whose formula has no smoothing;
            ``exp`` for ``authors-code``, the default of that code.
        smoothing_value: The value of ``floor`` (None: 0.1) or ``add-k`` (None: 1).

    >>> good, bad = "i love thunder", "the weather is cool"
    >>> metric = DeltaBLEU(order=1)
    >>> metric.corpus(["i love thunder"], [[good, bad]], [[0.9, -0.7]]).value
    1.0
    >>> metric.corpus(["the weather is cool"], [[good, bad]], [[0.9, -0.7]]).value
    0.0
    """

    name: ClassVar[str] = "deltableu"
    source: ClassVar[str] = "Galley et al. 2015, section 3"
    needs: ClassVar[frozenset[str]] = frozenset({"references", "weights"})
    title: ClassVar[str] = "deltaBLEU"
    sums: ClassVar = MappingProxyType({"numerators": "numerator", "denominators": "denominator"})

    reading: str = setting(
        "paper", "The weight and the match of an n-gram may come from different references, or not.",
        values=READINGS)  # fmt: skip
    references: str = "all"
    smoothing: str | None = None
    smoothing_value: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_smoothing(self.effective_smoothing, self.smoothing_value)

    @property
    def effective_smoothing(self) -> str:
        """The smoothing: that of the reading, where none is named."""
        return READINGS[self.reading] if self.smoothing is None else self.smoothing

    def effective_parameters(self) -> dict[str, Any]:
        """The parameters, with the smoothing and its value that they stand for."""
        smoothing = self.effective_smoothing
        value = value_of(smoothing, self.smoothing_value)
        return super().effective_parameters() | {"smoothing": smoothing, "smoothing_value": value}

    def statistics(self, batch: Batch) -> Floats:
        """float64 [m, 2 + 2 N]; NaN for the replies to an item without a positive weight."""
        references = batch.references(self.references)
        texts = batch.grouped(references, self.tokenizer, self.lowercase)
        paper = self.reading == "paper"
        rows = delta_bleu_rows(*texts, references.weights, self.order, paper)
        unusable = ~(references.best_weights() > 0)
        rows[of_hypotheses(unusable, batch)] = np.nan
        return rows

    def unusable(self, batch: Batch) -> tuple[np.ndarray, str]:
        """Items without a reference of positive weight: their denominator is not positive."""
        under = "" if self.references == "all" else f" under the rule '{self.references}'"
        why = f"has no reference of positive weight{under}, which deltaBLEU needs"
        return ~(batch.references(self.references).best_weights() > 0), why

    def precisions(self, totals: Floats) -> tuple[Floats, np.ndarray]:
        """The smoothed precisions; a sum of numerators that is negative counts as 0."""
        numerators = totals[..., 2 : 2 + self.order]
        denominators = totals[..., 2 + self.order :]
        floored = np.where(numerators > ROUNDING * denominators, numerators, 0.0)
        smoothing = self.effective_smoothing
        return smoothed_precisions(floored, denominators, smoothing, self.smoothing_value)

    def signature(self, **facts: str | int) -> str:
        """As of every metric; always with the smoothing, also where the reading sets it."""
        if self.smoothing is None:
            return replace(self, smoothing=self.effective_smoothing).signature(**facts)
        return super().signature(**facts)

    def contributions(
        self, reply: str, references: Sequence[str], weights: Sequence[float]
    ) -> list[Contribution]:
        """What each n-gram of a reply added; negative where only bad references hold it."""
        from rejoinder.metrics.contributions import contributions

        def choose(clipped: Sequence[int], held_by: Sequence[float]) -> tuple[int, float]:
            products = [w * count for w, count in zip(held_by, clipped, strict=True)]
            if self.reading == "paper":
                return products.index(max(products)), max(products)
            return held_by.index(max(held_by)), max(held_by) * max(clipped)

        return contributions(
            reply,
            references,
            weights,
            self.order,
            self.tokenizer,
            self.lowercase,
            max(weights, default=0.0),
            choose,
        )
