"""How long a system's replies are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.kernels.arrays import Floats
from rejoinder.metrics.base import Metric
from rejoinder.metrics.means import mean
from rejoinder.metrics.settings import setting
from rejoinder.text.tokenizers import TOKENIZERS


@dataclass(frozen=True)
class Length(Metric):
    """Mean tokens to a reply: ``sum_i |h_i| / n``.

    0 for empty replies, without an upper bound; NaN without any reply. Neither end is better: it is
    read beside the other metrics, since a system can buy precision or recall with length.

    Args:
        tokenizer: See ``rejoinder.text.tokenizers.TOKENIZERS``.

    >>> Length().corpus(["yes, please", "no"], [[], []]).value
    2.0
    """

    name: ClassVar[str] = "length"
    source: ClassVar[str] = "mean tokens to a reply"
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    needs: ClassVar[frozenset[str]] = frozenset()

    tokenizer: str = setting("13a", values=TOKENIZERS)

    @property
    def columns(self) -> tuple[str, ...]:
        """Tokens, and how many replies."""
        return ("tokens", "count")

    def statistics(self, batch: Batch) -> Floats:
        """Whole numbers, as float64 [m, 2]."""
        tokens = batch.hypothesis_tokens(self.tokenizer, lowercase=False)
        return np.stack(
            [tokens.lengths.astype(np.float64), np.ones(len(batch.hypotheses))], axis=-1
        )

    def score(self, totals: Floats) -> Floats:
        """float64 [..., 2] to float64 [...]."""
        return mean(totals)
