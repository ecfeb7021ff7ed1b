"""Names of torchmetrics' text metrics, served by Rejoinder's ``CorpusScore``, for its own tests.

As a plugin of pytest (``-p peers.torchmetrics_adapter``) it puts them in the place of torchmetrics'
own before test files are imported. What differs by design is translated here, and nowhere else: names
and defaults of parameters. BLEU's tokens are what stands between blanks, and its smoothing adds 1.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import torch
import torchmetrics

from rejoinder.bridges.reply_rows import reply_rows
from rejoinder.bridges.torchmetrics import CorpusScore
from rejoinder.metrics import BLEU, ROUGE, TER, ChrF
from rejoinder.metrics.base import Metric


def _uniform(weights: Any) -> None:
    if weights is not None and len(set(weights)) > 1:
        raise NotImplementedError("Rejoinder's BLEU weighs all orders alike")


def bleu(n_gram: int = 4, smooth: bool = False, weights: Any = None) -> Metric:
    _uniform(weights)
    return BLEU(n_gram, "none", smoothing="add-k" if smooth else "none")


def sacre_bleu(
    n_gram: int = 4,
    smooth: bool = False,
    tokenize: str = "13a",
    lowercase: bool = False,
    weights: Any = None,
) -> Metric:
    _uniform(weights)
    return BLEU(n_gram, tokenize, lowercase, "add-k" if smooth else "none")


def chrf(
    n_char_order: int = 6,
    n_word_order: int = 2,
    beta: float = 2.0,
    lowercase: bool = False,
    whitespace: bool = False,
) -> Metric:
    return ChrF(n_char_order, n_word_order, beta, lowercase, whitespace, eps_smoothing=True)


def ter(
    normalize: bool = False,
    no_punctuation: bool = False,
    lowercase: bool = True,
    asian_support: bool = False,
) -> Metric:
    # Rejoinder refuses asian_support where it changes nothing, by itself.
    return TER(
        lowercase, normalize, no_punctuation, asian_support and (normalize or no_punctuation)
    )


class _Served(CorpusScore):
    make: Any

    def __init__(self, *args: Any, dist_sync_on_step: bool = False, **settings: Any) -> None:
        made = type(self).make(*args, **settings)
        super().__init__(made, dist_sync_on_step=dist_sync_on_step)

    def compute(self) -> torch.Tensor:
        return super().compute().float()


class BLEUScore(_Served):
    make = staticmethod(bleu)


class SacreBLEUScore(_Served):
    make = staticmethod(sacre_bleu)


class CHRFScore(_Served):
    make = staticmethod(chrf)


class TranslationEditRate(_Served):
    make = staticmethod(ter)


MEASURES = {"fmeasure": "f", "precision": "precision", "recall": "recall"}


class ROUGEScore(torchmetrics.Metric):
    """Twelve scores by name; ``accumulate="avg"``, a mean over references, is none of Rejoinder's."""

    is_differentiable = False
    full_state_update = False

    def __init__(
        self,
        use_stemmer: bool = False,
        accumulate: str = "best",
        rouge_keys: Any = ("rouge1", "rouge2", "rougeL", "rougeLsum"),
        dist_sync_on_step: bool = False,
    ) -> None:
        if accumulate != "best":
            raise NotImplementedError(f"accumulate={accumulate!r}")
        super().__init__(dist_sync_on_step=dist_sync_on_step)
        keys = [rouge_keys] if isinstance(rouge_keys, str) else rouge_keys
        self.metrics = {
            f"{key}_{name}": ROUGE(key.removeprefix("rouge"), stemmer=use_stemmer, measure=measure)
            for key in keys
            for name, measure in MEASURES.items()
        }
        for name, metric in self.metrics.items():
            zeros = torch.zeros(len(metric.columns), dtype=torch.float64)
            self.add_state(name, zeros, dist_reduce_fx="sum")

    def update(self, preds: Any, target: Any) -> None:
        if isinstance(preds, str):
            preds, target = [preds], [[target] if isinstance(target, str) else target]
        for name, metric in self.metrics.items():
            rows, _ = reply_rows(metric, preds, target)
            setattr(self, name, getattr(self, name) + torch.from_numpy(rows.sum(axis=0)))

    def compute(self) -> dict[str, torch.Tensor]:
        return {
            name: torch.tensor(float(metric.score(getattr(self, name).numpy())))
            for name, metric in self.metrics.items()
        }


def _functional(kind: Any) -> Any:
    def call(preds: Any, target: Any, *args: Any, **settings: Any) -> Any:
        metric = kind(*args, **settings)
        metric.update(preds, target)
        return metric.compute()

    return call


SERVED = {
    "bleu": {"BLEUScore": BLEUScore, "bleu_score": _functional(BLEUScore)},
    "sacre_bleu": {
        "SacreBLEUScore": SacreBLEUScore,
        "sacre_bleu_score": _functional(SacreBLEUScore),
    },
    "chrf": {"CHRFScore": CHRFScore, "chrf_score": _functional(CHRFScore)},
    "ter": {
        "TranslationEditRate": TranslationEditRate,
        "translation_edit_rate": _functional(TranslationEditRate),
    },
    "rouge": {"ROUGEScore": ROUGEScore, "rouge_score": _functional(ROUGEScore)},
}


def install() -> None:
    """Puts these in the place of torchmetrics' own in this process."""
    for module, served in SERVED.items():
        for name, ours in served.items():
            place = (
                "torchmetrics.text" if isinstance(ours, type) else "torchmetrics.functional.text"
            )
            setattr(import_module(f"{place}.{module}"), name, ours)
    if find_spec("cachier") is None:  # their tests keep what slow references give
        stand_in: Any = ModuleType("cachier")
        stand_in.cachier = lambda **_: lambda function: function
        sys.modules["cachier"] = stand_in
    torch.set_num_threads(1)


install()
