"""What metrics of n-grams share: the longest n-gram, the tokenizer, case folding, and the label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.metrics.base import Metric
from rejoinder.metrics.settings import check_order, setting
from rejoinder.text.tokenizers import TOKENIZERS


@dataclass(frozen=True)
class NgramMetric(Metric):
    """A metric of n-grams of tokens.

    Args:
        order: The longest n-gram N, 1 to 9.
        tokenizer: See ``rejoinder.text.tokenizers.TOKENIZERS``.
        lowercase: Fold case first.
    """

    title: ClassVar[str]
    """The name in tables; the order stands behind it."""

    order: int = 2
    tokenizer: str = setting("13a", values=TOKENIZERS)
    lowercase: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_order(self.order)

    @property
    def label(self) -> str:
        """Title and order, as ``BLEU-2``, with the rule for references where not all count."""
        return f"{self.title}-{self.order}{self.rule}"


def of_hypotheses(items: np.ndarray, batch: Batch) -> np.ndarray:
    """Repeats a value of each item, [n], for each of its hypotheses, [m]."""
    return np.repeat(items, np.diff(batch.bounds))
