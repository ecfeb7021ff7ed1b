"""Our metrics as classes of torchmetrics, whose sums are added over batches and processes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from rejoinder.bridges.reply_rows import (
    check_framework,
    metric_of_parts,
    naming,
    reply_rows,
    score_of_rows,
)
from rejoinder.metrics.base import Metric

check_framework("torchmetrics")

import torch  # noqa: E402
import torchmetrics  # noqa: E402

_ARGUMENTS = {"hypotheses": "preds", "references": "target"}


class CorpusScore(torchmetrics.Metric):
    """The corpus score of a system's replies under one of our metrics.

    The state is the sum of the replies' rows and their number, both reduced by addition: the score
    over several batches, or over several processes, is that of all replies at once, the number of
    ``rejoinder.score``. (Sums of integers, as of BLEU, are the same to the last bit; others to the
    rounding of float64.) NaN before the first reply.

    The sums are float64, which a GPU of Apple (``mps``) does not have: keep the metric on ``cpu``.
    A sampler that repeats items, so that all processes have equally many, changes the score.

    Args:
        metric: A name with parameters, as ``-m`` takes it (``"bleu:order=4"``), or a metric
            (``BLEU(order=4)``). One that reads all replies at once (distinct-n, entropy, RUBER with
            ``scale=scored``) is refused.
        drop_unusable: Leave out items that cannot be scored (no reference; none of positive weight)
            instead of raising.
        **settings: Those of ``torchmetrics.Metric``.

    Raises:
        ParameterError: The metric is unknown, or cannot be scored part by part.

    >>> score = CorpusScore("bleu:order=2")
    >>> score.update(["the cat sat"], [["the cat sat", "a cat was sitting"]])
    >>> score.update(["no"], [["yes"]])
    >>> round(float(score.compute()), 4)
    0.866
    """

    __jit_unused_properties__: ClassVar = [
        *torchmetrics.Metric.__jit_unused_properties__,
        "signature",
    ]
    is_differentiable = False
    full_state_update = False
    rows: torch.Tensor
    replies: torch.Tensor

    def __init__(
        self, metric: str | Metric, *, drop_unusable: bool = False, **settings: Any
    ) -> None:
        super().__init__(**settings)
        self.metric = metric_of_parts(metric)
        self.drop_unusable = drop_unusable
        self._noted = False
        self.add_state(
            "rows", torch.zeros(len(self.metric.columns), dtype=torch.float64), dist_reduce_fx="sum"
        )
        self.add_state("replies", torch.tensor(0), dist_reduce_fx="sum")

    @property
    def higher_is_better(self) -> bool:  # type: ignore[override]
        """Whether a greater score is a better one."""
        return self.metric.higher_is_better

    @property
    def signature(self) -> str:
        """The parameters of the metric, without facts of the data."""
        return self.metric.signature()

    def update(
        self,
        preds: str | Sequence[str],
        target: Sequence[str] | Sequence[Sequence[str]],
        weights: Sequence[Sequence[float]] | None = None,
        contexts: Sequence[Sequence[str]] | None = None,
    ) -> None:
        """Adds replies.

        Args:
            preds: The replies; or one.
            target: For each reply the list of its references; or a single reference.
            weights: The references' weights in [-1, 1], the same shape; None weighs all 1.
            contexts: For each reply the turns before it, oldest first, for metrics that read them.

        Raises:
            InputError: The lists do not fit together, or an item cannot be scored.
        """
        if isinstance(preds, str):
            preds, target = [preds], [target]  # type: ignore[list-item]
        references = [[each] if isinstance(each, str) else each for each in target]
        with naming(_ARGUMENTS):
            rows, notes = reply_rows(
                self.metric, preds, references, weights, contexts, self.drop_unusable
            )
        if notes and not self._noted:
            self._noted = True
            warnings.warn("; ".join(notes), UserWarning, stacklevel=2)
        self.rows += torch.from_numpy(np.asarray(rows.sum(axis=0))).to(self.rows.device)
        self.replies += len(rows)

    def compute(self) -> torch.Tensor:
        """The score of all replies so far, a float64 scalar in the metric's own range."""
        totals, count = self.rows.cpu().numpy(), int(self.replies)
        value = score_of_rows(self.metric, totals, count)
        return torch.tensor(value, dtype=torch.float64, device=self.rows.device)
