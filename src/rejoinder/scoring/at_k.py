"""What the best, the worst or most of k samples of a prompt reach, as metrics of prompts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import Argument, counted, merged
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.rows import Matrix
from rejoinder.metrics.external import DIRECTIONS
from rejoinder.metrics.means import mean_rows
from rejoinder.metrics.of_samples import BEST, EVERY, MEDIAN, PASS, WORST, OfSamples
from rejoinder.scoring.measurements import Measured, Measurements, with_word
from rejoinder.statistics.nested_variance import moments
from rejoinder.tables.checks.id_slips import first_few


def at_k(
    scores: Measurements,
    values: Mapping[str, Floats],
    at: Sequence[int],
    passing: float | Mapping[str, float] | None,
) -> tuple[dict[str, Measured], list[str]]:
    """The measures of k samples by label, and notes on prompts that have fewer; see `with_samples`.

    Raises:
        ParameterError: A number of samples is not 1 or more, no metric that ranks systems scored several
            samples of a prompt, or ``passing`` is given without ``at``.
    """
    thresholds = _thresholds(passing, scores, values)
    for k in at:
        if not isinstance(k, int) or isinstance(k, bool) or k < 1:
            raise ParameterError(Argument("at", k), " must be a whole number of samples, 1 or more")
    if not at:
        raise ParameterError(Argument("passing"), " has no effect without ", Argument("at"))
    able = {label: each for label, each in values.items() if scores.measured[label].metric.ranks}
    if not able:
        raise ParameterError(
            Argument("at", at[0]),
            ": no metric that ranks systems scored several samples of a prompt; give several replies of a "
            "system to a prompt, told apart in a column 'sample'",
        )
    measured, notes = {}, []
    for label, each in able.items():
        for k in dict.fromkeys(at):
            short = ""
            for metric in _measures(scores.measured[label].metric, label, k, thresholds.get(label)):
                measured[metric.label], short = _measured(scores, label, each, metric)
            notes.append((f"{label} at {k}", short))
    return measured, merged(notes)


def _measures(base: Metric, label: str, k: int, threshold: float | None) -> list[OfSamples]:
    """The measures of k samples under a metric; of one sample they are all the same."""
    better = DIRECTIONS[not base.higher_is_better]
    measures = []
    if threshold is not None:
        measures = [
            OfSamples(label, each, k, better, threshold) for each in (PASS, EVERY)[: min(k, 2)]
        ]
    if base.share:
        return measures
    ends = [each if math.isfinite(each) else None for each in base.bounds]
    graded = (BEST, WORST, MEDIAN)[: 1 if k == 1 else 3]
    return [*measures, *(OfSamples(label, each, k, better, None, *ends) for each in graded)]


def _measured(
    scores: Measurements, label: str, values: Floats, metric: OfSamples
) -> tuple[Measured, str]:
    """What a measure of k samples measures, and a note on the prompts that have fewer."""
    base = scores.measured[label]
    rows = metric.of_prompts(values)
    enough = ~np.isnan(rows)
    present = np.ones_like(enough) if base.answered is None else base.answered.T
    complete = (enough & present).any(axis=1) if base.answered is not None else enough.all(axis=1)
    short = np.any(present & ~enough, axis=1)
    ids = scores.items.get_column("id").filter(pl.Series(base.usable))
    if not complete.any():
        most = int((~np.isnan(values)).sum(axis=0).max(initial=0))
        raise InputError(
            f"{label}: no prompt has {counted(metric.k, 'sample')} of every system, the most is {most}; "
            "take fewer with ",
            Argument("at", most),
        )
    usable = base.usable.copy()
    usable[base.usable] = complete
    matrix = Matrix(mean_rows(rows[complete]))
    answered = None
    if base.answered is not None:
        answered = (enough & present)[complete].T
        matrix = matrix.masked(answered)
    results = metric.passes(values) if metric.share else values
    samples = Matrix(moments(results[:, complete]))
    signature = with_word(base.signature, "at", f"{metric.measure}{metric.k}")
    if metric.passing is not None:
        signature = with_word(signature, "passing", str(metric.passing))
    if metric.share:
        signature = signature.replace("|ci:jackknife-t|", "|ci:wilson|")
    measured = Measured(
        metric, matrix, usable, signature, answered=answered,
        samples=samples if answered is None else samples.masked(answered),
    )  # fmt: skip
    n = int(short.sum())
    note = f"{counted(n, 'prompt')} left out that {'has' if n == 1 else 'have'} fewer than "
    note += f"{counted(metric.k, 'sample')}: {first_few(ids.filter(pl.Series(short)).to_list())}"
    return measured, note if n else ""


def _thresholds(
    passing: float | Mapping[str, float] | None, scores: Measurements, values: Mapping[str, Floats]
) -> dict[str, float]:
    """By label the value from which a sample passes."""
    metrics = {label: scores.measured[label].metric for label in values}
    known = {
        label: metric.ends[metric.higher_is_better]
        for label, metric in metrics.items()
        if metric.share
    }
    if passing is None:
        return known
    named = passing if isinstance(passing, Mapping) else dict.fromkeys(values, passing)
    for label, each in named.items():
        if label not in values:
            raise ParameterError(
                f"passing: '{label}' is no metric that scored several samples; choose {one_of(values)}"
            )
        low, high = metrics[label].bounds
        if not low <= each <= high:
            shown = "; tables show it x100, so write 0.8 for 80" * metrics[label].times100
            raise ParameterError(
                Argument("passing", each), f": {label} lies between {low:g} and {high:g}{shown}"
            )
    return known | {label: float(each) for label, each in named.items()}
