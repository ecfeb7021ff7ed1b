"""The entropy filter: which pairs of a corpus have a message or a reply that goes with everything.

Csaky, Purgai & Recski (2019), "Improving Neural Conversational Models with Entropy-Based Data
Filtering"; an utterance that was said after (or before) many different others has a high
entropy, and pairs with it teach a model to be generic.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from rejoinder.corpora.pairs import Pairs
from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import Argument

SIDES = ("source", "target", "both")


@dataclass(frozen=True)
class FilteredPairs:
    """The pairs that the filter keeps, and all entropies.

    Attributes:
        kept: The pairs kept, in their order.
        dropped: How many pairs were dropped.
        side: Whose entropy counted.
        threshold: In bits.
        source_entropy: float64 [n], for each pair of the corpus that of its source's cluster.
        target_entropy: float64 [n].
        clusters: The number of clusters of sources and of targets.
        highest: The clusters of highest entropy, one row each: side, utterance, entropy, pairs.
        parameters: What a signature holds.
    """

    kept: Pairs
    dropped: int
    side: str
    threshold: float
    source_entropy: Floats
    target_entropy: Floats
    clusters: tuple[int, int]
    highest: pl.DataFrame
    parameters: dict[str, str | float]


def filter_by_entropy(
    pairs: Pairs,
    side: str = "target",
    threshold: float = 1.0,
    source_clusters: Indices | None = None,
    target_clusters: Indices | None = None,
    longest: float = math.inf,
    show: int = 10,
) -> FilteredPairs:
    """Drops the pairs whose source or target has an entropy above a threshold.

    H(t) = - sum_s p(s | t) log2 p(s | t) over the clusters s of sources seen with the cluster t of
    targets, and H(s) likewise over the targets seen with s, in bits. ``side`` says whose entropy
    counts; ``both`` drops a pair if either is above the threshold.

    Args:
        pairs: The corpus.
        side: ``source``, ``target`` or ``both``.
        threshold: In bits, at least 0; an entropy equal to it is kept.
        source_clusters: int64 [n], the cluster of every source (``filtering.kmeans`` makes them from sentence
            vectors); None: equal utterances are a cluster, white space apart (IDENTITY).
        target_clusters: The same for targets.
        longest: Clusters whose utterances have this many words or more on average are kept whatever
            their entropy; the authors' code has 15, their paper no such rule.
        show: How many clusters of highest entropy to list for each side that counts.

    Raises:
        ParameterError: The side or the threshold is none.
        InputError: Clusters are not one for each pair; nothing would be left.

    Example:
        >>> pairs = Pairs(["1", "2", "3"], ["a", "b", "c"], ["OK.", "OK.", "Blue."])
        >>> filtered = filter_by_entropy(pairs, "target", threshold=0.5)
        >>> filtered.kept.targets, filtered.dropped, filtered.target_entropy.tolist()
        (['Blue.'], 2, [1.0, 1.0, 0.0])
    """
    if side not in SIDES:
        raise ParameterError(f"side: got {side!r}; expected {one_of(SIDES)}")
    if not threshold >= 0:
        raise ParameterError(f"threshold: got {threshold}; expected bits, 0 or more")
    sources = _labels(pairs.sources, source_clusters, "source_clusters")
    targets = _labels(pairs.targets, target_clusters, "target_clusters")
    entropy = {"source": entropies(sources, targets), "target": entropies(targets, sources)}
    words = {"source": pairs.sources, "target": pairs.targets}
    labels = {"source": sources, "target": targets}
    counting = ("source", "target") if side == "both" else (side,)
    drop = np.zeros(len(pairs), dtype=bool)
    for each in counting:
        above = entropy[each][labels[each]] > threshold
        drop |= above & (_mean_words(words[each], labels[each]) < longest)[labels[each]]
    below = np.flatnonzero(~drop)
    if not below.size:
        raise InputError(
            f"corpus: all {len(pairs)} pairs are above {threshold} bits; raise ",
            Argument("threshold"),
        )
    top = [_highest(each, words[each], labels[each], entropy[each], show) for each in counting]
    return FilteredPairs(
        pairs.take(below),
        len(pairs) - int(below.size),
        side,
        threshold,
        entropy["source"][sources],
        entropy["target"][targets],
        (entropy["source"].size, entropy["target"].size),
        pl.concat(top),
        {
            "side": side,
            "threshold": threshold,
            "source-clusters": "identity" if source_clusters is None else "given",
            "target-clusters": "identity" if target_clusters is None else "given",
            "longest": longest,
        },
    )


def entropies(clusters: Indices, partners: Indices) -> Floats:
    """The entropy of each cluster's partners, in bits.

    Args:
        clusters: int64 [n], 0 to k - 1, the cluster of each pair's one side.
        partners: The cluster of its other side (int64 [n]).

    Returns:
        float64 [k]; 0 where a cluster has one partner alone.

    Example:
        >>> entropies(np.array([0, 0, 1]), np.array([4, 5, 4])).tolist()
        [1.0, 0.0]
    """
    joint = clusters * (int(partners.max()) + 1) + partners
    _, first, counts = np.unique(joint, return_index=True, return_counts=True)
    owners = clusters[first]
    sizes = np.bincount(clusters)
    share = counts / sizes[owners]
    # 0.0 - x where -x would give a cluster of one partner an entropy of -0.0.
    sums = np.bincount(owners, weights=share * np.log2(share), minlength=sizes.size)
    return (0.0 - sums).astype(np.float64)


def _labels(texts: Sequence[str], given: Indices | None, name: str) -> Indices:
    """Labels 0 to k - 1: those given, or one for each distinct utterance."""
    if given is None:
        keys = [" ".join(text.split()) for text in texts]
        places: dict[str, int] = {}
        return np.array([places.setdefault(key, len(places)) for key in keys], dtype=np.int64)
    labels = np.asarray(given)
    if labels.shape != (len(texts),) or labels.dtype.kind not in "iu":
        raise InputError(
            f"{name}: got {labels.dtype} of shape {labels.shape}; expected one integer for each of "
            f"the {len(texts)} pairs"
        )
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _mean_words(texts: Sequence[str], labels: Indices) -> Floats:
    lengths = np.array([len(text.split()) for text in texts], dtype=np.float64)
    return np.bincount(labels, weights=lengths) / np.bincount(labels)


def _highest(
    side: str, texts: Sequence[str], labels: Indices, entropy: Floats, show: int
) -> pl.DataFrame:
    """The clusters of highest entropy, each shown by its most frequent utterance."""
    top = np.argsort(-entropy, kind="stable")[:show]
    sizes = np.bincount(labels)
    rows = []
    for cluster in top:
        members = pl.Series([texts[int(i)] for i in np.flatnonzero(labels == cluster)])
        counts = members.value_counts(sort=True)
        most = counts.filter(counts["count"] == counts["count"][0])
        shown = min(most.to_series(0).to_list())
        rows.append((side, shown, float(entropy[cluster]), int(sizes[cluster])))
    schema = {"side": pl.String, "utterance": pl.String, "entropy": pl.Float64, "pairs": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")
