"""Average-max sentence BLEU (Gupta et al. 2019): the best single reference of each reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.kernels.arrays import Floats
from rejoinder.metrics.bleu import brevity_penalty
from rejoinder.metrics.means import MeanMetric, mean_rows
from rejoinder.metrics.ngram_metric import NgramMetric
from rejoinder.metrics.reference_pairs import ReferencePairs, matches
from rejoinder.metrics.settings import setting

# What stands for no match in SmoothingFunction().method1 of NLTK (Chen and Cherry 2014, method 1).
EPSILON = 0.1

ORDER_WEIGHTS = ("uniform", "two-decimals")


@dataclass(frozen=True)
class AverageMaxBLEU(NgramMetric, MeanMetric):
    """``1/n sum_i max_j BLEU(h_i, r_ij)``: sentence BLEU with the best single reference, averaged.

    BLEU of a pair is ``BP * exp(1/N sum_n log p_n)`` with ``p_n = m_n / max(1, t_n)``, where a
    match count ``m_n`` of 0 counts as 0.1. Range 0 to 1. It is NLTK's sentence BLEU with method1,
    edges included: an empty reply and one without a common word get 0; a reply of fewer than N
    tokens gets ``p_n = 0.1`` for the orders it has not, so that even a perfect one stays below 1.

    The code of Gupta et al. (``score_multiref.py``) gives each of three orders the weight 0.33, and
    these sum to 0.99: its BLEU-3 is a little higher than the geometric mean of the three precisions,
    which this metric takes unless ``order_weights="two-decimals"`` asks for theirs. At orders 1, 2
    and 4 both are the same.

    Source: Gupta et al. 2019; used by Khayrallah and Sedoc 2021.

    Args:
        order: The longest n-gram N.
        tokenizer: See ``rejoinder.text.tokenizers.TOKENIZERS``; the paper splits at white space.
        lowercase: Fold case first.
        references: ``all``, ``single`` (the first), or ``w>=T``.
        order_weights: ``uniform``, the weight 1/N for each order; or ``two-decimals``, 1/N without
            its further digits, as in the code of Gupta et al.

    >>> metric = AverageMaxBLEU(order=2)
    >>> metric.corpus(["I see", "no"], [["I do", "I see"], ["yes"]]).value
    0.5
    """

    name: ClassVar[str] = "ambleu"
    title: ClassVar[str] = "avg-max BLEU"
    source: ClassVar[str] = "Gupta et al. 2019"

    order: int = 4
    tokenizer: str = "none"
    lowercase: bool = True
    references: str = "all"
    order_weights: str = setting("uniform", values=ORDER_WEIGHTS)

    def statistics(self, batch: Batch) -> Floats:
        """float64 [m, 2]; NaN for the replies to an item without references."""
        references = batch.references(self.references)
        h = batch.hypothesis_tokens(self.tokenizer, self.lowercase)
        r = batch.reference_tokens(self.tokenizer, self.lowercase).take(references.indices)
        pairs = ReferencePairs.of(batch, references)
        matched = matches(batch, references, pairs, h, r, self.order)
        lengths = np.stack([h.lengths[pairs.hypotheses], r.lengths[pairs.references]], axis=-1)
        return mean_rows(pairs.best(self._pair_scores(lengths.astype(np.float64), matched)))

    def _pair_scores(self, lengths: Floats, matched: Floats) -> Floats:
        """Lengths [p, 2] and matches [p, N] to sentence BLEU [p]."""
        totals = np.maximum(1.0, lengths[:, :1] - np.arange(self.order))
        logs = np.log(np.where(matched > 0, matched, EPSILON) / totals)
        scores = brevity_penalty(lengths) * np.exp(self._log_mean(logs))
        return np.where(matched[:, 0] > 0, scores, 0.0)

    def _log_mean(self, logs: Floats) -> Floats:
        if self.order_weights == "uniform":
            return logs.sum(axis=-1) / self.order
        return logs.sum(axis=-1) * (100 // self.order / 100)
