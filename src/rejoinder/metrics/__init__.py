"""The metrics: each measures replies into rows, sums the rows, and scores the sums."""

from __future__ import annotations

from rejoinder.metrics.base import Metric, Score
from rejoinder.metrics.bleu import BLEU
from rejoinder.metrics.delta_bleu import DeltaBLEU
from rejoinder.metrics.distinct import DistinctN, Entropy

__all__ = [
    "BLEU",
    "DeltaBLEU",
    "DistinctN",
    "Entropy",
    "Metric",
    "Score",
]
