"""A package that looks like rouge-score to its own tests and is served by Rejoinder.

``install`` puts it in rouge-score's place in this process, for test files of rouge-score that are
imported afterwards; what is not scored here (the tokenizers, the places of test data) stays theirs.
As a plugin of pytest (``-p peers.rouge_score_adapter``) it does so at once.
"""

from __future__ import annotations

import collections
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.statistics.median_of_means import median_of_means

Score = collections.namedtuple("Score", ["precision", "recall", "fmeasure"])
AggregateScore = collections.namedtuple("AggregateScore", ["low", "mid", "high"])


class RougeScorer:
    """``rouge_score.rouge_scorer.RougeScorer``."""

    def __init__(
        self,
        rouge_types: Sequence[str],
        use_stemmer: bool = False,
        split_summaries: bool = False,
        tokenizer: Any = None,
    ) -> None:
        self.metrics: dict[str, Metric] = {}
        for each in rouge_types:
            settings = f"rouge_types={each},use_stemmer={use_stemmer and not tokenizer}"
            if each == "rougeLsum" and split_summaries:
                settings += ",split_summaries=true"
            if tokenizer is not None:
                settings += ",tokenizer=none"
            self.metrics[each] = registry.metric(f"rouge:compat=rouge-score,{settings}")
        self.tokenizer = tokenizer

    def score(self, target: str, prediction: str) -> dict[str, Score]:
        """The scores of a text with one target."""
        return self.score_multi([target], prediction)

    def score_multi(self, targets: Sequence[str], prediction: str) -> dict[str, Score]:
        """The scores of a text with several targets."""
        reply, references = self._cut(prediction), [[self._cut(each) for each in targets]]
        parts = {
            name: metric.corpus([reply], references).parts for name, metric in self.metrics.items()
        }
        return {
            name: Score(each["precision"], each["recall"], each["f"])
            for name, each in parts.items()
        }

    def _cut(self, text: str) -> str:
        return text if self.tokenizer is None else " ".join(self.tokenizer.tokenize(text))


class BootstrapAggregator:
    """``rouge_score.scoring.BootstrapAggregator``; seeded by a draw of NumPy's older generator."""

    def __init__(self, confidence_interval: float = 0.95, n_samples: int = 1000) -> None:
        self.confidence, self.resamples = confidence_interval, n_samples
        self.scores: dict[str, list[Score]] = {}

    def add_scores(self, scores: dict[str, Score]) -> None:
        """Adds the scores of a text."""
        for name, each in scores.items():
            self.scores.setdefault(name, []).append(each)

    def aggregate(self) -> dict[str, AggregateScore]:
        """The percentiles of the means of resamples, by type."""
        seed = int(np.random.randint(1 << 31))  # noqa: NPY002
        return {
            name: AggregateScore(
                *(
                    Score(*row)
                    for row in median_of_means(
                        np.array(each, dtype=float), seed, self.resamples, self.confidence
                    )
                )
            )
            for name, each in self.scores.items()
        }


def install() -> None:
    """Puts this module in the place of rouge-score's scorer and aggregator in this process."""
    package = import_module("rouge_score")
    for name, held in (
        ("rouge_scorer", ("RougeScorer",)),
        ("scoring", ("Score", "AggregateScore", "BootstrapAggregator")),
    ):
        module = ModuleType(f"rouge_score.{name}")
        for each in held:
            setattr(module, each, globals()[each])
        sys.modules[f"rouge_score.{name}"] = module
        setattr(package, name, module)


def pytest_configure(config: object) -> None:
    """Called by pytest where this module is its plugin."""
    install()
