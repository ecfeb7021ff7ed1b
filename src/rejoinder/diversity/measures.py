"""Measures of one prompt's samples: distinct n-grams, likeness of pairs, number of different replies."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rejoinder.kernels.arrays import Floats, Indices, TextBytes, Tokens
from rejoinder.kernels.ngrams import ngram_fingerprints
from rejoinder.kernels.tokens import same_strings
from rejoinder.metrics.contract import Contract
from rejoinder.metrics.means import quotient
from rejoinder.metrics.pairs import PairScorer
from rejoinder.text.strings import Strings

DRAWS = 10
"""So many subsets of k samples are averaged where a prompt has more than k."""


def bounds_of(sizes: Sequence[int] | Indices) -> Indices:
    """Where each of some lists of these sizes begins when they stand one after another, and the end."""
    return np.append(0, np.cumsum(sizes, dtype=np.int64))


def all_missed(n: Floats | Indices, c: Floats | Indices, k: int) -> Floats:
    """How likely k of n samples, drawn without replacement, hold none of c: ``C(n - c, k) / C(n, k)``.

    >>> all_missed(np.array([4, 4]), np.array([1, 3]), 2).tolist()
    [0.5, 0.0]
    """
    n, c = np.asarray(n, dtype=np.float64), np.asarray(c, dtype=np.float64)
    missed = np.ones(np.broadcast(n, c).shape)
    for taken in range(k):
        missed *= np.maximum(0.0, n - c - taken) / np.maximum(1.0, n - taken)
    return missed


def rarefied_distinct(tokens: Tokens, bounds: Indices, order: int, k: int) -> Floats:
    """Distinct-n of k samples of each prompt, expected over all subsets of its samples.

    ``sum_g (1 - C(n - c_g, k) / C(n, k))`` different n-grams, over ``k / n`` of all n-grams: an n-gram g
    of which c_g samples hold one is in k of n samples with the probability that pass@k has.

    Args:
        tokens: Of the samples, prompt after prompt.
        bounds: int64 [p + 1], where the samples of each prompt begin.
        order: The n of the n-grams.
        k: How many samples.

    Returns:
        float64 [p]; NaN where no sample has an n-gram.
    """
    grams = ngram_fingerprints(tokens, order)
    prompts, samples = bounds.size - 1, np.diff(bounds)
    prompt = np.repeat(np.arange(prompts), samples)
    text = np.repeat(np.arange(prompt.size), grams.lengths)
    different, code = np.unique(grams.fingerprints, return_inverse=True)
    width = max(1, different.size)
    text, code = np.divmod(np.unique(text * width + code), width)
    held, count = np.unique(prompt[text] * width + code, return_counts=True)
    where = held // width
    found = np.bincount(where, 1 - all_missed(samples[where], count, k), minlength=prompts)
    spoken = np.bincount(prompt, grams.lengths, minlength=prompts) * (k / samples)
    return quotient(found.astype(np.float64), spoken.astype(np.float64))


class SampleLikeness:
    """How alike texts are by a metric: the mean of both directions, and 1 for equal texts.

    chrF of two empty replies is 0, and Nakov's brevity penalty gives a reply beside itself less than 1:
    as measures of variety, neither says that the replies are the same.

    Args:
        metric: A metric of replies and references.
        texts: All texts that will be compared.
    """

    def __init__(self, metric: Contract, texts: Strings) -> None:
        self.scorer = PairScorer(metric, texts)
        """Of single pairs, in one direction."""
        self._same = same_strings(TextBytes(texts.data, texts.starts, texts.stops))

    def within(self, texts: Indices, bounds: Indices) -> list[Floats]:
        """The symmetric matrices of groups: int64 [t], places of texts, cut at int64 [n + 1]."""
        matrices = self.scorer.within(texts, bounds)
        same = np.split(self._same[texts], bounds[1:-1])
        return [
            np.where(own[:, None] == own, 1.0, (each + each.T) / 2)
            for each, own in zip(matrices, same, strict=True)
        ]


def mean_of_pairs(similarities: Floats) -> float:
    """The mean over ordered pairs of different samples, float64 [n, n]; NaN for one sample."""
    n = len(similarities)
    return (
        float((similarities.sum() - np.trace(similarities)) / (n * (n - 1))) if n > 1 else math.nan
    )


def subsets(n: int, k: int, rng: np.random.Generator) -> Indices:
    """Subsets of k of n samples, int64 [b, k]: the only one, or ``DRAWS`` at random.

    Args:
        n: Number of samples.
        k: Size of a subset.
        rng: The random generator.
    """
    if n == k:
        return np.arange(n)[None]
    return np.stack([rng.permutation(n)[:k] for _ in range(DRAWS)])


def vendi(similarities: Floats) -> Floats:
    """The Vendi score of sets of samples: the effective number of different ones, from 1 to k.

    ``exp(-sum l log l)`` over the positive eigenvalues l of K / k (Friedman and Dieng 2023). With chrF K
    need not be positive semi-definite; as in the authors' package, negative eigenvalues do not count.

    Args:
        similarities: float64 [b, k, k], symmetric, 1 on the diagonal; the score of a set with NaN is NaN.

    >>> vendi(np.array([np.eye(3), np.ones((3, 3))])).round(12).tolist()
    [3.0, 1.0]
    """
    values = np.linalg.eigvalsh(np.nan_to_num(similarities) / similarities.shape[-1])
    counted = np.where(values > 0, values, 1.0)  # 1 log 1 is 0
    scores = np.exp(-(counted * np.log(counted)).sum(axis=-1))
    return np.where(np.isnan(similarities).any(axis=(-2, -1)), np.nan, scores)


def vendi_of_answers(texts: Sequence[str], drawn: Indices) -> float:
    """The same by exact match, averaged over subsets: the exponential of the entropy of the answers.

    >>> round(vendi_of_answers(["yes", "no", "yes", "no"], np.array([[0, 1, 2, 3], [0, 2, 0, 2]])), 12)
    1.5
    """
    codes = np.unique(np.array(texts, dtype=object), return_inverse=True)[1][drawn]
    shares = (codes[:, :, None] == codes[:, None, :]).mean(axis=2)
    return float(np.exp(-np.log(shares).mean(axis=1)).mean())


def expected_best(similarities: Floats, k: int) -> Floats:
    """The best of k of n samples, expected over all subsets: float64 [n, r] to float64 [r].

    ``sum_i x_(i) C(i - 1, k - 1) / C(n, k)`` with x_(1) the least.

    >>> expected_best(np.array([[0.0], [1.0], [4.0]]), 2).round(12).tolist()  # (1 + 4 + 4) / 3
    [3.0]
    """
    n = len(similarities)
    weights = [math.comb(i, k - 1) / math.comb(n, k) for i in range(n)]
    return np.array(weights) @ np.sort(similarities, axis=0)
