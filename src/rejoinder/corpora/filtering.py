"""The entropy filter of a whole corpus in one call, over texts or over clusters of their vectors."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rejoinder.corpora.entropy_filter import FilteredPairs, filter_by_entropy
from rejoinder.corpora.pairs import adjacent_pairs
from rejoinder.errors import InputError, ParameterError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.result import Result
from rejoinder.statistics.draws import check_draws
from rejoinder.tables.testset import TestSet, TestSetLike
from rejoinder.text.detokenize import plain

Vectors: TypeAlias = NDArray[Any] | str | os.PathLike[str]
"""An array of vectors, or the file (.npy) that holds one."""


@dataclass(frozen=True, eq=False, repr=False)
class FilteredCorpus(Result):
    """A corpus without the pairs whose entropy is too high.

    Attributes:
        testset: The items that are kept.
        filtered: The pairs that are kept, and all entropies.
        notes: What was left out before the filter.
    """

    testset: TestSet
    filtered: FilteredPairs
    notes: tuple[str, ...]

    def as_json(self, file: str | None = None) -> dict[str, Any]:
        """The object that ``rejoinder filter --json`` prints.

        Args:
            file: Where the corpus was written; None: nowhere.
        """
        pairs = self.filtered
        return {
            "pairs": len(pairs.kept) + pairs.dropped,
            "kept": len(pairs.kept),
            "dropped": pairs.dropped,
            "clusters": {"source": pairs.clusters[0], "target": pairs.clusters[1]},
            "highest": pairs.highest.to_dicts(),
            "parameters": pairs.parameters,
            "file": file,
            "notes": list(self.notes),
        }


def filter_corpus(
    corpus: TestSetLike,
    *,
    side: str = "target",
    threshold: float = 1.0,
    longest: float | None = None,
    vectors: tuple[Vectors, Vectors] | None = None,
    clusters: int | None = None,
    detokenize: bool = False,
    show: int = 10,
    seed: int = 12345,
) -> FilteredCorpus:
    """Drops the pairs of a corpus whose entropy is too high (Csaky et al. 2019).

    Args:
        corpus: Contexts with a reply each: what ``read_testset`` returns.
        side: Whose entropy counts: ``source``, ``target`` or ``both``.
        threshold: Entropy threshold in bits; pairs above it are dropped.
        longest: Clusters whose utterances have this many words or more on average are kept whatever
            their entropy; None: no such rule.
        vectors: Sentence vectors of the sources and of the targets, arrays or files (.npy) with a row
            for each pair: clusters are made of them by k-means. None: equal utterances are a cluster.
        clusters: The number of clusters of each side, with ``vectors``.
        detokenize: Whether utterances are compared detokenised and recased.
        show: The number of clusters of highest entropy to list.
        seed: Random seed of k-means.

    Raises:
        ParameterError: A parameter is outside its range, or vectors come without clusters.
        InputError: Vectors are not one for each pair, or nothing would be left.

    >>> corpus = TestSet.from_lists([["OK."], ["OK."], ["Blue."]], contexts=["a", "b", "c"])
    >>> filter_corpus(corpus, threshold=0.5).testset.ids
    ['3']
    """
    corpus = TestSet.of(corpus, "corpus")
    check_draws(0, seed)
    if (vectors is None) != (clusters is None):
        raise ParameterError("vectors and clusters go together; give both or neither")
    pairs = adjacent_pairs(corpus)
    if detokenize:
        pairs = pairs.map(plain)
    sources = targets = None
    if vectors is not None and clusters is not None:
        named = zip(vectors, ("source vectors", "target vectors"), strict=True)
        sources, targets = (
            _clusters(each, name, len(pairs), clusters, seed) for each, name in named
        )
    filtered = filter_by_entropy(
        pairs, side, threshold, sources, targets, math.inf if longest is None else longest, show
    )
    return FilteredCorpus(corpus.select(filtered.kept.ids), filtered, pairs.notes)


def _clusters(given: Vectors, name: str, rows: int, k: int, seed: int) -> Indices:
    vectors = given
    if isinstance(given, (str, os.PathLike)):
        name = str(given)
        try:
            # Mapped, so that a header cannot ask for more memory than the file has bytes.
            vectors = np.load(given, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, EOFError, OverflowError) as error:
            raise InputError(f"{name}: not a NumPy array file (.npy): {error}") from None
    if not isinstance(vectors, np.ndarray) or vectors.ndim != 2 or len(vectors) != rows:
        shape = getattr(vectors, "shape", "of several arrays")
        raise InputError(f"{name}: got the shape {shape}; expected a row for each of {rows} pairs")
    if vectors.dtype.kind not in "fiu" or not np.isfinite(vectors).all():
        raise InputError(
            f"{name}: holds {vectors.dtype} or numbers that are not finite; expected numbers"
        )
    return kmeans(np.asarray(vectors), k, seed)


_BLOCK = 4096  # rows whose distances are computed at once


def kmeans(vectors: Floats, k: int, seed: int, iterations: int = 100) -> Indices:
    """The cluster of every vector, 0 to k - 1: utterances that mean much the same.

    Lloyd's algorithm from greedy k-means++ seeds (Arthur & Vassilvitskii 2007), in NumPy: the base
    install has no scikit-learn, and one function is all that the entropy filter needs.

    Args:
        vectors: Float [n, d], one row for each utterance.
        k: The number of clusters; fewer come back where fewer vectors are distinct.
        seed: Random seed of the first centres.
        iterations: Maximum number of iterations; fewer are made where no vector changes its
            cluster.

    Raises:
        InputError: The vectors are not a table of finite numbers.
        ParameterError: ``k`` is not within 1 to n.

    Example:
        >>> labels = kmeans(np.array([[0.0], [0.1], [9.0], [9.1]]), 2, seed=1)
        >>> labels[0] == labels[1], labels[2] == labels[3], labels[0] == labels[2]
        (np.True_, np.True_, np.False_)
    """
    vectors = np.asarray(vectors)
    if vectors.ndim != 2 or vectors.dtype.kind not in "fiu" or not np.isfinite(vectors).all():
        raise InputError(
            f"vectors: {vectors.dtype} of shape {vectors.shape}; expected finite numbers, one row "
            "for each utterance"
        )
    if not 1 <= k <= len(vectors):
        raise ParameterError(
            f"clusters: got {k}; expected 1 to {len(vectors)}, the number of vectors"
        )
    rows = np.ascontiguousarray(vectors, dtype=np.float64)
    centres = _seeds(rows, k, np.random.default_rng(seed))
    labels = _nearest(rows, centres)
    for _ in range(iterations):
        centres = _means(rows, labels, centres)
        moved = _nearest(rows, centres)
        if np.array_equal(moved, labels):
            break
        labels = moved
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _seeds(rows: Floats, k: int, generator: np.random.Generator) -> Floats:
    """Greedy k-means++: of several candidates, the one that leaves the least squared distance.

    A candidate is drawn by its squared distance to the nearest centre so far. There are
    ``2 + log k`` of them for each centre, as in scikit-learn (Arthur & Vassilvitskii 2007,
    section 7, suggest several). With one candidate each, the
    inertia of clusters that overlap ends a fifth higher (tests/unit/corpora/test_kmeans.py).
    """
    candidates = 2 + int(np.log(k))
    centres = rows[[generator.integers(len(rows))]]
    distance = np.square(rows - centres[0]).sum(axis=1)
    while len(centres) < k and distance.sum() > 0:
        sampled = generator.choice(len(rows), candidates, p=distance / distance.sum())
        nearest = [np.minimum(distance, np.square(rows - rows[i]).sum(axis=1)) for i in sampled]
        best = int(np.argmin([each.sum() for each in nearest]))
        distance = nearest[best]
        centres = np.vstack([centres, rows[sampled[best]]])
    return centres


def _nearest(rows: Floats, centres: Floats) -> Indices:
    half = np.square(centres).sum(axis=1) / 2  # |x - c|^2 = |x|^2 - 2 (x c - |c|^2 / 2)
    blocks = (rows[i : i + _BLOCK] for i in range(0, len(rows), _BLOCK))
    return np.concatenate([(block @ centres.T - half).argmax(axis=1) for block in blocks])


def _means(rows: Floats, labels: Indices, centres: Floats) -> Floats:
    sums = np.zeros_like(centres)
    np.add.at(sums, labels, rows)
    sizes = np.bincount(labels, minlength=len(centres))[:, None]
    # A centre that lost all its vectors stays where it was.
    return np.where(sizes > 0, sums / np.maximum(sizes, 1), centres)
