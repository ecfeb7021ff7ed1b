"""The entropy filter of a whole corpus in one call, as ``rejoinder filter`` makes it."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rejoinder.corpora.entropy_filter import FilteredPairs, filter_by_entropy
from rejoinder.corpora.kmeans import kmeans
from rejoinder.corpora.pairs import adjacent_pairs
from rejoinder.errors import InputError, ParameterError
from rejoinder.kernels.arrays import Indices
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
