"""What the best, the worst or most of k samples of a prompt reach, under another metric."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.errors import ParameterError
from rejoinder.kernels.arrays import Floats
from rejoinder.metrics.contract import Statistics
from rejoinder.metrics.means import MeanMetric
from rejoinder.metrics.settings import setting
from rejoinder.statistics.best_of_k import median_of_k, order_of_k

PASS, EVERY, BEST, WORST, MEDIAN = "pass@", "pass^", "best@", "worst@", "median@"
MEASURES = (PASS, EVERY, BEST, WORST, MEDIAN)


@dataclass(frozen=True)
class OfSamples(MeanMetric):
    """The mean over prompts of the best, worst or median of k samples, or of whether any or all pass.

    Of each prompt the expectation over all subsets of k of its samples, so that n samples of which c
    pass give pass@k as Chen et al. (2021) estimate it; see `best_of_k.order_of_k`. ``rejoinder.score``
    makes it of several samples of a prompt (``at=[5]``).

    Args:
        of: The label of the metric that scored the samples.
        measure: ``pass@`` (at least one of k passes), ``pass^`` (all do), ``best@``, ``worst@``,
            ``median@``.
        k: How many samples.
        better: Which values of the samples are better: ``higher`` or ``lower``.
        passing: The value from which a sample passes; None where no measure needs it.
        floor: The least value of a sample; None: there is none.
        ceiling: The greatest value of a sample; None: there is none.
    """

    name: ClassVar[str] = "samples"
    source: ClassVar[str] = "Chen et al. 2021, arXiv 2107.03374; Yao et al. 2024, arXiv 2406.12045"
    needs: ClassVar[frozenset[str]] = frozenset({"samples"})
    choices: ClassVar = MappingProxyType({"measure": MEASURES, "better": ("higher", "lower")})

    of: str
    measure: str = setting(BEST, word="of_k")  # the samples' own metric may have a 'measure' too
    k: int = 1
    better: str = "higher"
    passing: float | None = None
    floor: float | None = None
    ceiling: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        share = self.measure in (PASS, EVERY)
        low, high = (0.0, 1.0) if share else (self.floor, self.ceiling)
        facts = {
            "share": share,
            "higher_is_better": share or self.better == "higher",
            "bounds": (-math.inf if low is None else low, math.inf if high is None else high),
        }
        for name, value in facts.items():
            object.__setattr__(self, name, value)

    @property
    def label(self) -> str:
        """The label of the metric, and the measure: ``exact_match pass@5``."""
        return f"{self.of} {self.measure}{self.k}"

    def passes(self, values: Floats) -> Floats:
        """Which samples pass (1) and which fail (0); NaN stays."""
        assert self.passing is not None
        reached = values >= self.passing if self.better == "higher" else values <= self.passing
        return np.where(np.isnan(values), np.nan, reached)

    def of_prompts(self, values: Floats) -> Floats:
        """The value of each prompt: float64 [J, ...] to [...]; NaN with fewer than k samples.

        Args:
            values: The samples' values; NaN where a prompt has fewer than J samples.
        """
        if self.measure == MEDIAN:
            return median_of_k(values, self.k)
        best = self.measure in (PASS, BEST)
        if self.share:
            values = self.passes(values)
        return order_of_k(values, self.k, self.k if best == self.higher_is_better else 1)

    def statistics(self, batch: Batch) -> Statistics:
        """Replies do not tell which ones are samples of one prompt.

        Raises:
            ParameterError: Always.
        """
        raise ParameterError(
            f"metric '{self.label}': it is of several samples of a prompt, which lists of texts do not "
            "tell apart; pass them to rejoinder.score(testset, responses, at=[...])"
        )
