"""Diversity of a system's replies: distinct n-grams, and the entropy of its words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.kernels.arrays import Floats, Indices, Tokens
from rejoinder.kernels.ngrams import ngram_fingerprints
from rejoinder.metrics.contract import Part
from rejoinder.metrics.means import quotient
from rejoinder.metrics.ngram_metric import NgramMetric


@dataclass(frozen=True)
class BagMetric(NgramMetric):
    """A metric of all replies of a system together: its rows are bags of n-grams.

    Bags are merged by adding up their counts, so shards, resamples and permutations work as for
    every metric; only a row is as wide as the vocabulary. Its value depends on how much text there
    is: compare systems on the same items only.
    """

    summable: ClassVar[bool] = False
    needs: ClassVar[frozenset[str]] = frozenset()

    order: int = 1

    @property
    def columns(self) -> tuple[str, ...]:
        """One column: the fingerprints of the n-grams of a reply."""
        return ("ngrams",)

    def statistics(self, batch: Batch) -> Tokens:
        """The n-grams of every reply, with repetitions."""
        tokens = batch.hypothesis_tokens(self.tokenizer, self.lowercase)
        return ngram_fingerprints(tokens, self.order)

    def parts(self, totals: Floats) -> dict[str, Part]:
        """How many n-grams, and how many different ones."""
        return {"ngrams": float(totals.sum()), "distinct": float((totals > 0).sum())}


@dataclass(frozen=True)
class DistinctN(BagMetric):
    """Distinct-n: different n-grams over all n-grams of a system's replies together.

    1 where no n-gram comes twice; near 0 for a system that always says the same. NaN where the
    replies hold no n-gram at all. Source: Li et al. 2016, section 5.1; for n = 1 the type-token
    ratio.

    Args:
        order: n.
        tokenizer: See ``rejoinder.text.tokenizers.TOKENIZERS``.
        lowercase: Fold case first.

    >>> DistinctN().corpus(["so so", "so"], [[], []]).value
    0.3333333333333333
    """

    name: ClassVar[str] = "distinct"
    title: ClassVar[str] = "distinct"
    source: ClassVar[str] = "Li et al. 2016, section 5.1"

    def score(self, totals: Floats) -> Floats:
        """float64 [..., V] to float64 [...]."""
        return quotient((totals > 0).sum(axis=-1), totals.sum(axis=-1))

    def left_out(self, sums: Floats, item: Indices, code: Indices, count: Floats, n: int) -> Floats:
        """An n-gram goes with a reply where no other reply has it."""
        gone = np.bincount(item, count == sums[code], minlength=n)
        spoken = sums.sum() - np.bincount(item, count, minlength=n)
        return quotient((sums > 0).sum() - gone, spoken)


@dataclass(frozen=True)
class Entropy(BagMetric):
    """The entropy in bits of the distribution of n-grams in a system's replies together.

    ``-sum_g p(g) log2 p(g)``: 0 for a system that knows one word; higher is more varied. NaN where
    the replies hold no n-gram at all. Source: Serban et al. 2017, section 5; Khayrallah and Sedoc
    2021 report it of words.

    Args:
        order: n.
        tokenizer: See ``rejoinder.text.tokenizers.TOKENIZERS``.
        lowercase: Fold case first.

    >>> Entropy().corpus(["yes no", "yes no"], [[], []]).value
    1.0
    """

    name: ClassVar[str] = "entropy"
    title: ClassVar[str] = "entropy"
    source: ClassVar[str] = "Serban et al. 2017, section 5"
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    def score(self, totals: Floats) -> Floats:
        """float64 [..., V] to float64 [...]."""
        spoken = totals.sum(axis=-1, keepdims=True)
        p = totals / np.where(spoken > 0, spoken, 1.0)
        bits = -(p * np.log2(np.where(p > 0, p, 1.0))).sum(axis=-1)
        return np.where(spoken[..., 0] > 0, bits + 0.0, np.nan)

    def left_out(self, sums: Floats, item: Indices, code: Indices, count: Floats, n: int) -> Floats:
        """By ``log2 N - sum_g c_g log2 c_g / N``: only a reply's own n-grams change their c_g."""
        counts, rest = sums[code], sums[code] - count
        change = np.bincount(item, _times_log(counts) - _times_log(rest), minlength=n)
        spoken = sums.sum() - np.bincount(item, count, minlength=n)
        remaining = np.where(spoken > 0, spoken, np.nan)
        return np.maximum(0.0, np.log2(remaining) - (_times_log(sums).sum() - change) / remaining)


def _times_log(counts: Floats) -> Floats:
    """``c log2 c``, 0 for c = 0."""
    return counts * np.log2(np.where(counts > 0, counts, 1.0))
