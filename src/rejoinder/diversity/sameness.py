"""Whether two systems are equally varied, and whether they say the same: two tests on their samples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rejoinder.diversity.measures import SampleLikeness, bounds_of
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.conventions import p_of_drawn, p_of_draws, too_few_groups
from rejoinder.statistics.intervals import Interval
from rejoinder.statistics.mean_difference import mean_inference
from rejoinder.statistics.skewed_mean import Inference

SAMPLES = 4
"""So many samples of a system are drawn from a prompt: 16 pairs of two systems."""


class Gap(NamedTuple):
    """How alike the samples of two systems are, beside how alike each system's own are.

    Args:
        within: The mean similarity of two samples of one system, averaged over both.
        between: That of a sample of each.
        gap: Within - between, with its interval and, one-sided, the p-value of single samples permuted
            between the systems within prompts.
        prompts: How many prompts both answered with two samples or more.
    """

    within: float
    between: float
    gap: Inference
    prompts: int


@dataclass(frozen=True)
class DrawnSamples:
    """Up to ``SAMPLES`` samples of each system from each prompt, and how alike they are.

    Attributes:
        of: For each prompt, by system, where its samples stand in the matrix.
        similarities: For each prompt float64 [m, m], symmetric.
    """

    of: list[dict[str, Indices]]
    similarities: list[Floats]

    @classmethod
    def drawn(
        cls,
        scorer: SampleLikeness,
        samples: Sequence[Mapping[str, Indices]],
        rng: np.random.Generator,
    ) -> DrawnSamples:
        """Draws from the samples of prompts: by system their places among the texts of the scorer."""
        chosen = [
            {
                system: places[np.sort(rng.permutation(places.size)[:SAMPLES])]
                for system, places in prompt.items()
            }
            for prompt in samples
        ]
        of, groups = [], []
        for prompt in chosen:
            ends = np.cumsum([0, *(each.size for each in prompt.values())])
            cuts = zip(prompt, ends[:-1], ends[1:], strict=True)
            of.append({system: np.arange(a, b) for system, a, b in cuts})
            groups.append(np.concatenate([*prompt.values(), np.zeros(0, dtype=np.int64)]))
        bounds = bounds_of([each.size for each in groups])
        return cls(of, scorer.within(np.concatenate(groups), bounds))

    def gap(
        self, a: str, b: str, clusters: NDArray[np.generic], trials: int, rng: np.random.Generator
    ) -> Gap:
        """Tests whether two systems say the same to a prompt, over all prompts.

        Where they do, it does not matter which of the two gave a sample: single samples are permuted
        between them within each prompt, ``p = (c + 1) / (n + 1)`` of the mean gap.

        Args:
            a: A system.
            b: Another.
            clusters: [p], the cluster of each prompt, for the interval.
            trials: Permutations; 0 gives no p.
            rng: Where the randomness comes from.
        """
        sizes: dict[tuple[int, int], list[int]] = {}
        for i, prompt in enumerate(self.of):
            if a in prompt and b in prompt and min(prompt[a].size, prompt[b].size) > 1:
                sizes.setdefault((prompt[a].size, prompt[b].size), []).append(i)
        if not sizes:
            reason = "no prompt with two samples of each"
            return Gap(math.nan, math.nan, _none(reason), 0)
        values, drawn = [], np.zeros(trials)
        for (m, n), prompts in sizes.items():
            places = [np.concatenate([self.of[i][a], self.of[i][b]]) for i in prompts]
            each = np.stack(
                [
                    self.similarities[i][np.ix_(at, at)]
                    for i, at in zip(prompts, places, strict=True)
                ]
            )
            within, between = _splits(each, m, n)
            values.append(np.stack([within[:, 0], between[:, 0]], axis=1))
            gaps = within - between
            for t in range(trials):
                drawn[t] += gaps[
                    np.arange(len(gaps)), rng.integers(0, gaps.shape[1], len(gaps))
                ].sum()
        whole = np.concatenate(values)
        gap, n = whole[:, 0] - whole[:, 1], len(whole)
        groups = Groups.of(clusters[np.concatenate([*map(np.array, sizes.values())])], n)
        found = mean_inference(gap, groups, too_few_groups(len(groups)))
        reached = int((drawn >= gap.sum() - 1e-9).sum())
        p = float(p_of_draws(reached, trials)) if trials else math.nan
        within, between = whole.mean(axis=0).tolist()
        return Gap(within, between, found._replace(p=p), n)


def more_varied(
    a: Floats, b: Floats, clusters: NDArray[np.generic], trials: int, rng: np.random.Generator
) -> tuple[Inference, int]:
    """Tests whether the samples of one system are more varied than those of another.

    Whole sets of samples of a prompt are flipped between the systems, all prompts of a cluster together.

    Args:
        a: float64 [p], a measure of each prompt's samples; NaN where there is none.
        b: The same of another system.
        clusters: [p], the cluster of each prompt.
        trials: Flips; 0 gives no p.
        rng: Where the randomness comes from.

    Returns:
        The mean of a - b with its interval and p, and over how many prompts.
    """
    both = ~np.isnan(a - b)
    differences, n = (a - b)[both], int(both.sum())
    if not n:
        return _none("no prompt that both answered"), 0
    groups = Groups.of(clusters[both], n)
    found = mean_inference(differences, groups, too_few_groups(len(groups)))
    if not trials:
        return found._replace(p=math.nan), n
    flips = groups.swaps(trials, rng)
    again = (np.where(swapped, -differences, differences).mean(axis=1) for swapped in flips)
    return found._replace(p=p_of_drawn(again, float(differences.mean()))), n


def _splits(similarities: Floats, m: int, n: int) -> tuple[Floats, Floats]:
    """Means within and between two parts of m and n samples, under every split: float64 [p, splits].

    Args:
        similarities: float64 [p, m + n, m + n], symmetric; the first split is the first m.
        m: 2 or more.
        n: 2 or more.
    """
    chosen = np.zeros((math.comb(m + n, m), m + n))
    for row, places in zip(chosen, combinations(range(m + n), m), strict=True):
        row[list(places)] = 1.0
    diagonal = np.einsum("pii->pi", similarities)

    def inside(mask: Floats, size: int) -> Floats:
        sums = np.einsum("sa,pab,sb->ps", mask, similarities, mask, optimize=True)
        return (sums - diagonal @ mask.T) / (size * (size - 1))

    between = np.einsum("sa,pab,sb->ps", chosen, similarities, 1 - chosen, optimize=True) / (m * n)
    return (inside(chosen, m) + inside(1 - chosen, n)) / 2, between


def _none(reason: str) -> Inference:
    return Inference(math.nan, Interval.none(reason), math.nan)
