"""The scores of a report in which no reply is measured: those of other tools, or of no metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from rejoinder.errors import ParameterError
from rejoinder.messages import Argument
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.metrics.external import External
from rejoinder.scoring.external import from_values
from rejoinder.scoring.of_judgements import of_judgements
from rejoinder.scoring.scores import Scores
from rejoinder.tables.testset import TestSet


def without_texts(
    testset: TestSet | None,
    metrics: Sequence[str | Metric],
    judged: Sequence[pl.DataFrame],
    settings: dict[str, Any],
) -> Scores:
    """The scores of other tools; without one the systems and items that people judged, of no metric.

    Args:
        testset: The items; None: those that are scored or judged.
        metrics: Scores of other tools alone.
        judged: ``system`` and ``id`` of replies that were given or judged.
        settings: ``missing``, ``cluster``, ``at``, ``passing``, ``resamples`` and ``seed``, as for ``score``.

    Raises:
        InputError: A value is missing.
        ParameterError: A metric measures replies; or there is neither a score nor a judgement.
    """
    named = [registry.metric(each) for each in metrics]
    outside = [each for each in named if isinstance(each, External)]
    for each in named:
        if each not in outside:
            raise ParameterError(
                Argument("metrics"), f": {each.name} measures replies, and none are given"
            )
    if outside:
        return Scores(**vars(from_values(outside, testset, **settings)))
    if not judged:
        raise ParameterError(
            "there is nothing to report; give a test set and responses, scores of other tools, ratings or "
            "preferences"
        )
    items = None if testset is None else testset.contexts.drop("context")
    draws = {name: settings[name] for name in ("resamples", "seed")}
    return of_judgements(pl.concat(judged), items, cluster="none", **draws)
