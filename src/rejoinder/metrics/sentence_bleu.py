"""Sentence BLEU (Lin and Och 2004; Nakov et al. 2012): every reply by itself, then the mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.kernels.arrays import Floats
from rejoinder.metrics.bleu import (
    SMOOTHINGS,
    bleu_statistics,
    brevity_penalty,
    check_minimum_total,
    check_smoothing,
    precisions,
    raise_totals,
    value_of,
)
from rejoinder.metrics.means import MeanMetric, mean_rows
from rejoinder.metrics.ngram_metric import NgramMetric, of_hypotheses
from rejoinder.metrics.settings import setting

# How much longer each kind of brevity penalty takes the references to be.
BREVITIES = {"nakov": 1.0, "bleu": 0.0}


@dataclass(frozen=True)
class SentenceBLEU(NgramMetric, MeanMetric):
    """sBLEU: BLEU of each reply, smoothed, averaged over replies (macro).

    ``BP * exp(1/E sum_{n <= E} log p_n)`` with ``p_n = (m_n + 1) / (t_n + 1)`` for n > 1 (BLEU+1)
    and ``BP = exp(min(0, 1 - (ref + 1) / hyp))`` (Nakov et al.). Range 0 to 1; with Nakov's penalty
    even a reply of h tokens that equals its reference gets only ``exp(-1 / h)``. An empty reply,
    and one that has no word in common with its references, gets 0, whatever the smoothing.

    Source: Lin and Och 2004 (BLEU+1); Nakov et al. 2012 (the penalty); Chen and Cherry 2014 (the
    other smoothings).

    Args:
        order: The longest n-gram N.
        tokenizer: See ``rejoinder.text.tokenizers.TOKENIZERS``.
        lowercase: Fold case first.
        smoothing: ``add-k``, ``floor``, ``exp``, ``none``, ``caption``, as for ``BLEU``; or
            ``method1``, NLTK's name for ``floor`` with 0.1 (NLTK also gives 0.1 to the orders that
            a short reply has not, which needs ``AverageMaxBLEU``).
        smoothing_value: Of floor (0.1) or add-k (1); None takes these.
        brevity: ``nakov`` takes the reference to be one token longer; ``bleu`` takes it as it is.
        effective_order: Average over the orders up to the reply's length alone, ``E = min(N, h)``.
        references: ``all``, ``single`` (the first), or ``w>=T``.
        minimum_total: Each order of a reply has at least so many n-grams, also where the reply is
            too short for any. NLTK's is 1; None counts what there is.

    >>> SentenceBLEU(brevity="bleu").corpus(["yes", "no"], [["yes"], ["yes"]]).value
    0.5
    """

    name: ClassVar[str] = "sbleu"
    title: ClassVar[str] = "sBLEU"
    source: ClassVar[str] = "Lin and Och 2004; Nakov et al. 2012"

    smoothing: str = setting("add-k", values=(*SMOOTHINGS, "method1"))
    smoothing_value: float | None = None
    brevity: str = setting(
        "nakov", "The brevity penalty takes references to be one token longer, or as they are.", 36,
        values=BREVITIES, tried=("bleu", "nakov"), neutral="bleu")  # fmt: skip
    effective_order: bool = True
    references: str = "all"
    minimum_total: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_minimum_total(self.minimum_total)
        check_smoothing(self._smoothing, self.smoothing_value)

    @property
    def _smoothing(self) -> str:
        return "floor" if self.smoothing == "method1" else self.smoothing

    def effective_parameters(self) -> dict[str, Any]:
        """The parameters, with the smoothing and its value that they stand for."""
        value = value_of(self._smoothing, self.smoothing_value)
        smoothing = {"smoothing": self._smoothing, "smoothing_value": value}
        return super().effective_parameters() | smoothing

    def statistics(self, batch: Batch) -> Floats:
        """float64 [m, 2]; NaN for the replies to an item without references."""
        rows = bleu_statistics(batch, self.order, self.tokenizer, self.lowercase, self.references)
        raise_totals(rows, self.order, self.minimum_total)
        scores = self.sentence_scores(rows)
        bare = batch.references(self.references).counts == 0
        scores[of_hypotheses(bare, batch)] = np.nan
        return mean_rows(scores)

    def sentence_scores(self, rows: Floats) -> Floats:
        """BLEU's statistics [m, 2 + 2 N] to sentence BLEU [m]."""
        p, _ = precisions(rows, self.order, self._smoothing, self.smoothing_value)
        # Which orders count is settled before smoothing. sacreBLEU settles it after, when add-k has
        # made 1/1 of the 0/0 of an order longer than the reply: bigrams that a one-word reply does
        # not have would count as perfect.
        counted = np.ones(p.shape, dtype=bool)
        if self.effective_order:
            counted = rows[:, 2 + self.order :] > 0
        with np.errstate(divide="ignore"):
            logs = np.where(counted, np.log(p), 0.0)
        mean_log = logs.sum(axis=-1) / np.maximum(1, counted.sum(axis=-1))
        lengths = rows[:, :2] + [0.0, BREVITIES[self.brevity]]
        scores = brevity_penalty(lengths, self._smoothing) * np.exp(mean_log)
        return np.where(rows[:, 2] > 0, scores, 0.0)
