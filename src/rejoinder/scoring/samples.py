"""Several replies of a system to one prompt: averaged within the prompt, never counted as items.

Intervals and tests are over prompts, or clusters of them; so are those of what the best, the worst or most
of k samples reach (`at_k`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder.kernels.arrays import Floats
from rejoinder.messages import counted, merged
from rejoinder.metrics.engine.rows import Matrix, Rows
from rejoinder.metrics.external import External
from rejoinder.metrics.of_samples import OfSamples
from rejoinder.scoring.at_k import at_k
from rejoinder.scoring.measurements import Measured, Measurements, with_word
from rejoinder.statistics.clusters import Groups, VarianceComponents
from rejoinder.statistics.conventions import NOISE
from rejoinder.statistics.nested_variance import moments, nested_components
from rejoinder.statistics.sampling import further_replies
from rejoinder.statistics.student import two_sided_p
from rejoinder.tables.schemas import SAMPLE
from rejoinder.tables.types import Responses

S = TypeVar("S", bound=Measurements)


def by_sample(responses: Responses) -> Iterator[Responses]:
    """The first reply of every system to every prompt, then the second replies, and so on."""
    if not responses.several:
        yield responses
        return
    place = pl.int_range(pl.len()).over("system", "id").alias(" place")
    numbered = responses.frame.with_columns(place).sort(" place", maintain_order=True)
    for part in numbered.partition_by(" place", maintain_order=True):
        yield responses.with_frame(part.drop(" place", SAMPLE))


def averaged(
    first: S, further: Sequence[tuple[Measurements, np.ndarray]]
) -> tuple[S, dict[str, Floats]]:
    """Scores whose rows are the means of the rows of each prompt's samples, and the samples' values.

    Args:
        first: The scores of the first samples.
        further: The scores of the second samples, the third, ..., each with the items that its systems
            answered (bool [S, n]); of the same metrics, and of some of the systems and items.

    Returns:
        The scores, and by label float64 [J, height, S], NaN where a prompt has fewer samples.
    """
    measured, values = dict(first.measured), {}
    for label, each in first.measured.items():
        # The values of other tools say themselves what they are of, and bags are put together.
        if each.metric.summable and not isinstance(each.metric, External):
            parts = [_placed(first, scores, answered, label) for scores, answered in further]
            measured[label], values[label] = _mean_rows(each, parts)
    number = 1 + len(further)
    note = f"up to {counted(number, 'sample')} of each prompt, averaged within it"
    return replace(first, measured=measured, notes=(note, *first.notes)), values


def of_externals(scores: Measurements) -> dict[str, tuple[Floats, Matrix]]:
    """The samples of the scores of other tools: by label the values and moments of `samples_at`."""
    by_label = {}
    for label, each in scores.measured.items():
        if isinstance(each.metric, External) and each.metric.reply_values is not None:
            ids = scores.items.get_column("id").filter(pl.Series(each.usable)).to_list()
            samples = each.metric.reply_values.samples_at(scores.names, ids)
            if samples is not None:
                by_label[label] = samples[0], Matrix(samples[1])
    return by_label


def with_samples(
    scores: S,
    values: Mapping[str, Floats],
    at: Sequence[int] = (),
    passing: float | Mapping[str, float] | None = None,
) -> S:
    """The scores with the moments of samples, notes on where they vary, and the measures of k samples.

    Args:
        scores: Of which each row is the mean of a prompt's samples.
        values: By label the values of samples: float64 [J, height, S]; those of other tools are found here.
        at: The numbers k of samples; see `OfSamples`.
        passing: The value from which a sample passes, one for all metrics or by label; None: the better
            end of a share, and other metrics have no such value.

    Raises:
        ParameterError: A number or a threshold is none that can be, or there are no samples.
        InputError: No prompt has so many samples.
    """
    external = of_externals(scores)
    values = {**values, **{label: each for label, (each, _) in external.items()}}
    measured, notes = dict(scores.measured), []
    for label, each in values.items():
        matrix = external[label][1] if label in external else Matrix(moments(each))
        if scores.measured[label].answered is not None:
            matrix = matrix.masked(scores.measured[label].answered)  # pyright: ignore[reportArgumentType]
        measured[label] = replace(scores.measured[label], samples=matrix)
        notes.append(f"{label}: {shares(matrix.items)}")
    notes += merged(_unequal(label, each, scores.names) for label, each in values.items())
    scores = replace(scores, measured=measured)
    given = at or passing is not None
    computed, left_out = at_k(scores, values, at, passing) if given else ({}, [])
    every = (*scores.notes[:1], *notes, *left_out, *scores.notes[1:])
    return replace(scores, measured={**measured, **computed}, notes=every)


def all_samples(
    measured: Measured, rows: Rows, answered: NDArray[np.bool_], prompts: Groups
) -> Measured:
    """The bags of each prompt's samples, put together.

    Args:
        measured: The metric of the first samples.
        rows: The bags of all samples, of the first of every prompt, the second, ...: J n of them.
        answered: bool [J, S, n], which samples there are.
        prompts: The prompt of each of these bags.
    """
    known = answered[:, :, measured.usable]
    bags = rows.masked(np.concatenate(list(answered), axis=1)).summed(prompts).pick(measured.usable)
    signature = with_word(measured.signature, "samples", str(int(known.sum(axis=0).max(initial=0))))
    numbers = moments(
        np.where(known, 0.0, np.nan).transpose(0, 2, 1)
    )  # of which the counts alone are used
    return replace(measured, rows=bags, signature=signature, samples=Matrix(numbers))


def replies_differ(labels: Sequence[str], names: Sequence[str], answered: np.ndarray) -> list[str]:
    """A note where systems have different numbers of replies, of which a score of all together depends.

    Args:
        labels: The labels of the metrics.
        names: The names of the systems.
        answered: Which samples each system has of each item, bool [samples, systems, n].
    """
    numbers = answered.sum(axis=(0, 2)).tolist()
    if len(set(numbers)) == 1:
        return []
    counts = ", ".join(f"'{name}' {number}" for name, number in zip(names, numbers, strict=True))
    return [
        f"{', '.join(labels)}: of all replies together, whose number changes the score, and the systems have "
        f"different numbers: {counts}"
    ]


def sometimes(scores: Measurements) -> pl.DataFrame:
    """The items of which some samples of a system pass and some fail; see ``Scores.sometimes``."""
    schema = {
        "metric": pl.String,
        "id": pl.String,
        "system": pl.String,
        "passed": pl.Int64,
        "samples": pl.Int64,
    }
    rows: list[tuple[str, str, str, int, int]] = []
    counted_labels = set[str]()
    for label, each in scores.measured.items():
        metric = each.metric
        label = metric.of if isinstance(metric, OfSamples) else label
        if not metric.share or each.samples is None or label in counted_labels:
            continue
        counted_labels.add(label)
        samples, ratings, _, total = (each.samples.items[..., k] for k in range(4))
        low, high = metric.ends
        passed = samples * (total / np.maximum(ratings, 1) - low) / (high - low)
        passed = passed if metric.higher_is_better else samples - passed
        mixed = (samples > 0) & (passed > NOISE) & (passed < samples - NOISE)
        ids = scores.items.get_column("id").filter(pl.Series(each.usable))
        rows += [
            (label, ids[int(i)], scores.names[s], round(float(passed[i, s])), int(samples[i, s]))
            for i, s in np.argwhere(mixed)
        ]
    return pl.DataFrame(rows, schema=schema, orient="row")


LEAST_UNEQUAL = 8
"""With fewer prompts nothing is said of whether the number of samples depends on their scores."""
DEPENDS = 0.001
"""The p below which it is said."""


def _unequal(label: str, values: Floats, names: Sequence[str]) -> tuple[str, str | None]:
    """A warning where prompts with more samples score otherwise, as with retries until one succeeds."""
    counts = (~np.isnan(values)).sum(axis=0)
    means = np.nansum(values, axis=0) / np.maximum(counts, 1)
    for s, name in enumerate(names):
        x, y = (each[counts[:, s] > 0, s].astype(np.float64) for each in (counts, means))
        if x.size < LEAST_UNEQUAL or np.ptp(x) == 0 or np.ptp(y) == 0:
            continue
        r = float(np.clip(np.corrcoef(x, y)[0, 1], -0.999999, 0.999999))
        t = r * math.sqrt((x.size - 2) / (1 - r * r))
        if two_sided_p(t, x.size - 2) < DEPENDS:
            return label, (
                f"the number of samples of a prompt goes with their mean ('{name}': r = {r:.2f}); if "
                "sampling went on until a sample passed, the mean, pass@k and all other figures are biased: "
                "take as many samples of every prompt"
            )
    return label, None


def _placed(
    first: Measurements, scores: Measurements, answered: np.ndarray, label: str
) -> tuple[Floats, np.ndarray]:
    """The rows of further samples in the place of the first: float64 [n, S, k] and bool [n, S]."""
    target, source = first.measured[label], scores.measured[label]
    assert isinstance(target.rows, Matrix)
    assert isinstance(source.rows, Matrix)
    ids = first.items.get_column("id").filter(pl.Series(target.usable)).to_list()
    place = {id: i for i, id in enumerate(ids)}
    measured_ids = scores.items.get_column("id").filter(pl.Series(source.usable)).to_list()
    known = np.array([id in place for id in measured_ids], dtype=np.bool_)
    items = np.array([place[id] for id in measured_ids if id in place], dtype=np.int64)
    systems = np.array([first.place(name) for name in scores.names], dtype=np.int64)
    shape = target.rows.items.shape
    rows, present = np.zeros(shape), np.zeros(shape[:2], dtype=np.bool_)
    rows[np.ix_(items, systems)] = source.rows.items[known]
    present[np.ix_(items, systems)] = answered[:, source.usable][:, known].T
    return np.where(present[:, :, None], rows, 0.0), present


def _mean_rows(
    measured: Measured, parts: Sequence[tuple[Floats, np.ndarray]]
) -> tuple[Measured, Floats]:
    """The mean rows of one metric, and the values of its samples: float64 [J, n, S], NaN where none."""
    assert isinstance(measured.rows, Matrix)
    items = measured.rows.items
    present = np.ones(items.shape[:2], dtype=np.bool_)
    if measured.answered is not None:
        present = measured.answered.T
    every = [(items, present), *parts]
    counts = np.sum([each for _, each in every], axis=0)
    rows = np.sum([rows for rows, _ in every], axis=0) / np.maximum(counts, 1)[:, :, None]
    answered = None if (counts > 0).all() else (counts > 0).T
    signature = with_word(measured.signature, "samples", str(int(counts.max())))
    values = np.stack(
        [np.where(is_there, measured.metric.score(items), np.nan) for items, is_there in every]
    )
    mean = replace(measured, rows=Matrix(rows), answered=answered, signature=signature)
    return mean, values


def shares(rows: Floats) -> str:
    """Where a reply's score varies, summed over systems, and what further replies would do to its error.

    Args:
        rows: float64 [n, S, 6], the `moments` of samples.
    """
    every = [nested_components(rows[:, s]) for s in range(rows.shape[1])]
    between, within, raters = np.nansum(every, axis=0).tolist()
    total = between + within + raters
    if not total > 0:
        return "the variance between and within prompts cannot be estimated"
    each = [round(100 * part / total) for part in (within, raters)]
    of_raters = f", {each[1]}% between the raters of a reply" if raters > 0 else ""
    samples, prompts = rows[..., 0], int((rows[..., 0] > 0).any(axis=1).sum())
    number = rows[..., 1].sum() / samples.sum()
    parts = VarianceComponents(between, within + raters / number)
    gains = further_replies(parts, samples[samples > 0].astype(np.int64), prompts)
    return (
        f"{100 - sum(each)}% of the variance lies between prompts, {each[0]}% within them{of_raters}; the "
        f"standard error of a score would be {_less(gains.sample)} smaller with one more sample of every "
        f"prompt, {_less(gains.replies)} with as many replies to new prompts, {_less(gains.prompt)} with one "
        "more prompt"
    )


def _less(ratio: float) -> str:
    """By how much an error is smaller that is this share of another.

    >>> _less(0.9), _less(0.9975), _less(1.0)
    ('10%', '0.2%', '0%')
    """
    percent = 100 * (1 - ratio)
    return f"{percent:.0f}%" if percent >= 1 or percent < 0.05 else f"{percent:.1f}%"
