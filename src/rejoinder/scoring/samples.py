"""Several replies of a system to one prompt: averaged within the prompt, never counted as items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from rejoinder.errors import ParameterError
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import counted
from rejoinder.metrics.engine.rows import Matrix
from rejoinder.metrics.external import External
from rejoinder.scoring.measurements import Measured, with_word
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.clusters import Groups, VarianceComponents, variance_components
from rejoinder.statistics.sampling import further_replies
from rejoinder.tables.schemas import SAMPLE
from rejoinder.tables.types import Responses

NO_MEAN = (
    "a score of all replies together, in which the samples of one prompt cannot be averaged; leave it "
    "out, or give one reply to each prompt"
)


def by_sample(responses: Responses) -> Iterator[Responses]:
    """The first reply of every system to every prompt, then the second replies, and so on."""
    if not responses.several:
        yield responses
        return
    place = pl.int_range(pl.len()).over("system", "id").alias(" place")
    numbered = responses.frame.with_columns(place).sort(" place", maintain_order=True)
    for part in numbered.partition_by(" place", maintain_order=True):
        yield responses.with_frame(part.drop(" place", SAMPLE))


def averaged(first: Scores, further: Sequence[tuple[Scores, np.ndarray]]) -> Scores:
    """Scores whose rows are the means of the rows of each prompt's samples.

    Args:
        first: The scores of the first samples.
        further: The scores of the second samples, the third, ..., each with the items that its systems
            answered (bool [S, n]); of the same metrics, and of some of the systems and items.

    Raises:
        ParameterError: A metric has no rows that can be averaged.
    """
    measured, notes = {}, []
    for label, each in first.measured.items():
        if isinstance(each.metric, External):  # one value for each reply, however many there are
            measured[label] = each
            continue
        parts = [_placed(first, scores, answered, label) for scores, answered in further]
        measured[label], note = _mean_rows(label, each, parts)
        notes.append(f"{label}: {note}")
    number = 1 + len(further)
    note = f"up to {counted(number, 'sample')} of each reply, averaged within the prompt"
    return replace(first, measured=measured, notes=(note, *notes, *first.notes))


def _placed(
    first: Scores, scores: Scores, answered: np.ndarray, label: str
) -> tuple[Floats, np.ndarray]:
    """The rows of further samples in the place of the first: float64 [n, S, k] and bool [n, S]."""
    target, source = first.measured[label], scores.measured[label]
    if not isinstance(target.rows, Matrix) or not isinstance(source.rows, Matrix):
        raise ParameterError(f"{label}: {NO_MEAN}")
    ids = first.items.get_column("id").filter(pl.Series(target.usable)).to_list()
    place = {id: i for i, id in enumerate(ids)}
    own = scores.items.get_column("id").filter(pl.Series(source.usable)).to_list()
    known = np.array([id in place for id in own], dtype=np.bool_)
    items = np.array([place[id] for id in own if id in place], dtype=np.int64)
    systems = np.array([first.place(name) for name in scores.names], dtype=np.int64)
    shape = target.rows.items.shape
    rows, there = np.zeros(shape), np.zeros(shape[:2], dtype=np.bool_)
    rows[np.ix_(items, systems)] = source.rows.items[known]
    there[np.ix_(items, systems)] = answered[:, source.usable][:, known].T
    return np.where(there[:, :, None], rows, 0.0), there


def _mean_rows(
    label: str, measured: Measured, parts: Sequence[tuple[Floats, np.ndarray]]
) -> tuple[Measured, str]:
    """The mean rows of one metric, and a note on the variance of its samples."""
    if not isinstance(measured.rows, Matrix):
        raise ParameterError(f"{label}: {NO_MEAN}")
    own = measured.rows.items
    there = np.ones(own.shape[:2], dtype=np.bool_)
    if measured.answered is not None:
        there = measured.answered.T
    every = [(own, there), *parts]
    counts = np.sum([each for _, each in every], axis=0)
    rows = np.sum([rows for rows, _ in every], axis=0) / np.maximum(counts, 1)[:, :, None]
    answered = None if (counts > 0).all() else (counts > 0).T
    signature = with_word(measured.signature, "samples", str(int(counts.max())))
    mean = replace(measured, rows=Matrix(rows), answered=answered, signature=signature)
    return mean, _shares(measured, every)


def _shares(measured: Measured, every: Sequence[tuple[Floats, np.ndarray]]) -> str:
    """How a reply's score varies between prompts and within them, summed over systems.

    And what further replies would do to the standard error of a system's mean.
    """
    values = np.stack([measured.metric.score(rows) for rows, _ in every])
    there = np.stack([each for _, each in every]) & ~np.isnan(values)
    between = within = 0.0
    for s in range(values.shape[2]):
        chosen = there[:, :, s]
        prompts = np.broadcast_to(np.arange(chosen.shape[1]), chosen.shape)[chosen]
        parts = variance_components(values[:, :, s][chosen], Groups.of(prompts, prompts.size))
        between, within = between + parts.between, within + parts.within
    total = between + within
    if not total > 0:
        return "the variance between and within prompts cannot be estimated"
    share = round(100 * within / total)
    samples = there.sum(axis=0)
    components, prompts = VarianceComponents(between, within), int(samples.any(axis=1).sum())
    gains = further_replies(components, samples[samples > 0], prompts)
    return (
        f"{100 - share}% of the variance lies between prompts, {share}% within them; the standard error "
        f"of a score would be {_less(gains.sample)} smaller with one more sample of every prompt, "
        f"{_less(gains.replies)} with as many replies to new prompts, {_less(gains.prompt)} with one "
        "more prompt"
    )


def _less(ratio: float) -> str:
    """By how much an error is smaller that is this share of another.

    >>> _less(0.9), _less(0.9975), _less(1.0)
    ('10%', '0.2%', '0%')
    """
    percent = 100 * (1 - ratio)
    return f"{percent:.0f}%" if percent >= 1 or percent < 0.05 else f"{percent:.1f}%"
