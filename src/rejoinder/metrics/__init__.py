"""The metrics: each measures replies into rows, sums the rows, and scores the sums."""

from __future__ import annotations

from rejoinder.metrics.average_max_bleu import AverageMaxBLEU
from rejoinder.metrics.base import Metric, Score
from rejoinder.metrics.bert_score import BERTScore
from rejoinder.metrics.bleu import BLEU
from rejoinder.metrics.chrf import ChrF
from rejoinder.metrics.delta_bleu import DeltaBLEU
from rejoinder.metrics.distinct import DistinctN, Entropy
from rejoinder.metrics.encoder_cosine import EncoderCosine
from rejoinder.metrics.external import External
from rejoinder.metrics.length import Length
from rejoinder.metrics.means import MeanMetric, mean_rows
from rejoinder.metrics.meteor import METEOR
from rejoinder.metrics.rouge import ROUGE
from rejoinder.metrics.ruber import RUBER
from rejoinder.metrics.sentence_bleu import SentenceBLEU
from rejoinder.metrics.ter import TER
from rejoinder.metrics.word_vectors import (
    EmbeddingAverage,
    GreedyMatching,
    VectorExtrema,
    VectorPooling,
)

__all__ = [
    "BLEU",
    "METEOR",
    "ROUGE",
    "RUBER",
    "TER",
    "AverageMaxBLEU",
    "BERTScore",
    "ChrF",
    "DeltaBLEU",
    "DistinctN",
    "EmbeddingAverage",
    "EncoderCosine",
    "Entropy",
    "External",
    "GreedyMatching",
    "Length",
    "MeanMetric",
    "Metric",
    "Score",
    "SentenceBLEU",
    "VectorExtrema",
    "VectorPooling",
    "mean_rows",
]


def __dir__() -> list[str]:
    return sorted(__all__)
