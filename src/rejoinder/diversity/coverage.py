"""Reference coverage above chance: how much of what people would say k samples of a system reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder.diversity.measures import bounds_of, expected_best
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.metrics.chrf import ChrF
from rejoinder.metrics.means import quotient
from rejoinder.metrics.pairs import PairScorer

SHIFTS = 10
"""With the references of so many other prompts a prompt's samples are compared, for what is chance."""

FITS = 100
"""So often samples and references are fitted in turn."""

PROMPTS_AT_ONCE = 200

NEAR = 0.85
"""References this similar to a sample count as copies of it: 2 in 1,000 pairs of different people's replies
to the same context of DailyDialog, most of them equal (docs/studies/variety.md)."""


@dataclass(frozen=True)
class PromptReferences:
    """The references of prompts that some samples are compared with.

    Attributes:
        places: int64 [r], the places of the texts, prompt after prompt.
        bounds: int64 [p + 1].
        weights: float64 [r]; 0 for a reference that does not count.
    """

    places: Indices
    bounds: Indices
    weights: Floats


def reached(
    scorer: PairScorer,
    samples: list[Indices],
    references: PromptReferences,
    k: int,
    partners: Indices,
) -> Floats:
    """How well k samples of each prompt reach the references of some prompts.

    Args:
        scorer: Of a similarity, over the texts of both.
        samples: For each of p prompts the places of its samples.
        references: Of the prompts.
        k: How many samples.
        partners: int64 [p, q], with the references of which prompts the samples of each are compared.

    Returns:
        The expected best similarity of k samples to a reference, averaged by weight: float64 [p, q], NaN
        where no reference counts.
    """
    cuts = np.arange(0, len(samples) + PROMPTS_AT_ONCE, PROMPTS_AT_ONCE)
    parts = [
        _reached(scorer, samples[a:b], references, k, partners[a:b])
        for a, b in pairwise(cuts.tolist())
        if samples[a:b]
    ]
    return np.concatenate(parts)


def _reached(
    scorer: PairScorer,
    samples: list[Indices],
    references: PromptReferences,
    k: int,
    partners: Indices,
) -> Floats:
    sizes = np.diff(references.bounds)[partners]
    ends, left = bounds_of(sizes.sum(axis=1)), bounds_of([each.size for each in samples])
    shift = references.bounds[partners].ravel() - np.cumsum(sizes) + sizes.ravel()
    there = np.arange(ends[-1]) + np.repeat(shift, sizes.ravel())
    matrices = scorer.between(np.concatenate(samples), left, references.places[there], ends)
    best = np.concatenate([expected_best(each, k) for each in matrices])
    owner = np.repeat(np.arange(partners.size), sizes.ravel())
    weights = references.weights[there]
    return _means(owner, weights * best, weights, partners.size).reshape(partners.shape)


def closeness(
    scorer: PairScorer, samples: list[Indices], references: PromptReferences, prompts: Indices
) -> Floats:
    """The mean over samples of the similarity to the nearest reference that counts: float64 [p].

    Args:
        scorer: Of a similarity, over the texts of both.
        samples: For each of p prompts the places of its samples.
        references: Of all prompts.
        prompts: int64 [p], which prompts these are; each has a reference that counts.
    """
    own = [np.arange(*references.bounds[i : i + 2]) for i in prompts]
    counted = [references.places[each[references.weights[each] > 0]] for each in own]
    left, right = (bounds_of([each.size for each in part]) for part in (samples, counted))
    matrices = scorer.between(np.concatenate(samples), left, np.concatenate(counted), right)
    return np.array([each.max(axis=1).mean() for each in matrices])


def near_copies(
    samples: Sequence[str],
    bounds: Indices,
    references: Sequence[str],
    reference_bounds: Indices,
    prompts: Indices,
) -> Indices:
    """The places of references that repeat a sample of their prompt, or nearly: int64, in order.

    Near is a chrF of `NEAR`, precision and recall counted alike, of letters and digits in lower case.

    Args:
        samples: Of some prompts, prompt after prompt.
        bounds: int64 [p + 1].
        references: Of all prompts.
        reference_bounds: int64 [P + 1].
        prompts: int64 [p], which prompts the samples are of.

    >>> near_copies(["At nine!"], np.array([0, 1]), ["at 9", "at nine"], np.array([0, 2]), np.array([0]))
    array([1])
    """
    bare = pl.Series([*samples, *references], dtype=pl.String).str.to_lowercase()
    letters = bare.str.replace_all(r"[\W_]", "")
    blank = bare.str.replace_all(r"\s", "")
    scorer = PairScorer(ChrF(beta=1.0), letters.zip_with(letters != "", blank).to_list())
    own = [np.arange(*reference_bounds[i : i + 2]) for i in prompts]
    ends, places = bounds_of([each.size for each in own]), np.concatenate(own)
    there = len(samples) + places
    matrices = scorer.between(np.arange(len(samples)), bounds, there, ends)
    near = [each.max(axis=0) >= NEAR for each in matrices]
    return places[np.concatenate(near)]


def cyclic_partners(
    prompts: int, clusters: NDArray[np.generic], rng: np.random.Generator
) -> Indices:
    """Each prompt and up to ``SHIFTS`` others: those next to it in a random order of all prompts.

    A prompt of the same cluster is no chance: its place has -1.

    Args:
        prompts: Number of prompts.
        clusters: The cluster of each prompt, [p].
        rng: The random generator.

    Returns:
        int64 [p, 1 + q].
    """
    order = rng.permutation(prompts)
    place = np.empty(prompts, dtype=np.int64)
    place[order] = np.arange(prompts)
    shifts = np.arange(min(SHIFTS, prompts - 1) + 1)
    partners = order[(place[:, None] + shifts) % prompts]
    alike = clusters[partners] == clusters[:, None]
    alike[:, 0] = False
    return np.where(alike, -1, partners)


def above_chance(values: Floats, partners: Indices) -> Floats:
    """What each prompt adds to the coverage above chance: float64 [p], whose mean it is.

    ``own - s_i - r_i``: what the samples of a prompt reach of the references of another is fitted by least
    squares as the sum of how near the one's samples and how near the other's references are to all others.
    So the error knows that a prompt plays a part in the chance of others, and a large cluster, whose
    references only prompts outside it are compared with, is no part of anybody's chance by its size. NaN
    for a prompt that has no other to compare with.

    Args:
        values: float64 [p, 1 + q], what the samples of a prompt reach of the references of its partners,
            its own first.
        partners: int64 [p, 1 + q]; -1 for none.
    """
    own, others = values[:, 0], np.where(partners[:, 1:] < 0, np.nan, values[:, 1:])
    there = ~np.isnan(others)
    if not there.any():
        return np.full(own.size, np.nan)
    row = np.broadcast_to(np.arange(own.size)[:, None], there.shape)[there]
    column, reaches, each = partners[:, 1:][there], others[there], np.ones(row.size)
    samples = references = np.zeros(own.size)
    for _ in range(FITS):
        samples = _means(row, reaches - references[column], each, own.size)
        references = _means(column, reaches - samples[row], each, own.size)
        references = np.where(np.isnan(references), np.nanmean(references), references)
    return own - samples - references


def _means(of: Indices, sums: Floats, counts: Floats, number: int) -> Floats:
    """For each of some places the quotient of what is summed there; NaN where nothing counts."""
    top, bottom = (
        np.bincount(of, each, minlength=number).astype(np.float64) for each in (sums, counts)
    )
    return quotient(top, bottom)
