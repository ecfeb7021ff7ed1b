"""The metrics: each measures replies into rows, sums the rows, and scores the sums.

The names below load on first use, so that a process imports the metrics that it asks for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rejoinder.metrics.average_max_bleu import AverageMaxBLEU
    from rejoinder.metrics.base import Metric, Score
    from rejoinder.metrics.bert_score import BERTScore
    from rejoinder.metrics.bleu import BLEU
    from rejoinder.metrics.chrf import ChrF
    from rejoinder.metrics.delta_bleu import DeltaBLEU
    from rejoinder.metrics.distinct import DistinctN, Entropy
    from rejoinder.metrics.encoder_cosine import EncoderCosine
    from rejoinder.metrics.exact_match import ExactMatch
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
    "ExactMatch",
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

_HOMES = {
    "AverageMaxBLEU": "average_max_bleu",
    "BERTScore": "bert_score",
    "BLEU": "bleu",
    "ChrF": "chrf",
    "DeltaBLEU": "delta_bleu",
    "DistinctN": "distinct",
    "EmbeddingAverage": "word_vectors",
    "EncoderCosine": "encoder_cosine",
    "Entropy": "distinct",
    "ExactMatch": "exact_match",
    "External": "external",
    "GreedyMatching": "word_vectors",
    "Length": "length",
    "METEOR": "meteor",
    "MeanMetric": "means",
    "Metric": "base",
    "ROUGE": "rouge",
    "RUBER": "ruber",
    "Score": "base",
    "SentenceBLEU": "sentence_bleu",
    "TER": "ter",
    "VectorExtrema": "word_vectors",
    "VectorPooling": "word_vectors",
    "mean_rows": "means",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"rejoinder.metrics.{_HOMES[name]}"), name)
    if name in _HOMES.values():
        return import_module(f"rejoinder.metrics.{name}")
    raise AttributeError(f"module 'rejoinder.metrics' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
