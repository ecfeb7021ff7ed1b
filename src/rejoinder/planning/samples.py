"""More prompts, or more samples of each: which narrows the interval of a difference more."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from rejoinder.errors import ParameterError
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import Argument, listed
from rejoinder.metrics.of_samples import OfSamples
from rejoinder.planning.criterion import Answer, PlanningCriterion, Schema
from rejoinder.planning.pilot import Pilot, units_of
from rejoinder.scoring.measurements import Measured
from rejoinder.statistics.clusters import Groups, mean_variance
from rejoinder.statistics.conventions import NOISE
from rejoinder.statistics.nested_variance import nested_components
from rejoinder.statistics.power import fewest

SAMPLES = (1, 2, 3, 5, 10)
EQUAL = 1.0, 1.0
MOST = 1000
"""More samples of a prompt are not planned."""


@dataclass(frozen=True)
class SamplesOfPrompts(PlanningCriterion):
    """How the cost of a pilot is best shared between prompts and samples of each.

    The mean difference of two systems over n prompts with k samples of each system has the variance
    ``(B + W / k) / n``: B of the true differences between prompts, W the sum of the two systems' variances
    within them. At the price of C for a prompt and c for a sample of both systems, ``n (C + k c)`` in all,
    ``k = sqrt(W C / (B c))`` is best (Snedecor and Cochran 1989, 21.10).

    Attributes:
        costs: What one prompt costs, and one sample of it, in any unit; None: as much as each other.

    Raises:
        ParameterError: A cost is negative, or a sample costs nothing.
    """

    costs: tuple[float, float] | None = None

    tables: ClassVar[Mapping[str, Schema]] = {
        "samples": {
            "a": pl.String, "b": pl.String, "subject": pl.String, "samples": pl.Int64,
            "items": pl.Int64, "error": pl.Float64, "ratio": pl.Float64, "best": pl.Boolean,
            "between": pl.Float64, "within": pl.Float64, "twice_samples": pl.Float64,
        }
    }  # fmt: skip

    def __post_init__(self) -> None:
        """Checks the costs."""
        prompt, sample = self.costs or EQUAL
        if not (0 <= prompt < math.inf and 0 < sample < math.inf):
            raise ParameterError(
                Argument("costs", self.costs),
                ": a prompt costs 0 or more, and a sample of it more than 0",
            )

    def of(self, pilot: Pilot) -> SamplesOfPrompts:
        """The same, where the pilot has samples.

        Raises:
            ParameterError: Costs are named, and no metric scored several samples of a prompt.
        """
        if self.costs is not None and not any(_sampled(pilot)):
            raise ParameterError(
                Argument("costs", self.costs),
                " has no effect: no metric scored several samples of a prompt; leave it out",
            )
        return self

    def parameters(self) -> dict[str, Any]:
        """The costs, where they are named."""
        return {} if self.costs is None else {"costs": list(self.costs)}

    def answer(self, pilot: Pilot) -> Answer:
        """A row for each pair, metric and number of samples."""
        rows, notes = [], []
        for label in _sampled(pilot):
            alone: list[str] = []
            for pairs, places, scores in pilot.compared(label):
                measured = scores.measured[label]
                if units_of(measured).number >= fewest():
                    for pair, place in zip(pairs, places, strict=True):
                        single = [pair[k] for k in range(2) if _is_single(measured, place[k])]
                        alone += single
                        rows += [] if single else self._pair_rows(measured, label, pair, place)
            if alone:
                notes.append(
                    f"{label}: more prompts or more samples: pairs with {listed(dict.fromkeys(alone))} left "
                    "out: how samples vary is unknown where no prompt has two of them"
                )
        return Answer({"samples": rows}, notes)

    def _pair_rows(
        self, measured: Measured, label: str, pair: tuple[str, str], place: tuple[int, int]
    ) -> Iterator[dict[str, Any]]:
        assert measured.samples is not None
        moments = measured.samples.items[:, list(place)]
        between, within = _components(moments, measured.clusters)
        if not between + within > 0:
            return
        n, k = len(moments), float(1 / (1 / moments[..., 0]).mean())
        prompt, sample = self.costs or EQUAL
        budget = n * (prompt + k * sample)
        now = math.sqrt((between + within / k) / n)
        ideal = MOST if between == 0 else math.sqrt(within * prompt / (between * sample))
        ideal = min(MOST, max(1.0, ideal))
        numbers = {*SAMPLES, round(k), math.floor(ideal), math.ceil(ideal)}
        rows = []
        for number in sorted(numbers):
            items = math.floor(budget / (prompt + number * sample) + 1e-9)
            if items >= fewest():
                error = math.sqrt((between + within / number) / items)
                rows.append(
                    {"samples": number, "items": items, "error": error, "ratio": error / now}
                )
        errors = [row["error"] for row in rows]
        # Of equal errors the first, which is of the most prompts.
        best = next((row["samples"] for row in rows if row["error"] <= min(errors) + NOISE), 0)
        of_twice = (between + within / (2 * k)) / (between + within / k)
        for row in rows:
            yield {
                "a": pair[0], "b": pair[1], "subject": label, **row, "best": row["samples"] == best,
                "between": between, "within": within, "twice_samples": math.sqrt(of_twice),
            }  # fmt: skip


def _sampled(pilot: Pilot) -> Iterator[str]:
    """The metrics that scored several samples of a prompt, without what is made of k of them."""
    for label in pilot.labels:
        each = pilot.scores.measured[label]
        if each.samples is not None and not isinstance(each.metric, OfSamples):
            yield label


def _is_single(measured: Measured, place: int) -> bool:
    """Whether a system has no prompt with two samples."""
    assert measured.samples is not None
    return bool(measured.samples.items[:, place, 0].max() <= 1)


def _components(moments: Floats, clusters: Groups | None) -> tuple[float, float]:
    """The variance of the true differences between prompts, and of both systems' samples within them.

    Args:
        moments: float64 [n, 2, 6], of the two systems.
        clusters: The clusters of the prompts; None where each is independent.
    """
    samples, ratings, _, total = (moments[..., k] for k in range(4))
    parts = [nested_components(moments[:, s]) for s in range(2)]
    number = ratings.sum(axis=0) / samples.sum(axis=0)
    within = np.array([each.within + each.raters / number[s] for s, each in enumerate(parts)])
    difference = np.diff(total / ratings, axis=1)[:, 0]
    n = difference.size
    variance = n * mean_variance(difference, clusters or Groups.of(None, n))
    noise = float((within / samples).sum(axis=1).mean())
    return max(0.0, variance - noise), float(within.sum())
